/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the verb that the command line names, parses its options, runs it. */
#include "command/command.h"

#include <string.h>

#include "qdiff/spelling.h"

#define QD_VERB(file, name, meaning) extern const struct qd_verb qd_verb_##file;
#include "verbs/verbs.def"
#undef QD_VERB

static const struct qd_verb_row rows[] = {
#define QD_VERB(file, name, meaning) {name, meaning, &qd_verb_##file},
#include "verbs/verbs.def"
#undef QD_VERB
};

const struct qd_verb_row *qd_verb_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

enum qd_exit qd_command_failed(const struct qd_command *command, const struct qd_error *error)
{
    fprintf(command->err, "qdiff: %s\n", error->text);
    return qd_exit_of_status(error->status);
}

static const struct qd_verb_row *find_verb(const char *name, FILE *err)
{
    struct qd_spelling spelling = {name, NULL, 0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
        qd_spelling_try(&spelling, rows[i].name);
    }
    if (spelling.word)
        fprintf(err, "qdiff: no verb \"%s\"; did you mean \"%s\"?\n", name, spelling.word);
    else
        fprintf(err, "qdiff: no verb \"%s\"; qdiff --help lists those there are\n", name);
    return NULL;
}

static enum qd_exit check_arguments(const struct qd_command *command, const struct qd_verb_row *row)
{
    size_t count = command->options.arguments.count;

    if (count >= row->verb->at_least && count <= row->verb->at_most)
        return QD_EXIT_OK;
    if (count > row->verb->at_most) {
        fprintf(command->err, "qdiff %s: one argument too many: \"%s\"\n", row->name,
                command->options.arguments.items[row->verb->at_most]);
    } else {
        fprintf(command->err, "qdiff %s: wants %s\n", row->name, row->verb->arguments);
    }
    return QD_EXIT_USAGE;
}

static enum qd_exit run_verb(struct qd_command *command, const struct qd_verb_row *row, int argc,
                             char *const *argv, const struct qd_console *console)
{
    struct qd_error error = {0};

    if (qd_options_parse(row->verb->options, argc, argv, command->arena, &command->options,
                         &error) != QD_OK) {
        fprintf(command->err, "qdiff %s: %s\n", row->name, error.text);
        return qd_exit_of_status(error.status);
    }
    command->options.progress |= console->err_is_terminal && !console->out_is_terminal;
    if (command->options.help) {
        qd_help_verb(command->out, row);
        return QD_EXIT_OK;
    }
    enum qd_exit code = check_arguments(command, row);
    return code == QD_EXIT_OK ? row->verb->run(command) : code;
}

/* "--help", "-h" and "--version" stand for the verbs of these names. */
static const char *verb_word(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

enum qd_exit qd_command_main(int argc, char *const *argv, const struct qd_console *console)
{
    FILE *out = console->out, *err = console->err;
    struct qd_arena arena;
    struct qd_command command = {
        .arena = &arena, .out = out, .err = err, .watched = console->err_is_terminal};
    enum qd_exit code = QD_EXIT_USAGE;

    if (argc < 2) {
        qd_help_all(err);
        return QD_EXIT_USAGE;
    }
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_verb_row *row = find_verb(verb_word(argv[1]), err);
    if (row)
        code = run_verb(&command, row, argc - 2, argv + 2, console);
    qd_arena_clear(&arena);
    if (fflush(out) != 0 || ferror(out)) {
        fprintf(err, "qdiff: cannot write to standard output\n");
        code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    }
    return code;
}
