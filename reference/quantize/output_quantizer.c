/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/output_quantizer.h"

#include "number/float_bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct qd_output_quantizer qd_output_quantizer_make(const struct qd_semantics *semantics,
                                                    enum qd_dtype dtype, int64_t zero_point)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    struct qd_output_quantizer quantizer = {semantics, dtype, zero_point, info->min, info->max};
    if (semantics->range == QD_RANGE_SYMMETRIC && info->kind == QD_CLASS_SINT)
        quantizer.min = -info->max;
    return quantizer;
}

static int64_t clamp(const struct qd_output_quantizer *quantizer, int64_t code)
{
    return code < quantizer->min ? quantizer->min : code > quantizer->max ? quantizer->max : code;
}

/* As processors do it: what does not fit is INT32_MIN. */
static int64_t cast_to_s32(int64_t rounded)
{
    return rounded > INT32_MAX || rounded < INT32_MIN ? INT32_MIN : rounded;
}

/* As Rust does it: what does not fit is the nearest int32. */
static int64_t saturate_to_s32(int64_t rounded)
{
    return rounded > INT32_MAX ? INT32_MAX : rounded < INT32_MIN ? INT32_MIN : rounded;
}

/* The sum with the zero point as an int32: what is cast is the sum, or else the rounded number, to which the zero point
 * is added in int32. */
static int64_t sum_in_s32(const struct qd_output_quantizer *quantizer, int64_t rounded,
                          int64_t (*cast)(int64_t))
{
    int64_t z = quantizer->zero_point;
    return quantizer->semantics->zero_point_order == QD_ZERO_POINT_AFTER
               ? qd_dtype_wrap(cast(rounded) + z, QD_S32)
               : cast(rounded + z);
}

int64_t qd_output_quantizer_finish(const struct qd_output_quantizer *quantizer, int64_t rounded)
{
    int64_t z = quantizer->zero_point;
    switch (quantizer->semantics->range) {
    case QD_RANGE_WRAP: return qd_dtype_wrap(rounded + z, quantizer->dtype);
    case QD_RANGE_BEFORE_ZERO_POINT:
        return qd_dtype_wrap(clamp(quantizer, rounded) + z, quantizer->dtype);
    case QD_RANGE_INT32_INDEFINITE:
        return clamp(quantizer, sum_in_s32(quantizer, rounded, cast_to_s32));
    case QD_RANGE_INT32_FULL:
        return clamp(quantizer, sum_in_s32(quantizer, rounded, saturate_to_s32));
    case QD_RANGE_SATURATE_TWICE: rounded = clamp(quantizer, rounded); break;
    case QD_RANGE_WRAP_BEFORE_ZERO_POINT: rounded = qd_dtype_wrap(rounded, quantizer->dtype); break;
    case QD_RANGE_MAGNITUDE: rounded = quantizer->min == 0 ? llabs(rounded) : rounded; break;
    case QD_RANGE_SATURATE:
    case QD_RANGE_SYMMETRIC: break;
    }
    return clamp(quantizer, rounded + z);
}

/* rne of a sum that has the zero point in it, without the zero point. */
static int64_t round_sum(const struct qd_output_quantizer *quantizer, double sum)
{
    if (!isfinite(sum))
        return sum < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT;
    struct qd_rounded r =
        qd_ratio_round(qd_ratio_of_double(sum), quantizer->semantics->rounding, false);
    return r.value - quantizer->zero_point;
}

int64_t qd_output_quantizer_sum(const struct qd_output_quantizer *quantizer, double sum)
{
    return qd_output_quantizer_finish(quantizer, round_sum(quantizer, sum));
}

/* The quirk "zero point before rounding, in float32": rne(fl32(v + z)). */
static double add_zero_point(const struct qd_output_quantizer *quantizer, double v)
{
    return isfinite(v) ? qd_float_round(QD_F32, QD_NEAREST_EVEN, v + (double)quantizer->zero_point)
                       : v;
}

/* The quirk "zero point before rounding, fused": fl32(v + z) of a v that has the bits of a product of two float32.
 * The sum is first rounded to odd, so that rounding it again to float32 is rounding once. */
static double add_zero_point_fused(const struct qd_output_quantizer *quantizer, double v)
{
    double z = (double)quantizer->zero_point, sum = v + z, from_z = sum - v;
    double lost = (v - (sum - from_z)) + (z - from_z);
    if (!isfinite(sum))
        return sum;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && !(bits & 1))
        sum = nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, sum);
}

/* Truncation of v + z, exact, without the zero point: the sum's sign decides its direction. */
static int64_t truncate_sum(const struct qd_output_quantizer *quantizer, struct qd_ratio real)
{
    int64_t down = qd_ratio_round(real, QD_ROUND_FLOOR, false).value;
    return down + quantizer->zero_point >= 0 ? down
                                             : qd_ratio_round(real, QD_ROUND_CEIL, false).value;
}

