/* What the mutations share. */
#ifndef QDIFF_FUZZ_MUTATE_PARTS_H
#define QDIFF_FUZZ_MUTATE_PARTS_H

#include "qdiff/mutate_case.h"

/* The operand of a node that is its output's "_scale" or "_zero_point", by the names that the texts give; QD_NO_VALUE if it
 * has none. */
int qd_output_parameter(const struct qd_case_edit_node *node, const char *suffix);

#endif
