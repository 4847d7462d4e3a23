/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a network into units: nodes, and Q/DQ blocks. */
#include "qdiff/units.h"

#include <stdlib.h>
#include <string.h>

#include "qdiff/evaluate.h"

struct cutter {
    const struct qd_network *network;
    struct qd_arena *arena;
    struct qd_error *error;
    bool *fed;    /* per node: a float operator that reads dequantized values only */
    size_t *size; /* per node: nodes of the block that ends here */
    enum reading { UNREAD, INSIDE, OUTSIDE } * reading; /* per node: where it is read */
    int *seen;                                          /* per node: the unit that has it already */
    int *nodes;                                         /* of the unit under way */
    size_t node_count;
};

static bool is_op(const struct qd_network_node *node, const char *name)
{
    return strcmp(node->op_type, name) == 0 &&
           (*node->domain == '\0' || strcmp(node->domain, "com.microsoft") == 0);
}

static bool is_constant_node(const struct qd_network *network, const struct qd_network_node *node)
{
    return node->output_count == 1 && node->outputs[0] != QD_NO_VALUE &&
           network->values[node->outputs[0]].is_constant;
}

static enum qd_status no_room(const struct cutter *c)
{
    return qd_fail(c->error, QD_NO_MEMORY, "%s: no room for its units", c->network->path);
}

/* --- What may lie inside a block -------------------------------------------------------------- */

/* A value that does not end a block: dequantized, or a float that one node reads. */
static bool is_inner(const struct cutter *c, int value)
{
    const struct qd_network_value *v = &c->network->values[value];
    if (v->producer < 0 || v->is_constant)
        return false;
    if (is_op(&c->network->nodes[v->producer], "DequantizeLinear"))
        return true;
    return c->fed[v->producer] && v->readers == 1 && !v->is_output &&
           c->size[v->producer] < QD_UNIT_MOST_NODES &&
           c->network->nodes[v->producer].output_count == 1;
}

/* Whether everything that the node reads at run time is inside a block. */
static bool is_fed(const struct cutter *c, const struct qd_network_node *node)
{
    bool some = false;
    if (node->capture_count > 0 || is_op(node, "DequantizeLinear") || is_op(node, "QuantizeLinear"))
        return false;
    for (size_t i = 0; i < node->input_count; i++) {
        int value = node->inputs[i];
        if (value == QD_NO_VALUE || c->network->values[value].is_constant)
            continue;
        if (!is_inner(c, value))
            return false;
        some = true;
    }
    return some;
}

/* Whether the block of the input goes on in the node. */
static bool continues(const struct cutter *c, int node, size_t input)
{
    const struct qd_network_node *reader = &c->network->nodes[node];
    int value = reader->inputs[input];
    if (value == QD_NO_VALUE || !is_inner(c, value))
        return false;
    return c->fed[node] || (is_op(reader, "QuantizeLinear") && input == 0);
}

static size_t size_of(const struct cutter *c, int node)
{
    size_t size = 1;
    for (size_t i = 0; i < c->network->nodes[node].input_count; i++)
        if (continues(c, node, i))
            size += c->size[c->network->values[c->network->nodes[node].inputs[i]].producer];
    return size;
}

/* Where the outputs of each node are read: INSIDE if every reader goes on with its block. */
static void find_readers(struct cutter *c)
{
    for (size_t n = 0; n < c->network->node_count; n++) {
        const struct qd_network_node *node = &c->network->nodes[n];
        for (size_t i = 0; i < node->input_count + node->capture_count; i++) {
            bool operand = i < node->input_count;
            int value = operand ? node->inputs[i] : node->captures[i - node->input_count];
            int producer = value == QD_NO_VALUE ? -1 : c->network->values[value].producer;
            if (producer < 0)
                continue;
            if (!operand || !continues(c, (int)n, i))
                c->reading[producer] = OUTSIDE;
            else if (c->reading[producer] == UNREAD)
                c->reading[producer] = INSIDE;
        }
    }
}

/* Whether the node gives a unit's outputs: they are read outside of its block, or by nobody, or are graph outputs. */
static bool is_root(const struct cutter *c, size_t n)
{
    const struct qd_network_node *node = &c->network->nodes[n];
    bool outside = c->reading[n] != INSIDE;
    for (size_t i = 0; i < node->output_count; i++)
        outside = outside || (node->outputs[i] != QD_NO_VALUE &&
                              c->network->values[node->outputs[i]].is_output);
    return outside && !is_constant_node(c->network, node);
}

