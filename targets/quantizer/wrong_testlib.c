/* SPDX-License-Identifier: Apache-2.0 */
/* A small static quantizer (QDQ), right or with one mistake. */
#include "quantizer/wrong_testlib.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/build.h"

enum { NAMES = 512 };

struct tool {
    const struct qd_graph *graph;
    const struct qd_quantizer_request *request;
    enum qd_mistake mistake;
    struct qd_arena *arena;
    struct qd_builder *builder;
    bool *done; /* for each value: its codes are there */
};

struct grid {
    enum qd_dtype type;
    double scale;
    int64_t zero;
};

static bool is(const struct qd_node *node, const char *op)
{
    return strcmp(node->op_type, op) == 0;
}

static bool moves(const struct qd_node *node)
{
    return is(node, "Concat") || is(node, "Transpose") || is(node, "Flatten");
}

static const char *name_of(const struct tool *tool, int value)
{
    return tool->graph->values[value].name;
}

static const struct qd_node *producer(const struct tool *tool, int value)
{
    int n = qd_graph_producer(tool->graph, value);
    return n < 0 ? NULL : &tool->graph->nodes[n];
}

static bool is_output(const struct tool *tool, int value)
{
    for (size_t i = 0; i < tool->graph->output_count; i++)
        if (tool->graph->outputs[i] == value)
            return true;
    return false;
}

/* --- Parameters ---------------------------------------------------------------------------------- */

/* The tensor at the start of a chain of moving operators, whose range is everybody's. */
static int start_of(const struct tool *tool, int value)
{
    const struct qd_node *node = producer(tool, value);
    if (!node || !moves(node))
        return value;
    if (is(node, "Concat") && tool->mistake != QD_CONCAT_ON_INPUT_0)
        for (size_t k = 0; k < node->input_count; k++)
            if (producer(tool, start_of(tool, node->inputs[k])))
                return start_of(tool, node->inputs[k]);
    return start_of(tool, node->inputs[0]);
}

static int source_of(const struct tool *tool, int value)
{
    if (tool->mistake == QD_SNAPPED_APART || tool->mistake == QD_SPLIT_OBSERVERS)
        return value;
    for (bool further = true; further;) {
        further = false;
        for (size_t n = 0; n < tool->graph->node_count && !further; n++) {
            const struct qd_node *node = &tool->graph->nodes[n];
            for (size_t k = 0; moves(node) && k < node->input_count && !further; k++)
                if (node->inputs[k] == value) {
                    value = node->outputs[0];
                    further = true;
                }
        }
    }
    return start_of(tool, value);
}

static void find_range(const struct tool *tool, int value, double *min, double *max)
{
    const struct qd_quantizer_range *ranges = tool->request->ranges;
    *min = *max = 0;
    for (size_t i = 0; i < tool->request->range_count; i++)
        if (strcmp(ranges[i].tensor, name_of(tool, value)) == 0) {
            *min = (double)ranges[i].min;
            *max = (double)ranges[i].max;
        }
    if (tool->mistake != QD_NOT_WIDENED) {
        *min = fmin(*min, 0);
        *max = fmax(*max, 0);
    }
}

static void snap(const struct tool *tool, double min, double max, struct grid *grid)
{
    int64_t qmin = qd_dtype_info(grid->type)->min, middle = qmin + 128;
    grid->zero = min < 0 ? middle : qmin;
    if (tool->mistake != QD_SNAPPED_WITHOUT_SCALE)
        grid->scale = min < 0 ? fmax(-min / 128, max / 127) : max / 255;
}

static struct grid grid_of(const struct tool *tool, int value)
{
    const struct qd_quantizer_options *options = &tool->request->options;
    struct grid grid = {.type = qd_dtype_of_onnx(options->activation_type)};
    double min, max;
    find_range(tool, source_of(tool, value), &min, &max);
    grid.scale = (max - min) / 255;
    double zero = (double)qd_dtype_info(grid.type)->min - min / grid.scale;
    zero = tool->mistake == QD_ZERO_POINT_TRUNCATED ? trunc(zero) : rint(zero);
    grid.zero = (int64_t)fmin(fmax(zero, (double)qd_dtype_info(grid.type)->min),
                              (double)qd_dtype_info(grid.type)->max);
    if (options->restricted_asymmetric && tool->mistake != QD_OPTION_IGNORED &&
        (grid.type == QD_U8 || tool->mistake == QD_SNAPPED_INT8))
        snap(tool, min, max, &grid);
    grid.scale = qd_float_round(QD_F32, QD_NEAREST_EVEN, grid.scale);
    return grid;
}

