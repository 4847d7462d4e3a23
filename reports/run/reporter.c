/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reports of a run as its results come: TAP, a results file, progress, the summary. */
#include "run/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "causes/causes_print.h"
#include "qdiff/clock.h"
#include "qdiff_version.h"
#include "result/badge.h"
#include "text/overwrite.h"

enum qd_status qd_reporter_begin(struct qd_reporter *reporter, const struct qd_options *options,
                                 FILE *out, FILE *err, struct qd_arena *arena,
                                 struct qd_error *error)
{
    struct qd_reporter begun = {.rows = {.arena = arena},
                                .fail_fast = options->fail_fast,
                                .err = err,
                                .badge = options->badge};

    if (options->results) {
        if (!qd_may_overwrite(options->results, "{\"record\"")) {
            return qd_fail(error, QD_USAGE, "--results %s: the file exists and holds no results",
                           options->results);
        }
        begun.file_path = options->results;
        begun.file = fopen(options->results, "we");
        if (!begun.file)
            return qd_fail(error, QD_USAGE, "--results %s: %s", options->results, strerror(errno));
    }
    if (qd_junit_begin(&begun.junit, options->junit, error) != QD_OK)
        return error->status;
    if (options->progress)
        begun.progress = err;
    qd_causes_init(&begun.causes);
    begun.started = qd_clock_seconds();
    qd_tap_begin(&begun.tap, out);
    qd_tap_comment(&begun.tap, "qdiff %s (%s), level %s", QD_VERSION, QD_COMMIT,
                   qd_level_word(options->level));
    *reporter = begun;
    return QD_OK;
}

static enum qd_visit stop(struct qd_reporter *reporter)
{
    reporter->stopped = true;
    return QD_VISIT_STOP;
}

/* At most ten times a second. */
static void show_progress(struct qd_reporter *reporter)
{
    double now = qd_clock_seconds();

    if (!reporter->progress || now - reporter->shown < 0.1)
        return;
    reporter->shown = now;
    fprintf(reporter->progress, "\r%" PRId64 " cases, %" PRId64 " failed, %.0f cases/s ",
            reporter->summary.cases, reporter->summary.total.results[QD_RESULT_FAIL],
            (double)reporter->summary.cases / (now - reporter->started + 1e-9));
    fflush(reporter->progress);
}

/* A result is on its way to the disk before the next case runs. */
static enum qd_status store(struct qd_reporter *reporter, const struct qd_result *result)
{
    if (fflush(reporter->tap.out) != 0) {
        return qd_fail(&reporter->error, QD_INTERNAL, "cannot write to standard output: %s",
                       strerror(errno));
    }
    if (!reporter->file)
        return QD_OK;
    qd_result_write(reporter->file, result);
    if (fflush(reporter->file) != 0) {
        return qd_fail(&reporter->error, QD_INTERNAL, "cannot write to %s: %s", reporter->file_path,
                       strerror(errno));
    }
    return QD_OK;
}

/* Of a thousand bad files the first ones are enough; all are in TAP. */
static void complain(const struct qd_reporter *reporter, const struct qd_result *result)
{
    enum { ENOUGH = 10 };
    const int64_t *results = reporter->summary.total.results;

    if ((result->kind == QD_RESULT_BAD_INPUT || result->kind == QD_RESULT_BROKEN) &&
        results[QD_RESULT_BAD_INPUT] + results[QD_RESULT_BROKEN] <= ENOUGH) {
        fprintf(reporter->err, "qdiff: %s%s%s\n",
                result->kind == QD_RESULT_BROKEN ? result->id : "",
                result->kind == QD_RESULT_BROKEN ? ": " : "", result->why);
    }
}

static enum qd_visit take_result(void *context, const struct qd_result *result)
{
    struct qd_reporter *reporter = context;

    qd_tap_result(&reporter->tap, result);
    qd_junit_result(&reporter->junit, result);
    if (store(reporter, result) != QD_OK ||
        qd_summary_add(&reporter->summary, result, &reporter->error) != QD_OK ||
        qd_causes_add(&reporter->causes, result, &reporter->error) != QD_OK ||
        qd_expectation_usage_result(&reporter->rows, result, &reporter->error) != QD_OK)
        return stop(reporter);
    complain(reporter, result);
    show_progress(reporter);
    return reporter->fail_fast && qd_result_is_unexpected(result->kind) ? stop(reporter)
                                                                        : QD_VISIT_GO_ON;
}

