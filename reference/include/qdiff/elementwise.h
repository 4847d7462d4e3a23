/* Float operators that work element by element, on intervals.
 *
 * An element is NaN as soon as an operand is; unspecified as soon as an operand is, or when infinities meet an interval. */
#ifndef QDIFF_ELEMENTWISE_H
#define QDIFF_ELEMENTWISE_H

#include "qdiff/evaluate.h"
#include "qdiff/interval.h"

/* The exact result of one element, as an interval that is a point when the operands are. */
typedef struct qd_interval qd_binary_exact(struct qd_interval a, struct qd_interval b);

/* y = RN(exact(a, b)) with broadcasting; a and b have one float type. `sum` tells what the terms of a fused
 * computation add up to: true for sums (|a| + |b|), false for products (|a|·|b|). Rules: type-mismatch, types, broadcast. */
enum qd_status qd_elementwise_binary(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const struct qd_value *a,
                                     const struct qd_value *b, qd_binary_exact *exact, bool sum,
                                     struct qd_value *y);

/* A monotone function without rounding (Relu, Clip), with its context: f of both ends, flags kept. */
typedef double qd_monotone(const void *context, double x);
enum qd_status qd_elementwise_monotone(const struct qd_evaluation *evaluation,
                                       const struct qd_value *x, qd_monotone *f,
                                       const void *context, struct qd_value *y);

#endif
