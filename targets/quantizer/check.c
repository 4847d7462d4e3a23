/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a quantizer's answer: edges, parameters, the model as it runs, fidelity. */
#include "quantizer/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/answer.h"
#include "qdiff/diagnose.h"
#include "qdiff/evaluate.h"
#include "qdiff/trial.h"
#include "quantizer/fidelity.h"

enum { TEXT = 1024 };

/* --- Findings and facts -------------------------------------------------------------------------- */

/* Room for one more in a list that doubles. */
static bool make_room(struct qd_quant_check *check, void *list, size_t count, size_t *capacity,
                      size_t size)
{
    void *old, *made;
    if (count < *capacity)
        return true;
    memcpy(&old, list, sizeof old);
    made = qd_arena_array(check->arena, *capacity * 2 + 8, size);
    if (!made) {
        check->status = QD_NO_MEMORY;
        return false;
    }
    if (count)
        memcpy(made, old, count * size);
    memcpy(list, &made, sizeof made);
    *capacity = *capacity * 2 + 8;
    return true;
}

static const char *keep(struct qd_quant_check *check, const char *format, va_list arguments)
{
    char text[TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    const char *kept = qd_arena_string(check->arena, text);
    if (!kept)
        check->status = QD_NO_MEMORY;
    return kept;
}

void qd_quant_find(struct qd_quant_check *check, enum qd_verdict class, const char *format, ...)
{
    struct qd_quantizer_report *report = check->report;
    va_list arguments;
    va_start(arguments, format);
    const char *text = keep(check, format, arguments);
    va_end(arguments);
    if (text && make_room(check, &report->findings, report->finding_count, &check->finding_capacity,
                          sizeof *report->findings))
        report->findings[report->finding_count++] = (struct qd_quantizer_finding){class, text};
}

void qd_quant_note(struct qd_quant_check *check, const char *format, ...)
{
    struct qd_quantizer_report *report = check->report;
    va_list arguments;
    va_start(arguments, format);
    const char *text = keep(check, format, arguments);
    va_end(arguments);
    if (text && make_room(check, &report->facts, report->fact_count, &check->fact_capacity,
                          sizeof *report->facts))
        report->facts[report->fact_count++] = text;
}

const char *qd_quant_place(struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    const char *tensor = check->graph->values[edge->tensor].name, *text;
    if (edge->node == QD_AT_PRODUCER)
        text = qd_arena_printf(check->arena, "%s", tensor);
    else if (edge->node == QD_AT_OUTPUT)
        text = qd_arena_printf(check->arena, "output %s", tensor);
    else {
        const struct qd_node *node = &check->graph->nodes[edge->node];
        text = qd_arena_printf(check->arena, "%s, input %u of %s '%s'", tensor, edge->input,
                               node->op_type, node->name);
    }
    return text ? text : tensor;
}

/* --- The produced model -------------------------------------------------------------------------- */

/* The produced model with the float model's inputs, and what the reference says of it. */
struct made {
    struct qd_case kase;
    struct qd_value *values; /* NULL: the reference cannot say */
    const struct qd_tensor *shapes;
};

static bool same_interface(const struct qd_graph *a, const struct qd_graph *b)
{
    if (a->input_count != b->input_count || a->output_count != b->output_count)
        return false;
    for (size_t i = 0; i < a->input_count; i++)
        if (strcmp(a->values[a->inputs[i]].name, b->values[b->inputs[i]].name) != 0)
            return false;
    for (size_t i = 0; i < a->output_count; i++)
        if (strcmp(a->values[a->outputs[i]].name, b->values[b->outputs[i]].name) != 0)
            return false;
    return true;
}

/* False when there is nothing more to check. */
static bool decode(struct qd_quant_check *check, struct made *made)
{
    const struct qd_quantizer_answer *answer = check->question->answer;
    struct qd_error error = {.status = QD_OK};
    enum qd_status status =
        qd_case_from_model(answer->model, answer->model_size, check->arena, &made->kase, &error);
    if (status == QD_NO_MEMORY) {
        check->status = status;
    } else if (status == QD_UNSUPPORTED) {
        qd_quant_note(check, "the produced model is not judged: %s", error.text);
    } else if (status != QD_OK) {
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL, "no valid model: %s", error.text);
    } else if (!same_interface(check->graph, made->kase.graph)) {
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL,
                      "inputs or outputs differ from the float model's");
    } else {
        made->kase.id = check->question->kase->id;
        made->kase.inputs = check->question->kase->inputs;
        made->kase.input_count = check->question->kase->input_count;
        return true;
    }
    return false;
}

