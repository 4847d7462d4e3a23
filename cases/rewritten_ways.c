/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which graphs are rewritten. */
#include "rewritten_ways.h"

#include <math.h>
#include <string.h>

#include "families/maker.h"
#include "qdiff/answer.h"
#include "twin.h"

/* --- The case ------------------------------------------------------------------------------------- */

/* The first output that the reference computes of the case; NULL if it does not. */
static const struct qd_tensor *first_output(struct qd_rewriting *r)
{
    struct qd_value *values;
    const struct qd_tensor *shapes;
    struct qd_error error;
    if (!r->output && qd_graph_answer(r->kase->graph, r->kase->inputs, r->edit.arena, &values,
                                      &shapes, &error) == QD_OK)
        r->output = &values[0].want;
    return r->output;
}

/* The rank of that output; -1 if the reference does not compute it. */
static int output_rank(struct qd_rewriting *r)
{
    const struct qd_graph *graph = r->kase->graph;
    int declared = graph->values[graph->outputs[0]].declared_rank;
    const struct qd_tensor *output = declared < 0 ? first_output(r) : NULL;
    return output ? (int)output->rank : declared;
}

/* --- Pieces --------------------------------------------------------------------------------------- */

/* A node of one output, at `at`; its output, QD_NO_VALUE where there is no room. */
static int add_node(struct qd_rewriting *r, size_t at, const char *op_type, const int *inputs,
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
static int add_list(struct qd_rewriting *r, const int64_t *list, int64_t count)
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
static int transpose(struct qd_rewriting *r, size_t at, int value, unsigned rank, bool back)
{
    int64_t *perm = qd_arena_array(r->edit.arena, rank, sizeof *perm);
    for (unsigned i = 0; perm && i < rank; i++)
        perm[i] = (i + (back ? rank - 1 : 1)) % rank;
    const struct qd_attr attr = {.name = "perm", .kind = QD_ATTR_INTS, .count = rank, .ints = perm};
    return perm ? add_node(r, at, "Transpose", &value, 1, &attr) : QD_NO_VALUE;
}

static int reshape(struct qd_rewriting *r, size_t at, int value, const int64_t *dims, unsigned rank)
{
    const int operands[] = {value, add_list(r, dims, rank)};
    return operands[1] == QD_NO_VALUE ? QD_NO_VALUE : add_node(r, at, "Reshape", operands, 2, NULL);
}

/* A constant that is a scale or zero point, but another. */
static int add_other_parameter(struct qd_rewriting *r, enum qd_role role, int value)
{
    struct qd_tensor *changed = qd_arena_alloc(r->edit.arena, sizeof *changed);
    if (!changed ||
        !qd_other_parameter(role, 2, r->edit.values[value].tensor, r->edit.arena, changed))
        return QD_NO_VALUE;
    return qd_case_edit_add_value(&r->edit, changed, false);
}

/* --- Operands ------------------------------------------------------------------------------------- */

/* Constants and inputs that are numbers wherever they are read. */
static int pick_operand(struct qd_rewriting *r)
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
static bool read_instead(struct qd_rewriting *r, int value, int other, size_t own)
{
    if (other == QD_NO_VALUE)
        return false;
    for (size_t n = own; n < r->edit.node_count; n++)
        for (size_t i = 0; i < r->edit.nodes[n].input_count; i++)
            if (r->edit.nodes[n].inputs[i] == value)
                r->edit.nodes[n].inputs[i] = other;
    return true;
}

static bool passed_on(struct qd_rewriting *r)
{
    int value = pick_operand(r);
    return value != QD_NO_VALUE &&
           read_instead(r, value, add_node(r, 0, "Identity", &value, 1, NULL), 1);
}

static bool transposed_twice(struct qd_rewriting *r)
{
    int value = pick_operand(r);
    if (value == QD_NO_VALUE || r->edit.values[value].tensor->rank < 2)
        return false;
    unsigned rank = r->edit.values[value].tensor->rank;
    int moved = transpose(r, 0, value, rank, false);
    return moved != QD_NO_VALUE && read_instead(r, value, transpose(r, 1, moved, rank, true), 2);
}

static bool reshaped_twice(struct qd_rewriting *r)
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

/* The last three axes rotated three times: any two of the nodes next to each other look as if they undid each other. */
static bool rotated_thrice(struct qd_rewriting *r)
{
    int value = pick_operand(r), moved = value;
    unsigned rank = value == QD_NO_VALUE ? 0 : r->edit.values[value].tensor->rank;
    int64_t perm[QD_MAX_RANK];
    for (unsigned i = 0; i < rank; i++)
        perm[i] = i + 3 < rank ? i : i + 1 < rank ? i + 1 : rank - 3;
    const struct qd_attr attr = {.name = "perm",
                                 .kind = QD_ATTR_INTS,
                                 .count = rank,
                                 .ints = qd_arena_copy(r->edit.arena, perm, rank * sizeof *perm)};
    if (rank < 3 || !attr.ints)
        return false;
    for (size_t i = 0; i < 3 && moved != QD_NO_VALUE; i++)
        moved = add_node(r, i, "Transpose", &moved, 1, &attr);
    return read_instead(r, value, moved, 3);
}

/* Two halves and their concatenation. */
static bool split_and_joined(struct qd_rewriting *r)
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

/* Quantized numbers need a newer opset than float ones. */
static void raise_opset(struct qd_rewriting *r)
{
    r->edit.opset = r->edit.opset < 13 ? 13 : r->edit.opset;
}

/* The codes, the scale and the zero point that node n reads an operand by, where one of each is for the whole tensor
 * and the case holds codes and scale. */
static bool find_codes(const struct qd_rewriting *r, size_t n, size_t operand, int found[3])
{
    const struct qd_case_edit_node *node = &r->edit.nodes[n];
    const struct qd_op *op = qd_op_find(node->domain, node->op_type);
    int scale = qd_op_parameter(op, (int)operand, QD_ROLE_SCALE),
        zero = qd_op_parameter(op, (int)operand, QD_ROLE_ZERO_POINT);
    if (scale < 0 || zero < 0 || (size_t)scale >= node->input_count ||
        (size_t)zero >= node->input_count)
        return false;
    const int operands[3] = {node->inputs[operand], node->inputs[scale], node->inputs[zero]};
    memcpy(found, operands, sizeof operands);
    return found[0] != QD_NO_VALUE && found[1] != QD_NO_VALUE && found[2] != QD_NO_VALUE &&
           r->edit.values[found[0]].tensor && r->edit.values[found[1]].tensor &&
           r->edit.values[found[1]].tensor->count == 1;
}

/* Dequantizes codes and quantizes them again, with the parameters that node n reads them by. */
static bool code_again(struct qd_rewriting *r, size_t n, size_t operand)
{
    int in[3];
    if (!find_codes(r, n, operand, in))
        return false;
    int codes = in[0];
    in[0] = add_node(r, 0, "DequantizeLinear", in, 3, NULL);
    return in[0] != QD_NO_VALUE &&
           read_instead(r, codes, add_node(r, 1, "QuantizeLinear", in, 3, NULL), 2);
}

/* The first operand of any node that the function takes. */
static bool first_operand(struct qd_rewriting *r,
                          bool (*take)(struct qd_rewriting *, size_t, size_t))
{
    raise_opset(r);
    for (size_t n = 0; n < r->edit.node_count; n++)
        for (size_t i = 0; i < r->edit.nodes[n].input_count; i++)
            if (take(r, n, i))
                return true;
    return false;
}

static bool coded_again(struct qd_rewriting *r)
{
    return first_operand(r, code_again);
}

/* Dequantizes codes, moves them on by one axis if asked, and quantizes them with the same scale and another zero
 * point, by which node n reads them then. */
static bool shift_codes(struct qd_rewriting *r, size_t n, size_t operand, bool moves)
{
    int in[3];
    if (!find_codes(r, n, operand, in) || !r->edit.values[in[2]].tensor)
        return false;
    const struct qd_op *op = qd_op_find(r->edit.nodes[n].domain, r->edit.nodes[n].op_type);
    size_t zero = (size_t)qd_op_parameter(op, (int)operand, QD_ROLE_ZERO_POINT), at = 0;
    unsigned rank = r->edit.values[in[0]].tensor->rank;
    int other = add_other_parameter(r, QD_ROLE_ZERO_POINT, in[2]);
    if (other == QD_NO_VALUE || (moves && rank < 2))
        return false;
    in[0] = add_node(r, at++, "DequantizeLinear", in, 3, NULL);
    if (moves && in[0] != QD_NO_VALUE)
        in[0] = transpose(r, at++, in[0], rank, false);
    in[2] = other;
    in[0] = in[0] == QD_NO_VALUE ? in[0] : add_node(r, at++, "QuantizeLinear", in, 3, NULL);
    if (moves && in[0] != QD_NO_VALUE)
        in[0] = transpose(r, at++, in[0], rank, true);
    if (in[0] == QD_NO_VALUE) /* no room: node n is not at + n */
        return false;
    r->edit.nodes[n + at].inputs[operand] = in[0];
    r->edit.nodes[n + at].inputs[zero] = other;
    return true;
}

static bool shift_codes_here(struct qd_rewriting *r, size_t n, size_t operand)
{
    return shift_codes(r, n, operand, false);
}

static bool shift_codes_moved(struct qd_rewriting *r, size_t n, size_t operand)
{
    return shift_codes(r, n, operand, true);
}

static bool shifted_codes(struct qd_rewriting *r)
{
    return first_operand(r, shift_codes_here);
}

static bool shifted_codes_moved(struct qd_rewriting *r)
{
    return first_operand(r, shift_codes_moved);
}

/* --- Outputs -------------------------------------------------------------------------------------- */

static bool output_transposed(struct qd_rewriting *r)
{
    int rank = output_rank(r);
    if (rank < 2)
        return false;
    int moved = transpose(r, r->edit.node_count, r->edit.outputs[0], (unsigned)rank, false);
    if (moved != QD_NO_VALUE)
        r->edit.outputs[0] = moved;
    return moved != QD_NO_VALUE;
}

static bool add_output(struct qd_rewriting *r, int value)
{
    if (value == QD_NO_VALUE || r->edit.output_count == QD_CASE_EDIT_MAX_OUTPUTS)
        return false;
    r->edit.outputs[r->edit.output_count++] = value;
    return true;
}

static bool output_read_too(struct qd_rewriting *r)
{
    return add_output(r, add_node(r, r->edit.node_count, "Identity", &r->edit.outputs[0], 1, NULL));
}

static bool has_nan(const struct qd_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++)
        if (isnan(qd_tensor_value(tensor, i)))
            return true;
    return false;
}