/* --- The model ----------------------------------------------------------------------------------- */

static struct qd_tensor tensor(const struct tool *tool, enum qd_dtype dtype, unsigned rank,
                               const int64_t *dims)
{
    struct qd_tensor made;
    assert_int_equal(qd_tensor_init(&made, tool->arena, dtype, rank, dims, NULL), QD_OK);
    return made;
}

static void put_list(const struct tool *tool, const char *format, int value, enum qd_dtype dtype,
                     int64_t count, const double *numbers)
{
    char name[NAMES];
    struct qd_tensor made = tensor(tool, dtype, count > 1, &count);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&made, i,
                      qd_dtype_is_float(dtype)
                          ? (int64_t)qd_float_encode(
                                dtype, qd_float_round(dtype, QD_NEAREST_EVEN, numbers[i]), false)
                          : (int64_t)numbers[i]);
    snprintf(name, sizeof name, format, name_of(tool, value));
    qd_build_initializer(tool->builder, name, &made);
}

static void put_cast(const struct tool *tool, const char *op, int value, const char *in,
                     const char *out, int64_t axis)
{
    char inputs[NAMES], output[NAMES];
    const char *name = name_of(tool, value);
    snprintf(inputs, sizeof inputs, "%s%s,%s_scale,%s_zero_point", name, in, name, name);
    snprintf(output, sizeof output, "%s%s", name, out);
    qd_build_node(tool->builder, "", op, inputs, output);
    /* A bias has only one axis: dropping it there is found at once, as a model that is not valid. */
    bool dropped = tool->mistake == QD_AXIS_DROPPED && strcmp(name, "W") == 0;
    if (axis >= 0 && !dropped && (axis != 0 || tool->mistake != QD_AXIS_0_TAKEN_FOR_ABSENT))
        qd_build_attr_int(tool->builder, "axis", axis);
}

static void put_grid(const struct tool *tool, int value, const struct grid *grid)
{
    double zero = (double)grid->zero;
    put_list(tool, "%s_scale", value, QD_F32, 1, &grid->scale);
    put_list(tool, "%s_zero_point", value, grid->type, 1, &zero);
}

/* Codes of a constant: scales one for each index of axis 0, or one. */
static void put_constant(const struct tool *tool, int value, enum qd_dtype type, int64_t count,
                         const double *scales, const double *zeros)
{
    const struct qd_tensor *w = tool->graph->values[value].initializer;
    struct qd_tensor codes = tensor(tool, type, w->rank, w->dims);
    char name[NAMES];
    for (int64_t i = 0; i < w->count; i++) {
        int64_t c = count > 1 ? i / (w->count / count) : 0;
        double code = rint(qd_tensor_value(w, i) / scales[c]) + zeros[c];
        code += tool->mistake == QD_WEIGHT_CODES && type == QD_S8 && i == 0 ? 1 : 0;
        code = fmin(fmax(code, (double)qd_dtype_info(type)->min), (double)qd_dtype_info(type)->max);
        qd_tensor_set(&codes, i, (int64_t)code);
    }
    snprintf(name, sizeof name, "%s_quantized", name_of(tool, value));
    qd_build_initializer(tool->builder, name, &codes);
    put_list(tool, "%s_scale", value, QD_F32, count, scales);
    put_list(tool, "%s_zero_point", value, type, count, zeros);
    put_cast(tool, "DequantizeLinear", value, "_quantized", "_dq", count > 1 ? 0 : -1);
}

/* Scales of a weight's axis 0: symmetric int8. */
static int64_t weight_scales(const struct tool *tool, const struct qd_tensor *w, double *scales)
{
    int64_t count = tool->request->options.per_channel ? w->dims[0] : 1;
    for (int64_t c = 0; c < count; c++) {
        double most = 0;
        for (int64_t i = 0; i < w->count / count; i++)
            most = fmax(most, fabs(qd_tensor_value(w, c * (w->count / count) + i)));
        scales[c] = qd_float_round(QD_F32, QD_NEAREST_EVEN, 2 * most / 254);
    }
    return count;
}

