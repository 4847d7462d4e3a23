/* SPDX-License-Identifier: Apache-2.0 */
/* What the reference knows of a tensor: the canonical value and the admissible set, per element.
 *
 *   want       the canonical value: what the mathematics of the graph up to here gives, rounded
 *              once to the tensor's own type. Meaningful for element i unless QD_NO_CANONICAL is
 *              set there; then it is an example of what is admissible.
 *   exact      NULL (`want` is it), or per element of a float tensor that number before it is
 *              rounded: every operation of the graph in real numbers, rounded only where a node
 *              asks for it (Cast, QuantizeLinear, `precision`). One number, or two doubles between
 *              which it lies. It is within the hull.
 *   lo, hi     the admissible hull as numbers: codes for integer types, reals for float types. NULL
 *              (both):
 *              every element is the point `want`. For a float tensor in the middle of a graph the
 *              hull may hold reals that the type cannot represent (a consumer may be fused with its
 *              producer); what a graph output may show is qd_value_observe()'s answer.
 *   points     NULL, or per element the admissible values where they are finitely many and do not
 *              fill the hull: a number between two of them is wrong. What is computed from such an
 *              element knows its hull alone.
 *   flags      NULL or one byte per element.
 *
 *   abs_sum    NULL, or Σ|terms| of the sum that the element is (a dequantized value: |value|):
 *              what the roundings of a kernel that fuses this sum with its consumer are
 *              proportional to.
 *   fusion     what such a kernel would be made of, for the whole tensor.
 *   factor     NULL, or the scale of the one code that the element is: `exact` is an integer times
 *              it, and nothing was computed since, but that it was moved, clamped or the greatest
 *              of such. 0: no such code.
 *   common     NULL, or the scale of all the codes of which the element is the sum, or the mean of
 *              2^k: `exact` is a number times it, and nothing was computed since, but that it was
 *              moved. 0: no such sum.
 *
 *   real       NULL, or (qd_graph_explain only) for a code: the exact number before it was rounded,
 *              as the nearest double, without the zero point; NaN where there is none. QD_TIE says
 *              that it lies exactly half-way.
 *
 * Source: reference/README.md, sections "Words" and "Admissible sets". */
#ifndef QDIFF_VALUE_H
#define QDIFF_VALUE_H

#include "qdiff/tensor.h"

enum qd_element_flag {
    QD_UNSPECIFIED = 1,   /* the specification defines nothing: any answer is accepted */
    QD_NO_CANONICAL = 2,  /* several values are right and none is the canonical one */
    QD_EXTREME_SCALE = 4, /* an evaluation order over- or underflowed and was dropped */
    QD_NOT_NUMBER = 8,    /* float: the value is NaN (lo and hi are meaningless) */
    QD_TIE = 16,          /* code: the number before rounding lies half-way between two codes */
    QD_EITHER_ZERO =
        32, /* float: a zero that may have either sign; elsewhere it has that of `want` */
    QD_PLAIN =
        64 /* float: its own divisor or factor rounds nothing, whatever `averaged` and `factored` say of others */
};

/* dequantized: terms come from DequantizeLinear, so that a QuantizeLinear after it may be fused
 * too (QLinearConv, QLinearAdd ...). rough_scales: some scale of those is not a power of two:
 * forming a combined scale rounds. negative_scales: some is negative: an integer 0 times it is
 * -0. sum_terms: the longest float sum, 0 if there is none; an Add after it may join it (MatMul +
 * Add = Gemm). sum_quantum: all its terms are multiples of 2^sum_quantum; INT_MIN where that is
 * not known.
 *
 * scales: the most that are multiplied to one term. steps: roundings besides those of an accumulator and
 * of one combined scale: one for each addition of terms that have different scales. averaged: two
 * more, for 1/n, which rounds; factored: a factor does that joins the combined scale. */
struct qd_fusion {
    bool dequantized, rough_scales, negative_scales, averaged, factored;
    unsigned scales, steps;
    int64_t sum_terms;
    int sum_quantum;
};

