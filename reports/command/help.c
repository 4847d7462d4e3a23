/* SPDX-License-Identifier: Apache-2.0 */
/* Help: the index of verbs and topics, and a verb's page. */
#include <string.h>

#include "command/command.h"

static const struct qd_topic_row topics[] = {
#define QD_TOPIC(name, meaning) {#name, meaning, qd_topic_##name},
#include "topics/topics.def"
#undef QD_TOPIC
};

const struct qd_topic_row *qd_topic_at(size_t i)
{
    return i < sizeof topics / sizeof topics[0] ? &topics[i] : NULL;
}

void qd_help_wrapped(FILE *out, const char *text, size_t indent)
{
    size_t column = indent;

    while (*text != '\0') {
        size_t span = strcspn(text, " ");

        if (column > indent && column + 1 + span > 80) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, span, out);
        column += span;
        text += span;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void qd_help_all(FILE *out)
{
    fputs(
        "qdiff compares quantized neural-network operators with an exact reference.\n\n"
        "usage: qdiff VERB [OPTION]... [ARGUMENT]...\n\n"
        "  qdiff targets                     what can be tested on this machine\n"
        "  qdiff run --target ort            the gate: TAP on stdout, exit code 0 if all is well\n"
        "  qdiff repro case.qdcase --target ort@1.26.0 --target ort\n"
        "                                    one case on two targets, side by side\n"
        "  qdiff help run                    options and more examples of a verb\n"
        "  qdiff help verdicts               what the words in the output mean\n\n"
        "verbs:\n",
        out);
    for (size_t i = 0; qd_verb_at(i); i++) {
        fprintf(out, "  %-14s", qd_verb_at(i)->name);
        qd_help_wrapped(out, qd_verb_at(i)->meaning, 16);
    }
    fputs("\ntopics (qdiff help TOPIC):\n", out);
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        fprintf(out, "  %-14s", topics[i].name);
        qd_help_wrapped(out, topics[i].meaning, 16);
    }
    fputs("\nexit codes: 0 no failure; 1 a new divergence, a fixed one or a stale expectation\n"
          "row; 2 usage or bad input; 3 a target that cannot be used; 4 a failure of qdiff\n"
          "itself, a full disk, or nothing was compared although targets and arguments were\n"
          "right (a filter that selects no case); 130 interrupted. Of several the first of\n"
          "130, 4, 3, 2, 1.\n",
          out);
}

static void print_option(FILE *out, const struct qd_option_row *row)
{
    char left[64];

    snprintf(left, sizeof left, "%s%c%s--%s%s%s", row->letter != 0 ? "-" : " ",
             row->letter != 0 ? row->letter : ' ', row->letter != 0 ? ", " : "  ", row->name,
             row->argument ? " " : "", row->argument ? row->argument : "");
    if (strlen(left) > 24)
        fprintf(out, "  %s\n%28s", left, "");
    else
        fprintf(out, "  %-26s", left);
    qd_help_wrapped(out, row->meaning, 28);
}

void qd_help_verb(FILE *out, const struct qd_verb_row *row)
{
    fprintf(out,
            "qdiff %s: %s\n\nusage: qdiff %s [OPTION]...%s%s\n\n%s\n\nexamples:\n%s\n\noptions:\n",
            row->name, row->meaning, row->name, row->verb->arguments[0] != '\0' ? " " : "",
            row->verb->arguments, row->verb->text, row->verb->examples);
    for (size_t i = 0; qd_option_at(i); i++) {
        const struct qd_option_row *option = qd_option_at(i);

        if (strcmp(option->name, "help") == 0 || qd_words_hold(row->verb->options, option->name))
            print_option(out, option);
    }
}
