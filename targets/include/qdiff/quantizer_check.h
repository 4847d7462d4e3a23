/* SPDX-License-Identifier: Apache-2.0 */
/* What a quantizer's answer is checked for: structure, parameters, snapping, bias, sharing, kernel agreement, fidelity,
 * ignored options. Each has its own finding class (QD_QUANTIZER_FINDING_LIST in compare.h) and explains itself with the
 * tensor, the node, what was wanted and what the tool has.
 *
 * Source: numerics in reference/include/qdiff/observed_range.h; the proof of the
 * fidelity interval in targets/quantizer/README.md. */
#ifndef QDIFF_QUANTIZER_CHECK_H
#define QDIFF_QUANTIZER_CHECK_H

#include "qdiff/compare.h"
#include "qdiff/quantizer.h"

struct qd_quantizer_finding {
    enum qd_verdict class; /* a row of QD_QUANTIZER_FINDING_LIST */
    const char *text;
};

/* An operator that a tool leaves in floats before that version of its domain; the last of a list has no op_type. */
struct qd_quantizer_since {
    const char *op_type;
    int64_t opset;
};

/* What a tool promises. Lists are NULL-terminated op_types. */
struct qd_quantizer_profile {
    const char *tool; /* name of the target, without its version */
    /* Operators whose inputs and output have one scale and zero point, for each enum qd_quantizer_format. */
    const char *const *shares[2];
    const struct qd_quantizer_since *shares_since; /* of `shares`; NULL: all, at every opset */
    /* Only after these: the tool passes over a moving operator whose input has no parameters yet. NULL: after all. */
    const char *const *shares_behind;
    /* Of `shares`, these share whatever they read: the tool quantizes it for them. */
    const char *const *shares_whatever;
    /* These share where they read a constant. */
    const char *const *shares_constants;
    /* Where not NULL: of `shares`, these share whatever they read, and the
     * others where that has parameters in the answer. */
    const char *const *shares_always;
    /* Operators that a Relu after them, which alone reads them, is fused into: that Relu shares nothing. */
    const char *const *fuses_relu;
    /* Whether a constant of a signed type is quantized symmetrically without being asked to. */
    bool signed_weights_are_symmetric;
    bool channels_are_symmetric; /* as those with one scale for each channel always are */
    bool softmax_is_unit;        /* the output of a Softmax is taken to range from 0 to 1 */
    bool folds_activations;      /* a tensor that only a Relu or Clip reads may take its range */
    double scale_floor;          /* no scale is less; 0: none */
};

/* The profile of a target by its name; one that promises nothing for a tool that nobody described. */
const struct qd_quantizer_profile *qd_quantizer_profile_of(const char *tool);

/* A float model with inputs, what was asked, and what the tool answered. */
struct qd_quantizer_question {
    const struct qd_case *kase; /* the float model and its inputs */
    const struct qd_quantizer_request *request;
    const struct qd_quantizer_answer *answer; /* MODEL or EDGES */
    const struct qd_quantizer_profile *profile;
    struct qd_session *const *kernels; /* kernel targets that run the produced model; none: NULL */
    size_t kernel_count;
};

struct qd_quantizer_report {
    size_t finding_count;
    struct qd_quantizer_finding *findings;
    size_t fact_count; /* worth knowing, and no finding */
    const char **facts;
    size_t edges;   /* places where the answer quantizes a tensor */
    size_t checked; /* of those, with parameters that the reference derived too */
    /* Fidelity: outputs elements compared, and the median width of their intervals in steps of the output's scale (NaN
     * where no output is quantized). 0 elements: not judged, and a fact says why. */
    int64_t compared;
    double median_width;
};

/* Checks an answer. Whatever is wrong with it is a finding; failures are ours: NO_MEMORY, INVALID or UNSUPPORTED when
 * the reference cannot evaluate the float model itself. Everything lives in the arena. */
enum qd_status qd_quantizer_check(const struct qd_quantizer_question *question,
                                  struct qd_arena *arena, struct qd_quantizer_report *report,
                                  struct qd_error *error);

#endif
