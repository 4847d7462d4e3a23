/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff findings`: what the fuzzers found. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "bundle/finding_store.h"
#include "command/command.h"
#include "text/case_show.h"

static const char *moment(int64_t when, char *text, size_t size)
{
    time_t seconds = (time_t)when;

    text[0] = '\0';
    struct tm parts;
    if (!gmtime_r(&seconds, &parts) || strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(text, size, "%" PRId64, when);
    return text;
}

struct stores {
    struct qd_store *findings, *pool;
};

/* --- list --------------------------------------------------------------------------------------- */

struct list {
    FILE *out, *err;
    size_t count, unreadable;
};

static bool list_one(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    struct list *list = context;

    if (!record) {
        fprintf(list->err, "qdiff: %s\n", problem->text);
        list->unreadable++;
        return true;
    }
    char last[40];
    fprintf(list->out, "%s  %6" PRIu64 "  %s  %s\n", moment(record->last, last, sizeof last),
            record->count, record->reduced ? "reduced" : "whole  ", record->signature);
    list->count++;
    return true;
}

/* No finding yet, so it has no line. */
static bool count_one(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    struct list *pool = context;

    if (record == NULL) {
        fprintf(pool->err, "qdiff: %s\n", problem->text);
        pool->unreadable++;
    } else {
        pool->count++;
    }
    return true;
}

static enum qd_exit list_all(struct qd_command *command, const struct stores *stores)
{
    struct list list = {.out = command->out, .err = command->err}, pool = list;
    struct qd_error error = {0};

    if (qd_store_visit(stores->findings, list_one, &list, &error) != QD_OK ||
        qd_store_visit(stores->pool, count_one, &pool, &error) != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(command->out, "%zu finding%s\n", list.count, list.count == 1 ? "" : "s");
    if (pool.count > 0)
        fprintf(command->out, "%zu more to be looked at: qdiff settle\n", pool.count);
    return list.unreadable + pool.unreadable > 0 ? QD_EXIT_USAGE : QD_EXIT_OK;
}

/* --- show --------------------------------------------------------------------------------------- */

static void print_record(FILE *out, const struct qd_record *record)
{
    char first[40], last[40];

    fprintf(out, "finding   %s\nfirst     %s\nlast      %s\ncount     %" PRIu64 "\ncase      %s\n",
            record->signature, moment(record->first, first, sizeof first),
            moment(record->last, last, sizeof last), record->count,
            record->reduced ? "reduced" : "as it was found");
    fprintf(out, "qdiff     %s\ncpu       %s\nflags     %s\n", record->version, record->cpu,
            record->flags);
    for (size_t i = 0; i < record->sighting_count; i++) {
        const struct qd_sighting *s = &record->sightings[i];

        fprintf(out, "seen on   %s: %" PRIu64 " times, %s to %s\n", s->target, s->count,
                moment(s->first, first, sizeof first), moment(s->last, last, sizeof last));
    }
    fputc('\n', out);
}

/* The finding, else what waits under that name. USAGE: neither. */
static enum qd_status get(const struct stores *stores, const char *signature,
                          struct qd_arena *arena, struct qd_record *record, struct qd_error *error)
{
    struct qd_error none;
    enum qd_status status = qd_store_get(stores->findings, signature, arena, record, error);

    if (status == QD_USAGE && qd_store_get(stores->pool, signature, arena, record, &none) == QD_OK)
        status = QD_OK;
    return status;
}

static enum qd_exit show(struct qd_command *command, const struct stores *stores,
                         const char *signature)
{
    const char *output = command->options.output;
    struct qd_record record;
    struct qd_case kase;
    struct qd_error error = {0};

    if (get(stores, signature, command->arena, &record, &error) != QD_OK ||
        qd_case_decode(record.bytes, record.size, command->arena, &kase, &error) != QD_OK)
        return qd_command_failed(command, &error);
    print_record(command->out, &record);
    qd_case_show(command->out, &kase, command->arena);
    if (output && qd_file_write(output, record.bytes, record.size, &error) != QD_OK)
        return qd_command_failed(command, &error);
    return QD_EXIT_OK;
}

static enum qd_exit forget(struct qd_command *command, const struct stores *stores,
                           const char *signature)
{
    struct qd_error error = {0}, none;
    enum qd_status status = qd_store_forget(stores->findings, signature, &error);

    if (status == QD_USAGE && qd_store_forget(stores->pool, signature, &none) == QD_OK)
        status = QD_OK;
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(command->out, "forgotten %s\n", signature);
    return QD_EXIT_OK;
}

/* --- The verb ----------------------------------------------------------------------------------- */

static enum qd_exit dispatch(struct qd_command *command, const struct stores *stores)
{
    const struct qd_words *arguments = &command->options.arguments;
    const char *what = arguments->count > 0 ? arguments->items[0] : "list";

    if (strcmp(what, "list") == 0 && arguments->count <= 1)
        return list_all(command, stores);
    if (strcmp(what, "show") == 0 && arguments->count == 2)
        return show(command, stores, arguments->items[1]);
    if (strcmp(what, "forget") == 0 && arguments->count == 2)
        return forget(command, stores, arguments->items[1]);
    fputs("qdiff findings: list, show SIGNATURE or forget SIGNATURE is wanted\n", command->err);
    return QD_EXIT_USAGE;
}

static enum qd_exit run(struct qd_command *command)
{
    struct stores stores;
    struct qd_error error = {0};

    if (qd_finding_store_open(command->arena, &stores.findings, &stores.pool, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = dispatch(command, &stores);
    qd_store_close(stores.findings);
    qd_store_close(stores.pool);
    return code;
}

const struct qd_verb qd_verb_findings = {
    .arguments = "[list|show SIGNATURE|forget SIGNATURE]",
    .at_most = 2,
    .options = "output",
    .text = "The findings store: one case for each signature, with when, how often and on\n"
            "which releases it was seen. It is the directory\n"
            "${QDIFF_STATE:-${XDG_STATE_HOME:-~/.local/state}/qdiff}/findings. The fuzzers\n"
            "and `qdiff reduce --store` add to it, once a case is reduced and no expectation\n"
            "row knows it; what the fuzzers had no time to reduce waits in a pool, raw/ in\n"
            "that directory, for `qdiff settle`. show and forget take names of both. show\n"
            "--output FILE writes the case, for repro, explain and reduce.",
    .examples = "    qdiff findings\n"
                "    qdiff findings show SIGNATURE --output finding.qdcase\n"
                "    qdiff findings forget SIGNATURE",
    .run = run,
};
