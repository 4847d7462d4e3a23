/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "step-before-sum-clipped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"
#include "quirk/marked.h"
#include "quirk/range.h"

static const char mark[] = "(clipped)";

enum { X, MIN, MAX, OPERANDS };
enum { LOW, HIGH, NUMBERS };

static bool is_convolved(const struct qd_rewrite *made, int value)
{
    const struct qd_node *relu = qd_rewrite_producer(made, value, "Relu");
    return qd_rewrite_producer(made, relu ? qd_node_input(relu, X) : value, "Conv") != NULL;
}

/* What one kernel cuts to the range: the number that operand i of the sum is before it is quantized. */
static bool clip(struct qd_rewrite *made, const struct qd_node *sum, size_t i)
{
    int value = qd_node_input(sum, i);
    struct qd_steps steps;
    const struct qd_node *back = qd_rewrite_producer(made, value, "DequantizeLinear");
    const struct qd_node *code =
        back ? qd_rewrite_producer(made, qd_node_input(back, X), "QuantizeLinear") : NULL;
    if (!code || !is_convolved(made, qd_node_input(code, X)) || qd_rewrite_uses(made, value) > 1 ||
        qd_rewrite_uses(made, qd_node_output(code, 0)) > 1 ||
        !qd_rewrite_steps(made, sum, i, true, &steps))
        return false;
    struct qd_range_of_codes range =
        qd_range_of(qd_rewrite_dtype(made, qd_node_output(code, 0)), steps.scale, steps.zero);
    const float numbers[NUMBERS] = {range.low, range.high};
    qd_rewrite_operand(made, back, X, qd_node_input(code, X));
    qd_mark_numbers(made, back, mark, numbers, NUMBERS);
    return true;
}

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    if (qd_node_is(node, "Add") && !clip(made, node, 0))
        clip(made, node, 1);
}

QD_REWRITE_BY(visit)

static void put(struct qd_edit *edit, int i, float number)
{
    struct qd_tensor *end = qd_edit_new(edit, i, QD_F32, 0, NULL);
    if (end)
        qd_tensor_set(end, 0, (int64_t)qd_float_encode(QD_F32, (double)number, false));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float ends[NUMBERS];
    struct qd_edit edit;
    if (!qd_marked_numbers(node, mark, ends, NUMBERS))
        return qd_override_node(evaluation, self->next, node, in, out);
    qd_edit_begin(&edit, evaluation, node, in);
    edit.node.op_type = "Clip";
    edit.node.op = qd_op_find("", "Clip");
    edit.node.input_count = OPERANDS;
    edit.node.attr_count = 0;
    put(&edit, MIN, ends[LOW]);
    put(&edit, MAX, ends[HIGH]);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_step_before_sum_clipped = {.graph = rewrite, .node = evaluate};
