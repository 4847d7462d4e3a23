/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of operators that quirks.def's rows share. */
#ifndef QDIFF_TARGETS_QUIRK_OPS_H
#define QDIFF_TARGETS_QUIRK_OPS_H

/* Those that take a zero point off codes by qd_zero_point() or qd_subtract_zero_point(). */
#define QD_OPS_ZERO_POINTS \
    "QuantizeLinear DequantizeLinear QLinear* ConvInteger MatMulInteger com.microsoft:*"

/* Those that round a number to a code. */
#define QD_OPS_CODES "QuantizeLinear QLinear* DynamicQuantizeLinear com.microsoft:*"

/* Those that requantize an integer accumulator. */
#define QD_OPS_REQUANTIZE "QLinearConv QLinearMatMul com.microsoft:*"

/* Those that add up products of codes. */
#define QD_OPS_PRODUCTS "QLinearConv QLinearMatMul ConvInteger MatMulInteger com.microsoft:*"

/* Convolutions of codes. */
#define QD_OPS_CONV "QLinearConv ConvInteger"

/* Per-tensor, per-axis, blocked. */
#define QD_OPS_AXIS \
    "QuantizeLinear DequantizeLinear com.microsoft:QuantizeLinear com.microsoft:DequantizeLinear"

#endif
