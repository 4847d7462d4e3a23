/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-of-raw-codes": targets/include/qdiff/quirks.def says what it is. */
#include "qdiff/fixed_point.h"
#include "quirk/means.h"

enum { HEIGHT_AND_WIDTH = 1U << 1 | 1U << 2, WIDTH = 16 };

static bool fits(const struct qd_means *means, const struct qd_tensor *x)
{
    return x->rank == 4 && means->keeps && means->axes == HEIGHT_AND_WIDTH;
}

static int64_t code(const struct qd_means *means, int64_t i)
{
    const float x_scale = (float)means->x_scale, y_scale = (float)means->y_scale,
                scaled = (float)means->x_zero_point * x_scale, steps = scaled / y_scale,
                factor = x_scale / ((float)means->terms * y_scale);
    const int64_t offset = (int64_t)(steps > 0 ? steps + 0.5F : steps - 0.5F);
    const struct qd_multiplier m = qd_multiplier_of((double)factor);
    const bool vector = i % means->depth < means->depth / WIDTH * WIDTH;
    const int64_t sum = means->sums[i];
    return (vector ? qd_multiply_double_up(sum, m) : qd_multiply_double(sum, m)) +
           means->y_zero_point - offset;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_means_set(self, evaluation, node, in, fits, code, out);
}

const struct qd_override qd_quirk_mean_of_raw_codes = {.node = evaluate};
