/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "qdiff/mutate_case.h"

#define MAX_ELEMENTS 65536 /* of a tensor that a mutation makes */

struct editor {
    struct qd_case_edit *edit;
    struct qd_random *random;
};

static int64_t draw(struct editor *e, int64_t min, int64_t max)
{
    return qd_random_range(e->random, min, max);
}

static bool one_in(struct editor *e, int64_t n)
{
    return draw(e, 1, n) == 1;
}

/* --- Picking ---------------------------------------------------------------------------------- */

/* A value with a tensor; QD_NO_VALUE if a few tries found none. */
static int pick_tensor(struct editor *e)
{
    for (int attempt = 0; e->edit->value_count > 0 && attempt < 16; attempt++) {
        int v = (int)draw(e, 0, (int64_t)e->edit->value_count - 1);
        if (e->edit->values[v].tensor)
            return v;
    }
    return QD_NO_VALUE;
}

static struct qd_case_edit_node *pick_node(struct editor *e, size_t *at)
{
    if (e->edit->node_count == 0)
        return NULL;
    *at = (size_t)draw(e, 0, (int64_t)e->edit->node_count - 1);
    return &e->edit->nodes[*at];
}

static const struct qd_op *op_of(const struct qd_case_edit_node *node)
{
    return qd_op_find(node->domain, node->op_type);
}

/* Whether input j has the role; whatever is neither a parameter nor a bias passes for data. */
static bool has_role(const struct qd_op *op, size_t j, enum qd_role role)
{
    enum qd_role own = qd_op_role(op, j);
    return role == own ||
           (role == QD_ROLE_DATA && own != QD_ROLE_BIAS && !qd_op_is_parameter(op, j));
}

/* An operand of the node with that role and a tensor, QD_NO_VALUE if it has none. */
static int operand_of(struct editor *e, const struct qd_case_edit_node *node, enum qd_role role)
{
    size_t start = node->input_count == 0 ? 0 : (size_t)draw(e, 0, (int64_t)node->input_count - 1);
    for (size_t i = 0; i < node->input_count; i++) {
        size_t j = (start + i) % node->input_count;
        int v = node->inputs[j];
        if (v != QD_NO_VALUE && e->edit->values[v].tensor && has_role(op_of(node), j, role))
            return v;
    }
    return QD_NO_VALUE;
}

/* --- Tensors ---------------------------------------------------------------------------------- */

/* A tensor of the edit's arena whose elements are the old ones, over and over; NULL when it would be too large. */
static struct qd_tensor *reshaped(struct editor *e, const struct qd_tensor *old,
                                  enum qd_dtype dtype, unsigned rank, const int64_t *dims)
{
    struct qd_error ignored;
    int64_t count;
    struct qd_tensor *made = qd_arena_alloc(e->edit->arena, sizeof *made);
    if (!made || qd_shape_count(rank, dims, &count, &ignored) != QD_OK || count > MAX_ELEMENTS ||
        qd_tensor_init(made, e->edit->arena, dtype, rank, dims, &ignored) != QD_OK)
        return NULL;
    for (int64_t i = 0; old->count > 0 && i < count; i++) {
        int64_t from = i % old->count;
        if (dtype == old->dtype)
            qd_tensor_set(made, i, qd_tensor_get(old, from));
        else if (qd_dtype_is_float(dtype))
            qd_tensor_set(made, i,
                          (int64_t)qd_float_encode(
                              dtype,
                              qd_float_round(dtype, QD_NEAREST_EVEN, qd_tensor_value(old, from)),
                              true));
        else
            qd_tensor_set(made, i,
                          qd_tensor_get(old, from) + qd_dtype_info(dtype)->min -
                              qd_dtype_info(old->dtype)->min);
    }
    return made;
}

static bool put(struct editor *e, int v, const struct qd_tensor *tensor)
{
    if (tensor)
        e->edit->values[v].tensor = tensor;
    return tensor != NULL;
}

