/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/geometry.h"

#include <math.h>
#include <string.h>

bool qd_geometry_read(struct qd_edit *edit, struct qd_geometry *geometry)
{
    struct qd_error ignored;
    struct qd_evaluation evaluation = edit->evaluation;
    bool pool = strcmp(edit->node.op_type, "MaxPool") == 0 ||
                strcmp(edit->node.op_type, "AveragePool") == 0;
    enum qd_status status = QD_INVALID;
    int64_t ceil = 0;
    evaluation.error = &ignored;
    geometry->x = pool ? 0 : qd_operand_find(edit, QD_X);
    geometry->w = pool ? -1 : qd_operand_find(edit, QD_W);
    if (edit->status != QD_OK || geometry->x < 0 || (!pool && geometry->w < 0))
        return false;
    const struct qd_tensor *x = &edit->in[geometry->x]->want;
    if (!pool)
        status = qd_conv_shape_read(&evaluation, &edit->node, x, &edit->in[geometry->w]->want,
                                    &geometry->shape);
    else if (qd_node_int(&edit->node, "ceil_mode", 0, &ceil, &ignored) == QD_OK)
        status = qd_pool_shape_read(&evaluation, &edit->node, x, ceil != 0, &geometry->shape);
    return status == QD_OK;
}

/* The padded x: operand 0 is x, operand 1 the one element that stands in the padding. */
struct padded {
    struct qd_tensor shape; /* of the padded x */
    const struct qd_tensor *x;
    const int64_t *begin;
    bool edge;
};

static struct qd_source source(const void *context, int64_t i)
{
    const struct padded *p = context;
    int64_t coordinates[QD_MAX_RANK], index = 0;
    qd_tensor_coordinates(&p->shape, i, coordinates);
    for (unsigned k = 0; k < p->x->rank; k++) {
        int64_t at = coordinates[k] - (k < 2 ? 0 : p->begin[k - 2]), size = p->x->dims[k];
        if (!p->edge && (at < 0 || at >= size))
            return (struct qd_source){1, 0};
        at = at < 0 ? 0 : at >= size ? size - 1 : at;
        index = index * size + at;
    }
    return (struct qd_source){0, index};
}

/* What stands in the padding. */
static int64_t filler_code(const struct qd_edit *edit, const struct qd_geometry *geometry,
                           enum qd_filler filler)
{
    enum qd_dtype dtype = edit->in[geometry->x]->want.dtype;
    int zero_point = qd_operand_find(edit, QD_X_ZERO_POINT);
    if (filler != QD_FILL_NEUTRAL)
        return 0;
    if (geometry->w < 0)
        return qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, (double)-INFINITY, false)
                                        : qd_dtype_info(dtype)->min;
    return zero_point < 0 ? 0 : (int64_t)qd_parameter_at(edit->in[zero_point], 0);
}

void qd_edit_surround(struct qd_edit *edit, int i, const int64_t *sizes, const int64_t *begin,
                      int64_t code, bool edge)
{
    struct qd_tensor element;
    struct padded padded = {.x = &edit->in[i]->want, .begin = begin, .edge = edge};
    if (edit->status == QD_OK)
        edit->status = qd_tensor_init(&element, edit->evaluation.arena, padded.x->dtype, 0, NULL,
                                      edit->evaluation.error);
    if (edit->status != QD_OK)
        return;
    qd_tensor_set(&element, 0, code);
    const struct qd_value other = qd_value_of_tensor(&element);
    padded.shape = *padded.x;
    for (unsigned k = 2; k < padded.shape.rank; k++)
        padded.shape.dims[k] = sizes[k - 2];
    qd_edit_move(edit, i, &other, padded.shape.rank, padded.shape.dims, source, &padded);
}

void qd_edit_pad(struct qd_edit *edit, const struct qd_geometry *geometry, const int64_t *begin,
                 enum qd_filler filler)
{
    const struct qd_conv_shape *s = &geometry->shape;
    int64_t sizes[QD_MAX_SPATIAL] = {0};
    bool edge = filler == QD_FILL_EDGE && edit->in[geometry->x]->want.count > 0;
    for (unsigned i = 0; i < s->spatial; i++)
        sizes[i] = (s->out[i] - 1) * s->stride[i] + (s->kernel[i] - 1) * s->dilation[i] + 1;
    qd_edit_surround(edit, geometry->x, sizes, begin, filler_code(edit, geometry, filler), edge);
    if (edit->status != QD_OK)
        return;
    qd_edit_drop(edit, "auto_pad");
    qd_edit_drop(edit, "pads");
    qd_edit_drop(edit, "ceil_mode");
}

bool qd_pads_to_same(const struct qd_node *node)
{
    const struct qd_attr *attr = qd_node_attr(node, "auto_pad");
    return attr && attr->kind == QD_ATTR_STRING && strncmp(attr->s, "SAME_", 5) == 0;
}

void qd_edit_pad_same(struct qd_edit *edit, int64_t least)
{
    struct qd_geometry geometry;
    int64_t begin[QD_MAX_SPATIAL];
    if (!qd_pads_to_same(&edit->node) || !qd_geometry_read(edit, &geometry))
        return;
    bool upper = strcmp(qd_node_attr(&edit->node, "auto_pad")->s, "SAME_UPPER") == 0;
    const struct qd_conv_shape *s = &geometry.shape;
    for (unsigned i = 0; i < s->spatial; i++) {
        int64_t total = (s->out[i] - 1) * s->stride[i] + s->kernel[i] - s->in[i];
        total = total < least ? least : total;
        int64_t half = (total - (total & 1)) / 2;
        begin[i] = upper ? half : total - half;
    }
    qd_edit_pad(edit, &geometry, begin, QD_FILL_NEUTRAL);
}

int64_t qd_shape_plane(const struct qd_tensor *tensor)
{
    int64_t plane = 1;
    for (unsigned i = 2; i < tensor->rank; i++)
        plane *= tensor->dims[i];
    return plane > 0 ? plane : 1;
}