/* --- Units ------------------------------------------------------------------------------------ */

/* The node and what its block is made of: blocks are at most QD_UNIT_MOST_NODES deep. */
static void gather(struct cutter *c, int node, int mark)
{
    if (c->seen[node] == mark)
        return;
    c->seen[node] = mark;
    for (size_t i = 0; i < c->network->nodes[node].input_count; i++)
        if (continues(c, node, i))
            gather(c, c->network->values[c->network->nodes[node].inputs[i]].producer, mark);
    c->nodes[c->node_count++] = node;
}

static int compare(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static bool holds(const int *list, size_t count, int wanted)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == wanted)
            return true;
    return false;
}

/* Values that the nodes read and do not compute. */
static enum qd_status find_inputs(const struct qd_network *network, struct qd_unit *unit,
                                  struct qd_arena *arena, struct qd_error *error)
{
    size_t room = 0, count = 0;
    for (size_t i = 0; i < unit->node_count; i++)
        room += network->nodes[unit->nodes[i]].input_count +
                network->nodes[unit->nodes[i]].capture_count;
    int *inputs = qd_arena_array(arena, room, sizeof *inputs);
    if (!inputs)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its units", network->path);
    for (size_t i = 0; i < unit->node_count; i++) {
        const struct qd_network_node *node = &network->nodes[unit->nodes[i]];
        for (size_t j = 0; j < node->input_count + node->capture_count; j++) {
            int value =
                j < node->input_count ? node->inputs[j] : node->captures[j - node->input_count];
            if (value == QD_NO_VALUE || network->values[value].is_constant ||
                bsearch(&network->values[value].producer, unit->nodes, unit->node_count,
                        sizeof *unit->nodes, compare) ||
                holds(inputs, count, value))
                continue;
            inputs[count++] = value;
        }
    }
    unit->inputs = inputs;
    unit->input_count = count;
    return QD_OK;
}

/* Outputs of the node that somebody reads; all of them if nobody does. */
static enum qd_status find_outputs(const struct qd_network *network, struct qd_unit *unit,
                                   struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_network_node *root = &network->nodes[unit->root];
    int *outputs = qd_arena_array(arena, root->output_count, sizeof *outputs);
    if (!outputs)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its units", network->path);
    for (int all = 0; all < 2 && unit->output_count == 0; all++)
        for (size_t i = 0; i < root->output_count; i++) {
            int value = root->outputs[i];
            if (value != QD_NO_VALUE &&
                (all || network->values[value].readers > 0 || network->values[value].is_output))
                outputs[unit->output_count++] = value;
        }
    unit->outputs = outputs;
    return QD_OK;
}

static enum qd_status finish(const struct qd_network *network, struct qd_unit *unit,
                             struct qd_arena *arena, struct qd_error *error)
{
    enum qd_status status = find_inputs(network, unit, arena, error);
    return status == QD_OK ? find_outputs(network, unit, arena, error) : status;
}

enum qd_status qd_unit_of_node(const struct qd_network *network, int node, struct qd_arena *arena,
                               struct qd_unit *unit, struct qd_error *error)
{
    int *nodes = qd_arena_copy(arena, &node, sizeof node);
    if (!nodes)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its units", network->path);
    struct qd_unit made = {.root = node, .node_count = 1, .nodes = nodes};
    enum qd_status status = finish(network, &made, arena, error);
    if (status == QD_OK)
        *unit = made;
    return status;
}

static enum qd_status make_unit(struct cutter *c, int root, struct qd_unit *unit)
{
    c->node_count = 0;
    gather(c, root, root);
    qsort(c->nodes, c->node_count, sizeof *c->nodes, compare);
    struct qd_unit made = {.root = root, .node_count = c->node_count};
    made.nodes = qd_arena_copy(c->arena, c->nodes, c->node_count * sizeof *c->nodes);
    if (!made.nodes)
        return no_room(c);
    enum qd_status status = finish(c->network, &made, c->arena, c->error);
    if (status == QD_OK)
        *unit = made;
    return status;
}

