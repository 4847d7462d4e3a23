/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/dtype.h"

#include "number/float_bits.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct qd_dtype_info infos[QD_DTYPE_COUNT] = {
    [QD_DTYPE_NONE] = {0, "none", "none", 0, QD_CLASS_NONE, 0, 0},
#define QD_DTYPE_ROW(NAME, number, word, name, bits, kind, min, max) \
    [QD_##NAME] = {number, word, name, bits, QD_CLASS_##kind, min, max},
    QD_DTYPE_LIST(QD_DTYPE_ROW)
#undef QD_DTYPE_ROW
};

/* exponent bits, fraction bits, bias, signed, Inf, NaN, IEEE top exponent, −0, largest, least
 * normal */
static const struct qd_float_format formats[QD_DTYPE_COUNT] = {
    [QD_F64] = {11, 52, 1023, true, true, true, true, true, 0x1.fffffffffffffp1023, 0x1p-1022},
    [QD_F32] = {8, 23, 127, true, true, true, true, true, 0x1.fffffep127, 0x1p-126},
    [QD_F16] = {5, 10, 15, true, true, true, true, true, 65504.0, 0x1p-14},
    [QD_BF16] = {8, 7, 127, true, true, true, true, true, 0x1.fep127, 0x1p-126},
    [QD_F8E4M3FN] = {4, 3, 7, true, false, true, false, true, 448.0, 0x1p-6},
    [QD_F8E4M3FNUZ] = {4, 3, 8, true, false, true, false, false, 240.0, 0x1p-7},
    [QD_F8E5M2] = {5, 2, 15, true, true, true, true, true, 57344.0, 0x1p-14},
    [QD_F8E5M2FNUZ] = {5, 2, 16, true, false, true, false, false, 57344.0, 0x1p-15},
    [QD_F4E2M1] = {2, 1, 1, true, false, false, false, true, 6.0, 1.0},
    [QD_F8E8M0] = {8, 0, 127, false, false, true, false, false, 0x1p127, 0x1p-127},
};

const struct qd_dtype_info *qd_dtype_info(enum qd_dtype dtype)
{
    return &infos[(unsigned)dtype < QD_DTYPE_COUNT ? dtype : QD_DTYPE_NONE];
}

const struct qd_float_format *qd_float_format(enum qd_dtype dtype)
{
    return qd_dtype_is_float(dtype) ? &formats[dtype] : NULL;
}

enum qd_dtype qd_dtype_of_onnx(int32_t number)
{
    for (int i = 1; i < QD_DTYPE_COUNT; i++)
        if (infos[i].onnx == number)
            return (enum qd_dtype)i;
    return QD_DTYPE_NONE;
}

enum qd_dtype qd_dtype_of_word(const char *word)
{
    for (int i = 1; i < QD_DTYPE_COUNT; i++)
        if (strcmp(infos[i].word, word) == 0 || strcmp(infos[i].name, word) == 0)
            return (enum qd_dtype)i;
    return QD_DTYPE_NONE;
}

bool qd_dtype_is_integer(enum qd_dtype dtype)
{
    enum qd_dtype_class kind = qd_dtype_info(dtype)->kind;
    return kind == QD_CLASS_UINT || kind == QD_CLASS_SINT;
}

bool qd_dtype_is_float(enum qd_dtype dtype)
{
    return qd_dtype_info(dtype)->kind == QD_CLASS_FLOAT;
}

bool qd_dtype_is_8bit_code(enum qd_dtype dtype)
{
    return dtype == QD_U8 || dtype == QD_S8;
}

int64_t qd_dtype_wrap(int64_t x, enum qd_dtype dtype)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    if (info->bits == 64)
        return x;
    uint64_t count = (uint64_t)1 << info->bits;
    int64_t low = (int64_t)((uint64_t)x & (count - 1));
    return low > info->max ? low - (int64_t)count : low;
}

uint64_t qd_dtype_bytes(enum qd_dtype dtype, uint64_t count)
{
    unsigned bits = qd_dtype_info(dtype)->bits;
    return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8;
}

/* The machine's own float32, for speed: the general code gives the same (test
 * machine_formats_agree). */