/* What the reference makes of the produced model; one it refuses is no valid model. */
static void evaluate(struct qd_quant_check *check, struct made *made)
{
    const struct qd_graph *graph = made->kase.graph;
    struct qd_error error = {.status = QD_OK};
    struct qd_value *values;
    enum qd_status status =
        qd_graph_answer(graph, made->kase.inputs, check->arena, &values, &made->shapes, &error);
    if (status == QD_NO_MEMORY)
        check->status = status;
    else if (status == QD_INVALID)
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL, "not valid at opset %lld: %s%s%s",
                      (long long)made->kase.opset, error.text, error.rule[0] ? ", rule " : "",
                      error.rule);
    else if (status != QD_OK)
        qd_quant_note(check, "the produced model is not judged: %s", error.text);
    else
        made->values = values;
}

/* --- Kernels ------------------------------------------------------------------------------------- */

/* ", as the quirk A|B" for the quirks of which one alone explains a kernel's answer; "" for none. */
static const char *name_quirks(const struct qd_quant_check *check, const struct made *made,
                               const struct qd_run *run)
{
    const char *text = "";
    const struct qd_quirk *quirk;
    for (size_t i = 0; text && (quirk = qd_quirk_at(i)); i++)
        if (qd_quirk_concerns(quirk, made->kase.graph) &&
            qd_quirks_explain(&quirk, 1, &made->kase, made->values, run, check->arena))
            text = qd_arena_printf(check->arena, "%s%s%s", text, *text ? "|" : ", as the quirk ",
                                   quirk->name);
    return text ? text : "";
}

static void judge_run(struct qd_quant_check *check, const struct made *made, const char *kernel,
                      const struct qd_trial *trial)
{
    const struct qd_comparison *comparison = &trial->comparison;
    if (!qd_verdict_is_divergence(comparison->verdict))
        return;
    const struct qd_graph *graph = made->kase.graph;
    if (comparison->mismatched > 0)
        qd_quant_find(check, QD_VERDICT_KERNEL_MISMATCH,
                      "%s on the produced model: output %s, element %lld: want %.9g (%.9g to "
                      "%.9g), have %.9g%s",
                      kernel, graph->values[graph->outputs[comparison->output]].name,
                      (long long)comparison->element, comparison->want, comparison->lo,
                      comparison->hi, comparison->have, name_quirks(check, made, &trial->run));
    else
        qd_quant_find(check, QD_VERDICT_KERNEL_MISMATCH, "%s on the produced model: %s%s%s", kernel,
                      qd_verdict_word(comparison->verdict), trial->run.message[0] ? ": " : "",
                      trial->run.message);
}

static enum qd_status run_kernels(struct qd_quant_check *check, const struct made *made,
                                  struct qd_error *error)
{
    struct qd_evaluated evaluated = {
        .kase = &made->kase, .values = made->values, .shapes = made->shapes};
    qd_case_features(&made->kase, &evaluated.features);
    for (size_t i = 0; i < check->question->kernel_count; i++) {
        struct qd_session *session = check->question->kernels[i];
        struct qd_trial trial;
        enum qd_status status = qd_trial_ask(session, &evaluated, check->arena, &trial, error);
        if (status != QD_OK)
            return status;
        if (trial.skip)
            qd_quant_note(check, "%s did not run: %s", qd_session_id(session), trial.skip);
        else
            judge_run(check, made, qd_session_id(session), &trial);
    }
    return QD_OK;
}

/* --- Fidelity ------------------------------------------------------------------------------------ */

/* What a subnormal product of scales is off by, 2^-150, times a sum of products of codes: README.md. */
#define SUBNORMAL 0x1p-126

static double output_scale(const struct qd_quant_check *check, int tensor)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *edge = &check->edges.items[i];
        if (edge->tensor == tensor && edge->node < 0 && edge->count == 1 && !edge->dynamic)
            return edge->scales[0];
    }
    return (double)NAN;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One output: every element of the answer's own hull has to meet the interval. */
static void compare_output(struct qd_quant_check *check, size_t k,
                           const struct qd_value *float_value, const struct qd_value *have,
                           double *widths, size_t *width_count)
{
    int tensor = check->graph->outputs[k];
    double scale = output_scale(check, tensor);
    if (!qd_tensor_same_shape(&float_value->want, &have->want)) {
        qd_quant_find(check, QD_VERDICT_MODEL_MISMATCH,
                      "output %s has another shape than the float model's",
                      check->graph->values[tensor].name);
        return;
    }
    for (int64_t i = 0; i < have->want.count; i++) {
        uint8_t flags = qd_value_flags(float_value, i) | qd_value_flags(have, i);
        if (flags & (QD_UNSPECIFIED | QD_NOT_NUMBER))
            continue;
        double lo = qd_value_lo(float_value, i), hi = qd_value_hi(float_value, i);
        lo -= SUBNORMAL;
        hi += SUBNORMAL;
        if (isnan(lo) || isnan(hi)) /* an interval between infinities says nothing */
            continue;
        check->report->compared++;
        if (!isnan(scale))
            widths[(*width_count)++] = (hi - lo) / scale;
        if (qd_value_lo(have, i) <= hi && lo <= qd_value_hi(have, i))
            continue;
        qd_quant_find(check, QD_VERDICT_MODEL_MISMATCH,
                      "output %s, element %lld: the float model, quantized as the answer says, "
                      "gives %.9g to %.9g; the answer computes %.9g to %.9g",
                      check->graph->values[tensor].name, (long long)i, lo, hi, qd_value_lo(have, i),
                      qd_value_hi(have, i));
        return;
    }
}

