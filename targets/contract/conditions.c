/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that are wrong under a condition: contract_rules.def says which. */
#include <math.h>

#include "contract/confusion.h"

#define CONDITION(name)                                 \
    static bool name(const struct qd_confusion *c);     \
    void qd_rule_##name(struct qd_confusion *confusion) \
    {                                                   \
        if (name(confusion))                            \
            qd_confuse_grossly(confusion);              \
    }                                                   \
    static bool name(const struct qd_confusion *c)

/* --- Shapes -------------------------------------------------------------------------------------- */

/* The operand, NULL if it is absent. */
static const struct qd_tensor *tensor(const struct qd_confusion *c)
{
    int place = c->mutant->place;
    return place >= 0 && c->edit.in[place] ? &c->edit.in[place]->want : NULL;
}

/* The operand if it has an axis. */
static const struct qd_tensor *shaped(const struct qd_confusion *c)
{
    const struct qd_tensor *t = tensor(c);
    return t && t->rank > 0 ? t : NULL;
}

CONDITION(when_rank)
{
    return tensor(c) && tensor(c)->rank == c->mutant->n;
}

CONDITION(when_some_size)
{
    const struct qd_tensor *t = tensor(c);
    bool has = false;
    for (unsigned i = 0; t && i < t->rank; i++)
        has = has || t->dims[i] == c->mutant->n;
    return has;
}

CONDITION(when_first_size)
{
    return shaped(c) && shaped(c)->dims[0] == c->mutant->n;
}

CONDITION(when_last_size)
{
    return shaped(c) && shaped(c)->dims[shaped(c)->rank - 1] == c->mutant->n;
}

CONDITION(when_batch)
{
    return shaped(c) && shaped(c)->dims[0] > 1;
}

CONDITION(when_odd)
{
    const struct qd_tensor *t = shaped(c);
    return t && t->dims[t->rank - 1] > 1 && t->dims[t->rank - 1] % 2 == 1;
}

CONDITION(when_even)
{
    const struct qd_tensor *t = shaped(c);
    bool even = t != NULL;
    for (unsigned i = 0; t && i < t->rank; i++)
        even = even && t->dims[i] % 2 == 0;
    return even;
}

CONDITION(when_count_one)
{
    return tensor(c) && tensor(c)->count == 1;
}

CONDITION(when_count_many)
{
    return tensor(c) && tensor(c)->count > 1;
}

/* --- Where it comes from ------------------------------------------------------------------------- */

/* The number of operand i's value in the graph, QD_NO_VALUE if it is absent. */
static int value_of(const struct qd_confusion *c, int i)
{
    const struct qd_node *node = &c->edit.node;
    return i >= 0 && (size_t)i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

CONDITION(when_initializer)
{
    int value = value_of(c, c->mutant->place);
    return value != QD_NO_VALUE && c->graph->values[value].initializer;
}

CONDITION(when_computed)
{
    int value = value_of(c, c->mutant->place);
    return value != QD_NO_VALUE && qd_graph_producer(c->graph, value) >= 0;
}

CONDITION(when_input)
{
    return value_of(c, c->mutant->place) != QD_NO_VALUE && !when_initializer(c) &&
           !when_computed(c);
}

CONDITION(when_same)
{
    int value = value_of(c, c->mutant->place);
    return value != QD_NO_VALUE && value == value_of(c, c->mutant->other);
}

CONDITION(when_present)
{
    return c->mutant->attribute ? qd_node_attr(&c->edit.node, c->mutant->attribute) != NULL
                                : tensor(c) != NULL;
}

CONDITION(when_absent)
{
    return !when_present(c);
}

/* --- Parameters ---------------------------------------------------------------------------------- */

/* The parameter's elements all are `code`; false for floats. */
static bool all_are(const struct qd_confusion *c, int64_t code)
{
    const struct qd_tensor *t = tensor(c);
    bool all = t && t->count > 0 && qd_dtype_is_integer(t->dtype);
    for (int64_t i = 0; all && i < t->count; i++)
        all = qd_tensor_get(t, i) == code;
    return all;
}

CONDITION(when_least)
{
    return tensor(c) && all_are(c, qd_dtype_info(tensor(c)->dtype)->min);
}

CONDITION(when_largest)
{
    return tensor(c) && all_are(c, qd_dtype_info(tensor(c)->dtype)->max);
}

CONDITION(when_zero)
{
    return all_are(c, 0);
}

CONDITION(when_power)
{
    const struct qd_tensor *t = tensor(c);
    bool all = t && t->count > 0;
    for (int64_t i = 0; all && i < t->count; i++) {
        int exponent;
        all = fabs(frexp(qd_tensor_value(t, i), &exponent)) == 0.5;
    }
    return all;
}

CONDITION(when_no_power)
{
    return tensor(c) && !when_power(c);
}

/* --- The node ------------------------------------------------------------------------------------ */

CONDITION(when_opset)
{
    return c->mutant->n <= c->edit.node.opset && c->edit.node.opset <= c->mutant->last;
}

/* Of what there may be many: inputs, or outputs. */
CONDITION(when_operands)
{
    const struct qd_node *node = &c->edit.node;
    size_t count =
        node->op->max_inputs > node->op->outputs ? node->input_count : node->output_count;
    return (int64_t)count >= c->mutant->n;
}

/* How often the node's first output is read by nodes of the graph; *shown: it is an output of the graph. */
static size_t reads(const struct qd_confusion *c, bool *shown)
{
    const struct qd_graph *graph = c->graph;
    int value = c->edit.node.outputs[0];
    size_t count = 0;
    *shown = false;
    for (size_t i = 0; i < graph->node_count; i++)
        for (size_t k = 0; k < graph->nodes[i].input_count; k++)
            count += graph->nodes[i].inputs[k] == value;
    for (size_t i = 0; i < graph->output_count; i++)
        *shown = *shown || graph->outputs[i] == value;
    return value == QD_NO_VALUE ? 0 : count;
}

CONDITION(when_shared_output)
{
    bool shown;
    return reads(c, &shown) + shown > 1;
}

CONDITION(when_graph_output)
{
    bool shown;
    reads(c, &shown);
    return shown;
}
