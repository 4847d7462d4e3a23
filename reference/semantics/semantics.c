/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/semantics.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind { DEFAULT, DIALECT, QUIRK };

static const char *const kind_words[] = {"default", "dialect", "quirk"};

struct choice {
    const char *word;
    enum kind kind;
};

#define CHOICE(name, word, kind) {word, kind},
#define CHOICES(field, word, values) \
    static const struct choice field##_choices[] = {values(CHOICE)};
QD_SWITCH_LIST(CHOICES)
#undef CHOICES
#undef CHOICE

struct row {
    const char *word;
    const struct choice *choices;
    size_t count, offset;
};

static const struct row rows[] = {
#define ROW(field, word, values)                                              \
    {word, field##_choices, sizeof field##_choices / sizeof *field##_choices, \
     offsetof(struct qd_semantics, field)},
    QD_SWITCH_LIST(ROW)
#undef ROW
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

void qd_semantics_visit(void (*visit)(void *context, const char *key, const char *value,
                                      const char *kind),
                        void *context)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (size_t j = 0; j < rows[i].count; j++)
            visit(context, rows[i].word, rows[i].choices[j].word,
                  kind_words[rows[i].choices[j].kind]);
}

static bool equals(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

static const struct row *find_row(const char *text, size_t length)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (equals(rows[i].word, text, length))
            return &rows[i];
    return NULL;
}

static enum qd_status unknown_switch(const char *text, size_t length, struct qd_error *error)
{
    char known[160] = "";
    for (size_t i = 0; i < ROW_COUNT; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", rows[i].word);
    }
    return qd_fail(error, QD_USAGE, "unknown switch '%.*s'; there are: %s", (int)length, text,
                   known);
}

static enum qd_status unknown_value(const struct row *row, const char *text, size_t length,
                                    struct qd_error *error)
{
    char known[160] = "";
    for (size_t i = 0; i < row->count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", row->choices[i].word);
    }
    return qd_fail(error, QD_USAGE, "switch '%s' has no value '%.*s'; there are: %s", row->word,
                   (int)length, text, known);
}

static enum qd_status set_switch(const char *text, size_t length, bool allow_quirks,
                                 struct qd_semantics *semantics, struct qd_error *error)
{
    const char *equal = memchr(text, '=', length);
    if (!equal)
        return qd_fail(error, QD_USAGE, "'%.*s' is not switch=value", (int)length, text);
    size_t key_length = (size_t)(equal - text);
    const struct row *row = find_row(text, key_length);
    if (!row)
        return unknown_switch(text, key_length, error);
    for (size_t i = 0; i < row->count; i++) {
        if (!equals(row->choices[i].word, equal + 1, length - key_length - 1))
            continue;
        if (row->choices[i].kind == QUIRK && !allow_quirks)
            return qd_fail(error, QD_USAGE, "%s=%s is known wrong: no profile may declare it",
                           row->word, row->choices[i].word);
        unsigned value =
            (unsigned)i; /* every field is an enum whose values count from 0 in list order */
        memcpy((char *)semantics + row->offset, &value, sizeof value);
        return QD_OK;
    }
    return unknown_value(row, equal + 1, length - key_length - 1, error);
}

enum qd_status qd_semantics_parse(const char *text, bool allow_quirks,
                                  struct qd_semantics *semantics, struct qd_error *error)
{
    struct qd_semantics made = {0};
    while (*text) {
        size_t length = strcspn(text, ",+");
        enum qd_status status = set_switch(text, length, allow_quirks, &made, error);
        if (status != QD_OK)
            return status;
        text += length + (text[length] != '\0');
    }
    *semantics = made;
    return QD_OK;
}
