/* SPDX-License-Identifier: Apache-2.0 */
/* Float sums of so few terms that every order can be looked at.
 *
 * Each product and each sum is rounded to float32, to double, or left exact, for itself. What an order gives lies
 * between the least and the greatest of these numbers; of up to three terms it is one of them.
 *
 * Source: reference/README.md, "Admissible sets". */
#ifndef QDIFF_REFERENCE_FEW_TERMS_H
#define QDIFF_REFERENCE_FEW_TERMS_H

#include "kernel/float_sum.h"

/* The sum of 1 ≤ count ≤ QD_FEW_TERMS terms. */
struct qd_interval qd_sum_of_few(const struct qd_interval *terms, unsigned count);

/* One more product, or with w NULL one more term, that is not 0. */
void qd_few_include(struct qd_few *few, const struct qd_float_operand *x, int64_t i,
                    const struct qd_float_operand *w, int64_t j);

/* The terms of both. */
void qd_few_join(struct qd_few *few, const struct qd_few *other);

/* What orders give. */
struct qd_few_numbers {
    struct qd_interval hull;
    size_t count; /* of points; 0: all of the hull */
    double points[QD_MAX_POINTS];
};

/* What the orders give: of the products and terms as they are; and of codes, summed before a scale that all
 * of them have:
 *   f(Σ q·w)·s, f(Σ x·q)·t, f(Σ q)·s;  a = f(Σ q_x·q_w): a·(s·t), (a·s)·t, (a·t)·s
 * the terms added to it, or, if they are codes of the scale s·t, to a. f: in any order. Of up to three terms, and of no
 * more numbers than there is room for, each of float32; else their hull. False where there are too many
 * terms, or none, or dequantized ones that are not codes, or not of one scale, or, zeros counted too, so many `terms`
 * that kernels scale blocks of them. */
bool qd_few_orders(const struct qd_float_sum *sum, bool hull_alone, struct qd_few_numbers *numbers);

#endif
