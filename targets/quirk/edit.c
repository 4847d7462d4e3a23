/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/edit.h"

#include <math.h>
#include <string.h>
#include <strings.h>

void qd_edit_begin(struct qd_edit *edit, const struct qd_evaluation *evaluation,
                   const struct qd_node *node, const struct qd_value *const *in)
{
    edit->evaluation = *evaluation;
    edit->semantics = *evaluation->semantics;
    edit->evaluation.semantics = &edit->semantics;
    edit->node = *node;
    edit->status = QD_OK;
    memcpy(edit->in, in, sizeof edit->in);
    if (node->attr_count > QD_EDIT_ATTRS)
        edit->status = qd_fail(evaluation->error, QD_LIMIT, "%s: %zu attributes", node->op_type,
                               node->attr_count);
    else if (node->attr_count > 0)
        memcpy(edit->attrs, node->attrs, node->attr_count * sizeof *node->attrs);
    edit->node.attrs = edit->attrs;
}

enum qd_status qd_edit_run(struct qd_edit *edit, const struct qd_override *self,
                           struct qd_value *out)
{
    if (edit->status != QD_OK)
        return edit->status;
    return qd_override_node(&edit->evaluation, self->next, &edit->node, edit->in, out);
}

void qd_edit_drop(struct qd_edit *edit, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; edit->status == QD_OK && i < edit->node.attr_count; i++)
        if (strcmp(edit->attrs[i].name, name) != 0)
            edit->attrs[kept++] = edit->attrs[i];
    if (edit->status == QD_OK)
        edit->node.attr_count = kept;
}

static void set(struct qd_edit *edit, struct qd_attr attr)
{
    qd_edit_drop(edit, attr.name);
    if (edit->status != QD_OK)
        return;
    if (edit->node.attr_count == QD_EDIT_ATTRS)
        edit->status = qd_fail(edit->evaluation.error, QD_LIMIT, "%s: more than %d attributes",
                               edit->node.op_type, QD_EDIT_ATTRS);
    else
        edit->attrs[edit->node.attr_count++] = attr;
}

static void out_of_memory(struct qd_edit *edit)
{
    edit->status =
        qd_fail(edit->evaluation.error, QD_NO_MEMORY, "no room to change %s", edit->node.op_type);
}

void qd_edit_int(struct qd_edit *edit, const char *name, int64_t value)
{
    set(edit, (struct qd_attr){.name = name, .kind = QD_ATTR_INT, .i = value});
}

void qd_edit_float(struct qd_edit *edit, const char *name, float value)
{
    set(edit, (struct qd_attr){.name = name, .kind = QD_ATTR_FLOAT, .f = value});
}

void qd_edit_word(struct qd_edit *edit, const char *name, const char *word)
{
    set(edit, (struct qd_attr){.name = name, .kind = QD_ATTR_STRING, .s = word});
}

void qd_edit_ints(struct qd_edit *edit, const char *name, const int64_t *values, size_t count)
{
    const int64_t *copy = qd_arena_copy(edit->evaluation.arena, values, count * sizeof *values);
    if (!copy)
        out_of_memory(edit);
    else
        set(edit,
            (struct qd_attr){.name = name, .kind = QD_ATTR_INTS, .count = count, .ints = copy});
}

/* --- Operands ----------------------------------------------------------------------------------- */

static int number_of(const struct qd_op *op, enum qd_operand operand)
{
    int x = qd_op_operand(op, QD_ROLE_DATA), w = qd_op_operand(op, QD_ROLE_WEIGHT);
    switch (operand) {
    case QD_X: return x;
    case QD_X_SCALE: return x < 0 ? x : qd_op_parameter(op, x, QD_ROLE_SCALE);
    case QD_X_ZERO_POINT: return x < 0 ? x : qd_op_parameter(op, x, QD_ROLE_ZERO_POINT);
    case QD_W: return w;
    case QD_W_SCALE: return w < 0 ? w : qd_op_parameter(op, w, QD_ROLE_SCALE);
    case QD_W_ZERO_POINT: return w < 0 ? w : qd_op_parameter(op, w, QD_ROLE_ZERO_POINT);
    case QD_Y_SCALE: return qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_SCALE);
    case QD_Y_ZERO_POINT: return qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_ZERO_POINT);
    case QD_BIAS: return qd_op_operand(op, QD_ROLE_BIAS);
    }
    return QD_NO_OPERAND;
}

