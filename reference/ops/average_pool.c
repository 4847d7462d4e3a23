/* SPDX-License-Identifier: Apache-2.0 */
/* AveragePool
 *
 * Source      ONNX AveragePool-1, -7, -10, -11, -19, -22.
 * Inputs      X f32|f16 (22: bf16) [N, C, D1…Dn]; f64 is UNSUPPORTED.
 * Outputs     Y like X [N, C, O1…On].
 * Attributes  kernel_shape (required), strides, pads, auto_pad, ceil_mode (10), dilations (19):
 *             convolve.h; count_include_pad (7) 0|1 (0).
 * Domain      rules x-type and those of convolve.h.
 * Arithmetic  Y = the sum over the window divided by its number of elements, rounded once; with
 *             count_include_pad padding counts (and adds nothing).
 * Edge cases  A window of padding alone: unspecified unless padding counts (then 0). With
 *             count_include_pad, a window that ceil_mode
 *             lets reach beyond the padding: unspecified, whether what lies there counts is not
 *               said.
 * Latitude    every order of summation, then a division or a product with the reciprocal:
 *             float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "qdiff/convolve.h"

struct pool {
    const struct qd_evaluation *evaluation;
    struct qd_conv_shape shape;
    struct qd_float_operand x;
    int64_t terms;
    bool include_pad;
    struct qd_value y;
    enum qd_status status; /* the first failure */
};

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    struct pool *p = context;
    struct qd_float_sum sum = QD_FLOAT_SUM_OF_TERMS;
    (void)first_filter;
    (void)filters; /* one, the channel itself */
    if (p->status != QD_OK)
        return;
    for (int64_t t = 0; t < p->terms; t++)
        if (x_index[t] >= 0)
            qd_float_sum_term(&sum, &p->x, x_index[t]);
    int64_t divisor = p->include_pad ? p->terms : sum.terms;
    bool open = p->include_pad && qd_pool_window_overhangs(&p->shape, output % step);
    if (divisor == 0 || open)
        p->status = qd_interval_store_flag(&p->y, output, QD_UNSPECIFIED, p->evaluation->arena,
                                           p->evaluation->error);
    else
        p->status = qd_float_sum_store_mean(p->evaluation, &sum, divisor, &p->y, output);
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, struct pool *p)
{
    int64_t ceil_mode = 0, include_pad = 0;
    enum qd_status status = qd_real_operand_type(evaluation, node, "x", x, 22);
    if (status == QD_OK)
        status = qd_node_int(node, "ceil_mode", 0, &ceil_mode, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "count_include_pad", 0, &include_pad, evaluation->error);
    if (status == QD_OK)
        status = qd_pool_shape_read(evaluation, node, x, ceil_mode != 0, &p->shape);
    p->include_pad = include_pad != 0;
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct pool p = {.evaluation = evaluation};
    const struct qd_float_operand *operand = &p.x;
    int64_t dims[QD_MAX_RANK];
    enum qd_status status = read_node(evaluation, node, &in[0]->want, &p);
    if (status == QD_OK) {
        unsigned rank = qd_conv_output_dims(&p.shape, dims);
        status = qd_value_init(&p.y, evaluation->arena, in[0]->want.dtype, rank, dims,
                               evaluation->error);
    }
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[0], &p.x);
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, &operand, 1, &p.y);
    if (status == QD_OK && p.y.want.count > 0) {
        p.terms = qd_conv_terms(&p.shape);
        status = qd_conv_visit(evaluation, &p.shape, QD_WORK_POOL, visit, &p);
    }
    status = status == QD_OK ? p.status : status;
    if (status == QD_OK)
        out[0] = p.y;
    return status;
}

const struct qd_op qd_op_average_pool = {
    .domain = "",
    .name = "AveragePool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MEAN,
    .operands = "X",
    .clause = "22: computing the average on all values of a subset of the input tensor ... The "
              "output of each pooling window is divided by the number of elements (exclude pad "
              "when attribute count_include_pad is zero).",
    .attributes =
        "auto_pad,kernel_shape,pads,strides,count_include_pad:7-,ceil_mode:10-,dilations:19-",
    .flags = "count_include_pad,ceil_mode",
    .rules = "x-type," QD_POOL_RULES,
    .evaluate = evaluate,
};
