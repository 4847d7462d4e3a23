/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/accumulate.h"

#include <math.h>

#include "qdiff/exact.h"

/* |a·b| ≤ 511² < 2^18: 4096 products stay below 2^30. */
#define BLOCK 4096

static int32_t dot_block(const int16_t *restrict a, const int16_t *restrict b, int64_t count)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static int64_t dot_exact(const int16_t *a, const int16_t *b, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i += BLOCK)
        sum += dot_block(a + i, b + i, count - i < BLOCK ? count - i : BLOCK);
    return sum;
}

static int64_t saturate32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static int64_t dot_saturating(const int16_t *a, const int16_t *b, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum = saturate32(sum + a[i] * b[i]);
    return sum;
}

/* Partial sums of float16; beyond its range what an infinity is converted to. */
static int64_t dot_f16(const int16_t *a, const int16_t *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum = qd_float_round(QD_F16, QD_NEAREST_EVEN, sum + a[i] * b[i]);
    if (!isfinite(sum))
        return sum > 0 ? INT32_MAX : INT32_MIN;
    return (int64_t)sum;
}

static int64_t saturate16(int64_t x)
{
    return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x;
}

/* The product of the raw codes at i, 0 after the end. */
static int64_t raw_product(const struct qd_raw_codes *raw, const int16_t *a, const int16_t *b,
                           int64_t i, int64_t count)
{
    return i < count ? (int64_t)(a[i] + raw->a_zero_point) * (b[i] + raw->b_zero_point) : 0;
}

/* Which term is number i when the channels of one tap follow each other, `count` after the end. */
static int64_t channels_last(int64_t taps, int64_t i, int64_t count)
{
    int64_t channels = count / taps;
    return i < count ? i % channels * taps + i / channels : count;
}

/* Partial sums of float32, in that order. */
static int64_t dot_f32(int64_t taps, const int16_t *a, const int16_t *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t k = channels_last(taps, i, count);
        sum = qd_float_round(QD_F32, QD_NEAREST_EVEN, sum + a[k] * b[k]);
    }
    return (int64_t)sum;
}

/* x86's vpmaddubsw: neighbours k, k + 1 of u8·s8 are added with saturation to int16. What the
 * saturation takes away is missing from the sum. Terms are neighbours as the filter has them, or
 * with taps > 1 with the channels last. */
static int64_t dot_pair_saturating(const struct qd_raw_codes *raw, int64_t taps, const int16_t *a,
                                   const int16_t *b, int64_t count)
{
    int64_t sum = dot_exact(a, b, count);
    for (int64_t i = 0; raw->a_unsigned != raw->b_unsigned && i < count; i += 2) {
        int64_t j = channels_last(taps, i, count), k = channels_last(taps, i + 1, count);
        int64_t pair = raw_product(raw, a, b, j, count) + raw_product(raw, a, b, k, count);
        sum += saturate16(pair) - pair;
    }
    return sum;
}

/* The same of s8·s8 too, with the codes of a made unsigned by adding 128; channels last. */
static int64_t dot_pair_shifted(const struct qd_raw_codes *raw, const int16_t *a, const int16_t *b,
                                int64_t count)
{
    struct qd_raw_codes shifted = *raw;
    bool is_signed = !raw->a_unsigned && !raw->b_unsigned;
    shifted.a_unsigned = raw->a_unsigned || is_signed;
    shifted.a_zero_point = (int16_t)(raw->a_zero_point + 128 * is_signed);
    return dot_pair_saturating(&shifted, raw->taps, a, b, count);
}

/* The same with unsigned codes less 128, as kernels for signed ones take them. */
static int64_t signed_product(const struct qd_raw_codes *raw, const int16_t *a, const int16_t *b,
                              int64_t i, int64_t count)
{
    struct qd_raw_codes shifted = *raw;
    shifted.a_zero_point = (int16_t)(raw->a_zero_point - 128 * raw->a_unsigned);
    shifted.b_zero_point = (int16_t)(raw->b_zero_point - 128 * raw->b_unsigned);
    return raw_product(&shifted, a, b, i, count);
}

/* Arm's smull and smlal: codes k and k + 8 of s8·s8, and of u8·s8 after a shift, share an int16 lane,
 * which wraps. */
static int64_t dot_pair_wrapping(const struct qd_raw_codes *raw, int64_t taps, const int16_t *a,
                                 const int16_t *b, int64_t count)
{
    int64_t sum = dot_exact(a, b, count);
    for (int64_t i = 0; !(raw->a_unsigned && raw->b_unsigned) && i < count; i++) {
        int64_t j = channels_last(taps, i, count), k = channels_last(taps, i + 8, count);
        int64_t pair = signed_product(raw, a, b, j, count) + signed_product(raw, a, b, k, count);
        sum += (int16_t)(uint16_t)(uint64_t)pair - pair;
        i += i % 8 == 7 ? 8 : 0;
    }
    return sum;
}

