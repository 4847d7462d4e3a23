/* The feature table of the generated QLinearConv cases, for its generator and the test that
 * measures the coverage. */
#ifndef QDIFF_FAMILIES_QLINEAR_CONV_H
#define QDIFF_FAMILIES_QLINEAR_CONV_H

#include "qdiff/covering.h"

enum qd_conv_factor {
    QD_CONV_TYPES,
    QD_CONV_RANK,
    QD_CONV_GROUP,
    QD_CONV_W_SHAPE,
    QD_CONV_W_ZERO,
    QD_CONV_XY_SHAPE,
    QD_CONV_X_ZERO,
    QD_CONV_Y_ZERO,
    QD_CONV_KERNEL,
    QD_CONV_PADS,
    QD_CONV_STRIDE,
    QD_CONV_DILATION,
    QD_CONV_BIAS,
    QD_CONV_BINDING,
    QD_CONV_BATCH,
    QD_CONV_SIZE,
    QD_CONV_FACTORS
};

extern const struct qd_factor_table qd_qlinear_conv_table;

#endif
