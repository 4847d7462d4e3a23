/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule reads and changes of a node: operands, the first output, an attribute's numbers, all as tensors. */
#include "contract/confusion.h"

#include <math.h>
#include <string.h>

#include "qdiff/quirk.h"

static bool is_output(const struct qd_confusion *confusion)
{
    return confusion->mutant->place == QD_OPERAND_OUTPUT;
}

bool qd_mutant_is_late(const struct qd_contract_mutant *mutant)
{
    return mutant->rule->condition || mutant->place == QD_OPERAND_OUTPUT;
}

static struct qd_attr *attribute(struct qd_confusion *confusion)
{
    struct qd_edit *edit = &confusion->edit;
    for (size_t i = 0; i < edit->node.attr_count; i++)
        if (strcmp(edit->attrs[i].name, confusion->mutant->attribute) == 0)
            return &edit->attrs[i];
    return NULL;
}

/* --- An attribute as a tensor -------------------------------------------------------------------- */

/* Its numbers; false for what has none. */
static bool attribute_value(struct qd_confusion *confusion, struct qd_value *value)
{
    const struct qd_attr *attr = attribute(confusion);
    const struct qd_evaluation *evaluation = &confusion->edit.evaluation;
    if (!attr || attr->kind < QD_ATTR_INT || attr->kind > QD_ATTR_FLOATS ||
        attr->kind == QD_ATTR_STRING)
        return false;
    bool list = attr->kind == QD_ATTR_INTS || attr->kind == QD_ATTR_FLOATS;
    bool ints = attr->kind == QD_ATTR_INT || attr->kind == QD_ATTR_INTS;
    const int64_t dims[] = {(int64_t)attr->count};
    confusion->edit.status = qd_value_init(value, evaluation->arena, ints ? QD_S64 : QD_F32,
                                           list ? 1 : 0, dims, evaluation->error);
    if (confusion->edit.status != QD_OK)
        return false;
    const void *numbers = !list ? (ints ? (const void *)&attr->i : &attr->f)
                                : (ints ? (const void *)attr->ints : attr->floats);
    if (value->want.count > 0)
        memcpy(value->want.data, numbers, qd_tensor_bytes(&value->want));
    return true;
}

static void put_attribute(struct qd_confusion *confusion, const struct qd_tensor *numbers)
{
    struct qd_attr *attr = attribute(confusion);
    switch (attr->kind) {
    case QD_ATTR_INT: attr->i = qd_tensor_get(numbers, 0); break;
    case QD_ATTR_FLOAT: attr->f = (float)qd_tensor_value(numbers, 0); break;
    case QD_ATTR_INTS: attr->ints = numbers->data; break;
    default: attr->floats = numbers->data;
    }
}

/* --- The part that a rule is about --------------------------------------------------------------- */

/* Output i as a target gives it: where several answers are right the reference's number may be none of them. */
static bool answer(struct qd_confusion *confusion, size_t i, struct qd_value *value)
{
    const struct qd_evaluation *evaluation = &confusion->edit.evaluation;
    *value = confusion->out[i];
    if (!value->flags || value->want.count == 0)
        return true;
    value->want.data =
        qd_arena_copy(evaluation->arena, value->want.data, qd_tensor_bytes(&value->want));
    if (value->want.data)
        qd_quirk_answer(value);
    else
        confusion->edit.status = qd_fail(evaluation->error, QD_NO_MEMORY, "no room for an output");
    return value->want.data;
}

static bool part_value(struct qd_confusion *confusion, struct qd_value *value)
{
    const struct qd_contract_mutant *mutant = confusion->mutant;
    if (confusion->edit.status != QD_OK)
        return false;
    if (mutant->attribute)
        return attribute_value(confusion, value);
    if (is_output(confusion))
        return answer(confusion, 0, value);
    if (mutant->place < 0 || !confusion->edit.in[mutant->place])
        return false;
    *value = *confusion->edit.in[mutant->place];
    return true;
}

void qd_confuse_operand(struct qd_confusion *confusion, int i, const struct qd_value *value)
{
    confusion->edit.in[i] = value;
    confusion->changed = true;
}

/* Puts a changed part in its place. */
static void put(struct qd_confusion *confusion, const struct qd_value *value)
{
    const struct qd_contract_mutant *mutant = confusion->mutant;
    confusion->changed = true;
    if (mutant->attribute) {
        put_attribute(confusion, &value->want);
    } else if (is_output(confusion)) {
        confusion->out[0] = *value;
    } else {
        struct qd_value *copy =
            qd_arena_copy(confusion->edit.evaluation.arena, value, sizeof *value);
        if (copy)
            confusion->edit.in[mutant->place] = copy;
        else
            confusion->edit.status =
                qd_fail(confusion->edit.evaluation.error, QD_NO_MEMORY, "no room for an operand");
    }
}

/* The code that stands for 0 at a part. */
static int64_t code_of_nothing(const struct qd_confusion *confusion, enum qd_dtype dtype)
{
    const struct qd_contract_mutant *mutant = confusion->mutant;
    if (mutant->attribute || mutant->place == QD_NO_OPERAND)
        return 0;
    int z = qd_op_parameter(mutant->op, mutant->place, QD_ROLE_ZERO_POINT);
    const struct qd_value *zero_point = z < 0 ? NULL : confusion->edit.in[z];
    bool has = zero_point && zero_point->want.dtype == dtype && zero_point->want.count > 0;
    return has ? qd_tensor_get(&zero_point->want, 0) : 0;
}

