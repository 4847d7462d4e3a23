/* SPDX-License-Identifier: Apache-2.0 */
/* Cast
 *
 * Source      ONNX Cast-6, -9, -13, -19, -21, -23, -24, -25 (Cast-1 names the type by a string:
 *             UNSUPPORTED); ONNX technical pages "Float stored in 8 bits", "Float stored in 4
 *             bits", "4 bit integer types", "2 bit integer types".
 * Inputs      input f32 f16 f64 bool u8 s8 u16 s16 s32 s64 (13: bf16; 19: float8; 21: u4 s4; 23:
 *             f4e2m1; 24: f8e8m0; 25: u2 s2).
 * Outputs     output of type `to`, one of the same.
 * Attributes  to (required); saturate (19) for float8 and f8e8m0; round_mode (24) up|down|nearest
 *             for f8e8m0.
 * Domain      rules input-type, to-missing, to-value, attribute-unknown, round_mode-value. `to`
 *             u32, u64 or string is
 *             UNSUPPORTED: types that the reference does not have; so is an interval to float8,
 *               f8e8m0 or f4e2m1.
 * Arithmetic  (1) to a float type: one rounding to nearest even, beyond the range ±Inf; to float8
 *             by the table of `saturate`; to f4e2m1 saturating; to f8e8m0 by round_mode, beyond the
 *             range the nearest end (saturate) or NaN.
 *             (2) float to integer: towards zero; of 4 and 2 bits: to nearest even. (3) integer to
 *             integer: the low bits, in two's complement. (4) to bool: x ≠ 0.
 * Edge cases  A float that no value of the integer type is: unspecified, as NaN to f4e2m1, and zero
 *             and negative numbers to f8e8m0.
 * Latitude    to a type of 16 or fewer bits: rounded to f32 first. A Cast to a type that lacks values
 *             of the input's is a rounding that the model asks for: what comes after it sees its
 *             result alone, and no kernel computes across it. A Cast to a wider one hands on what is
 *             known of its input.
 * Quirks      rounding, to 4 and 2 bits. */
#include <math.h>
#include <string.h>

#include "graph/operand_checks.h"
#include "qdiff/exact.h"
#include "qdiff/granularity.h"
#include "qdiff/interval.h"

#define BIT QD_TYPE_BIT
#define REAL_TYPES (QD_FLOAT_TYPES | BIT(QD_F64))

enum round_mode { UP, DOWN, NEAREST, ROUND_MODES };

struct cast {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    enum qd_dtype to;
    bool rounds; /* `to` lacks values of x's type */
    bool saturate;
    enum round_mode round_mode;
    int64_t opset;
};

static uint32_t types(int64_t opset)
{
    uint32_t mask = BIT(QD_F32) | BIT(QD_F16) | BIT(QD_F64) | BIT(QD_BOOL) | QD_8BIT_TYPES |
                    BIT(QD_U16) | BIT(QD_S16) | BIT(QD_S32) | BIT(QD_S64);
    mask |= opset >= 13 ? BIT(QD_BF16) : 0;
    mask |= opset >= 19 ? QD_FLOAT8_TYPES : 0;
    mask |= opset >= 21 ? BIT(QD_U4) | BIT(QD_S4) : 0;
    mask |= opset >= 23 ? BIT(QD_F4E2M1) : 0;
    mask |= opset >= 24 ? BIT(QD_F8E8M0) : 0;
    mask |= opset >= 25 ? BIT(QD_U2) | BIT(QD_S2) : 0;
    return mask;
}

