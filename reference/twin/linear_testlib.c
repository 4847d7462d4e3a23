/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's QuantizeLinear and DequantizeLinear, opsets 10 to 25. */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

static int64_t attribute(const struct qd_node *node, const char *name, int64_t otherwise)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return node->attrs[i].i;
    return otherwise;
}

/* TensorProto.DataType numbers that the attributes `precision` and `output_dtype` may hold. */
static enum qd_dtype dtype_of(int64_t onnx)
{
    static const enum qd_dtype of[] = {
        [1] = QD_F32,         [2] = QD_U8,      [3] = QD_S8,          [4] = QD_U16,
        [5] = QD_S16,         [10] = QD_F16,    [16] = QD_BF16,       [17] = QD_F8E4M3FN,
        [18] = QD_F8E4M3FNUZ, [19] = QD_F8E5M2, [20] = QD_F8E5M2FNUZ, [21] = QD_U4,
        [22] = QD_S4,         [23] = QD_F4E2M1, [25] = QD_U2,         [26] = QD_S2};
    assert(onnx > 0 && onnx < (int64_t)(sizeof of / sizeof of[0]) && of[onnx] != QD_DTYPE_NONE);
    return of[onnx];
}

/* Which scale belongs to element i of x: the only one; else by the coordinate on `axis`; else by
 * the block. */
static int64_t scale_index(const struct qd_node *node, const struct qd_tensor *x,
                           const struct qd_tensor *scale, int64_t i)
{
    int64_t block = attribute(node, "block_size", 0);
    if (scale->rank == 0 || (scale->count == 1 && block == 0))
        return 0;
    int64_t axis = attribute(node, "axis", 1);
    axis = axis < 0 ? axis + x->rank : axis;
    if (x->rank == 1)
        axis = 0; /* "When the rank of the input is 1, … the axis [is] unnecessary" */
    int64_t at[QD_MAX_RANK] = {0}, rest = i;
    for (unsigned a = x->rank; a-- > 0;) {
        at[a] = rest % x->dims[a];
        rest /= x->dims[a];
    }
    if (block == 0)
        return at[axis];
    int64_t index = 0;
    for (unsigned a = 0; a < x->rank; a++)
        index = index * scale->dims[a] + (a == axis ? at[a] / block : at[a]);
    return index;
}

static bool is_zero(const struct twin_number *number)
{
    return number->kind == TWIN_FINITE && mpq_sgn(number->q) == 0;
}

/* Flips an infinity under a negative scale. */
static enum twin_kind times_sign(enum twin_kind infinity, const mpq_t scale)
{
    if (mpq_sgn(scale) > 0)
        return infinity;
    return infinity == TWIN_PLUS_INF ? TWIN_MINUS_INF : TWIN_PLUS_INF;
}

static enum qd_dtype division_type(const struct qd_node *node, const struct qd_tensor *x,
                                   const struct qd_tensor *scale)
{
    if (node->opset < 19)
        return QD_F32;
    if (node->opset < 23)
        return x->dtype; /* x and y_scale share type variable T1 */
    int64_t precision = attribute(node, "precision", 0);
    return precision ? dtype_of(precision) : scale->dtype;
}

/* A code for a quotient that may be infinite. */
static int64_t saturated(enum qd_dtype dtype, const struct twin_number *quotient,
                         int64_t zero_point)
{
    if (quotient->kind == TWIN_PLUS_INF)
        return twin_code_max(dtype);
    if (quotient->kind == TWIN_MINUS_INF)
        return twin_code_min(dtype);
    return twin_code(dtype, quotient->q, zero_point);
}

/* Widens the hull by the code of the quotient rounded in a float type. */
static void admit_rounded(enum qd_dtype dtype, enum qd_dtype type,
                          const struct twin_number *quotient, int64_t zero_point,
                          struct twin_element *out)
{
    struct twin_number rounded;
    twin_number_init(&rounded);
    rounded.kind = quotient->kind;
    twin_round_number(type, &rounded, quotient);
    twin_add_code(out, saturated(dtype, &rounded, zero_point));
    twin_number_clear(&rounded);
}

/* Canonical from the exact quotient; the other admissible codes from the quotient rounded in the
 * division type, or computed in float32 for a 16-bit one. With `precise`, the attribute
 * precision, only the division type's. */
