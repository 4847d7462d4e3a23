/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-of-raw-codes": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/fixed_point.h"
#include "quirk/means.h"

enum { HEIGHT_AND_WIDTH = 1U << 1 | 1U << 2, WIDTH = 16 };

/* The zero point of x in steps of y. */
static float zero_steps(const struct qd_means *means)
{
    const float scaled = (float)means->x_zero_point * (float)means->x_scale;
    return scaled / (float)means->y_scale;
}

/* Those steps become an int32. */
static bool fits(const struct qd_means *means, const struct qd_tensor *x)
{
    return x->rank == 4 && means->keeps && means->axes == HEIGHT_AND_WIDTH &&
           fabsf(zero_steps(means)) < 0x1p31F;
}

static int64_t code(const struct qd_means *means, int64_t i)
{
    const float steps = zero_steps(means),
                factor = (float)means->x_scale / ((float)means->terms * (float)means->y_scale);
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