static enum qd_status read_to(const struct qd_evaluation *evaluation, const struct qd_node *node,
                              enum qd_dtype *to)
{
    enum { STRING = 8, UINT32 = 12, UINT64 = 13 };
    int64_t number;
    enum qd_status status = qd_node_int(node, "to", 0, &number, evaluation->error);
    if (status != QD_OK)
        return status;
    bool foreign = number == UINT32 || number == UINT64 || (number == STRING && node->opset >= 9);
    if (foreign)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Cast to type %lld", (long long)number);
    if (!qd_node_attr(node, "to"))
        return qd_node_rule(evaluation, node, "to-missing", "attribute to is required");
    if (number == 0)
        return qd_node_rule(evaluation, node, "to-value", "to is 0, no type");
    return qd_dtype_attribute(evaluation, node, "to", 1, types(node->opset), to);
}

static enum qd_status read_rounding(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, struct cast *c)
{
    static const char *const words[] = {"up", "down", "nearest"};
    int64_t saturate;
    const char *word;
    unsigned mode = 0;
    enum qd_status status = qd_node_int(node, "saturate", 1, &saturate, evaluation->error);
    if (status == QD_OK)
        status = qd_node_string(node, "round_mode", "up", &word, evaluation->error);
    if (status != QD_OK)
        return status;
    while (mode < ROUND_MODES && strcmp(word, words[mode]) != 0)
        mode++;
    if (mode == ROUND_MODES)
        return qd_node_rule(evaluation, node, "round_mode-value", "round_mode is '%.40s'", word);
    c->saturate = saturate != 0;
    c->round_mode = (enum round_mode)mode;
    return QD_OK;
}

static bool lacks_values(enum qd_dtype to, enum qd_dtype from)
{
    const struct qd_float_format *t = qd_float_format(to), *f = qd_float_format(from);
    return !t || !f || t->fraction_bits < f->fraction_bits || t->largest < f->largest ||
           t->least_normal > f->least_normal;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct cast *c)
{
    if (node->opset < 6)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Cast before opset 6");
    enum qd_status status =
        qd_operand_type(evaluation, node, "input", &in[0]->want, types(node->opset));
    if (status == QD_OK)
        status = read_to(evaluation, node, &c->to);
    if (status == QD_OK)
        status = read_rounding(evaluation, node, c);
    c->rounds = status == QD_OK && lacks_values(c->to, in[0]->want.dtype);
    if (status == QD_OK && qd_dtype_is_float(c->to) && !(REAL_TYPES & BIT(c->to)))
        status = qd_operands_are_points(evaluation, node, in, 1);
    return status;
}

/* What one value of input may become, and the exact number. */
struct answer {
    struct qd_interval exact;
    double lo, hi;
    uint8_t flags;
};

static struct answer point(double x)
{
    return (struct answer){{x, x}, x, x, isnan(x) ? QD_NOT_NUMBER : 0};
}

static const struct answer unspecified = {.flags = QD_UNSPECIFIED};

/* To f8e8m0: powers of two from 2^−127 to 2^127. */
static struct answer to_power(const struct cast *c, double x)
{
    if (isnan(x))
        return point(x);
    if (x <= 0)
        return unspecified;
    double below = x < 0x1p-127 || isinf(x) ? x : ldexp(1.0, ilogb(x)), power = below;
    bool up = c->round_mode == UP ? x > below : c->round_mode == NEAREST && x >= 1.5 * below;
    if (up)
        power = 2 * below;
    if (power >= 0x1p-127 && power <= 0x1p127)
        return point(power);
    return point(!c->saturate ? (double)NAN : power < 1 ? 0x1p-127 : 0x1p127);
}

static double on_grid(const struct cast *c, double rounded)
{
    bool has_table = QD_FLOAT8_TYPES & BIT(c->to);
    return qd_float_decode(c->to, qd_float_encode(c->to, rounded, has_table && c->saturate));
}

/* Equation (1) for a number known to lie in `exact`; `once` and `twice` are it rounded, and rounded
 * to f32 first. */
