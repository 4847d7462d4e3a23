/* SPDX-License-Identifier: Apache-2.0 */
/* The verb `help`: the index, a verb's page or a topic. */
#include <string.h>

#include "command/command.h"
#include "qdiff/spelling.h"

static enum qd_exit fail(const struct qd_command *command, const char *given)
{
    struct qd_spelling spelling = {given, NULL, 0};

    for (size_t i = 0; qd_verb_at(i); i++)
        qd_spelling_try(&spelling, qd_verb_at(i)->name);
    for (size_t i = 0; qd_topic_at(i); i++)
        qd_spelling_try(&spelling, qd_topic_at(i)->name);
    fprintf(command->err, "qdiff: no verb or topic \"%s\"%s%s%s\n", given,
            spelling.word ? "; did you mean \"" : "; see qdiff help",
            spelling.word ? spelling.word : "", spelling.word ? "\"?" : "");
    return QD_EXIT_USAGE;
}

static enum qd_exit run(struct qd_command *command)
{
    if (command->options.arguments.count == 0) {
        qd_help_all(command->out);
        return QD_EXIT_OK;
    }
    const char *given = command->options.arguments.items[0];
    for (size_t i = 0; qd_topic_at(i); i++)
        if (strcmp(qd_topic_at(i)->name, given) == 0) {
            qd_topic_at(i)->print(command->out);
            return QD_EXIT_OK;
        }
    for (size_t i = 0; qd_verb_at(i); i++)
        if (strcmp(qd_verb_at(i)->name, given) == 0) {
            qd_help_verb(command->out, qd_verb_at(i));
            return QD_EXIT_OK;
        }
    return fail(command, given);
}

const struct qd_verb qd_verb_help = {
    .arguments = "[VERB|TOPIC]",
    .at_most = 1,
    .options = "",
    .text =
        "Without an argument: all verbs and topics. With a verb: what it does, examples and its\n"
        "options. With a topic: \"verdicts\" explains the words in the output, \"features\" lists\n"
        "the words that --feature takes, \"environment\" every environment variable.",
    .examples = "    qdiff help run\n"
                "    qdiff help verdicts",
    .run = run,
};
