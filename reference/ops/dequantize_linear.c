/* SPDX-License-Identifier: Apache-2.0 */
/* DequantizeLinear
 *
 * Source      ONNX DequantizeLinear-10, -13, -19, -21, -23, -24, -25.
 * Inputs      x u8|s8|s32 (19: float8; 21: u16 s16 u4 s4; 23: f4e2m1; 25: u2 s2); x_scale f32 (19:
 *             f16, bf16; 24: f8e8m0), scalar, [1], [D_axis] or blocks; x_zero_point, optional, of
 *             x's type and x_scale's shape.
 * Outputs     y of x's shape and of type output_dtype (23), else x_scale's.
 * Attributes  axis (13), block_size (21), output_dtype (23).
 * Domain      granularity.h; rules x-type, x_scale-type, x_zero_point-type, output_dtype-value (an
 *             f8e8m0 scale needs one). A zero point that is not 0 for s32 or float x is
 *             UNSUPPORTED: the specification says it is supposed to be 0 and no more.
 * Arithmetic  (1) y = (x − x_zero_point)·x_scale in y's type; the difference is exact.
 * Edge cases  x = x_zero_point times a negative scale is -0, by IEEE 754. A scale that is NaN or
 *             infinite: unspecified. A float x that is NaN or infinite follows IEEE.
 * Latitude    Where x − x_zero_point or x_scale is not a value of y's type: RN((x − z)·s), and the
 *             same with either of them rounded to y's type first; f16 and bf16 computed in f32 and
 *             rounded once more. An order whose rounded operand over- or underflows is dropped: what it
 *             gives, a NaN too, is admissible and nothing is computed with it. Inside a graph the exact product
 *             is admissible too, unless output_dtype asks for a narrower type than the scale's. Codes
 *             with several admissible values give the hull of their products.
 * Quirks      zero_points. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/exact.h"
#include "qdiff/granularity.h"
#include "qdiff/interval.h"

enum { X, X_SCALE, X_ZERO_POINT, INPUTS };

#define BIT QD_TYPE_BIT

struct dequantizer {
    const struct qd_evaluation *evaluation;
    const struct qd_tensor *x, *scale, *zero_point; /* zero_point NULL: 0 */
    struct qd_granularity granularity;
    enum qd_dtype y;
    bool
        rounds; /* output_dtype lacks values of the scale's type: a rounding that the node asks for */
};

static uint32_t x_types(int64_t opset)
{
    uint32_t mask = QD_8BIT_TYPES | BIT(QD_S32);
    mask |= opset >= 19 ? QD_FLOAT8_TYPES : 0;
    mask |= opset >= 21 ? BIT(QD_U16) | BIT(QD_S16) | BIT(QD_U4) | BIT(QD_S4) : 0;
    mask |= opset >= 23 ? BIT(QD_F4E2M1) : 0;
    mask |= opset >= 25 ? BIT(QD_U2) | BIT(QD_S2) : 0;
    return mask;
}

static uint32_t scale_types(int64_t opset)
{
    return opset < 19 ? BIT(QD_F32) : opset < 24 ? QD_FLOAT_TYPES : QD_FLOAT_TYPES | BIT(QD_F8E8M0);
}

static enum qd_status read_zero_point(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct dequantizer *d)
{
    if (!d->zero_point)
        return QD_OK;
    enum qd_status status = qd_same_type(evaluation, node, "x_zero_point", d->zero_point, d->x);
    bool must_be_zero = d->x->dtype == QD_S32 || qd_dtype_is_float(d->x->dtype);
    if (status == QD_OK && must_be_zero && !qd_parameter_is_zero(d->zero_point))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: a zero point of %s that is not 0",
                       node->op_type, qd_dtype_info(d->x->dtype)->word);
    return status;
}