/* Every dimension of length `from` becomes `to`, in this tensor (its axis `axis` only, unless it is −1). */
static bool resize(struct editor *e, int v, int axis, int64_t from, int64_t to)
{
    const struct qd_tensor *old = e->edit->values[v].tensor;
    struct qd_tensor shape = *old;
    bool changed = false;
    for (unsigned i = 0; i < shape.rank; i++)
        if (shape.dims[i] == from && (axis < 0 || (unsigned)axis == i)) {
            shape.dims[i] = to;
            changed = true;
        }
    return changed && put(e, v, reshaped(e, old, old->dtype, shape.rank, shape.dims));
}

/* --- Changes ---------------------------------------------------------------------------------- */

/* One dimension, and half of the time every one of the same length, parameters' included: so that what belongs together
 * stays together. */
static bool change_dim(struct editor *e)
{
    int v = pick_tensor(e);
    if (v == QD_NO_VALUE || e->edit->values[v].tensor->rank == 0)
        return false;
    const struct qd_tensor *tensor = e->edit->values[v].tensor;
    int axis = (int)draw(e, 0, tensor->rank - 1);
    int64_t from = tensor->dims[axis];
    int64_t other = tensor->dims[draw(e, 0, tensor->rank - 1)]; /* a square */
    int64_t choices[] = {1, 2, 3, 7, 8, 16, 17, 33, from + 1, from - 1, 2 * from, 0, other, other};
    int64_t to = QD_RANDOM_PICK(e->random, choices);
    if (to < 0 || to == from)
        return false;
    if (one_in(e, 2))
        return resize(e, v, axis, from, to);
    bool changed = false;
    for (size_t i = 0; i < e->edit->value_count; i++)
        if (e->edit->values[i].tensor)
            changed = resize(e, (int)i, -1, from, to) || changed;
    return changed;
}

/* The last two dimensions of a tensor become the same, and what has the length of the last one with it: a transposed
 * matrix or kernel still fits. */
static bool make_square(struct editor *e)
{
    int v = pick_tensor(e);
    const struct qd_tensor *tensor = v == QD_NO_VALUE ? NULL : e->edit->values[v].tensor;
    if (!tensor || tensor->rank < 2)
        return false;
    int64_t from = tensor->dims[tensor->rank - 1], to = tensor->dims[tensor->rank - 2];
    bool changed = false;
    for (size_t i = 0; from != to && i < e->edit->value_count; i++)
        if (e->edit->values[i].tensor)
            changed = resize(e, (int)i, -1, from, to) || changed;
    return changed;
}

/* A dimension of 1 more, or one less. */
static bool change_rank(struct editor *e)
{
    int v = pick_tensor(e);
    if (v == QD_NO_VALUE)
        return false;
    struct qd_tensor shape = *e->edit->values[v].tensor;
    unsigned at = (unsigned)draw(e, 0, shape.rank);
    if (one_in(e, 2) && shape.rank < QD_MAX_RANK) {
        memmove(&shape.dims[at + 1], &shape.dims[at], (shape.rank - at) * sizeof *shape.dims);
        shape.dims[at] = 1;
        shape.rank++;
    } else if (at < shape.rank && shape.dims[at] == 1) {
        memmove(&shape.dims[at], &shape.dims[at + 1], (shape.rank - at - 1) * sizeof *shape.dims);
        shape.rank--;
    } else {
        return false;
    }
    return put(e, v, reshaped(e, e->edit->values[v].tensor, shape.dtype, shape.rank, shape.dims));
}

