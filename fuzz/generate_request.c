/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the quantizer role: what a tool is asked about a float graph, and mutations of both. */
#include <math.h>
#include <string.h>

#include "generate_parts.h"
#include "qdiff/quantizer_suite.h"

static bool one_in(struct qd_random *random, int64_t n)
{
    return qd_random_range(random, 1, n) == 1;
}

/* --- Ranges -------------------------------------------------------------------------------------- */

/* A range whose zero point falls exactly between two codes, in real numbers. */
static void tie(struct qd_random *random, struct qd_quantizer_range *range)
{
    double scale = exp2((double)qd_random_range(random, -12, 4));
    double below = (double)qd_random_range(random, 0, 254) + 0.5;
    range->min = (float)(-below * scale);
    range->max = (float)((255 - below) * scale);
}

static void disturb(struct qd_random *random, struct qd_quantizer_range *range)
{
    static const float factors[] = {0.5F, 2, 1e-6F, 1e6F, 1e-30F, 1e20F, 1.0000001F};
    float by = QD_RANDOM_PICK(random, factors), width = range->max - range->min;
    switch (qd_random_range(random, 0, 9)) {
    case 0: range->min *= by; break;
    case 1: range->max *= by; break;
    case 2: range->min = range->max; break;
    case 3: range->max = range->min; break;
    case 4: range->min = -range->max; break;
    case 5: range->min = range->max = 0; break;
    case 6: range->min = range->max - width / 4; break;
    case 7:
        range->min *= by;
        range->max *= by;
        break;
    default: tie(random, range); break;
    }
    if (!(range->min <= range->max)) {
        float min = range->min;
        range->min = range->max;
        range->max = min;
    }
}

/* One that is none, which a tool has to refuse. */
static void spoil(struct qd_random *random, struct qd_quantizer_range *range)
{
    static const float ends[][2] = {{-1, NAN}, {NAN, 1}, {-INFINITY, 1}, {-1, INFINITY}, {1, -1}};
    const float *two = QD_RANDOM_PICK(random, ends);
    range->min = two[0];
    range->max = two[1];
}

static struct qd_quantizer_range *range_of(struct qd_quantizer_range *ranges, size_t count,
                                           const struct qd_graph *graph, int value)
{
    const char *name = value == QD_NO_VALUE ? "" : graph->values[value].name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(ranges[i].tensor, name) == 0)
            return &ranges[i];
    return NULL;
}

/* What is known of a value before a node reads it: its range, or a constant's own. */
static bool find_range(const struct qd_graph *graph, struct qd_quantizer_range *ranges,
                       size_t count, int value, struct qd_quantizer_range *range)
{
    const struct qd_quantizer_range *given = range_of(ranges, count, graph, value);
    const struct qd_tensor *constant =
        value == QD_NO_VALUE ? NULL : graph->values[value].initializer;
    if (given) {
        *range = *given;
        return true;
    }
    if (!constant || !qd_dtype_is_float(constant->dtype) || constant->count == 0)
        return false;
    *range = (struct qd_quantizer_range){.min = INFINITY, .max = -INFINITY};
    for (int64_t i = 0; i < constant->count; i++) {
        range->min = fminf(range->min, (float)qd_tensor_value(constant, i));
        range->max = fmaxf(range->max, (float)qd_tensor_value(constant, i));
    }
    return range->min <= range->max;
}

/* How what a node reads becomes what it gives. */
enum passage { COMPUTES, MOVES, CLIPS, FILLS, JOINS };

static enum passage passage_of(const struct qd_node *node)
{
    static const struct {
        const char *op_type;
        enum passage passage;
    } rows[] = {
        {"AveragePool", MOVES}, {"Concat", JOINS},  {"Clip", CLIPS},     {"Expand", MOVES},
        {"Flatten", MOVES},     {"Gather", MOVES},  {"Identity", MOVES}, {"MaxPool", MOVES},
        {"Pad", FILLS},         {"Relu", CLIPS},    {"Reshape", MOVES},  {"Slice", MOVES},
        {"Split", MOVES},       {"Squeeze", MOVES}, {"Tile", MOVES},     {"Transpose", MOVES},
        {"Unsqueeze", MOVES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op_type, node->op_type) == 0)
            return rows[i].passage;
    return COMPUTES;
}

/* Of a Relu, or of a Clip whose bounds are constants. */
static void find_bounds(const struct qd_graph *graph, const struct qd_node *node, double *bounds)
{
    if (strcmp(node->op_type, "Relu") == 0)
        bounds[0] = 0;
    for (size_t k = 1; k < node->input_count && k <= 2; k++) {
        const struct qd_tensor *bound =
            node->inputs[k] == QD_NO_VALUE ? NULL : graph->values[node->inputs[k]].initializer;
        if (bound && qd_dtype_is_float(bound->dtype) && bound->count == 1)
            bounds[k - 1] = qd_tensor_value(bound, 0);
    }
}

