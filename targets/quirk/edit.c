#include "quirk/edit.h"

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

/* Whether the list, joined by commas, holds the word. */
static bool holds(const char *list, const char *word, size_t length)
{
    for (;; list++) {
        size_t own = strcspn(list, ",");
        if (own == length && strncasecmp(list, word, length) == 0)
            return true;
        list += own;
        if (!*list)
            return false;
    }
}

int qd_operand_find(const struct qd_node *node, const struct qd_value *const *in, const char *names)
{
    const char *operand = node->op && node->op->operands ? node->op->operands : "";
    for (int i = 0; *operand && i < QD_MAX_OPERANDS; i++) {
        operand += *operand == '*';
        size_t length = strcspn(operand, ",");
        if (in[i] && holds(names, operand, length))
            return i;
        operand += length + (operand[length] != '\0');
    }
    return -1;
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

/* The changed ends of the hull, the lesser first. */
static void map_hull(struct qd_value *to, const struct qd_value *from, int64_t i,
                     int64_t (*change)(int64_t code))
{
    double a = (double)change((int64_t)from->lo[i]), b = (double)change((int64_t)from->hi[i]);
    to->lo[i] = a < b ? a : b;
    to->hi[i] = a < b ? b : a;
}

void qd_edit_map(struct qd_edit *edit, int i, enum qd_dtype dtype, int64_t (*change)(int64_t code))
{
    if (edit->status != QD_OK || i < 0 || !edit->in[i])
        return;
    const struct qd_value *from = edit->in[i];
    struct qd_value to = *from;
    edit->status = qd_tensor_init(&to.want, edit->evaluation.arena, dtype, from->want.rank,
                                  from->want.dims, edit->evaluation.error);
    to.lo = to.hi = NULL;
    if (edit->status == QD_OK && from->lo)
        edit->status = qd_value_need_hull(&to, edit->evaluation.arena, edit->evaluation.error);
    for (int64_t e = 0; edit->status == QD_OK && e < to.want.count; e++) {
        qd_tensor_set(&to.want, e, change(qd_tensor_get(&from->want, e)));
        if (from->lo)
            map_hull(&to, from, e, change);
    }
    own(edit, i, to);
}

static int64_t same(int64_t code)
{
    return code;
}

static int64_t as_s8(int64_t code)
{
    return (int8_t)(uint8_t)code;
}

static int64_t as_u8(int64_t code)
{
    return (uint8_t)code;
}

static int64_t as_s16(int64_t code)
{
    return (int16_t)(uint16_t)code;
}

static int64_t as_u16(int64_t code)
{
    return (uint16_t)code;
}

static int64_t as_s4(int64_t code)
{
    return ((code & 15) ^ 8) - 8;
}

static int64_t as_u4(int64_t code)
{
    return code & 15;
}

void qd_edit_reinterpret(struct qd_edit *edit, int i, enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_S8: qd_edit_map(edit, i, dtype, as_s8); break;
    case QD_U8: qd_edit_map(edit, i, dtype, as_u8); break;
    case QD_S16: qd_edit_map(edit, i, dtype, as_s16); break;
    case QD_U16: qd_edit_map(edit, i, dtype, as_u16); break;
    case QD_S4: qd_edit_map(edit, i, dtype, as_s4); break;
    case QD_U4: qd_edit_map(edit, i, dtype, as_u4); break;
    default: qd_edit_map(edit, i, dtype, same);
    }
}
