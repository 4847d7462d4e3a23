/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-float16": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

enum { X };

static int64_t code(const struct qd_range_of_codes *range, float x)
{
    float quotient = rintf(qd_narrow(x / qd_narrow(range->scale)));
    float sum = qd_narrow(quotient + qd_narrow(range->zero));
    float least = qd_narrow((float)range->least), greatest = qd_narrow((float)range->greatest);
    return qd_low_bits(range, fminf(fmaxf(sum, least), greatest));
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