static void to_integer(enum qd_dtype dtype, enum qd_dtype division, bool precise,
                       const struct twin_number *quotient, int64_t zero_point,
                       struct twin_element *out)
{
    struct twin_number rounded;
    twin_number_init(&rounded);
    twin_round_number(division, &rounded, quotient);
    int64_t want = saturated(dtype, precise ? &rounded : quotient, zero_point);
    twin_number_clear(&rounded);
    mpq_set_si(out->want.q, want, 1);
    out->code_count = 0;
    twin_add_code(out, want);
    admit_rounded(dtype, division, quotient, zero_point, out);
    if (!precise)
        admit_rounded(dtype, QD_F32, quotient, zero_point, out);
}

static int64_t largest_of(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_F8E4M3FN: return 448;
    case QD_F8E4M3FNUZ: return 240;
    case QD_F4E2M1: return 6;
    default: assert(dtype == QD_F8E5M2 || dtype == QD_F8E5M2FNUZ); return 57344;
    }
}

/* What lies beyond the largest finite value becomes, by ONNX Cast's table. float4 has neither Inf
 * nor NaN and always saturates. */
static void overflow_to_float(enum qd_dtype dtype, bool saturate, bool negative,
                              struct twin_number *out)
{
    if (dtype == QD_F4E2M1 || saturate) {
        out->kind = TWIN_FINITE;
        mpq_set_si(out->q, negative ? -largest_of(dtype) : largest_of(dtype), 1);
    } else if (dtype == QD_F8E5M2) {
        out->kind = negative ? TWIN_MINUS_INF : TWIN_PLUS_INF;
    } else {
        out->kind = TWIN_NAN;
    }
}

/* Saturating an infinity to an FNUZ type: before opset 24 Cast's table said NaN and ONNX's own
 * implementation gave the largest value (onnx #6220, #7085); QuantizeLinear has no table. */
static bool texts_contradict(const struct qd_node *node, enum qd_dtype dtype, bool saturate,
                             bool infinite)
{
    return infinite && saturate && node->opset < 24 &&
           (dtype == QD_F8E4M3FNUZ || dtype == QD_F8E5M2FNUZ);
}

/* A number rounded once to the target's grid. */
static void onto_grid(enum qd_dtype dtype, bool saturate, const struct twin_number *number,
                      struct twin_number *out)
{
    bool infinite = number->kind == TWIN_PLUS_INF || number->kind == TWIN_MINUS_INF;
    bool negative = infinite ? number->kind == TWIN_MINUS_INF : mpq_sgn(number->q) < 0;
    out->kind = number->kind;
    if (infinite || (number->kind == TWIN_FINITE &&
                     twin_round(dtype, TWIN_NEAREST, out->q, number->q) == TWIN_HUGE))
        overflow_to_float(dtype, saturate, negative, out);
}

/* The exact quotient rounded to the target's grid, or, with `precision` always, rounded in the
 * division type first. Where only one of the two is a finite number nothing is defined. */
static void to_float(const struct qd_node *node, enum qd_dtype dtype, enum qd_dtype division,
                     bool precise, const struct twin_number *quotient, struct twin_element *out)
{
    bool saturate = attribute(node, "saturate", 1) != 0;
    struct twin_number rounded, other;
    twin_number_init(&rounded);
    twin_number_init(&other);
    twin_round_number(division, &rounded, quotient);
    onto_grid(dtype, saturate, precise ? &rounded : quotient, &out->want);
    onto_grid(dtype, saturate, &rounded, &other);
    twin_number_set(&out->lo, &out->want);
    twin_number_set(&out->hi, &out->want);
    bool both = out->want.kind == TWIN_FINITE && other.kind == TWIN_FINITE;
    if (both && mpq_cmp(other.q, out->lo.q) < 0)
        twin_number_set(&out->lo, &other);
    if (both && mpq_cmp(other.q, out->hi.q) > 0)
        twin_number_set(&out->hi, &other);
    bool infinite = rounded.kind == TWIN_PLUS_INF || rounded.kind == TWIN_MINUS_INF;
    out->unspecified = texts_contradict(node, dtype, saturate, infinite) ||
                       out->want.kind != other.kind ||
                       (dtype == QD_F4E2M1 && rounded.kind == TWIN_NAN); /* it has no NaN */
    twin_number_clear(&rounded);
    twin_number_clear(&other);
}

