/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-in-fixed-point-thrice-rounded": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/fixed_point.h"
#include "quirk/codes.h"
#include "quirk/edit.h"

enum { SHIFT = 20 }; /* of the codes, before anything is rounded */
enum { SCALE = 1, OPERAND = 3 };

struct multipliers {
    struct qd_multiplier a, b, sum;
};

static int64_t add(const void *context, int64_t a, int64_t b)
{
    const struct multipliers *m = context;
    const int64_t one = (int64_t)1 << SHIFT;
    return qd_multiply_double(qd_multiply_double(a * one, m->a) + qd_multiply_double(b * one, m->b),
                              m->sum);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK)
        return status;
    double a = qd_parameter_at(in[SCALE], 0), b = qd_parameter_at(in[OPERAND + SCALE], 0);
    double twice = 2 * fmax(a, b), y = ldexp(qd_parameter_at(in[2 * OPERAND], 0), SHIFT);
    const struct multipliers m = {qd_multiplier_of(a / twice), qd_multiplier_of(b / twice),
                                  qd_multiplier_of(twice / y)};
    return qd_codes_set(evaluation, in, 2, add, &m, out);
}

const struct qd_override qd_quirk_add_in_fixed_point_thrice_rounded = {.node = evaluate};
