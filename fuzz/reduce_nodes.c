/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce_steps.h"

#include <string.h>

/* --- Helpers ------------------------------------------------------------------------------------ */

static bool is_output(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->output_count; i++)
        if (edit->outputs[i] == value)
            return true;
    return false;
}

static bool is_read(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->node_count; i++)
        for (size_t j = 0; j < edit->nodes[i].input_count; j++)
            if (edit->nodes[i].inputs[j] == value)
                return true;
    return is_output(edit, value);
}

static bool is_needed(const struct qd_case_edit *edit, const struct qd_case_edit_node *node)
{
    for (size_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != QD_NO_VALUE && is_read(edit, node->outputs[i]))
            return true;
    return false;
}

void qd_reduce_prune(struct qd_case_edit *edit)
{
    for (size_t i = edit->node_count; i-- > 0;) /* readers come after */
        if (!is_needed(edit, &edit->nodes[i]))
            qd_case_edit_remove_node(edit, i);
}

/* --- Outputs and the tail ----------------------------------------------------------------------- */

enum qd_step qd_reduce_outputs(struct qd_reduce_view *view, struct qd_case_edit *edit,
                               size_t number)
{
    (void)view;
    if (edit->output_count < 2 || number >= edit->output_count)
        return QD_STEP_END;
    edit->output_count--;
    memmove(&edit->outputs[number], &edit->outputs[number + 1],
            (edit->output_count - number) * sizeof *edit->outputs);
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}

/* Values that nodes before the last compute; the first of them leaves the least. */
enum qd_step qd_reduce_tail(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    (void)view;
    if (number + 1 >= edit->node_count)
        return QD_STEP_END;
    int value = edit->nodes[number].outputs[0];
    if (value == QD_NO_VALUE || (edit->output_count == 1 && edit->outputs[0] == value))
        return QD_STEP_SKIP;
    edit->outputs[0] = value;
    edit->output_count = 1;
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}

/* --- The head ----------------------------------------------------------------------------------- */

/* The canonical tensor of the graph's output for these inputs; NULL if it has none. */
static const struct qd_tensor *answer(const struct qd_case *cut, const struct qd_tensor *inputs,
                                      struct qd_arena *arena)
{
    struct qd_error error;
    struct qd_value *made = qd_arena_alloc(arena, sizeof *made);
    if (!made || qd_graph_evaluate(cut->graph, inputs, NULL, arena, made, &error) != QD_OK)
        return NULL;
    for (int64_t i = 0; made->flags && i < made->want.count; i++)
        if (made->flags[i] & (QD_UNSPECIFIED | QD_NO_CANONICAL))
            return NULL;
    return &made->want;
}

/* A computed value: of the case, and of its steps with the same model. */
struct computed {
    const struct qd_tensor *tensor;
    struct qd_tensor of_steps[QD_CASE_MAX_STEPS];
    uint32_t open_axes; /* along which these have other lengths */
};

static bool compute(const struct qd_case *kase, int value, struct qd_arena *arena,
                    struct computed *made)
{
    struct qd_case_edit edit;
    struct qd_case cut;
    struct qd_error error;
    if (qd_case_edit_begin(kase, arena, &edit, &error) != QD_OK)
        return false;
    edit.outputs[0] = value;
    edit.output_count = 1;
    qd_reduce_prune(&edit);
    if (qd_case_edit_finish(&edit, "cut", false, &cut, &error) != QD_OK)
        return false;
    made->tensor = answer(&cut, cut.inputs, arena);
    made->open_axes = 0;
    for (size_t i = 0; made->tensor && i < cut.step_count; i++) {
        if (cut.steps[i].model_size > 0 || cut.steps[i].runs == 0)
            continue;
        const struct qd_tensor *of_step = answer(&cut, cut.steps[i].inputs, arena);
        if (!of_step || of_step->rank != made->tensor->rank)
            return false;
        made->of_steps[i] = *of_step;
        for (unsigned axis = 0; axis < of_step->rank; axis++)
            made->open_axes |= (uint32_t)(of_step->dims[axis] != made->tensor->dims[axis]) << axis;
    }
    return made->tensor != NULL;
}

