/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/elementwise.h"

#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "qdiff/broadcast.h"

/* One operand element, with what its flags say. */
struct operand {
    struct qd_interval hull, exact;
    bool nan, unspecified, point;
    bool either; /* a zero of either sign */
};

static struct operand operand_of(const struct qd_value *value, int64_t i)
{
    uint8_t flags = qd_value_flags(value, i);
    struct operand o = {qd_interval_of(value, i),     qd_value_exact(value, i),
                        (flags & QD_NOT_NUMBER) != 0, (flags & QD_UNSPECIFIED) != 0,
                        qd_value_is_point(value, i),  (flags & QD_EITHER_ZERO) != 0};
    o.nan = o.nan || isnan(o.hull.lo);
    return o;
}

static enum qd_status store_special(const struct qd_evaluation *evaluation, bool nan,
                                    struct qd_value *y, int64_t i)
{
    return qd_interval_store_flag(y, i, nan ? QD_NOT_NUMBER : QD_UNSPECIFIED, evaluation->arena,
                                  evaluation->error);
}

/* Integers: the specification says nothing of a result that leaves the type, and doubles hold no
 * more than 2^53. */
static enum qd_status store_integer(const struct qd_evaluation *evaluation, struct qd_interval real,
                                    struct qd_interval exact, struct qd_value *y, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(y->want.dtype);
    double least = fmax((double)info->min, -0x1p53), greatest = fmin((double)info->max, 0x1p53);
    if (real.lo < least || real.hi > greatest)
        return store_special(evaluation, false, y, i);
    return qd_interval_store(y, i, real, exact, evaluation->arena, evaluation->error);
}

/* A code that is exact, or unspecified where it is beyond the type. */
static enum qd_status store_code(const struct qd_evaluation *evaluation, const struct qd_code *code,
                                 struct qd_value *y, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(y->want.dtype);
    if (code->lo < info->min || code->hi > info->max)
        return store_special(evaluation, false, y, i);
    return qd_value_set_code(y, i, *code, evaluation->arena, evaluation->error);
}

static enum qd_status store_codes(const struct qd_evaluation *evaluation, qd_binary_codes *codes,
                                  int64_t a, int64_t b, struct qd_value *y, int64_t i)
{
    struct qd_code code = {0};
    if (!codes(a, b, &code.want))
        return store_special(evaluation, false, y, i);
    code.lo = code.hi = code.want;
    return store_code(evaluation, &code, y, i);
}

static struct operand negated(struct operand o)
{
    o.hull = (struct qd_interval){-o.hull.hi, -o.hull.lo};
    o.either = false;
    return o;
}

/* Whether the sign of an operand's zero decides that of the result `real`. */
static bool sign_is_open(struct operand a, struct operand b, qd_binary_exact *exact,
                         struct qd_interval real)
{
    for (int turn = 1; turn < 4; turn++) {
        struct operand other_a = turn & 1 ? negated(a) : a, other_b = turn & 2 ? negated(b) : b;
        bool possible = (a.either || !(turn & 1)) && (b.either || !(turn & 2));
        if (possible && signbit(exact(other_a.hull, other_b.hull).lo) != signbit(real.lo))
            return true;
    }
    return false;
}

static enum qd_status store_result(const struct qd_evaluation *evaluation, struct operand a,
                                   struct operand b, qd_binary_exact *exact, double join,
                                   struct qd_value *y, int64_t i)
{
    enum qd_dtype dtype = y->want.dtype;
    if (a.unspecified || b.unspecified || join < 0)
        return store_special(evaluation, false, y, i);
    if (a.nan || b.nan)
        return store_special(evaluation, true, y, i);
    struct qd_interval real = qd_interval_widen(exact(a.hull, b.hull), join);
    struct qd_interval number = exact(a.exact, b.exact);
    bool points = a.point && b.point && join == 0;
    if (isnan(real.lo) || isnan(real.hi))
        return store_special(evaluation, points && qd_dtype_is_float(dtype), y, i);
    if (isinf(real.lo) && isinf(real.hi) && real.lo != real.hi) /* Inf - Inf is among it */
        return store_special(evaluation, false, y, i);
    if (qd_dtype_is_integer(dtype))
        return store_integer(evaluation, real, number, y, i);
    bool open = (a.either || b.either) && sign_is_open(a, b, exact, real);
    enum qd_status status;
    if (open && isinf(real.lo)) { /* divided by a zero of either sign */
        const double ends[] = {-INFINITY, INFINITY};
        struct qd_interval both = {ends[0], ends[1]};
        status = qd_interval_store(y, i, both, both, evaluation->arena, evaluation->error);
        return status == QD_OK ? qd_value_limit(y, i, ends, 2, evaluation->arena, evaluation->error)
                               : status;
    }
    status = qd_interval_store(y, i, qd_interval_round(dtype, real), number, evaluation->arena,
                               evaluation->error);
    return status == QD_OK && open ? qd_value_open_zero(y, i, evaluation->arena, evaluation->error)
                                   : status;
}