static void quantize_constant(struct tool *tool, const struct qd_node *node, size_t k)
{
    int value = node->inputs[k];
    double scales[16] = {0}, zeros[16] = {0};
    if (is(node, "Conv")) {
        int64_t count =
            weight_scales(tool, tool->graph->values[node->inputs[1]].initializer, scales);
        double x = k == 2 ? grid_of(tool, node->inputs[0]).scale : 1;
        for (int64_t c = 0; c < count; c++)
            scales[c] *= x * (k == 2 && tool->mistake == QD_BIAS_SCALE ? 1.0625 : 1);
        for (int64_t c = 0; c < count; c++)
            scales[c] = qd_float_round(QD_F32, QD_NEAREST_EVEN, scales[c]);
        put_constant(tool, value, k == 2 ? QD_S32 : QD_S8, count, scales, zeros);
        return;
    }
    struct grid grid = grid_of(tool, value);
    zeros[0] = (double)grid.zero;
    put_constant(tool, value, grid.type, 1, &grid.scale, zeros);
}

static void quantize_operand(struct tool *tool, const struct qd_node *node, size_t k)
{
    int value = node->inputs[k];
    if (tool->done[value])
        return;
    tool->done[value] = true;
    if (tool->graph->values[value].initializer) {
        quantize_constant(tool, node, k);
        return;
    }
    struct grid grid = grid_of(tool, value);
    put_grid(tool, value, &grid);
    put_cast(tool, "QuantizeLinear", value, "", "_q", -1);
    put_cast(tool, "DequantizeLinear", value, "_q", "_dq", -1);
}

static void put_node(struct tool *tool, const struct qd_node *node)
{
    char inputs[NAMES] = "", output[NAMES];
    int y = node->outputs[0];
    bool dropped = is(node, "Relu") && tool->mistake == QD_RELU_DROPPED;
    for (size_t k = 0; k < node->input_count; k++) {
        if (!dropped)
            quantize_operand(tool, node, k);
        size_t length = strlen(inputs);
        snprintf(inputs + length, sizeof inputs - length, "%s%s%s", k ? "," : "",
                 name_of(tool, node->inputs[k]), dropped ? "" : "_dq");
    }
    snprintf(output, sizeof output, "%s%s", name_of(tool, y), is_output(tool, y) ? "_raw" : "");
    qd_build_node(tool->builder, "", dropped ? "Identity" : node->op_type, inputs, output);
    for (size_t a = 0; a < node->attr_count; a++) {
        const struct qd_attr *attr = &node->attrs[a];
        if (attr->kind == QD_ATTR_INTS)
            qd_build_attr_ints(tool->builder, attr->name, attr->ints, attr->count);
        else
            qd_build_attr_int(tool->builder, attr->name, attr->i);
    }
    if (is_output(tool, y)) {
        struct grid grid = grid_of(tool, y);
        put_grid(tool, y, &grid);
        put_cast(tool, "QuantizeLinear", y, "_raw", "_q", -1);
        put_cast(tool, "DequantizeLinear", y, "_q", "", -1);
    }
}

void qd_quantize_wrongly(const struct qd_case *kase, const struct qd_quantizer_request *request,
                         enum qd_mistake mistake, struct qd_arena *arena,
                         struct qd_quantizer_answer *answer)
{
    const struct qd_graph *graph = kase->graph;
    struct tool tool = {graph, request, mistake, arena, qd_build_begin(arena, kase->opset), NULL};
    struct qd_case made;
    struct qd_error error = {.status = QD_OK};
    tool.done = qd_arena_array(arena, graph->value_count, sizeof *tool.done);
    assert_non_null(tool.done);
    for (size_t i = 0; i < graph->input_count; i++)
        qd_build_input(tool.builder, name_of(&tool, graph->inputs[i]), &kase->inputs[i]);
    for (size_t n = 0; n < graph->node_count; n++)
        put_node(&tool, &graph->nodes[n]);
    for (size_t i = 0; i < graph->output_count; i++)
        qd_build_output(tool.builder, name_of(&tool, graph->outputs[i]), QD_F32, -1, NULL);
    if (qd_build_finish(tool.builder, "wrong", false, &made, &error) != QD_OK)
        fail_msg("mistake %d: %s", (int)mistake, error.text);
    *answer = (struct qd_quantizer_answer){
        .outcome = QD_QUANTIZED_MODEL, .model = made.model, .model_size = made.model_size};
}
