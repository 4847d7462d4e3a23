/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the cases of the quantizer suite. */
#include "qdiff/quantizer_suite.h"

#include <math.h>
#include <string.h>

#include "qdiff/override.h"
#include "quantizer/graphs.h"

/* How a tensor's numbers lie. The graph's other ranges follow by computing it. */
struct family {
    const char *word;
    struct qd_quantizer_data data;
    bool spoilt;
    float min, max; /* spoilt: the range that is given for the first input instead */
};

static const struct family families[] = {
    {"skew-positive", {-0.1, 6}, false, 0, 0},
    {"skew-negative", {-6, 0.1}, false, 0, 0},
    {"symmetric", {-1, 1}, false, 0, 0},
    {"positive", {0.5, 3}, false, 0, 0},
    {"negative", {-3, -0.5}, false, 0, 0},
    {"zero", {0, 0}, false, 0, 0},
    {"tiny", {-1e-20, 2e-20}, false, 0, 0},
    {"huge", {-1e15, 2e15}, false, 0, 0},
    {"subnormal", {-1e-41, 2e-41}, false, 0, 0},
    {"degenerate", {1.5, 1.5}, false, 0, 0},
    {"nan", {-1, 1}, true, -1, NAN},
    {"infinite", {-1, 1}, true, -1, INFINITY},
    {"upside-down", {-1, 1}, true, 1, -1},
};
enum { SKEW_POSITIVE, FAMILIES = sizeof families / sizeof *families };

/* In float16 the scales of such numbers are subnormal, and the numbers are not. */
static const struct family small = {"small", {-1e-3, 5e-4}, false, 0, 0};

static const char *const without_first[] = {"n0", NULL};

struct choice {
    const char *word;
    bool smoke;
    struct qd_quantizer_options options;
};

enum { U8 = 2, S8 = 3, U16 = 4, S16 = 5 };
#define STATIC(form) .format = QD_QUANTIZER_##form, .activation_type = U8, .weight_type = S8
#define DYNAMIC .scheme = QD_QUANTIZER_DYNAMIC, .activation_type = U8, .weight_type = S8
static const struct choice choices[] = {
    {"plain", true, {STATIC(QDQ)}},
    {"per-channel", true, {STATIC(QDQ), .per_channel = true}},
    {"restricted", true, {STATIC(QDQ), .restricted_asymmetric = true}},
    {"dynamic-per-channel", true, {DYNAMIC, .per_channel = true}},
    {"qoperator-per-channel", true, {STATIC(QOPERATOR), .per_channel = true}},
    {"qoperator", false, {STATIC(QOPERATOR)}},
    {"dynamic", false, {DYNAMIC}},
    {"symmetric", false, {STATIC(QDQ), .symmetric_activations = true}},
    {"s8-s8",
     false,
     {.format = QD_QUANTIZER_QDQ, .activation_type = S8, .weight_type = S8, .per_channel = true}},
    {"s8-s8-per-tensor",
     false,
     {.format = QD_QUANTIZER_QDQ, .activation_type = S8, .weight_type = S8}},
    {"s8-s8-restricted",
     false,
     {.format = QD_QUANTIZER_QDQ,
      .activation_type = S8,
      .weight_type = S8,
      .restricted_asymmetric = true}},
    {"u8-u8",
     false,
     {.format = QD_QUANTIZER_QDQ, .activation_type = U8, .weight_type = U8, .per_channel = true}},
    {"u8-u8-symmetric-weights",
     false,
     {.format = QD_QUANTIZER_QDQ,
      .activation_type = U8,
      .weight_type = U8,
      .symmetric_weights = true}},
    {"u16-s8",
     false,
     {.format = QD_QUANTIZER_QDQ, .activation_type = U16, .weight_type = S8, .per_channel = true}},
    {"s16-s16", false, {.format = QD_QUANTIZER_QDQ, .activation_type = S16, .weight_type = S16}},
    {"reduced", false, {STATIC(QDQ), .per_channel = true, .reduce_range = true}},
    {"restricted-per-channel",
     false,
     {STATIC(QDQ), .per_channel = true, .restricted_asymmetric = true}},
    {"without-first", false, {STATIC(QDQ), .exclude = without_first}},
};
#undef STATIC
#undef DYNAMIC
enum { PLAIN, PER_CHANNEL, CHOICES = sizeof choices / sizeof *choices };
enum { USUAL_OPSET = 13, FIRST_OPSET = 10, LAST_OPSET = 21, HALF_OPSET = 19 };

