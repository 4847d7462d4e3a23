/* SPDX-License-Identifier: Apache-2.0 */
/* Prints causes: a table, TAP comments, JSON. */
#include "causes/causes_print.h"

#include <inttypes.h>
#include <string.h>

#include "qdiff/utf8.h"
#include "text/json_write.h"

enum { TABLE_NAME = 100, TABLE_OPS = 40 };

/* Counts the causes of one kind that begin at `from`: of failures, or of what is advisory. */
static size_t count_causes(const struct qd_causes *causes, size_t from, bool advisory,
                           size_t *results)
{
    size_t count = 0;
    *results = 0;
    for (; from + count < causes->count; count++) {
        const struct qd_cause *cause = &causes->items[from + count];
        if (advisory ? cause->kind != QD_RESULT_ADVISORY : !qd_cause_is_red(cause))
            break;
        *results += cause->results;
    }
    return count;
}

/* The text, or its beginning and "...", without bytes that would break the line. */
static void print_cut(FILE *out, const char *text, size_t most)
{
    size_t used = 0;

    for (; *text != '\0'; used++) {
        unsigned length = qd_utf8_length(text, QD_UTF8_MOST);

        if (used + 4 > most && strlen(text) > 3) {
            fputs("...", out);
            return;
        }
        if (length == 0 || !qd_utf8_is_printable(text, length))
            fputc('?', out);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
}

/* The operators without their domains. */
static void print_ops(FILE *out, const char *ops)
{
    char list[256] = "";
    size_t used = 0;

    while (*ops != '\0' && used + 1 < sizeof list) {
        size_t length = strcspn(ops, ","), domain = strcspn(ops, ":");
        const char *name = domain < length ? ops + domain + 1 : ops;

        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)(ops + length - name), name);
        ops += length;
        ops += strspn(ops, ", ");
    }
    print_cut(out, list, TABLE_OPS);
}

static void print_table(const struct qd_causes *causes, size_t count, size_t most, FILE *out)
{
    size_t shown = 0, rest = 0;

    for (; shown < count && shown < most; shown++) {
        const struct qd_cause *cause = &causes->items[shown];

        fprintf(out, "%8zu  ", cause->results);
        print_cut(out, cause->name, TABLE_NAME);
        fputs("  [", out);
        print_ops(out, cause->ops);
        fputs("]\n", out);
    }
    for (size_t i = shown; i < count; i++)
        rest += causes->items[i].results;
    if (count > shown)
        fprintf(out, "%8zu  in %zu smaller causes\n", rest, count - shown);
}

void qd_causes_print(const struct qd_causes *causes, size_t most, FILE *out)
{
    size_t results, count = count_causes(causes, 0, false, &results);

    if (count > 0)
        fprintf(out, "qdiff: %zu failures have %zu cause%s:\n", results, count,
                count == 1 ? "" : "s");
    print_table(causes, count, most, out);
    count = count_causes(causes, count, true, &results);
    if (count > 0)
        fprintf(out, "qdiff: %zu advisories have %zu cause%s; TAP and qdiff causes list them\n",
                results, count, count == 1 ? "" : "s");
}

void qd_cause_print(const struct qd_cause *cause, FILE *out)
{
    fprintf(out, "%zu  ", cause->results);
    print_cut(out, cause->name, SIZE_MAX);
    fputs("\n  ", out);
    print_cut(out, cause->sentence, SIZE_MAX);
    fprintf(out, "\n  counts     %zu results of %zu cases%s%s%s\n", cause->results, cause->cases,
            cause->target[0] != '\0' ? " on " : "", cause->target,
            cause->kind == QD_RESULT_KNOWN ? ", known" : "");
    fprintf(out, "  operators  %s\n", cause->ops);
    if (cause->issue[0] != '\0')
        fprintf(out, "  issue      %s\n", cause->issue);
    fprintf(out, "  shown by   %s\n", cause->command);
}

void qd_causes_tap(const struct qd_causes *causes, struct qd_tap *tap)
{
    size_t results, count = count_causes(causes, 0, false, &results);
    count += count_causes(causes, count, true, &results);

    for (size_t i = 0; i < count; i++) {
        const struct qd_cause *cause = &causes->items[i];

        qd_tap_comment(tap, "cause %zu of %zu: %s", i + 1, count, cause->name);
        qd_tap_comment(tap, "  %zu results of %zu cases; %s; %s", cause->results, cause->cases,
                       cause->ops, cause->sentence);
        if (cause->issue[0] != '\0')
            qd_tap_comment(tap, "  issue: %s", cause->issue);
        qd_tap_comment(tap, "  shown by: %s", cause->command);
    }
}

static void write_members(struct qd_json *json, const struct qd_causes *causes,
                          const struct qd_cause *cause)
{
    qd_json_open(json, "members", '[');
    for (size_t i = 0; i < cause->results; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, causes->members[cause->first + i].id);
        qd_json_string(json, NULL, causes->members[cause->first + i].target);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

void qd_causes_write(const struct qd_causes *causes, FILE *out)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct qd_cause *cause = &causes->items[i];
        struct qd_json json;

        qd_json_begin(&json, out);
        qd_json_open(&json, NULL, '{');
        qd_json_string(&json, "record", "cause");
        qd_json_string(&json, "name", cause->name);
        qd_json_string(&json, "sentence", cause->sentence);
        qd_json_string(&json, "target", cause->target);
        qd_json_string(&json, "kind", qd_result_word(cause->kind));
        qd_json_string(&json, "basis", qd_cause_basis_word(cause->basis));
        qd_json_int(&json, "results", (int64_t)cause->results);
        qd_json_int(&json, "cases", (int64_t)cause->cases);
        qd_json_string(&json, "operators", cause->ops);
        qd_json_string_if(&json, "issue", cause->issue);
        qd_json_string(&json, "smallest", cause->smallest->id);
        qd_json_string(&json, "command", cause->command);
        write_members(&json, causes, cause);
        qd_json_close(&json, '}');
        fputc('\n', out);
    }
}
