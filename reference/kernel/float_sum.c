/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/float_sum.h"

#include <math.h>

#include "kernel/few_terms.h"
#include "qdiff/exact.h"

int qd_float_quantum(double x)
{
    if (x == 0)
        return INT_MAX;
    int exponent;
    int64_t m = (int64_t)ldexp(frexp(fabs(x), &exponent), 53);
    return exponent - 53 + __builtin_ctzll((uint64_t)m);
}

enum qd_status qd_float_operand_make(const struct qd_evaluation *evaluation,
                                     const struct qd_value *value, struct qd_float_operand *operand)
{
    size_t count = (size_t)value->want.count;
    struct qd_float_operand made = {.value = value, .fusable = value->fusion.dequantized};
    made.hull = qd_arena_array(evaluation->arena, count, sizeof *made.hull);
    made.exact =
        value->lo ? qd_arena_array(evaluation->arena, count, sizeof *made.exact) : made.hull;
    made.quantum = qd_arena_array(evaluation->arena, count, sizeof *made.quantum);
    if (!made.hull || !made.exact || !made.quantum)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %zu elements", count);
    for (size_t i = 0; i < count && !qd_sample_is_none(evaluation); i++) {
        uint8_t flags = qd_value_flags(value, (int64_t)i);
        made.hull[i] = qd_interval_of(value, (int64_t)i);
        if (value->lo)
            made.exact[i] = qd_value_exact(value, (int64_t)i);
        bool finite = isfinite(made.hull[i].lo) && isfinite(made.hull[i].hi);
        if (!finite || flags & (QD_UNSPECIFIED | QD_NOT_NUMBER)) {
            made.special = true;
            made.hull[i] = (struct qd_interval){NAN, NAN};
        } else {
            made.quantum[i] =
                made.hull[i].lo == made.hull[i].hi ? qd_float_quantum(made.hull[i].lo) : INT_MIN;
        }
    }
    *operand = made;
    return QD_OK;
}

struct qd_interval qd_float_sum_exact(const struct qd_float_sum *sum)
{
    return sum->apart ? sum->exact : sum->total;
}

/* Before `total` grows by a term, whose exact number this is; NULL: the term itself. */
static void add_exact(struct qd_float_sum *sum, struct qd_interval term,
                      const struct qd_interval *exact)
{
    if (!sum->apart && !exact)
        return;
    sum->exact = qd_interval_add(qd_float_sum_exact(sum), exact ? *exact : term);
    sum->apart = true;
}

static void add_term(struct qd_float_sum *sum, struct qd_interval term,
                     const struct qd_interval *exact, double magnitude, double abs_sum, int quantum)
{
    add_exact(sum, term, exact);
    sum->total = qd_interval_add(sum->total, term);
    sum->magnitude += magnitude;
    sum->abs_sum += abs_sum;
    sum->quantum = quantum < sum->quantum ? quantum : sum->quantum;
    sum->plus = sum->plus || term.lo != 0 || !signbit(term.lo);
    sum->terms++;
}

static double abs_sum_of(const struct qd_float_operand *x, int64_t i)
{
    return x->fusable ? x->value->abs_sum[i] : qd_interval_magnitude(x->hull[i]);
}

static int product_quantum(int a, int b)
{
    if (a == INT_MAX || b == INT_MAX)
        return INT_MAX; /* a factor is 0 */
    return a == INT_MIN || b == INT_MIN ? INT_MIN : a + b;
}

void qd_float_sum_product(struct qd_float_sum *sum, const struct qd_float_operand *x, int64_t i,
                          const struct qd_float_operand *w, int64_t j)
{
    if ((x->special && isnan(x->hull[i].lo)) || (w->special && isnan(w->hull[j].lo))) {
        sum->special = true;
        return;
    }
    struct qd_interval term = qd_interval_multiply(x->hull[i], w->hull[j]), exact = term;
    bool points = x->exact == x->hull && w->exact == w->hull;
    if (!points)
        exact = qd_interval_multiply(x->exact[i], w->exact[j]);
    double abs_sum = abs_sum_of(x, i) * abs_sum_of(w, j);
    int quantum = product_quantum(x->quantum[i], w->quantum[j]);
    add_term(sum, term, points ? NULL : &exact, qd_interval_magnitude(term), abs_sum, quantum);
    if (quantum != INT_MAX)
        qd_few_include(&sum->few, x, i, w, j);
}

void qd_float_sum_padding(struct qd_float_sum *sum, const struct qd_float_operand *w, int64_t j)
{
    sum->special = sum->special || (w->special && isnan(w->hull[j].lo));
}