/* x/s of numbers of the division type. False where the specification defines nothing: s is 0, NaN
 * or infinite. */
static bool divide(struct twin_number *quotient, const struct twin_number *x,
                   const struct twin_number *s)
{
    if (s->kind != TWIN_FINITE || is_zero(s))
        return false;
    quotient->kind = x->kind;
    if (x->kind == TWIN_FINITE)
        mpq_div(quotient->q, x->q, s->q);
    else if (x->kind != TWIN_NAN)
        quotient->kind = times_sign(x->kind, s->q);
    return true;
}

static bool has_codes(enum qd_dtype dtype)
{
    return dtype == QD_U8 || dtype == QD_S8 || dtype == QD_U16 || dtype == QD_S16 ||
           dtype == QD_U4 || dtype == QD_S4 || dtype == QD_U2 || dtype == QD_S2;
}

/* Inputs: x, y_scale, y_zero_point. */
void twin_quantize_linear(const struct qd_node *node, const struct qd_tensor *const *in,
                          struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *scale = in[1], *zero_point = in[2];
    int64_t output = attribute(node, "output_dtype", 0);
    enum qd_dtype dtype = zero_point ? zero_point->dtype : output ? dtype_of(output) : QD_U8;
    enum qd_dtype division = division_type(node, x, scale);
    bool precise = node->opset >= 23 && attribute(node, "precision", 0) != 0;
    struct twin_number value, s, quotient;
    twin_number_init(&value);
    twin_number_init(&s);
    twin_number_init(&quotient);
    twin_result_init(out, dtype, x->rank, x->dims);
    for (int64_t i = 0; i < x->count; i++) {
        struct twin_element *element = &out->elements[i];
        int64_t at = scale_index(node, x, scale, i);
        twin_element_of(x, i, &value);
        twin_round_number(division, &value, &value);
        twin_element_of(scale, at, &s);
        twin_round_number(division, &s, &s);
        element->unspecified = !divide(&quotient, &value, &s);
        if (element->unspecified)
            continue;
        if (!has_codes(dtype))
            to_float(node, dtype, division, precise, &quotient, element);
        else if (quotient.kind != TWIN_NAN)
            to_integer(dtype, division, precise, &quotient,
                       zero_point ? twin_integer_of(zero_point, at) : 0, element);
        else
            element->unspecified = true;
    }
    twin_number_clear(&value);
    twin_number_clear(&s);
    twin_number_clear(&quotient);
}

/* out = RN_type(a·b) for finite b. */
static void multiply(enum qd_dtype type, struct twin_number *out, const struct twin_number *a,
                     const mpq_t b)
{
    out->kind = a->kind;
    if (a->kind == TWIN_FINITE)
        mpq_mul(out->q, a->q, b);
    else if (a->kind != TWIN_NAN)
        out->kind = mpq_sgn(b) == 0 ? TWIN_NAN : times_sign(a->kind, b);
    twin_round_number(type, out, out);
}

/* Widens the hull by RN(d·s), unless an operand over- or underflowed when it was rounded. */
static void admit(enum qd_dtype type, const mpq_t d, enum twin_size d_size, const mpq_t s,
                  enum twin_size s_size, struct twin_element *out)
{
    if (d_size != TWIN_ORDINARY || s_size != TWIN_ORDINARY) {
        out->extreme = true;
        return;
    }
    struct twin_number product;
    twin_number_init(&product);
    mpq_mul(product.q, d, s);
    twin_round_number(type, &product, &product);
    if (twin_number_compare(&product, &out->lo) < 0)
        twin_number_set(&out->lo, &product);
    if (twin_number_compare(&product, &out->hi) > 0)
        twin_number_set(&out->hi, &product);
    twin_number_clear(&product);
}

/* Widens the hull of a 16-bit type by what a kernel that computes in float32 gives: d, the product
 * and the result rounded in turn. */
static void admit_float32(enum qd_dtype type, const mpq_t d, const mpq_t s,
                          struct twin_element *out)
{
    mpq_t single;
    struct twin_number product;
    mpq_init(single);
    twin_number_init(&product);
    twin_round(QD_F32, TWIN_NEAREST, single, d);
    mpq_mul(product.q, single, s);
    twin_round_number(QD_F32, &product, &product);
    twin_round_number(type, &product, &product);
    if (twin_number_compare(&product, &out->lo) < 0)
        twin_number_set(&out->lo, &product);
    if (twin_number_compare(&product, &out->hi) > 0)
        twin_number_set(&out->hi, &product);
    twin_number_clear(&product);
    mpq_clear(single);
}