static struct answer to_float(const struct cast *c, struct qd_interval exact, double once,
                              double twice)
{
    double want = on_grid(c, once), other = on_grid(c, twice);
    bool open = isinf(exact.lo) && qd_float8_infinity_is_open(c->to, c->saturate, c->opset);
    if (open || isfinite(want) != isfinite(other))
        return unspecified;
    if (isnan(want))
        return point(want);
    struct answer a = {{want, want}, fmin(want, other), fmax(want, other), 0};
    if (isfinite(want) && !c->rounds) {
        a.lo = fmin(a.lo, exact.lo);
        a.hi = fmax(a.hi, exact.hi);
        a.exact = exact;
    }
    return a;
}

static bool wide(enum qd_dtype type)
{
    return type == QD_F32 || type == QD_F64;
}

static struct answer real_to_float(const struct cast *c, double x)
{
    if (c->to == QD_F8E8M0)
        return to_power(c, x);
    if (isnan(x))
        return c->to == QD_F4E2M1 ? unspecified : point(x);
    double first = wide(c->to) ? x : qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
    return to_float(c, (struct qd_interval){x, x}, qd_float_round(c->to, QD_NEAREST_EVEN, x),
                    qd_float_round(c->to, QD_NEAREST_EVEN, first));
}

static struct answer integer_to_float(const struct cast *c, int64_t x)
{
    struct qd_ratio r = qd_ratio_of_integer(x);
    if (c->to == QD_F8E8M0)
        return to_power(c, (double)x);
    struct qd_interval exact = {qd_ratio_to_float(r, QD_F64, QD_TO_MINUS_INFINITY),
                                qd_ratio_to_float(r, QD_F64, QD_TO_PLUS_INFINITY)};
    double once = qd_ratio_to_float(r, c->to, QD_NEAREST_EVEN), twice = once;
    if (!wide(c->to))
        twice =
            qd_float_round(c->to, QD_NEAREST_EVEN, qd_ratio_to_float(r, QD_F32, QD_NEAREST_EVEN));
    return to_float(c, exact, once, twice);
}

/* Equations (2) and (4). */
static struct answer real_to_integer(const struct cast *c, double x)
{
    const struct qd_dtype_info *info = qd_dtype_info(c->to);
    if (c->to == QD_BOOL)
        return point(x != 0 || isnan(x));
    double whole = trunc(x);
    if (info->bits < 8 && isfinite(x))
        whole =
            (double)qd_ratio_round(qd_ratio_of_double(x), c->evaluation->semantics->rounding, false)
                .value;
    /* s64: 2^63 − 1 is no double, and no float lies between it and 2^63. */
    bool inside = whole >= (double)info->min &&
                  (c->to == QD_S64 ? whole < 0x1p63 : whole <= (double)info->max);
    return inside ? point(whole) : unspecified;
}

/* Equations (3) and (4). */
static int64_t wrap(enum qd_dtype to, int64_t x)
{
    return to == QD_BOOL ? x != 0 : qd_dtype_wrap(x, to);
}

static struct answer convert(const struct cast *c, double x)
{
    if (qd_dtype_is_float(c->x->want.dtype))
        return qd_dtype_is_float(c->to) ? real_to_float(c, x) : real_to_integer(c, x);
    if (qd_dtype_is_float(c->to))
        return integer_to_float(c, (int64_t)x);
    return point((double)wrap(c->to, (int64_t)x));
}

/* What a kernel may have for element i. */
static struct qd_interval numbers_of(const struct cast *c, int64_t i)
{
    return c->rounds ? qd_interval_fused(c->x, i, false) : qd_interval_of(c->x, i);
}