uint32_t qd_arithmetic_types(int64_t opset)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= opset >= 6 ? QD_WIDE_INTEGERS : 0;
    types |= opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    return opset >= 14 ? types | QD_INTEGER_TYPES : types;
}

static enum qd_status check_operands(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const struct qd_value *a,
                                     const struct qd_value *b, uint32_t types, unsigned *rank,
                                     int64_t *dims)
{
    enum qd_status status = qd_operand_type(evaluation, node, "a", &a->want, types);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b", &b->want, &a->want);
    if (status != QD_OK)
        return status;
    if (a->want.dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of f64", node->op_type);
    if (node->opset < 7 && !qd_tensor_same_shape(&a->want, &b->want))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s-%lld: broadcasting before opset 7",
                       node->op_type, (long long)node->opset);
    if (!qd_broadcast_shape(a->want.rank, a->want.dims, b->want.rank, b->want.dims, rank, dims))
        return qd_node_rule(evaluation, node, "broadcast", "the operands' shapes do not broadcast");
    return QD_OK;
}

/* What a fused kernel would sum: kept if an operand is a sum or came from DequantizeLinear. */
static double combine_abs_sum(const struct qd_value *a, const struct qd_value *b, int64_t ia,
                              int64_t ib, enum qd_terms terms)
{
    double ra = qd_value_abs_sum(a, ia), rb = qd_value_abs_sum(b, ib);
    struct qd_interval divisor = qd_interval_of(b, ib);
    double least = fmin(fabs(divisor.lo), fabs(divisor.hi));
    switch (terms) {
    case QD_TERMS_SUM: return ra + rb;
    case QD_TERMS_QUOTIENT:
        return least > 0 ? ra / least * (rb / least) : 0; /* 0: no bound is used */
    default: return ra * rb;
    }
}

static enum qd_status begin(const struct qd_evaluation *evaluation, const struct qd_value *a,
                            const struct qd_value *b, enum qd_terms terms, struct qd_value *y)
{
    if (!a->abs_sum && !b->abs_sum)
        return QD_OK;
    y->fusion = a->fusion;
    if (terms == QD_TERMS_SUM)
        qd_fusion_add(&y->fusion, &b->fusion);
    else
        qd_fusion_multiply(&y->fusion, &b->fusion);
    /* A sum that was multiplied is not gone on with; one that was added to may be, its terms no
     * longer on a grid. */
    y->fusion.sum_quantum = INT_MIN;
    if (terms != QD_TERMS_SUM)
        y->fusion.sum_terms = 0;
    return qd_value_need_abs_sum(y, evaluation->arena, evaluation->error);
}

/* Whether an element is an integer and one code alone. */
static bool are_codes(const struct qd_value *x, int64_t i)
{
    return qd_dtype_is_integer(x->want.dtype) && qd_value_is_point(x, i) &&
           !(qd_value_flags(x, i) & QD_UNSPECIFIED);
}

enum qd_status qd_elementwise_binary(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const struct qd_value *a,
                                     const struct qd_value *b, uint32_t types,
                                     const struct qd_binary *binary, struct qd_value *y)
{
    enum qd_terms terms = binary->terms;
    unsigned rank = 0;
    int64_t dims[QD_MAX_RANK] = {0};
    struct qd_value made;
    enum qd_status status = check_operands(evaluation, node, a, b, types, &rank, dims);
    if (status == QD_OK)
        status =
            qd_value_init(&made, evaluation->arena, a->want.dtype, rank, dims, evaluation->error);
    if (status == QD_OK)
        status = begin(evaluation, a, b, terms, &made);
    if (status != QD_OK)
        return status;
    int64_t count = qd_sample_floats(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        int64_t ia = qd_broadcast_index(a->want.rank, a->want.dims, rank, dims, i);
        int64_t ib = qd_broadcast_index(b->want.rank, b->want.dims, rank, dims, i);
        double join = terms == QD_TERMS_SUM ? qd_float_sum_join_error(a, ia, b, ib) : 0;
        status = are_codes(a, ia) && are_codes(b, ib)
                     ? store_codes(evaluation, binary->codes, qd_tensor_get(&a->want, ia),
                                   qd_tensor_get(&b->want, ib), &made, i)
                     : store_result(evaluation, operand_of(a, ia), operand_of(b, ib), binary->exact,
                                    join, &made, i);
        if (made.abs_sum)
            made.abs_sum[i] = combine_abs_sum(a, b, ia, ib, terms);
    }
    if (status == QD_OK)
        *y = made;
    return status;
}

