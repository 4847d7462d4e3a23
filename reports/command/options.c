/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command line by the table options.def. */
#include "command/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/spelling.h"

enum kind { FLAG, TEXT, LIST, COMMAS, COUNT, SECONDS, LEVEL, SHARD, TARGET, EXPECTATIONS };

static const struct qd_option_row rows[] = {
#define QD_OPTION(field, name, letter, argument, kind, meaning) \
    {name, letter, argument, kind, offsetof(struct qd_options, field), meaning},
#include "command/options.def"
#undef QD_OPTION
};

const struct qd_option_row *qd_option_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

bool qd_words_hold(const char *words, const char *word)
{
    size_t length = strlen(word);

    while (*words != '\0') {
        size_t span = strcspn(words, " ");

        if (span == length && memcmp(words, word, length) == 0)
            return true;
        words += span;
        words += strspn(words, " ");
    }
    return false;
}

/* A parse under way. */
struct parse {
    const char *allowed;
    struct qd_arena *arena;
    struct qd_options *options;
    struct qd_error *error;
    size_t capacity; /* of every list: no list is longer than argv and the commas in it */
};

static bool taken(const struct parse *parse, const struct qd_option_row *row)
{
    return strcmp(row->name, "help") == 0 || qd_words_hold(parse->allowed, row->name);
}

static enum qd_status unknown(const struct parse *parse, const char *given)
{
    struct qd_spelling spelling = {given, NULL, 0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (taken(parse, &rows[i]))
            qd_spelling_try(&spelling, rows[i].name);
    if (spelling.word) {
        return qd_fail(parse->error, QD_USAGE, "unknown option --%s; did you mean --%s?", given,
                       spelling.word);
    }
    return qd_fail(parse->error, QD_USAGE, "unknown option --%s; --help lists those there are",
                   given);
}

static enum qd_status find_long(const struct parse *parse, const char *name, size_t length,
                                const struct qd_option_row **row)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0 &&
            taken(parse, &rows[i])) {
            *row = &rows[i];
            return QD_OK;
        }
    }
    char given[64];
    length = length < sizeof given ? length : sizeof given - 1;
    memcpy(given, name, length);
    given[length] = '\0';
    return unknown(parse, given);
}

static enum qd_status find_short(const struct parse *parse, char letter,
                                 const struct qd_option_row **row)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].letter == letter && taken(parse, &rows[i])) {
            *row = &rows[i];
            return QD_OK;
        }
    }
    return qd_fail(parse->error, QD_USAGE, "unknown option -%c; --help lists those there are",
                   letter);
}

static enum qd_status bad(const struct parse *parse, const struct qd_option_row *row,
                          const char *value, const char *wanted)
{
    return qd_fail(parse->error, QD_USAGE, "--%s %s: %s is wanted", row->name, value, wanted);
}

static bool parse_count(const char *text, const char **end, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9') /* strtoull takes signs and blanks */
        return false;
    errno = 0;
    char *stop;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0 && *value <= 1000000000;
}

static enum qd_status set_count(struct parse *parse, const struct qd_option_row *row,
                                const char *text)
{
    uint64_t value;
    const char *end;

    if (!parse_count(text, &end, &value) || *end != '\0' || value == 0)
        return bad(parse, row, text, "a whole number from 1");
    *(uint64_t *)(void *)((char *)parse->options + row->offset) = value;
    return QD_OK;
}

static enum qd_status set_seconds(struct parse *parse, const struct qd_option_row *row,
                                  const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end != text && *end != '\0') {
        value *= *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;
        end += *end == 's' || *end == 'm' || *end == 'h';
    }
    if (end == text || *end != '\0' || !(value > 0 && value <= 1e6))
        return bad(parse, row, text, "a time as 90, 10m or 8h, in seconds above 0");
    *(double *)(void *)((char *)parse->options + row->offset) = value;
    return QD_OK;
}

static enum qd_status set_level(struct parse *parse, const struct qd_option_row *row,
                                const char *text)
{
    if (!qd_level_find(text, &parse->options->level))
        return bad(parse, row, text, "smoke, full or exhaustive");
    parse->options->level_given = true;
    return QD_OK;
}

static enum qd_status set_shard(struct parse *parse, const struct qd_option_row *row,
                                const char *text)
{
    uint64_t index, count;
    const char *end;

    if (!parse_count(text, &end, &index) || *end != '/' || !parse_count(end + 1, &end, &count) ||
        *end != '\0' || index == 0 || index > count)
        return bad(parse, row, text, "I/N with 1 <= I <= N");
    parse->options->shard = (struct qd_shard){index - 1, count};
    return QD_OK;
}

static enum qd_status append(struct parse *parse, struct qd_words *list, const char *text)
{
    if (!list->items) {
        list->items = qd_arena_array(parse->arena, parse->capacity, sizeof list->items[0]);
        if (!list->items)
            return qd_fail(parse->error, QD_NO_MEMORY, "no memory for the command line");
    }
    list->items[list->count++] = text;
    return QD_OK;
}