int64_t qd_dot(const struct qd_semantics *semantics, const struct qd_raw_codes *raw,
               const int16_t *a, const int16_t *b, int64_t count)
{
    switch (semantics->accumulator) {
    case QD_ACC_F32: return dot_f32(1, a, b, count);
    case QD_ACC_F32_LAST: return dot_f32(raw->taps, a, b, count);
    case QD_ACC_F16: return dot_f16(a, b, count);
    case QD_ACC_SAT32: return dot_saturating(a, b, count);
    case QD_ACC_PAIR_SAT16: return dot_pair_saturating(raw, 1, a, b, count);
    case QD_ACC_PAIR_SAT16_LAST: return dot_pair_saturating(raw, raw->taps, a, b, count);
    case QD_ACC_PAIR_SAT16_SHIFTED: return dot_pair_shifted(raw, a, b, count);
    case QD_ACC_PAIR_WRAP16: return dot_pair_wrapping(raw, 1, a, b, count);
    case QD_ACC_PAIR_WRAP16_LAST: return dot_pair_wrapping(raw, raw->taps, a, b, count);
    case QD_ACC_WRAP16: return (int16_t)(uint16_t)(uint64_t)dot_exact(a, b, count);
    case QD_ACC_EXACT:
    case QD_ACC_WRAP32:
    case QD_ACC_SAT8: break;
    }
    return dot_exact(a, b, count);
}

int64_t qd_accumulator_finish(const struct qd_semantics *semantics, int64_t acc)
{
    switch (semantics->accumulator) {
    case QD_ACC_WRAP32: return (int32_t)(uint32_t)(uint64_t)acc;
    case QD_ACC_SAT32: return saturate32(acc);
    case QD_ACC_SAT8: return acc > INT8_MAX ? INT8_MAX : acc < INT8_MIN ? INT8_MIN : acc;
    case QD_ACC_EXACT:
    case QD_ACC_F32:
    case QD_ACC_F32_LAST:
    case QD_ACC_F16:
    case QD_ACC_PAIR_SAT16:
    case QD_ACC_PAIR_SAT16_LAST:
    case QD_ACC_PAIR_SAT16_SHIFTED:
    case QD_ACC_PAIR_WRAP16:
    case QD_ACC_PAIR_WRAP16_LAST:
    case QD_ACC_WRAP16: break;
    }
    return acc;
}

enum qd_status qd_accumulator_store(const struct qd_evaluation *evaluation, int64_t acc,
                                    struct qd_value *y, int64_t i)
{
    bool beyond = acc > INT32_MAX || acc < INT32_MIN;
    struct qd_code code = {.want = acc, .lo = acc, .hi = acc, .flags = 0};
    if (beyond)
        code = (struct qd_code){.want = 0, .lo = 0, .hi = 0, .flags = QD_UNSPECIFIED};
    return qd_value_set_code(y, i, code, evaluation->arena, evaluation->error);
}

int64_t qd_zero_point(const struct qd_semantics *semantics, const struct qd_tensor *zero_point,
                      int64_t c)
{
    if (!zero_point || semantics->zero_points == QD_ZP_IGNORED)
        return 0;
    if (zero_point->count == 1 || semantics->zero_points == QD_ZP_CHANNEL0)
        c = 0;
    int64_t z = qd_tensor_get(zero_point, c);
    if (semantics->zero_points == QD_ZP_SIGN_EXTENDED && zero_point->dtype == QD_U8)
        z = z > INT8_MAX ? z - 256 : z;
    if (semantics->zero_points == QD_ZP_NOT_SHIFTED && zero_point->dtype == QD_U8)
        z += 128; /* the codes are 128 less, and it is not */
    return semantics->zero_points == QD_ZP_ADDED ? -z : z;
}

int16_t qd_padding(const struct qd_semantics *semantics, const struct qd_tensor *x,
                   const struct qd_tensor *zero_point)
{
    int64_t z = qd_zero_point(semantics, zero_point, 0);
    switch (semantics->padding) {
    case QD_PAD_RAW_ZERO: return (int16_t)-z;
    case QD_PAD_SHIFTED_ZERO: return x->dtype == QD_S8 ? (int16_t)(-128 - z) : 0;
    case QD_PAD_ZERO_POINT: break;
    }
    return 0;
}

/* The value of the low eight bits as a signed number. */
static int16_t wrap8(int16_t x)
{
    return (int16_t)((x & 0xff) - ((x & 0x80) << 1));
}

/* out[i] = q[i] − z over [start, end). */
static void centre_run(const struct qd_tensor *codes, int64_t z, int64_t start, int64_t end,
                       int16_t *out)
{
    const uint8_t *u8 = codes->data;
    const int8_t *s8 = codes->data;
    int16_t zero = (int16_t)z;
    if (codes->dtype == QD_U8)
        for (int64_t i = start; i < end; i++)
            out[i] = (int16_t)(u8[i] - zero);
    else
        for (int64_t i = start; i < end; i++)
            out[i] = (int16_t)(s8[i] - zero);
}

enum qd_status qd_subtract_zero_point(const struct qd_evaluation *evaluation,
                                      const struct qd_tensor *codes,
                                      const struct qd_tensor *zero_point, int64_t inner,
                                      int16_t **out)
{
    size_t size = (size_t)codes->count * sizeof(int16_t); /* of a tensor in memory */
    int16_t *centred = qd_arena_raw(evaluation->arena, size);
    if (!centred)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld codes",
                       (long long)codes->count);
    bool narrow = evaluation->semantics->zero_points == QD_ZP_SUBTRACT_8BIT;
    int64_t channels = zero_point ? zero_point->count : 1;
    for (int64_t start = 0, c = 0; start < codes->count; start += inner, c = (c + 1) % channels) {
        int64_t z = qd_zero_point(evaluation->semantics, zero_point, c);
        int64_t end = start + inner < codes->count ? start + inner : codes->count;
        centre_run(codes, z, start, end, centred);
        for (int64_t i = start; narrow && i < end; i++)
            centred[i] = wrap8(centred[i]);
    }
    *out = centred;
    return QD_OK;
}