static enum qd_status read_output_type(const struct qd_evaluation *evaluation,
                                       const struct qd_node *node, struct dequantizer *d)
{
    enum qd_status status =
        qd_dtype_attribute(evaluation, node, "output_dtype", 23, QD_FLOAT_TYPES, &d->y);
    const struct qd_float_format *y = qd_float_format(d->y), *s = qd_float_format(d->scale->dtype);
    d->rounds = y && s && y->fraction_bits < s->fraction_bits;
    if (status == QD_OK && d->y == QD_DTYPE_NONE)
        d->y = d->scale->dtype;
    if (status == QD_OK && !(QD_FLOAT_TYPES & BIT(d->y)))
        return qd_node_rule(evaluation, node, "output_dtype-value", "the output would be %s",
                            qd_dtype_info(d->y)->word);
    return status;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct dequantizer *d)
{
    d->evaluation = evaluation;
    d->x = &in[X]->want;
    d->scale = &in[X_SCALE]->want;
    d->zero_point = in[X_ZERO_POINT] ? &in[X_ZERO_POINT]->want : NULL;
    enum qd_status status = qd_operand_type(evaluation, node, "x", d->x, x_types(node->opset));
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "x_scale", d->scale, scale_types(node->opset));
    if (status == QD_OK)
        status = read_zero_point(evaluation, node, d);
    if (status == QD_OK)
        status = read_output_type(evaluation, node, d);
    if (status == QD_OK)
        status = qd_granularity_read(evaluation, node, d->x, d->scale, d->zero_point, "x_scale",
                                     "x_zero_point", &d->granularity);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in + 1, INPUTS - 1);
    return status;
}

/* x − z for a value of x, exact: |difference| < 2^33, or x itself for a float type. */
static double difference(const struct dequantizer *d, double x, int64_t p)
{
    if (qd_dtype_is_float(d->x->dtype))
        return x;
    int64_t z = qd_zero_point(d->evaluation->semantics, d->zero_point, p);
    int64_t exact = (int64_t)x - z;
    if (d->evaluation->semantics->zero_points == QD_ZP_SUBTRACT_8BIT &&
        qd_dtype_is_8bit_code(d->x->dtype))
        exact = d->x->dtype == QD_U8 ? (int64_t)(uint8_t)exact : (int64_t)(int8_t)exact;
    if (d->evaluation->semantics->zero_points == QD_ZP_SUBTRACT_UNSIGNED && exact < 0)
        exact += INT64_C(1) << 32;
    return (double)exact;
}

enum { ROUNDED_ORDERS = 3 };

/* What one element may be: the exact number, the canonical value and the ends of the hull. */
struct product {
    struct qd_interval exact;
    double want, lo, hi;
    uint8_t flags;
    uint8_t dropped_count;
    double dropped[ROUNDED_ORDERS]; /* what orders give that lose an operand */
};

/* a: a difference, exact or rounded; b: a scale, so that nothing is lost below. A product of 0 has
 * its sign by IEEE 754: 0 times a negative scale is -0. */
static double rounded_product(enum qd_dtype type, enum qd_direction direction, double a, double b)
{
    double exact = a * b;
    if (fabs(a) < 0x1p29) /* 29 + 24 bits: exact in double */
        return exact == 0 ? exact : qd_float_round(type, direction, exact);
    return qd_ratio_to_float(qd_ratio_multiply(qd_ratio_of_double(a), qd_ratio_of_double(b)), type,
                             direction);
}

static void include(struct product *p, double x)
{
    p->lo = x < p->lo ? x : p->lo;
    p->hi = x > p->hi ? x : p->hi;
}

/* An operand rounded to y's type overflowed or became subnormal: the order is dropped. */
static bool lost(enum qd_dtype y, double exact, double rounded)
{
    return rounded != exact &&
           !(isfinite(rounded) && fabs(rounded) >= qd_float_format(y)->least_normal);
}

/* The order that takes a and b for x − z and the scale, each exact or rounded. */
static void include_order(struct product *p, enum qd_dtype y, double a, double b, bool dropped)
{
    bool finite = isfinite(a) && isfinite(b);
    double product = finite ? rounded_product(y, QD_NEAREST_EVEN, a, b) : a * b;
    if (!dropped) {
        include(p, product);
        return;
    }
    p->flags |= QD_EXTREME_SCALE;
    p->dropped[p->dropped_count++] = product;
}

/* A kernel that computes a 16-bit type in float32 rounds x − z, the product and the result in
 * turn. */
static double product_in_f32(enum qd_dtype y, double q, double s)
{
    double single = qd_float_round(QD_F32, QD_NEAREST_EVEN, q);
    return qd_float_round(y, QD_NEAREST_EVEN, rounded_product(QD_F32, QD_NEAREST_EVEN, single, s));
}

