/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TAP 13: a point per case and target, YAML blocks for what differs. */
#include "result/tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "qdiff/utf8.h"

void qd_tap_begin(struct qd_tap *tap, FILE *out)
{
    tap->out = out;
    tap->points = 0;
    fputs("TAP version 13\n", out);
}

/* Text on one line. In a description '#' starts a directive and is escaped; bytes that would break the line or are
 * not UTF-8 become '?'. */
static void print_line(FILE *out, const char *text, bool escape)
{
    while (*text != '\0') {
        unsigned length = qd_utf8_length(text, QD_UTF8_MOST);

        if (length == 0 || !qd_utf8_is_printable(text, length)) {
            fputc(*text == '\n' || *text == '\t' ? ' ' : '?', out);
            text += length == 0 ? 1 : length;
            continue;
        }
        if (escape && (*text == '#' || *text == '\\'))
            fputc('\\', out);
        fwrite(text, 1, length, out);
        text += length;
    }
}

void qd_tap_comment(struct qd_tap *tap, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("# ", tap->out);
    print_line(tap->out, text, false);
    fputc('\n', tap->out);
}

static void begin_point(struct qd_tap *tap, bool ok, const char *description)
{
    fprintf(tap->out, "%s %zu - ", ok ? "ok" : "not ok", ++tap->points);
    print_line(tap->out, description, true);
}

void qd_tap_check(struct qd_tap *tap, bool ok, const char *description, const char *skipped)
{
    begin_point(tap, ok, description);
    if (skipped[0] != '\0') {
        fputs(" # SKIP ", tap->out);
        print_line(tap->out, skipped, false);
    }
    fputc('\n', tap->out);
}

void qd_tap_point(struct qd_tap *tap, bool ok, const char *description)
{
    qd_tap_check(tap, ok, description, "");
}

void qd_tap_bail_out(struct qd_tap *tap, const char *text)
{
    fputs("Bail out! ", tap->out);
    print_line(tap->out, text, false);
    fputc('\n', tap->out);
}

void qd_tap_end(struct qd_tap *tap)
{
    fprintf(tap->out, "1..%zu\n", tap->points);
}

/* A YAML scalar in double quotes, unless it is a plain word or number. */
static void yaml_scalar(FILE *out, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

    if (text[0] != '\0' && strspn(text, plain) == strlen(text) && text[0] != '-') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    while (*text != '\0') {
        unsigned length = qd_utf8_length(text, QD_UTF8_MOST);

        if (length == 0 || !qd_utf8_is_printable(text, length)) {
            fprintf(out, *text == '\n' ? "\\n" : "\\x%02x", (unsigned)(unsigned char)*text);
            text++;
            continue;
        }
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fwrite(text, 1, length, out);
        text += length;
    }
    fputc('"', out);
}

static void yaml_if(FILE *out, const char *key, const char *value)
{
    if (value[0] != '\0') {
        fprintf(out, "  %s: ", key);
        yaml_scalar(out, value);
        fputc('\n', out);
    }
}

static void yaml_difference(FILE *out, const struct qd_result *result)
{
    const struct qd_comparison *comparison = &result->comparison;

    if (comparison->mismatched == 0)
        return;
    yaml_if(out, "output", result->output);
    yaml_if(out, "element", result->element);
    yaml_if(out, "want", result->want);
    yaml_if(out, "have", result->have);
    yaml_if(out, "real", result->real);
    fputs("  admissible:\n    - ", out);
    yaml_scalar(out, result->lo);
    fputs("\n    - ", out);
    yaml_scalar(out, result->hi);
    fprintf(out, "\n  differ: %" PRId64 "\n  of: %" PRId64 "\n", comparison->mismatched,
            comparison->compared);
}

static void yaml_parameters(FILE *out, const struct qd_result *result)
{
    if (result->parameter_count == 0)
        return;
    fputs("  parameters:\n", out);
    for (size_t i = 0; i < result->parameter_count; i++) {
        fputs("    ", out);
        yaml_scalar(out, result->parameters[i].name);
        fputs(": ", out);
        yaml_scalar(out, result->parameters[i].value);
        fputc('\n', out);
    }
}

void qd_tap_block(FILE *out, const struct qd_result *result)
{
    fputs("  ---\n", out);
    if (qd_result_has_comparison(result)) {
        yaml_if(out, "class", qd_verdict_word(result->comparison.verdict));
        yaml_if(out, "meaning", qd_verdict_meaning(result->comparison.verdict));
        yaml_if(out, "severity",
                result->severity == QD_SEVERITY_NONE ? "" : qd_severity_word(result->severity));
        yaml_if(out, "clause", result->clause);
    } else {
        yaml_if(out, "class", qd_result_word(result->kind));
    }
    yaml_if(out, "op", result->op);
    yaml_if(out, "error", result->why);
    yaml_if(out, "stage", result->stage);
    yaml_if(out, "message", result->message);
    if (result->signal != 0)
        fprintf(out, "  signal: %d\n", result->signal);
    yaml_difference(out, result);
    yaml_if(out, "diagnosis", result->diagnosis);
    yaml_if(out, "effect", result->effect);
    yaml_if(out, "seen", result->seen);
    yaml_if(out, "evidence", result->evidence);
    yaml_if(out, "place", result->place);
    yaml_if(out, "facts", result->facts);
    yaml_if(out, "features", result->features);
    yaml_parameters(out, result);
    if (result->row != 0)
        fprintf(out, "  expectation: %zu\n", result->row);
    yaml_if(out, "issue", result->issue);
    yaml_if(out, "reason", result->reason);
    fputs("  ...\n", out);
}

void qd_tap_result(struct qd_tap *tap, const struct qd_result *result)
{
    bool ok = result->kind == QD_RESULT_PASS || result->kind == QD_RESULT_SKIP;
    FILE *out = tap->out;

    begin_point(tap, ok, result->id);
    if (result->target[0] != '\0') {
        fputs(" [", out);
        print_line(out, result->target, true);
        fputc(']', out);
    }
    if (result->kind == QD_RESULT_SKIP) {
        fputs(" # SKIP ", out);
        print_line(out, result->why, false);
    } else if (result->kind == QD_RESULT_KNOWN) {
        fputs(" # TODO ", out);
        print_line(out, result->issue[0] != '\0' ? result->issue : result->reason, false);
    } else if (result->kind == QD_RESULT_ADVISORY) {
        fprintf(out, " # TODO advisory, %s: ", qd_verdict_word(result->comparison.verdict));
        print_line(out, result->clause, false);
    }
    fputc('\n', out);
    if (qd_result_is_unexpected(result->kind))
        qd_tap_block(out, result);
}
