#include "story.h"

#include <inttypes.h>
#include <string.h>

#include "describe.h"
#include "qdiff/quirk.h"

/* --- Keeping the steps ----------------------------------------------------------------------------- */

/* An override that changes nothing and remembers everything. */
struct keeper {
    struct qd_override override; /* first: the seam hands us its address */
    struct qd_story *story;
};

static enum qd_status keep(const struct qd_override *self, struct qd_evaluation *evaluation,
                           const struct qd_node *node, const struct qd_value *const *in,
                           struct qd_value *out)
{
    struct qd_story *story = ((const struct keeper *)(const void *)self)->story;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_step *step = &story->steps[story->step_count];

    if (status != QD_OK) {
        return status;
    }
    step->node = node;
    for (size_t i = 0; i < QD_MAX_OPERANDS && i < node->input_count; i++) {
        step->in[i] = in[i];
    }
    for (size_t i = 0; i < QD_MAX_OPERANDS && i < node->output_count; i++) {
        step->out[i] = out[i];
    }
    story->step_count++;
    return QD_OK;
}

enum qd_status qd_story_begin(struct qd_story *story, FILE *out, const struct qd_case *kase,
                              struct qd_arena *arena, struct qd_error *error)
{
    struct keeper keeper = {{.node = keep}, story};
    struct qd_semantics semantics = {.override = &keeper.override};
    const struct qd_graph *graph = kase->graph;

    *story = (struct qd_story){.out = out, .arena = arena, .kase = kase};
    story->steps = qd_arena_array(arena, graph->node_count, sizeof *story->steps);
    story->outputs = qd_arena_array(arena, graph->output_count, sizeof *story->outputs);
    if (story->steps == NULL || story->outputs == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no room for the steps of %zu nodes",
                       graph->node_count);
    }
    return qd_graph_explain(graph, kase->inputs, &semantics, arena, story->outputs, error);
}

/* --- Telling ---------------------------------------------------------------------------------------- */

static void tell_value(const struct qd_story *story, const char *name, const struct qd_value *value,
                       int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    char want[40], lo[40], hi[40];
    enum qd_dtype dtype = value->want.dtype;

    fprintf(story->out, "  %s%s = %s", name, qd_describe_place(&value->want, i, story->arena),
            qd_describe_number(dtype, qd_tensor_value(&value->want, i), want, sizeof want));
    if (seen.unspecified) {
        fputs("; the specification says nothing here", story->out);
    } else if (seen.lo < seen.hi) {
        fprintf(story->out, "; admissible %s to %s",
                qd_describe_number(dtype, seen.lo, lo, sizeof lo),
                qd_describe_number(dtype, seen.hi, hi, sizeof hi));
    } else {
        fputs("; nothing else is admissible", story->out);
    }
    fputc('\n', story->out);
}

/* Operands of the output's shape at the element, scalars as they are, others whole if small. */
static void tell_operands(const struct qd_story *story, const struct qd_step *step, int64_t i)
{
    const struct qd_graph *graph = story->kase->graph;

    for (size_t j = 0; j < step->node->input_count && j < QD_MAX_OPERANDS; j++) {
        const struct qd_value *in = step->in[j];
        const char *name;

        if (in == NULL) {
            continue;
        }
        name = graph->values[step->node->inputs[j]].name;
        if (qd_tensor_same_shape(&in->want, &step->out[0].want)) {
            fprintf(story->out, "  %s%s = %.9g\n", name,
                    qd_describe_place(&in->want, i, story->arena), qd_tensor_value(&in->want, i));
        } else {
            fprintf(story->out, "  %s = %s\n", name,
                    qd_describe_tensor(&in->want, 16, story->arena));
        }
    }
}

static const struct qd_step *producer(const struct qd_story *story, int value, size_t *output)
{
    for (size_t i = 0; i < story->step_count; i++) {
        const struct qd_node *node = story->steps[i].node;

        for (size_t j = 0; j < node->output_count && j < QD_MAX_OPERANDS; j++) {
            if (node->outputs[j] == value && value != QD_NO_VALUE) {
                *output = j;
                return &story->steps[i];
            }
        }
    }
    return NULL;
}

/* The same element of an operand comes first, if a node computed it; sums of products tell their operands themselves. */
static void tell_step(const struct qd_story *story, const struct qd_step *step, size_t output,
                      int64_t i)
{
    const struct qd_node *node = step->node;
    const struct qd_value *value = &step->out[output];
    size_t from = 0;

    for (size_t j = 0; j < node->input_count && j < QD_MAX_OPERANDS; j++) {
        const struct qd_step *before = producer(story, node->inputs[j], &from);

        if (before != NULL && qd_tensor_same_shape(&before->out[from].want, &value->want)) {
            tell_step(story, before, from, i);
        }
    }
    fprintf(story->out, "%s%s%s\n", node->domain, *node->domain ? ":" : "", node->op_type);
    if (!qd_story_tell_products(story, step, i) && !qd_story_tell_quantize(story, step, i)) {
        tell_operands(story, step, i);
    }
    tell_value(story, story->kase->graph->values[node->outputs[output]].name, value, i);
    fputc('\n', story->out);
}

void qd_story_tell(const struct qd_story *story, size_t output, int64_t i)
{
    size_t from = 0;
    int value = story->kase->graph->outputs[output];
    const struct qd_step *step = producer(story, value, &from);

    if (step != NULL) {
        tell_step(story, step, from, i);
    } else {
        fprintf(story->out, "no node computes %s\n", story->kase->graph->values[value].name);
    }
}

/* --- Quirks ------------------------------------------------------------------------------------------ */

/* What the quirk gives there; false when it cannot be evaluated so, or has no such element. */
static bool evaluate_quirk(const struct qd_story *story, const struct qd_quirk *quirk,
                           size_t output, int64_t i, double *number)
{
    const struct qd_graph *graph = story->kase->graph;
    struct qd_arena arena;
    struct qd_semantics semantics;
    struct qd_value *values;
    bool done = false;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    values = qd_arena_array(&arena, graph->output_count, sizeof *values);
    if (values != NULL && qd_quirks_apply(&quirk, 1, &arena, &semantics, NULL) == QD_OK &&
        qd_graph_evaluate(graph, story->kase->inputs, &semantics, &arena, values, NULL) == QD_OK &&
        i < values[output].want.count) {
        *number = qd_tensor_value(&values[output].want, i);
        done = true;
    }
    qd_arena_clear(&arena);
    return done;
}

void qd_story_tell_quirks(const struct qd_story *story, size_t output, int64_t i,
                          const double *have)
{
    double want = qd_tensor_value(&story->outputs[output].want, i), number;
    const struct qd_quirk *quirk;
    size_t told = 0;

    fputs("what known mistakes would give here\n", story->out);
    for (size_t q = 0; (quirk = qd_quirk_at(q)) != NULL; q++) {
        if (!qd_quirk_concerns(quirk, story->kase->graph) ||
            !evaluate_quirk(story, quirk, output, i, &number) || number == want) {
            continue;
        }
        fprintf(story->out, "  %-40s %.9g%s\n", quirk->name, number,
                have != NULL && number == *have ? "   <- what the target gave" : "");
        told++;
    }
    if (told == 0) {
        fputs("  none of them changes this element\n", story->out);
    }
}