/* The attributes that operators of ours have, and values to try. */
static const struct {
    const char *name;
    enum qd_attr_kind kind;
    int64_t least, most; /* INT: the value; INTS: each value; FLOAT: in eighths */
    const char *word;    /* STRING */
} attributes[] = {
    {"axis", QD_ATTR_INT, -3, 3, NULL},
    {"block_size", QD_ATTR_INT, 0, 8, NULL},
    {"saturate", QD_ATTR_INT, 0, 1, NULL},
    {"output_dtype", QD_ATTR_INT, 0, 26, NULL},
    {"precision", QD_ATTR_INT, 0, 16, NULL},
    {"group", QD_ATTR_INT, 1, 4, NULL},
    {"pads", QD_ATTR_INTS, 0, 2, NULL},
    {"strides", QD_ATTR_INTS, 1, 3, NULL},
    {"dilations", QD_ATTR_INTS, 1, 3, NULL},
    {"kernel_shape", QD_ATTR_INTS, 1, 3, NULL},
    {"auto_pad", QD_ATTR_STRING, 0, 0, "SAME_UPPER"},
    {"auto_pad", QD_ATTR_STRING, 0, 0, "SAME_LOWER"},
    {"auto_pad", QD_ATTR_STRING, 0, 0, "VALID"},
    {"perm", QD_ATTR_INTS, 0, 3, NULL},
    {"ceil_mode", QD_ATTR_INT, 0, 1, NULL},
    {"count_include_pad", QD_ATTR_INT, 0, 1, NULL},
    {"channels_last", QD_ATTR_INT, 0, 1, NULL},
    {"keepdims", QD_ATTR_INT, 0, 1, NULL},
    {"transA", QD_ATTR_INT, 0, 1, NULL},
    {"transB", QD_ATTR_INT, 0, 1, NULL},
    {"alpha", QD_ATTR_FLOAT, -16, 16, NULL},
    {"beta", QD_ATTR_FLOAT, -16, 16, NULL},
    {"to", QD_ATTR_INT, 1, 26, NULL},
    {"opset", QD_ATTR_INT, 9, 13, NULL},
};

/* Whether the operator's text knows the attribute. */
static bool has_attribute(const struct qd_op *op, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = op && op->attributes ? op->attributes : ""; *at;) {
        size_t word = strcspn(at, ",");
        if (strncmp(at, name, length) == 0 && strcspn(at, ",:") == length)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

static bool set_attribute(struct editor *e, struct qd_case_edit_node *node, size_t row)
{
    struct qd_attr attr = {.name = attributes[row].name, .kind = attributes[row].kind};
    int64_t *values = qd_arena_array(e->edit->arena, 8, sizeof *values);
    int64_t counts[] = {1, 2, 3, 4, 4, 6};
    if (!values)
        return false;
    for (size_t i = 0; i < 8; i++)
        values[i] = draw(e, attributes[row].least, attributes[row].most);
    for (size_t i = 0; i < node->attr_count; i++) /* a list keeps its length */
        if (strcmp(node->attrs[i].name, attr.name) == 0 && node->attrs[i].count <= 8)
            attr.count = node->attrs[i].count;
    if (attr.count == 0)
        attr.count = (size_t)QD_RANDOM_PICK(e->random, counts);
    attr.i = values[0];
    attr.f = (float)values[0] / 8;
    attr.s = attributes[row].word;
    attr.ints = values;
    return qd_case_edit_set_attr(node, &attr);
}

/* Sets an attribute that the operator has, any one now and then, or takes one away. */
static bool change_attribute(struct editor *e)
{
    size_t at, rows = sizeof attributes / sizeof *attributes;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node)
        return false;
    if (node->attr_count > 0 && one_in(e, 3)) {
        size_t i = (size_t)draw(e, 0, (int64_t)node->attr_count - 1);
        qd_case_edit_remove_attr(node, node->attrs[i].name);
        return true;
    }
    bool any = one_in(e, 16);
    for (int attempt = 0; attempt < 32; attempt++) {
        size_t row = (size_t)draw(e, 0, (int64_t)rows - 1);
        if (any || has_attribute(op_of(node), attributes[row].name))
            return set_attribute(e, node, row);
    }
    return false;
}

/* Every tensor of one type becomes one of another of the same kind; a single one now and then, which breaks what
 * belongs together. */
