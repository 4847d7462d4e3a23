/* The feature table of the generated DynamicQuantizeLinear cases, for the test that measures the
 * coverage. */
#ifndef QDIFF_FAMILIES_DYNAMIC_QUANTIZE_LINEAR_H
#define QDIFF_FAMILIES_DYNAMIC_QUANTIZE_LINEAR_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_dynamic_quantize_linear_table;

#endif
