/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/movement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/operand_checks.h"

/* --- Moving ----------------------------------------------------------------------------------- */

/* What some operand knows besides its canonical values, so that the output needs it too. */
struct extras {
    bool exact, hull, points, flags, abs_sum, factor, common, real;
};

static struct extras extras_of(const struct qd_value *const *operands, size_t count)
{
    struct extras extras = {.hull = false};
    for (size_t i = 0; i < count; i++) {
        extras.exact = extras.exact || operands[i]->exact;
        extras.hull = extras.hull || operands[i]->lo;
        extras.points = extras.points || operands[i]->points;
        extras.flags = extras.flags || operands[i]->flags;
        extras.abs_sum = extras.abs_sum || operands[i]->abs_sum;
        extras.factor = extras.factor || operands[i]->factor;
        extras.common = extras.common || operands[i]->common;
        extras.real = extras.real || operands[i]->real;
    }
    return extras;
}

static enum qd_status need(const struct qd_evaluation *evaluation, struct extras extras,
                           struct qd_value *y)
{
    struct qd_error *error = evaluation->error;
    enum qd_status status = QD_OK;
    if (extras.exact)
        status = qd_value_need_exact(y, evaluation->arena, error);
    if (status == QD_OK && extras.hull)
        status = qd_value_need_hull(y, evaluation->arena, error);
    if (status == QD_OK && extras.points)
        status = qd_value_need_points(y, evaluation->arena, error);
    if (status == QD_OK && extras.flags)
        status = qd_value_need_flags(y, evaluation->arena, error);
    if (status == QD_OK && extras.abs_sum)
        status = qd_value_need_abs_sum(y, evaluation->arena, error);
    if (status == QD_OK && extras.factor)
        status = qd_value_need_factor(y, evaluation->arena, error);
    if (status == QD_OK && extras.common)
        status = qd_value_need_common(y, evaluation->arena, error);
    if (status != QD_OK || !extras.real)
        return status;
    y->real = qd_arena_array(evaluation->arena, (size_t)y->want.count, sizeof *y->real);
    return y->real
               ? QD_OK
               : qd_fail(error, QD_NO_MEMORY, "no room for %lld numbers", (long long)y->want.count);
}

static void move_extras(const struct qd_value *const *operands, struct extras extras,
                        qd_move_map *map, const void *context, struct qd_value *y)
{
    for (int64_t i = 0; i < y->want.count; i++) {
        struct qd_source from = map(context, i);
        const struct qd_value *x = operands[from.operand];
        if (extras.exact)
            y->exact[i] = qd_value_exact(x, from.index);
        if (extras.hull) {
            y->lo[i] = qd_value_lo(x, from.index);
            y->hi[i] = qd_value_hi(x, from.index);
        }
        if (extras.points && x->points)
            y->points[i] = x->points[from.index];
        if (extras.flags)
            y->flags[i] = qd_value_flags(x, from.index);
        if (extras.abs_sum)
            y->abs_sum[i] = qd_value_abs_sum(x, from.index);
        if (extras.factor && x->factor)
            y->factor[i] = x->factor[from.index];
        if (extras.common && x->common)
            y->common[i] = x->common[from.index];
        if (extras.real)
            y->real[i] = x->real ? x->real[from.index] : (double)NAN;
    }
}

enum qd_status qd_move(const struct qd_evaluation *evaluation,
                       const struct qd_value *const *operands, size_t count, unsigned rank,
                       const int64_t *dims, qd_move_map *map, const void *context,
                       struct qd_value *out)
{
    struct qd_value y;
    enum qd_status status = qd_value_init(&y, evaluation->arena, operands[0]->want.dtype, rank,
                                          dims, evaluation->error);
    if (status == QD_OK) /* a few bytes may ask for a large output */
        status = qd_spend(evaluation, QD_WORK_ELEMENT * (double)y.want.count);
    int64_t moved = qd_sample_floats(evaluation, &y, &status);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < moved; i++) {
        struct qd_source from = map(context, i);
        qd_tensor_set(&y.want, i, qd_tensor_get(&operands[from.operand]->want, from.index));
    }
    struct extras extras = moved == y.want.count ? extras_of(operands, count) : (struct extras){0};
    status = need(evaluation, extras, &y);
    if (status != QD_OK)
        return status;
    if (extras.exact || extras.hull || extras.flags || extras.abs_sum || extras.real)
        move_extras(operands, extras, map, context, &y);
    for (size_t i = 0; i < count; i++)
        qd_fusion_join(&y.fusion, &operands[i]->fusion);
    *out = y;
    return QD_OK;
}

struct strided {
    unsigned rank;
    const int64_t *dims, *stride;
    int64_t offset;
};

static struct qd_source strided_source(const void *context, int64_t i)
{
    const struct strided *s = context;
    int64_t index = s->offset;
    for (unsigned axis = s->rank; axis-- > 0;) {
        index += i % s->dims[axis] * s->stride[axis];
        i /= s->dims[axis];
    }
    return (struct qd_source){0, index};
}

enum qd_status qd_move_strided(const struct qd_evaluation *evaluation, const struct qd_value *x,
                               unsigned rank, const int64_t *dims, int64_t offset,
                               const int64_t *stride, struct qd_value *out)
{
    struct strided strided = {rank, dims, stride, offset};
    return qd_move(evaluation, &x, 1, rank, dims, strided_source, &strided, out);
}

