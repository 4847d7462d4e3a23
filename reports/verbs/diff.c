/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff diff`: what is new, gone or changed between two results files. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "result/results_by_key.h"
#include "result/results_file.h"

/* One file being read. */
struct side {
    struct qd_results_by_key table;
    bool ignore_version, ambiguous;
};

static enum qd_status take_header(void *context, const char *line, const struct qd_header *header,
                                  struct qd_error *error)
{
    (void)context, (void)line, (void)header, (void)error;
    return QD_OK;
}

static enum qd_status take_result(void *context, const struct qd_result *result,
                                  struct qd_error *error)
{
    struct side *side = context;
    struct qd_keyed_result *entry;
    bool added;
    enum qd_status status =
        qd_results_by_key_add(&side->table, result, side->ignore_version, &added, &entry, error);

    if (status == QD_OK && !added)
        side->ambiguous = true;
    return status;
}

static enum qd_status take_row(void *context, const struct qd_unmatched_row *row,
                               struct qd_error *error)
{
    (void)context, (void)row, (void)error;
    return QD_OK;
}

static enum qd_status read_side(const char *path, bool ignore_version, struct side *side,
                                struct qd_error *error)
{
    struct qd_results_reader reader = {take_header, take_result, take_row, side};

    side->ignore_version = ignore_version;
    side->ambiguous = false;
    qd_results_by_key_init(&side->table);
    bool complete;
    return qd_results_read(path, &reader, &complete, error);
}

static void clear_sides(struct side *sides)
{
    qd_results_by_key_clear(&sides[0].table);
    qd_results_by_key_clear(&sides[1].table);
}

/* Releases are compared under one name, unless a file holds two releases itself. */
static enum qd_status read_sides(const struct qd_words *paths, struct side *sides,
                                 struct qd_error *error)
{
    for (int ignore_version = 1; ignore_version >= 0; ignore_version--) {
        enum qd_status status = read_side(paths->items[0], ignore_version, &sides[0], error);

        if (status == QD_OK)
            status = read_side(paths->items[1], ignore_version, &sides[1], error);
        else
            qd_results_by_key_init(&sides[1].table);
        if (status != QD_OK || ignore_version == 0 || (!sides[0].ambiguous && !sides[1].ambiguous))
            return status;
        clear_sides(sides);
    }
    return QD_OK;
}

/* Whether the result is worse than a pass, expected or not. */
static bool is_bad(const struct qd_keyed_result *entry)
{
    return entry && entry->kind != QD_RESULT_PASS && entry->kind != QD_RESULT_SKIP;
}

/* Counts of a comparison. */
struct counts {
    size_t fresh, gone, changed, only_old, only_new;
};

static void compare(FILE *out, struct qd_keyed_result *old, const struct qd_keyed_result *new,
                    struct counts *counts)
{
    counts->only_new += old == NULL;
    if (is_bad(new) && !is_bad(old)) {
        fprintf(out, "new      %s: %s\n", new->key, new->what);
        counts->fresh++;
    } else if (!is_bad(new) && is_bad(old)) {
        fprintf(out, "gone     %s: was %s\n", old->key, old->what);
        counts->gone++;
    } else if (is_bad(new) && strcmp(old->what, new->what) != 0) {
        fprintf(out, "changed  %s: was %s, is %s\n", new->key, old->what, new->what);
        counts->changed++;
    }
    if (old)
        old->seen = true;
}

static void compare_all(FILE *out, struct side *sides, struct counts *counts)
{
    for (size_t i = 0; i < sides[1].table.count; i++) {
        const struct qd_keyed_result *new = &sides[1].table.entries[i];

        compare(out, qd_results_by_key_find(&sides[0].table, new->key), new, counts);
    }
    for (size_t i = 0; i < sides[0].table.count; i++)
        counts->only_old += !sides[0].table.entries[i].seen;
}

static enum qd_exit run(struct qd_command *command)
{
    struct side sides[2];
    struct counts counts = {0};
    struct qd_error error = {0};
    enum qd_status status = read_sides(&command->options.arguments, sides, &error);
    bool empty = false;

    if (status == QD_OK) {
        compare_all(command->out, sides, &counts);
        empty = sides[0].table.count == 0 || sides[1].table.count == 0;
    }
    clear_sides(sides);
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(
        command->out,
        "%zu new, %zu gone, %zu changed; %zu results only in the old file, %zu only in the new\n",
        counts.fresh, counts.gone, counts.changed, counts.only_old, counts.only_new);
    if (empty) {
        fputs("qdiff diff: a file without results: nothing was compared\n", command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    return counts.fresh > 0 ? QD_EXIT_DIVERGENCE : QD_EXIT_OK;
}

const struct qd_verb qd_verb_diff = {
    .arguments = "OLD NEW",
    .at_least = 2,
    .at_most = 2,
    .options = "",
    .text = "Compares two results files and prints the divergences that are new, gone, or in\n"
            "both but different. Two releases of a target count as the same target, unless\n"
            "one file holds both. The exit code is 1 if anything is new.",
    .examples = "  what changed between two releases of ONNX Runtime\n"
                "    qdiff run -t ort@1.26.0 -r old.jsonl; qdiff run -t ort@1.31.1 -r new.jsonl\n"
                "    qdiff diff old.jsonl new.jsonl",
    .run = run,
};
