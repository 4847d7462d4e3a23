/* SPDX-License-Identifier: Apache-2.0 */
/* The `qdiff` command: verbs, each one file in verbs/ and one row in verbs/verbs.def; topics of help, each one file in
 * topics/ and one row in topics/topics.def. */
#ifndef QDIFF_REPORTS_COMMAND_H
#define QDIFF_REPORTS_COMMAND_H

#include <stdio.h>

#include "command/exit_code.h"
#include "command/options.h"

/* Where a command writes. */
struct qd_console {
    FILE *out, *err;
    bool out_is_terminal, err_is_terminal;
};

struct qd_command {
    struct qd_options
        options; /* progress: also if somebody watches, and what goes to `out` is not seen there */
    struct qd_arena *arena; /* lives as long as the verb runs */
    FILE *out, *err;
    bool watched; /* err is a terminal */
};

struct qd_verb {
    const char *arguments;    /* "FILE|DIR", "" if it takes none */
    size_t at_least, at_most; /* arguments */
    const char *options;      /* names of the options it takes, separated by blanks */
    const char *text;         /* what it does, a paragraph or two */
    const char *examples;     /* a line with what it does, then the command, indented */
    enum qd_exit (*run)(struct qd_command *command);
};

struct qd_verb_row {
    const char *name, *meaning;
    const struct qd_verb *verb;
};

/* Row i of verbs.def, NULL past its end. */
const struct qd_verb_row *qd_verb_at(size_t i);

/* Runs one command line; argv[0] is the program's name. */
enum qd_exit qd_command_main(int argc, char *const *argv, const struct qd_console *console);

/* Prints "qdiff: text" and gives the exit code of the error. */
enum qd_exit qd_command_failed(const struct qd_command *command, const struct qd_error *error);

/* A topic of `qdiff help` that is no verb. */
struct qd_topic_row {
    const char *name, *meaning;
    void (*print)(FILE *out);
};

#define QD_TOPIC(name, meaning) void qd_topic_##name(FILE *out);
#include "topics/topics.def"
#undef QD_TOPIC

/* Row i of topics/topics.def, NULL past its end. */
const struct qd_topic_row *qd_topic_at(size_t i);

/* Help: all verbs and topics, or one verb. */
void qd_help_all(FILE *out);
void qd_help_verb(FILE *out, const struct qd_verb_row *row);

/* Prints text and a newline at column `indent` of lines of at most 80 columns; the first line starts there already. */
void qd_help_wrapped(FILE *out, const char *text, size_t indent);

#endif
