/* SPDX-License-Identifier: Apache-2.0 */
#include "rewritten.h"

#include <string.h>

#include "qdiff/answer.h"
#include "twin.h"

struct rewriting {
    struct qd_case_edit edit;
    const struct qd_case *kase;
    const struct qd_value *outputs; /* the case's */
    struct qd_random random;
    struct qd_error *error;
};

/* --- Pieces --------------------------------------------------------------------------------------- */

/* A node of one output, at `at`; its output, QD_NO_VALUE where there is no room. */
static int add_node(struct rewriting *r, size_t at, const char *op_type, const int *inputs,
                    size_t count, const struct qd_attr *attr)
{
    struct qd_case_edit_node *node = qd_case_edit_add_node(&r->edit, at, "", op_type);
    int output = qd_case_edit_add_value(&r->edit, NULL, false);
    if (!node || output == QD_NO_VALUE)
        return QD_NO_VALUE;
    memcpy(node->inputs, inputs, count * sizeof *inputs);
    node->input_count = count;
    node->outputs[0] = output;
    node->output_count = 1;
    if (attr && !qd_case_edit_set_attr(node, attr))
        return QD_NO_VALUE;
    return output;
}

/* A constant vector of int64. */
static int add_list(struct rewriting *r, const int64_t *list, int64_t count)
{
    struct qd_tensor *tensor = qd_arena_alloc(r->edit.arena, sizeof *tensor);
    struct qd_error error;
    if (!tensor || qd_tensor_init(tensor, r->edit.arena, QD_S64, 1, &count, &error) != QD_OK)
        return QD_NO_VALUE;
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(tensor, i, list[i]);
    return qd_case_edit_add_value(&r->edit, tensor, false);
}

/* The axes one further, or one back. */
static int transpose(struct rewriting *r, size_t at, int value, unsigned rank, bool back)
{
    int64_t *perm = qd_arena_array(r->edit.arena, rank, sizeof *perm);
    for (unsigned i = 0; perm && i < rank; i++)
        perm[i] = (i + (back ? rank - 1 : 1)) % rank;
    const struct qd_attr attr = {.name = "perm", .kind = QD_ATTR_INTS, .count = rank, .ints = perm};
    return perm ? add_node(r, at, "Transpose", &value, 1, &attr) : QD_NO_VALUE;
}

static int reshape(struct rewriting *r, size_t at, int value, const int64_t *dims, unsigned rank)
{
    const int operands[] = {value, add_list(r, dims, rank)};
    return operands[1] == QD_NO_VALUE ? QD_NO_VALUE : add_node(r, at, "Reshape", operands, 2, NULL);
}

/* --- Operands ------------------------------------------------------------------------------------- */

/* Constants and inputs that are numbers wherever they are read. */
static int pick_operand(struct rewriting *r)
{
    int found[QD_CASE_EDIT_MAX_VALUES];
    int64_t count = 0;
    for (size_t v = 0; v < r->edit.value_count; v++) {
        const struct qd_tensor *tensor = r->edit.values[v].tensor;
        if (tensor && tensor->count > 0 && qd_is_read_as_numbers(r->kase->graph, (int)v))
            found[count++] = (int)v;
    }
    return count > 0 ? found[qd_random_range(&r->random, 0, count - 1)] : QD_NO_VALUE;
}

/* Readers of `value` read `other` instead, except the first `own` nodes, which make it. */
static bool read_instead(struct rewriting *r, int value, int other, size_t own)
{
    if (other == QD_NO_VALUE)
        return false;
    for (size_t n = own; n < r->edit.node_count; n++)
        for (size_t i = 0; i < r->edit.nodes[n].input_count; i++)
            if (r->edit.nodes[n].inputs[i] == value)
                r->edit.nodes[n].inputs[i] = other;
    return true;
}

static bool passed_on(struct rewriting *r)
{
    int value = pick_operand(r);
    return value != QD_NO_VALUE &&
           read_instead(r, value, add_node(r, 0, "Identity", &value, 1, NULL), 1);
}

static bool transposed_twice(struct rewriting *r)
{
    int value = pick_operand(r);
    if (value == QD_NO_VALUE || r->edit.values[value].tensor->rank < 2)
        return false;
    unsigned rank = r->edit.values[value].tensor->rank;
    int moved = transpose(r, 0, value, rank, false);
    return moved != QD_NO_VALUE && read_instead(r, value, transpose(r, 1, moved, rank, true), 2);
}

static bool reshaped_twice(struct rewriting *r)
{
    static const int64_t flat[] = {-1};
    int value = pick_operand(r);
    if (value == QD_NO_VALUE)
        return false;
    const struct qd_tensor *tensor = r->edit.values[value].tensor;
    int moved = reshape(r, 0, value, flat, 1);
    return moved != QD_NO_VALUE &&
           read_instead(r, value, reshape(r, 1, moved, tensor->dims, tensor->rank), 2);
}

