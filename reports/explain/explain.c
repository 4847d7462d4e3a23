/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a case step by step and explains one element by the form of each operator. */
#include "explain/explain.h"

/* The steps of a case, kept while the reference evaluates it and told from the inputs on. */
#include <math.h>

#include "qdiff/quirk.h"
#include "text/describe.h"

/* --- Keeping the steps ----------------------------------------------------------------------------- */

/* An override that changes nothing and remembers everything. */
struct keeper {
    struct qd_override override; /* first: the seam hands us its address */
    struct qd_explanation *explanation;
};

static enum qd_status keep(const struct qd_override *self, struct qd_evaluation *evaluation,
                           const struct qd_node *node, const struct qd_value *const *in,
                           struct qd_value *out)
{
    struct qd_explanation *explanation = ((const struct keeper *)(const void *)self)->explanation;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_step *step = &explanation->steps[explanation->step_count];

    if (status != QD_OK)
        return status;
    step->node = node;
    for (size_t i = 0; i < QD_MAX_OPERANDS && i < node->input_count; i++)
        step->in[i] = in[i];
    for (size_t i = 0; i < QD_MAX_OPERANDS && i < node->output_count; i++)
        step->out[i] = out[i];
    explanation->step_count++;
    return QD_OK;
}

enum qd_status qd_explanation_begin(struct qd_explanation *explanation, FILE *out,
                                    const struct qd_case *kase, struct qd_arena *arena,
                                    struct qd_error *error)
{
    struct keeper keeper = {{.node = keep}, explanation};
    struct qd_semantics semantics = {.override = &keeper.override};
    const struct qd_graph *graph = kase->graph;

    *explanation = (struct qd_explanation){.out = out, .arena = arena, .kase = kase};
    explanation->steps = qd_arena_array(arena, graph->node_count, sizeof *explanation->steps);
    explanation->outputs = qd_arena_array(arena, graph->output_count, sizeof *explanation->outputs);
    if (!explanation->steps || !explanation->outputs) {
        return qd_fail(error, QD_NO_MEMORY, "no room for the steps of %zu nodes",
                       graph->node_count);
    }
    return qd_graph_explain(graph, kase->inputs, &semantics, arena, explanation->outputs, error);
}

/* --- Telling ---------------------------------------------------------------------------------------- */

/* The values of a set that is no range, or what is admissible besides one. */
static void tell_points(const struct qd_explanation *explanation, enum qd_dtype dtype,
                        const struct qd_points *points)
{
    char text[40];
    fputs(points->besides ? "; not held against anybody:" : "; admissible", explanation->out);
    for (unsigned k = 0; k < points->count; k++)
        fprintf(explanation->out, "%s %s", k == 0 ? "" : " or",
                qd_describe_number(dtype, points->at[k], text, sizeof text));
    fputs(points->besides ? ", of orders that over- or underflow" : ", nothing between",
          explanation->out);
}

static void tell_value(const struct qd_explanation *explanation, const char *name,
                       const struct qd_value *value, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    char want[40], lo[40], hi[40];
    enum qd_dtype dtype = value->want.dtype;
    fprintf(explanation->out, "  %s%s = %s", name,
            qd_describe_place(&value->want, i, explanation->arena),
            qd_describe_number(dtype, qd_tensor_value(&value->want, i), want, sizeof want));
    struct qd_interval exact = qd_value_exact(value, i);
    if (seen.canonical && exact.lo <= exact.hi && exact.lo != qd_tensor_value(&value->want, i))
        fprintf(explanation->out, ", exactly %.17g%s", exact.lo, exact.lo < exact.hi ? "..." : "");
    if (seen.unspecified)
        fputs("; the specification says nothing here", explanation->out);
    else if (seen.points && !seen.points->besides)
        tell_points(explanation, dtype, seen.points);
    else if (seen.lo < seen.hi)
        fprintf(explanation->out, "; admissible %s to %s",
                qd_describe_number(dtype, seen.lo, lo, sizeof lo),
                qd_describe_number(dtype, seen.hi, hi, sizeof hi));
    else
        fputs("; nothing else is admissible", explanation->out);
    if (seen.points && seen.points->besides)
        tell_points(explanation, dtype, seen.points);
    fputc('\n', explanation->out);
}

/* Operands at the element if they broadcast to the output, others whole if small. */
static void tell_operands(const struct qd_explanation *explanation, const struct qd_step *step,
                          size_t output, int64_t i)
{
    for (size_t j = 0; j < step->node->input_count && j < QD_MAX_OPERANDS; j++) {
        if (!step->in[j])
            continue;
        const struct qd_tensor *in = &step->in[j]->want;
        const char *name = explanation->kase->graph->values[step->node->inputs[j]].name;
        const struct qd_tensor *out = &step->out[output].want;
        bool whole = in->rank == 0 ||
                     (step->node->op->form == QD_FORM_MANY && !qd_tensor_same_shape(in, out));
        int64_t at = whole ? -1 : qd_step_place(step, (int)j, out, i);
        if (at >= 0)
            fprintf(explanation->out, "  %s%s = %s\n", name,
                    qd_describe_place(in, at, explanation->arena),
                    qd_explain_text(explanation, in, at));
        else
            fprintf(explanation->out, "  %s = %s\n", name,
                    qd_describe_tensor(in, 16, explanation->arena));
    }
}

