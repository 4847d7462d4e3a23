/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation rows for the failures of a run: one for each cause and operator where a narrow one is there. */
#ifndef QDIFF_REPORTS_PROPOSE_H
#define QDIFF_REPORTS_PROPOSE_H

#include <stdio.h>

#include "causes/causes.h"
#include "qdiff/target.h"

/* A target of the run, as rows speak of it. */
struct qd_proposal_target {
    const char *id; /* "ort@1.31.1[opt=all,threads=1]" */
    struct qd_target_info info;
};

struct qd_proposal {
    const struct qd_causes *causes; /* found */
    size_t target_count;
    const struct qd_proposal_target *targets; /* every target of the run */
    bool
        by_case; /* one row for each case and class: where rows match single findings, a quantizer's */
};

/* Writes rows, as lines, that together expect every failure of the run (FAIL) and are narrow:
 *   a diagnosis    "quirk:NAME" for the operator, of several quirks the first;
 *   a message      the class with a pattern that matches all its messages, and none of another cause;
 *   a rule         "accepts-invalid:RULE", else as a message;
 *   features       the conjunction, if it selects at most QD_PROPOSAL_MOST comparisons and nine tenths of them
 *                  fail so;
 *   others         the id of each case.
 * A row holds for the settings on which its cause was seen, and for one release if several releases of the target
 * ran. *rows counts them.
 * NO_MEMORY only. */
enum qd_status qd_causes_propose(const struct qd_proposal *proposal, FILE *out, size_t *rows,
                                 struct qd_error *error);

/* What a row of class wrong-value without a quirk may cover. */
enum { QD_PROPOSAL_MOST = 50 };

#endif
