/* SPDX-License-Identifier: Apache-2.0 */
/* A result as one line of JSON, and back. */
#include "result/result_json.h"

#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "text/json_write.h"

/* The counts of struct qd_comparison in a record. */
#define COUNTS(COUNT)  \
    COUNT(elements)    \
    COUNT(compared)    \
    COUNT(exact)       \
    COUNT(admissible)  \
    COUNT(mismatched)  \
    COUNT(unspecified) \
    COUNT(slack)       \
    COUNT(extreme_scale)

static void write_comparison(struct qd_json *json, const struct qd_result *result)
{
    const struct qd_comparison *comparison = &result->comparison;

    qd_json_string(json, "verdict", qd_verdict_word(comparison->verdict));
#define COUNT(field) qd_json_int_if(json, #field, comparison->field);
    COUNTS(COUNT)
#undef COUNT
}

static void write_parameters(struct qd_json *json, const struct qd_result *result)
{
    if (result->parameter_count == 0)
        return;
    qd_json_open(json, "parameters", '[');
    for (size_t i = 0; i < result->parameter_count; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, result->parameters[i].name);
        qd_json_string(json, NULL, result->parameters[i].value);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

void qd_result_write(FILE *out, const struct qd_result *result)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "result");
    qd_json_string(&json, "id", result->id);
    qd_json_string(&json, "op", result->op);
    qd_json_string(&json, "target", result->target);
    qd_json_string(&json, "kind", qd_result_word(result->kind));
    if (qd_result_has_comparison(result))
        write_comparison(&json, result);
    qd_json_int_if(&json, "row", (int64_t)result->row);
    qd_json_int_if(&json, "signal", result->signal);
    if (result->severity != QD_SEVERITY_NONE)
        qd_json_string(&json, "severity", qd_severity_word(result->severity));
#define STRING(field) qd_json_string_if(&json, #field, result->field);
    QD_RESULT_STRINGS(STRING)
#undef STRING
    write_parameters(&json, result);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

void qd_unmatched_row_write(FILE *out, const struct qd_unmatched_row *row)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "row");
    qd_json_string(&json, "target", row->target);
    qd_json_int(&json, "row", (int64_t)row->row);
    qd_json_string(&json, "text", row->text);
    qd_json_string(&json, "issue", row->issue);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

/* No count of ours is greater, and sums of these stay far from overflow. */
#define GREATEST (INT64_C(1) << 36)

/* A record being decoded; the first failure is kept and later reads do nothing. */
struct reader {
    const json_t *object;
    struct qd_arena *arena;
    struct qd_error *error;
    enum qd_status status;
};

static void fail(struct reader *reader, const char *field, const char *wanted)
{
    if (reader->status == QD_OK) {
        reader->status =
            qd_fail(reader->error, QD_MALFORMED, "field \"%s\": %s is wanted", field, wanted);
    }
}

static const char *keep(struct reader *reader, const char *text)
{
    const char *copy = qd_arena_string(reader->arena, text);

    if (!copy && reader->status == QD_OK)
        reader->status = qd_fail(reader->error, QD_NO_MEMORY, "no memory for a record");
    return copy ? copy : "";
}

/* "" when absent and not needed. */
static const char *read_string(struct reader *reader, const char *field, bool needed)
{
    const json_t *value = json_object_get(reader->object, field);

    if (!value && !needed)
        return "";
    if (!json_is_string(value)) {
        fail(reader, field, "a string");
        return "";
    }
    return keep(reader, json_string_value(value));
}

/* 0 when absent. */
static int64_t read_int(struct reader *reader, const char *field)
{
    const json_t *value = json_object_get(reader->object, field);

    if (!value)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > GREATEST) {
        fail(reader, field, "a whole number from 0 to 2^36");
        return 0;
    }
    return json_integer_value(value);
}

