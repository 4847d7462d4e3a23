/* SPDX-License-Identifier: Apache-2.0 */
/* DequantizeLinear with other arithmetic for each element. */
#ifndef QDIFF_TARGETS_QUIRK_DEQUANTIZE_H
#define QDIFF_TARGETS_QUIRK_DEQUANTIZE_H

#include "qdiff/override.h"

struct qd_dequantize_as {
    bool (*is_concerned)(const struct qd_value *const *in, const struct qd_value *y);
    /* The number that a code becomes, of the output's type; NaN: it stays. z is 0 without a zero point. */
    double (*number)(enum qd_dtype type, double q, double s, double z);
    bool gives_nan; /* NaN is what it becomes, and does not say that it stays */
    /* In the place of number(), where the type of the codes matters, or NULL. */
    double (*of_codes)(enum qd_dtype codes, double q, double s, double z);
};

/* The node evaluated by what comes after `self`, and each element of an output that is
 * concerned replaced. */
enum qd_status qd_dequantize_as(const struct qd_dequantize_as *as, const struct qd_override *self,
                                struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct qd_value *out);

/* The quirk `name`, qd_quirk_<name>: what follows initializes its struct qd_dequantize_as. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a name */
#define QD_QUIRK_DEQUANTIZE(name, ...)                                                           \
    static enum qd_status evaluate(const struct qd_override *self,                               \
                                   struct qd_evaluation *evaluation, const struct qd_node *node, \
                                   const struct qd_value *const *in, struct qd_value *out)       \
    {                                                                                            \
        static const struct qd_dequantize_as as = {__VA_ARGS__};                                 \
        return qd_dequantize_as(&as, self, evaluation, node, in, out);                           \
    }                                                                                            \
    const struct qd_override qd_quirk_##name = {.node = evaluate};
/* NOLINTEND(bugprone-macro-parentheses) */

/* The bfloat16 that OpenVINO makes of a float32: cut off, and only where the last bit that is
 * kept is 1, half of it is added before. */
float qd_bfloat16_half_to_odd(float x);

/* (t(q) - t(z))*t(s) in float32, where t is that rounding. */
float qd_product_of_odd_bfloat16(double q, double s, double z);

/* 0 for a number whose float32 is subnormal, with its sign; any other as it is. */
double qd_flush_subnormal(double x);
float qd_flushed(float x);

/* RN(RN(q*s) - RN(z*s)) in float32, and fma(q, s, -RN(z*s)) in `type`, for codes of at most 16 bits. */
double qd_from_two_products(enum qd_dtype type, double q, double s, double z);
double qd_by_fma(enum qd_dtype type, double q, double s, double z);

#endif
