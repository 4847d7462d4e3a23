/* SPDX-License-Identifier: Apache-2.0 */
/* The generated suite of the quantizer role: small float graphs × ranges × options × opsets. */
#ifndef QDIFF_QUANTIZER_SUITE_H
#define QDIFF_QUANTIZER_SUITE_H

#include "qdiff/quantizer.h"
#include "qdiff/suite.h"

/* A float model with inputs, and the request. All lives during the visit only. */
struct qd_quantizer_case {
    struct qd_case
        kase; /* id "quantizer/graph/ranges/options/opset"; tags: the words between its slashes */
    struct qd_quantizer_request request;
    bool must_refuse; /* a range that is NaN, infinite or upside down: the tool has to say so */
};

/* The range of each tensor of the case's float model that is no constant, as a calibration with the case's inputs sees
 * it: ranges and range_count of the request. Errors: those of qd_graph_evaluate. */
enum qd_status qd_quantizer_observe(const struct qd_case *kase, struct qd_arena *arena,
                                    struct qd_quantizer_request *request, struct qd_error *error);

typedef enum qd_visit qd_quantizer_case_visitor(void *context,
                                                const struct qd_quantizer_case *kase);

/* Visits the cases of `level` and below, in an order that never changes. */
enum qd_status qd_quantizer_suite_visit(enum qd_level level, qd_quantizer_case_visitor *visit,
                                        void *context, struct qd_error *error);

#endif
