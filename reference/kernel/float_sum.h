/* SPDX-License-Identifier: Apache-2.0 */
/* Float dot products: every order of summation, with or without FMA.
 *
 * Source: Higham, Accuracy and Stability of Numerical Algorithms, §3.1 (γ_n); reference/README.md,
 * "Admissible sets". */
#ifndef QDIFF_REFERENCE_FLOAT_SUM_H
#define QDIFF_REFERENCE_FLOAT_SUM_H

#include <limits.h>

#include "qdiff/evaluate.h"
#include "qdiff/interval.h"

/* Exponent of the lowest set bit of a finite number; INT_MAX for 0. */
int qd_float_quantum(double x);

/* A float value taken apart for fast access. Arrays have the value's element count. */
struct qd_float_operand {
    const struct qd_value *value;
    struct qd_interval *hull;
    struct qd_interval *exact; /* numbers; those of `hull` where all are points */
    /* The exponent of a point's lowest set bit (INT_MAX for 0); INT_MIN where the element is an
     * interval. */
    int *quantum;
    bool special; /* some element is NaN, infinite or unspecified */
    bool fusable; /* terms come from DequantizeLinear */
};
enum qd_status qd_float_operand_make(const struct qd_evaluation *evaluation,
                                     const struct qd_value *value,
                                     struct qd_float_operand *operand);

/* The terms of a sum that are not 0, as long as they are few: the orders of these can be looked at (few_terms.h). */
enum { QD_FEW_TERMS = 5, QD_MANY_TERMS = QD_FEW_TERMS + 1 };
struct qd_few_term {
    const struct qd_float_operand *x, *w; /* w NULL: the term is x's element */
    int64_t i, j;
};
struct qd_few {
    unsigned count; /* QD_MANY_TERMS: they are not kept */
    double part;    /* a power of two that their sum is multiplied by; 0: none */
    struct qd_few_term at[QD_FEW_TERMS];
};

/* A sum under construction. */
struct qd_float_sum {
    struct qd_interval total; /* of the hulls of the terms */
    struct qd_interval
        exact; /* the sum of their exact numbers (value.h), if `apart`; else total is it */
    bool apart;
    double magnitude; /* Σ sup|x|·sup|w| */
    double peak;      /* the greatest magnitude before a scaling */
    double abs_sum;   /* Σ of what a fused kernel sums */
    int quantum;      /* all terms are multiples of 2^quantum; INT_MIN: some term is an interval */
    int64_t terms;
    struct qd_few few;
    bool of_terms; /* of numbers as they are, no product among them */
    bool mixed;    /* of these some that is not 0 is no code of the scale `common` */
    float common;  /* 0: all are 0 */
    bool limited;  /* no order gives more than `limits` */
    struct qd_interval limits;
    bool special; /* a NaN, an infinity or an unspecified element takes part */
    bool plus; /* some term is no zero, or +0: then a sum of 0 is +0 in every order, by IEEE 754 */
    bool
        turned; /* by a factor that is not positive: whether before or after summing decides a zero's sign */
};
#define QD_FLOAT_SUM_EMPTY \
    ((struct qd_float_sum){.quantum = INT_MAX, .few = {.count = QD_MANY_TERMS}})
/* The same of products and biases that are added in float32, and nothing else: of few of them only what their orders
 * give is admitted. The operands stay until the sum is stored. */
#define QD_FLOAT_SUM_OF_PRODUCTS ((struct qd_float_sum){.quantum = INT_MAX})
/* The same of numbers as they are, and no product. */
#define QD_FLOAT_SUM_OF_TERMS ((struct qd_float_sum){.quantum = INT_MAX, .of_terms = true})

void qd_float_sum_product(struct qd_float_sum *sum, const struct qd_float_operand *x, int64_t i,
                          const struct qd_float_operand *w, int64_t j);
/* A product with padding: 0, but a kernel that really multiplies makes NaN of an infinite
 * weight. */
void qd_float_sum_padding(struct qd_float_sum *sum, const struct qd_float_operand *w, int64_t j);
void qd_float_sum_term(struct qd_float_sum *sum, const struct qd_float_operand *b, int64_t i);

/* What is known of the exact number. */
struct qd_interval qd_float_sum_exact(const struct qd_float_sum *sum);

/* The sum times a finite factor, applied at any point of the computation; and the sum of two
 * sums. */
void qd_float_sum_scale(struct qd_float_sum *sum, double factor);
void qd_float_sum_add(struct qd_float_sum *sum, const struct qd_float_sum *other);

/* Stores the sum as element i of y (f32, f16 or bf16). `extra` counts roundings besides the
 * products' and the sum's. The admissible hull:
 *   all terms points and multiples of 2^e, −149 ≤ e ≤ 103, Σ|terms| ≤ 2^(e+24): the exact sum, one
 *   value; else the exact sum ± (γ_n·Σ sup|x|·sup|w| + K·2^−150), n = K + 2 + extra, in float32,
 *   then one rounding to f16/bf16; of a sum of few products no more of this than few_terms.h.
 * A sum of 0 has either sign where all terms are -0 (a kernel may begin with +0 or with the first
 * term), after a factor that is not positive, and where integers may be summed instead and a scale
 * is negative.
 * n·2^−24 ≥ ½ or a result beyond float32: unspecified. A NaN, an infinity or an unspecified element
 * among the terms: unspecified. */
enum qd_status qd_float_sum_store(const struct qd_evaluation *evaluation,
                                  const struct qd_float_sum *sum, int64_t extra, struct qd_value *y,
                                  int64_t i);

/* Stores the sum, one of terms, divided by n > 0. One term divided by 1 is itself. For n a power of two the
 * quotient is the scaled sum (QD_PLAIN); else y.fusion.averaged is set, and where no order of the sum
 * rounds the hull is that of S/n, RN(S/n) and RN(S·RN(1/n)), canonical RN(S/n); where one does, the
 * bound with two roundings more. What is divided is not gone on with: y.fusion.sum_terms stays
 * 0. */
enum qd_status qd_float_sum_store_mean(const struct qd_evaluation *evaluation,
                                       struct qd_float_sum *sum, int64_t n, struct qd_value *y,
                                       int64_t i);

/* Prepares y to take sums: gives it an abs_sum and joins what the operands are made of: one that is
 * averaged, or two that are multiplied and a bias; NULL operands are allowed. */
enum qd_status qd_float_sum_begin(const struct qd_evaluation *evaluation,
                                  const struct qd_float_operand *const *operands, size_t count,
                                  struct qd_value *y);

/* What a + b may be off when the sum that one of them is goes on from the other (MatMul and Add
 * fused to Gemm: each partial sum rounds at the size of the other): γ_n·Σ|terms| of both, 0 where
 * neither is a sum or no order rounds; negative: no bound. */
double qd_float_sum_join_error(const struct qd_value *a, int64_t i, const struct qd_value *b,
                               int64_t j);

#endif
