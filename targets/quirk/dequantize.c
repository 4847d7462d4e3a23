/* SPDX-License-Identifier: Apache-2.0 */
/* DequantizeLinear with other arithmetic for each element: dequantize.h says how. */
#include "quirk/dequantize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "qdiff/granularity.h"
#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT };

float qd_bfloat16_half_to_odd(float x)
{
    uint32_t bits = 0;
    if (!isfinite(x))
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + ((bits & 0x10000U) >> 1)) & 0xffff0000U;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

float qd_product_of_odd_bfloat16(double q, double s, double z)
{
    float code = qd_bfloat16_half_to_odd((float)q), zero = qd_bfloat16_half_to_odd((float)z);
    float difference = code - zero;
    return difference * qd_bfloat16_half_to_odd((float)s);
}

double qd_flush_subnormal(double x)
{
    return fabs(x) < FLT_MIN ? copysign(0, x) : x;
}

float qd_flushed(float x)
{
    return (float)qd_flush_subnormal((double)x);
}

double qd_from_two_products(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float scale = (float)s, product = (float)q * scale, offset = (float)z * scale;
    return (double)(product - offset);
}

/* q*s has at most 40 bits and is exact in double. */
double qd_by_fma(enum qd_dtype type, double q, double s, double z)
{
    double offset = qd_float_round(type, QD_NEAREST_EVEN, z * s);
    return qd_float_round(type, QD_NEAREST_EVEN, q * s - offset);
}

/* Whether element i was another one. */
static bool change(struct qd_tensor *y, int64_t i, int64_t bits)
{
    bool other = qd_tensor_get(y, i) != bits;
    qd_tensor_set(y, i, bits);
    return other;
}

enum qd_status qd_dequantize_as(const struct qd_dequantize_as *as, const struct qd_override *self,
                                struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    enum qd_dtype type = y->want.dtype;
    struct qd_granularity parameters;
    bool changed = false; /* what stays may be fused as before */
    struct qd_node like = qd_linear_as_onnx(node);
    if (status != QD_OK || !as->is_concerned(in, y))
        return status;
    const struct qd_tensor *x = &in[X]->want, *s = &in[X_SCALE]->want;
    const struct qd_tensor *z = in[X_ZERO_POINT] ? &in[X_ZERO_POINT]->want : NULL;
    status =
        qd_granularity_read(evaluation, &like, x, s, z, "x_scale", "x_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        int64_t p = qd_granularity_index(&parameters, i);
        double q = qd_tensor_value(x, i), scale = qd_tensor_value(s, p);
        double zero = z ? qd_tensor_value(z, p) : 0;
        double made = as->of_codes ? as->of_codes(x->dtype, q, scale, zero)
                                   : as->number(type, q, scale, zero);
        made = qd_float_round(type, QD_NEAREST_EVEN, made);
        if ((as->gives_nan || !isnan(made)) && !(qd_value_flags(y, i) & QD_UNSPECIFIED))
            changed |= change(&y->want, i, (int64_t)qd_float_encode(type, made, false));
    }
    if (changed)
        qd_close_value(y);
    return status;
}
