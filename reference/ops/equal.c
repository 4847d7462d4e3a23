/* SPDX-License-Identifier: Apache-2.0 */
/* Equal
 *
 * Source      ONNX Equal-1, -7, -11, -13, -19.
 * Inputs      A, B of one type: bool s32 s64 (11: u8 s8 u16 s16 f32 f16; 13: bf16; f64 is
 *             UNSUPPORTED, and 19's strings are no tensors here), shapes broadcast.
 * Outputs     C bool, the common shape.
 * Arithmetic  C = A = B, of integers exact.
 * Edge cases  A comparison with NaN is false (IEEE 754), -0 equals +0. Broadcasting before opset 7
 *             is UNSUPPORTED.
 * Latitude    None of its own: where the operands' hulls decide either way, both answers. */
#include "kernel/comparison.h"

#include "graph/operand_checks.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    uint32_t types = node->opset >= 11 ? qd_comparison_types(node->opset)
                                       : QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    types |= QD_TYPE_BIT(QD_BOOL);
    return qd_compare_operands(evaluation, node, in, types, QD_IS_EQUAL, &out[0]);
}

const struct qd_op qd_op_equal = {
    .domain = "",
    .name = "Equal",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .gives = QD_BOOL,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "A,B",
    .clause = "19: Returns the tensor resulted from performing the equal logical operation "
              "elementwise on the input tensors A and B (with Numpy-style broadcasting support).",
    .attributes = "axis:-6,broadcast:-6",
    .rules = "A-type,B-type,broadcast",
    .evaluate = evaluate,
};