/* A difference d with each operand as it is, or rounded to the type first. */
static void dequantize_finite(enum qd_dtype type, const mpq_t d, const mpq_t s,
                              struct twin_element *out)
{
    mpq_t rounded_d, rounded_s;
    mpq_inits(rounded_d, rounded_s, NULL);
    enum twin_size d_size = twin_round(type, TWIN_NEAREST, rounded_d, d);
    enum twin_size s_size = twin_round(type, TWIN_NEAREST, rounded_s, s);
    bool d_rounds = d_size == TWIN_HUGE || !mpq_equal(rounded_d, d);
    bool s_rounds = s_size == TWIN_HUGE || !mpq_equal(rounded_s, s);
    if (d_rounds)
        admit(type, rounded_d, d_size, s, TWIN_ORDINARY, out);
    if (s_rounds)
        admit(type, d, TWIN_ORDINARY, rounded_s, s_size, out);
    if (d_rounds && s_rounds)
        admit(type, rounded_d, d_size, rounded_s, s_size, out);
    bool d_zero = mpq_sgn(d) == 0, s_zero = mpq_sgn(s) == 0;
    bool d_may = d_zero || (d_size != TWIN_HUGE && mpq_sgn(rounded_d) == 0);
    bool s_may = s_zero || (s_size != TWIN_HUGE && mpq_sgn(rounded_s) == 0);
    out->nan_too = (d_size == TWIN_HUGE && s_may) || (s_size == TWIN_HUGE && d_may);
    if (type != QD_F32)
        admit_float32(type, d, s, out);
    mpq_clears(rounded_d, rounded_s, NULL);
}

/* An infinite difference times a scale that was rounded first. */
static void dequantize_infinite(enum qd_dtype type, const mpq_t s, struct twin_element *out)
{
    mpq_t rounded;
    mpq_init(rounded);
    enum twin_size size = twin_round(type, TWIN_NEAREST, rounded, s);
    out->extreme = size == TWIN_HUGE || (size != TWIN_ORDINARY && !mpq_equal(rounded, s));
    out->nan_too = size != TWIN_HUGE && mpq_sgn(rounded) == 0 && mpq_sgn(s) != 0;
    mpq_clear(rounded);
}

/* RN(d·s) is canonical. Where d or s is no value of the type, one or both may have been rounded to
 * it first; where that leaves 0 times an infinity, the element may be a NaN. */
static void dequantize(enum qd_dtype type, const struct twin_number *difference, const mpq_t s,
                       struct twin_element *out)
{
    multiply(type, &out->want, difference, s);
    twin_number_set(&out->lo, &out->want);
    twin_number_set(&out->hi, &out->want);
    if (difference->kind == TWIN_FINITE)
        dequantize_finite(type, difference->q, s, out);
    else if (difference->kind != TWIN_NAN)
        dequantize_infinite(type, s, out);
}

/* Inputs: x, x_scale, x_zero_point. */
void twin_dequantize_linear(const struct qd_node *node, const struct qd_tensor *const *in,
                            struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *scale = in[1], *zero_point = in[2];
    int64_t output = attribute(node, "output_dtype", 0);
    enum qd_dtype type = output ? dtype_of(output) : scale->dtype;
    struct twin_number q, z, s;
    twin_number_init(&q);
    twin_number_init(&z);
    twin_number_init(&s);
    twin_result_init(out, type, x->rank, x->dims);
    for (int64_t i = 0; i < x->count; i++) {
        int64_t at = scale_index(node, x, scale, i);
        twin_element_of(x, i, &q);
        twin_element_of(scale, at, &s);
        if (zero_point)
            twin_element_of(zero_point, at, &z);
        if (q.kind == TWIN_FINITE)
            mpq_sub(q.q, q.q, z.q);
        out->elements[i].unspecified = s.kind != TWIN_FINITE;
        if (!out->elements[i].unspecified)
            dequantize(type, &q, s.q, &out->elements[i]);
    }
    twin_number_clear(&q);
    twin_number_clear(&z);
    twin_number_clear(&s);
}

