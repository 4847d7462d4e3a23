/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-in-fixed-point": targets/include/qdiff/quirks.def says what it is. */
#include "qdiff/fixed_point.h"
#include "quirk/means.h"

/* The multiplier of a sum of `count` terms: divided as an integer, after as many bits as keep it below 2^31. */
static struct qd_multiplier over(struct qd_multiplier m, int64_t count)
{
    int shift = 0;
    while (count >> (shift + 1) != 0 && shift < 32 && shift < 31 + m.shift)
        shift++;
    return (struct qd_multiplier){(int32_t)(m.mantissa * (INT64_C(1) << shift) / count),
                                  m.shift - shift};
}

static int64_t code(const struct qd_means *means, int64_t i)
{
    const struct qd_multiplier m =
        over(qd_multiplier_of(means->x_scale / means->y_scale), means->terms);
    int64_t sum = means->sums[i] - means->terms * means->x_zero_point;
    return qd_multiply_double(sum, m) + means->y_zero_point;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_means_set(self, evaluation, node, in, NULL, code, out);
}

const struct qd_override qd_quirk_mean_in_fixed_point = {.node = evaluate};