/* The admissible values of an element, in any order; count 0: all of the hull are. besides: all of
 * the hull are, and so are these, which lie outside of it. */
#define QD_MAX_POINTS 8
struct qd_points {
    uint8_t count;
    bool besides;
    double at[QD_MAX_POINTS];
};

/* A set of reals by its ends. As an `exact`: the number itself, or, if lo < hi, one that lies
 * strictly between them. */
struct qd_interval {
    double lo, hi;
};

struct qd_value {
    struct qd_tensor want;
    struct qd_interval *exact;
    double *lo, *hi;
    struct qd_points *points;
    uint8_t *flags;
    double *abs_sum;
    struct qd_fusion fusion;
    float *factor, *common;
    double *real;
};

/* A value of the given type and shape, whose memory is the arena's: want zeroed, all elements
 * points, no flags. INVALID: a negative dimension; LIMIT: rank or element count above tensor.h's;
 * NO_MEMORY. */
enum qd_status qd_value_init(struct qd_value *value, struct qd_arena *arena, enum qd_dtype dtype,
                             unsigned rank, const int64_t *dims, struct qd_error *error);

/* A value that is the given tensor, every element a point. Borrows the tensor's data. */
struct qd_value qd_value_of_tensor(const struct qd_tensor *tensor);

/* Adds what `operand` is made of to *fusion: elements of either, which are not computed with. */
void qd_fusion_join(struct qd_fusion *fusion, const struct qd_fusion *operand);

/* The same of two that are multiplied or divided (a factor without scales is one), or added. */
void qd_fusion_multiply(struct qd_fusion *fusion, const struct qd_fusion *operand);
void qd_fusion_add(struct qd_fusion *fusion, const struct qd_fusion *operand);

/* Roundings that a kernel for such a term can need: the accumulator's own to float32, forming the combined
 * scale (with the consumer's, if that is `rough`), their product, and the steps. At most
 * QD_MOST_ROUNDINGS: longer chains are not fused to one kernel. */
#define QD_MOST_ROUNDINGS 8
unsigned qd_fusion_roundings(const struct qd_fusion *fusion, bool rough);

/* Makes exact (filled by qd_value_exact), lo/hi (filled from want), abs_sum (filled with the
 * greatest magnitude of the hull), flags, factor or common (zero) exist, in the arena; does nothing
 * where they do. NO_MEMORY. */
enum qd_status qd_value_need_exact(struct qd_value *value, struct qd_arena *arena,
                                   struct qd_error *error);
enum qd_status qd_value_need_hull(struct qd_value *value, struct qd_arena *arena,
                                  struct qd_error *error);
enum qd_status qd_value_need_abs_sum(struct qd_value *value, struct qd_arena *arena,
                                     struct qd_error *error);
enum qd_status qd_value_need_flags(struct qd_value *value, struct qd_arena *arena,
                                   struct qd_error *error);
enum qd_status qd_value_need_factor(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error);
enum qd_status qd_value_need_common(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error);

/* One element's answer, as codes of an integer type. flags: enum qd_element_flag. dropped: what
 * orders give that over- or underflow (QD_EXTREME_SCALE): required of nobody, and not held against
 * anybody. not_number: such an order gives NaN, and no sentence says which code NaN becomes: any answer
 * is accepted. points: where the orders are finitely many, the codes that they give, of which
 * [lo, hi] is the hull; count 0: all of the hull. */
#define QD_MAX_DROPPED 6
struct qd_code {
    int64_t want, lo, hi;
    uint8_t flags;
    bool not_number;
    uint8_t dropped_count, point_count;
    int32_t dropped[QD_MAX_DROPPED], points[QD_MAX_POINTS];
};

/* Makes c admissible: [lo, hi] becomes the hull of it and c. */
void qd_code_include(struct qd_code *code, int64_t c);

/* Makes c one of `dropped`; of more than that have room the last are forgotten. */
void qd_code_drop(struct qd_code *code, int64_t c);

/* Leaves of the hull only `points`, 1 ≤ count, all in it, `want` among them; more than QD_MAX_POINTS
 * different ones: their hull. */