/* Both operands are values of y's type, so that their product (at most 24 + 24 bits, not below
 * 2^-298) is one of double: one rounding, and no other order that rounds otherwise. */
static bool multiply_simply(enum qd_dtype y, double q, double s, struct product *out)
{
    double exact = q * s;
    if (exact == 0) {
        *out = (struct product){.exact = {exact, exact}, .want = exact, .lo = exact, .hi = exact};
        return true;
    }
    double want = qd_float_round(y, QD_NEAREST_EVEN, exact);
    if (y != QD_F32 && product_in_f32(y, q, s) != want)
        return false;
    bool down = want < exact;
    *out = (struct product){.exact = {exact, exact},
                            .want = want,
                            .lo = down ? want : exact,
                            .hi = down ? exact : want};
    return true;
}

static struct product multiply(enum qd_dtype y, double q, double s)
{
    double q_rounded = qd_float_round(y, QD_NEAREST_EVEN, q);
    double s_rounded = qd_float_round(y, QD_NEAREST_EVEN, s);
    struct product p;
    if (q_rounded == q && s_rounded == s && multiply_simply(y, q, s, &p))
        return p;
    bool q_lost = lost(y, q, q_rounded), s_lost = lost(y, s, s_rounded);
    double want = rounded_product(y, QD_NEAREST_EVEN, q, s);
    p = (struct product){.exact = {rounded_product(QD_F64, QD_TO_MINUS_INFINITY, q, s),
                                   rounded_product(QD_F64, QD_TO_PLUS_INFINITY, q, s)},
                         .want = want,
                         .lo = want,
                         .hi = want};
    include_order(&p, y, q_rounded, s, q_lost);
    include_order(&p, y, q, s_rounded, s_lost);
    include_order(&p, y, q_rounded, s_rounded, q_lost || s_lost);
    if (y != QD_F32)
        include(&p, product_in_f32(y, q, s));
    /* A consumer that is fused sees the exact product; RN of it is `want`. */
    include(&p, p.exact.lo);
    include(&p, p.exact.hi);
    return p;
}

static enum qd_status store(const struct dequantizer *d, struct qd_value *y, int64_t i,
                            struct product p)
{
    struct qd_arena *arena = d->evaluation->arena;
    struct qd_error *error = d->evaluation->error;
    enum qd_status status = QD_OK;
    qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(d->y, p.want, false));
    if (p.lo != p.hi)
        status = qd_value_need_hull(y, arena, error);
    if (status == QD_OK && p.flags)
        status = qd_value_need_flags(y, arena, error);
    if (status == QD_OK && (p.exact.lo != p.want || p.exact.hi != p.want))
        status = qd_value_need_exact(y, arena, error);
    if (status != QD_OK)
        return status;
    if (y->exact)
        y->exact[i] = p.exact;
    if (y->lo) {
        y->lo[i] = p.lo;
        y->hi[i] = p.hi;
    }
    if (y->flags)
        y->flags[i] = p.flags;
    return p.dropped_count > 0 ? qd_value_admit(y, i, p.dropped, p.dropped_count, arena, error)
                               : QD_OK;
}

/* Of a product that the node asks to be rounded no consumer sees more than that. */
static struct product rounded(enum qd_dtype y, double q, double s)
{
    struct product p = multiply(y, q, s);
    p.exact = (struct qd_interval){p.want, p.want};
    p.lo = qd_float_round(y, QD_NEAREST_EVEN, p.lo);
    p.hi = qd_float_round(y, QD_NEAREST_EVEN, p.hi);
    return p;
}

/* q is infinite or NaN; a scale that becomes 0 in y's type makes a NaN of an infinite one. */
static struct product multiply_special(enum qd_dtype y, double q, double s)
{
    double want = q * s, s_rounded = qd_float_round(y, QD_NEAREST_EVEN, s);
    struct product p = {.exact = {want, want}, .want = want, .lo = want, .hi = want};
    if (isnan(want))
        p.flags = QD_NOT_NUMBER;
    else
        include_order(&p, y, q, s_rounded, lost(y, s, s_rounded));
    return p;
}