/* A float output is read again after a Relu of its elements in another shape, which may not have been written over
 * them. No page says what Relu makes of NaN. */
static bool output_reshaped_first(struct qd_rewriting *r)
{
    static const int64_t flat[] = {-1};
    const struct qd_tensor *output = first_output(r);
    int value = r->edit.outputs[0];
    if (!output || output->dtype != QD_F32 || output->count == 0 || has_nan(output))
        return false;
    int aside = reshape(r, r->edit.node_count, value, flat, 1);
    if (aside != QD_NO_VALUE)
        aside = add_node(r, r->edit.node_count, "Relu", &aside, 1, NULL);
    if (!add_output(r, aside))
        return false;
    const int twice[] = {value, value};
    int sum = add_node(r, r->edit.node_count, "Add", twice, 2, NULL);
    if (sum != QD_NO_VALUE)
        r->edit.outputs[0] = sum;
    return sum != QD_NO_VALUE;
}

static bool is_output(const struct qd_rewriting *r, int value)
{
    for (size_t i = 0; i < r->edit.output_count; i++)
        if (r->edit.outputs[i] == value)
            return true;
    return false;
}

/* A value in between, an output too. */
static bool middle_is_output(struct qd_rewriting *r)
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
static struct qd_case_edit_node *repeat(struct qd_rewriting *r)
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

