/* SPDX-License-Identifier: Apache-2.0 */
/* Conv
 *
 * Source      ONNX Conv-1, -11, -22.
 * Inputs      X f32|f16 (22: bf16; f64 is UNSUPPORTED) [N, C, D1…Dn]; W like X [M, C/group, k1…kn];
 *             B like X [M], optional.
 * Outputs     Y like X [N, M, O1…On].
 * Attributes  auto_pad, dilations, group, kernel_shape, pads, strides: convolve.h.
 * Domain      rules x-type, w-type, bias-type, bias-shape and those of convolve.h.
 * Arithmetic  Y = B[m] + Σ X·W over the kernel; padding contributes nothing.
 * Edge cases  NaN or infinity among the terms: unspecified.
 * Latitude    every order of summation: float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "qdiff/convolve.h"

enum { X, W, B, INPUTS };

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_value *const *in)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= node->opset >= 22 ? QD_TYPE_BIT(QD_BF16) : 0;
    enum qd_status status = qd_operand_type(evaluation, node, "x", &in[X]->want, types);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "w", &in[W]->want, &in[X]->want);
    if (status == QD_OK && in[X]->want.dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Conv of f64");
    if (status == QD_OK && in[B])
        status = qd_same_type(evaluation, node, "bias", &in[B]->want, &in[X]->want);
    return status;
}

struct convolution {
    const struct qd_evaluation *evaluation;
    struct qd_float_operand x, w, b;
    bool has_bias;
    int64_t terms;
    struct qd_value *y;
    enum qd_status status; /* the first failure */
};

static void sum_column(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                       int64_t output, int64_t step)
{
    struct convolution *c = context;
    for (int64_t m = 0; c->status == QD_OK && m < filters; m++) {
        struct qd_float_sum sum = QD_FLOAT_SUM_OF_PRODUCTS;
        for (int64_t t = 0; t < c->terms; t++) {
            int64_t w = (first_filter + m) * c->terms + t;
            if (x_index[t] >= 0)
                qd_float_sum_product(&sum, &c->x, x_index[t], &c->w, w);
            else
                qd_float_sum_padding(&sum, &c->w, w);
        }
        if (c->has_bias)
            qd_float_sum_term(&sum, &c->b, first_filter + m);
        c->status = qd_float_sum_store(c->evaluation, &sum, 0, c->y, output + m * step);
    }
}

static enum qd_status convolve(const struct qd_evaluation *evaluation,
                               const struct qd_conv_shape *shape, const struct qd_value *const *in,
                               struct qd_value *y)
{
    struct convolution c = {
        .evaluation = evaluation, .has_bias = in[B] != NULL, .terms = qd_conv_terms(shape), .y = y};
    enum qd_status status = qd_float_operand_make(evaluation, in[X], &c.x);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[W], &c.w);
    if (status == QD_OK && in[B])
        status = qd_float_operand_make(evaluation, in[B], &c.b);
    const struct qd_float_operand *operands[] = {&c.x, &c.w, in[B] ? &c.b : NULL};
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, operands, INPUTS, y);
    if (status == QD_OK)
        status = qd_conv_visit(evaluation, shape, QD_WORK_FLOAT, sum_column, &c);
    return status != QD_OK ? status : c.status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_conv_shape shape;
    enum qd_status status = check(evaluation, node, in);
    if (status == QD_OK)
        status = qd_conv_shape_read(evaluation, node, &in[X]->want, &in[W]->want, &shape);
    if (status != QD_OK)
        return status;
    if (in[B] && (in[B]->want.rank != 1 || in[B]->want.count != shape.filters))
        return qd_node_rule(evaluation, node, "bias-shape",
                            "the bias has %lld elements, want [%lld]", (long long)in[B]->want.count,
                            (long long)shape.filters);
    int64_t dims[QD_MAX_RANK];
    unsigned rank = qd_conv_output_dims(&shape, dims);
    struct qd_value y;
    status = qd_value_init(&y, evaluation->arena, in[X]->want.dtype, rank, dims, evaluation->error);
    if (status == QD_OK && y.want.count > 0)
        status = convolve(evaluation, &shape, in, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_conv = {
    .domain = "",
    .name = "Conv",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_CONVOLVES,
    .operands = "X,W:weight,B:bias",
    .clause = "22: The convolution operator consumes an input tensor and a filter, and computes "
              "the output. ... Optional 1D bias to be added to the convolution",
    .attributes = QD_CONV_ATTRIBUTES,
    .rules = "x-type,w-type,bias-type,bias-shape," QD_CONV_RULES,
    .evaluate = evaluate,
};
