/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a graph a target leaves the admissible set. */
#ifndef QDIFF_TARGETS_DIAGNOSE_LOCATE_H
#define QDIFF_TARGETS_DIAGNOSE_LOCATE_H

#include "qdiff/compare.h"

/* Runs the case once more with the values between its nodes made outputs. *place: the first node whose output differs
 * while the values before it do not, or that the difference vanishes (a fusion),
 * or that it could not be told; "" for one node. */
enum qd_status qd_difference_locate(struct qd_session *session, const struct qd_case *kase,
                                    struct qd_arena *arena, const char **place,
                                    struct qd_error *error);

#endif
