/* SPDX-License-Identifier: Apache-2.0 */
/* Forked processes that answer their parent in lines, each through a pipe of its own. */
#ifndef QDIFF_REPORTS_TEAM_H
#define QDIFF_REPORTS_TEAM_H

#include <stdint.h>
#include <stdio.h>

#include "run/interrupt.h"

/* What a process does: writes lines to `out`, none of which begins with 'E'. */
struct qd_team_work {
    enum qd_status (*run)(void *context, uint64_t member, FILE *out, struct qd_error *error);
    void *context;
};

struct qd_team_member;

struct qd_team {
    uint64_t count;
    struct qd_team_member *members;
    struct pollfd *watched;
    struct qd_interrupt *interrupt;
    bool passed_on; /* an interrupt was */
};

/* Forks `count` processes. INTERNAL, NO_MEMORY: none is left. */
enum qd_status qd_team_start(struct qd_team *team, uint64_t count, const struct qd_team_work *work,
                             struct qd_interrupt *interrupt, struct qd_error *error);

enum qd_team_answer {
    QD_TEAM_LINE,
    QD_TEAM_END,  /* its work is done, with the status and text in *error */
    QD_TEAM_DEATH /* it died; *error says of what */
};

/* The member's next line, without its end, valid until the next call. Waits for it; meanwhile it keeps what other
 * members write, and passes an interrupt on. After END and DEATH the member is not asked again. */
enum qd_team_answer qd_team_read(struct qd_team *team, uint64_t member, const char **line,
                                 size_t *length, struct qd_error *error);
bool qd_team_is_done(const struct qd_team *team, uint64_t member);

/* Ends all that still run, and waits for them. */
void qd_team_dismiss(struct qd_team *team);

#endif
