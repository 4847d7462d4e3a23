/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what the page of one case shows. */
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "qdiff/memory_stream.h"
#include "report/pages.h"
#include "text/case_show.h"
#include "text/describe.h"
#include "text/json_write.h"

/* Of an output so many elements are shown, of a tensor of the model so many. */
enum { SHOWN_ELEMENTS = 4096, SHOWN_CONSTANT = 16 };

static enum qd_status no_memory(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "no memory for the page of a case");
}

static const char *or_unknown(const char *text)
{
    return text ? text : "(out of memory)";
}

/* --- What the targets did ------------------------------------------------------------------------- */

static void write_parameters(struct qd_json *json, const struct qd_result *result)
{
    qd_json_open(json, "parameters", '[');
    for (size_t i = 0; i < result->parameter_count; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, result->parameters[i].name);
        qd_json_string(json, NULL, result->parameters[i].value);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

static void write_result(struct qd_json *json, const struct qd_report_result *entry)
{
    const struct qd_result *result = &entry->result;

    qd_json_open(json, NULL, '{');
    qd_json_int(json, "column", entry->column == QD_REPORT_NOWHERE ? -1 : (int64_t)entry->column);
    qd_json_int(json, "cause", entry->cause == QD_REPORT_NOWHERE ? -1 : (int64_t)entry->cause);
    qd_json_int(json, "kind", result->kind);
    if (qd_result_has_comparison(result)) {
        qd_json_int(json, "verdict", result->comparison.verdict);
        qd_json_int(json, "mismatched", result->comparison.mismatched);
        qd_json_int(json, "compared", result->comparison.compared);
    }
    if (result->severity != QD_SEVERITY_NONE)
        qd_json_string(json, "severity", qd_severity_word(result->severity));
    qd_json_int_if(json, "signal", result->signal);
#define STRING(field) qd_json_string_if(json, #field, result->field);
    QD_RESULT_STRINGS(STRING)
#undef STRING
    write_parameters(json, result);
    qd_json_close(json, '}');
}

static void write_results(struct qd_json *json, const struct qd_report *report,
                          const struct qd_report_case *entry)
{
    qd_json_open(json, "results", '[');
    for (size_t i = entry->first; i < entry->first + entry->count; i++)
        write_result(json, &report->results[i]);
    qd_json_close(json, ']');
}

/* --- The model ------------------------------------------------------------------------------------ */

static const char *role_of(const struct qd_graph *graph, int value)
{
    for (size_t i = 0; i < graph->input_count; i++)
        if (graph->inputs[i] == value)
            return "input";
    for (size_t i = 0; i < graph->output_count; i++)
        if (graph->outputs[i] == value)
            return "output";
    return graph->values[value].initializer ? "constant" : "between";
}

static void write_values(struct qd_json *json, const struct qd_case *kase, struct qd_arena *arena)
{
    qd_json_open(json, "values", '[');
    for (size_t i = 0; i < kase->graph->value_count; i++) {
        const struct qd_tensor *tensor = qd_case_tensor(kase, (int)i);

        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, kase->graph->values[i].name);
        qd_json_string(json, NULL, role_of(kase->graph, (int)i));
        qd_json_string(json, NULL,
                       tensor ? or_unknown(qd_describe_tensor(tensor, SHOWN_CONSTANT, arena)) : "");
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

static void write_numbers(struct qd_json *json, const char *key, const int *values, size_t count)
{
    qd_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        qd_json_int(json, NULL, values[i]); /* −1: absent */
    qd_json_close(json, ']');
}

static void write_nodes(struct qd_json *json, const struct qd_graph *graph, struct qd_arena *arena)
{
    qd_json_open(json, "nodes", '[');
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];

        qd_json_open(json, NULL, '{');
        qd_json_string(json, "op", node->op_type);
        qd_json_string(json, "domain", node->domain);
        write_numbers(json, "inputs", node->inputs, node->input_count);
        write_numbers(json, "outputs", node->outputs, node->output_count);
        qd_json_open(json, "attributes", '[');
        for (size_t j = 0; j < node->attr_count; j++) {
            qd_json_open(json, NULL, '[');
            qd_json_string(json, NULL, node->attrs[j].name);
            qd_json_string(json, NULL, or_unknown(qd_describe_attr(&node->attrs[j], arena)));
            qd_json_close(json, ']');
        }
        qd_json_close(json, ']');
        qd_json_close(json, '}');
    }
    qd_json_close(json, ']');
}

