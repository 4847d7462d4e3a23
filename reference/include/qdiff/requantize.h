/* From an exact number to a quantized code: rounding, zero point, range; and the admissible codes where the text
 * leaves the order of evaluation open.
 *
 * Source: ONNX QLinearConv and QLinearMatMul ("saturate((x * x_scale * w_scale) / y_scale) + zero point", round half to
 * even); reference/README.md, "Admissible sets". */
#ifndef QDIFF_REQUANTIZE_H
#define QDIFF_REQUANTIZE_H

#include "qdiff/evaluate.h"
#include "qdiff/exact.h"
#include "qdiff/value.h"

/* What codes are made of: the output's type and zero point, and the semantics. */
struct qd_coder {
    const struct qd_semantics *semantics;
    enum qd_dtype dtype;
    int64_t zero_point, min, max; /* min and max after the `range` switch */
};

struct qd_coder qd_coder_make(const struct qd_semantics *semantics, enum qd_dtype dtype,
                              int64_t zero_point);

/* A rounded integer plus the zero point, brought into range. */
int64_t qd_coder_finish(const struct qd_coder *coder, int64_t rounded);

/* The code of an exact number, and of a float (±Inf saturates; NaN by the nan_to_integer switch, 0 where unspecified). */
int64_t qd_coder_exact(const struct qd_coder *coder, struct qd_ratio real);
int64_t qd_coder_float(const struct qd_coder *coder, double real);
/* The code of a float that has the zero point in it already (the quirk "zero point before rounding"); no NaN. */
int64_t qd_coder_sum(const struct qd_coder *coder, double sum);

/* |m| formed in a float type in one association, rounded down and up. */
#define QD_FACTOR_ORDERS 3
struct qd_factor_order {
    double lo, hi;
    bool dropped; /* an intermediate overflowed or is subnormal */
};

/* Whether a scale's magnitude lies within 2^±20: where all do, no product of up to four of them, divided by another and times an
 * accumulator of int32, over- or underflows in float32. */
bool qd_scale_is_moderate(double scale);

/* Whether codes come in the order of the numbers that they are made of. */
bool qd_coder_is_monotone(const struct qd_coder *coder);

/* Whether every number within a 2^−19th of `real` has its canonical code, which then is *code: no rounding edge lies near, or all
 * saturate. At most 14 roundings up or down in float32 stay within. */
bool qd_coder_settles(const struct qd_coder *coder, struct qd_ratio real, struct qd_code *code);

/* acc·s_1·s_2/s_y, prepared once per (output channel, parameters). */
struct qd_requantizer {
    struct qd_coder coder;
    enum qd_dtype type; /* of the scales */
    double s1, s2, sy;
    struct qd_ratio factor; /* s_1·s_2/s_y */
    bool undefined; /* a scale is NaN or infinite, or s_y is 0: every element is unspecified */
    uint64_t
        multiplier; /* of a tame one: factor·2^shift without its fraction, at least 2^61; else 0 */
    int shift;      /* 1 to 126 */
    bool tame;      /* no order over- or underflows for any |acc| < 2^34: the fast path is sound */
    struct qd_factor_order in_f32[QD_FACTOR_ORDERS], in_type[QD_FACTOR_ORDERS];
};

/* Scales are values of `type`: f32, f16 or bf16. */
struct qd_requantizer qd_requantizer_make(struct qd_coder coder, enum qd_dtype type, double s1,
                                          double s2, double sy);

/* The canonical code of acc·s_1·s_2/s_y and the hull of every permitted evaluation order:
 *   fl(acc)·((s_1·s_2)/s_y), fl(acc)·(s_1·(s_2/s_y)), fl(acc)·(s_2·(s_1/s_y)),
 *   ((acc·s_1)·s_2)/s_y, ((acc·s_2)·s_1)/s_y, (acc·(s_1·s_2))/s_y,
 * every operation in float32, and for f16 and bf16 scales also in that type; rounded down and up; in double as well where one
 * of these over- or underflows (QD_EXTREME_SCALE). |acc| < 2^60. An
 * accumulator beyond int32 is unspecified (the semantics' accumulator switch has been applied before). */
struct qd_code qd_requantize(const struct qd_requantizer *requantizer, int64_t acc);

/* Stores qd_requantize's code of `acc` as element i of y, with its real number if the evaluation keeps them. */
enum qd_status qd_requantize_into(const struct qd_evaluation *evaluation,
                                  const struct qd_requantizer *requantizer, int64_t acc,
                                  struct qd_value *y, int64_t i);

#endif
