/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "half-added-in-float16": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

enum { X, SCALE };

/* To the nearest integer, of ties to the even one, where float16 has room for a half. */
static float round_by_half(float q)
{
    float half = qd_narrow(truncf(q) * 0.5F);
    bool even = truncf(half) == half;
    return (q > 0) != even ? floorf(qd_narrow(q + 0.5F)) : ceilf(qd_narrow(q - 0.5F));
}

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float quotient = qd_narrow(qd_quotient_of_float16(range, x));
    float sum = qd_narrow(round_by_half(quotient) + qd_narrow(range->zero));
    float greatest = qd_narrow((float)range->greatest);
    if (isfinite(greatest) && sum >= greatest)
        return range->greatest;
    return qd_low_bits(range, fmaxf(sum, qd_narrow((float)range->least)));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    bool concerned = in[X]->want.dtype == QD_F16 && in[SCALE]->want.dtype == QD_F16 &&
                     !qd_quantizes_to_uint8(node, in);
    return concerned ? qd_quantize_by_range(self, evaluation, node, in, out, code)
                     : qd_override_node(evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_half_added_in_float16 = {.node = evaluate};