static bool change_type(struct editor *e)
{
    static const enum qd_dtype codes[] = {QD_U8, QD_S8, QD_U8, QD_S8, QD_U16, QD_S16, QD_U4, QD_S4};
    static const enum qd_dtype floats[] = {QD_F32, QD_F16, QD_BF16};
    int v = pick_tensor(e);
    if (v == QD_NO_VALUE)
        return false;
    enum qd_dtype from = e->edit->values[v].tensor->dtype, to;
    bool code = qd_dtype_is_integer(from) && qd_dtype_info(from)->bits <= 16 && from != QD_BOOL;
    if (!code && !(from == QD_F32 || from == QD_F16 || from == QD_BF16))
        return false;
    to = code ? QD_RANDOM_PICK(e->random, codes) : QD_RANDOM_PICK(e->random, floats);
    bool alone = one_in(e, 4), changed = false;
    for (size_t i = 0; to != from && i < e->edit->value_count; i++) {
        const struct qd_tensor *old = e->edit->values[i].tensor;
        if (old && old->dtype == from && (!alone || (int)i == v))
            changed = put(e, (int)i, reshaped(e, old, to, old->rank, old->dims)) || changed;
    }
    for (size_t i = 0; changed && i < e->edit->value_count; i++)
        e->edit->values[i].declared_dtype = QD_DTYPE_NONE;
    return changed;
}

static bool change_opset(struct editor *e)
{
    static const int64_t opsets[] = {10, 11, 12, 13, 14, 17, 19, 21, 22, 23, 24, 25};
    e->edit->opset = QD_RANDOM_PICK(e->random, opsets);
    return true;
}

/* The length that a parameter vector of the node has to have: of another vector of it, else a dimension of its data. */
static int64_t channels_of(struct editor *e, const struct qd_case_edit_node *node)
{
    int v = operand_of(e, node, QD_ROLE_DATA);
    const struct qd_tensor *data = v == QD_NO_VALUE ? NULL : e->edit->values[v].tensor;
    return data && data->rank > 0 ? data->dims[draw(e, 0, data->rank - 1)] : 3;
}

/* Scale and zero point of one operand: scalar, [1] or a vector. Both, or one of them now and then. */
static bool change_granularity(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node)
        return false;
    int scale = operand_of(e, node, QD_ROLE_SCALE), zero = QD_NO_VALUE;
    for (size_t j = 0; j + 1 < node->input_count; j++)
        if (node->inputs[j] == scale && qd_op_role(op_of(node), j + 1) == QD_ROLE_ZERO_POINT)
            zero = node->inputs[j + 1];
    if (scale == QD_NO_VALUE)
        return false;
    int64_t dims[] = {one_in(e, 2) ? 1 : channels_of(e, node)};
    unsigned rank = one_in(e, 3) ? 0 : 1;
    const struct qd_tensor *s = e->edit->values[scale].tensor;
    const struct qd_tensor *z = zero == QD_NO_VALUE ? NULL : e->edit->values[zero].tensor;
    if (z && !one_in(e, 8) && !put(e, zero, reshaped(e, z, z->dtype, rank, dims)))
        return false;
    return put(e, scale, reshaped(e, s, s->dtype, rank, dims));
}

/* Constant ↔ fed at run time. */
static bool change_binding(struct editor *e)
{
    int v = pick_tensor(e);
    if (v != QD_NO_VALUE)
        e->edit->values[v].is_input = !e->edit->values[v].is_input;
    return v != QD_NO_VALUE;
}

