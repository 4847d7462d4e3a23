/* SPDX-License-Identifier: Apache-2.0 */
/* Identity
 *
 * Source      ONNX Identity-1, -13, -14, -16, -19, -21, -23, -24, -25 (tensors; sequences and
 *             optionals do not decode).
 * Inputs      input of any type: movement.h with float8 since 19.
 * Outputs     output, the same.
 * Domain      rule input-type.
 * Arithmetic  output = input
 * Latitude    none. */
#include "qdiff/movement.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_movement_type(evaluation, node, "input", &in[0]->want, 1, 19);
    if (status == QD_OK)
        out[0] = *in[0];
    return status;
}

const struct qd_op qd_op_identity = {
    .domain = "",
    .name = "Identity",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input",
    .clause = "25: Tensor to copy input into.",
    .attributes = "",
    .rules = "input-type",
    .evaluate = evaluate,
};
