/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-by-range-fused": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float levels = (float)(range->greatest - range->least), width = range->high - range->low;
    float steps = levels / width, from_0 = -range->low * levels, shift = from_0 / width;
    float inside = fminf(fmaxf(x, range->low), range->high);
    float sum = rintf(fmaf(inside, steps, shift)) + (float)range->least;
    if (isnan(x) || isnan(sum))
        return range->least;
    return (int64_t)fminf(fmaxf(sum, (float)range->least), (float)range->greatest);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_by_range_fused = {.node = evaluate};
