/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "qdiff/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *qd_status_word(enum qd_status status)
{
    static const char *const words[] = {
#define QD_STATUS_WORD(name, word, meaning) word,
        QD_STATUS_LIST(QD_STATUS_WORD)
#undef QD_STATUS_WORD
    };
    return (unsigned)status < QD_STATUS_COUNT ? words[status] : "unknown";
}

enum qd_status qd_status_of_errno(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return QD_NO_SPACE;
    case ENOMEM: return QD_NO_MEMORY;
    default: return QD_IO;
    }
}

static void set(struct qd_error *error, enum qd_status status, const char *rule, const char *format,
                va_list arguments)
{
    if (!error)
        return;
    error->status = status;
    snprintf(error->rule, sizeof error->rule, "%s", rule);
    vsnprintf(error->text, sizeof error->text, format, arguments);
}

enum qd_status qd_fail(struct qd_error *error, enum qd_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, status, "", format, arguments);
    va_end(arguments);
    return status;
}

enum qd_status qd_fail_rule(struct qd_error *error, const char *rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, QD_INVALID, rule, format, arguments);
    va_end(arguments);
    return QD_INVALID;
}

enum qd_status qd_fail_context(struct qd_error *error, enum qd_status status, const char *format,
                               ...)
{
    if (!error)
        return status;
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length;
    if (used + 2 < sizeof text) {
        memcpy(text + used, ": ", 2);
        size_t rest = strnlen(error->text, sizeof text - used - 3);
        memcpy(text + used + 2, error->text, rest);
        text[used + 2 + rest] = '\0';
    }
    memcpy(error->text, text, sizeof text);
    error->status = status;
    return status;
}