static bool node_twice(struct qd_rewriting *r)
{
    return repeat(r) != NULL;
}

static bool node_twice_otherwise(struct qd_rewriting *r)
{
    struct qd_case_edit_node *node = repeat(r);
    const struct qd_op *op = node ? qd_op_find(node->domain, node->op_type) : NULL;
    for (size_t i = 0; op && i < node->input_count; i++) {
        int value = node->inputs[i];
        if (value == QD_NO_VALUE || !qd_op_is_parameter(op, i) || !r->edit.values[value].tensor ||
            r->edit.values[value].is_input)
            continue;
        node->inputs[i] = add_other_parameter(r, qd_op_role(op, i), value);
        return node->inputs[i] != QD_NO_VALUE;
    }
    return false;
}

/* The list from its middle on and then its beginning (of pads the ends change places), or in the opposite order; false
 * where that is the same. */
static bool turn_list(struct qd_rewriting *r, bool halves, struct qd_attr *attr)
{
    int64_t *list = qd_arena_array(r->edit.arena, attr->count, sizeof *list);
    bool other = false;
    for (size_t i = 0; list && i < attr->count; i++) {
        size_t from = halves ? (i + attr->count / 2) % attr->count : attr->count - 1 - i;
        list[i] = attr->ints[from];
        other = other || list[i] != attr->ints[i];
    }
    attr->ints = list;
    return list && other;
}

/* Turns the first list of the node's attributes that is another then; false: there is none. */
static bool turn_attribute(struct qd_rewriting *r, struct qd_case_edit_node *node)
{
    static const char *const lists[] = {"pads", "perm", "strides", "dilations", "axes"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < node->attr_count; i++) {
            struct qd_attr attr = node->attrs[i];
            if (strcmp(attr.name, lists[k]) == 0 && attr.kind == QD_ATTR_INTS &&
                turn_list(r, k == 0, &attr))
                return qd_case_edit_set_attr(node, &attr);
        }
    return false;
}