/* Whether all terms that are not 0 are codes of one scale. */
static void follow_scale(struct qd_float_sum *sum, const struct qd_value *value, int64_t i)
{
    float scale = value->factor ? value->factor[i] : 0;
    sum->mixed = sum->mixed || scale == 0 || (sum->common != 0 && sum->common != scale);
    sum->common = scale;
}

void qd_float_sum_term(struct qd_float_sum *sum, const struct qd_float_operand *b, int64_t i)
{
    if (b->special && isnan(b->hull[i].lo)) {
        sum->special = true;
        return;
    }
    add_term(sum, b->hull[i], b->exact == b->hull ? NULL : &b->exact[i],
             qd_interval_magnitude(b->hull[i]), abs_sum_of(b, i), b->quantum[i]);
    if (b->quantum[i] == INT_MAX)
        return;
    qd_few_include(&sum->few, b, i, NULL, 0);
    if (sum->of_terms)
        follow_scale(sum, b->value, i);
}

static void multiply_by(struct qd_float_sum *sum, double factor)
{
    if (factor == 1)
        return;
    sum->turned = sum->turned || factor <= 0;
    sum->total = qd_interval_multiply(sum->total, (struct qd_interval){factor, factor});
    if (sum->apart)
        sum->exact = qd_interval_multiply(sum->exact, (struct qd_interval){factor, factor});
    sum->peak = fmax(sum->peak, sum->magnitude);
    sum->magnitude *= fabs(factor);
    sum->abs_sum *= fabs(factor);
    sum->quantum = product_quantum(sum->quantum, qd_float_quantum(factor));
}

void qd_float_sum_scale(struct qd_float_sum *sum, double factor)
{
    if (factor != 1)
        sum->few.count = QD_MANY_TERMS; /* the factor has orders of its own */
    multiply_by(sum, factor);
}

void qd_float_sum_add(struct qd_float_sum *sum, const struct qd_float_sum *other)
{
    add_exact(sum, other->total, other->apart ? &other->exact : NULL);
    sum->total = qd_interval_add(sum->total, other->total);
    sum->peak = fmax(sum->peak, other->peak);
    sum->magnitude += other->magnitude;
    sum->abs_sum += other->abs_sum;
    sum->quantum = other->quantum < sum->quantum ? other->quantum : sum->quantum;
    sum->terms += other->terms;
    qd_few_join(&sum->few, &other->few);
    sum->plus = sum->plus || other->plus;
    sum->turned = sum->turned || other->turned;
    sum->special = sum->special || other->special;
}

/* What sums are kept in. */
struct accumulator {
    int digits, quantum; /* of its numbers; the exponent of the lowest bit of all */
};
/* Beyond it float32 may overflow: nothing is said of such sums. */
static const double greatest_total = 0x1p127;
static const struct accumulator in_f32 = {24, -149}, in_f16 = {11, -24}, in_bf16 = {8, -133};

/* No partial sum of any order needs more digits. */
static bool exact_in_any_order(const struct qd_float_sum *sum, const struct accumulator *kept)
{
    if (sum->quantum == INT_MAX)
        return true; /* all terms are 0 */
    return sum->quantum >= kept->quantum && sum->quantum <= 127 - kept->digits &&
           sum->magnitude <= ldexp(1.0, sum->quantum + kept->digits);
}

static int point_quantum(const struct qd_value *value, int64_t i)
{
    double x = qd_value_lo(value, i);
    return qd_value_is_point(value, i) && isfinite(x) ? qd_float_quantum(x) : INT_MIN;
}

/* Bound of the error of any order; negative: none holds. */
static double error_bound(const struct qd_float_sum *sum, int64_t extra,
                          const struct accumulator *kept)
{
    if (exact_in_any_order(sum, kept))
        return 0;
    double nu = ldexp((double)(sum->terms + 2 + extra), -kept->digits);
    if (nu >= 0.5)
        return -1;
    /* Our own double sums of nonnegative terms are within K·2^−52 of the exact ones, and the few
     * operations below within 2^−50: the factor covers both for every K with nu < ½. */
    double gamma = nu / (1 - nu) * (1 + 0x1p-26);
    return gamma * sum->magnitude + ldexp((double)sum->terms, kept->quantum - 1);
}

/* Whether the semantics may keep sums in y's own type, which is one of 16 bits. */
static bool is_narrow(const struct qd_evaluation *evaluation, enum qd_dtype type)
{
    return evaluation->semantics->float_accumulator == QD_FLOAT_ACC_OWN &&
           (type == QD_F16 || type == QD_BF16);
}

/* Of a sum that is kept in float32, rounded, and has few operations after it in a narrower type. */
static double error_rounded(const struct qd_float_sum *sum, int64_t extra,
                            const struct accumulator *own)
{
    double error = error_bound(sum, extra, &in_f32), nu = ldexp((double)(extra + 2), -own->digits);
    return error < 0 ? error
                     : error + nu / (1 - nu) * (1 + 0x1p-26) * (sum->magnitude + error) +
                           ldexp((double)(extra + 2), own->quantum - 1);
}

