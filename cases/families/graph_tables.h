/* The feature tables of the generated Graph* cases, for their generators and the test that measures the coverage. */
#ifndef QDIFF_FAMILIES_GRAPH_TABLES_H
#define QDIFF_FAMILIES_GRAPH_TABLES_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_graph_layers_table, qd_graph_branches_table,
    qd_graph_tokens_table, qd_graph_movement_table, qd_graph_axes_table;

#endif
