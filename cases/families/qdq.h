/* The feature table of the generated QDQ cases, for their generator and the test that measures the
 * coverage. */
#ifndef QDIFF_FAMILIES_QDQ_H
#define QDIFF_FAMILIES_QDQ_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_qdq_table;

#endif