int qd_operand_find(const struct qd_edit *edit, enum qd_operand operand)
{
    int i = number_of(edit->node.op, operand);
    return i >= 0 && edit->in[i] ? i : -1;
}

/* A value of its own in place of operand i. */
static struct qd_value *own(struct qd_edit *edit, int i, struct qd_value value)
{
    struct qd_value *copy = NULL;
    if (edit->status == QD_OK)
        copy = qd_arena_copy(edit->evaluation.arena, &value, sizeof value);
    if (copy)
        edit->in[i] = copy;
    else if (edit->status == QD_OK)
        out_of_memory(edit);
    return copy;
}

struct qd_tensor *qd_edit_copy(struct qd_edit *edit, int i)
{
    if (edit->status != QD_OK || i < 0 || !edit->in[i])
        return NULL;
    const struct qd_tensor *from = &edit->in[i]->want;
    struct qd_tensor *to = qd_edit_new(edit, i, from->dtype, from->rank, from->dims);
    if (to)
        memcpy(to->data, from->data, qd_tensor_bytes(from));
    return to;
}

struct qd_tensor *qd_edit_new(struct qd_edit *edit, int i, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims)
{
    struct qd_tensor tensor;
    if (edit->status == QD_OK)
        edit->status = qd_tensor_init(&tensor, edit->evaluation.arena, dtype, rank, dims,
                                      edit->evaluation.error);
    if (edit->status != QD_OK)
        return NULL;
    struct qd_value *value = own(edit, i, qd_value_of_tensor(&tensor));
    return value ? &value->want : NULL;
}

void qd_set_float(struct qd_value *y, int64_t i, float number)
{
    if (isfinite(number))
        qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(QD_F32, (double)number, true));
}

void qd_close_value(struct qd_value *y)
{
    y->lo = y->hi = NULL;
    y->exact = NULL;
    y->points = NULL;
}

void qd_tensor_fill(struct qd_tensor *tensor, int64_t code)
{
    for (int64_t i = 0; tensor && i < tensor->count; i++)
        qd_tensor_set(tensor, i, code);
}

typedef int64_t code_change(int64_t code, enum qd_dtype dtype);

/* The changed ends of the hull, the lesser first. */
static void map_hull(struct qd_value *to, const struct qd_value *from, int64_t i,
                     code_change *change, enum qd_dtype dtype)
{
    double a = (double)change((int64_t)from->lo[i], dtype);
    double b = (double)change((int64_t)from->hi[i], dtype);
    to->lo[i] = a < b ? a : b;
    to->hi[i] = a < b ? b : a;
}

/* `passed` is the type that change() is told. */
static void map(struct qd_edit *edit, int i, enum qd_dtype dtype, code_change *change,
                enum qd_dtype passed)
{
    if (edit->status != QD_OK || i < 0 || !edit->in[i])
        return;
    const struct qd_value *from = edit->in[i];
    struct qd_value to = *from;
    to.lo = to.hi = NULL;
    to.exact = NULL;
    edit->status = qd_tensor_init(&to.want, edit->evaluation.arena, dtype, from->want.rank,
                                  from->want.dims, edit->evaluation.error);
    for (int64_t e = 0; edit->status == QD_OK && e < to.want.count; e++)
        qd_tensor_set(&to.want, e, change(qd_tensor_get(&from->want, e), passed));
    if (edit->status == QD_OK && from->lo)
        edit->status = qd_value_need_hull(&to, edit->evaluation.arena, edit->evaluation.error);
    for (int64_t e = 0; edit->status == QD_OK && from->lo && e < to.want.count; e++)
        map_hull(&to, from, e, change, passed);
    own(edit, i, to);
}

void qd_edit_map(struct qd_edit *edit, int i, enum qd_dtype dtype, code_change *change)
{
    map(edit, i, dtype, change, i >= 0 && edit->in[i] ? edit->in[i]->want.dtype : QD_DTYPE_NONE);
}