/* What a quantizer is asked, as lines. */
static enum qd_status write_request(struct qd_json *json, const struct qd_case *kase,
                                    struct qd_arena *arena, struct qd_error *error)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return no_memory(error);
    qd_case_show_request(stream.out, kase, arena);
    bool written = qd_memory_close(&stream);
    if (written)
        qd_json_string_if(json, "request", stream.text);
    free(stream.text);
    return written ? QD_OK : no_memory(error);
}

static enum qd_status write_model(struct qd_json *json, const struct qd_case *kase,
                                  struct qd_arena *arena, struct qd_error *error)
{
    struct qd_features features;
    char words[2048];

    qd_case_features(kase, &features);
    qd_json_string(json, "id", kase->id);
    qd_json_int(json, "opset", kase->opset);
    qd_json_string(json, "expect", kase->expect == QD_EXPECT_VALID ? "valid" : "must-reject");
    qd_json_string_if(json, "rule", kase->rule);
    qd_json_string_if(json, "twin", kase->twin);
    qd_json_string_if(json, "issue", kase->issue);
    qd_json_string_if(json, "spec", kase->spec);
    qd_json_string_if(json, "note", kase->note);
    qd_json_string_if(json, "features", qd_features_describe(&features, words, sizeof words));
    write_values(json, kase, arena);
    write_nodes(json, kase->graph, arena);
    return write_request(json, kase, arena, error);
}

/* --- Expected values ------------------------------------------------------------------------------ */

static void write_number(struct qd_json *json, enum qd_dtype dtype, double number)
{
    char text[40];

    qd_json_string(json, NULL, qd_describe_number(dtype, number, text, sizeof text));
}

static void write_flagged(struct qd_json *json, const char *key, const struct qd_value *value,
                          int64_t shown, uint8_t flag)
{
    qd_json_open(json, key, '[');
    for (int64_t i = 0; i < shown; i++)
        if (qd_value_flags(value, i) & flag)
            qd_json_int(json, NULL, i);
    qd_json_close(json, ']');
}

