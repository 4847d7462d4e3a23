/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which the graph of a case is rewritten, so that what it computes is known. Internal to the cases
 * layer. */
#ifndef QDIFF_CASES_REWRITTEN_WAYS_H
#define QDIFF_CASES_REWRITTEN_WAYS_H

#include "qdiff/case_edit.h"
#include "qdiff/random.h"

struct qd_rewriting {
    struct qd_case_edit edit; /* of the case; what a way changes */
    const struct qd_case *kase;
    const struct qd_tensor *output; /* the case's first, once a way has asked for it */
    struct qd_random random;
};

struct qd_rewriting_way {
    const char *word; /* the end of the twin's slug */
    /* False: it does not fit the case, or there is no room. */
    bool (*rewrite)(struct qd_rewriting *r);
};

/* NULL past the last. */
const struct qd_rewriting_way *qd_rewriting_way_at(size_t i);

#endif
