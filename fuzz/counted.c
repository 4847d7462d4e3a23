#include "counted.h"

#include <stdlib.h>
#include <string.h>

enum qd_status qd_counted_open(struct qd_counted *counted, struct qd_error *error)
{
    const char *directory = getenv("QDIFF_TALLY"); /* NOLINT(concurrency-mt-unsafe) */
    if (!directory)
        return QD_OK;
    struct qd_tally *tally = malloc(sizeof *tally);
    if (!tally)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the tally");
    enum qd_status status = qd_tally_init(tally, directory, error);
    if (status == QD_OK)
        counted->tally = tally;
    else
        free(tally);
    return status;
}

/* What became of the last case, by the total that it raised; the gravest counts. */
static enum qd_tally_outcome outcome_since(const struct qd_counted *before,
                                           const struct qd_counted *now)
{
    if (now->findings > before->findings)
        return QD_TALLY_FINDING;
    if (now->known > before->known)
        return QD_TALLY_KNOWN;
    if (now->compared > before->compared)
        return QD_TALLY_ADMISSIBLE;
    if (now->beyond > before->beyond)
        return QD_TALLY_BEYOND;
    return now->refused > before->refused ? QD_TALLY_REFUSED : QD_TALLY_UNJUDGED;
}

enum qd_status qd_counted_run(struct qd_counted *counted, int (*run)(const uint8_t *, size_t),
                              const uint8_t *data, size_t size, uint8_t *counters, int *answer,
                              struct qd_error *error)
{
    counted->executions++;
    if (!counted->tally) {
        *answer = run(data, size);
        return QD_OK;
    }
    counted->op[0] = '\0';
    const struct qd_counted before = *counted;
    memset(counters, 0, QD_COUNTERS);
    *answer = run(data, size);
    return qd_tally_add(counted->tally, counted->op, outcome_since(&before, counted), counters,
                        error);
}
