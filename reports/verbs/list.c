/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff list`: the ids of cases, or their counts. */
#include <stdlib.h>

#include "command/command.h"
#include "select/case_counts.h"
#include "select/visit.h"
#include "text/json_write.h"

/* A listing under way. */
struct listing {
    struct qd_command *command;
    size_t bad;
    struct qd_case_counts counts; /* --count */
    struct qd_levels levels;      /* --count */
    enum qd_status status;
    struct qd_error error;
};

static void write_case(FILE *out, const struct qd_selected *selected)
{
    const struct qd_case *kase = selected->kase;
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "id", kase->id);
    qd_json_string(&json, "op", kase->op);
    qd_json_string(&json, "role", kase->request_size > 0 ? "quantizer" : "kernel");
    qd_json_string(&json, "expect", kase->expect == QD_EXPECT_VALID ? "valid" : "must-reject");
    qd_json_string_if(&json, "rule", kase->rule);
    qd_json_string_if(&json, "issue", kase->issue);
    qd_json_open(&json, "features", '[');
    for (int i = 0; i < QD_FEATURE_COUNT; i++)
        if (qd_features_has(&selected->features, (enum qd_feature)i))
            qd_json_string(&json, NULL, qd_feature_word((enum qd_feature)i));
    qd_json_close(&json, ']');
    qd_json_open(&json, "tags", '[');
    for (size_t i = 0; i < kase->tag_count; i++)
        qd_json_string(&json, NULL, kase->tags[i]);
    qd_json_close(&json, ']');
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static enum qd_visit count(struct listing *listing, const struct qd_case *kase)
{
    listing->status = qd_case_counts_add(&listing->counts, kase,
                                         qd_levels_of(&listing->levels, kase), &listing->error);
    return listing->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct listing *listing = context;
    const struct qd_options *options = &listing->command->options;

    if (options->count)
        return count(listing, selected->kase);
    if (options->json)
        write_case(listing->command->out, selected);
    else
        fprintf(listing->command->out, "%s\n", selected->kase->id);
    return QD_VISIT_GO_ON;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct listing *listing = context;

    (void)path; /* the error names it */
    fprintf(listing->command->err, "qdiff: %s\n", error->text);
    listing->bad++;
    return QD_VISIT_GO_ON;
}

static enum qd_status list_all(struct listing *listing)
{
    const struct qd_options *options = &listing->command->options;
    struct qd_visitor visitor = {take, take_bad, listing};
    struct qd_selection selection;
    enum qd_status status =
        qd_selection_init(options, listing->command->arena, &selection, &listing->error);

    if (status == QD_OK && options->count && options->arguments.count == 0)
        status = qd_levels_learn(options, &listing->levels, &listing->error);
    else
        listing->levels.top = options->level;
    if (status == QD_OK) {
        selection.role = NULL; /* both */
        status = qd_visit_selected(&selection, &visitor, &listing->error);
    }
    return status == QD_OK ? listing->status : status;
}

static void print_counts(const struct listing *listing)
{
    const struct qd_options *options = &listing->command->options;

    if (options->json)
        qd_case_counts_write(&listing->counts, options->level, listing->command->out);
    else
        qd_case_counts_print(&listing->counts, options->level, listing->command->out);
}

static enum qd_exit run(struct qd_command *command)
{
    struct listing listing = {.command = command};
    enum qd_status status = list_all(&listing);

    if (status == QD_OK && command->options.count)
        print_counts(&listing);
    qd_case_counts_clear(&listing.counts);
    qd_levels_clear(&listing.levels);
    if (status != QD_OK)
        return qd_command_failed(command, &listing.error);
    return listing.bad > 0 ? QD_EXIT_USAGE : QD_EXIT_OK;
}

const struct qd_verb qd_verb_list = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "filter op feature tag level shard cases pack count json",
    .text = "Prints the ids of the suite's cases, or of the files given, one a line. With\n"
            "--json it prints one object a line, with operator, features, tags and\n"
            "expectation. --count counts them by operator, family and level instead; cases\n"
            "with the same model and inputs count once, must-reject cases count by distinct\n"
            "rule.",
    .examples = "  how many cases the full level has\n"
                "    qdiff list --count\n"
                "  grouped convolutions without bias\n"
                "    qdiff list --op QLinearConv --feature 'groups,!bias'",
    .run = run,
};
