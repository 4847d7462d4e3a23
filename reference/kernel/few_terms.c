/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/few_terms.h"

#include <math.h>

/* Codes of one scale may be scaled in blocks of so many (MatMulNBits). */
enum { LEAST_BLOCK = 16 };

static struct qd_interval rounded(struct qd_interval exact)
{
    return qd_interval_round(QD_F32, exact);
}

static struct qd_interval multiply(struct qd_interval a, struct qd_interval b)
{
    return rounded(qd_interval_multiply(a, b));
}

struct qd_interval qd_sum_of_few(const struct qd_interval *terms, unsigned count)
{
    struct qd_interval of[1 << QD_FEW_TERMS]; /* by the set of terms */
    unsigned all = (1U << count) - 1;
    for (unsigned set = 1; set <= all; set++) {
        struct qd_interval hull = {INFINITY, -INFINITY};
        if ((set & (set - 1)) == 0)
            hull = terms[__builtin_ctz(set)];
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            hull = qd_interval_join(hull, rounded(qd_interval_add(of[part], of[set ^ part])));
        of[set] = hull;
    }
    return of[all];
}

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
    unsigned count;
    bool dequantized, codes; /* some are; all are, and of one scale */
    double scale;
    struct qd_interval number[QD_FEW_TERMS], code[QD_FEW_TERMS];
};

static void add_number(struct side *side, const struct qd_float_operand *operand, int64_t i)
{
    unsigned k = side->count++;
    double code = 0, scale = 0;
    side->number[k] = operand->hull[i];
    side->dequantized = side->dequantized || operand->fusable;
    side->codes = side->codes && operand->fusable &&
                  qd_value_is_code(operand->value, i, &code, &scale) &&
                  (k == 0 || scale == side->scale);
    side->scale = scale;
    side->code[k] = rounded(qd_interval_point(code));
}

/* The sums of products and, if `more`, of its terms too. */
static struct qd_interval sum_products(unsigned count, const struct qd_interval *x,
                                       const struct qd_interval *w, unsigned more,
                                       const struct qd_interval *also)
{
    struct qd_interval terms[QD_FEW_TERMS];
    for (unsigned k = 0; k < count; k++)
        terms[k] = multiply(x[k], w[k]);
    for (unsigned k = 0; k < more; k++)
        terms[count + k] = also[k];
    return qd_sum_of_few(terms, count + more);
}

/* An accumulator times both scales. */
static struct qd_interval scale_twice(struct qd_interval a, struct qd_interval s,
                                      struct qd_interval t)
{
    a = rounded(a);
    struct qd_interval apart =
        qd_interval_join(multiply(multiply(a, s), t), multiply(multiply(a, t), s));
    return qd_interval_join(multiply(a, multiply(s, t)), apart);
}

/* A sum of products, all of them scaled, and the terms. */
static struct qd_interval add_terms(struct qd_interval sum, const struct side *b)
{
    struct qd_interval terms[QD_FEW_TERMS + 1] = {sum};
    for (unsigned k = 0; k < b->count; k++)
        terms[1 + k] = b->number[k];
    return qd_sum_of_few(terms, 1 + b->count);
}

static struct qd_interval hull_of(const struct side *x, const struct side *w, const struct side *b)
{
    const struct qd_interval s = qd_interval_point(x->scale), t = qd_interval_point(w->scale);
    unsigned n = x->count;
    struct qd_interval sum, hull = sum_products(n, x->number, w->number, b->count, b->number);
    if (n == 0)
        return hull;
    if (x->codes) {
        sum = sum_products(n, x->code, w->number, 0, NULL);
        hull = qd_interval_join(hull, add_terms(multiply(sum, s), b));
    }
    if (w->codes) {
        sum = sum_products(n, x->number, w->code, 0, NULL);
        hull = qd_interval_join(hull, add_terms(multiply(sum, t), b));
    }
    if (!x->codes || !w->codes)
        return hull;
    double combined = x->scale * w->scale;
    sum = sum_products(n, x->code, w->code, 0, NULL);
    hull = qd_interval_join(hull, add_terms(scale_twice(sum, s, t), b));
    if (b->count == 0 || !b->codes || fabs(b->scale - combined) > fabs(combined) * 0x1p-20)
        return hull;
    sum = sum_products(n, x->code, w->code, b->count, b->code);
    return qd_interval_join(hull, scale_twice(sum, s, t));
}

bool qd_few_hull(const struct qd_few *few, int64_t terms, struct qd_interval *hull)
{
    struct side x = {.codes = true}, w = {.codes = true}, b = {.codes = true};
    if (few->count == 0 || few->count == QD_MANY_TERMS)
        return false;
    for (unsigned k = 0; k < few->count; k++) {
        const struct qd_few_term *term = &few->at[k];
        add_number(term->w ? &x : &b, term->x, term->i);
        if (term->w)
            add_number(&w, term->w, term->j);
    }
    if ((x.dequantized && !x.codes) || (w.dequantized && !w.codes) || (b.dequantized && !b.codes))
        return false;
    if ((x.dequantized || w.dequantized) && terms > LEAST_BLOCK)
        return false;
    /* An accumulator of these codes has scales that are not known here. */
    if (x.count == 0 && b.dequantized)
        return false;
    *hull = hull_of(&x, &w, &b);
    return true;
}
