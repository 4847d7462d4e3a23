/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks between codes as the one operator that targets make of them. Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_FUSE_H
#define QDIFF_TARGETS_QUIRK_FUSE_H

#include "quirk/rewrite.h"

/* Which blocks become one operator, and how it is named. */
struct qd_fuse_rule {
    const char *mark; /* (qd_evaluate_marked) */
    bool
        as_unsigned; /* only blocks whose x has codes that are uint8, or int8 that targets turn into uint8: what a
                         QuantizeLinear gives that has DequantizeLinear as its only readers */
};

/* Each DequantizeLinear, Conv, QuantizeLinear becomes a QLinearConv; so does one with a Relu that the quantization
 * makes superfluous, and one whose numbers are moved (Reshape, Transpose) before they are quantized. */
enum qd_status qd_fuse_convolutions(const struct qd_graph *graph, const struct qd_fuse_rule *rule,
                                    struct qd_arena *arena, const struct qd_graph **rewritten,
                                    struct qd_error *error);

/* Each MatMul or Gemm of two DequantizeLinear becomes MatMulIntegerToFloat or QGemm, or with the QuantizeLinear after
 * it QLinearMatMul or QGemm. */
enum qd_status qd_fuse_products(const struct qd_graph *graph, const struct qd_fuse_rule *rule,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error);

/* qd_evaluate_marked for what they made: it computes with the codes wanted where a float operator before it left
 * several admissible, since a kernel sees one. */
enum qd_status qd_evaluate_fused(const struct qd_override *self, struct qd_evaluation *evaluation,
                                 const char *mark, const struct qd_semantics *changed,
                                 const struct qd_node *node, const struct qd_value *const *in,
                                 struct qd_value *out);

/* Each DequantizeLinear of both operands, Add, QuantizeLinear becomes a QLinearAdd; so does one with such a Relu. */
enum qd_status qd_fuse_additions(const struct qd_override *self, const struct qd_graph *graph,
                                 struct qd_arena *arena, const struct qd_graph **rewritten,
                                 struct qd_error *error);

/* The same of Add, Mul (QLinearMul) and LeakyRelu (QLinearLeakyRelu). */
enum qd_status qd_fuse_elementwise(const struct qd_override *self, const struct qd_graph *graph,
                                   struct qd_arena *arena, const struct qd_graph **rewritten,
                                   struct qd_error *error);

/* Each DequantizeLinear, Softmax, QuantizeLinear of 8-bit codes of one type becomes a QLinearSoftmax. */
enum qd_status qd_fuse_softmax(const struct qd_override *self, const struct qd_graph *graph,
                               struct qd_arena *arena, const struct qd_graph **rewritten,
                               struct qd_error *error);

#endif
