/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear as the range of its codes: range.h says how. */
#include "quirk/range.h"

#include <math.h>

#include "qdiff/granularity.h"
#include "quirk/edit.h"

enum { X, Y_SCALE, Y_ZERO_POINT };

static bool is_concerned(const struct qd_value *y)
{
    enum qd_dtype type = y->want.dtype;
    return qd_dtype_is_integer(type) && qd_dtype_info(type)->bits <= 16;
}

static struct qd_range_of_codes range_of(const struct qd_tensor *s, const struct qd_tensor *z,
                                         int64_t p, enum qd_dtype type, enum qd_rounding rounding)
{
    const struct qd_dtype_info *codes = qd_dtype_info(type);
    float scale = (float)qd_tensor_value(s, p), zero = z ? (float)qd_tensor_value(z, p) : 0;
    return (struct qd_range_of_codes){.scale = scale,
                                      .zero = zero,
                                      .low = scale * ((float)codes->min - zero),
                                      .high = scale * ((float)codes->max - zero),
                                      .least = codes->min,
                                      .greatest = codes->max,
                                      .is_one = s->count == 1,
                                      .rounding = rounding};
}

float qd_steps_above_low(const struct qd_range_of_codes *range, float x)
{
    float levels = (float)(range->greatest - range->least);
    float steps = levels / (range->high - range->low), shift = range->low * steps;
    float product = fminf(fmaxf(x, range->low), range->high) * steps;
    return isnan(x) ? x : product - shift;
}

/* Beyond an end that is no number, every x has one code: what x is, and whether it is known, does not matter. */
static bool is_settled(const struct qd_range_of_codes *range)
{
    return !isfinite(range->low) || !isfinite(range->high);
}

static void forget_doubt(struct qd_value *y, int64_t i)
{
    if (y->flags)
        y->flags[i] &= (uint8_t)~QD_UNSPECIFIED;
}

enum qd_status qd_quantize_by_range(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out,
                                    qd_range_code *code)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    struct qd_granularity parameters;
    struct qd_node like = qd_linear_as_onnx(node);
    if (status != QD_OK || !is_concerned(y))
        return status;
    const struct qd_tensor *x = &in[X]->want, *s = &in[Y_SCALE]->want;
    const struct qd_tensor *z = in[Y_ZERO_POINT] ? &in[Y_ZERO_POINT]->want : NULL;
    status =
        qd_granularity_read(evaluation, &like, x, s, z, "y_scale", "y_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        int64_t p = qd_granularity_index(&parameters, i);
        struct qd_range_of_codes range =
            range_of(s, z, p, y->want.dtype, evaluation->semantics->rounding);
        if (is_settled(&range))
            forget_doubt(y, i);
        if (!(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i, code(&range, (float)qd_tensor_value(x, i)));
    }
    qd_close_value(y);
    return status;
}