/* [[element, least, greatest], ...] where more than one value is admissible. */
static void write_slack(struct qd_json *json, const struct qd_value *value, int64_t shown)
{
    qd_json_open(json, "slack", '[');
    for (int64_t i = 0; i < shown; i++) {
        struct qd_observation seen = qd_value_observe(value, i);

        if (seen.unspecified || !(seen.lo < seen.hi))
            continue;
        qd_json_open(json, NULL, '[');
        qd_json_int(json, NULL, i);
        write_number(json, value->want.dtype, seen.lo);
        write_number(json, value->want.dtype, seen.hi);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

static void write_output(struct qd_json *json, const char *name, const struct qd_value *value)
{
    const struct qd_tensor *want = &value->want;
    int64_t shown = want->count < SHOWN_ELEMENTS ? want->count : SHOWN_ELEMENTS;

    qd_json_open(json, NULL, '{');
    qd_json_string(json, "name", name);
    qd_json_string(json, "type", qd_dtype_info(want->dtype)->word);
    qd_json_open(json, "dims", '[');
    for (unsigned i = 0; i < want->rank; i++)
        qd_json_int(json, NULL, want->dims[i]);
    qd_json_close(json, ']');
    qd_json_int(json, "count", want->count);
    qd_json_open(json, "want", '[');
    for (int64_t i = 0; i < shown; i++)
        write_number(json, want->dtype, qd_tensor_value(want, i));
    qd_json_close(json, ']');
    write_flagged(json, "ties", value, shown, QD_TIE);
    write_flagged(json, "unspecified", value, shown, QD_UNSPECIFIED);
    write_slack(json, value, shown);
    qd_json_close(json, '}');
}

static void write_outputs(struct qd_json *json, const struct qd_explanation *explanation)
{
    const struct qd_graph *graph = explanation->kase->graph;

    qd_json_open(json, "outputs", '[');
    for (size_t i = 0; i < graph->output_count; i++)
        write_output(json, graph->values[graph->outputs[i]].name, &explanation->outputs[i]);
    qd_json_close(json, ']');
}

/* --- The first wrong element ----------------------------------------------------------------------- */

/* An element that some target gives wrongly. */
struct wrong {
    const struct qd_result *result;
    size_t output;
    int64_t element;
    double have;
};

/* Finds the first '!' among the answers (result/answers.h). */
static bool find_wrong(const struct qd_result *result, struct wrong *wrong)
{
    struct wrong found = {.result = result};

    for (const char *at = result->answers; *at != '\0';) {
        size_t length = strcspn(at, " ;");
        char *end;

        found.element = strtoll(at, &end, 10);
        if (end != at && *end == '!') {
            found.have = strtod(end + 1, NULL);
            *wrong = found;
            return true;
        }
        at += length;
        found.output += *at == ';';
        at += *at != '\0';
    }
    return false;
}

/* Whether the reference computes there what the results file says that it did. */
static bool agrees(const struct qd_explanation *explanation, const struct wrong *wrong)
{
    if (wrong->output >= explanation->kase->graph->output_count)
        return false;
    const struct qd_tensor *want = &explanation->outputs[wrong->output].want;
    char number[40];
    return wrong->element >= 0 && wrong->element < want->count &&
           strcmp(qd_describe_number(want->dtype, qd_tensor_value(want, wrong->element), number,
                                     sizeof number),
                  wrong->result->want) == 0;
}

/* The arithmetic of the element, as qdiff explain prints it. */
static bool write_arithmetic(struct qd_json *json, struct qd_explanation *explanation,
                             const struct wrong *wrong)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return false;
    explanation->out = stream.out;
    qd_explain_element(explanation, wrong->output, wrong->element);
    qd_explain_quirks(explanation, wrong->output, wrong->element, &wrong->have);
    bool written = qd_memory_close(&stream);
    if (written) {
        qd_json_open(json, "explained", '{');
        qd_json_string(json, "target", wrong->result->target);
        qd_json_string(json, "element", wrong->result->element);
        qd_json_string(json, "text", stream.text);
        qd_json_close(json, '}');
    }
    free(stream.text);
    return written;
}

static enum qd_status write_expected(struct qd_json *json, const struct qd_report *report,
                                     const struct qd_report_case *entry, const struct qd_case *kase,
                                     struct qd_arena *arena, struct qd_error *error)
{
    struct qd_explanation explanation;
    struct wrong wrong = {0};
    enum qd_status status = qd_explanation_begin(&explanation, NULL, kase, arena, error);

    if (status != QD_OK)
        return status;
    for (size_t i = entry->first; i < entry->first + entry->count && !wrong.result; i++)
        find_wrong(&report->results[i].result, &wrong);
    if (wrong.result && !agrees(&explanation, &wrong)) {
        qd_json_bool(json, "stale", true);
        return QD_OK;
    }
    write_outputs(json, &explanation);
    return !wrong.result || write_arithmetic(json, &explanation, &wrong) ? QD_OK : no_memory(error);
}

/* --- All ------------------------------------------------------------------------------------------ */

static enum qd_status write_file(struct qd_json *json, const struct qd_case *kase,
                                 struct qd_arena *arena, struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_case_encode(kase, arena, &bytes, &size, error);

    if (status != QD_OK)
        return status;
    char *text = qd_arena_alloc(arena, BASE64_ENCODE_RAW_LENGTH(size) + 1);
    if (!text)
        return no_memory(error);
    base64_encode_raw(text, size, bytes);
    qd_json_string(json, "file", text);
    return QD_OK;
}

enum qd_status qd_report_write_case(const struct qd_report *report,
                                    const struct qd_report_case *entry, const struct qd_case *kase,
                                    struct qd_arena *arena, FILE *out, struct qd_error *error)
{
    struct qd_json json;

    fprintf(out, "qdiff.take('case %zu', ", entry->page);
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    write_results(&json, report, entry);
    enum qd_status status = write_model(&json, kase, arena, error);
    bool evaluates = kase->expect == QD_EXPECT_VALID && kase->request_size == 0;
    if (status == QD_OK && evaluates)
        status = write_expected(&json, report, entry, kase, arena, error);
    if (status == QD_OK)
        status = write_file(&json, kase, arena, error);
    qd_json_close(&json, '}');
    fputs(");\n", out);
    return status;
}

void qd_report_write_absent(const struct qd_report *report, const struct qd_report_case *entry,
                            FILE *out)
{
    struct qd_json json;

    fprintf(out, "qdiff.take('case %zu', ", entry->page);
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    write_results(&json, report, entry);
    qd_json_string(&json, "id", entry->id);
    qd_json_bool(&json, "absent", true);
    qd_json_close(&json, '}');
    fputs(");\n", out);
}