/* Two halves and their concatenation. */
static bool split_and_joined(struct rewriting *r)
{
    int value = pick_operand(r);
    if (value == QD_NO_VALUE)
        return false;
    const struct qd_tensor *tensor = r->edit.values[value].tensor;
    unsigned axis = 0;
    while (axis < tensor->rank && tensor->dims[axis] % 2 != 0)
        axis++;
    const struct qd_attr along = {.name = "axis", .kind = QD_ATTR_INT, .i = axis},
                         two = {.name = "num_outputs", .kind = QD_ATTR_INT, .i = 2};
    int second = qd_case_edit_add_value(&r->edit, NULL, false);
    if (axis == tensor->rank || second == QD_NO_VALUE)
        return false;
    int first = add_node(r, 0, "Split", &value, 1, &along);
    if (first == QD_NO_VALUE ||
        (r->edit.opset >= 18 && !qd_case_edit_set_attr(&r->edit.nodes[0], &two)))
        return false;
    r->edit.nodes[0].outputs[r->edit.nodes[0].output_count++] = second;
    const int halves[] = {first, second};
    return read_instead(r, value, add_node(r, 1, "Concat", halves, 2, &along), 2);
}

/* Dequantizes codes and quantizes them again, with the parameters that node n reads them by. */
static bool code_again(struct rewriting *r, size_t n, size_t operand)
{
    const struct qd_case_edit_node *node = &r->edit.nodes[n];
    const struct qd_op *op = qd_op_find(node->domain, node->op_type);
    int codes = node->inputs[operand], in[3] = {codes, QD_NO_VALUE, QD_NO_VALUE};
    int scale = qd_op_parameter(op, (int)operand, QD_ROLE_SCALE),
        zero = qd_op_parameter(op, (int)operand, QD_ROLE_ZERO_POINT);
    if (codes == QD_NO_VALUE || !r->edit.values[codes].tensor || scale < 0 || zero < 0 ||
        (size_t)scale >= node->input_count || (size_t)zero >= node->input_count)
        return false;
    in[1] = node->inputs[scale];
    in[2] = node->inputs[zero];
    if (in[1] == QD_NO_VALUE || in[2] == QD_NO_VALUE || !r->edit.values[in[1]].tensor ||
        r->edit.values[in[1]].tensor->count != 1)
        return false;
    int number = add_node(r, 0, "DequantizeLinear", in, 3, NULL);
    in[0] = number;
    return number != QD_NO_VALUE &&
           read_instead(r, codes, add_node(r, 1, "QuantizeLinear", in, 3, NULL), 2);
}

static bool coded_again(struct rewriting *r)
{
    for (size_t n = 0; n < r->edit.node_count; n++)
        for (size_t i = 0; i < r->edit.nodes[n].input_count; i++)
            if (code_again(r, n, i))
                return true;
    return false;
}

/* --- Outputs -------------------------------------------------------------------------------------- */

static bool output_transposed(struct rewriting *r)
{
    unsigned rank = r->outputs[0].want.rank;
    int moved =
        rank < 2 ? QD_NO_VALUE : transpose(r, r->edit.node_count, r->edit.outputs[0], rank, false);
    if (moved != QD_NO_VALUE)
        r->edit.outputs[0] = moved;
    return moved != QD_NO_VALUE;
}

static bool add_output(struct rewriting *r, int value)
{
    if (value == QD_NO_VALUE || r->edit.output_count == QD_CASE_EDIT_MAX_OUTPUTS)
        return false;
    r->edit.outputs[r->edit.output_count++] = value;
    return true;
}

static bool output_read_too(struct rewriting *r)
{
    return add_output(r, add_node(r, r->edit.node_count, "Identity", &r->edit.outputs[0], 1, NULL));
}

static bool is_output(const struct rewriting *r, int value)
{
    for (size_t i = 0; i < r->edit.output_count; i++)
        if (r->edit.outputs[i] == value)
            return true;
    return false;
}

/* A value in between, an output too. */
static bool middle_is_output(struct rewriting *r)
{
    size_t count = r->edit.node_count,
           from = (size_t)qd_random_range(&r->random, 0, (int64_t)count - 1);
    for (size_t k = 0; k < count; k++) {
        int value = r->edit.nodes[(from + k) % count].outputs[0];
        if (value != QD_NO_VALUE && !is_output(r, value))
            return add_output(r, value);
    }
    return false;
}

/* --- Nodes ---------------------------------------------------------------------------------------- */

/* The node that makes the first output once more, and its first output as one more of the graph's. */
static struct qd_case_edit_node *repeat(struct rewriting *r)
{
    const struct qd_case_edit_node *last = qd_case_edit_producer(&r->edit, r->edit.outputs[0]);
    if (!last || last->output_count != 1)
        return NULL;
    struct qd_case_edit_node copy = *last;
    struct qd_case_edit_node *node =
        qd_case_edit_add_node(&r->edit, r->edit.node_count, copy.domain, copy.op_type);
    copy.outputs[0] = qd_case_edit_add_value(&r->edit, NULL, false);
    if (!node || !add_output(r, copy.outputs[0]))
        return NULL;
    *node = copy;
    return node;
}

