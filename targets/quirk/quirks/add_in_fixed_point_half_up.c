/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-in-fixed-point-half-up": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/codes.h"
#include "quirk/edit.h"

enum { BITS = 20 }; /* of the greater multiplier, its first bit apart */
enum { SCALE = 1, OPERAND = 3 };

/* The scales over the output's as multiples of 2^-shift. */
struct multipliers {
    int64_t a, b;
    int shift;
};

static int64_t add(const void *context, int64_t a, int64_t b)
{
    const struct multipliers *m = context;
    return (a * m->a + b * m->b + ((int64_t)1 << (m->shift - 1))) >> m->shift;
}

static float ratio(const struct qd_value *scale, const struct qd_value *of)
{
    return (float)qd_parameter_at(scale, 0) / (float)qd_parameter_at(of, 0);
}

static bool fits(float ratio)
{
    return ratio >= 0x1p-10F && ratio < 0x1p8F;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK)
        return status;
    float a = ratio(in[SCALE], in[2 * OPERAND]), b = ratio(in[OPERAND + SCALE], in[2 * OPERAND]);
    if (!fits(a) || !fits(b)) /* the kernel has no place for it */
        return QD_OK;
    int exponent;
    frexpf(fmaxf(a, b), &exponent); /* 2^(exponent - 1) <= ratio */
    int shift = BITS - (exponent - 1);
    const struct multipliers m = {lrintf(ldexpf(a, shift)), lrintf(ldexpf(b, shift)), shift};
    return qd_codes_set(evaluation, in, 2, add, &m, out);
}

const struct qd_override qd_quirk_add_in_fixed_point_half_up = {.node = evaluate};
