/* The feature table of the generated QDQReal cases, for their generator and the test that measures
 * the coverage. */
#ifndef QDIFF_FAMILIES_QDQ_REAL_H
#define QDIFF_FAMILIES_QDQ_REAL_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_qdq_real_table;

#endif
