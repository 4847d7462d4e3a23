/* The feature table of the generated QDQWeights cases, for their generator and the test that measures
 * the coverage. */
#ifndef QDIFF_FAMILIES_QDQ_WEIGHTS_H
#define QDIFF_FAMILIES_QDQ_WEIGHTS_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_qdq_weights_table;

#endif
