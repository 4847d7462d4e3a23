/* SPDX-License-Identifier: Apache-2.0 */
/* Splits command lines of workers into words: a shell between qdiff and a worker would hide how the worker ended. */
#include "process/command_line.h"

#include <stdbool.h>
#include <string.h>

/* The words so far. */
struct splitter {
    char *words;
    size_t size, used, count;
    bool in_word, full;
};

static void put(struct splitter *splitter, char c)
{
    if (splitter->used >= splitter->size)
        splitter->full = true;
    else
        splitter->words[splitter->used++] = c;
}

static void end_word(struct splitter *splitter)
{
    if (!splitter->in_word)
        return;
    put(splitter, '\0');
    splitter->count++;
    splitter->in_word = false;
}

/* Takes what stands between two quotes; where it ends, NULL if it does not. */
static const char *take_quoted(struct splitter *splitter, const char *text)
{
    char quote = *text++;
    for (; *text && *text != quote; text++) {
        if (quote == '"' && *text == '\\' && (text[1] == '"' || text[1] == '\\'))
            text++;
        put(splitter, *text);
    }
    return *text ? text : NULL;
}

enum qd_status qd_command_split(const char *text, char *words, size_t size, size_t *count,
                                struct qd_error *error)
{
    struct splitter splitter = {.words = words, .size = size};
    for (const char *at = text; *at; at++) {
        if (strchr(" \t\n", *at)) {
            end_word(&splitter);
            continue;
        }
        splitter.in_word = true;
        if (*at == '\'' || *at == '"') {
            char quote = *at;
            if (!(at = take_quoted(&splitter, at)))
                return qd_fail(error, QD_USAGE, "the %c in '%.120s' has no end", quote, text);
        } else if (*at == '\\' && !*++at) {
            return qd_fail(error, QD_USAGE, "'%.120s' ends in a backslash", text);
        } else {
            put(&splitter, *at);
        }
    }
    end_word(&splitter);
    if (splitter.full || splitter.count == 0)
        return qd_fail(error, QD_USAGE, "'%.120s' is %s", text,
                       splitter.full ? "too long a command line" : "no command line");
    *count = splitter.count;
    return QD_OK;
}