/* --- Ranges by computing ------------------------------------------------------------------------- */

struct observer {
    struct qd_override override;
    const struct qd_graph *graph;
    struct qd_quantizer_range *ranges; /* one for each value of the graph */
};

static void observe(struct qd_quantizer_range *range, const struct qd_tensor *tensor)
{
    if (!qd_dtype_is_float(tensor->dtype) || tensor->count == 0)
        return;
    double min = INFINITY, max = -INFINITY;
    for (int64_t i = 0; i < tensor->count; i++) {
        min = fmin(min, qd_tensor_value(tensor, i));
        max = fmax(max, qd_tensor_value(tensor, i));
    }
    range->min = (float)min;
    range->max = (float)max;
}

static enum qd_status observe_node(const struct qd_override *self, struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct qd_value *out)
{
    const struct observer *observer = (const struct observer *)(const void *)self;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    for (size_t k = 0; k < node->output_count && status == QD_OK; k++)
        if (node->outputs[k] != QD_NO_VALUE)
            observe(&observer->ranges[node->outputs[k]], &out[k].want);
    return status;
}

enum qd_status qd_quantizer_observe(const struct qd_case *kase, struct qd_arena *arena,
                                    struct qd_quantizer_request *request, struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    struct qd_quantizer_range *ranges = qd_arena_array(arena, graph->value_count, sizeof *ranges);
    struct qd_value *values = qd_arena_array(arena, graph->output_count, sizeof *values);
    if (!ranges || !values)
        return qd_fail(error, QD_NO_MEMORY, "no memory for ranges");
    struct observer observer = {{.node = observe_node}, graph, ranges};
    struct qd_semantics semantics = {.override = &observer.override};
    for (size_t v = 0; v < graph->value_count; v++)
        ranges[v].tensor = graph->values[v].name;
    for (size_t i = 0; i < graph->input_count; i++)
        observe(&ranges[graph->inputs[i]], &kase->inputs[i]);
    enum qd_status status =
        qd_graph_evaluate(graph, kase->inputs, &semantics, arena, values, error);
    size_t count = 0;
    for (size_t v = 0; v < graph->value_count; v++)
        if (!graph->values[v].initializer)
            ranges[count++] = ranges[v];
    request->ranges = ranges;
    request->range_count = count;
    return status;
}

/* --- Cases --------------------------------------------------------------------------------------- */

struct walk {
    enum qd_level level;
    qd_quantizer_case_visitor *visit;
    void *context;
    struct qd_arena arena;
    bool stopped;
    struct qd_error *error;
};

/* The input's range becomes one that a tool has to refuse. */
static enum qd_status spoil(struct walk *walk, const struct family *family,
                            struct qd_quantizer_request *request)
{
    struct qd_quantizer_range *ranges =
        qd_arena_copy(&walk->arena, request->ranges, request->range_count * sizeof *ranges);
    if (!ranges)
        return qd_fail(walk->error, QD_NO_MEMORY, "no memory for ranges");
    for (size_t i = 0; i < request->range_count; i++)
        if (strcmp(ranges[i].tensor, "x") == 0) {
            ranges[i].min = family->min;
            ranges[i].max = family->max;
        }
    request->ranges = ranges;
    return QD_OK;
}

/* The request as part of the case. */
static enum qd_status enclose(struct walk *walk, struct qd_quantizer_case *made)
{
    uint8_t *bytes;
    enum qd_status status = qd_quantizer_request_encode(&made->request, &walk->arena, &bytes,
                                                        &made->kase.request_size, walk->error);
    if (status == QD_OK)
        made->kase.request = bytes;
    return status;
}