/* The node that makes the first output once more, with a list of its attributes or its two operands the other way
 * round. */
static bool node_twice_turned(struct qd_rewriting *r)
{
    struct qd_case_edit_node *node = repeat(r);
    const struct qd_op *op = node ? qd_op_find(node->domain, node->op_type) : NULL;
    if (op && turn_attribute(r, node))
        return true;
    if (!op || node->input_count != 2 || node->inputs[0] == node->inputs[1] ||
        qd_op_role(op, 1) == QD_ROLE_CONTROL)
        return false;
    int first = node->inputs[0];
    node->inputs[0] = node->inputs[1];
    node->inputs[1] = first;
    return true;
}

/* The same, and what the two give is joined: then neither has to stay for the graph's sake. */
static bool node_twice_joined(struct qd_rewriting *r)
{
    if (output_rank(r) < 1 || !node_twice_turned(r))
        return false;
    size_t last = r->edit.output_count - 1;
    const int both[] = {r->edit.outputs[0], r->edit.outputs[last]};
    const struct qd_attr first = {.name = "axis", .kind = QD_ATTR_INT, .i = 0};
    int joined = add_node(r, r->edit.node_count, "Concat", both, 2, &first);
    r->edit.outputs[last] = joined;
    return joined != QD_NO_VALUE;
}

/* The node that makes the first output once more; nothing reads that. */
static bool dead_branch(struct qd_rewriting *r)
{
    const struct qd_case_edit_node *last = qd_case_edit_producer(&r->edit, r->edit.outputs[0]);
    struct qd_case_edit_node copy;
    if (!last)
        return false;
    copy = *last;
    for (size_t i = 0; i < copy.output_count; i++) {
        copy.outputs[i] = qd_case_edit_add_value(&r->edit, NULL, false);
        if (copy.outputs[i] == QD_NO_VALUE)
            return false;
    }
    struct qd_case_edit_node *node =
        qd_case_edit_add_node(&r->edit, r->edit.node_count, copy.domain, copy.op_type);
    if (node)
        *node = copy;
    return node != NULL;
}

/* --- Parameters ----------------------------------------------------------------------------------- */

static bool is_constant(const struct qd_rewriting *r, int value)
{
    return value != QD_NO_VALUE && r->edit.values[value].tensor && !r->edit.values[value].is_input;
}

/* Constant codes that node n reads by constants, dequantized with others too. */
static bool read_otherwise(struct qd_rewriting *r, size_t n, size_t operand)
{
    int in[3];
    if (!find_codes(r, n, operand, in) || !is_constant(r, in[0]) || !is_constant(r, in[1]) ||
        !is_constant(r, in[2]))
        return false;
    in[1] = add_other_parameter(r, QD_ROLE_SCALE, in[1]);
    in[2] = add_other_parameter(r, QD_ROLE_ZERO_POINT, in[2]);
    return in[1] != QD_NO_VALUE && in[2] != QD_NO_VALUE &&
           add_output(r, add_node(r, r->edit.node_count, "DequantizeLinear", in, 3, NULL));
}

static bool constant_read_otherwise(struct qd_rewriting *r)
{
    return first_operand(r, read_otherwise);
}

/* Constant scales and zero points come out of nodes, which a target may compute once and for all. */
static bool parameters_folded(struct qd_rewriting *r)
{
    bool any = false;
    for (size_t v = 0; v < r->kase->graph->value_count; v++) {
        if (!is_constant(r, (int)v) || !qd_is_read_as_parameter(r->kase->graph, (int)v))
            continue;
        const struct qd_tensor *tensor = r->edit.values[v].tensor;
        const int64_t flat = -1;
        int moved = reshape(r, 0, (int)v, &flat, 1);
        if (moved == QD_NO_VALUE ||
            !read_instead(r, (int)v, reshape(r, 1, moved, tensor->dims, tensor->rank), 2))
            return false;
        any = true;
    }
    return any;
}

/* --- Codes around float numbers ------------------------------------------------------------------- */