/* The quirks "then half" and "with half": trunc(fl32(fl32(v + z) + h)) and trunc(fl32(v + fl32(z + h))), where h is the
 * float32 nearest to 0.4999999. Without the zero point, as round_sum() has it. */
static int64_t truncate_with_half(const struct qd_output_quantizer *quantizer, double v)
{
    const double half = (double)0.4999999F, z = (double)quantizer->zero_point;
    bool together = quantizer->semantics->zero_point_order == QD_ZERO_POINT_WITH_HALF;
    double first = together ? half : v, last = together ? v : half;
    double sum = qd_float_round(QD_F32, QD_NEAREST_EVEN, first + z);
    sum = qd_float_round(QD_F32, QD_NEAREST_EVEN, sum + last);
    if (!isfinite(sum))
        return sum < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT;
    return qd_ratio_round(qd_ratio_of_double(sum), QD_ROUND_TRUNCATE, false).value -
           quantizer->zero_point;
}

int64_t qd_output_quantizer_exact(const struct qd_output_quantizer *quantizer, struct qd_ratio real)
{
    const struct qd_semantics *semantics = quantizer->semantics;
    if (semantics->zero_point_order == QD_ZERO_POINT_BEFORE_F32) {
        double v = qd_ratio_to_float(real, QD_F32, QD_NEAREST_EVEN);
        return qd_output_quantizer_sum(quantizer, add_zero_point(quantizer, v));
    }
    if (semantics->zero_point_order == QD_ZERO_POINT_BEFORE_FUSED) {
        double v = qd_ratio_to_float(real, QD_F64, QD_NEAREST_EVEN);
        return qd_output_quantizer_sum(quantizer, add_zero_point_fused(quantizer, v));
    }
    if (semantics->zero_point_order == QD_ZERO_POINT_THEN_HALF ||
        semantics->zero_point_order == QD_ZERO_POINT_WITH_HALF) {
        double v = qd_ratio_to_float(real, QD_F32, QD_NEAREST_EVEN);
        return qd_output_quantizer_finish(quantizer, truncate_with_half(quantizer, v));
    }
    bool before = semantics->zero_point_order == QD_ZERO_POINT_BEFORE_EXACT;
    if (before && semantics->rounding == QD_ROUND_TRUNCATE)
        return qd_output_quantizer_finish(quantizer, truncate_sum(quantizer, real));
    bool odd = before && quantizer->zero_point & 1;
    return qd_output_quantizer_finish(quantizer,
                                      qd_ratio_round(real, semantics->rounding, odd).value);
}

int64_t qd_output_quantizer_float(const struct qd_output_quantizer *quantizer, double real)
{
    if (isnan(real)) {
        switch (quantizer->semantics->nan_to_integer) {
        case QD_NAN_MINIMUM: return quantizer->min;
        case QD_NAN_MAXIMUM: return quantizer->max;
        case QD_NAN_ZERO_POINT: return quantizer->zero_point;
        case QD_NAN_UNSPECIFIED:
        case QD_NAN_ZERO: return 0;
        }
    }
    if (isinf(real))
        return qd_output_quantizer_finish(quantizer, real < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT);
    int64_t whole;
    if (quantizer->semantics->zero_point_order == QD_ZERO_POINT_AFTER &&
        qd_rounding_is_nearest(quantizer->semantics->rounding) &&
        qd_nearest_clearly(real, 0, &whole))
        return qd_output_quantizer_finish(quantizer, whole);
    return qd_output_quantizer_exact(quantizer, qd_ratio_of_double(real));
}

bool qd_output_quantizer_is_monotone(const struct qd_output_quantizer *quantizer)
{
    enum qd_range range = quantizer->semantics->range;
    return range == QD_RANGE_SATURATE || range == QD_RANGE_SYMMETRIC;
}

bool qd_output_quantizer_saturates(const struct qd_output_quantizer *quantizer, int64_t rounded)
{
    return qd_output_quantizer_is_monotone(quantizer) && quantizer->max <= UINT16_MAX &&
           llabs(rounded) >= 1 << 18;
}

bool qd_output_quantizer_settles(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                 struct qd_code *code)
{
    const struct qd_semantics *semantics = quantizer->semantics;
    if (semantics->zero_point_order != QD_ZERO_POINT_AFTER)
        return false;
    struct qd_rounded rounded = qd_ratio_round(real, semantics->rounding, false);
    bool inside = !rounded.near && llabs(rounded.value) < QD_ROUND_LIMIT;
    if (!inside && !qd_output_quantizer_saturates(quantizer, rounded.value))
        return false;
    int64_t c = qd_output_quantizer_finish(quantizer, rounded.value);
    *code = (struct qd_code){.want = c, .lo = c, .hi = c, .flags = 0};
    return true;
}
