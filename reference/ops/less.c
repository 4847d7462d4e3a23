/* SPDX-License-Identifier: Apache-2.0 */
/* Less
 *
 * Source      ONNX Less-1, -7, -9, -13.
 * Inputs      A, B of one type: f32 f16 (9: u8 s8 u16 s16 s32 s64; 13: bf16; f64 is UNSUPPORTED),
 *             shapes broadcast.
 * Outputs     C bool, the common shape.
 * Arithmetic  C = A < B, of integers exact.
 * Edge cases  A comparison with NaN is false (IEEE 754), -0 equals +0. Broadcasting before opset 7
 *             is UNSUPPORTED.
 * Latitude    None of its own: where the operands' hulls decide either way, both answers. */
#include "kernel/comparison.h"

#include "graph/operand_checks.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    uint32_t types = node->opset >= 9
                         ? qd_comparison_types(node->opset)
                         : QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    return qd_compare_operands(evaluation, node, in, types, QD_IS_LESS, &out[0]);
}

const struct qd_op qd_op_less = {
    .domain = "",
    .name = "Less",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .gives = QD_BOOL,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "A,B",
    .clause = "13: Returns the tensor resulted from performing the less logical operation "
              "elementwise on the input tensors A and B (with Numpy-style broadcasting support).",
    .attributes = "axis:-6,broadcast:-6",
    .rules = "A-type,B-type,broadcast",
    .evaluate = evaluate,
};