static void join(struct qd_quantizer_range *to, struct qd_quantizer_range part)
{
    to->min = fminf(to->min, part.min);
    to->max = fmaxf(to->max, part.max);
}

/* A range of what the first operand gives. */
static void carry_first(const struct qd_graph *graph, const struct qd_node *node,
                        enum passage passage, struct qd_quantizer_range from,
                        struct qd_quantizer_range *to)
{
    double bounds[2] = {-INFINITY, INFINITY};
    if (passage == CLIPS)
        find_bounds(graph, node, bounds);
    to->min = (float)fmin(fmax((double)from.min, bounds[0]), bounds[1]);
    to->max = (float)fmin(fmax((double)from.max, bounds[0]), bounds[1]);
}

/* A range of output `value` of a node, by those of what it reads. */
static void carry(const struct qd_graph *graph, const struct qd_node *node,
                  struct qd_quantizer_range *ranges, size_t count, int value)
{
    struct qd_quantizer_range *to = range_of(ranges, count, graph, value), from;
    enum passage passage = passage_of(node);
    bool first = to && passage != COMPUTES && passage != JOINS &&
                 find_range(graph, ranges, count, node->inputs[0], &from);
    if (first)
        carry_first(graph, node, passage, from, to);
    for (size_t k = 0; to && passage == JOINS && k < node->input_count; k++)
        if (find_range(graph, ranges, count, node->inputs[k], &from))
            join(to, from);
    if (first && passage == FILLS) {
        bool given =
            node->input_count > 2 && find_range(graph, ranges, count, node->inputs[2], &from);
        join(to, given ? from : (struct qd_quantizer_range){.min = 0, .max = 0});
    }
}

/* What a calibration could have seen: numbers that only move have the range that they had before, those of a Relu or
 * Clip lie within its bounds, and a concatenation's or a padded tensor's hold those of its parts. */
static void carry_on(const struct qd_graph *graph, struct qd_quantizer_range *ranges, size_t count)
{
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t o = 0; o < graph->nodes[n].output_count; o++)
            carry(graph, &graph->nodes[n], ranges, count, graph->nodes[n].outputs[o]);
}

/* `half`: there are float16 tensors, so that every number is one of theirs. */
static bool draw_ranges(struct qd_random *random, const struct qd_graph *graph, bool half,
                        struct qd_arena *arena, struct qd_quantizer_request *request)
{
    struct qd_quantizer_range *ranges =
        qd_arena_copy(arena, request->ranges, request->range_count * sizeof *ranges);
    if (!ranges)
        return false;
    for (size_t i = 0; i < request->range_count; i++)
        if (one_in(random, 4))
            disturb(random, &ranges[i]);
    for (size_t i = 0; half && i < request->range_count; i++) {
        double min = fmax((double)ranges[i].min, -65504), max = fmin((double)ranges[i].max, 65504);
        ranges[i].min = (float)qd_float_round(QD_F16, QD_NEAREST_EVEN, min);
        ranges[i].max = (float)qd_float_round(QD_F16, QD_NEAREST_EVEN, max);
    }
    carry_on(graph, ranges, request->range_count);
    if (one_in(random, 64))
        spoil(random, &ranges[qd_random_range(random, 0, (int64_t)request->range_count - 1)]);
    request->ranges = ranges;
    return true;
}

/* --- Options ------------------------------------------------------------------------------------- */

static struct qd_quantizer_options draw_options(struct qd_random *random)
{
    enum { U8 = 2, S8 = 3, U16 = 4, S16 = 5 };
    static const int32_t types[][2] = {{U8, S8}, {U8, S8},  {U8, S8},   {U8, U8},
                                       {S8, S8}, {U16, S8}, {U16, U16}, {S16, S16}};
    const int32_t *two = QD_RANDOM_PICK(random, types);
    struct qd_quantizer_options options = {.activation_type = two[0], .weight_type = two[1]};
    options.per_channel = one_in(random, 2);
    options.reduce_range = one_in(random, 8);
    options.symmetric_activations = one_in(random, 8);
    options.symmetric_weights = one_in(random, 8);
    options.restricted_asymmetric = one_in(random, 4);
    if (one_in(random, 5)) {
        options.scheme = QD_QUANTIZER_DYNAMIC;
        options.activation_type = U8;
        options.weight_type = one_in(random, 2) ? S8 : U8;
    } else if (one_in(random, 4)) {
        options.format = QD_QUANTIZER_QOPERATOR;
    }
    return options;
}