static enum qd_status check_fidelity(struct qd_quant_check *check, const struct made *made)
{
    size_t outputs = check->graph->output_count, elements = 0, width_count = 0;
    struct qd_error error = {.status = QD_OK};
    struct qd_value *values = qd_arena_array(check->arena, outputs, sizeof *values);
    for (size_t k = 0; k < outputs; k++)
        elements += (size_t)made->shapes[k].count;
    double *widths = qd_arena_array(check->arena, elements, sizeof *widths);
    if (!values || !widths)
        return QD_NO_MEMORY;
    enum qd_status status =
        qd_fidelity_evaluate(check->question->kase, &check->edges, check->arena, values, &error);
    if (status == QD_NO_MEMORY)
        return status;
    if (status != QD_OK) {
        qd_quant_note(check, "fidelity is not judged: %s", error.text);
        return QD_OK;
    }
    for (size_t k = 0; k < outputs; k++)
        compare_output(check, k, &values[k], &made->values[k], widths, &width_count);
    qsort(widths, width_count, sizeof *widths, by_value);
    if (width_count > 0)
        check->report->median_width = widths[width_count / 2];
    return QD_OK;
}

/* --- All ----------------------------------------------------------------------------------------- */

static void check_ignored(struct qd_quant_check *check)
{
    const char *const *ignored = check->question->answer->ignored;
    for (; ignored && *ignored; ignored++)
        qd_quant_find(check, QD_VERDICT_IGNORES_OPTION, "this release does not know %s", *ignored);
}

static enum qd_status check_edges(struct qd_quant_check *check, struct qd_error *error)
{
    enum qd_status status = qd_quant_group(check, error);
    if (status != QD_OK)
        return status;
    check->report->edges = check->edges.count;
    if (check->edges.disagreement)
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL, "%s", check->edges.disagreement);
    if (check->edges.blind && check->question->answer->outcome == QD_QUANTIZED_EDGES)
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL, "%s", check->edges.blind);
    else if (check->edges.blind)
        qd_quant_note(check, "not read: %s", check->edges.blind);
    qd_quant_check_axes(check);
    qd_quant_check_parameters(check);
    qd_quant_check_bias(check);
    qd_quant_check_sharing(check);
    check_ignored(check);
    return QD_OK;
}

static enum qd_status check_model(struct qd_quant_check *check, struct qd_error *error)
{
    struct made made = {.values = NULL};
    if (!decode(check, &made)) {
        check_ignored(check);
        return check->status;
    }
    evaluate(check, &made);
    enum qd_status status =
        qd_quant_edges_of_model(check->graph, made.kase.graph, check->arena, &check->edges, error);
    if (status == QD_OK)
        status = check_edges(check, error);
    if (status == QD_OK && made.values)
        status = run_kernels(check, &made, error);
    if (status == QD_OK && made.values && check->edges.blind)
        qd_quant_note(check, "fidelity is not judged: %s", check->edges.blind);
    else if (status == QD_OK && made.values)
        status = check_fidelity(check, &made);
    return status;
}

enum qd_status qd_quantizer_check(const struct qd_quantizer_question *question,
                                  struct qd_arena *arena, struct qd_quantizer_report *report,
                                  struct qd_error *error)
{
    struct qd_quantizer_report made = {.median_width = (double)NAN};
    struct qd_quant_check check = {
        .question = question, .graph = question->kase->graph, .arena = arena, .report = &made};
    struct qd_value *values = qd_arena_array(arena, check.graph->output_count, sizeof *values);
    if (!values)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a check");
    enum qd_status status =
        qd_graph_evaluate(check.graph, question->kase->inputs, NULL, arena, values, error);
    if (status != QD_OK)
        return status;
    if (question->answer->outcome == QD_QUANTIZED_EDGES) {
        status =
            qd_quant_edges_of_answer(check.graph, question->answer, arena, &check.edges, error);
        if (status == QD_OK)
            status = check_edges(&check, error);
    } else {
        status = check_model(&check, error);
    }
    if (status == QD_OK && check.status != QD_OK)
        status = qd_fail(error, check.status, "no memory for a check");
    if (status == QD_OK)
        *report = made;
    return status;
}
