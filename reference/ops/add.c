/* SPDX-License-Identifier: Apache-2.0 */
/* Add
 *
 * Source      ONNX Add-7, -13, -14 (earlier versions broadcast by attributes: UNSUPPORTED unless
 *             the shapes are equal).
 * Inputs      A, B of one type f32|f16|bf16|s32|s64 (14: u8 s8 u16 s16); f64 is UNSUPPORTED.
 * Outputs     C of the same type, shapes broadcast.
 * Arithmetic  C = RN(A + B)
 * Edge cases  An integer result beyond its type: unspecified.
 * Latitude    Inside a graph the exact sum is admissible too. */
#include "kernel/elementwise.h"

static bool codes(int64_t a, int64_t b, int64_t *y)
{
    return !__builtin_add_overflow(a, b, y);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_binary binary = {qd_interval_add, codes, QD_TERMS_SUM};
    return qd_elementwise_binary(evaluation, node, in[0], in[1], qd_arithmetic_types(node->opset),
                                 &binary, &out[0]);
}

const struct qd_op qd_op_add = {
    .domain = "",
    .name = "Add",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_ADDS,
    .operands = "A,B:weight",
    .clause = "14: Performs element-wise binary addition (with Numpy-style broadcasting support).",
    .attributes = "axis:-6,broadcast:-6,consumed_inputs:-5",
    .rules = "a-type,b-type,broadcast",
    .evaluate = evaluate,
};
