#include <string.h>

#include "command.h"
#include "qdiff/features.h"
#include "qdiff/nearest.h"

static void print_features(FILE *out)
{
    fputs("features, for --feature; facts derived from a case itself:\n", out);
    for (int i = 0; i < QD_FEATURE_COUNT; i++) {
        fprintf(out, "  %-23s %s\n", qd_feature_word((enum qd_feature)i),
                qd_feature_meaning((enum qd_feature)i));
    }
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_nearest nearest = {.given = ""};

    if (command->options.arguments.count == 0) {
        qd_help_all(command->out);
        return QD_EXIT_OK;
    }
    nearest.given = command->options.arguments.items[0];
    if (strcmp(nearest.given, "features") == 0) {
        print_features(command->out);
        return QD_EXIT_OK;
    }
    for (size_t i = 0; qd_verb_at(i) != NULL; i++) {
        if (strcmp(qd_verb_at(i)->name, nearest.given) == 0) {
            qd_help_verb(command->out, qd_verb_at(i));
            return QD_EXIT_OK;
        }
        qd_nearest_offer(&nearest, qd_verb_at(i)->name);
    }
    fprintf(command->err, "qdiff: no verb \"%s\"%s%s%s\n", nearest.given,
            nearest.word != NULL ? "; did you mean \"" : "",
            nearest.word != NULL ? nearest.word : "", nearest.word != NULL ? "\"?" : "");
    return QD_EXIT_USAGE;
}

const struct qd_verb qd_verb_help = {
    .arguments = "[VERB|features]",
    .at_most = 1,
    .options = "",
    .text = "Without a verb: all verbs. With one: what it does, examples and its options. "
            "\"features\"\n"
            "lists the words that --feature takes.",
    .examples = "    qdiff help run\n"
                "    qdiff help features",
    .run = run,
};
