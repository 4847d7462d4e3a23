/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-unscaled": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

enum { BIAS = 8 };

static const struct qd_layer_in_floats layer = {.step = qd_no_step};

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    if (!in[BIAS])
        return qd_override_node(evaluation, self->next, node, in, out);
    return qd_quirk_in_floats(self, evaluation, node, in, &layer, out);
}

const struct qd_override qd_quirk_bias_unscaled = {.node = evaluate};
