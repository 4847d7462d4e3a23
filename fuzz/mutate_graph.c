/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "mutate_parts.h"

/* --- Operands --------------------------------------------------------------------------------- */

int qd_output_parameter(const struct qd_case_edit_node *node, enum qd_role role)
{
    const struct qd_op *op = qd_op_find(node->domain, node->op_type);
    int i = qd_op_parameter(op, QD_OPERAND_OUTPUT, role);
    return i >= 0 && (size_t)i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

/* --- Appending -------------------------------------------------------------------------------- */

struct grower {
    struct qd_case_edit *edit;
    struct qd_random *random;
    bool failed; /* no room */
};

static int64_t draw(struct grower *g, int64_t min, int64_t max)
{
    return qd_random_range(g->random, min, max);
}

static bool one_in(struct grower *g, int64_t n)
{
    return draw(g, 1, n) == 1;
}

static int add_constant(struct grower *g, enum qd_dtype dtype, unsigned rank, int64_t length,
                        double x)
{
    struct qd_error ignored;
    struct qd_tensor *tensor = qd_arena_alloc(g->edit->arena, sizeof *tensor);
    if (!tensor ||
        qd_tensor_init(tensor, g->edit->arena, dtype, rank, &length, &ignored) != QD_OK) {
        g->failed = true;
        return QD_NO_VALUE;
    }
    for (int64_t i = 0; i < tensor->count; i++)
        qd_tensor_set(tensor, i,
                      qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, x, true)
                                               : (int64_t)x);
    int v = qd_case_edit_add_value(g->edit, tensor, false);
    g->failed = g->failed || v == QD_NO_VALUE;
    return v;
}

/* A node at the end, with one new output; its value, QD_NO_VALUE when there was no room. */
static int add_node(struct grower *g, const char *op_type, const int *inputs, size_t count)
{
    if (g->failed)
        return QD_NO_VALUE;
    int v = qd_case_edit_add_value(g->edit, NULL, false);
    struct qd_case_edit_node *node =
        v == QD_NO_VALUE ? NULL : qd_case_edit_add_node(g->edit, g->edit->node_count, "", op_type);
    if (!node) {
        g->failed = true;
        return QD_NO_VALUE;
    }
    memcpy(node->inputs, inputs, count * sizeof *inputs);
    node->input_count = count;
    node->outputs[0] = v;
    node->output_count = 1;
    return v;
}

static void set_int(struct grower *g, const char *name, int64_t i)
{
    const struct qd_attr attr = {.name = name, .kind = QD_ATTR_INT, .i = i};
    if (!g->failed)
        g->failed = !qd_case_edit_set_attr(&g->edit->nodes[g->edit->node_count - 1], &attr);
}

static double random_scale(struct grower *g)
{
    double scale = exp2((double)draw(g, -6, 2));
    return one_in(g, 2) ? scale : scale * (1 + (double)draw(g, 0, 8388607) / 8388608);
}

/* Scale and zero point of a new group of codes. */
struct group {
    enum qd_dtype dtype;
    int scale, zero_point;
};

static struct group add_group(struct grower *g, enum qd_dtype dtype)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    struct group group = {.dtype = dtype};
    group.scale = add_constant(g, QD_F32, 0, 0, random_scale(g));
    group.zero_point = add_constant(g, dtype, 0, 0, (double)draw(g, info->min, info->max));
    return group;
}

/* The group of a value, as its producer has it: keeping it is what makes a fusion right. Now and then, or if it is not
 * known, another one. */
static struct group group_of(struct grower *g, int v, enum qd_dtype dtype)
{
    const struct qd_case_edit_node *node = qd_case_edit_producer(g->edit, v);
    if (node && !one_in(g, 6)) {
        struct group group = {dtype, qd_output_parameter(node, QD_ROLE_SCALE),
                              qd_output_parameter(node, QD_ROLE_ZERO_POINT)};
        const struct qd_tensor *scale =
            group.scale == QD_NO_VALUE ? NULL : g->edit->values[group.scale].tensor;
        if (scale && scale->count == 1 && scale->dtype == QD_F32)
            return group;
    }
    return add_group(g, dtype);
}

