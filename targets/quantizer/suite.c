/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the cases of the quantizer suite. */
#include "qdiff/quantizer_suite.h"

#include <math.h>
#include <string.h>

#include "qdiff/override.h"
#include "quantizer/choices.h"
#include "quantizer/graphs.h"

enum { USUAL_OPSET = 13, FIRST_OPSET = 10, LAST_OPSET = 21, HALF_OPSET = 13, SMALL_OPSET = 19 };
enum { OPSETS = LAST_OPSET - FIRST_OPSET + 1 };

/* --- Ranges by computing ------------------------------------------------------------------------- */

struct observer {
    struct qd_override override;
    const struct qd_graph *graph;
    struct qd_quantizer_range *ranges; /* one for each value of the graph, named if it is a float */
};

static void observe(const struct observer *observer, int value, const struct qd_tensor *tensor)
{
    struct qd_quantizer_range *range = &observer->ranges[value];
    if (!qd_dtype_is_float(tensor->dtype))
        return;
    range->tensor = observer->graph->values[value].name;
    if (tensor->count == 0)
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
            observe(observer, node->outputs[k], &out[k].want);
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
    for (size_t i = 0; i < graph->input_count; i++)
        observe(&observer, graph->inputs[i], &kase->inputs[i]);
    enum qd_status status =
        qd_graph_evaluate(graph, kase->inputs, &semantics, arena, values, error);
    size_t count = 0;
    for (size_t v = 0; v < graph->value_count; v++)
        if (!graph->values[v].initializer && ranges[v].tensor)
            ranges[count++] = ranges[v];
    request->ranges = ranges;
    request->range_count = count;
    return status;
}

/* --- Cases --------------------------------------------------------------------------------------- */

/* Levels that an opset was asked with: [opset][factor] has bit l for level l. */
struct seen {
    uint32_t levels[OPSETS][QD_CHOICE_FACTORS];
};

struct walk {
    qd_quantizer_case_visitor *visit;
    void *context;
    struct qd_covering arrays[2]; /* without and with float16 */
    struct seen seen;
    struct qd_arena arena;
    bool stopped;
    struct qd_error *error;
};

/* The input's range becomes one that a tool has to refuse. */
static void spoil(const struct qd_quantizer_family *family, struct qd_quantizer_range *ranges,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(ranges[i].tensor, "x") == 0) {
            ranges[i].min = family->min;
            ranges[i].max = family->max;
        }
}

/* The range of what the first node gives is left out; returns how many there are then. */
static size_t leave_out(const struct qd_graph *graph, struct qd_quantizer_range *ranges,
                        size_t count)
{
    const char *name = graph->values[graph->nodes[0].outputs[0]].name;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(ranges[i].tensor, name) != 0)
            ranges[kept++] = ranges[i];
    return kept;
}

static enum qd_status make_ranges(struct walk *walk, const struct qd_quantizer_family *family,
                                  struct qd_quantizer_case *made)
{
    struct qd_quantizer_request *request = &made->request;
    enum qd_status status = qd_quantizer_observe(&made->kase, &walk->arena, request, walk->error);
    if (status != QD_OK || (!family->spoilt && !family->lacks_one))
        return status;
    struct qd_quantizer_range *ranges =
        qd_arena_copy(&walk->arena, request->ranges, request->range_count * sizeof *ranges);
    if (!ranges)
        return qd_fail(walk->error, QD_NO_MEMORY, "no memory for ranges");
    if (family->spoilt)
        spoil(family, ranges, request->range_count);
    else
        request->range_count = leave_out(made->kase.graph, ranges, request->range_count);
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
                           const uint8_t *row, int64_t opset, struct qd_quantizer_case *made)
{
    const struct qd_quantizer_family *family = qd_quantizer_family_of(row);
    enum qd_dtype dtype = qd_quantizer_float_of(row);
    char words[128];
    const char *id = qd_arena_printf(&walk->arena, "quantizer/%s/%s/%s/opset%d%s", graph->name,
                                     family->word, qd_quantizer_words_of(row, words, sizeof words),
                                     (int)opset, dtype == QD_F16 ? "-f16" : "");
    if (!id)
        return qd_fail(walk->error, QD_NO_MEMORY, "no memory for an id");
    enum qd_status status = qd_quantizer_graph_build(graph, opset, dtype, family->data, id,
                                                     &walk->arena, &made->kase, walk->error);
    if (status == QD_OK)
        status = make_ranges(walk, family, made);
    if (status != QD_OK)
        return qd_fail_context(walk->error, status, "%s", id);
    made->request.model = made->kase.model;
    made->request.model_size = made->kase.model_size;
    made->request.options = qd_quantizer_options_of(row);
    made->must_refuse = family->spoilt;
    return enclose(walk, made);
}

static enum qd_status visit(struct walk *walk, const struct qd_quantizer_graph *graph,
                            const uint8_t *row, int64_t opset)
{
    struct qd_quantizer_case made = {.must_refuse = false};
    if (walk->stopped)
        return QD_OK;
    qd_arena_reset(&walk->arena);
    enum qd_status status = make(walk, graph, row, opset, &made);
    if (status == QD_OK)
        walk->stopped = walk->visit(walk->context, &made) == QD_VISIT_STOP;
    return status;
}