static bool node_twice(struct rewriting *r)
{
    return repeat(r) != NULL;
}

static bool node_twice_otherwise(struct rewriting *r)
{
    struct qd_case_edit_node *node = repeat(r);
    const struct qd_op *op = node ? qd_op_find(node->domain, node->op_type) : NULL;
    for (size_t i = 0; op && i < node->input_count; i++) {
        int value = node->inputs[i];
        if (value == QD_NO_VALUE || !qd_op_is_parameter(op, i) || !r->edit.values[value].tensor ||
            r->edit.values[value].is_input)
            continue;
        struct qd_tensor *changed = qd_arena_alloc(r->edit.arena, sizeof *changed);
        if (!changed || !qd_other_parameter(qd_op_role(op, i), r->edit.values[value].tensor,
                                            r->edit.arena, changed))
            return false;
        node->inputs[i] = qd_case_edit_add_value(&r->edit, changed, false);
        return node->inputs[i] != QD_NO_VALUE;
    }
    return false;
}

/* --- The twin ------------------------------------------------------------------------------------- */

static const struct way {
    const char *word;
    bool (*rewrite)(struct rewriting *r);
} ways[] = {
    {"passed_on", passed_on},
    {"transposed_twice", transposed_twice},
    {"reshaped_twice", reshaped_twice},
    {"split_and_joined", split_and_joined},
    {"coded_again", coded_again},
    {"output_transposed", output_transposed},
    {"output_read_too", output_read_too},
    {"middle_is_output", middle_is_output},
    {"node_twice", node_twice},
    {"node_twice_otherwise", node_twice_otherwise},
};
enum { WAYS = sizeof ways / sizeof *ways };

const char *qd_rewritten_word(size_t i)
{
    return i < WAYS ? ways[i].word : NULL;
}

/* What every backend moves and quantizes: others refuse the nodes that are added where they take the case. */
static bool is_common(enum qd_dtype dtype)
{
    return dtype == QD_F32 || dtype == QD_U8 || dtype == QD_S8;
}

/* Whether all numbers that the case computes with, and what comes out, are of such types. */
static bool is_of_common_types(const struct qd_case *kase, const struct qd_value *outputs)
{
    for (size_t v = 0; v < kase->graph->value_count; v++) {
        const struct qd_tensor *tensor = kase->graph->values[v].initializer;
        if (tensor && qd_is_read_as_numbers(kase->graph, (int)v) && !is_common(tensor->dtype))
            return false;
    }
    for (size_t i = 0; i < kase->input_count; i++)
        if (!is_common(kase->inputs[i].dtype) &&
            qd_is_read_as_numbers(kase->graph, kase->graph->inputs[i]))
            return false;
    for (size_t i = 0; i < kase->graph->output_count; i++)
        if (!is_common(outputs[i].want.dtype) && outputs[i].want.dtype != QD_S32)
            return false;
    return true;
}

/* The twin of one way; *made stays false where it does not fit. */
static enum qd_status try(struct rewriting *r, const struct way *way, bool *made,
                          struct qd_case *twin)
{
    struct qd_arena *arena = r->edit.arena;
    enum qd_status status = qd_case_edit_begin(r->kase, arena, &r->edit, r->error);
    if (status != QD_OK || !way->rewrite(r))
        return status;
    status = qd_twin_finish(&r->edit, r->kase, way->word, "without rewriting", twin, r->error);
    *made = status == QD_OK && qd_twin_is_valid(twin->graph, twin->inputs, arena);
    return status == QD_INVALID || status == QD_UNSUPPORTED ? QD_OK : status;
}

enum qd_status qd_rewritten_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                 struct qd_case *twin, struct qd_error *error)
{
    struct rewriting r = {.edit = {.arena = arena},
                          .kase = kase,
                          .random = qd_random_seed(kase->id, 2),
                          .error = error};
    struct qd_value *outputs;
    const struct qd_tensor *shapes;
    struct qd_error refusal;
    enum qd_status status = QD_OK;
    *made = false;
    if (!qd_twin_is_picked(kase, &r.random) ||
        qd_graph_answer(kase->graph, kase->inputs, arena, &outputs, &shapes, &refusal) != QD_OK ||
        !is_of_common_types(kase, outputs))
        return QD_OK;
    r.outputs = outputs;
    size_t first = qd_random_next(&r.random) % WAYS;
    for (size_t i = 0; i < WAYS && !*made && status == QD_OK; i++)
        status = try(&r, &ways[(first + i) % WAYS], made, twin);
    return status;
}