/* An interval: every conversion is monotone but one of integers that wraps. */
static struct answer convert_interval(const struct cast *c, int64_t i)
{
    struct qd_interval x = numbers_of(c, i);
    double low = x.lo, high = x.hi;
    struct qd_interval number = qd_value_exact(c->x, i);
    struct answer least = convert(c, number.lo), most = convert(c, number.hi), a = least,
                  lo = convert(c, low), hi = convert(c, high);
    bool integers = qd_dtype_is_integer(c->x->want.dtype) && qd_dtype_is_integer(c->to);
    bool wraps = integers && c->to != QD_BOOL && (lo.exact.lo != low || hi.exact.hi != high);
    if (c->to == QD_BOOL && low < 0 && high > 0)
        lo.lo = 0;
    if (wraps ||
        (least.flags | most.flags | lo.flags | hi.flags) & (QD_UNSPECIFIED | QD_NOT_NUMBER))
        return unspecified;
    a.lo = fmin(fmin(least.lo, most.lo), fmin(lo.lo, hi.lo));
    a.hi = fmax(fmax(least.hi, most.hi), fmax(lo.hi, hi.hi));
    if (least.exact.lo != most.exact.hi)
        a.exact = c->rounds ? qd_interval_open((struct qd_interval){least.exact.lo, most.exact.hi})
                            : number;
    return a;
}

static enum qd_status store(const struct cast *c, int64_t i, struct answer a, struct qd_value *y)
{
    struct qd_arena *arena = c->evaluation->arena;
    struct qd_error *error = c->evaluation->error;
    if (a.flags & (QD_UNSPECIFIED | QD_NOT_NUMBER))
        return qd_interval_store_flag(
            y, i, a.flags & QD_UNSPECIFIED ? QD_UNSPECIFIED : QD_NOT_NUMBER, arena, error);
    enum qd_status status =
        qd_interval_store(y, i, (struct qd_interval){a.lo, a.hi}, a.exact, arena, error);
    return status == QD_OK && qd_value_flags(c->x, i) & QD_EITHER_ZERO
               ? qd_value_open_zero(y, i, arena, error)
               : status;
}

static enum qd_status element(const struct cast *c, int64_t i, struct qd_value *y)
{
    const struct qd_tensor *x = &c->x->want;
    uint8_t flags = qd_value_flags(c->x, i);
    bool integers = qd_dtype_is_integer(x->dtype) && qd_dtype_is_integer(c->to);
    if (flags & QD_UNSPECIFIED)
        return store(c, i, unspecified, y);
    if (flags & QD_NOT_NUMBER)
        return store(c, i, convert(c, (double)NAN), y);
    struct qd_interval numbers = numbers_of(c, i);
    if (numbers.lo < numbers.hi)
        return store(c, i, convert_interval(c, i), y);
    if (!integers)
        return store(c, i,
                     qd_dtype_is_integer(x->dtype) ? integer_to_float(c, qd_tensor_get(x, i))
                                                   : convert(c, qd_tensor_value(x, i)),
                     y);
    int64_t code = wrap(c->to, qd_tensor_get(x, i)); /* of 64 bits: no double in between */
    return qd_value_set_code(y, i,
                             (struct qd_code){.want = code, .lo = code, .hi = code, .flags = 0},
                             c->evaluation->arena, c->evaluation->error);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct cast c = {.evaluation = evaluation, .x = in[0], .opset = node->opset};
    struct qd_value y;
    enum qd_status status = read_node(evaluation, node, in, &c);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, c.to, in[0]->want.rank, in[0]->want.dims,
                               evaluation->error);
    int64_t count = qd_sample_floats(evaluation, &y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        status = element(&c, i, &y);
    if (status != QD_OK)
        return status;
    if (!c.rounds && qd_dtype_is_float(c.to)) { /* a cast adds no term */
        y.abs_sum = in[0]->abs_sum;
        y.fusion = in[0]->fusion;
    }
    out[0] = y;
    return QD_OK;
}

const struct qd_op qd_op_cast = {
    .domain = "",
    .name = "Cast",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "input",
    .clause = "25: casts the elements of a given input tensor to a data type specified by the 'to' "
              "argument and returns an output tensor of the same size in the converted type."
              "\n9<13: casts the elements of a given input tensor to a data type specified by the "
              "'to' argument and returns an output tensor of the same size in the converted type.",
    .attributes = "to,saturate:19-,round_mode:24-",
    .flags = "saturate",
    .rules = "input-type,to-missing,to-value,round_mode-value",
    .evaluate = evaluate,
};