enum qd_status qd_move_reshape(const struct qd_evaluation *evaluation, const struct qd_value *x,
                               unsigned rank, const int64_t *dims, struct qd_value *out)
{
    struct qd_value y = *x;
    enum qd_status status = qd_shape_count(rank, dims, &y.want.count, evaluation->error);
    if (status != QD_OK)
        return status;
    if (y.want.count != x->want.count)
        return qd_fail(evaluation->error, QD_INTERNAL, "a reshape of %lld elements into %lld",
                       (long long)x->want.count, (long long)y.want.count);
    y.want.rank = rank;
    memset(y.want.dims, 0, sizeof y.want.dims);
    memcpy(y.want.dims, dims, rank * sizeof *dims);
    *out = y;
    return QD_OK;
}

void qd_strides_of(const struct qd_tensor *tensor, int64_t *strides)
{
    int64_t stride = 1;
    for (unsigned axis = tensor->rank; axis-- > 0;) {
        strides[axis] = stride;
        stride *= tensor->dims[axis];
    }
}

/* --- Types, axes, lists ----------------------------------------------------------------------- */

#define BIT QD_TYPE_BIT

enum qd_status qd_movement_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const char *name, const struct qd_tensor *x, int64_t all_since,
                                int64_t float8_since)
{
    static const struct {
        int64_t since;
        uint32_t types;
    } small[] = {
        {21, BIT(QD_U4) | BIT(QD_S4)},
        {23, BIT(QD_F4E2M1)},
        {24, BIT(QD_F8E8M0)},
        {25, BIT(QD_U2) | BIT(QD_S2)},
    };
    uint32_t mask = BIT(QD_F32) | BIT(QD_F16) | BIT(QD_F64);
    if (node->opset >= all_since)
        mask |=
            BIT(QD_BOOL) | QD_8BIT_TYPES | BIT(QD_U16) | BIT(QD_S16) | BIT(QD_S32) | BIT(QD_S64);
    if (node->opset >= 13)
        mask |= BIT(QD_BF16);
    if (float8_since != 0 && node->opset >= float8_since)
        mask |= BIT(QD_F8E4M3FN) | BIT(QD_F8E4M3FNUZ) | BIT(QD_F8E5M2) | BIT(QD_F8E5M2FNUZ);
    for (size_t i = 0; float8_since != 0 && i < sizeof small / sizeof *small; i++)
        mask |= node->opset >= small[i].since ? small[i].types : 0;
    return qd_operand_type(evaluation, node, name, x, mask);
}

enum qd_status qd_axis_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *slug, int64_t axis, int64_t rank, int64_t negative_since,
                            int64_t *out)
{
    if (axis < -rank || axis >= rank)
        return qd_node_rule(evaluation, node, slug, "axis %lld of a tensor of rank %lld",
                            (long long)axis, (long long)rank);
    if (axis < 0 && node->opset < negative_since)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: a negative axis before opset %lld",
                       node->op_type, (long long)negative_since);
    *out = axis < 0 ? axis + rank : axis;
    return QD_OK;
}

static enum qd_status read_attribute(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const char *name,
                                     struct qd_list *list)
{
    struct qd_list read = {.present = qd_node_attr(node, name) != NULL};
    enum qd_status status = qd_node_ints(node, name, &read.values, &read.count, evaluation->error);
    if (status == QD_OK)
        *list = read;
    return status;
}

static enum qd_status read_input(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const char *name, const struct qd_value *value, uint32_t types,
                                 struct qd_list *list)
{
    const struct qd_tensor *t = &value->want;
    char slug[40];
    enum qd_status status = qd_operand_type(evaluation, node, name, t, types);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, &value, 1);
    if (status != QD_OK)
        return status;
    snprintf(slug, sizeof slug, "%s-rank", name);
    if (t->rank > 1)
        return qd_node_rule(evaluation, node, slug, "%s has rank %u, want 1", name, t->rank);
    if (t->rank == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: %s is a scalar", node->op_type,
                       name);
    int64_t *values = qd_arena_array(evaluation->arena, (size_t)t->count, sizeof *values);
    if (!values)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld integers",
                       (long long)t->count);
    for (int64_t i = 0; i < t->count; i++)
        values[i] = qd_tensor_get(t, i);
    *list = (struct qd_list){true, (size_t)t->count, values};
    return QD_OK;
}

enum qd_status qd_list_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *name, const struct qd_value *value, int64_t input_since,
                            uint32_t types, struct qd_list *list)
{
    bool is_input = node->opset >= input_since;
    if (is_input && qd_node_attr(node, name))
        return qd_node_rule(evaluation, node, "attribute-unknown",
                            "%s is an input since opset %lld", name, (long long)input_since);
    if (!is_input && value)
        return qd_node_rule(evaluation, node, "input-count", "%s is an attribute before opset %lld",
                            name, (long long)input_since);
    if (!is_input)
        return read_attribute(evaluation, node, name, list);
    if (value)
        return read_input(evaluation, node, name, value, types, list);
    *list = (struct qd_list){.present = false};
    return QD_OK;
}
