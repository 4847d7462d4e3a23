/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a graph a target leaves the admissible set. */
#ifndef QDIFF_TARGETS_DIAGNOSE_LOCATE_H
#define QDIFF_TARGETS_DIAGNOSE_LOCATE_H

#include "qdiff/compare.h"

struct qd_difference_place {
    /* The first node whose output differs while the values before it do not, or that the difference vanishes (a
     * fusion), or that it could not be told; "" for one node. */
    const char *text;
    /* That node alone, its computed inputs being inputs with the numbers that the target had there; NULL: none is
     * known. */
    const struct qd_case *node;
};

/* Runs the case once more with the values between its nodes made outputs. What *place has lives in `arena`. */
enum qd_status qd_difference_locate(struct qd_session *session, const struct qd_case *kase,
                                    struct qd_arena *arena, struct qd_difference_place *place,
                                    struct qd_error *error);

#endif
