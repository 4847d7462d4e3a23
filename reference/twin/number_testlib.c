/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the twin: floats by their fields, roundings by integer division. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "twin/twin.h"

/* How the codes of a float type above the finite values are used. */
enum top {
    TOP_IEEE, /* the all-ones exponent is Inf (fraction 0) or NaN */
    TOP_FN,   /* the one code with all ones is NaN, no infinity */
    TOP_FNUZ, /* only the code of −0 is NaN */
    TOP_FULL  /* every code is finite */
};

/* Sources: IEEE 754 (f16, f32, f64); bfloat16 is float32's upper half; ONNX "Float stored in 8
 * bits" and "4 bit types". The largest finite value is largest·2^exponent. */
struct format {
    enum qd_dtype dtype;
    unsigned exponent_bits, fraction_bits;
    long bias;
    enum top top;
    unsigned long largest;
    long exponent;
};

static const struct format formats[] = {
    {QD_F16, 5, 10, 15, TOP_IEEE, 0x7ff, 5},
    {QD_BF16, 8, 7, 127, TOP_IEEE, 0xff, 120},
    {QD_F32, 8, 23, 127, TOP_IEEE, 0xffffff, 104},
    {QD_F64, 11, 52, 1023, TOP_IEEE, 0x1fffffffffffff, 971},
    {QD_F8E4M3FN, 4, 3, 7, TOP_FN, 448, 0},
    {QD_F8E4M3FNUZ, 4, 3, 8, TOP_FNUZ, 240, 0},
    {QD_F8E5M2, 5, 2, 15, TOP_IEEE, 57344, 0},
    {QD_F8E5M2FNUZ, 5, 2, 16, TOP_FNUZ, 57344, 0},
    {QD_F4E2M1, 2, 1, 1, TOP_FULL, 6, 0},
};

static const struct format *format_of(enum qd_dtype dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    abort();
}

/* Integer types: bits and signedness. */
struct integer_format {
    enum qd_dtype dtype;
    unsigned bits;
    bool is_signed;
};

static const struct integer_format integers[] = {
    {QD_U2, 2, false},  {QD_S2, 2, true},   {QD_U4, 4, false},   {QD_S4, 4, true},
    {QD_U8, 8, false},  {QD_S8, 8, true},   {QD_U16, 16, false}, {QD_S16, 16, true},
    {QD_S32, 32, true}, {QD_S64, 64, true}, {QD_BOOL, 8, false},
};

static const struct integer_format *integer_of(enum qd_dtype dtype)
{
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (integers[i].dtype == dtype)
            return &integers[i];
    return NULL;
}

int64_t twin_code_min(enum qd_dtype dtype)
{
    const struct integer_format *format = integer_of(dtype);
    assert(format && format->bits < 64);
    return format->is_signed ? -((int64_t)1 << (format->bits - 1)) : 0;
}

int64_t twin_code_max(enum qd_dtype dtype)
{
    const struct integer_format *format = integer_of(dtype);
    assert(format && format->bits < 64);
    return ((int64_t)1 << (format->is_signed ? format->bits - 1 : format->bits)) - 1;
}

void twin_number_init(struct twin_number *number)
{
    number->kind = TWIN_FINITE;
    mpq_init(number->q);
}

void twin_number_clear(struct twin_number *number)
{
    mpq_clear(number->q);
}

void twin_number_set(struct twin_number *number, const struct twin_number *from)
{
    number->kind = from->kind;
    mpq_set(number->q, from->q);
}

int twin_number_compare(const struct twin_number *a, const struct twin_number *b)
{
    assert(a->kind != TWIN_NAN && b->kind != TWIN_NAN);
    if (a->kind == TWIN_FINITE && b->kind == TWIN_FINITE)
        return mpq_cmp(a->q, b->q);
    int rank_a = a->kind == TWIN_PLUS_INF ? 1 : a->kind == TWIN_MINUS_INF ? -1 : 0;
    int rank_b = b->kind == TWIN_PLUS_INF ? 1 : b->kind == TWIN_MINUS_INF ? -1 : 0;
    return rank_a - rank_b;
}

