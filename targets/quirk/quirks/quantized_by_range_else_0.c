/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-by-range-else-0": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float steps = qd_steps_above_low(range, x);
    return isfinite(steps) ? (int64_t)rintf(steps) + range->least : 0;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_quantize_by_range(self, evaluation, node, in, out, code);
}

const struct qd_override qd_quirk_quantized_by_range_else_0 = {.node = evaluate};