static enum qd_status make(struct walk *walk, const struct qd_quantizer_graph *graph,
                           const struct family *family, const struct choice *choice, int64_t opset,
                           enum qd_dtype dtype, struct qd_quantizer_case *made)
{
    const char *id =
        qd_arena_printf(&walk->arena, "quantizer/%s/%s/%s/opset%d%s", graph->name, family->word,
                        choice->word, (int)opset, dtype == QD_F16 ? "-f16" : "");
    if (!id)
        return qd_fail(walk->error, QD_NO_MEMORY, "no memory for an id");
    enum qd_status status = qd_quantizer_graph_build(graph, opset, dtype, family->data, id,
                                                     &walk->arena, &made->kase, walk->error);
    if (status == QD_OK)
        status = qd_quantizer_observe(&made->kase, &walk->arena, &made->request, walk->error);
    if (status != QD_OK)
        return qd_fail_context(walk->error, status, "%s", id);
    made->request.model = made->kase.model;
    made->request.model_size = made->kase.model_size;
    made->request.options = choice->options;
    made->must_refuse = family->spoilt;
    if (family->spoilt)
        status = spoil(walk, family, &made->request);
    return status == QD_OK ? enclose(walk, made) : status;
}

static enum qd_status visit(struct walk *walk, const struct qd_quantizer_graph *graph,
                            const struct family *family, const struct choice *choice, int64_t opset,
                            enum qd_dtype dtype)
{
    bool dynamic = choice->options.scheme == QD_QUANTIZER_DYNAMIC;
    struct qd_quantizer_case made = {.must_refuse = false};
    if (walk->stopped || opset < graph->opset_min || opset > graph->opset_max ||
        (family->spoilt && (dynamic || choice->options.exclude)))
        return QD_OK;
    qd_arena_reset(&walk->arena);
    enum qd_status status = make(walk, graph, family, choice, opset, dtype, &made);
    if (status == QD_OK)
        walk->stopped = walk->visit(walk->context, &made) == QD_VISIT_STOP;
    return status;
}

/* The opset at which a graph is seen most: 13, or the nearest that it can be written at. */
static int64_t usual_opset(const struct qd_quantizer_graph *graph)
{
    return graph->opset_max < USUAL_OPSET ? graph->opset_max : USUAL_OPSET;
}

static enum qd_status visit_smoke(struct walk *walk, const struct qd_quantizer_graph *graph)
{
    enum qd_status status = QD_OK;
    for (size_t c = 0; c < CHOICES && status == QD_OK; c++)
        if (choices[c].smoke)
            status = visit(walk, graph, &families[SKEW_POSITIVE], &choices[c], usual_opset(graph),
                           QD_F32);
    bool all_ranges = strcmp(graph->name, "conv-bias") == 0 || strcmp(graph->name, "matmul") == 0;
    for (size_t f = 1; all_ranges && f < FAMILIES && status == QD_OK; f++)
        status =
            visit(walk, graph, &families[f], &choices[PER_CHANNEL], usual_opset(graph), QD_F32);
    return status;
}

static enum qd_status visit_full(struct walk *walk, const struct qd_quantizer_graph *graph)
{
    enum qd_status status = QD_OK;
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t c = 0; c < CHOICES && status == QD_OK; c++)
            status = visit(walk, graph, &families[f], &choices[c], usual_opset(graph), QD_F32);
    for (int64_t opset = FIRST_OPSET; opset <= LAST_OPSET; opset++)
        for (size_t c = 0; c < CHOICES && status == QD_OK; c++)
            if (choices[c].smoke && opset != usual_opset(graph))
                status = visit(walk, graph, &families[SKEW_POSITIVE], &choices[c], opset, QD_F32);
    for (int64_t opset = USUAL_OPSET; opset <= LAST_OPSET; opset += LAST_OPSET - HALF_OPSET)
        for (size_t c = PLAIN; c <= PER_CHANNEL && status == QD_OK; c++)
            status = visit(walk, graph, &families[SKEW_POSITIVE], &choices[c], opset, QD_F16);
    for (size_t c = PLAIN; c <= PER_CHANNEL && status == QD_OK; c++)
        status = visit(walk, graph, &small, &choices[c], HALF_OPSET, QD_F16);
    return status;
}

enum qd_status qd_quantizer_suite_visit(enum qd_level level, qd_quantizer_case_visitor *visitor,
                                        void *context, struct qd_error *error)
{
    struct walk walk = {.level = level, .visit = visitor, .context = context, .error = error};
    const struct qd_quantizer_graph *graph;
    enum qd_status status = QD_OK;
    qd_arena_init(&walk.arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t i = 0; (graph = qd_quantizer_graph_at(i)) != NULL && status == QD_OK; i++)
        status = level == QD_LEVEL_SMOKE ? visit_smoke(&walk, graph) : visit_full(&walk, graph);
    qd_arena_clear(&walk.arena);
    return status;
}