static struct qd_part part_of(const struct qd_confusion *confusion, const struct qd_tensor *tensor)
{
    const struct qd_attr *group = qd_node_attr(&confusion->edit.node, "group");
    return (struct qd_part){.confusion = confusion,
                            .tensor = tensor,
                            .n = confusion->mutant->n,
                            .nothing = code_of_nothing(confusion, tensor->dtype),
                            .groups = group && group->kind == QD_ATTR_INT ? group->i : 1};
}

/* --- Elements for elements ----------------------------------------------------------------------- */

struct walk {
    const struct qd_part *part;
    qd_part_source *source;
};

static struct qd_source walk_source(const void *context, int64_t i)
{
    const struct walk *walk = context;
    return (struct qd_source){0, walk->source ? walk->source(walk->part, i) : i};
}

/* A copy of the value that may be written, element i being source(i). */
static bool move(struct qd_confusion *confusion, const struct qd_value *value,
                 const struct walk *walk, struct qd_value *moved)
{
    struct qd_edit *edit = &confusion->edit;
    edit->status = qd_move(&edit->evaluation, &value, 1, value->want.rank, value->want.dims,
                           walk_source, walk, moved);
    return edit->status == QD_OK;
}

static bool same_bytes(const struct qd_tensor *a, const struct qd_tensor *b)
{
    return memcmp(a->data, b->data, qd_tensor_bytes(a)) == 0;
}

void qd_confuse_index(struct qd_confusion *confusion, qd_part_source *source)
{
    struct qd_value value, moved;
    if (!part_value(confusion, &value) || value.want.count < 2)
        return;
    const struct qd_part part = part_of(confusion, &value.want);
    const struct walk walk = {&part, source};
    if (move(confusion, &value, &walk, &moved) && !same_bytes(&value.want, &moved.want))
        put(confusion, &moved);
}

/* --- Codes for codes ----------------------------------------------------------------------------- */

/* Element i becomes a point. */
static void set_point(struct qd_value *value, int64_t i, int64_t code)
{
    qd_tensor_set(&value->want, i, code);
    double number = qd_tensor_value(&value->want, i);
    if (value->lo)
        value->lo[i] = value->hi[i] = number;
    if (value->exact)
        value->exact[i] = (struct qd_interval){number, number};
    if (value->points)
        value->points[i].count = 0;
    if (value->flags)
        value->flags[i] = isnan(number) ? QD_NOT_NUMBER : 0;
    if (value->abs_sum)
        value->abs_sum[i] = fabs(number);
}

/* Copies the value and changes it; false if that changes nothing. */
static bool recode(struct qd_confusion *confusion, const struct qd_value *value, qd_part_code *code,
                   struct qd_value *changed)
{
    const struct qd_part part = part_of(confusion, &value->want);
    const struct walk walk = {&part, NULL};
    bool differs = false;
    for (int64_t i = 0; !differs && i < value->want.count; i++) {
        int64_t now = qd_tensor_get(&value->want, i);
        differs = code(&part, i, now) != now;
    }
    if (!differs || !move(confusion, value, &walk, changed))
        return false;
    for (int64_t i = 0; i < value->want.count; i++) {
        int64_t now = qd_tensor_get(&value->want, i), then = code(&part, i, now);
        if (then != now)
            set_point(changed, i, then);
    }
    return true;
}

void qd_confuse_code(struct qd_confusion *confusion, qd_part_code *code)
{
    struct qd_value value, changed;
    if (part_value(confusion, &value) && recode(confusion, &value, code, &changed))
        put(confusion, &changed);
}

/* --- Gross errors -------------------------------------------------------------------------------- */

static int64_t gross_code(const struct qd_part *part, int64_t i, int64_t code)
{
    (void)i;
    enum qd_dtype dtype = part->tensor->dtype;
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    if (info->kind != QD_CLASS_FLOAT)
        return info->max + (info->min + 1) - 1 - code;
    double x = qd_tensor_value(part->tensor, i), y = isfinite(x) ? -2 * x - 1 : 1;
    bool is_signed = qd_float_format(dtype)->is_signed;
    y = qd_float_round(dtype, QD_NEAREST_EVEN, is_signed ? y : fabs(y));
    int64_t wrong = (int64_t)qd_float_encode(dtype, y, true);
    return wrong == code ? code ^ 1 : wrong;
}

void qd_confuse_grossly(struct qd_confusion *confusion)
{
    for (size_t i = 0; i < confusion->edit.node.output_count; i++) {
        struct qd_value changed;
        if (confusion->edit.status != QD_OK || confusion->edit.node.outputs[i] == QD_NO_VALUE)
            continue;
        if (!recode(confusion, &confusion->out[i], gross_code, &changed))
            continue;
        confusion->out[i] = changed;
        confusion->changed = true;
    }
}

/* --- The control --------------------------------------------------------------------------------- */

/* Each output's numbers as points, without what else is known of them. */
void qd_rule_no_error(struct qd_confusion *confusion)
{
    for (size_t i = 0; i < confusion->edit.node.output_count; i++) {
        struct qd_value value;
        if (confusion->edit.node.outputs[i] != QD_NO_VALUE && answer(confusion, i, &value))
            confusion->out[i] = qd_value_of_tensor(&value.want);
    }
    confusion->changed = true;
}
