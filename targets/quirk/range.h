/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear, and DequantizeLinear after it, as the range of the codes, in float32:
 * low = RN(s*(least - z)), high = RN(s*(greatest - z)). */
#ifndef QDIFF_TARGETS_QUIRK_RANGE_H
#define QDIFF_TARGETS_QUIRK_RANGE_H

#include "qdiff/override.h"
#include "quirk/rewrite.h"

struct qd_range_of_codes {
    float scale, zero, low, high;
    enum qd_dtype codes;
    int64_t least, greatest;
    bool is_one; /* for all elements */
    enum qd_rounding rounding;
    enum qd_division division;
};

/* The number of float16 next to x. */
float qd_narrow(float x);

/* x over the scale, of which the nearest number of float16 is taken, or times its reciprocal of float16, where the
 * semantics divide so; rounded to float32. */
float qd_quotient_of_float16(const struct qd_range_of_codes *range, float x);

/* As x86 converts to int32, of which the low bits are kept: 0 for what int32 has no room for. */
int64_t qd_low_bits(const struct qd_range_of_codes *range, float x);

/* Whether a QuantizeLinear makes uint8 codes. */
bool qd_quantizes_to_uint8(const struct qd_node *node, const struct qd_value *const *in);

/* The range of a type's codes. */
struct qd_range_of_codes qd_range_of(enum qd_dtype codes, float scale, float zero);

/* The number of the code q as a share of the range: RN(RN((q - least)/(greatest - least))*(high - low)) + low. */
float qd_share_of_range(const struct qd_range_of_codes *range, float q);

/* The code of x, at most 16 bits. */
typedef int64_t qd_range_code(const struct qd_range_of_codes *range, float x);

/* (x - low), x cut to the range, in steps between codes: each operation rounded to float32. NaN of NaN. Where it is not
 * for all elements, x is cut to ends of which a subnormal one counts as 0. */
float qd_steps_above_low(const struct qd_range_of_codes *range, float x);

/* The node evaluated by what comes after `self`, and where its codes are integers of at most
 * 16 bits, each element replaced by code(); where roundings before the node are open, by the codes from one end of its
 * set to the other. */
enum qd_status qd_quantize_by_range(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out,
                                    qd_range_code *code);

/* Marks a DequantizeLinear of codes that a QuantizeLinear gives. */
void qd_mark_coded(struct qd_rewrite *made, const struct qd_node *node, const char *mark);

/* The number of q, of codes of that type. */
typedef double qd_range_number(enum qd_dtype codes, double q, double s, double z);

/* The node evaluated by what comes after `self`, and if it is marked and makes float32 of codes of at most 16 bits,
 * each element replaced by number(). */
enum qd_status qd_dequantize_coded(const char *mark, qd_range_number *number,
                                   const struct qd_override *self, struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct qd_value *out);

/* The quirk `name`, qd_quirk_<name>, of a qd_range_number. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names */
#define QD_QUIRK_DEQUANTIZE_CODED(name, number)                                                  \
    static void visit(struct qd_rewrite *made, const struct qd_node *node)                       \
    {                                                                                            \
        qd_mark_coded(made, node, "(" #name ")");                                                \
    }                                                                                            \
    QD_REWRITE_BY(visit)                                                                         \
    static enum qd_status evaluate(const struct qd_override *self,                               \
                                   struct qd_evaluation *evaluation, const struct qd_node *node, \
                                   const struct qd_value *const *in, struct qd_value *out)       \
    {                                                                                            \
        return qd_dequantize_coded("(" #name ")", number, self, evaluation, node, in, out);      \
    }                                                                                            \
    const struct qd_override qd_quirk_##name = {.graph = rewrite, .node = evaluate};
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