/* The error of the sum: in its own type where the semantics may keep it there and the error has a bound, else rounded
 * to it. It is that of the orders in which no partial sum overflows: an infinity of one that does is not admitted. */
static double error_in(const struct qd_evaluation *evaluation, const struct qd_float_sum *sum,
                       int64_t extra, enum qd_dtype type)
{
    const struct accumulator *own = type == QD_F16 ? &in_f16 : &in_bf16;
    if (!is_narrow(evaluation, type))
        return error_bound(sum, extra, &in_f32);
    double error = error_bound(sum, extra, own);
    error = error < 0 ? error_rounded(sum, extra, own) : error;
    return error >= 0 && fmax(sum->peak, sum->magnitude) + error <= greatest_total
               ? error
               : error_bound(sum, extra, &in_f32);
}

static struct qd_interval intersect(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){fmax(a.lo, b.lo), fmin(a.hi, b.hi)};
}

/* What a sum with that error may be; `few`: what few terms may give. */
static struct qd_interval hull_within(const struct qd_evaluation *evaluation,
                                      const struct qd_float_sum *sum, double error,
                                      enum qd_dtype type, struct qd_few_numbers *few)
{
    struct qd_interval hull = qd_interval_widen(sum->total, error);
    few->count = 0;
    if (sum->limited)
        return intersect(hull, sum->limits);
    if (error == 0 || is_narrow(evaluation, type) ||
        !qd_few_orders(sum, evaluation->hidden || type != QD_F32, few))
        return hull;
    return intersect(hull, few->hull);
}

static enum qd_status open_zero(const struct qd_evaluation *evaluation,
                                const struct qd_float_sum *sum, struct qd_value *y, int64_t i)
{
    bool integers = y->fusion.dequantized && y->fusion.negative_scales;
    if (sum->terms == 0 || (sum->plus && !sum->turned && !integers))
        return QD_OK;
    return qd_value_open_zero(y, i, evaluation->arena, evaluation->error);
}

/* Of codes of one scale the sum is one, too, in any order: float32 holds it. */
static enum qd_status set_common(const struct qd_evaluation *evaluation,
                                 const struct qd_float_sum *sum, struct qd_value *y, int64_t i)
{
    double part = sum->few.part != 0 ? sum->few.part : 1;
    if (!sum->of_terms || sum->mixed || sum->common == 0 ||
        sum->abs_sum > 0x1p24 * fabs((double)sum->common) * part)
        return QD_OK;
    enum qd_status status = qd_value_need_common(y, evaluation->arena, evaluation->error);
    if (status == QD_OK)
        y->common[i] = sum->common;
    return status;
}

enum qd_status qd_float_sum_store(const struct qd_evaluation *evaluation,
                                  const struct qd_float_sum *sum, int64_t extra, struct qd_value *y,
                                  int64_t i)
{
    struct qd_arena *arena = evaluation->arena;
    double error = error_in(evaluation, sum, extra, y->want.dtype);
    y->abs_sum[i] = sum->abs_sum;
    y->fusion.sum_terms = sum->terms > y->fusion.sum_terms ? sum->terms : y->fusion.sum_terms;
    y->fusion.sum_quantum =
        sum->quantum < y->fusion.sum_quantum ? sum->quantum : y->fusion.sum_quantum;
    if (sum->special || error < 0)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, arena, evaluation->error);
    if (fmax(sum->peak, sum->magnitude) + error > greatest_total)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, arena, evaluation->error);
    struct qd_few_numbers few;
    struct qd_interval hull = hull_within(evaluation, sum, error, y->want.dtype, &few);
    if (y->want.dtype != QD_F32)
        hull = qd_interval_round(y->want.dtype, hull);
    enum qd_status status =
        qd_interval_store(y, i, hull, qd_float_sum_exact(sum), arena, evaluation->error);
    if (status == QD_OK)
        status = open_zero(evaluation, sum, y, i);
    if (status == QD_OK && few.count > 0)
        status = qd_value_limit(y, i, few.points, few.count, arena, evaluation->error);
    return status == QD_OK && (extra == 0 || sum->limited) ? set_common(evaluation, sum, y, i)
                                                           : status;
}