void qd_code_limit(struct qd_code *code, const int64_t *points, size_t count);

/* Stores a code at element i, 0 ≤ i < count, of an integer value; makes hull and flags exist, in
 * the arena, when they are needed. NO_MEMORY. */
enum qd_status qd_value_set_code(struct qd_value *value, int64_t i, struct qd_code code,
                                 struct qd_arena *arena, struct qd_error *error);

/* Stores the exact number that element i was rounded from (see `real`), and QD_TIE if `tie`.
 * NO_MEMORY. */
enum qd_status qd_value_set_real(struct qd_value *value, int64_t i, double real, bool tie,
                                 struct qd_arena *arena, struct qd_error *error);

/* Makes `points` exist, in the arena, no element having any. NO_MEMORY. */
enum qd_status qd_value_need_points(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error);

/* Gives element i, which is stored, QD_PLAIN; nothing where no consumer is fused. NO_MEMORY. */
enum qd_status qd_value_set_plain(struct qd_value *value, int64_t i, struct qd_arena *arena,
                                  struct qd_error *error);

/* Element i, whose hull is stored, is one of `points`, none of them NaN; 1 ≤ count ≤
 * QD_MAX_POINTS. A consumer sees the hull still. Nothing changes where codes fill it, or an output shows but the one
 * number anyway. NO_MEMORY. */
enum qd_status qd_value_limit(struct qd_value *value, int64_t i, const double *points, size_t count,
                              struct qd_arena *arena, struct qd_error *error);

/* Makes up to QD_MAX_POINTS values, of which one may be NaN, admissible besides the hull of element i, which is
 * stored. NO_MEMORY. */
enum qd_status qd_value_admit(struct qd_value *value, int64_t i, const double *points, size_t count,
                              struct qd_arena *arena, struct qd_error *error);

/* Element i, 0 ≤ i < count: the ends of its hull, `want` twice where there is none; its flags, 0
 * where there are none; whether the ends are equal, or NaN. */
double qd_value_lo(const struct qd_value *value, int64_t i);
double qd_value_hi(const struct qd_value *value, int64_t i);
uint8_t qd_value_flags(const struct qd_value *value, int64_t i);
bool qd_value_is_point(const struct qd_value *value, int64_t i);

/* What is known of the exact number of element i (see `exact`): `want` where it is canonical and no
 * array says more; the hull where it is not. */
struct qd_interval qd_value_exact(const struct qd_value *value, int64_t i);

/* The one code that element i is times *factor, where it is one and a double holds their
 * product. */
bool qd_value_is_code(const struct qd_value *value, int64_t i, double *code, double *factor);

/* The sum or mean of codes that element i is times *factor, where it is one, and doubles hold it and
 * their product. */
bool qd_value_is_sum(const struct qd_value *value, int64_t i, double *sum, double *factor);

/* Sets QD_EITHER_ZERO if element i is a zero of a float type, and nothing else. NO_MEMORY. */
enum qd_status qd_value_open_zero(struct qd_value *value, int64_t i, struct qd_arena *arena,
                                  struct qd_error *error);

/* Σ|terms| of element i; the greatest magnitude of its hull where the value has no abs_sum. */
double qd_value_abs_sum(const struct qd_value *value, int64_t i);

/* What a graph output may show for element i: *lo ≤ have ≤ *hi as numbers of the type; NaN only if
 * *nan. A float hull's ends are rounded to nearest: every permitted order ends with such a
 * rounding, and rounding is monotone. So one rounding of an exact number admits RN alone, and a
 * truncating kernel is a mismatch. */
struct qd_observation {
    double lo, hi;
    const struct qd_points *points; /* NULL: every number of the type from lo to hi */
    bool nan;                       /* NaN is admissible */
    bool unspecified;               /* anything is */
    bool canonical;                 /* want is the canonical value */
};
struct qd_observation qd_value_observe(const struct qd_value *value, int64_t i);

/* Whether an output may show `have`, NaN among it; not asked where anything is admissible (unspecified). */
bool qd_observation_admits(const struct qd_observation *seen, double have);

#endif
