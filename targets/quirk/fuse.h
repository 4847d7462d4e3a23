/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks between codes as the one operator that targets make of them. Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_FUSE_H
#define QDIFF_TARGETS_QUIRK_FUSE_H

#include "quirk/rewrite.h"

/* Each DequantizeLinear, Conv, QuantizeLinear becomes a QLinearConv that is named `mark` (qd_evaluate_marked); so does
 * one with a Relu that the quantization makes superfluous. */
enum qd_status qd_fuse_convolutions(const struct qd_graph *graph, const char *mark,
                                    struct qd_arena *arena, const struct qd_graph **rewritten,
                                    struct qd_error *error);

/* Each MatMul or Gemm of two DequantizeLinear becomes MatMulIntegerToFloat or QGemm, or with the QuantizeLinear after
 * it QLinearMatMul or QGemm, named `mark`. */
enum qd_status qd_fuse_products(const struct qd_graph *graph, const char *mark,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error);

/* Each DequantizeLinear of both operands, Add, QuantizeLinear becomes a QLinearAdd; so does one with such a Relu. */
enum qd_status qd_fuse_additions(const struct qd_graph *graph, struct qd_arena *arena,
                                 const struct qd_graph **rewritten, struct qd_error *error);

#endif