/* An operand goes, or a zero point comes where one may be. */
static bool change_optional(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node || node->input_count == 0)
        return false;
    if (one_in(e, 2) && node->input_count > 1) {
        size_t j = (size_t)draw(e, 1, (int64_t)node->input_count - 1);
        if (j + 1 == node->input_count)
            node->input_count--;
        else
            node->inputs[j] = QD_NO_VALUE;
        return true;
    }
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_S32};
    enum qd_dtype dtype = QD_RANDOM_PICK(e->random, types);
    struct qd_tensor *tensor = qd_arena_alloc(e->edit->arena, sizeof *tensor);
    struct qd_error ignored;
    if (!tensor || node->input_count == QD_MAX_OPERANDS ||
        qd_tensor_init(tensor, e->edit->arena, dtype, 0, NULL, &ignored) != QD_OK)
        return false;
    qd_tensor_set(tensor, 0, draw(e, 0, 127));
    int v = qd_case_edit_add_value(e->edit, tensor, false);
    if (v == QD_NO_VALUE)
        return false;
    size_t j = node->input_count;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] == QD_NO_VALUE)
            j = i;
    node->inputs[j] = v;
    node->input_count += j == node->input_count;
    return true;
}

/* Readers of the node's output read its first operand instead. */
static bool drop_node(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node || node->input_count == 0 || node->output_count == 0 ||
        node->inputs[0] == QD_NO_VALUE || e->edit->node_count == 1)
        return false;
    int from = node->outputs[0], to = node->inputs[0];
    qd_case_edit_remove_node(e->edit, at);
    qd_case_edit_replace(e->edit, from, to);
    return true;
}

/* The node once more, on the same operands; what it gives is an output of the graph. */
static bool duplicate_node(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node || node->output_count != 1 || e->edit->output_count == QD_CASE_EDIT_MAX_OUTPUTS)
        return false;
    struct qd_case_edit_node kept = *node;
    int v = qd_case_edit_add_value(e->edit, NULL, false);
    struct qd_case_edit_node *again =
        v == QD_NO_VALUE ? NULL : qd_case_edit_add_node(e->edit, at + 1, kept.domain, kept.op_type);
    if (!again)
        return false;
    *again = kept;
    again->outputs[0] = v;
    e->edit->outputs[e->edit->output_count++] = v;
    return true;
}

/* A value in between becomes an output: fusions have to keep it. */
static bool expose_value(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    if (!node || node->output_count == 0 || e->edit->output_count == QD_CASE_EDIT_MAX_OUTPUTS)
        return false;
    for (size_t i = 0; i < e->edit->output_count; i++)
        if (e->edit->outputs[i] == node->outputs[0])
            return false;
    e->edit->outputs[e->edit->output_count++] = node->outputs[0];
    return true;
}

/* An operand is replaced by another value of the graph that exists by then. */
static bool rewire(struct editor *e)
{
    size_t at;
    struct qd_case_edit_node *node = pick_node(e, &at);
    int v = pick_tensor(e);
    if (!node || node->input_count == 0 || v == QD_NO_VALUE)
        return false;
    node->inputs[draw(e, 0, (int64_t)node->input_count - 1)] = v;
    return true;
}

static bool append_block(struct editor *e)
{
    return qd_mutate_append(e->edit, e->random);
}

typedef bool change(struct editor *e);

static change *const changes[] = {
    change_dim,         change_dim,         make_square,    make_square,     change_rank,
    change_attribute,   change_attribute,   change_type,    change_type,     change_opset,
    change_granularity, change_granularity, change_binding, change_optional, drop_node,
    duplicate_node,     expose_value,       rewire,         append_block,    append_block,
};

bool qd_mutate_structure(const struct qd_mutation *mutation, struct qd_case_edit *edit,
                         struct qd_random *random)
{
    struct editor e = {edit, random};
    size_t count = sizeof changes / sizeof *changes;
    for (int attempt = 0; attempt < 8; attempt++) {
        size_t i = (size_t)draw(&e, 0, (int64_t)count - 1);
        struct qd_random swarm = qd_random_seed("structure", mutation->swarm + i);
        if (mutation->swarm == 0 || qd_random_next(&swarm) % 2 == 0)
            return changes[i](&e);
    }
    return false;
}
