/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-parameters-by-input-channel": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

static float step(float x_scale, float w_scale)
{
    return x_scale * w_scale;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quirk_in_floats(self, evaluation, node, in, step, 1, out);
}

const struct qd_override qd_quirk_w_parameters_by_input_channel = {.node = evaluate};