void qd_edit_widen(struct qd_edit *edit, int i)
{
    const struct qd_tensor *from = &edit->in[i]->want;
    if (from->dtype != QD_F16 && from->dtype != QD_BF16)
        return;
    struct qd_tensor *to = qd_edit_new(edit, i, QD_F32, from->rank, from->dims);
    for (int64_t e = 0; to && e < to->count; e++)
        qd_tensor_set(to, e, (int64_t)qd_float_encode(QD_F32, qd_tensor_value(from, e), false));
}

void qd_edit_reinterpret(struct qd_edit *edit, int i, enum qd_dtype dtype)
{
    if (dtype != QD_DTYPE_NONE)
        map(edit, i, dtype, qd_dtype_wrap, dtype);
}

void qd_edit_read_as(struct qd_edit *edit, enum qd_operand operand, enum qd_operand zero_point,
                     enum qd_dtype from, enum qd_dtype to)
{
    int data = qd_operand_find(edit, operand);
    if (data < 0 || edit->in[data]->want.dtype != from)
        return;
    qd_edit_reinterpret(edit, data, to);
    qd_edit_reinterpret(edit, qd_operand_find(edit, zero_point), to);
}

enum qd_dtype qd_other_sign(enum qd_dtype dtype)
{
    static const enum qd_dtype pairs[][2] = {
        {QD_U8, QD_S8}, {QD_U16, QD_S16}, {QD_U4, QD_S4}, {QD_U2, QD_S2}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int side = 0; side < 2; side++)
            if (pairs[i][side] == dtype)
                return pairs[i][!side];
    return QD_DTYPE_NONE;
}

void qd_value_flip_sign(struct qd_value *value)
{
    enum qd_dtype dtype = qd_other_sign(value->want.dtype);
    if (dtype == QD_DTYPE_NONE)
        return;
    value->want.dtype = dtype;
    for (int64_t i = 0; value->lo && i < value->want.count; i++) {
        double a = (double)qd_dtype_wrap((int64_t)value->lo[i], dtype);
        double b = (double)qd_dtype_wrap((int64_t)value->hi[i], dtype);
        value->lo[i] = a < b ? a : b;
        value->hi[i] = a < b ? b : a;
    }
}

void qd_edit_move(struct qd_edit *edit, int i, const struct qd_value *other, unsigned rank,
                  const int64_t *dims, qd_move_map *move, const void *context)
{
    if (edit->status != QD_OK || i < 0 || !edit->in[i])
        return;
    const struct qd_value *operands[] = {edit->in[i], other};
    struct qd_value moved;
    int64_t count;
    edit->status = qd_shape_count(rank, dims, &count, edit->evaluation.error);
    if (edit->status == QD_OK)
        edit->status = qd_spend(&edit->evaluation, QD_WORK_ELEMENT * (double)count);
    if (edit->status != QD_OK)
        return;
    edit->status =
        qd_move(&edit->evaluation, operands, other ? 2 : 1, rank, dims, move, context, &moved);
    own(edit, i, moved);
}

struct qd_source qd_source_transposed(const void *context, int64_t i)
{
    const int64_t *side = context;
    int64_t row = i / *side % *side, column = i % *side;
    return (struct qd_source){0, i + (column - row) * *side + row - column};
}

int64_t qd_round_to_s32(double x)
{
    if (isnan(x))
        return 0;
    double rounded = nearbyint(x);
    return rounded > INT32_MAX ? INT32_MAX : rounded < INT32_MIN ? INT32_MIN : (int64_t)rounded;
}

double qd_parameter_at(const struct qd_value *parameter, int64_t c)
{
    if (!parameter)
        return 0;
    const struct qd_tensor *t = &parameter->want;
    c = t->count == 1 ? 0 : c;
    return c < t->count ? qd_tensor_value(t, c) : 0;
}

enum qd_status qd_edit_run_with_entry(const struct qd_edit *edit, const struct qd_override *self,
                                      int i, int64_t e, struct qd_value *out)
{
    struct qd_edit one = *edit;
    one.node.attrs = one.attrs;
    one.evaluation.semantics = &one.semantics;
    struct qd_tensor *operand = qd_edit_copy(&one, i);
    if (operand)
        qd_tensor_fill(operand, qd_tensor_get(&edit->in[i]->want, e));
    return qd_edit_run(&one, self, out);
}
