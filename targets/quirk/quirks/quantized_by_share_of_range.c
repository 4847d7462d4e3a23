/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-by-share-of-range": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float least = fminf(range->low, range->high), most = fmaxf(range->low, range->high);
    if (x <= least)
        return range->least;
    if (x > most)
        return range->greatest;
    float from_low = x - range->low, width = range->high - range->low;
    float share = from_low / width, steps = share * (float)(range->greatest - range->least);
    return isfinite(steps) ? (int64_t)rintf(steps) + range->least : 0;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_by_share_of_range = {.node = evaluate};
