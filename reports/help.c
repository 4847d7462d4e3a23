#include <string.h>

#include "command.h"

/* Prints text at column `indent` of lines of at most 80 columns; the first line starts there already. */
static void print_wrapped(FILE *out, const char *text, size_t indent)
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
        "qdiff judges quantized neural-network operators against an exact reference.\n\n"
        "usage: qdiff VERB [OPTION]... [ARGUMENT]...\n\n"
        "  qdiff targets                     what can be tested on this machine\n"
        "  qdiff run --target ort            the gate: TAP on stdout, exit code 0 if all is well\n"
        "  qdiff repro case.qdcase --target ort@1.26.0 --target ort\n"
        "                                    one case on two targets, side by side\n"
        "  qdiff help run                    options and more examples of a verb\n\n"
        "verbs:\n",
        out);
    for (size_t i = 0; qd_verb_at(i) != NULL; i++) {
        fprintf(out, "  %-14s", qd_verb_at(i)->name);
        print_wrapped(out, qd_verb_at(i)->meaning, 16);
    }
    fputs(
        "\nexit codes: 0 nothing unexpected; 1 divergence, unexpected pass or stale expectation;\n"
        "2 usage or bad input; 3 target unusable; 4 failure of qdiff itself, a run that compared\n"
        "nothing included; 130 interrupted.\n",
        out);
}

static void print_option(FILE *out, const struct qd_option_row *row)
{
    char left[64];

    snprintf(left, sizeof left, "%s%c%s--%s%s%s", row->letter != 0 ? "-" : " ",
             row->letter != 0 ? row->letter : ' ', row->letter != 0 ? ", " : "  ", row->name,
             row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    if (strlen(left) > 24) {
        fprintf(out, "  %s\n%28s", left, "");
    } else {
        fprintf(out, "  %-26s", left);
    }
    print_wrapped(out, row->meaning, 28);
}

void qd_help_verb(FILE *out, const struct qd_verb_row *row)
{
    fprintf(out,
            "qdiff %s: %s\n\nusage: qdiff %s [OPTION]...%s%s\n\n%s\n\nexamples:\n%s\n\noptions:\n",
            row->name, row->meaning, row->name, row->verb->arguments[0] != '\0' ? " " : "",
            row->verb->arguments, row->verb->text, row->verb->examples);
    for (size_t i = 0; qd_option_at(i) != NULL; i++) {
        const struct qd_option_row *option = qd_option_at(i);

        if (strcmp(option->name, "help") == 0 || qd_words_hold(row->verb->options, option->name)) {
            print_option(out, option);
        }
    }
}
