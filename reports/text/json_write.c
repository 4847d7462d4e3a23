/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON on one line: objects, arrays and scalars. */
#include "text/json_write.h"

#include <inttypes.h>
#include <math.h>

#include "qdiff/utf8.h"

void qd_json_begin(struct qd_json *json, FILE *out)
{
    json->out = out;
    json->comma = false;
}

static void quoted_ascii(FILE *out, char c)
{
    if (c == '"' || c == '\\')
        fprintf(out, "\\%c", c);
    else if (c == '\n')
        fputs("\\n", out);
    else if (c == '\t')
        fputs("\\t", out);
    else if ((unsigned char)c < 0x20 || c == 0x7F)
        fprintf(out, "\\u%04x", (unsigned)(unsigned char)c);
    else
        fputc(c, out);
}

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        unsigned length = qd_utf8_length(text, QD_UTF8_MOST);

        if (length == 0) {
            fputs("\\ufffd", out);
            text++;
        } else if (length == 1) {
            quoted_ascii(out, *text++);
        } else {
            fwrite(text, 1, length, out);
            text += length;
        }
    }
    fputc('"', out);
}

static void item(struct qd_json *json, const char *key)
{
    if (json->comma)
        fputs(", ", json->out);
    if (key) {
        quoted(json->out, key);
        fputs(": ", json->out);
    }
    json->comma = true;
}

void qd_json_open(struct qd_json *json, const char *key, char bracket)
{
    item(json, key);
    fputc(bracket, json->out);
    json->comma = false;
}

void qd_json_close(struct qd_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->comma = true;
}

void qd_json_string(struct qd_json *json, const char *key, const char *value)
{
    item(json, key);
    quoted(json->out, value);
}

void qd_json_int(struct qd_json *json, const char *key, int64_t value)
{
    item(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void qd_json_bool(struct qd_json *json, const char *key, bool value)
{
    item(json, key);
    fputs(value ? "true" : "false", json->out);
}

void qd_json_double(struct qd_json *json, const char *key, double value)
{
    item(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.17g", value);
    else if (isnan(value))
        fputs("\"nan\"", json->out);
    else
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", json->out);
}

void qd_json_string_if(struct qd_json *json, const char *key, const char *value)
{
    if (value && value[0] != '\0')
        qd_json_string(json, key, value);
}

void qd_json_int_if(struct qd_json *json, const char *key, int64_t value)
{
    if (value != 0)
        qd_json_int(json, key, value);
}