/* Parameters that map what the tensor holds to the codes of uint8; false: it holds what has no code. */
static bool add_range(struct qd_rewriting *r, const struct qd_tensor *tensor, int *scale, int *zero)
{
    double low = 0, high = 0;
    for (int64_t i = 0; i < tensor->count; i++) {
        double number = qd_tensor_value(tensor, i);
        if (!(fabs(number) < 0x1p40))
            return false;
        low = fmin(low, number);
        high = fmax(high, number);
    }
    struct qd_tensor *parameters = qd_arena_array(r->edit.arena, 2, sizeof *parameters);
    struct qd_error error;
    if (!parameters || !(high - low > 0x1p-40) ||
        qd_tensor_init(&parameters[0], r->edit.arena, QD_F32, 0, NULL, &error) != QD_OK ||
        qd_tensor_init(&parameters[1], r->edit.arena, QD_U8, 0, NULL, &error) != QD_OK)
        return false;
    qd_maker_set(&parameters[0], 0, (high - low) / 255);
    qd_tensor_set(&parameters[1], 0, (int64_t)(-low / (high - low) * 255));
    *scale = qd_case_edit_add_value(&r->edit, &parameters[0], false);
    *zero = qd_case_edit_add_value(&r->edit, &parameters[1], false);
    return *scale != QD_NO_VALUE && *zero != QD_NO_VALUE;
}

/* The numbers of `tensor`, quantized and dequantized at `at`; QD_NO_VALUE where that cannot be. */
static int add_pair(struct qd_rewriting *r, size_t at, int value, const struct qd_tensor *tensor)
{
    int in[3] = {value, QD_NO_VALUE, QD_NO_VALUE};
    if (!add_range(r, tensor, &in[1], &in[2]))
        return QD_NO_VALUE;
    in[0] = add_node(r, at, "QuantizeLinear", in, 3, NULL);
    return in[0] == QD_NO_VALUE ? QD_NO_VALUE
                                : add_node(r, at + 1, "DequantizeLinear", in, 3, NULL);
}

/* Every float operand and the first output: a block between QuantizeLinear and DequantizeLinear, as tools make it. */
static bool coded_around(struct qd_rewriting *r)
{
    size_t values = r->edit.value_count;
    bool any = false;
    const struct qd_graph *graph = r->kase->graph;
    enum qd_dtype declared = graph->values[graph->outputs[0]].declared_dtype;
    if (declared != QD_F32 && declared != QD_DTYPE_NONE)
        return false;
    const struct qd_tensor *output = first_output(r);
    if (!output || output->dtype != QD_F32)
        return false;
    raise_opset(r);
    for (size_t v = 0; v < values; v++) {
        const struct qd_tensor *tensor = r->edit.values[v].tensor;
        if (!tensor || tensor->dtype != QD_F32 || !qd_is_read_as_numbers(r->kase->graph, (int)v))
            continue;
        if (!read_instead(r, (int)v, add_pair(r, 0, (int)v, tensor), 2))
            return false;
        any = true;
    }
    int coded = any ? add_pair(r, r->edit.node_count, r->edit.outputs[0], output) : QD_NO_VALUE;
    if (coded != QD_NO_VALUE)
        r->edit.outputs[0] = coded;
    return coded != QD_NO_VALUE;
}

/* --- Versions ------------------------------------------------------------------------------------- */

/* The same nodes in a newer opset, where they mean the same or are judged by what they mean there. */
static bool newer_opset(struct qd_rewriting *r)
{
    if (r->edit.opset < 10 || r->edit.opset >= QD_MAX_OPSET)
        return false;
    r->edit.opset = qd_random_range(&r->random, r->edit.opset + 1, QD_MAX_OPSET);
    return true;
}

/* -------------------------------------------------------------------------------------------------- */

static const struct qd_rewriting_way ways[] = {
    {"passed_on", passed_on},
    {"transposed_twice", transposed_twice},
    {"reshaped_twice", reshaped_twice},
    {"split_and_joined", split_and_joined},
    {"coded_again", coded_again},
    {"coded_around", coded_around},
    {"parameters_folded", parameters_folded},
    {"constant_read_otherwise", constant_read_otherwise},
    {"output_transposed", output_transposed},
    {"output_read_too", output_read_too},
    {"middle_is_output", middle_is_output},
    {"node_twice", node_twice},
    {"node_twice_otherwise", node_twice_otherwise},
    {"dead_branch", dead_branch},
    {"newer_opset", newer_opset},
    {"rotated_thrice", rotated_thrice},
    {"shifted_codes", shifted_codes},
    {"shifted_codes_moved", shifted_codes_moved},
    {"node_twice_turned", node_twice_turned},
    {"node_twice_joined", node_twice_joined},
    {"output_reshaped_first", output_reshaped_first},
};

const struct qd_rewriting_way *qd_rewriting_way_at(size_t i)
{
    return i < sizeof ways / sizeof *ways ? &ways[i] : NULL;
}