bool twin_number_equal(const struct twin_number *a, const struct twin_number *b)
{
    if (a->kind == TWIN_NAN || b->kind == TWIN_NAN)
        return a->kind == b->kind;
    return twin_number_compare(a, b) == 0;
}

/* q ·= 2^exponent */
static void scale_by_power(mpq_t q, long exponent)
{
    if (exponent >= 0)
        mpq_mul_2exp(q, q, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(q, q, (mp_bitcnt_t)-exponent);
}

/* Inf and NaN codes of the format. */
static bool decode_special(const struct format *format, bool negative, uint64_t exponent,
                           uint64_t fraction, struct twin_number *number)
{
    uint64_t ones = ((uint64_t)1 << format->exponent_bits) - 1;
    uint64_t fraction_ones = ((uint64_t)1 << format->fraction_bits) - 1;
    if (format->top == TOP_IEEE && exponent == ones) {
        number->kind = fraction != 0 ? TWIN_NAN : negative ? TWIN_MINUS_INF : TWIN_PLUS_INF;
        return true;
    }
    bool nan = (format->top == TOP_FN && exponent == ones && fraction == fraction_ones) ||
               (format->top == TOP_FNUZ && negative && exponent == 0 && fraction == 0);
    if (nan)
        number->kind = TWIN_NAN;
    return nan;
}

static void decode_float(const struct format *format, uint64_t bits, struct twin_number *number)
{
    uint64_t fraction = bits & (((uint64_t)1 << format->fraction_bits) - 1);
    uint64_t exponent =
        (bits >> format->fraction_bits) & (((uint64_t)1 << format->exponent_bits) - 1);
    bool negative = (bits >> (format->fraction_bits + format->exponent_bits)) & 1;
    if (decode_special(format, negative, exponent, fraction, number))
        return;
    uint64_t mantissa = exponent == 0 ? fraction : fraction | (uint64_t)1 << format->fraction_bits;
    long power = (exponent == 0 ? 1 : (long)exponent) - format->bias - (long)format->fraction_bits;
    number->kind = TWIN_FINITE;
    mpq_set_ui(number->q, mantissa, 1);
    scale_by_power(number->q, power);
    if (negative)
        mpq_neg(number->q, number->q);
}

/* f8e8m0 is 2^(code − 127); 255 is NaN. */
static void decode_power(uint64_t bits, struct twin_number *number)
{
    number->kind = bits == 255 ? TWIN_NAN : TWIN_FINITE;
    mpq_set_ui(number->q, 1, 1);
    scale_by_power(number->q, (long)bits - 127);
}

void twin_decode(enum qd_dtype dtype, uint64_t bits, struct twin_number *number)
{
    const struct integer_format *integer = integer_of(dtype);
    if (dtype == QD_F8E8M0) {
        decode_power(bits & 0xff, number);
    } else if (!integer) {
        decode_float(format_of(dtype), bits, number);
    } else {
        unsigned unused = 64 - integer->bits;
        int64_t code = integer->is_signed ? (int64_t)(bits << unused) >> unused
                                          : (int64_t)(bits << unused >> unused);
        number->kind = TWIN_FINITE;
        mpq_set_si(number->q, code, 1);
    }
}

static unsigned bits_of(enum qd_dtype dtype)
{
    const struct integer_format *integer = integer_of(dtype);
    if (integer)
        return integer->bits;
    if (dtype == QD_F8E8M0)
        return 8;
    return 1 + format_of(dtype)->exponent_bits + format_of(dtype)->fraction_bits;
}

static uint64_t read_bits(const struct qd_tensor *tensor, int64_t i)
{
    assert(i >= 0 && i < tensor->count);
    const unsigned char *bytes = tensor->data;
    unsigned bits = bits_of(tensor->dtype);
    if (bits < 8) {
        int64_t per_byte = 8 / bits;
        return bytes[i / per_byte] >> (i % per_byte * bits) & ((1U << bits) - 1);
    }
    uint64_t value = 0;
    for (unsigned byte = 0; byte < bits / 8; byte++)
        value |= (uint64_t)bytes[i * (bits / 8) + byte] << (8 * byte);
    return value;
}

void twin_put(const struct qd_tensor *tensor, int64_t i, uint64_t bits)
{
    assert(i >= 0 && i < tensor->count);
    unsigned char *bytes = tensor->data;
    unsigned width = bits_of(tensor->dtype);
    if (width < 8) {
        int64_t per_byte = 8 / width;
        unsigned shift = (unsigned)(i % per_byte) * width, mask = ((1U << width) - 1) << shift;
        bytes[i / per_byte] =
            (unsigned char)((bytes[i / per_byte] & ~mask) | ((unsigned)bits << shift & mask));
        return;
    }
    for (unsigned byte = 0; byte < width / 8; byte++)
        bytes[i * (width / 8) + byte] = (unsigned char)(bits >> (8 * byte));
}

void twin_element_of(const struct qd_tensor *tensor, int64_t i, struct twin_number *number)
{
    twin_decode(tensor->dtype, read_bits(tensor, i), number);
}

int64_t twin_integer_of(const struct qd_tensor *tensor, int64_t i)
{
    assert(integer_of(tensor->dtype));
    struct twin_number number;
    twin_number_init(&number);
    twin_element_of(tensor, i, &number);
    int64_t value = mpz_get_si(mpq_numref(number.q));
    twin_number_clear(&number);
    return value;
}

/* ⌊log2 |q|⌋ for q ≠ 0. */
static long floor_log2(const mpq_t q)
{
    long guess = (long)mpz_sizeinbase(mpq_numref(q), 2) - (long)mpz_sizeinbase(mpq_denref(q), 2);
    mpq_t rest;
    mpq_init(rest);
    mpq_abs(rest, q);
    scale_by_power(rest, -guess); /* in (½, 2) */
    if (mpq_cmp_ui(rest, 1, 1) < 0)
        guess--;
    mpq_clear(rest);
    return guess;
}

static void round_direction(mpz_t out, const mpq_t in, enum twin_direction direction)
{
    if (direction == TWIN_NEAREST)
        twin_round_integer(out, in);
    else if (direction == TWIN_DOWN)
        mpz_fdiv_q(out, mpq_numref(in), mpq_denref(in));
    else
        mpz_cdiv_q(out, mpq_numref(in), mpq_denref(in));
}

/* Size of a rounded value, the exact value having been non-zero. */
static enum twin_size size_of(const struct format *format, const mpq_t rounded)
{
    mpq_t magnitude, bound;
    mpq_inits(magnitude, bound, NULL);
    mpq_abs(magnitude, rounded);
    mpq_set_ui(bound, format->largest, 1);
    scale_by_power(bound, format->exponent);
    enum twin_size size = mpq_cmp(magnitude, bound) > 0 ? TWIN_HUGE : TWIN_ORDINARY;
    mpq_set_ui(bound, 1, 1);
    scale_by_power(bound, 1 - format->bias);
    if (mpq_cmp(magnitude, bound) < 0)
        size = TWIN_TINY;
    mpq_clears(magnitude, bound, NULL);
    return size;
}

enum twin_size twin_round(enum qd_dtype dtype, enum twin_direction direction, mpq_t out,
                          const mpq_t in)
{
    const struct format *format = format_of(dtype);
    if (mpq_sgn(in) == 0) {
        mpq_set_ui(out, 0, 1);
        return TWIN_ORDINARY;
    }
    long exponent = floor_log2(in);
    if (exponent < 1 - format->bias)
        exponent = 1 - format->bias;
    long quantum = exponent - (long)format->fraction_bits;
    mpz_t multiple;
    mpz_init(multiple);
    mpq_set(out, in);
    scale_by_power(out, -quantum);
    round_direction(multiple, out, direction);
    mpq_set_z(out, multiple);
    scale_by_power(out, quantum);
    mpz_clear(multiple);
    return size_of(format, out);
}

uint64_t twin_encode(enum qd_dtype dtype, const mpq_t q)
{
    const struct format *format = format_of(dtype);
    mpq_t value;
    mpq_init(value);
    enum twin_size size = twin_round(dtype, TWIN_NEAREST, value, q);
    assert(size != TWIN_HUGE);
    bool negative = mpq_sgn(value) < 0, normal = size == TWIN_ORDINARY && mpq_sgn(value) != 0;
    mpq_abs(value, value);
    long exponent = normal ? floor_log2(value) : 1 - format->bias;
    scale_by_power(value, (long)format->fraction_bits - exponent);
    uint64_t bits = mpz_get_ui(mpq_numref(value)); /* an integer, the leading one included */
    if (normal) /* the leading one falls on the exponent's lowest bit */
        bits += (uint64_t)(exponent + format->bias - 1) << format->fraction_bits;
    mpq_clear(value);
    return bits | (uint64_t)negative << (format->fraction_bits + format->exponent_bits);
}

void twin_round_number(enum qd_dtype dtype, struct twin_number *out, const struct twin_number *in)
{
    out->kind = in->kind;
    if (in->kind != TWIN_FINITE)
        return;
    if (twin_round(dtype, TWIN_NEAREST, out->q, in->q) == TWIN_HUGE)
        out->kind = mpq_sgn(out->q) > 0 ? TWIN_PLUS_INF : TWIN_MINUS_INF;
}

void twin_round_integer(mpz_t out, const mpq_t in)
{
    /* ⌊in + ½⌋, one less where in + ½ is itself an odd integer. */
    mpq_t raised;
    mpq_init(raised);
    mpq_set_ui(raised, 1, 2);
    mpq_add(raised, raised, in);
    mpz_fdiv_q(out, mpq_numref(raised), mpq_denref(raised));
    bool tie = mpz_cmp_ui(mpq_denref(raised), 1) == 0;
    if (tie && mpz_odd_p(out))
        mpz_sub_ui(out, out, 1);
    mpq_clear(raised);
}

int64_t twin_code(enum qd_dtype dtype, const mpq_t real, int64_t zero_point)
{
    mpz_t sum, bound;
    mpz_inits(sum, bound, NULL);
    twin_round_integer(sum, real);
    mpz_set_si(bound, zero_point);
    mpz_add(sum, sum, bound);
    int64_t code = mpz_cmp_si(sum, twin_code_min(dtype)) < 0   ? twin_code_min(dtype)
                   : mpz_cmp_si(sum, twin_code_max(dtype)) > 0 ? twin_code_max(dtype)
                                                               : mpz_get_si(sum);
    mpz_clears(sum, bound, NULL);
    return code;
}

void twin_result_init(struct twin_result *result, enum qd_dtype dtype, unsigned rank,
                      const int64_t *dims)
{
    assert(rank <= QD_MAX_RANK);
    result->dtype = dtype;
    result->rank = rank;
    result->count = 1;
    for (unsigned axis = 0; axis < rank; axis++) {
        result->dims[axis] = dims[axis];
        result->count *= dims[axis];
    }
    result->elements = calloc((size_t)result->count + 1, sizeof *result->elements);
    assert(result->elements);
    for (int64_t i = 0; i < result->count; i++) {
        twin_number_init(&result->elements[i].want);
        twin_number_init(&result->elements[i].lo);
        twin_number_init(&result->elements[i].hi);
    }
}

void twin_result_clear(struct twin_result *result)
{
    for (int64_t i = 0; i < result->count; i++) {
        twin_number_clear(&result->elements[i].want);
        twin_number_clear(&result->elements[i].lo);
        twin_number_clear(&result->elements[i].hi);
    }
    free(result->elements);
    result->elements = NULL;
    result->count = 0;
}
