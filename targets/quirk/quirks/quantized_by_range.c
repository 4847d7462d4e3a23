/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-by-range": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

/* What no number is left of becomes INT32_MIN, of which 16 bits are 0 and int8 has its least. */
static int64_t without_number(const struct qd_range_of_codes *range)
{
    return range->greatest == INT8_MAX ? range->least : 0;
}

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float levels = (float)(range->greatest - range->least);
    float steps = levels / (range->high - range->low), shift = range->low * steps;
    float inside = fminf(fmaxf(x, range->low), range->high);
    float product = inside * steps, sum = product - shift;
    if (isnan(x) || !isfinite(sum))
        return without_number(range);
    return (int64_t)rintf(sum) + range->least;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_by_range = {.node = evaluate};