/* --- Cases --------------------------------------------------------------------------------------- */

/* Gives the case a request: the ranges are those of its inputs, with some disturbed. */
static enum qd_status put_request(struct qd_random *random, const struct qd_quantizer_options *keep,
                                  struct qd_arena *arena, struct qd_case *kase,
                                  struct qd_error *error)
{
    struct qd_quantizer_request request = {.options = keep ? *keep : draw_options(random)};
    enum qd_status status = qd_quantizer_observe(kase, arena, &request, error);
    uint8_t *bytes;
    if (status != QD_OK)
        return status;
    bool half = false;
    for (size_t i = 0; i < kase->input_count; i++)
        half |= kase->inputs[i].dtype == QD_F16;
    if (!draw_ranges(random, kase->graph, half, arena, &request))
        return qd_fail(error, QD_NO_MEMORY, "no memory for ranges");
    status = qd_quantizer_request_encode(&request, arena, &bytes, &kase->request_size, error);
    if (status == QD_OK)
        kase->request = bytes;
    return status;
}

enum qd_status qd_generate_request(struct qd_random *random, struct qd_arena *arena,
                                   struct qd_case *kase, struct qd_error *error)
{
    struct qd_case made;
    enum qd_status status = qd_generate_float(random, arena, &made, error);
    if (status == QD_OK)
        status = put_request(random, NULL, arena, &made, error);
    if (status == QD_OK)
        *kase = made;
    return status;
}

/* Other numbers for some float tensors. */
static void redraw(struct qd_random *random, struct qd_case_edit *edit)
{
    for (size_t v = 0; v < edit->value_count; v++) {
        const struct qd_tensor *old = edit->values[v].tensor;
        bool number = old && qd_dtype_is_float(old->dtype);
        struct qd_tensor *copy =
            number && one_in(random, 2) ? qd_case_edit_copy_tensor(edit, old) : NULL;
        if (copy) {
            qd_draw_floats(copy, random);
            edit->values[v].tensor = copy;
        }
    }
}

/* Another graph with something of the case's; false when it cannot be. */
static enum qd_status change(struct qd_random *random, struct qd_arena *arena,
                             const struct qd_case *kase, struct qd_case *made,
                             struct qd_error *error)
{
    struct qd_case_edit edit, other;
    struct qd_case joined;
    enum qd_status status = qd_case_edit_begin(kase, arena, &edit, error);
    if (status != QD_OK)
        return status;
    switch (qd_random_range(random, 0, 3)) {
    case 0: edit.opset = qd_random_range(random, 10, 21); break;
    case 1:
        if (qd_generate_float(random, arena, &joined, error) == QD_OK &&
            qd_case_edit_begin(&joined, arena, &other, error) == QD_OK)
            qd_mutate_splice(&edit, &other, random);
        break;
    default: redraw(random, &edit); break;
    }
    return qd_case_edit_finish(&edit, "fuzz", false, made, error);
}

static enum qd_status mutate(struct qd_random *random, struct qd_arena *arena,
                             const struct qd_case *kase, struct qd_case *made,
                             struct qd_error *error)
{
    struct qd_quantizer_request old;
    bool keeps = one_in(random, 2) && qd_quantizer_request_of(kase, arena, &old, error) == QD_OK;
    enum qd_status status = QD_OK;
    *made = *kase;
    if (one_in(random, 2))
        status = change(random, arena, kase, made, error);
    return status == QD_OK ? put_request(random, keeps ? &old.options : NULL, arena, made, error)
                           : status;
}

static size_t write_case(const struct qd_case *kase, struct qd_arena *arena, uint8_t *out,
                         size_t capacity)
{
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    if (qd_case_encode(kase, arena, &bytes, &size, &error) != QD_OK || size > capacity)
        return 0;
    memcpy(out, bytes, size);
    return size;
}

size_t qd_mutate_request(struct qd_arena *arena, uint8_t *data, size_t size, size_t capacity,
                         uint64_t seed)
{
    struct qd_random random = qd_random_seed("request", seed);
    struct qd_case kase, made;
    struct qd_error error;
    size_t written = 0;
    qd_arena_reset(arena);
    if (!one_in(&random, 4) && qd_case_decode(data, size, arena, &kase, &error) == QD_OK &&
        mutate(&random, arena, &kase, &made, &error) == QD_OK)
        written = write_case(&made, arena, data, capacity);
    for (int attempt = 0; written == 0 && attempt < 16; attempt++) {
        qd_arena_reset(arena);
        if (qd_generate_request(&random, arena, &made, &error) == QD_OK)
            written = write_case(&made, arena, data, capacity);
    }
    return written;
}