static void read_comparison(struct reader *reader, struct qd_comparison *comparison)
{
    if (!qd_verdict_find(read_string(reader, "verdict", true), &comparison->verdict))
        fail(reader, "verdict", "the word of a verdict");
#define COUNT(field) comparison->field = read_int(reader, #field);
    COUNTS(COUNT)
#undef COUNT
}

static void read_parameter(struct reader *reader, const json_t *pair,
                           struct qd_parameter *parameter)
{
    const json_t *name = json_array_get(pair, 0), *value = json_array_get(pair, 1);

    if (!json_is_string(name) || !json_is_string(value)) {
        fail(reader, "parameters", "pairs of strings");
        *parameter = (struct qd_parameter){"", ""};
        return;
    }
    parameter->name = keep(reader, json_string_value(name));
    parameter->value = keep(reader, json_string_value(value));
}

static void read_parameters(struct reader *reader, struct qd_result *result)
{
    const json_t *list = json_object_get(reader->object, "parameters");
    size_t count = json_array_size(list);

    if (!list)
        return;
    struct qd_parameter *parameters = qd_arena_array(reader->arena, count, sizeof *parameters);
    if (!json_is_array(list) || !parameters) {
        fail(reader, "parameters", "an array that fits in memory");
        return;
    }
    for (size_t i = 0; i < count; i++)
        read_parameter(reader, json_array_get(list, i), &parameters[i]);
    result->parameters = parameters;
    result->parameter_count = count;
}

static void read_result(struct reader *reader, struct qd_result *result)
{
    const char *id = read_string(reader, "id", true);
    const char *op = read_string(reader, "op", true);
    const char *target = read_string(reader, "target", true);

    *result = qd_result_init(id, op, target, QD_RESULT_PASS);
    if (!qd_result_find(read_string(reader, "kind", true), &result->kind))
        fail(reader, "kind", "the word of a result");
    if (qd_result_has_comparison(result))
        read_comparison(reader, &result->comparison);
    result->row = (size_t)read_int(reader, "row");
    const char *severity = read_string(reader, "severity", false);
    if (*severity && !qd_severity_find(severity, &result->severity))
        fail(reader, "severity", "the word of a severity");
    result->signal = (int)(read_int(reader, "signal") & INT_MAX);
#define STRING(field) result->field = read_string(reader, #field, false);
    QD_RESULT_STRINGS(STRING)
#undef STRING
    read_parameters(reader, result);
}

static void read_row(struct reader *reader, struct qd_unmatched_row *row)
{
    row->target = read_string(reader, "target", true);
    row->text = read_string(reader, "text", true);
    row->issue = read_string(reader, "issue", false);
    row->row = (size_t)read_int(reader, "row");
}

static void read_record(struct reader *reader, struct qd_result_record *record)
{
    const char *kind = read_string(reader, "record", true);

    if (strcmp(kind, "result") == 0) {
        record->kind = QD_RECORD_RESULT;
        read_result(reader, &record->result);
    } else if (strcmp(kind, "row") == 0) {
        record->kind = QD_RECORD_ROW;
        read_row(reader, &record->row);
    } else if (strcmp(kind, "header") == 0) {
        record->kind = QD_RECORD_HEADER;
    } else if (strcmp(kind, "summary") == 0) {
        record->kind = QD_RECORD_SUMMARY;
        record->complete = json_is_true(json_object_get(reader->object, "complete"));
    } else {
        fail(reader, "record", "header, result, row or summary");
    }
}

enum qd_status qd_result_record_decode(const char *line, size_t length, struct qd_arena *arena,
                                       struct qd_result_record *record, struct qd_error *error)
{
    json_error_t broken;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &broken);
    struct reader reader = {object, arena, error, QD_OK};
    struct qd_result_record decoded = {0};

    if (!json_is_object(object)) {
        reader.status = qd_fail(error, QD_MALFORMED, "no JSON object: %s",
                                !object ? broken.text : "another kind of value");
    } else {
        read_record(&reader, &decoded);
    }
    json_decref(object);
    if (reader.status == QD_OK)
        *record = decoded;
    return reader.status;
}
