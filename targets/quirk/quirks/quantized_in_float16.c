/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-float16": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

enum { X };

static float narrow(float x)
{
    return (float)qd_float_round(QD_F16, QD_NEAREST_EVEN, (double)x);
}

/* As x86 converts to int32, of which the low bits are kept: 0 for what int32 has no room for. */
static int64_t low_bits(float x, const struct qd_range_of_codes *range)
{
    return isfinite(x) ? qd_dtype_wrap((int64_t)x, range->codes) : 0;
}

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float quotient = rintf(narrow(x / narrow(range->scale)));
    float sum = narrow(quotient + narrow(range->zero));
    float least = narrow((float)range->least), greatest = narrow((float)range->greatest);
    return low_bits(fminf(fmaxf(sum, least), greatest), range);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return in[X] && in[X]->want.dtype == QD_F16
               ? qd_quantize_by_range(self, evaluation, node, in, out, code)
               : qd_override_node(evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_quantized_in_float16 = {.node = evaluate};
