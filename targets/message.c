/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the messages of built-in targets. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* Length of the UTF-8 sequence at s (of `left` bytes), 0 if there is none.
 * Overlong forms and surrogates count as none. */
static unsigned sequence(const unsigned char *s, size_t left)
{
    unsigned length = s[0] >= 0xC2 && s[0] < 0xE0   ? 2
                      : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                      : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                                    : 0;
    if (length == 0 || length > left)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF4 && s[1] >= 0x90);
    return overlong || outside ? 0 : length;
}

void qd_text_clean(char *text, unsigned size)
{
    text[size - 1] = '\0';
    unsigned char *s = (unsigned char *)text;
    size_t left = strlen(text);
    while (left > 0) {
        unsigned length = 1;
        if (s[0] >= 0x80)
            length = sequence(s, left);
        else if ((s[0] < 0x20 && s[0] != '\n' && s[0] != '\t') || s[0] == 0x7F)
            length = 0;
        if (length == 0) {
            s[0] = '?';
            length = 1;
        }
        s += length;
        left -= length;
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
