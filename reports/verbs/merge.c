/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff merge`: joins the results files of shards and judges the whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causes/causes_print.h"
#include "command/command.h"
#include "result/badge.h"
#include "result/expectation_usage.h"
#include "result/junit.h"
#include "result/results_by_key.h"
#include "result/results_file.h"
#include "result/summary.h"

/* A merge under way. */
struct merge {
    struct qd_results_by_key table;
    struct qd_expectation_usage rows;
    struct qd_summary summary;
    struct qd_causes causes;
    struct qd_junit junit;
    struct qd_arena *arena;
    FILE *out;
    const char *likeness; /* of the first file */
    bool whole, complete, read;
    bool lost;             /* something could not be written */
    struct qd_shard shard; /* of the file being read */
    bool *shards;          /* which were read */
    uint64_t shard_count;
};

static enum qd_status first_header(struct merge *merge, const char *line,
                                   const struct qd_header *header, struct qd_error *error)
{
    const char *unsharded = qd_header_unsharded(line, merge->arena);

    merge->likeness = qd_arena_string(merge->arena, header->likeness);
    merge->shard_count = header->shard.count;
    merge->shards = qd_arena_array(merge->arena, header->shard.count, sizeof *merge->shards);
    if (!unsharded || !merge->likeness || !merge->shards)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a header");
    merge->whole = header->whole;
    fprintf(merge->out, "%s\n", unsharded);
    return QD_OK;
}

static enum qd_status take_header(void *context, const char *line, const struct qd_header *header,
                                  struct qd_error *error)
{
    struct merge *merge = context;

    if (!merge->likeness) {
        enum qd_status status = first_header(merge, line, header, error);

        if (status != QD_OK)
            return status;
    } else if (strcmp(merge->likeness, header->likeness) != 0) {
        return qd_fail(error, QD_USAGE,
                       "another run than the first file's: only shards of one run can be merged "
                       "(same suite, commit, level, filters and targets)");
    }
    if (merge->shard_count > 0)
        merge->shards[header->shard.index] = true;
    return QD_OK;
}

static enum qd_status take_result(void *context, const struct qd_result *result,
                                  struct qd_error *error)
{
    struct merge *merge = context;
    struct qd_keyed_result *entry;
    bool added;
    enum qd_status status =
        qd_results_by_key_add(&merge->table, result, false, &added, &entry, error);

    if (status != QD_OK)
        return status;
    if (!added) {
        struct qd_results_by_key other;

        qd_results_by_key_init(&other);
        struct qd_keyed_result *again;
        status = qd_results_by_key_add(&other, result, false, &added, &again, error);
        bool same = status == QD_OK && again->digest == entry->digest;
        qd_results_by_key_clear(&other);
        return status != QD_OK || same ? status
                                       : qd_fail(error, QD_USAGE, "another result for %s: was %s",
                                                 entry->key, entry->what);
    }
    qd_result_write(merge->out, result);
    qd_junit_result(&merge->junit, result);
    status = qd_summary_add(&merge->summary, result, error);
    if (status == QD_OK)
        status = qd_causes_add(&merge->causes, result, error);
    return status == QD_OK ? qd_expectation_usage_result(&merge->rows, result, error) : status;
}

static enum qd_status take_row(void *context, const struct qd_unmatched_row *row,
                               struct qd_error *error)
{
    struct merge *merge = context;

    return qd_expectation_usage_unmatched(&merge->rows, row, error);
}

static enum qd_status read_all(struct merge *merge, const struct qd_words *paths, FILE *err,
                               struct qd_error *error)
{
    struct qd_results_reader reader = {take_header, take_result, take_row, merge};

    merge->complete = true;
    for (size_t i = 0; i < paths->count; i++) {
        bool complete;
        enum qd_status status = qd_results_read(paths->items[i], &reader, &complete, error);

        if (status != QD_OK)
            return status;
        if (!complete)
            fprintf(err, "qdiff: %s: the run was cut short\n", paths->items[i]);
        merge->complete = merge->complete && complete;
    }
    return QD_OK;
}

static bool all_shards(const struct merge *merge)
{
    for (uint64_t i = 0; i < merge->shard_count; i++)
        if (!merge->shards[i])
            return false;
    return true;
}

static void name_missing(const struct merge *merge, FILE *err)
{
    const char *separator = "";

    fputs("qdiff: not here: shard ", err);
    for (uint64_t i = 0; i < merge->shard_count; i++) {
        if (!merge->shards[i]) {
            fprintf(err, "%s%llu/%llu", separator, (unsigned long long)i + 1,
                    (unsigned long long)merge->shard_count);
            separator = ", ";
        }
    }
    fputs("; run it and merge again\n", err);
}

/* Stale is a row that matched nothing in the union, if the union is everything. */
static void judge_rows(struct merge *merge, FILE *err)
{
    bool judged = merge->whole && merge->complete && all_shards(merge);

    qd_expectation_usage_sort(&merge->rows);
    for (size_t i = 0; i < merge->rows.count; i++) {
        const struct qd_unmatched_row *row = &merge->rows.entries[i].row;

        char text[1024];

        if (qd_expectation_usage_is_unmatched(&merge->rows, i))
            qd_unmatched_row_write(merge->out, row);
        if (qd_expectation_usage_state(&merge->rows, i) == QD_ROW_USED)
            continue;
        merge->summary.stale += judged;
        merge->summary.not_judged += !judged;
        if (judged) {
            qd_expectation_usage_describe(&merge->rows, i, text, sizeof text);
            fprintf(err, "qdiff: %s: %s\n", row->target, text);
            qd_junit_failure(&merge->junit, text);
        }
    }
    if (!all_shards(merge))
        name_missing(merge, err);
}

/* JUnit and badge, if they are wanted. */
static enum qd_exit write_extras(struct qd_command *command, struct merge *merge)
{
    struct qd_error error = {0};

    if (qd_junit_end(&merge->junit, &error) == QD_OK &&
        qd_badge_save(&merge->summary, command->options.badge, &error) == QD_OK)
        return QD_EXIT_OK;
    return qd_command_failed(command, &error);
}

/* What shards are missing is a failure in JUnit too: nobody may take a part for the whole. */
static enum qd_exit judge_whole(struct merge *merge)
{
    enum qd_exit code = qd_summary_exit(&merge->summary);

    if (merge->complete && all_shards(merge))
        return code;
    qd_junit_failure(&merge->junit, "every shard is here, and ran to its end");
    return qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
}

static enum qd_exit merge_files(struct qd_command *command, struct merge *merge)
{
    struct qd_error error = {0};

    if (qd_junit_begin(&merge->junit, command->options.junit, &error) != QD_OK ||
        read_all(merge, &command->options.arguments, command->err, &error) != QD_OK ||
        qd_causes_find(&merge->causes, &error) != QD_OK)
        return qd_command_failed(command, &error);
    merge->read = true;
    judge_rows(merge, command->err);
    qd_summary_write(&merge->summary, merge->complete && all_shards(merge), 0, merge->out);
    qd_summary_print(&merge->summary, command->err);
    qd_causes_print(&merge->causes, QD_CAUSES_SHOWN, command->err);
    enum qd_exit code = judge_whole(merge);
    code = qd_exit_worse(code, write_extras(command, merge));
    if (fflush(merge->out) != 0 || ferror(merge->out)) {
        fprintf(command->err, "qdiff: cannot write the merged results: %s\n", strerror(errno));
        merge->lost = true;
        code = QD_EXIT_OWN_FAILURE;
    }
    return code;
}

/* To a file of its own first: the output may be one of the inputs, and is never half a file. */
static enum qd_exit merge_to_file(struct qd_command *command, struct merge *merge)
{
    const char *output = command->options.output;
    const char *part = qd_arena_printf(command->arena, "%s.part", output);

    merge->out = !part ? NULL : fopen(part, "we");
    if (!merge->out) {
        fprintf(command->err, "qdiff: --output %s: %s\n", output, strerror(errno));
        return QD_EXIT_USAGE;
    }
    enum qd_exit code = merge_files(command, merge);
    bool closed = fclose(merge->out) == 0, wanted = merge->read && !merge->lost;
    if (closed && wanted && rename(part, output) == 0)
        return code;
    if (wanted) {
        fprintf(command->err, "qdiff: --output %s: %s\n", output, strerror(errno));
        code = QD_EXIT_OWN_FAILURE;
    }
    remove(part);
    return code;
}

static enum qd_exit run(struct qd_command *command)
{
    struct merge merge = {.arena = command->arena, .out = command->out};

    merge.rows.arena = command->arena;
    qd_results_by_key_init(&merge.table);
    qd_causes_init(&merge.causes);
    enum qd_exit code =
        command->options.output ? merge_to_file(command, &merge) : merge_files(command, &merge);
    merge.junit.path = NULL; /* what was not written by now is not to be */
    qd_junit_end(&merge.junit, NULL);
    qd_results_by_key_clear(&merge.table);
    qd_summary_clear(&merge.summary);
    qd_causes_clear(&merge.causes);
    return code;
}

const struct qd_verb qd_verb_merge = {
    .arguments = "FILE...",
    .at_least = 1,
    .at_most = SIZE_MAX,
    .options = "output junit badge",
    .text = "Joins the results files of the shards of one run. A result that is in several\n"
            "files counts once. Expectation rows, which a single shard cannot judge, are\n"
            "judged over the union when every shard is there. The exit code is that of the\n"
            "whole run, or 4 when a shard is missing or a run was cut short. --junit and --badge\n"
            "write what a run of the whole would.",
    .examples =
        "    qdiff run -t ort --shard 1/2 -r 1.jsonl; qdiff run -t ort --shard 2/2 -r 2.jsonl\n"
        "    qdiff merge 1.jsonl 2.jsonl --output all.jsonl --junit all.xml",
    .run = run,
};