/* Takes S/n in that type into the hull: the division, or the product with the rounded reciprocal. */
static void include_quotient(enum qd_dtype type, double total, double n, struct qd_interval *hull)
{
    double reciprocal = qd_float_divide(type, QD_NEAREST_EVEN, 1, n);
    double single = qd_float_divide(type, QD_NEAREST_EVEN, total, n);
    double product = qd_float_multiply(type, QD_NEAREST_EVEN, total, reciprocal);
    hull->lo = fmin(hull->lo, fmin(single, product));
    hull->hi = fmax(hull->hi, fmax(single, product));
}

/* S/n of an exact S. */
static enum qd_status store_quotient(const struct qd_evaluation *evaluation, double total, double n,
                                     struct qd_value *y, int64_t i)
{
    struct qd_interval sum = {total, total}, divisor = {n, n};
    struct qd_interval exact = qd_interval_divide(sum, divisor), hull = exact;
    include_quotient(QD_F32, total, n, &hull);
    if (is_narrow(evaluation, y->want.dtype))
        include_quotient(y->want.dtype, total, n, &hull);
    if (y->want.dtype != QD_F32)
        hull = qd_interval_round(y->want.dtype, hull);
    return qd_interval_store(y, i, hull, exact, evaluation->arena, evaluation->error);
}

enum qd_status qd_float_sum_store_mean(const struct qd_evaluation *evaluation,
                                       struct qd_float_sum *sum, int64_t n, struct qd_value *y,
                                       int64_t i)
{
    enum qd_status status;
    struct qd_interval divisor = {(double)n, (double)n};
    bool exact = error_in(evaluation, sum, 0, y->want.dtype) == 0 && !sum->special;
    bool rough = (n & (n - 1)) != 0;
    if (n == 1 && sum->terms == 1 && !sum->special) { /* itself */
        y->abs_sum[i] = sum->abs_sum;
        status = qd_interval_store(y, i, sum->total, qd_float_sum_exact(sum), evaluation->arena,
                                   evaluation->error);
        if (status == QD_OK)
            status = open_zero(evaluation, sum, y, i);
    } else if (!rough) {
        multiply_by(sum, 1 / divisor.lo);
        sum->few.part = 1 / divisor.lo;
        status = qd_float_sum_store(evaluation, sum, 0, y, i);
    } else if (exact && sum->magnitude <= greatest_total) {
        y->abs_sum[i] = sum->abs_sum / divisor.lo;
        status = store_quotient(evaluation, sum->total.lo, divisor.lo, y, i);
        if (status == QD_OK)
            status = open_zero(evaluation, sum, y, i);
    } else {
        sum->peak = fmax(sum->peak, sum->magnitude);
        sum->exact = qd_interval_divide(qd_float_sum_exact(sum), divisor);
        sum->apart = true;
        sum->total = qd_interval_divide(sum->total, divisor);
        sum->magnitude = nextafter(sum->magnitude / divisor.lo, INFINITY);
        sum->abs_sum /= divisor.lo;
        sum->quantum = INT_MIN;
        sum->few.count = QD_MANY_TERMS; /* the divisor has orders of its own */
        status = qd_float_sum_store(evaluation, sum, 2, y, i);
    }
    y->fusion.averaged = y->fusion.averaged || rough;
    y->fusion.sum_terms = 0;
    return status == QD_OK && !rough
               ? qd_value_set_plain(y, i, evaluation->arena, evaluation->error)
               : status;
}

enum qd_status qd_float_sum_begin(const struct qd_evaluation *evaluation,
                                  const struct qd_float_operand *const *operands, size_t count,
                                  struct qd_value *y)
{
    for (size_t i = 0; i < count; i++) {
        if (!operands[i])
            continue;
        const struct qd_fusion *fusion = &operands[i]->value->fusion;
        if (i == 0)
            qd_fusion_join(&y->fusion, fusion);
        else if (i == 1)
            qd_fusion_multiply(&y->fusion, fusion);
        else
            qd_fusion_add(&y->fusion, fusion);
    }
    y->fusion.sum_terms = 0;
    y->fusion.sum_quantum = INT_MAX;
    return qd_value_need_abs_sum(y, evaluation->arena, evaluation->error);
}

double qd_float_sum_join_error(const struct qd_value *a, int64_t i, const struct qd_value *b,
                               int64_t j)
{
    int64_t terms = a->fusion.sum_terms + b->fusion.sum_terms;
    if (terms == 0)
        return 0;
    struct qd_float_sum sum = {.terms = terms + 2,
                               .magnitude = qd_value_abs_sum(a, i) + qd_value_abs_sum(b, j)};
    int a_quantum = a->fusion.sum_terms ? a->fusion.sum_quantum : point_quantum(a, i);
    int b_quantum = b->fusion.sum_terms ? b->fusion.sum_quantum : point_quantum(b, j);
    sum.quantum = a_quantum < b_quantum ? a_quantum : b_quantum;
    return error_bound(&sum, 0, &in_f32);
}