static double decode_f32(uint64_t code)
{
    uint32_t bits = (uint32_t)code;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static double decode_f64(uint64_t code)
{
    double x;
    memcpy(&x, &code, sizeof x);
    return x;
}

/* A finite float16 has the fields of a float32 whose exponent is 112 less, subnormal ones too. */
static double decode_finite_f16(uint64_t code)
{
    double magnitude = decode_f32((code & 0x7fff) << 13) * 0x1p112;
    return code & 0x8000 ? -magnitude : magnitude;
}

double qd_float_decode(enum qd_dtype dtype, uint64_t code)
{
    if (dtype == QD_F32)
        return decode_f32(code);
    if (dtype == QD_F16 && (code & 0x7c00) != 0x7c00)
        return decode_finite_f16(code);
    if (dtype == QD_BF16)
        return decode_f32(code << 16);
    if (dtype == QD_F64)
        return decode_f64(code);
    const struct qd_float_format *f = &formats[dtype];
    uint64_t fraction_mask = ((uint64_t)1 << f->fraction_bits) - 1;
    uint64_t exponent_mask = ((uint64_t)1 << f->exponent_bits) - 1;
    uint64_t fraction = code & fraction_mask;
    int exponent = (int)((code >> f->fraction_bits) & exponent_mask);
    bool negative = f->is_signed && (code >> (f->fraction_bits + f->exponent_bits)) & 1;

    if (dtype == QD_F8E8M0)
        return exponent == 255 ? (double)NAN : ldexp(1.0, exponent - f->bias);
    if (!f->negative_zero && negative && exponent == 0 && fraction == 0)
        return (double)NAN;
    bool top = (uint64_t)exponent == exponent_mask;
    if (top && f->ieee_top)
        return fraction ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    if (dtype == QD_F8E4M3FN && top && fraction == fraction_mask)
        return (double)NAN;
    double significand = (double)(exponent ? fraction | (fraction_mask + 1) : fraction);
    double magnitude =
        qd_scale(significand, (exponent ? exponent : 1) - f->bias - (int)f->fraction_bits);
    return negative ? -magnitude : magnitude;
}

/* The grid step (ulp) of the format at magnitude a > 0: 2^(max(exponent of a, least exponent) −
 * fraction bits). */
static int grid_exponent(const struct qd_float_format *f, double a)
{
    int exponent = qd_exponent(a), least = qd_exponent(f->least_normal);
    return (exponent > least ? exponent : least) - (int)f->fraction_bits;
}

static double beyond_largest(const struct qd_float_format *f, enum qd_direction direction, double a,
                             bool negative, double rounded)
{
    bool towards_zero =
        negative ? direction == QD_TO_PLUS_INFINITY : direction == QD_TO_MINUS_INFINITY;
    if (rounded <= f->largest)
        return rounded;
    if (direction == QD_NEAREST_EVEN || !towards_zero || isinf(a))
        return (double)INFINITY;
    return f->largest;
}

static double round_f32(enum qd_direction direction, double x)
{
    if (direction == QD_TO_MINUS_INFINITY)
        return qd_down_f32(x);
    return direction == QD_TO_PLUS_INFINITY ? qd_up_f32(x) : (double)(float)x;
}

double qd_float_round(enum qd_dtype dtype, enum qd_direction direction, double x)
{
    const struct qd_float_format *f = &formats[dtype];
    if (isnan(x) || x == 0 || isinf(x) || dtype == QD_F64)
        return x;
    if (dtype == QD_F32)
        return round_f32(direction, x);
    bool negative = x < 0;
    double a = fabs(x);
    /* a is below 2^12 units, so that adding 2^52 of them and taking them away again rounds it to a
     * whole number of units. */
    double unit = qd_scale(1, grid_exponent(f, a));
    double rounded = a + 0x1p52 * unit - 0x1p52 * unit;
    if (direction != QD_NEAREST_EVEN) {
        bool up = (direction == QD_TO_PLUS_INFINITY) != negative;
        if (up && rounded < a)
            rounded += unit;
        else if (!up && rounded > a)
            rounded -= unit;
    }
    double magnitude = beyond_largest(f, direction, a, negative, rounded);
    return negative ? -magnitude : magnitude;
}

static uint64_t nan_code(enum qd_dtype dtype)
{
    const struct qd_float_format *f = &formats[dtype];
    if (dtype == QD_F4E2M1)
        return 7; /* no NaN in the type: ONNX's cast gives the largest value */
    if (!f->negative_zero && f->is_signed)
        return (uint64_t)1 << (f->fraction_bits + f->exponent_bits);
    uint64_t exponent = (((uint64_t)1 << f->exponent_bits) - 1) << f->fraction_bits;
    if (dtype == QD_F8E4M3FN)
        return exponent | 7;
    if (dtype == QD_F8E8M0)
        return 255;
    return dtype == QD_F8E5M2 ? exponent | 3 : exponent | (uint64_t)1 << (f->fraction_bits - 1);
}

static uint64_t finite_code(enum qd_dtype dtype, double a)
{
    const struct qd_float_format *f = &formats[dtype];
    if (a == 0)
        return 0;
    if (dtype == QD_F8E8M0) {
        return (uint64_t)(qd_exponent(a) + f->bias);
    }
    int grid = grid_exponent(f, a);
    uint64_t significand = (uint64_t)qd_scale(a, -grid);
    uint64_t implicit = (uint64_t)1 << f->fraction_bits;
    if (significand < implicit)
        return significand;
    uint64_t exponent = (uint64_t)(grid + (int)f->fraction_bits + f->bias);
    return exponent << f->fraction_bits | (significand - implicit);
}

uint64_t qd_float_encode(enum qd_dtype dtype, double x, bool saturate)
{
    const struct qd_float_format *f = &formats[dtype];
    if (isnan(x))
        return nan_code(dtype);
    if (dtype == QD_F32 && fabs(x) <= f->largest) {
        float single = (float)x;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    uint64_t sign =
        signbit(x) && f->is_signed ? (uint64_t)1 << (f->fraction_bits + f->exponent_bits) : 0;
    double a = fabs(x);
    if (a > f->largest) {
        if (saturate || dtype == QD_F4E2M1)
            return sign | finite_code(dtype, f->largest);
        if (!f->has_inf)
            return nan_code(dtype);
        return sign | (((uint64_t)1 << f->exponent_bits) - 1) << f->fraction_bits;
    }
    if (a == 0 && !f->negative_zero)
        return 0;
    return sign | finite_code(dtype, a);
}