enum qd_status qd_units_find(const struct qd_network *network, struct qd_arena *arena,
                             const struct qd_unit **units, size_t *count, struct qd_error *error)
{
    size_t nodes = network->node_count, made_count = 0;
    struct cutter c = {.network = network, .arena = arena, .error = error};
    struct qd_unit *made = qd_arena_array(arena, nodes, sizeof *made);
    c.fed = qd_arena_array(arena, nodes, sizeof *c.fed);
    c.size = qd_arena_array(arena, nodes, sizeof *c.size);
    c.reading = qd_arena_array(arena, nodes, sizeof *c.reading);
    c.seen = qd_arena_array(arena, nodes, sizeof *c.seen);
    c.nodes = qd_arena_array(arena, nodes, sizeof *c.nodes);
    if (!made || !c.fed || !c.size || !c.reading || !c.seen || !c.nodes)
        return no_room(&c);
    for (size_t n = 0; n < nodes; n++) {
        c.fed[n] = is_fed(&c, &network->nodes[n]);
        c.size[n] = size_of(&c, (int)n);
        c.seen[n] = -1;
    }
    find_readers(&c);
    enum qd_status status = QD_OK;
    for (size_t n = 0; n < nodes && status == QD_OK; n++)
        if (is_root(&c, n))
            status = make_unit(&c, (int)n, &made[made_count++]);
    if (status != QD_OK)
        return status;
    *units = made;
    *count = made_count;
    return QD_OK;
}

/* --- Joining ---------------------------------------------------------------------------------- */

/* Whether a node outside of the units, in one that is not among them, reads the value. */
static bool is_read_outside(const struct qd_network *network, const int *nodes, size_t count,
                            int value)
{
    for (size_t n = 0; n < network->node_count; n++) {
        const struct qd_network_node *node = &network->nodes[n];
        int number = (int)n;
        if (!holds(node->inputs, node->input_count, value) &&
            !holds(node->captures, node->capture_count, value))
            continue;
        if (!bsearch(&number, nodes, count, sizeof *nodes, compare))
            return true;
    }
    return false;
}

enum qd_status qd_unit_join(const struct qd_network *network, const struct qd_unit *units,
                            size_t count, struct qd_arena *arena, struct qd_unit *joined,
                            struct qd_error *error)
{
    size_t room = 0, node_count = 0, output_room = 0;
    for (size_t i = 0; i < count; i++) {
        room += units[i].node_count;
        output_room += units[i].output_count;
    }
    int *nodes = qd_arena_array(arena, room, sizeof *nodes);
    int *outputs = qd_arena_array(arena, output_room, sizeof *outputs);
    if (!nodes || !outputs)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its units", network->path);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < units[i].node_count; j++)
            nodes[node_count++] = units[i].nodes[j];
    qsort(nodes, node_count, sizeof *nodes, compare);
    size_t kept = 0;
    for (size_t i = 0; i < node_count; i++)
        if (i == 0 || nodes[i] != nodes[kept - 1])
            nodes[kept++] = nodes[i];
    struct qd_unit made = {.root = units[count - 1].root, .node_count = kept, .nodes = nodes};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < units[i].output_count; j++) {
            int value = units[i].outputs[j];
            if (network->values[value].is_output || i + 1 == count ||
                is_read_outside(network, nodes, kept, value))
                outputs[made.output_count++] = value;
        }
    made.outputs = outputs;
    enum qd_status status = find_inputs(network, &made, arena, error);
    if (status == QD_OK)
        *joined = made;
    return status;
}

/* --- Quantized -------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_quantized(const struct qd_network_node *node)
{
    const char *name = node->op_type;
    if (is_op(node, "QuantizeLinear") || is_op(node, "DequantizeLinear") ||
        starts(name, "QLinear") || starts(name, "DynamicQuantize") ||
        strcmp(name, "ConvInteger") == 0 || strcmp(name, "MatMulInteger") == 0)
        return true;
    if (node->op)
        return qd_op_operand(node->op, QD_ROLE_SCALE) != QD_NO_OPERAND;
    return strcmp(node->domain, "com.microsoft") == 0 &&
           (name[0] == 'Q' || strstr(name, "NBits") || strstr(name, "Bnb4"));
}

bool qd_unit_is_quantized(const struct qd_network *network, const struct qd_unit *unit)
{
    for (size_t i = 0; i < unit->node_count; i++)
        if (is_quantized(&network->nodes[unit->nodes[i]]))
            return true;
    return false;
}
