/* SPDX-License-Identifier: Apache-2.0 */
/* What became of each execution of a harness. */
#include "harness_stats.h"

#include <stdlib.h>
#include <string.h>

enum qd_status qd_harness_stats_open(struct qd_harness_stats *counted, struct qd_error *error)
{
    const char *directory = getenv("QDIFF_TALLY"); /* NOLINT(concurrency-mt-unsafe) */
    if (!directory)
        return QD_OK;
    struct qd_night_stats *tally = malloc(sizeof *tally);
    if (!tally)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the tally");
    enum qd_status status = qd_night_stats_init(tally, directory, error);
    if (status == QD_OK)
        counted->tally = tally;
    else
        free(tally);
    return status;
}

/* What became of the last case, by the total that it raised; the gravest counts. */
static enum qd_fuzz_outcome outcome_since(const struct qd_harness_stats *before,
                                          const struct qd_harness_stats *now)
{
    if (now->findings > before->findings)
        return QD_FUZZ_FINDING;
    if (now->unsettled > before->unsettled)
        return QD_FUZZ_UNSETTLED;
    if (now->known > before->known)
        return QD_FUZZ_KNOWN;
    if (now->compared > before->compared)
        return QD_FUZZ_ADMISSIBLE;
    if (now->beyond > before->beyond)
        return QD_FUZZ_BEYOND;
    return now->refused > before->refused ? QD_FUZZ_REFUSED : QD_FUZZ_UNJUDGED;
}

enum qd_status qd_harness_stats_run(struct qd_harness_stats *counted,
                                    int (*run)(const uint8_t *, size_t), const uint8_t *data,
                                    size_t size, uint8_t *counters, int *answer,
                                    struct qd_error *error)
{
    counted->executions++;
    if (!counted->tally) {
        *answer = run(data, size);
        return QD_OK;
    }
    counted->op[0] = '\0';
    const struct qd_harness_stats before = *counted;
    memset(counters, 0, QD_COUNTERS);
    *answer = run(data, size);
    return qd_night_stats_add(counted->tally, counted->op, outcome_since(&before, counted),
                              counters, error);
}