/* The last node's inputs come first: they cut off most. */
enum qd_step qd_reduce_head(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    struct computed computed;
    if (number + 1 >= edit->node_count)
        return QD_STEP_END;
    int value = edit->nodes[edit->node_count - 2 - number].outputs[0];
    if (value == QD_NO_VALUE || is_output(edit, value) ||
        !compute(view->kase, value, edit->arena, &computed))
        return QD_STEP_SKIP;
    int fed = qd_case_edit_add_value(edit, computed.tensor, true);
    if (fed == QD_NO_VALUE || !qd_reduce_feed_steps(edit, &edit->values[fed], computed.of_steps))
        return QD_STEP_SKIP;
    edit->values[fed].open_axes = computed.open_axes;
    qd_case_edit_replace(edit, value, fed);
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}

enum qd_step qd_reduce_bypass(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    (void)view;
    if (edit->node_count < 2 || number >= edit->node_count)
        return QD_STEP_END;
    const struct qd_case_edit_node *node = &edit->nodes[number];
    int from = node->outputs[0], to = node->input_count > 0 ? node->inputs[0] : QD_NO_VALUE;
    if (from == QD_NO_VALUE || to == QD_NO_VALUE)
        return QD_STEP_SKIP;
    qd_case_edit_replace(edit, from, to);
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}

/* --- Operands ----------------------------------------------------------------------------------- */

/* One input stays: a graph without any is another way through most runtimes. */
enum qd_step qd_reduce_constants(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                 size_t number)
{
    const struct qd_graph *graph = view->kase->graph;
    if (graph->input_count < 2 || number >= graph->input_count)
        return QD_STEP_END;
    edit->values[graph->inputs[graph->input_count - 1 - number]].is_input = false;
    return QD_STEP_TRY;
}

static const struct qd_op *op_of(const struct qd_case_edit_node *node)
{
    return qd_op_find(node->domain, node->op_type);
}

enum qd_step qd_reduce_optional(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                size_t number)
{
    (void)view;
    size_t at = number / QD_MAX_OPERANDS, operand = number % QD_MAX_OPERANDS;
    if (at >= edit->node_count)
        return QD_STEP_END;
    struct qd_case_edit_node *node = &edit->nodes[at];
    const struct qd_op *op = op_of(node);
    bool absent = operand >= node->input_count || node->inputs[operand] == QD_NO_VALUE;
    if (!op || op->variadic || absent ||
        (operand < op->min_inputs && !(op->optional >> operand & 1)))
        return QD_STEP_SKIP;
    node->inputs[operand] = QD_NO_VALUE;
    while (node->input_count > op->min_inputs && node->inputs[node->input_count - 1] == QD_NO_VALUE)
        node->input_count--;
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}

/* Where what repeats begins among the operands, and how many belong together. */
static void find_repeated(const struct qd_op *op, size_t *first, size_t *size)
{
    const char *star = op->operands ? strchr(op->operands, '*') : NULL;
    *first = 0;
    *size = 1;
    for (const char *at = op->operands; star && *at; at++) {
        *first += *at == ',' && at < star;
        *size += *at == ',' && at > star;
    }
}

enum qd_step qd_reduce_variadic(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                size_t number)
{
    (void)view;
    size_t at = number / QD_MAX_OPERANDS, first, size;
    if (at >= edit->node_count)
        return QD_STEP_END;
    struct qd_case_edit_node *node = &edit->nodes[at];
    const struct qd_op *op = op_of(node);
    if (!op || !op->variadic || op->outputs > 1)
        return QD_STEP_SKIP;
    find_repeated(op, &first, &size);
    size_t begin = first + number % QD_MAX_OPERANDS * size;
    if (begin + size > node->input_count || first + 2 * size > node->input_count)
        return QD_STEP_SKIP;
    node->input_count -= size;
    memmove(&node->inputs[begin], &node->inputs[begin + size],
            (node->input_count - begin) * sizeof *node->inputs);
    qd_reduce_prune(edit);
    return QD_STEP_TRY;
}
