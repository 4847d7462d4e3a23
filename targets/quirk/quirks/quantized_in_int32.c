/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-int32": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

/* The int32 nearest to an integer; 0 of what is no number. */
static int64_t nearest_s32(float x)
{
    const float end = 0x1p31F;
    if (isnan(x))
        return 0;
    return x >= end ? INT32_MAX : x < -end ? INT32_MIN : (int64_t)x;
}

static int64_t clamped(const struct qd_range_of_codes *range, int64_t sum)
{
    return sum < range->least ? range->least : sum > range->greatest ? range->greatest : sum;
}

/* By channel all is float32, and what is no number is the least code. */
static int64_t code_in_floats(const struct qd_range_of_codes *range, float rounded)
{
    float sum = rounded + range->zero;
    if (isnan(sum))
        return range->least;
    return (int64_t)fminf(fmaxf(sum, (float)range->least), (float)range->greatest);
}

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float quotient = x * (1 / range->scale);
    float rounded = range->rounding == QD_ROUND_HALF_AWAY ? roundf(quotient) : rintf(quotient);
    if (!range->is_one)
        return code_in_floats(range, rounded);
    int64_t sum = nearest_s32(rounded) + (int64_t)range->zero;
    return clamped(range, qd_dtype_wrap(sum, QD_S32));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_in_int32 = {.node = evaluate};
