/* SPDX-License-Identifier: Apache-2.0 */
/* The valid twin of a must-reject case: a refusal means something only where the twin, one edit away, is taken. */
#ifndef QDIFF_VALID_TWIN_H
#define QDIFF_VALID_TWIN_H

#include "qdiff/session.h"

struct qd_case_index;
struct qd_evaluated;

/* Where twins are found; the list of them is made when the first is asked for. */
struct qd_twins {
    const char *directory; /* of encoded hand-written cases; NULL: those that come with qdiff */
    struct qd_arena arena;
    const struct qd_case_index *index;
};

void qd_twins_init(struct qd_twins *twins, const char *directory);
void qd_twins_clear(struct qd_twins *twins);

/* Whether the target refuses the twin of `kase` too, by its capabilities or when asked: then its refusal of the case is
 * vacuous. A twin that is not among the hand-written cases (a case from elsewhere) counts as taken. Errors of
 * qd_trial_ask; IO, MALFORMED where the twin's file cannot be read. */
enum qd_status qd_twin_is_refused(struct qd_twins *twins, struct qd_session *session,
                                  const struct qd_case *kase, bool *refused,
                                  struct qd_error *error);

/* Whether the twin of the case dies in the process that has just taken it, in a fresh one does not, and in another
 * fresh one after the case alone does again: the invalid model has damaged the process, whichever case would have run
 * there next. *death is the twin's run, whose message alone is valid afterwards. Errors as above. */
enum qd_status qd_twin_dies_after(struct qd_twins *twins, struct qd_session *session,
                                  const struct qd_evaluated *evaluated, struct qd_run *death,
                                  bool *dies, struct qd_error *error);

#endif
