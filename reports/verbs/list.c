#include <stdlib.h>

#include "command.h"
#include "json_write.h"
#include "visit.h"

/* A listing under way. */
struct listing {
    struct qd_command *command;
    size_t count, bad;
};

static void write_case(FILE *out, const struct qd_selected *selected)
{
    const struct qd_case *kase = selected->kase;
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "id", kase->id);
    qd_json_string(&json, "op", qd_case_op(kase));
    qd_json_string(&json, "expect", kase->expect == QD_EXPECT_VALID ? "valid" : "must-reject");
    qd_json_string_if(&json, "rule", kase->rule);
    qd_json_string_if(&json, "issue", kase->issue);
    qd_json_open(&json, "features", '[');
    for (int i = 0; i < QD_FEATURE_COUNT; i++) {
        if (qd_features_has(&selected->features, (enum qd_feature)i)) {
            qd_json_string(&json, NULL, qd_feature_word((enum qd_feature)i));
        }
    }
    qd_json_close(&json, ']');
    qd_json_open(&json, "tags", '[');
    for (size_t i = 0; i < kase->tag_count; i++) {
        qd_json_string(&json, NULL, kase->tags[i]);
    }
    qd_json_close(&json, ']');
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct listing *listing = context;
    const struct qd_options *options = &listing->command->options;

    listing->count++;
    if (options->json && !options->count) {
        write_case(listing->command->out, selected);
    } else if (!options->count) {
        fprintf(listing->command->out, "%s\n", selected->kase->id);
    }
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

static enum qd_exit run(struct qd_command *command)
{
    struct listing listing = {.command = command};
    struct qd_visitor visitor = {take, take_bad, &listing};
    struct qd_selection selection;
    struct qd_error error = {0};

    if (qd_selection_init(&command->options, command->arena, &selection, &error) != QD_OK ||
        qd_visit_selected(&selection, &visitor, &error) != QD_OK) {
        return qd_command_failed(command, &error);
    }
    if (command->options.count) {
        fprintf(command->out, command->options.json ? "{\"cases\": %zu}\n" : "%zu\n",
                listing.count);
    }
    return listing.bad > 0 ? QD_EXIT_USAGE : QD_EXIT_OK;
}

const struct qd_verb qd_verb_list = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "filter op feature tag level shard cases count json",
    .text =
        "Prints the ids of the suite's cases, or of the files given, one a line; with --json one\n"
        "object a line, with operator, features, tags and expectation.",
    .examples = "  how many cases has the full level\n"
                "    qdiff list --count\n"
                "  grouped convolutions without bias\n"
                "    qdiff list --op QLinearConv --feature 'groups,!bias'",
    .run = run,
};
