/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool
 *
 * Source      ONNX MaxPool-1, -8, -10, -11, -12, -22.
 * Inputs      X f32|f16|f64 (12: u8 s8; 22: bf16) [N, C, D1…Dn].
 * Outputs     Y like X [N, C, O1…On]; Indices (8), optional, s64 of Y's shape.
 * Attributes  kernel_shape (required), strides, pads, auto_pad, dilations (10), ceil_mode (10):
 *             convolve.h; storage_order (8) 0 row major, 1 column major, for Indices only.
 * Domain      rules x-type, attribute-unknown, output-count (Indices before 8), storage_order-value
 *             and those of convolve.h.
 *             UNSUPPORTED: Indices of an interval, and of column major order unless N·C = 1
 *               (whether N and C are reversed
 *             too is not said).
 * Arithmetic  Y = the greatest element of the window; padding takes no part. Indices = its position
 *             in X.
 * Edge cases  NaN in a window, or a window of padding alone: unspecified; so is the index of one of
 *             several greatest.
 * Latitude    none of its own: the hull is the greatest lower end to the greatest upper end. */
#include "graph/operand_checks.h"
#include "kernel/maximum.h"
#include "qdiff/convolve.h"

struct pool {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    int64_t terms;
    struct qd_value *y, *indices; /* indices: NULL if they are not asked for */
    bool column_major;
    enum qd_status status; /* the first failure */
};

static int64_t position(const struct pool *p, int64_t i)
{
    const struct qd_tensor *x = &p->x->want;
    int64_t coordinates[QD_MAX_RANK], index = 0;
    if (!p->column_major)
        return i;
    qd_tensor_coordinates(x, i, coordinates);
    for (unsigned axis = x->rank; axis-- > 2;) /* the first spatial axis runs fastest */
        index = index * x->dims[axis] + coordinates[axis];
    return index;
}

static enum qd_status store_index(const struct pool *p, const struct qd_maximum *w, int64_t output)
{
    struct qd_code code = {.want = 0, .lo = 0, .hi = 0, .flags = QD_UNSPECIFIED};
    if (!w->empty && !w->unspecified && !w->tied)
        code = (struct qd_code){.want = position(p, w->best), .lo = 0, .hi = 0, .flags = 0};
    code.lo = code.hi = code.want;
    return qd_value_set_code(p->indices, output, code, p->evaluation->arena, p->evaluation->error);
}

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    struct pool *p = context;
    struct qd_maximum w = QD_MAXIMUM_EMPTY;
    (void)first_filter;
    (void)filters; /* one, the channel itself */
    (void)step;
    if (p->status != QD_OK)
        return;
    for (int64_t t = 0; t < p->terms; t++)
        if (x_index[t] >= 0)
            qd_maximum_include(&w, p->x, x_index[t]);
    p->status = qd_maximum_store(p->evaluation, &w, p->x, p->y, output);
    if (p->status == QD_OK && p->indices)
        p->status = store_index(p, &w, output);
}

static bool asks_for_indices(const struct qd_node *node)
{
    return node->output_count > 1 && node->outputs[1] != QD_NO_VALUE;
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= node->opset >= 12 ? QD_8BIT_TYPES : 0;
    types |= node->opset >= 22 ? QD_TYPE_BIT(QD_BF16) : 0;
    if (asks_for_indices(node) && node->opset < 8)
        return qd_node_rule(evaluation, node, "output-count", "Indices exist since opset 8");
    return qd_operand_type(evaluation, node, "x", x, types);
}

/* Prepares Indices; nothing if they are not asked for. */
static enum qd_status begin_indices(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_value *const *in,
                                    struct qd_value *indices, struct pool *p)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t order;
    enum qd_status status = qd_node_int(node, "storage_order", 0, &order, evaluation->error);
    if (status == QD_OK && order != 0 && order != 1)
        return qd_node_rule(evaluation, node, "storage_order-value", "storage_order is %lld",
                            (long long)order);
    if (status != QD_OK || !asks_for_indices(node))
        return status;
    if (order == 1 && x->dims[0] * x->dims[1] != 1)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "MaxPool: column major Indices of more than one channel");
    status = qd_operands_are_points(evaluation, node, in, 1);
    if (status == QD_OK)
        status = qd_value_init(indices, evaluation->arena, QD_S64, p->y->want.rank, p->y->want.dims,
                               evaluation->error);
    p->column_major = order == 1;
    p->indices = indices;
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_conv_shape shape;
    struct qd_value y, indices;
    struct pool p = {.evaluation = evaluation, .x = in[0], .y = &y};
    int64_t ceil_mode = 0;
    enum qd_status status = check(evaluation, node, &in[0]->want);
    if (status == QD_OK)
        status = qd_node_int(node, "ceil_mode", 0, &ceil_mode, evaluation->error);
    if (status == QD_OK)
        status = qd_pool_shape_read(evaluation, node, &in[0]->want, ceil_mode != 0, &shape);
    if (status == QD_OK) {
        int64_t dims[QD_MAX_RANK];
        unsigned rank = qd_conv_output_dims(&shape, dims);
        status = qd_maximum_begin(evaluation, in[0], rank, dims, &y);
    }
    if (status == QD_OK)
        status = begin_indices(evaluation, node, in, &indices, &p);
    if (status == QD_OK && y.want.count > 0) {
        p.terms = qd_conv_terms(&shape);
        status = qd_conv_visit(evaluation, &shape, QD_WORK_POOL, visit, &p);
    }
    status = status == QD_OK ? p.status : status;
    if (status != QD_OK)
        return status;
    out[0] = y;
    if (p.indices)
        out[1] = indices;
    return QD_OK;
}

const struct qd_op qd_op_max_pool = {
    .domain = "",
    .name = "MaxPool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 2,
    .form = QD_FORM_LARGEST,
    .operands = "X",
    .clause = "22: computing the max on all values of a subset of the input tensor according to "
              "the kernel size ... The output of each pooling window is maximum number of elements "
              "exclude pad.",
    .attributes = "auto_pad,kernel_shape,pads,strides,storage_order:8-,dilations:10-,ceil_mode:10-",
    .flags = "storage_order,ceil_mode",
    .rules = "x-type,storage_order-value," QD_POOL_RULES,
    .evaluate = evaluate,
};
