/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/few_terms.h"

#include <math.h>

#include "number/float_bits.h"

/* Codes of one scale may be scaled in blocks of so many (MatMulNBits). */
enum { LEAST_BLOCK = 16 };

/* --- Numbers that an operation may give --------------------------------------------------------- */

/* Of so few terms they are kept apart, of more their hull alone. */
enum { APART_TERMS = 3, MOST_APART = 64 };

/* Intervals; beyond `most` of them their hull. `last`: nothing follows but the rounding to float32, which is done. */
struct numbers {
    bool last;
    unsigned most, count;
    struct qd_interval at[MOST_APART];
};

static void clear(struct numbers *set, unsigned most)
{
    set->last = false;
    set->most = most;
    set->count = 0;
}

static struct qd_interval hull_of(const struct numbers *set)
{
    struct qd_interval hull = {INFINITY, -INFINITY};
    for (unsigned k = 0; k < set->count; k++)
        hull = qd_interval_join(hull, set->at[k]);
    return hull;
}

static void include(struct numbers *set, struct qd_interval x)
{
    for (unsigned k = 0; k < set->count; k++)
        if (set->at[k].lo <= x.lo && x.hi <= set->at[k].hi)
            return;
    if (set->count == set->most) {
        x = qd_interval_join(hull_of(set), x);
        set->count = 0;
    }
    set->at[set->count++] = x;
}

/* What float32 has for the exact number; where its ends have neighbours, these two. */
static void include_float32(struct numbers *set, struct qd_interval exact)
{
    double lo = qd_float_round(QD_F32, QD_NEAREST_EVEN, exact.lo),
           hi = exact.hi == exact.lo ? lo : qd_float_round(QD_F32, QD_NEAREST_EVEN, exact.hi);
    if (hi > (double)qd_next_up_f32((float)lo)) {
        include(set, (struct qd_interval){lo, hi});
        return;
    }
    include(set, qd_interval_point(lo));
    include(set, qd_interval_point(hi));
}

/* The exact number too: a fused kernel, or one in double, has it. */
static void include_result(struct numbers *set, struct qd_interval exact)
{
    if (!set->last)
        include(set, exact);
    include_float32(set, exact);
}

static void multiply(const struct numbers *a, const struct numbers *b, struct numbers *products)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++)
            include_result(products, qd_interval_multiply(a->at[i], b->at[j]));
}

static void add(const struct numbers *a, const struct numbers *b, struct numbers *sums)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++)
            include_result(sums, qd_interval_add(a->at[i], b->at[j]));
}

static void sum_of_few(const struct numbers *const *terms, unsigned count, struct numbers *sums)
{
    struct numbers parts[1 << QD_FEW_TERMS]; /* by the set of terms */
    unsigned all = (1U << count) - 1;
    const struct numbers *of[1 << QD_FEW_TERMS];
    for (unsigned set = 1; set <= all; set++) {
        struct numbers *to = set == all ? sums : &parts[set];
        of[set] = (set & (set - 1)) == 0 ? terms[__builtin_ctz(set)] : to;
        if (to == &parts[set] && of[set] == to)
            clear(to, sums->most);
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            add(of[part], of[set ^ part], to);
    }
    for (unsigned k = 0; count == 1 && k < terms[0]->count; k++)
        (sums->last ? include_float32 : include)(sums, terms[0]->at[k]);
}

struct qd_interval qd_sum_of_few(const struct qd_interval *terms, unsigned count)
{
    struct numbers sets[QD_FEW_TERMS], sum;
    const struct numbers *of[QD_FEW_TERMS];
    for (unsigned k = 0; k < count; k++) {
        clear(&sets[k], 1);
        include(&sets[k], terms[k]);
        of[k] = &sets[k];
    }
    clear(&sum, 1);
    sum_of_few(of, count, &sum);
    return hull_of(&sum);
}

/* --- Terms -------------------------------------------------------------------------------------- */

void qd_few_include(struct qd_few *few, const struct qd_float_operand *x, int64_t i,
                    const struct qd_float_operand *w, int64_t j)
{
    if (few->count < QD_FEW_TERMS)
        few->at[few->count++] = (struct qd_few_term){x, w, i, j};
    else
        few->count = QD_MANY_TERMS;
}

void qd_few_join(struct qd_few *few, const struct qd_few *other)
{
    if (other->count == QD_MANY_TERMS)
        few->count = QD_MANY_TERMS;
    else
        for (unsigned k = 0; k < other->count; k++)
            qd_few_include(few, other->at[k].x, other->at[k].i, other->at[k].w, other->at[k].j);
}