/* One value of x, at element i. */
static struct product dequantize_value(const struct dequantizer *d, int64_t i, double x)
{
    int64_t parameter = qd_granularity_index(&d->granularity, i);
    double q = difference(d, x, parameter), s = qd_tensor_value(d->scale, parameter);
    if (isfinite(q) && isfinite(s))
        return d->rounds ? rounded(d->y, q, s) : multiply(d->y, q, s);
    if (!isfinite(s))
        return (struct product){.flags = QD_UNSPECIFIED};
    return multiply_special(d->y, q, s);
}

/* Codes that a QuantizeLinear before left open: between the products of the least and the
 * greatest. */
static struct product dequantize_interval(const struct dequantizer *d, const struct qd_value *x,
                                          int64_t i)
{
    struct product p = dequantize_value(d, i, qd_tensor_value(d->x, i));
    struct product ends[] = {dequantize_value(d, i, qd_value_lo(x, i)),
                             dequantize_value(d, i, qd_value_hi(x, i))};
    for (int e = 0; e < 2; e++) {
        include(&p, ends[e].lo);
        include(&p, ends[e].hi);
        p.flags |= ends[e].flags;
    }
    if (qd_value_flags(x, i) & QD_NO_CANONICAL) {
        p.flags |= QD_NO_CANONICAL;
        p.exact = qd_interval_open((struct qd_interval){p.lo, p.hi});
    }
    return p;
}

/* The scale that element i of y is one code of: of float32, which a consumer need not have
 * rounded to. */
static void set_factor(const struct dequantizer *d, const struct qd_value *x, int64_t i,
                       const struct product *p, struct qd_value *y)
{
    int64_t parameter = qd_granularity_index(&d->granularity, i);
    if (y->factor && qd_value_is_point(x, i) && p->flags == 0)
        y->factor[i] = (float)qd_tensor_value(d->scale, parameter);
}

static struct qd_fusion fusion_of(const struct qd_tensor *scale)
{
    struct qd_fusion fusion = {.dequantized = true, .scales = 1};
    for (int64_t i = 0; i < scale->count; i++) {
        double s = qd_tensor_value(scale, i);
        fusion.rough_scales |= !qd_scale_is_power_of_two(s);
        fusion.negative_scales |= s < 0;
    }
    return fusion;
}

static enum qd_status dequantize(const struct dequantizer *d, const struct qd_value *x,
                                 struct qd_value *y)
{
    enum qd_status status = QD_OK;
    if (qd_sample_leaves_all(d->evaluation, y, &status))
        return status;
    if (d->y == QD_F32 && !d->rounds && qd_dtype_is_integer(d->x->dtype))
        status = qd_value_need_factor(y, d->evaluation->arena, d->evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        struct product p = {.flags = QD_UNSPECIFIED};
        if (!(qd_value_flags(x, i) & QD_UNSPECIFIED))
            p = qd_value_is_point(x, i) ? dequantize_value(d, i, qd_tensor_value(d->x, i))
                                        : dequantize_interval(d, x, i);
        status = store(d, y, i, p);
        set_factor(d, x, i, &p, y);
    }
    if (status != QD_OK || d->rounds)
        return status;
    y->fusion = fusion_of(d->scale);
    return qd_value_need_abs_sum(y, d->evaluation->arena, d->evaluation->error);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct dequantizer d = {0};
    struct qd_value y = {.lo = NULL};
    enum qd_status status = read_node(evaluation, node, in, &d);
    if (status == QD_OK && qd_dtype_is_float(d.x->dtype))
        status = qd_operands_are_points(evaluation, node, in, 1);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, d.y, d.x->rank, d.x->dims, evaluation->error);
    if (status == QD_OK)
        status = dequantize(&d, in[X], &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_dequantize_linear = {
    .domain = "",
    .name = "DequantizeLinear",
    .since = 10,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_DEQUANTIZES,
    .operands = "x,x_scale,x_zero_point",
    .clause = "25: The dequantization formula is y = (x - x_zero_point) * x_scale. ... The output "
              "type also determines the precision of the multiplication operation."
              "\n21<23: The dequantization formula is y = (x - x_zero_point) * x_scale.",
    .attributes = "axis:13-,block_size:21-,output_dtype:23-",
    .rules = "x-type,x_scale-type,x_zero_point-type,x_scale-shape,x_zero_point-shape,"
             "axis-range,block_size-negative,block_size-range,output_dtype-value",
    .evaluate = evaluate,
};