/* Least and greatest of 0 and all elements; false if one is NaN or infinite. */
static bool range_of(const struct qd_tensor *x, mpq_t min, mpq_t max)
{
    struct twin_number value;
    bool finite = true;
    twin_number_init(&value);
    mpq_set_ui(min, 0, 1);
    mpq_set_ui(max, 0, 1);
    for (int64_t i = 0; i < x->count; i++) {
        twin_element_of(x, i, &value);
        finite = finite && value.kind == TWIN_FINITE;
        if (finite && mpq_cmp(value.q, min) < 0)
            mpq_set(min, value.q);
        if (finite && mpq_cmp(value.q, max) > 0)
            mpq_set(max, value.q);
    }
    twin_number_clear(&value);
    return finite;
}

/* RN(RN(max − min)/255); false if it is 0 or the difference is infinite. A subnormal scale is an
 * output like any other. */
static bool dynamic_scale(const mpq_t min, const mpq_t max, mpq_t scale)
{
    mpq_t steps;
    mpq_init(steps);
    mpq_set_ui(steps, 255, 1);
    mpq_sub(scale, max, min);
    bool finite = twin_round(QD_F32, TWIN_NEAREST, scale, scale) != TWIN_HUGE;
    mpq_div(scale, scale, steps);
    twin_round(QD_F32, TWIN_NEAREST, scale, scale);
    mpq_clear(steps);
    return finite && mpq_sgn(scale) != 0;
}

/* y_zero_point = 0 − min/s as a code: element of a result of QuantizeLinear's arithmetic. */
static void dynamic_zero_point(const mpq_t min, const mpq_t scale, struct twin_element *out)
{
    struct twin_number quotient;
    twin_number_init(&quotient);
    mpq_div(quotient.q, min, scale);
    mpq_neg(quotient.q, quotient.q);
    to_integer(QD_U8, QD_F32, false, &quotient, 0, out);
    twin_number_clear(&quotient);
}

/* y for one element: the canonical code with the canonical zero point; the hull with the least and
 * greatest zero point. */
static void dynamic_code(const mpq_t x, const mpq_t scale, const struct twin_element *zero_point,
                         struct twin_element *out)
{
    struct twin_number quotient;
    struct twin_result other;
    twin_number_init(&quotient);
    twin_result_init(&other, QD_U8, 0, NULL);
    mpq_div(quotient.q, x, scale);
    to_integer(QD_U8, QD_F32, false, &quotient, mpz_get_si(mpq_numref(zero_point->want.q)), out);
    to_integer(QD_U8, QD_F32, false, &quotient, mpz_get_si(mpq_numref(zero_point->lo.q)),
               other.elements);
    twin_number_set(&out->lo, &other.elements->lo);
    to_integer(QD_U8, QD_F32, false, &quotient, mpz_get_si(mpq_numref(zero_point->hi.q)),
               other.elements);
    twin_number_set(&out->hi, &other.elements->hi);
    out->code_count = 0; /* all of the hull */
    twin_result_clear(&other);
    twin_number_clear(&quotient);
}

/* Input: x. Outputs: y, y_scale, y_zero_point. */
void twin_dynamic_quantize_linear(const struct qd_tensor *x, struct twin_result *out)
{
    mpq_t min, max, scale;
    struct twin_number value;
    mpq_inits(min, max, scale, NULL);
    twin_number_init(&value);
    twin_result_init(&out[0], QD_U8, x->rank, x->dims);
    twin_result_init(&out[1], QD_F32, 0, NULL);
    twin_result_init(&out[2], QD_U8, 0, NULL);
    bool defined = range_of(x, min, max) && dynamic_scale(min, max, scale);
    out[1].elements->unspecified = out[2].elements->unspecified = !defined;
    if (defined) {
        mpq_set(out[1].elements->want.q, scale);
        mpq_set(out[1].elements->lo.q, scale);
        mpq_set(out[1].elements->hi.q, scale);
        dynamic_zero_point(min, scale, out[2].elements);
    }
    for (int64_t i = 0; i < x->count; i++) {
        out[0].elements[i].unspecified = !defined;
        twin_element_of(x, i, &value);
        if (defined)
            dynamic_code(value.q, scale, out[2].elements, &out[0].elements[i]);
    }
    twin_number_clear(&value);
    mpq_clears(min, max, scale, NULL);
}