static int dequantize(struct grower *g, int v, const struct group *group)
{
    const int inputs[] = {v, group->scale, group->zero_point};
    return add_node(g, "DequantizeLinear", inputs, group->zero_point == QD_NO_VALUE ? 2 : 3);
}

static int quantize(struct grower *g, int v, const struct group *group)
{
    const int inputs[] = {v, group->scale, group->zero_point};
    return add_node(g, "QuantizeLinear", inputs, group->zero_point == QD_NO_VALUE ? 2 : 3);
}

/* A second operand for an element-wise operator: a constant of its own group, dequantized. */
static int second_operand(struct grower *g, enum qd_dtype dtype)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    struct group group = add_group(g, dtype);
    int codes =
        add_constant(g, dtype, one_in(g, 2) ? 0 : 1, 1, (double)draw(g, info->min, info->max));
    return dequantize(g, codes, &group);
}

static int apply_bounded(struct grower *g, int x)
{
    double low = (double)draw(g, -8, 2) / 2;
    const int inputs[] = {x, add_constant(g, QD_F32, 0, 0, low),
                          add_constant(g, QD_F32, 0, 0, low + (double)draw(g, 0, 24) / 2)};
    return add_node(g, "Clip", inputs, 3);
}

static int apply_concat(struct grower *g, int x, int original, enum qd_dtype dtype)
{
    struct group other = add_group(g, dtype);
    const int inputs[] = {x, one_in(g, 3) ? x : dequantize(g, original, &other)};
    int y = add_node(g, "Concat", inputs, 2);
    set_int(g, "axis", draw(g, 0, 1));
    return y;
}

static void set_ints(struct grower *g, const char *name, size_t count, int64_t least, int64_t most)
{
    int64_t *ints = qd_arena_array(g->edit->arena, count, sizeof *ints);
    const struct qd_attr attr = {.name = name, .kind = QD_ATTR_INTS, .count = count, .ints = ints};
    g->failed = g->failed || !ints;
    for (size_t i = 0; ints && i < count; i++)
        ints[i] = draw(g, least, most);
    if (!g->failed)
        g->failed = !qd_case_edit_set_attr(&g->edit->nodes[g->edit->node_count - 1], &attr);
}

/* A pool of one or two spatial axes: where the rank is another one, a case to be refused. */
static int apply_pool(struct grower *g, int x)
{
    static const char *const pools[] = {"MaxPool", "MaxPool", "AveragePool"};
    size_t spatial = one_in(g, 3) ? 2 : 1;
    int y = add_node(g, QD_RANDOM_PICK(g->random, pools), &x, 1);
    set_ints(g, "kernel_shape", spatial, 2, 3);
    if (!one_in(g, 3))
        set_ints(g, "pads", 2 * spatial, 0, 1);
    if (one_in(g, 2))
        set_ints(g, "strides", spatial, 1, 2);
    return y;
}

/* A cyclic permutation of three axes, which is not its own inverse, or the reversal of any number of them. */
static int apply_transpose(struct grower *g, int x)
{
    static const int64_t cycles[2][3] = {{1, 2, 0}, {2, 0, 1}};
    const struct qd_attr perm = {
        .name = "perm", .kind = QD_ATTR_INTS, .count = 3, .ints = cycles[draw(g, 0, 1)]};
    int y = add_node(g, "Transpose", &x, 1);
    if (!g->failed && !one_in(g, 3))
        g->failed = !qd_case_edit_set_attr(&g->edit->nodes[g->edit->node_count - 1], &perm);
    return y;
}

/* One operator on floats, or none. `original`: the codes that x was made of. */
static int apply(struct grower *g, int x, int original, enum qd_dtype dtype)
{
    static const char *const unary[] = {"Relu",      "Transpose", "Flatten", "Identity", "Sigmoid",
                                        "LeakyRelu", "Tanh",      "Softmax", "Relu"};
    static const char *const binary[] = {"Add", "Mul", "Sub", "Add"};
    int operands[] = {x, QD_NO_VALUE};
    switch (draw(g, 0, 9)) {
    case 0: return x;
    case 6: return apply_pool(g, x);
    case 7: return apply_transpose(g, x);
    case 1: return apply_bounded(g, x);
    case 2: return apply_concat(g, x, original, dtype);
    case 3:
        operands[1] = add_constant(g, QD_S64, 1, 1, -1);
        return add_node(g, "Reshape", operands, 2);
    case 4:
    case 5:
        operands[1] = one_in(g, 4) ? x : second_operand(g, dtype);
        return add_node(g, QD_RANDOM_PICK(g->random, binary), operands, 2);
    default: return add_node(g, QD_RANDOM_PICK(g->random, unary), operands, 1);
    }
}

