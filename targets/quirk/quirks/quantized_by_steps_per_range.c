/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-by-steps-per-range": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float levels = (float)(range->greatest - range->least);
    float steps = levels / (range->high - range->low), product = x * steps;
    float zero = (float)range->least - rintf(range->low * steps);
    if (isnan(product) || !isfinite(zero))
        return range->least;
    float sum = rintf(product) + zero;
    return (int64_t)fminf(fmaxf(sum, (float)range->least), (float)range->greatest);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_by_steps_per_range = {.node = evaluate};
