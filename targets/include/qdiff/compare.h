/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of a target's outputs with the reference's values: verdicts. */
#ifndef QDIFF_COMPARE_H
#define QDIFF_COMPARE_H

#include "qdiff/session.h"

/* QD_SEVERITY(NAME, word, meaning): how much a divergence weighs. */
#define QD_SEVERITY_LIST(QD_SEVERITY)                                                             \
    QD_SEVERITY(NONE, "none", "no divergence")                                                    \
    QD_SEVERITY(WRONG, "wrong", "a sentence of the specification or plain mathematics is broken") \
    QD_SEVERITY(                                                                                  \
        ROBUSTNESS, "robustness",                                                                 \
        "on some input the target dies, hangs, changes its answer or writes where it may not")    \
    QD_SEVERITY(ADVISORY, "advisory",                                                             \
                "no sentence of the specification obliges the target; counted and shown, a "      \
                "failure with --strict")

#define QD_SEVERITY_ENUM(name, word, meaning) QD_SEVERITY_##name,
enum qd_severity { QD_SEVERITY_LIST(QD_SEVERITY_ENUM) QD_SEVERITY_COUNT };
#undef QD_SEVERITY_ENUM

const char *qd_severity_word(enum qd_severity severity);
const char *qd_severity_meaning(enum qd_severity severity);
bool qd_severity_find(const char *word, enum qd_severity *severity);

/* The same rows for what a quantizer's answer is found to be (quantizer_check.h). */
#define QD_QUANTIZER_FINDING_LIST(QD_VERDICT)                                             \
    QD_VERDICT(INVALID_MODEL, "invalid-model", WRONG, "the quantized model is not valid") \
    QD_VERDICT(WRONG_PARAMETERS, "wrong-parameters", WRONG,                               \
               "a scale, zero point or code does not follow from the range")              \
    QD_VERDICT(RANGE_NOT_COVERED, "range-not-covered", WRONG,                             \
               "the scale and zero point do not represent the whole range")               \
    QD_VERDICT(WRONG_SNAPPING, "wrong-snapping", WRONG,                                   \
               "a restricted zero point is wrong, or was not asked for")                  \
    QD_VERDICT(WRONG_BIAS, "wrong-bias", WRONG,                                           \
               "a bias is not quantized with scale x_scale * w_scale and zero point 0")   \
    QD_VERDICT(WRONG_SHARING, "wrong-sharing", WRONG,                                     \
               "tensors that have to share parameters do not, or others do")              \
    QD_VERDICT(KERNEL_MISMATCH, "kernel-mismatch", WRONG,                                 \
               "a kernel target computes the quantized model wrongly")                    \
    QD_VERDICT(MODEL_MISMATCH, "model-mismatch", WRONG,                                   \
               "the quantized model computes something else than the float model")        \
    QD_VERDICT(IGNORES_OPTION, "ignores-option", WRONG,                                   \
               "the tool ignored an option that it was given")

/* QD_VERDICT(NAME, word, severity, meaning): what was learned about one case on one target. */
#define QD_VERDICT_LIST(QD_VERDICT)                                                                \
    QD_VERDICT(EXACT, "exact", NONE,                                                               \
               "every compared element is canonical: the exact result of the graph, rounded only " \
               "where a node asks for it and once at the end")                                     \
    QD_VERDICT(ADMISSIBLE, "admissible", NONE,                                                     \
               "every element is one that some permitted order of evaluation gives; not all are "  \
               "canonical")                                                                        \
    QD_VERDICT(UNSPECIFIED, "unspecified", NONE,                                                   \
               "the specification fixes no element: nothing was compared")                         \
    QD_VERDICT(REJECTED, "rejected", NONE,                                                         \
               "an invalid case (must-reject) was refused, as it should be")                       \
    QD_VERDICT(WRONG_VALUE, "wrong-value", WRONG,                                                  \
               "an output element lies outside its admissible set")                                \
    QD_VERDICT(WRONG_SHAPE, "wrong-shape", WRONG,                                                  \
               "an output has another shape than the reference's")                                 \
    QD_VERDICT(WRONG_TYPE, "wrong-type", WRONG, "an output has another type than the reference's") \
    QD_VERDICT(REJECTS_VALID, "rejects-valid", WRONG, "the target refused a valid case")           \
    QD_VERDICT(ACCEPTS_INVALID, "accepts-invalid", ADVISORY,                                       \
               "the target ran an invalid case that it has to refuse")                             \
    QD_VERDICT(CRASH, "crash", ROBUSTNESS,                                                         \
               "the target died: a signal or an exit, of a tool an exception too")                 \
    QD_VERDICT(HANG, "hang", ROBUSTNESS, "no answer within the time limit")                        \
    QD_VERDICT(OOM, "oom", ROBUSTNESS, "the target reached its memory limit")                      \
    QD_VERDICT(NONDETERMINISTIC, "nondeterministic", ROBUSTNESS,                                   \
               "two runs of the same case gave different outputs")                                 \
    QD_VERDICT(STATE_LEAK, "state-leak", ROBUSTNESS,                                               \
               "wrong after other cases, and right alone in a fresh process")                      \
    QD_VERDICT(UNWRITTEN, "unwritten", ROBUSTNESS, "an output element was never written")          \
    QD_VERDICT(OUT_OF_BOUNDS, "out-of-bounds", ROBUSTNESS,                                         \
               "bytes beyond an output buffer were written")                                       \
    QD_VERDICT(INPUT_MODIFIED, "input-modified", ROBUSTNESS, "an input tensor was changed")        \
    QD_QUANTIZER_FINDING_LIST(QD_VERDICT)

#define QD_VERDICT_ENUM(name, word, severity, meaning) QD_VERDICT_##name,
enum qd_verdict { QD_VERDICT_LIST(QD_VERDICT_ENUM) QD_VERDICT_COUNT };
#undef QD_VERDICT_ENUM

const char *qd_verdict_word(enum qd_verdict verdict);
const char *qd_verdict_meaning(enum qd_verdict verdict);
bool qd_verdict_is_divergence(enum qd_verdict verdict);
/* NONE unless it is a divergence; the case may make it less (citation.h). */
enum qd_severity qd_verdict_severity(enum qd_verdict verdict);
bool qd_verdict_find(const char *word, enum qd_verdict *verdict);

/* Counts are elements over all outputs. compared = exact + admissible + mismatched. */
struct qd_comparison {
    enum qd_verdict verdict;
    int64_t elements, compared, exact, admissible, mismatched, unspecified;
    int64_t slack;         /* compared elements whose admissible set has more than one member */
    int64_t extreme_scale; /* elements with a dropped evaluation order */
    /* Of the mismatched: a subnormal number given as 0; within 1 % of the type's range, of a float type 0.01. */
    int64_t flushed, close;
    /* The first mismatching element, if mismatched > 0. */
    size_t output;
    int64_t element;
    double have, want, lo, hi; /* as numbers of the output's type */
};

/* Compares one run's outputs (OUTPUTS) or classifies its outcome; `values` has graph->output_count entries,
 * NULL for a must-reject case. Floats compare by value: NaN = NaN, −0 = +0. */
void qd_compare(const struct qd_case *kase, const struct qd_value *values, const struct qd_run *run,
                struct qd_comparison *comparison);

/* Compares one tensor of the value's type and shape: counts, and the verdict of those; `output` is 0. */
void qd_compare_tensor(const struct qd_value *value, const struct qd_tensor *have,
                       struct qd_comparison *comparison);

#endif
