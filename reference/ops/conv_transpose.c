/* SPDX-License-Identifier: Apache-2.0 */
/* ConvTranspose
 *
 * Source      ONNX ConvTranspose-1, -11, -22.
 * Inputs      X f32|f16 (22: bf16) [N, C, D1…Dn]; W like X [C, M/group, k1…kn]; B like X [M],
 *             optional. f64 is UNSUPPORTED.
 * Outputs     Y like X [N, M, O1…On].
 * Attributes  auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads,
 *             strides: convolve.h.
 * Domain      rules x-type, w-type, bias-type, bias-shape and those of convolve.h.
 * Arithmetic  Y[n, m, o] = B[m] + Σ X[n, c, i]·W[c, m, t] over the channels c of m's group and all
 *             i, t with o = i·stride + t·dilation − pad_begin in every axis; no term: 0.
 * Edge cases  NaN or infinity among the terms: unspecified.
 * Latitude    every order of summation: float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "qdiff/convolve.h"

enum { X, W, B, INPUTS };

struct transposed {
    const struct qd_evaluation *evaluation;
    const struct qd_conv_shape *shape;
    struct qd_float_operand x, w, b;
    bool has_bias;
    int64_t taps, plane, step; /* kernel positions; spatial sizes of x and y */
};

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_value *const *in)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    types |= node->opset >= 22 ? QD_TYPE_BIT(QD_BF16) : 0;
    if (in[X]->want.dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of f64", node->op_type);
    enum qd_status status = qd_operand_type(evaluation, node, "x", &in[X]->want, types);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "w", &in[W]->want, &in[X]->want);
    if (status == QD_OK && in[B])
        status = qd_same_type(evaluation, node, "bias", &in[B]->want, &in[X]->want);
    return status;
}

/* The sum at spatial position o of filter m, batch n. */
static struct qd_float_sum sum_of(const struct transposed *c, int64_t n, int64_t m, int64_t o)
{
    const struct qd_conv_shape *s = c->shape;
    int64_t filters = s->filters / s->group, depth = s->channels / s->group;
    int64_t first = m / filters * depth;
    struct qd_float_sum sum = QD_FLOAT_SUM_OF_PRODUCTS;
    for (int64_t t = 0; t < c->taps; t++) {
        int64_t from = qd_conv_transpose_source(s, o, t);
        for (int64_t k = first; k < first + depth; k++) {
            int64_t w = (k * filters + m % filters) * c->taps + t;
            if (from >= 0)
                qd_float_sum_product(&sum, &c->x, (n * s->channels + k) * c->plane + from, &c->w,
                                     w);
            else
                qd_float_sum_padding(&sum, &c->w, w);
        }
    }
    if (c->has_bias)
        qd_float_sum_term(&sum, &c->b, m);
    return sum;
}

static int64_t product(const int64_t *sizes, unsigned count)
{
    int64_t p = 1;
    for (unsigned i = 0; i < count; i++)
        p *= sizes[i];
    return p;
}

static enum qd_status convolve(const struct qd_evaluation *evaluation,
                               const struct qd_conv_shape *shape, const struct qd_value *const *in,
                               struct qd_value *y)
{
    struct transposed c = {.evaluation = evaluation,
                           .shape = shape,
                           .has_bias = in[B] != NULL,
                           .taps = product(shape->kernel, shape->spatial),
                           .plane = product(shape->in, shape->spatial),
                           .step = product(shape->out, shape->spatial)};
    enum qd_status status = qd_float_operand_make(evaluation, in[X], &c.x);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[W], &c.w);
    if (status == QD_OK && in[B])
        status = qd_float_operand_make(evaluation, in[B], &c.b);
    const struct qd_float_operand *operands[] = {&c.x, &c.w, in[B] ? &c.b : NULL};
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, operands, INPUTS, y);
    int64_t depth = shape->channels / shape->group;
    if (status == QD_OK)
        status = qd_spend(evaluation,
                          (double)y->want.count * (double)c.taps * (double)depth * QD_WORK_FLOAT);
    int64_t count = qd_sample_elements(evaluation, y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        int64_t o = i % c.step, m = i / c.step % shape->filters, n = i / c.step / shape->filters;
        struct qd_float_sum sum = sum_of(&c, n, m, o);
        status = qd_float_sum_store(evaluation, &sum, 0, y, i);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_conv_shape shape;
    enum qd_status status = check(evaluation, node, in);
    if (status == QD_OK)
        status = qd_conv_transpose_shape_read(evaluation, node, &in[X]->want, &in[W]->want, &shape);
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

const struct qd_op qd_op_conv_transpose = {
    .domain = "",
    .name = "ConvTranspose",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_CONVOLVES_BACK,
    .operands = "X,W:weight,B:bias",
    .clause = "22: The convolution transpose operator consumes an input tensor and a filter, and "
              "computes the output. ... Optional 1D bias to be added to the convolution",
    .attributes = "auto_pad,dilations,group,kernel_shape,output_padding,output_shape,pads,strides",
    .rules = "x-type,w-type,bias-type,bias-shape,x-rank,w-rank,group-positive,group-channels,"
             "kernel_shape-length,kernel_shape-mismatch,strides-length,strides-positive,"
             "dilations-length,dilations-positive,pads-length,pads-negative,auto_pad-value,"
             "auto_pad-with-pads,output_padding-length,output_padding-range,"
             "output_shape-length,output_shape-positive,output-empty",
    .evaluate = evaluate,
};
