/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzzing process did: counts, and the file that they are written to. */
#include "qdiff/night_stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const outcome_names[QD_FUZZ_OUTCOMES] = {
    [QD_FUZZ_REFUSED] = "refused", [QD_FUZZ_UNJUDGED] = "unjudged",
    [QD_FUZZ_BEYOND] = "beyond",   [QD_FUZZ_ADMISSIBLE] = "admissible",
    [QD_FUZZ_KNOWN] = "known",     [QD_FUZZ_UNSETTLED] = "unsettled",
    [QD_FUZZ_FINDING] = "finding",
};

/* Look at the clock once in so many executions. */
#define CLOCK_EVERY 64

enum qd_status qd_night_stats_init(struct qd_night_stats *tally, const char *directory,
                                   struct qd_error *error)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    memset(tally, 0, sizeof *tally);
    tally->written = now.tv_sec;
    int length = snprintf(tally->path, sizeof tally->path, "%s/%ld-%lld%09ld.tally", directory,
                          (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
    if (length < 0 || (size_t)length >= sizeof tally->path - sizeof ".new")
        return qd_fail(error, QD_USAGE, "tally: the path of directory '%.64s...' is too long",
                       directory);
    return QD_OK;
}

static struct qd_night_stats_operator *operator_of(struct qd_night_stats *tally, const char *op)
{
    struct qd_night_stats_operator *row = tally->operators;
    for (size_t i = 0; i + 1 < QD_FUZZ_OPERATORS; i++, row++) {
        if (row->name[0] == '\0')
            snprintf(row->name, sizeof row->name, "%s", op);
        if (strncmp(row->name, op, sizeof row->name - 1) == 0)
            return row;
    }
    snprintf(row->name, sizeof row->name, "others");
    return row;
}

static void count_slots(struct qd_night_stats *tally, const uint8_t *counters)
{
    for (size_t i = 0; i < QD_COUNTERS; i += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, counters + i, sizeof eight);
        for (size_t k = i; eight != 0 && k < i + sizeof eight; k++)
            tally->slots[k] += counters[k] != 0;
    }
}

enum qd_status qd_night_stats_add(struct qd_night_stats *tally, const char *op,
                                  enum qd_fuzz_outcome outcome, const uint8_t *counters,
                                  struct qd_error *error)
{
    tally->executions++;
    tally->outcomes[outcome]++;
    count_slots(tally, counters);
    if (op[0] != '\0') {
        struct qd_night_stats_operator *row = operator_of(tally, op);
        row->executions++;
        row->compared += outcome >= QD_FUZZ_ADMISSIBLE;
    }
    if (tally->executions % CLOCK_EVERY != 0 || time(NULL) <= (time_t)tally->written)
        return QD_OK;
    return qd_night_stats_write(tally, error);
}

static void print(const struct qd_night_stats *tally, FILE *file)
{
    for (size_t i = 0; i < QD_FUZZ_OUTCOMES; i++)
        if (tally->outcomes[i] > 0)
            fprintf(file, "outcome %s %" PRIu64 "\n", outcome_names[i], tally->outcomes[i]);
    for (size_t i = 0; i < QD_FUZZ_OPERATORS; i++)
        if (tally->operators[i].executions > 0)
            fprintf(file, "operator %s %" PRIu64 " %" PRIu64 "\n", tally->operators[i].name,
                    tally->operators[i].executions, tally->operators[i].compared);
    for (size_t i = 0; i < QD_COUNTERS; i++)
        if (tally->slots[i] > 0)
            fprintf(file, "slot %zu %" PRIu64 "\n", i, tally->slots[i]);
}

enum qd_status qd_night_stats_write(struct qd_night_stats *tally, struct qd_error *error)
{
    char path[sizeof tally->path + sizeof ".new"];
    snprintf(path, sizeof path, "%s.new", tally->path);
    tally->written = time(NULL);
    FILE *file = fopen(path, "w");
    if (!file)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    print(tally, file);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (good && rename(path, tally->path) == 0)
        return QD_OK;
    int reason = errno;
    unlink(path);
    return qd_fail(error, QD_IO, "%s: %s", path, strerror(reason));
}
