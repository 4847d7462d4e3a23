/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the messages of built-in targets. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qdiff/utf8.h"

enum qd_target_status qd_answer(struct qd_target_message *message, enum qd_target_status status,
                                const char *format, ...)
{
    char text[4 * sizeof message->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_text_shorten(message->text, sizeof message->text, text, strlen(text));
    return status;
}

bool qd_config_next(const char **config, char *key, char *value, unsigned size, bool *ok)
{
    *ok = true;
    if (**config == '\0')
        return false;
    size_t length = strcspn(*config, ","), split = strcspn(*config, "=,");
    size_t rest = length > split ? length - split - 1 : 0;
    if (split == 0 || split >= length || split >= size || rest >= size) {
        *ok = false;
        return false;
    }
    memcpy(key, *config, split);
    key[split] = '\0';
    memcpy(value, *config + split + 1, rest);
    value[rest] = '\0';
    *config += length + ((*config)[length] == ',');
    return true;
}

void qd_text_clean(char *text, unsigned size)
{
    text[size - 1] = '\0';
    while (*text) {
        unsigned length = qd_utf8_length(text, QD_UTF8_MOST);
        bool shown =
            *text == '\n' || *text == '\t' || (length > 0 && qd_utf8_is_printable(text, length));
        length = length == 0 ? 1 : length;
        if (!shown)
            memset(text, '?', length);
        text += length;
    }
}

void qd_text_shorten(char *to, size_t size, const char *from, size_t length)
{
    static const char gap[] = "\n[...]\n";
    if (length < size) {
        memcpy(to, from, length);
        to[length] = '\0';
        return;
    }
    size_t kept = size - sizeof gap, head = kept / 2, tail = kept - head;
    memcpy(to, from, head);
    memcpy(to + head, gap, sizeof gap - 1);
    memcpy(to + head + sizeof gap - 1, from + length - tail, tail);
    to[size - 1] = '\0';
}

void qd_text_line(char *text, unsigned size)
{
    qd_text_clean(text, size);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
}
