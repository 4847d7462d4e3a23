/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/regroup.h"

#include "qdiff/granularity.h"
#include "qdiff/movement.h"
#include "quirk/edit.h"

enum { X, SCALE, ZERO_POINT };

int64_t qd_layout_index(const struct qd_layout *layout, const int64_t *coordinates, int64_t axis)
{
    const struct qd_tensor *x = layout->x, *scale = layout->scale;
    axis = axis < 0 ? axis + x->rank : axis;
    if (axis < 0 || axis >= x->rank)
        return 0;
    if (layout->block == 0 || scale->rank != x->rank)
        return coordinates[axis] % scale->count;
    int64_t index = 0;
    for (unsigned i = 0; i < x->rank; i++) {
        int64_t at = i == axis ? coordinates[i] / layout->block : coordinates[i];
        index = index * scale->dims[i] + at % scale->dims[i];
    }
    return index;
}

/* A parameter as a vector with one entry for each element of x. */
static void spread(struct qd_edit *edit, int i, const struct qd_layout *layout,
                   qd_layout_choice *choose)
{
    int64_t coordinates[QD_MAX_RANK];
    if (!edit->in[i])
        return;
    const struct qd_tensor *from = &edit->in[i]->want;
    struct qd_tensor *to = qd_edit_new(edit, i, from->dtype, 1, &layout->x->count);
    for (int64_t e = 0; to && e < layout->x->count; e++) {
        qd_tensor_coordinates(layout->x, e, coordinates);
        int64_t p = choose(layout, coordinates);
        qd_tensor_set(to, e, p < 0 ? 0 : qd_tensor_get(from, p));
    }
}

/* x in one dimension, each element with parameters of its own. */
static enum qd_status evaluate_flat(const struct qd_override *self, struct qd_edit *edit,
                                    const struct qd_layout *layout, qd_layout_choice *choose,
                                    struct qd_value *out)
{
    struct qd_value x, y;
    const struct qd_evaluation *evaluation = &edit->evaluation;
    enum qd_status status = qd_move_reshape(evaluation, edit->in[X], 1, &layout->x->count, &x);
    if (status != QD_OK)
        return status;
    edit->in[X] = &x;
    spread(edit, SCALE, layout, choose);
    spread(edit, ZERO_POINT, layout, choose);
    qd_edit_drop(edit, "block_size");
    qd_edit_int(edit, "axis", 0);
    status = qd_edit_run(edit, self, &y);
    return status == QD_OK ? qd_move_reshape(evaluation, &y, layout->x->rank, layout->x->dims, out)
                           : status;
}

/* The axis of com.microsoft's operators is given and not negative. */
static bool has_axis(const struct qd_node *node, const struct qd_layout *layout)
{
    return !*node->domain || (qd_node_attr(node, "axis") && layout->axis >= 0);
}

/* What breaks the specification's rules is for the operator to refuse. */
static bool is_right(const struct qd_evaluation *evaluation, const struct qd_node *node,
                     const struct qd_layout *layout, const struct qd_value *const *in)
{
    struct qd_error ignored;
    struct qd_evaluation quiet = *evaluation;
    struct qd_granularity granularity;
    struct qd_node like = qd_linear_as_onnx(node);
    quiet.error = &ignored;
    return has_axis(node, layout) &&
           qd_granularity_read(&quiet, &like, &in[X]->want, &in[SCALE]->want,
                               in[ZERO_POINT] ? &in[ZERO_POINT]->want : NULL, "scale", "zero_point",
                               &granularity) == QD_OK;
}

enum qd_status qd_regroup(const struct qd_override *self, const struct qd_evaluation *evaluation,
                          const struct qd_node *node, const struct qd_value *const *in,
                          qd_layout_choice *choose, struct qd_value *out)
{
    struct qd_edit edit;
    const struct qd_tensor x = in[X]->want;
    struct qd_layout layout = {.x = &x, .scale = &in[SCALE]->want, .axis = 1};
    qd_edit_begin(&edit, evaluation, node, in);
    enum qd_status status = qd_node_int(node, "axis", 1, &layout.axis, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "block_size", 0, &layout.block, evaluation->error);
    if (status != QD_OK)
        return status;
    bool one = layout.x->count == 0 || layout.scale->count < 2;
    return one || !is_right(evaluation, node, &layout, in)
               ? qd_edit_run(&edit, self, out)
               : evaluate_flat(self, &edit, &layout, choose, out);
}