/* The opset at which a graph is seen most: 13, or the nearest that it can be written at. */
static int64_t usual_opset(const struct qd_quantizer_graph *graph)
{
    int64_t opset = graph->opset_max < USUAL_OPSET ? graph->opset_max : USUAL_OPSET;
    return graph->opset_min > opset ? graph->opset_min : opset;
}

static enum qd_status visit_base(struct walk *walk, const struct qd_quantizer_graph *graph,
                                 size_t count)
{
    const uint8_t *row;
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < count && (row = qd_quantizer_base_at(i)) && status == QD_OK; i++)
        status = visit(walk, graph, row, usual_opset(graph));
    if (strcmp(graph->name, "conv-bias") != 0)
        return status;
    for (size_t i = 0; (row = qd_quantizer_family_row_at(i)) && status == QD_OK; i++)
        status = visit(walk, graph, row,
                       qd_quantizer_float_of(row) == QD_F16 ? SMALL_OPSET : usual_opset(graph));
    return status;
}

/* How many levels of the row the opset was not asked with yet. */
static size_t fresh(const struct seen *seen, int64_t opset, const uint8_t *row)
{
    size_t count = 0;
    for (size_t f = 0; f < QD_CHOICE_FACTORS; f++)
        count += !(seen->levels[opset - FIRST_OPSET][f] >> row[f] & 1);
    return count;
}

/* The opset for a row: one that the graph was not asked at yet, then the one that most of the row is new to, then
 * the next in turn. `done` has a bit for each opset that the graph was asked at. */
static int64_t choose_opset(struct walk *walk, const struct qd_quantizer_graph *graph,
                            const uint8_t *row, size_t turn, uint32_t *done)
{
    bool half = qd_quantizer_float_of(row) == QD_F16;
    int64_t first = half && graph->opset_min < HALF_OPSET ? HALF_OPSET : graph->opset_min;
    int64_t count = graph->opset_max - first + 1, best = first;
    size_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t opset = first + ((int64_t)turn + i) % count;
        bool new = !(*done >> (opset - FIRST_OPSET) & 1);
        size_t score = 1 + fresh(&walk->seen, opset, row) + new *(size_t)QD_CHOICE_FACTORS;
        if (score > most) {
            most = score;
            best = opset;
        }
    }
    *done |= UINT32_C(1) << (best - FIRST_OPSET);
    for (size_t f = 0; f < QD_CHOICE_FACTORS; f++)
        walk->seen.levels[best - FIRST_OPSET][f] |= UINT32_C(1) << row[f];
    return best;
}

/* Whether the graph was asked this already. */
static bool is_base(const struct qd_quantizer_graph *graph, const uint8_t *row, int64_t opset)
{
    const uint8_t *other;
    for (size_t i = 0; (other = qd_quantizer_base_at(i)) != NULL; i++)
        if (memcmp(row, other, QD_CHOICE_FACTORS) == 0)
            return opset == usual_opset(graph);
    for (size_t i = 0; (other = qd_quantizer_family_row_at(i)) != NULL; i++)
        if (memcmp(row, other, QD_CHOICE_FACTORS) == 0)
            return strcmp(graph->name, "conv-bias") == 0 &&
                   (opset == usual_opset(graph) || opset == SMALL_OPSET);
    return false;
}

static enum qd_status visit_array(struct walk *walk, const struct qd_quantizer_graph *graph)
{
    const struct qd_covering *array =
        &walk->arrays[graph->opset_max >= HALF_OPSET && qd_quantizer_graph_has_half(graph)];
    uint32_t done = 0;
    enum qd_status status = QD_OK;
    for (size_t r = 0; r < array->row_count && status == QD_OK; r++) {
        const uint8_t *row = array->rows + r * QD_CHOICE_FACTORS;
        int64_t opset = choose_opset(walk, graph, row, r, &done);
        if (!is_base(graph, row, opset))
            status = visit(walk, graph, row, opset);
    }
    return status;
}

static enum qd_status visit_graphs(struct walk *walk, enum qd_level level)
{
    const struct qd_quantizer_graph *graph;
    enum qd_status status = QD_OK;
    for (size_t i = 0; (graph = qd_quantizer_graph_at(i)) != NULL && status == QD_OK; i++) {
        status = visit_base(walk, graph, level == QD_LEVEL_SMOKE ? QD_CHOICE_SMOKE : SIZE_MAX);
        if (level != QD_LEVEL_SMOKE && status == QD_OK)
            status = visit_array(walk, graph);
    }
    return status;
}

enum qd_status qd_quantizer_suite_visit(enum qd_level level, qd_quantizer_case_visitor *visitor,
                                        void *context, struct qd_error *error)
{
    struct walk walk = {.visit = visitor, .context = context, .error = error};
    struct qd_arena rows;
    enum qd_status status = QD_OK;
    qd_arena_init(&rows, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&walk.arena, QD_ARENA_DEFAULT_BUDGET);
    for (int half = 0; half < 2 && level != QD_LEVEL_SMOKE && status == QD_OK; half++)
        status = qd_covering_make(qd_quantizer_choices(half), 2, &rows, &walk.arrays[half], error);
    if (status == QD_OK)
        status = visit_graphs(&walk, level);
    qd_arena_clear(&walk.arena);
    qd_arena_clear(&rows);
    return status;
}
