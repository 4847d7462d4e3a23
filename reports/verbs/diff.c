/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff diff`: what is new, gone or changed between two results files. */
#include <stdlib.h>
#include <string.h>

#include "causes/causes.h"
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

/* --- What changed ------------------------------------------------------------------------------- */

enum change { NEW, GONE, CHANGED, CHANGE_COUNT };

/* A comparison: the results of each kind of change, with what passes where they fail. */
struct comparison {
    struct side *sides; /* the old file and the new one */
    struct side *read;  /* the one being read again */
    struct qd_causes causes[CHANGE_COUNT];
    size_t counts[CHANGE_COUNT], only_old, only_new;
};

/* CHANGE_COUNT where nothing changed. */
static enum change change_of(const struct qd_keyed_result *old, const struct qd_keyed_result *new)
{
    if (is_bad(new) && !is_bad(old))
        return NEW;
    if (!is_bad(new) && is_bad(old))
        return GONE;
    return is_bad(new) && strcmp(old->what, new->what) != 0 ? CHANGED : CHANGE_COUNT;
}

/* What is gone has the causes of the old file, the rest those of the new one. */
static enum qd_status sort_result(void *context, const struct qd_result *result,
                                  struct qd_error *error)
{
    struct comparison *comparison = context;
    struct side *read = comparison->read, *sides = comparison->sides;
    bool is_new = read == &sides[1], added, is_passing = result->kind == QD_RESULT_PASS;
    struct qd_keyed_result *entry;
    enum qd_status status =
        qd_results_by_key_add(&read->table, result, read->ignore_version, &added, &entry, error);

    if (status != QD_OK)
        return status;
    struct qd_keyed_result *other = qd_results_by_key_find(&sides[!is_new].table, entry->key);
    enum change change = is_new ? change_of(other, entry) : change_of(entry, other);
    comparison->only_new += is_new && !other;
    comparison->only_old += !is_new && !other;
    for (int i = 0; i < CHANGE_COUNT && status == QD_OK; i++)
        if ((i == GONE) != is_new && (is_passing || i == (int)change))
            status = qd_causes_add(&comparison->causes[i], result, error);
    if (change != CHANGE_COUNT && (change == GONE) != is_new)
        comparison->counts[change]++;
    return status;
}

/* Reads both files again. */
static enum qd_status compare(const struct qd_words *paths, struct comparison *comparison,
                              struct qd_error *error)
{
    struct qd_results_reader reader = {take_header, sort_result, take_row, comparison};
    enum qd_status status = QD_OK;

    for (int i = 0; i < 2 && status == QD_OK; i++) {
        bool complete;

        comparison->read = &comparison->sides[i];
        status = qd_results_read(paths->items[i], &reader, &complete, error);
    }
    for (int i = 0; i < CHANGE_COUNT && status == QD_OK; i++)
        status = qd_causes_find(&comparison->causes[i], error);
    return status;
}

static const char *what_of(struct side *side, const struct qd_cause_member *member)
{
    const char *key =
        qd_result_key(member->id, member->target, side->ignore_version, &side->table.arena);
    const struct qd_keyed_result *entry = key ? qd_results_by_key_find(&side->table, key) : NULL;

    if (!entry)
        return "not run";
    return is_bad(entry) ? entry->what : entry->kind == QD_RESULT_SKIP ? "skipped" : "no failure";
}

static void print(const struct comparison *comparison, enum change change, FILE *out)
{
    static const char *const words[] = {"new", "gone", "changed"};

    for (size_t i = 0; i < comparison->causes[change].count; i++) {
        const struct qd_cause *cause = &comparison->causes[change].items[i];
        const struct qd_cause_member *smallest = cause->smallest;

        fprintf(out, "%-8s %6zu  %s  [%s]\n", words[change], cause->results, cause->name,
                cause->ops);
        fprintf(out, "%17s%s [%s]: was %.200s, is %.200s\n", "", smallest->id, smallest->target,
                what_of(&comparison->sides[0], smallest), what_of(&comparison->sides[1], smallest));
    }
}

/* --- The verb ------------------------------------------------------------------------------------ */

static enum qd_exit report(const struct comparison *comparison, struct qd_command *command)
{
    const struct side *sides = comparison->sides;

    for (int i = 0; i < CHANGE_COUNT; i++)
        print(comparison, (enum change)i, command->out);
    fprintf(
        command->out,
        "%zu new, %zu gone, %zu changed; %zu results only in the old file, %zu only in the new\n",
        comparison->counts[NEW], comparison->counts[GONE], comparison->counts[CHANGED],
        comparison->only_old, comparison->only_new);
    if (sides[0].table.count == 0 || sides[1].table.count == 0) {
        fputs("qdiff diff: a file without results: nothing was compared\n", command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    return comparison->counts[NEW] > 0 ? QD_EXIT_DIVERGENCE : QD_EXIT_OK;
}

static enum qd_exit run(struct qd_command *command)
{
    struct side sides[2];
    struct comparison comparison = {.sides = sides};
    struct qd_error error = {0};

    for (int i = 0; i < CHANGE_COUNT; i++)
        qd_causes_init(&comparison.causes[i]);
    enum qd_status status = read_sides(&command->options.arguments, sides, &error);
    if (status == QD_OK)
        status = compare(&command->options.arguments, &comparison, &error);
    enum qd_exit code =
        status == QD_OK ? report(&comparison, command) : qd_command_failed(command, &error);
    for (int i = 0; i < CHANGE_COUNT; i++)
        qd_causes_clear(&comparison.causes[i]);
    clear_sides(sides);
    return code;
}

const struct qd_verb qd_verb_diff = {
    .arguments = "OLD NEW",
    .at_least = 2,
    .at_most = 2,
    .options = "",
    .text = "Compares two results files and prints the divergences that are new, gone, or in\n"
            "both but different, one entry for each cause (qdiff help causes), with its\n"
            "smallest case. Two releases of a target count as the same target, unless one\n"
            "file holds both. The exit code is 1 if anything is new.",
    .examples = "  what changed between two releases of ONNX Runtime\n"
                "    qdiff run -t ort@1.26.0 -r old.jsonl; qdiff run -t ort@1.31.1 -r new.jsonl\n"
                "    qdiff diff old.jsonl new.jsonl",
    .run = run,
};