/* A code of which no explanation says how it was rounded. */
static void tell_real(const struct qd_explanation *explanation, const struct qd_value *value,
                      int64_t i)
{
    if (value->real && !isnan(value->real[i]))
        fprintf(explanation->out,
                "  the exact number, before it is rounded and a zero point is added, is %.17g%s\n",
                value->real[i],
                qd_value_flags(value, i) & QD_TIE ? ", half-way between two codes" : "");
}

/* How steps of a form are told; NULL: by their operands. */
static qd_explain_form *teller_of(enum qd_form form)
{
    switch (form) {
    case QD_FORM_MOVES: return qd_explain_move;
    case QD_FORM_QUANTIZES:
    case QD_FORM_DEQUANTIZES: return qd_explain_quantize;
    case QD_FORM_ADDS:
    case QD_FORM_MULTIPLIES:
    case QD_FORM_ELEMENTWISE: return qd_explain_elementwise;
    case QD_FORM_CONVOLVES:
    case QD_FORM_CONVOLVES_BACK:
    case QD_FORM_MATRICES: return qd_explain_products;
    case QD_FORM_MEAN:
    case QD_FORM_LARGEST: return qd_explain_window;
    case QD_FORM_MANY:
    case QD_FORM_NONE: break;
    }
    return NULL;
}

/* Whether the steps of a form end with a code's rounding. */
static bool tells_rounding(const struct qd_step *step)
{
    enum qd_form form = step->node->op->form;
    const struct qd_attr *alpha = qd_node_attr(step->node, "alpha");
    return form != QD_FORM_MANY && (form != QD_FORM_ELEMENTWISE || alpha);
}

static const struct qd_step *producer(const struct qd_explanation *explanation, int value,
                                      size_t *output)
{
    int node = qd_graph_producer(explanation->kase->graph, value);
    for (size_t i = 0; node >= 0 && i < explanation->step_count; i++) {
        if (explanation->steps[i].node != &explanation->kase->graph->nodes[node])
            continue;
        for (*output = 0; explanation->steps[i].node->outputs[*output] != value;)
            ++*output;
        return &explanation->steps[i];
    }
    return NULL;
}

/* The same element of an operand comes first, if a node computed it; sums of products tell their
 * operands themselves. */
static void tell_step(const struct qd_explanation *explanation, const struct qd_step *step,
                      size_t output, int64_t i)
{
    const struct qd_node *node = step->node;
    const struct qd_value *value = &step->out[output];
    size_t from = 0;
    for (size_t j = 0; j < node->input_count && j < QD_MAX_OPERANDS; j++) {
        const struct qd_step *before = producer(explanation, node->inputs[j], &from);
        if (before && qd_tensor_same_shape(&before->out[from].want, &value->want))
            tell_step(explanation, before, from, i);
    }
    fprintf(explanation->out, "%s%s%s\n", node->domain, *node->domain ? ":" : "", node->op_type);
    qd_explain_form *teller = teller_of(node->op->form);
    if (!teller || !teller(explanation, step, output, i))
        tell_operands(explanation, step, output, i);
    if (!teller || !tells_rounding(step))
        tell_real(explanation, value, i);
    tell_value(explanation, explanation->kase->graph->values[node->outputs[output]].name, value, i);
    fputc('\n', explanation->out);
}

void qd_explain_element(const struct qd_explanation *explanation, size_t output, int64_t i)
{
    size_t from = 0;
    int value = explanation->kase->graph->outputs[output];
    const struct qd_step *step = producer(explanation, value, &from);
    if (step)
        tell_step(explanation, step, from, i);
    else
        fprintf(explanation->out, "no node computes %s\n",
                explanation->kase->graph->values[value].name);
}

/* --- Quirks ------------------------------------------------------------------------------------------ */

/* What the quirk gives there; false when it cannot be evaluated so, or has no such element. */
static bool evaluate_quirk(const struct qd_explanation *explanation, const struct qd_quirk *quirk,
                           size_t output, int64_t i, double *number)
{
    const struct qd_graph *graph = explanation->kase->graph;
    struct qd_arena arena;
    bool done = false;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_value *values = qd_arena_array(&arena, graph->output_count, sizeof *values);
    struct qd_semantics semantics;
    if (values && qd_quirks_apply(&quirk, 1, &arena, &semantics, NULL) == QD_OK &&
        qd_graph_evaluate(graph, explanation->kase->inputs, &semantics, &arena, values, NULL) ==
            QD_OK &&
        i < values[output].want.count) {
        *number = qd_tensor_value(&values[output].want, i);
        done = true;
    }
    qd_arena_clear(&arena);
    return done;
}

void qd_explain_quirks(const struct qd_explanation *explanation, size_t output, int64_t i,
                       const double *have)
{
    double want = qd_tensor_value(&explanation->outputs[output].want, i), number;
    size_t told = 0;

    fputs("what known mistakes would give here\n", explanation->out);
    const struct qd_quirk *quirk;
    for (size_t q = 0; (quirk = qd_quirk_at(q)) != NULL; q++) {
        if (!qd_quirk_concerns(quirk, explanation->kase->graph) ||
            !evaluate_quirk(explanation, quirk, output, i, &number) || number == want)
            continue;
        fprintf(explanation->out, "  %-40s %.9g%s\n", quirk->name, number,
                have && number == *have ? "   <- what the target gave" : "");
        told++;
    }
    if (told == 0)
        fputs("  none of them changes this element\n", explanation->out);
}
