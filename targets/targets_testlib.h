/* SPDX-License-Identifier: Apache-2.0 */
/* What several tests of targets share. */
#ifndef QDIFF_TARGETS_TESTLIB_H
#define QDIFF_TARGETS_TESTLIB_H

#include "qdiff/build.h"
#include "qdiff/compare.h"
#include "qdiff/session.h"
#include "twin/under_asan.h"

/* y = Identity(x) on a dtype[count] with small codes. */
void qd_identity_case(struct qd_case *kase, struct qd_arena *arena, enum qd_dtype dtype,
                      int64_t count);

/* y = QuantizeLinear(x, scale, zero point) to uint8, opset 13, every parameter a run-time input. */
void qd_quantize_case(struct qd_case *kase, struct qd_arena *arena, const float *x, int64_t count,
                      float scale, int zero_point);

/* y = DequantizeLinear(q, scale, zero point) of one uint8, opset 13, every parameter a run-time input. */
void qd_dequantize_case(struct qd_case *kase, struct qd_arena *arena, int q, float scale,
                        int zero_point);

/* Opens a target by the text of its name; fails the test if it cannot. */
struct qd_session *qd_open(const char *text, const struct qd_session_options *options);

/* Runs a valid case and compares with the reference. Fails the test when we, not the target, fail. */
struct qd_comparison qd_run_and_compare(struct qd_session *session, const struct qd_case *kase,
                                        struct qd_run *run);

/* qd_session_can with the case's features. */
bool qd_can(const struct qd_session *session, const struct qd_case *kase, const char **reason);

#endif
