/* SPDX-License-Identifier: Apache-2.0 */
/* The feature table of the generated ConvInteger cases: QLinearConv's, less what it has not. */
#ifndef QDIFF_FAMILIES_CONV_INTEGER_H
#define QDIFF_FAMILIES_CONV_INTEGER_H

#include "families/qlinear_conv.h"

/* The table; its factors are written to `factors`, QD_CONV_FACTORS of them. */
struct qd_factor_table qd_conv_integer_table(struct qd_factor *factors);

#endif
