/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-in-fixed-point": targets/include/qdiff/quirks.def says what it is. */
#include "qdiff/fixed_point.h"
#include "quirk/codes.h"
#include "quirk/edit.h"

enum { X_SCALE = 1, Y_SCALE = 3 };

struct multipliers {
    struct qd_multiplier above, below;
};

/* A multiplier below 0 is applied as its size, so that halves go away from where its sign would send them. */
static int64_t leaky(const void *context, int64_t a, int64_t b)
{
    const struct multipliers *m = context;
    struct qd_multiplier below = m->below;
    (void)b;
    if (a >= 0)
        return qd_multiply_double(a, m->above);
    if (below.mantissa >= 0)
        return qd_multiply_double(a, below);
    below.mantissa = -below.mantissa;
    return -qd_multiply_double(a, below);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float alpha;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status == QD_OK)
        status = qd_node_float(node, "alpha", 0.01F, &alpha, evaluation->error);
    if (status != QD_OK)
        return status;
    float x = (float)qd_parameter_at(in[X_SCALE], 0), y = (float)qd_parameter_at(in[Y_SCALE], 0);
    float above = x / y, sloped = x * alpha, below = sloped / y;
    const struct multipliers m = {qd_multiplier_of((double)above), qd_multiplier_of((double)below)};
    return qd_codes_set(evaluation, in, 1, leaky, &m, out);
}

const struct qd_override qd_quirk_leaky_relu_in_fixed_point = {.node = evaluate};