/* "A,B" is two words. */
static enum qd_status append_parts(struct parse *parse, struct qd_words *list, const char *text)
{
    enum qd_status status = QD_OK;

    while (status == QD_OK && *text != '\0') {
        size_t length = strcspn(text, ",");
        const char *part = qd_arena_printf(parse->arena, "%.*s", (int)length, text);

        if (!part)
            return qd_fail(parse->error, QD_NO_MEMORY, "no memory for the command line");
        if (length > 0)
            status = append(parse, list, part);
        text += length + (text[length] == ',');
    }
    return status;
}

static enum qd_status add_target(struct parse *parse, const char *text)
{
    struct qd_wanted_targets *targets = &parse->options->targets;

    if (!targets->items) {
        targets->items = qd_arena_array(parse->arena, parse->capacity, sizeof targets->items[0]);
        if (!targets->items)
            return qd_fail(parse->error, QD_NO_MEMORY, "no memory for the command line");
    }
    targets->items[targets->count++] = (struct qd_wanted_target){text, NULL};
    return QD_OK;
}

static enum qd_status add_expectations(struct parse *parse, const char *text)
{
    struct qd_wanted_targets *targets = &parse->options->targets;
    const char **place = targets->count == 0 ? &targets->expectations
                                             : &targets->items[targets->count - 1].expectations;

    if (*place) {
        return qd_fail(parse->error, QD_USAGE, "--expectations %s: %s was given already", text,
                       *place);
    }
    *place = text;
    return QD_OK;
}

static enum qd_status set(struct parse *parse, const struct qd_option_row *row, const char *text)
{
    void *field = (char *)parse->options + row->offset;

    if (!text && row->kind != FLAG)
        return qd_fail(parse->error, QD_INTERNAL, "option --%s has no argument", row->name);
    switch ((enum kind)row->kind) {
    case FLAG: *(bool *)field = true; return QD_OK;
    case TEXT: *(const char **)field = text; return QD_OK;
    case LIST: return append(parse, field, text);
    case COMMAS: return append_parts(parse, field, text);
    case COUNT: return set_count(parse, row, text);
    case SECONDS: return set_seconds(parse, row, text);
    case LEVEL: return set_level(parse, row, text);
    case SHARD: return set_shard(parse, row, text);
    case TARGET: return add_target(parse, text);
    case EXPECTATIONS: return add_expectations(parse, text);
    }
    return qd_fail(parse->error, QD_INTERNAL, "option --%s has no kind", row->name);
}

/* One option at argv[*i]; leaves *i on the last word it took. */
static enum qd_status take_option(struct parse *parse, int argc, char *const *argv, int *i)
{
    const char *word = argv[*i];
    const char *value = NULL;
    const struct qd_option_row *row = NULL;
    enum qd_status status;

    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");

        status = find_long(parse, word + 2, length, &row);
        value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    } else {
        status = find_short(parse, word[1], &row);
        value = word[2] != '\0' ? word + 2 : NULL;
    }
    if (status != QD_OK)
        return status;
    if (!row->argument && value) {
        return qd_fail(parse->error, QD_USAGE, "--%s takes no value, but \"%s\" was given",
                       row->name, value);
    }
    if (row->argument && !value) {
        if (*i + 1 >= argc)
            return qd_fail(parse->error, QD_USAGE, "--%s wants %s", row->name, row->argument);
        value = argv[++*i];
        if (strncmp(value, "--", 2) == 0) {
            return qd_fail(parse->error, QD_USAGE, "--%s wants %s, and the next word is %s",
                           row->name, row->argument, value);
        }
    }
    return set(parse, row, value);
}

static size_t count_parts(int argc, char *const *argv)
{
    size_t count = (size_t)argc;

    for (int i = 0; i < argc; i++)
        for (const char *c = argv[i]; *c != '\0'; c++)
            count += *c == ',';
    return count;
}

enum qd_status qd_options_parse(const char *allowed, int argc, char *const *argv,
                                struct qd_arena *arena, struct qd_options *options,
                                struct qd_error *error)
{
    struct qd_options parsed = {.level = QD_LEVEL_FULL};
    struct parse parse = {allowed, arena, &parsed, error, count_parts(argc, argv)};
    bool only_arguments = false;

    for (int i = 0; i < argc; i++) {
        bool is_option = !only_arguments && argv[i][0] == '-' && argv[i][1] != '\0';
        enum qd_status status;

        if (is_option && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
            continue;
        }
        status = is_option ? take_option(&parse, argc, argv, &i)
                           : append(&parse, &parsed.arguments, argv[i]);
        if (status != QD_OK)
            return status;
    }
    *options = parsed;
    return QD_OK;
}
