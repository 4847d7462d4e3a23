/* SPDX-License-Identifier: Apache-2.0 */
/* All numbers are multiples of a quarter of the scale's lowest bit, below 2^48 of it: doubles hold them. */
#include "kernel/halves.h"

#include <math.h>

#include "kernel/few_terms.h"

/* Two codes have two numbers each, and a step gives six of each pair of numbers. */
enum { MOST = 24 };
struct numbers {
    unsigned count;
    double at[MOST];
};

static void include(struct numbers *set, double x)
{
    for (unsigned k = 0; k < set->count; k++)
        if (set->at[k] == x)
            return;
    set->at[set->count++] = x;
}

static void include_both(struct numbers *set, double exact)
{
    include(set, exact);
    include(set, (double)(float)exact);
}

static void include_in(struct qd_interval *hull, double exact)
{
    double rounded = (double)(float)exact;
    hull->lo = fmin(hull->lo, fmin(exact, rounded));
    hull->hi = fmax(hull->hi, fmax(exact, rounded));
}

enum { FORMS = 3 };

/* What is half-way between a and b, before it is rounded. A difference that is not rounded gives the first. */
static void half_way(double a, double b, double forms[FORMS])
{
    double difference = (double)(float)(b - a);
    forms[0] = (a + b) / 2;
    forms[1] = a + difference / 2;
    forms[2] = b - difference / 2;
}

static struct numbers between(const struct numbers *a, const struct numbers *b)
{
    struct numbers found = {0};
    double forms[FORMS];
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++) {
            half_way(a->at[i], b->at[j], forms);
            for (int k = 0; k < FORMS; k++)
                include_both(&found, forms[k]);
        }
    return found;
}

static void include_between(struct qd_interval *hull, const struct numbers *a,
                            const struct numbers *b)
{
    double forms[FORMS];
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++) {
            half_way(a->at[i], b->at[j], forms);
            for (int k = 0; k < FORMS; k++)
                include_in(hull, forms[k]);
        }
}

/* Along one axis and then the other. */
static void include_steps(struct qd_interval *hull, const struct numbers *at, unsigned axes)
{
    if (axes == 1) {
        include_between(hull, &at[0], &at[1]);
        return;
    }
    for (unsigned first = 1; first <= 2; first++) {
        struct numbers low = between(&at[0], &at[first]), high = between(&at[3 - first], &at[3]);
        include_between(hull, &low, &high);
    }
}

struct qd_interval qd_halves(const double *codes, unsigned axes, double scale)
{
    unsigned count = 1U << axes, terms = 0;
    struct numbers at[QD_HALVED_CODES] = {{.count = 0}};
    struct qd_interval hull = {INFINITY, -INFINITY}, sums[QD_HALVED_CODES], sum;
    double mean = 0;
    for (unsigned k = 0; k < count; k++) {
        double exact = codes[k] * scale, rounded = (double)(float)exact;
        include_both(&at[k], exact);
        mean += codes[k] / count;
        if (codes[k] != 0)
            sums[terms++] = (struct qd_interval){fmin(exact, rounded), fmax(exact, rounded)};
    }
    include_in(&hull, mean * scale);
    if (axes > 0)
        include_steps(&hull, at, axes);
    if (terms == 0)
        return hull;
    sum = qd_sum_of_few(sums, terms);
    return qd_interval_join(hull, (struct qd_interval){sum.lo / count, sum.hi / count});
}