/* One factor of every product, or every term added: the numbers, their codes if all are, and the scale. */
struct side {
    unsigned most, count;
    bool dequantized, codes; /* some are; all are, and of one scale */
    struct numbers scale;
    double step; /* that scale */
    struct numbers number[QD_FEW_TERMS], code[QD_FEW_TERMS];
};

static void begin(struct side *side, unsigned most)
{
    side->most = most;
    side->count = 0;
    side->dequantized = false;
    side->codes = true;
    side->step = 0;
}

static void add_number(struct side *side, const struct qd_float_operand *operand, int64_t i)
{
    unsigned k = side->count++;
    double code = 0, scale = 0;
    struct qd_interval hull = operand->hull[i];
    clear(&side->number[k], side->most);
    clear(&side->code[k], side->most);
    side->dequantized = side->dequantized || operand->fusable;
    bool is_code = operand->fusable && qd_value_is_code(operand->value, i, &code, &scale);
    side->codes = side->codes && is_code && (k == 0 || scale == side->step);
    side->step = scale;
    include_result(&side->code[k], qd_interval_point(code));
    if (is_code && hull.lo < hull.hi && side->most > 1)
        include_result(&side->number[k],
                       qd_interval_multiply(qd_interval_point(code), qd_interval_point(scale)));
    else
        include(&side->number[k], hull);
}

static void scale_of(struct side *side)
{
    clear(&side->scale, side->most);
    include(&side->scale, qd_interval_point(side->step));
}

/* --- Orders ------------------------------------------------------------------------------------- */

/* Includes the sums of products and, if `more`, of its terms too. */
static void sum_products(unsigned count, const struct numbers *x, const struct numbers *w,
                         unsigned more, const struct numbers *also, struct numbers *sums)
{
    struct numbers products[QD_FEW_TERMS];
    const struct numbers *terms[QD_FEW_TERMS] = {NULL};
    for (unsigned k = 0; k < count; k++) {
        clear(&products[k], sums->most);
        multiply(&x[k], &w[k], &products[k]);
        terms[k] = &products[k];
    }
    for (unsigned k = 0; k < more; k++)
        terms[count + k] = &also[k];
    sum_of_few(terms, count + more, sums);
}

/* Includes an accumulator times both scales. */
static void scale_twice(const struct numbers *a, const struct numbers *s, const struct numbers *t,
                        struct numbers *scaled)
{
    struct numbers acc, once;
    clear(&acc, a->most);
    for (unsigned k = 0; k < a->count; k++)
        include_result(&acc, a->at[k]);
    const struct numbers *const scales[] = {s, t};
    for (unsigned k = 0; k < 2; k++) {
        clear(&once, a->most);
        multiply(&acc, scales[k], &once);
        multiply(&once, scales[1 - k], scaled);
    }
    clear(&once, a->most);
    multiply(s, t, &once);
    multiply(&acc, &once, scaled);
}

/* Includes a sum of products, all of them scaled, and the terms. */
static void include_with_terms(struct numbers *all, const struct numbers *sum, const struct side *b)
{
    const struct numbers *terms[QD_FEW_TERMS + 1] = {sum};
    for (unsigned k = 0; k < b->count; k++)
        terms[1 + k] = &b->number[k];
    sum_of_few(terms, 1 + b->count, all);
}

/* Codes of x, or of w with the sides changed, summed before their scale. */
static void include_scaled_once(struct numbers *all, const struct side *x, const struct side *w,
                                const struct side *b)
{
    struct numbers sum, scaled;
    clear(&sum, all->most);
    clear(&scaled, all->most);
    sum_products(x->count, x->code, w->number, 0, NULL, &sum);
    multiply(&sum, &x->scale, &scaled);
    include_with_terms(all, &scaled, b);
}

/* Codes of both, and perhaps of the terms. */
static void include_scaled_twice(struct numbers *all, const struct side *x, const struct side *w,
                                 const struct side *b)
{
    struct numbers sum, scaled;
    double combined = x->step * w->step;
    clear(&sum, all->most);
    clear(&scaled, all->most);
    sum_products(x->count, x->code, w->code, 0, NULL, &sum);
    scale_twice(&sum, &x->scale, &w->scale, &scaled);
    include_with_terms(all, &scaled, b);
    if (b->count == 0 || !b->codes || fabs(b->step - combined) > fabs(combined) * 0x1p-20)
        return;
    clear(&sum, all->most);
    sum_products(x->count, x->code, w->code, b->count, b->code, &sum);
    scale_twice(&sum, &x->scale, &w->scale, all);
}