/* Whether the sign of f(x) = 0 is open: x's own is, or x meets a bound that is a zero of the
 * other sign. max(0, -0) is either: the specification has no sentence about it, and IEEE 754
 * leaves it to the implementation. */
static bool monotone_zero_is_open(qd_monotone *f, const void *context, double x, bool either)
{
    double below = f(context, -0x1p-149), above = f(context, 0x1p-149);
    bool minus = signbit(x) != 0;
    return x == 0 && (either || (below == 0 && (signbit(below) != 0) != minus) ||
                      (above == 0 && (signbit(above) != 0) != minus));
}

/* The exact number's image. An end that f moves may be met. */
static struct qd_interval image_of(qd_monotone *f, const void *context, struct qd_interval x)
{
    struct qd_interval y = {f(context, x.lo), f(context, x.hi)};
    if (!(y.lo < y.hi))
        return y;
    return (struct qd_interval){y.lo == x.lo ? y.lo : qd_interval_open(y).lo,
                                y.hi == x.hi ? y.hi : qd_interval_open(y).hi};
}

static enum qd_status store_monotone(const struct qd_evaluation *evaluation,
                                     const struct qd_value *x, qd_monotone *f, qd_monotone *also,
                                     const void *context, struct qd_value *y, int64_t i)
{
    uint8_t flags = qd_value_flags(x, i);
    double want = qd_tensor_value(&x->want, i);
    if (flags & (QD_UNSPECIFIED | QD_NOT_NUMBER) || isnan(want))
        return store_special(evaluation, !(flags & QD_UNSPECIFIED), y, i);
    double lo = qd_value_lo(x, i), hi = qd_value_hi(x, i);
    struct qd_interval hull = {f(context, lo), f(context, hi)};
    if (also)
        hull = (struct qd_interval){fmin(hull.lo, also(context, lo)),
                                    fmax(hull.hi, also(context, hi))};
    enum qd_status status =
        qd_interval_store(y, i, hull, image_of(f, context, qd_value_exact(x, i)), evaluation->arena,
                          evaluation->error);
    if (status != QD_OK || !monotone_zero_is_open(f, context, want, flags & QD_EITHER_ZERO))
        return status;
    return qd_value_open_zero(y, i, evaluation->arena, evaluation->error);
}

/* A code that f leaves, or makes 0, is one still. */
static void keep_factor(const struct qd_value *x, qd_monotone *f, const void *context,
                        struct qd_value *y, int64_t i)
{
    double lo = qd_value_lo(x, i), hi = qd_value_hi(x, i), least = f(context, lo),
           greatest = f(context, hi);
    if ((least == lo && greatest == hi) || (least == 0 && greatest == 0))
        y->factor[i] = x->factor[i];
}

enum qd_status qd_elementwise_monotone(const struct qd_evaluation *evaluation,
                                       const struct qd_value *x, qd_monotone *f, qd_monotone *also,
                                       const void *context, struct qd_value *y)
{
    struct qd_value made;
    enum qd_status status = qd_value_init(&made, evaluation->arena, x->want.dtype, x->want.rank,
                                          x->want.dims, evaluation->error);
    if (status == QD_OK && x->factor)
        status = qd_value_need_factor(&made, evaluation->arena, evaluation->error);
    int64_t count = qd_sample_floats(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        status = store_monotone(evaluation, x, f, also, context, &made, i);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; x->factor && i < made.want.count; i++)
        keep_factor(x, f, context, &made, i);
    made.abs_sum = x->abs_sum; /* a fused clamp adds no term */
    made.fusion = x->fusion;
    made.fusion.sum_terms = 0;
    *y = made;
    return QD_OK;
}

