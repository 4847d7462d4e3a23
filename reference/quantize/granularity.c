/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/granularity.h"

#include <stdio.h>

enum { VENDOR_OPSET = 21 };

/* An integer attribute that the operator has since some opset. */
static enum qd_status read_since(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const char *name, int64_t since, int64_t otherwise, int64_t *value)
{
    if (node->opset < since && qd_node_attr(node, name))
        return qd_node_rule(evaluation, node, "attribute-unknown",
                            "attribute %s exists since opset %lld", name, (long long)since);
    return qd_node_int(node, name, otherwise, value, evaluation->error);
}

static enum qd_status wrong_shape(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name,
                                  const struct qd_tensor *parameter, const struct qd_tensor *x)
{
    char slug[40], have[96], of[96];
    snprintf(slug, sizeof slug, "%s-shape", name);
    return qd_node_rule(evaluation, node, slug, "%s %s does not fit the input %s", name,
                        qd_tensor_describe(parameter, have, sizeof have),
                        qd_tensor_describe(x, of, sizeof of));
}

static bool single(const struct qd_tensor *t)
{
    return t->rank <= 1 && t->count == 1;
}

static enum qd_status read_axis(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, int64_t axis, struct qd_granularity *g)
{
    int64_t rank = x->rank;
    if (axis < -rank || axis >= rank)
        return qd_node_rule(evaluation, node, "axis-range", "axis %lld is outside [%lld, %lld]",
                            (long long)axis, (long long)-rank, (long long)rank - 1);
    axis = axis < 0 ? axis + rank : axis;
    g->size = x->dims[axis];
    g->inner = 1;
    for (int64_t i = axis + 1; i < rank; i++)
        g->inner *= x->dims[i];
    return QD_OK;
}

/* The scale has x's rank; every size but the one along the axis is x's own. */
static bool blocks_fit(const struct qd_tensor *x, const struct qd_tensor *scale, int64_t axis)
{
    for (unsigned i = 0; i < x->rank; i++)
        if (i != axis && scale->dims[i] != x->dims[i])
            return false;
    return true;
}

static enum qd_status read_blocks(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x,
                                  const struct qd_tensor *scale, const char *scale_name,
                                  int64_t axis, struct qd_granularity *g)
{
    if ((scale->rank != x->rank || x->rank == 0) && single(scale))
        return qd_fail(
            evaluation->error, QD_UNSUPPORTED,
            "%s: block_size with a %s of one element has no meaning in the specification",
            node->op_type, scale_name);
    if (scale->rank != x->rank)
        return wrong_shape(evaluation, node, scale_name, scale, x);
    enum qd_status status = read_axis(evaluation, node, x, axis, g);
    if (status != QD_OK)
        return status;
    axis = axis < 0 ? axis + x->rank : axis;
    if (!blocks_fit(x, scale, axis))
        return wrong_shape(evaluation, node, scale_name, scale, x);
    g->kind = QD_BLOCKED;
    g->blocks = scale->dims[axis];
    if (g->blocks != g->size / g->block + (g->size % g->block != 0))
        return qd_node_rule(evaluation, node, "block_size-range",
                            "%lld elements in blocks of %lld do not give %lld scales",
                            (long long)g->size, (long long)g->block, (long long)g->blocks);
    return QD_OK;
}

static enum qd_status read_vector(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x,
                                  const struct qd_tensor *scale, const char *scale_name,
                                  int64_t axis, struct qd_granularity *g)
{
    if (single(scale)) {
        g->kind = QD_PER_TENSOR;
        return QD_OK;
    }
    if (scale->rank != 1 || node->opset < 13)
        return wrong_shape(evaluation, node, scale_name, scale, x);
    enum qd_status status = read_axis(evaluation, node, x, axis, g);
    if (status != QD_OK)
        return status;
    g->kind = QD_PER_AXIS;
    return scale->count == g->size ? QD_OK : wrong_shape(evaluation, node, scale_name, scale, x);
}

struct qd_node qd_linear_as_onnx(const struct qd_node *node)
{
    struct qd_node like = *node;
    if (*node->domain)
        like.opset = VENDOR_OPSET;
    return like;
}

enum qd_status qd_granularity_read(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *x,
                                   const struct qd_tensor *scale,
                                   const struct qd_tensor *zero_point, const char *scale_name,
                                   const char *zero_name, struct qd_granularity *granularity)
{
    struct qd_granularity g = {QD_PER_TENSOR, 1, 1, 0, 0};
    int64_t axis = 1;
    enum qd_status status = read_since(evaluation, node, "axis", 13, 1, &axis);
    if (status == QD_OK)
        status = read_since(evaluation, node, "block_size", 21, 0, &g.block);
    if (status != QD_OK)
        return status;
    if (g.block < 0)
        return qd_node_rule(evaluation, node, "block_size-negative", "block_size is %lld",
                            (long long)g.block);
    status = g.block > 0 ? read_blocks(evaluation, node, x, scale, scale_name, axis, &g)
                         : read_vector(evaluation, node, x, scale, scale_name, axis, &g);
    if (status != QD_OK)
        return status;
    if (zero_point && !qd_tensor_same_shape(zero_point, scale) &&
        !(single(zero_point) && single(scale)))
        return wrong_shape(evaluation, node, zero_name, zero_point, x);
    *granularity = g;
    return QD_OK;
}

int64_t qd_granularity_index(const struct qd_granularity *g, int64_t i)
{
    if (g->kind == QD_PER_TENSOR)
        return 0;
    /* All are below QD_MAX_ELEMENTS: the wider division takes several times as long. */
    uint32_t inner = (uint32_t)g->inner, outer = (uint32_t)i / inner, d = outer % (uint32_t)g->size;
    if (g->kind == QD_PER_AXIS)
        return d;
    return (outer / (uint32_t)g->size * g->blocks + d / g->block) * g->inner + (uint32_t)i % inner;
}

enum qd_status qd_dtype_attribute(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name, int64_t since,
                                  uint32_t mask, enum qd_dtype *dtype)
{
    int64_t number = 0;
    char slug[40];
    enum qd_status status = read_since(evaluation, node, name, since, 0, &number);
    if (status != QD_OK)
        return status;
    enum qd_dtype found =
        number > 0 && number < INT32_MAX ? qd_dtype_of_onnx((int32_t)number) : QD_DTYPE_NONE;
    if (number != 0 && (found == QD_DTYPE_NONE || !(mask & (uint32_t)1 << found))) {
        snprintf(slug, sizeof slug, "%s-value", name);
        return qd_node_rule(evaluation, node, slug,
                            "attribute %s is %lld, a type the operator does not take", name,
                            (long long)number);
    }
    *dtype = found;
    return QD_OK;
}
