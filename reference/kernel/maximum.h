/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest of some elements of a value, with hulls: MaxPool, ReduceMax. */
#ifndef QDIFF_REFERENCE_MAXIMUM_H
#define QDIFF_REFERENCE_MAXIMUM_H

#include <math.h>

#include "qdiff/evaluate.h"

/* The elements so far. */
struct qd_maximum {
    int64_t best; /* index of the greatest canonical value, −1 if there is none */
    double want, lo, hi, abs_sum;
    float factor;             /* of which all are codes; 0: of none, or of several */
    double loose;             /* the greatest upper end of the elements without canonical value */
    struct qd_interval exact; /* of the greatest exact number */
    bool unspecified;         /* of some element */
    bool extreme_scale;       /* of some element */
    bool empty;
    bool tied;                  /* several elements are the greatest */
    bool plus_zero, minus_zero; /* some element is a float zero of that sign */
};
#define QD_MAXIMUM_EMPTY                                  \
    ((struct qd_maximum){.best = -1,                      \
                         .want = -INFINITY,               \
                         .lo = -INFINITY,                 \
                         .hi = -INFINITY,                 \
                         .loose = -INFINITY,              \
                         .exact = {-INFINITY, -INFINITY}, \
                         .empty = true})

/* NaN among them makes the maximum unspecified. */
void qd_maximum_include(struct qd_maximum *maximum, const struct qd_value *x, int64_t i);

/* An empty value of x's type that keeps what is known of x as a whole; takes maxima. */
enum qd_status qd_maximum_begin(const struct qd_evaluation *evaluation, const struct qd_value *x,
                                unsigned rank, const int64_t *dims, struct qd_value *y);

/* Stores the maximum of elements of x as element i of y; unspecified when there are none. The hull
 * is the greatest lower end to the greatest upper end. */
enum qd_status qd_maximum_store(const struct qd_evaluation *evaluation,
                                const struct qd_maximum *maximum, const struct qd_value *x,
                                struct qd_value *y, int64_t i);

#endif