static void take_row(void *context, const struct qd_unmatched_row *row)
{
    struct qd_reporter *reporter = context;

    if (qd_expectation_usage_unmatched(&reporter->rows, row, &reporter->error) != QD_OK)
        stop(reporter);
}

struct qd_sink qd_reporter_sink(struct qd_reporter *reporter)
{
    return (struct qd_sink){take_result, take_row, reporter};
}

static void judge_rows(struct qd_reporter *reporter, bool whole)
{
    qd_expectation_usage_sort(&reporter->rows);
    for (size_t i = 0; i < reporter->rows.count; i++) {
        const struct qd_unmatched_row *row = &reporter->rows.entries[i].row;
        char text[1024];

        if (reporter->file && qd_expectation_usage_is_unmatched(&reporter->rows, i))
            qd_unmatched_row_write(reporter->file, row);
        if (qd_expectation_usage_state(&reporter->rows, i) == QD_ROW_USED)
            continue;
        if (!whole) {
            reporter->summary.not_judged++;
            continue;
        }
        reporter->summary.stale++;
        qd_expectation_usage_describe(&reporter->rows, i, text, sizeof text);
        qd_tap_point(&reporter->tap, false, text);
        qd_junit_failure(&reporter->junit, text);
    }
}

/* Every byte is on the disk when a run says that it is done. */
static enum qd_status close_file(struct qd_reporter *reporter, bool complete)
{
    if (!reporter->file)
        return QD_OK;
    qd_summary_write(&reporter->summary, complete, qd_clock_seconds() - reporter->started,
                     reporter->file);
    bool failed = fflush(reporter->file) != 0 ||
                  (fsync(fileno(reporter->file)) != 0 && errno != EINVAL && errno != EROFS);
    failed = fclose(reporter->file) != 0 || failed;
    reporter->file = NULL;
    return failed ? qd_fail(&reporter->error, QD_INTERNAL, "cannot write to %s: %s",
                            reporter->file_path, strerror(errno))
                  : QD_OK;
}

/* JUnit and badge, if they are wanted; the first failure is kept. */
static void write_extras(struct qd_reporter *reporter)
{
    struct qd_error error = {0}, badge = {0};

    qd_junit_end(&reporter->junit, &error);
    if (qd_badge_save(&reporter->summary, reporter->badge, &badge) != QD_OK &&
        error.status == QD_OK)
        error = badge;
    if (error.status != QD_OK && reporter->error.status == QD_OK)
        reporter->error = error;
}

enum qd_exit qd_reporter_end(struct qd_reporter *reporter, bool whole, bool complete)
{
    judge_rows(reporter, whole && complete && !reporter->stopped);
    enum qd_exit code = qd_summary_exit(&reporter->summary);
    if (reporter->summary.comparisons == 0 && complete) {
        qd_tap_point(&reporter->tap, false, "something was compared");
        qd_junit_failure(&reporter->junit, "something was compared");
    }
    qd_summary_tap(&reporter->summary, &reporter->tap);
    if (qd_causes_find(&reporter->causes, &reporter->error) == QD_OK)
        qd_causes_tap(&reporter->causes, &reporter->tap);
    qd_tap_end(&reporter->tap);
    fflush(reporter->tap.out);
    if (reporter->progress)
        fputc('\n', reporter->progress);
    qd_summary_print(&reporter->summary, reporter->err);
    qd_causes_print(&reporter->causes, QD_CAUSES_SHOWN, reporter->err);
    close_file(reporter, complete && !reporter->stopped);
    write_extras(reporter);
    if (reporter->error.status != QD_OK) {
        fprintf(reporter->err, "qdiff: %s\n", reporter->error.text);
        code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    }
    qd_summary_clear(&reporter->summary);
    qd_causes_clear(&reporter->causes);
    return code;
}