/* Codes of terms alone. */
static void include_scaled_terms(struct numbers *all, const struct side *b)
{
    const struct numbers *codes[QD_FEW_TERMS];
    struct numbers sum;
    for (unsigned k = 0; k < b->count; k++)
        codes[k] = &b->code[k];
    clear(&sum, all->most);
    sum_of_few(codes, b->count, &sum);
    multiply(&sum, &b->scale, all);
}

static void include_orders(const struct side *x, const struct side *w, const struct side *b,
                           struct numbers *all)
{
    sum_products(x->count, x->number, w->number, b->count, b->number, all);
    if (x->count > 0 && x->codes)
        include_scaled_once(all, x, w, b);
    if (x->count > 0 && w->codes)
        include_scaled_once(all, w, x, b);
    if (x->count > 0 && x->codes && w->codes)
        include_scaled_twice(all, x, w, b);
    if (x->count == 0 && b->dequantized)
        include_scaled_terms(all, b);
}

/* False where the orders of these terms are not known here. */
static bool find(const struct qd_float_sum *sum, unsigned most, struct numbers *all)
{
    const struct qd_few *few = &sum->few;
    struct side x, w, b;
    begin(&x, most);
    begin(&w, most);
    begin(&b, most);
    for (unsigned k = 0; k < few->count; k++) {
        const struct qd_few_term *term = &few->at[k];
        add_number(term->w ? &x : &b, term->x, term->i);
        if (term->w)
            add_number(&w, term->w, term->j);
    }
    if ((x.dequantized && !x.codes) || (w.dequantized && !w.codes) || (b.dequantized && !b.codes))
        return false;
    if ((x.dequantized || w.dequantized) && sum->terms > LEAST_BLOCK)
        return false;
    /* An accumulator of products, all 0, and these codes has scales that are not known here. */
    if (x.count == 0 && b.dequantized && !sum->of_terms)
        return false;
    scale_of(&x);
    scale_of(&w);
    scale_of(&b);
    clear(all, most);
    all->last = most > 1;
    include_orders(&x, &w, &b, all);
    return true;
}

/* The numbers of float32 that a set becomes; 0: it is not known to be so few of them, or they fill their hull. */
static size_t points_of(const struct numbers *all, double points[QD_MAX_POINTS])
{
    struct numbers rounded;
    size_t count = 0;
    clear(&rounded, MOST_APART);
    for (unsigned k = 0; k < all->count; k++)
        include_float32(&rounded, all->at[k]);
    struct qd_interval hull = hull_of(&rounded);
    if (rounded.count > QD_MAX_POINTS)
        return 0;
    for (; count < rounded.count; count++) {
        if (rounded.at[count].lo < rounded.at[count].hi)
            return 0;
        points[count] = rounded.at[count].lo;
    }
    float x = (float)hull.lo;
    for (size_t k = 1; k < count; k++)
        x = qd_next_up_f32(x);
    return (double)x == hull.hi ? 0 : count;
}

/* Whether other numbers of float32 may lie between the ends. */
static bool is_wide(struct qd_interval hull)
{
    float lo = (float)hull.lo, hi = (float)hull.hi;
    return lo < hi && qd_next_up_f32(lo) < hi;
}

/* Terms so far from what float32 has no more bits for that a part of their sum rounds as the sum does. */
static bool may_be_parted(const struct qd_few *few)
{
    const double least = 0x1p-70;
    for (unsigned k = 0; k < few->count; k++) {
        struct qd_interval term = few->at[k].x->hull[few->at[k].i];
        if (few->part * fmin(fabs(term.lo), fabs(term.hi)) < least)
            return false;
    }
    return true;
}

static void take_part(struct numbers *all, double part)
{
    for (unsigned k = 0; part != 0 && k < all->count; k++)
        all->at[k] = (struct qd_interval){all->at[k].lo * part, all->at[k].hi * part};
}

bool qd_few_orders(const struct qd_float_sum *sum, bool hull_alone, struct qd_few_numbers *numbers)
{
    struct numbers all;
    const struct qd_few *few = &sum->few;
    if (few->count == 0 || few->count == QD_MANY_TERMS || (few->part != 0 && !may_be_parted(few)) ||
        !find(sum, 1, &all))
        return false;
    take_part(&all, few->part);
    numbers->hull = hull_of(&all);
    numbers->count = 0;
    if (hull_alone || few->count > APART_TERMS || !is_wide(numbers->hull) ||
        !find(sum, MOST_APART, &all))
        return true;
    take_part(&all, few->part);
    numbers->count = points_of(&all, numbers->points);
    return true;
}