#define MOST_CODES 1024 /* of one element: more are left open */

/* What f gives of all codes that an element may have. */
static bool codes_of(qd_unary_codes *f, const void *context, const struct qd_value *x, int64_t i,
                     struct qd_code *code)
{
    double lo = qd_value_lo(x, i), hi = qd_value_hi(x, i);
    if (!f(context, qd_tensor_get(&x->want, i), &code->want))
        return false;
    code->lo = code->hi = code->want;
    if (qd_value_is_point(x, i))
        return true;
    if (hi - lo > MOST_CODES)
        return false;
    for (int64_t c = (int64_t)lo, y; c <= (int64_t)hi; c++) {
        if (!f(context, c, &y))
            return false;
        qd_code_include(code, y);
    }
    return true;
}

enum qd_status qd_elementwise_codes(const struct qd_evaluation *evaluation,
                                    const struct qd_value *x, qd_unary_codes *f,
                                    const void *context, struct qd_value *y)
{
    struct qd_value made;
    enum qd_status status = qd_value_init(&made, evaluation->arena, x->want.dtype, x->want.rank,
                                          x->want.dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < made.want.count; i++) {
        struct qd_code code = {.flags = qd_value_flags(x, i)};
        bool defined = !(code.flags & QD_UNSPECIFIED) && codes_of(f, context, x, i, &code);
        status = defined ? store_code(evaluation, &code, &made, i)
                         : store_special(evaluation, false, &made, i);
    }
    if (status == QD_OK)
        *y = made;
    return status;
}

/* A function of one operand. `operand_number`: what a kernel may have for an element of x. */
struct unary {
    qd_unary_image *image;
    const void *context;
    struct qd_interval (*operand_number)(const struct qd_value *x, int64_t i);
};

static struct qd_interval number_times_factor(const struct qd_value *x, int64_t i)
{
    return qd_interval_fused(x, i, false);
}

static enum qd_status store_unary(const struct qd_evaluation *evaluation, const struct qd_value *x,
                                  const struct unary *f, struct qd_value *y, int64_t i)
{
    enum qd_dtype dtype = y->want.dtype;
    struct operand operand = operand_of(x, i);
    if (operand.unspecified || operand.nan)
        return store_special(evaluation, !operand.unspecified, y, i);
    struct qd_interval number, at_fused, x_exact = operand.exact;
    struct qd_interval hull = f->image(f->context, f->operand_number(x, i), &at_fused);
    f->image(f->context, x_exact, &number);
    if (x_exact.lo < x_exact.hi && number.lo < number.hi)
        number = qd_interval_open(number); /* the image need not be open */
    enum qd_status status = qd_interval_store(y, i, qd_interval_round(dtype, hull), number,
                                              evaluation->arena, evaluation->error);
    if (status != QD_OK || !operand.either)
        return status;
    double zero = qd_tensor_value(&x->want, i);
    f->image(f->context, (struct qd_interval){-zero, -zero}, &number);
    return (signbit(number.lo) != 0) == (signbit(qd_tensor_value(&y->want, i)) != 0)
               ? QD_OK
               : qd_value_open_zero(y, i, evaluation->arena, evaluation->error);
}

static enum qd_status store_all(const struct qd_evaluation *evaluation, const struct qd_value *x,
                                const struct unary *f, struct qd_value *y)
{
    struct qd_value made;
    enum qd_status status = qd_value_init(&made, evaluation->arena, x->want.dtype, x->want.rank,
                                          x->want.dims, evaluation->error);
    int64_t count = qd_sample_floats(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        status = store_unary(evaluation, x, f, &made, i);
    if (status == QD_OK)
        *y = made;
    return status;
}

enum qd_status qd_elementwise_unary(const struct qd_evaluation *evaluation,
                                    const struct qd_value *x, qd_unary_image *image,
                                    const void *context, struct qd_value *y)
{
    return store_all(evaluation, x, &(struct unary){image, context, number_times_factor}, y);
}

enum qd_status qd_elementwise_function(const struct qd_evaluation *evaluation,
                                       const struct qd_node *node, const char *name,
                                       const struct qd_value *x, qd_unary_image *image,
                                       struct qd_value *y)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, name, &x->want, 13);
    const struct unary f = {image, NULL, qd_interval_argument};
    return status == QD_OK ? store_all(evaluation, x, &f, y) : status;
}