/* The type of a value as far as it is known. */
static enum qd_dtype type_of(const struct qd_case_edit_value *value)
{
    return value->tensor ? value->tensor->dtype : value->declared_dtype;
}

bool qd_mutate_append(struct qd_case_edit *edit, struct qd_random *random)
{
    static const enum qd_dtype others[] = {QD_U8, QD_S8};
    struct grower g = {edit, random, false};
    if (edit->output_count == 0)
        return false;
    size_t o = (size_t)draw(&g, 0, (int64_t)edit->output_count - 1);
    int v = edit->outputs[o], y = QD_NO_VALUE;
    enum qd_dtype dtype = type_of(&edit->values[v]);
    if (!qd_dtype_is_8bit_code(dtype) && dtype != QD_F32)
        return false;
    enum qd_dtype to = dtype == QD_F32 || one_in(&g, 6) ? QD_RANDOM_PICK(random, others) : dtype;
    if (dtype == QD_F32) {
        y = v;
    } else {
        struct group group = group_of(&g, v, dtype);
        y = apply(&g, dequantize(&g, v, &group), v, dtype);
    }
    struct group out = dtype == to && one_in(&g, 3) ? group_of(&g, v, dtype) : add_group(&g, to);
    y = quantize(&g, y, &out);
    if (g.failed)
        return false;
    edit->values[y].declared_dtype = QD_DTYPE_NONE;
    edit->outputs[o] = y;
    edit->values[y].declared_dtype = to;
    return true;
}

/* --- Splicing --------------------------------------------------------------------------------- */

/* A fed value of `other` and an output of the edit with the same known type; false if there is no such pair. */
static bool find_joint(struct grower *g, const struct qd_case_edit *other, int *from, int *to)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        if (g->edit->output_count == 0 || other->value_count == 0)
            return false;
        int o = g->edit->outputs[draw(g, 0, (int64_t)g->edit->output_count - 1)];
        int v = (int)draw(g, 0, (int64_t)other->value_count - 1);
        if (other->values[v].is_input &&
            type_of(&g->edit->values[o]) == type_of(&other->values[v])) {
            *from = o;
            *to = v;
            return true;
        }
    }
    return false;
}

bool qd_mutate_splice(struct qd_case_edit *edit, const struct qd_case_edit *other,
                      struct qd_random *random)
{
    struct grower g = {edit, random, false};
    int base = (int)edit->value_count, from = QD_NO_VALUE, to = QD_NO_VALUE;
    if (edit->value_count + other->value_count > QD_CASE_EDIT_MAX_VALUES ||
        edit->node_count + other->node_count > QD_CASE_EDIT_MAX_NODES ||
        edit->output_count + other->output_count > QD_CASE_EDIT_MAX_OUTPUTS)
        return false;
    bool joined = find_joint(&g, other, &from, &to);
    for (size_t i = 0; i < other->value_count; i++) {
        edit->values[base + (int)i] = other->values[i];
        edit->values[base + (int)i].name = ""; /* names may collide */
    }
    edit->value_count += other->value_count;
    for (size_t i = 0; i < other->node_count; i++) {
        struct qd_case_edit_node *node = &edit->nodes[edit->node_count++];
        *node = other->nodes[i];
        for (size_t j = 0; j < node->input_count; j++)
            if (node->inputs[j] != QD_NO_VALUE)
                node->inputs[j] = joined && node->inputs[j] == to ? from : base + node->inputs[j];
        for (size_t j = 0; j < node->output_count; j++)
            if (node->outputs[j] != QD_NO_VALUE)
                node->outputs[j] += base;
    }
    for (size_t i = 0; i < other->output_count; i++)
        edit->outputs[edit->output_count++] = base + other->outputs[i];
    if (other->opset > edit->opset)
        edit->opset = other->opset;
    return true;
}
