/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConv
 *
 * Source      ONNX QLinearConv-10.
 * Inputs      x u8|s8 [N, C, D1…Dn]; x_scale f32 scalar|[1]; x_zero_point like x, scalar|[1];
 *             w u8|s8 [M, C/group, k1…kn]; w_scale f32 scalar|[1]|[M]; w_zero_point like w,
 *             scalar|[1]|[M]; y_scale f32 scalar|[1]; y_zero_point u8|s8 scalar|[1]; B s32 [M],
 *             optional.
 * Outputs     y of y_zero_point's type [N, M, O1…On].
 * Attributes  auto_pad, dilations, group, kernel_shape, pads, strides: convolve.h.
 * Domain      every other type or shape is INVALID, rule QLinearConv/<input>-type or -shape, and so
 *             is, as w_zero_point-shape, w_scale of another shape than w_zero_point: "Each scale and
 *             zero-point pair must have same shape. It means they must be either scalars (per
 *             tensor) or 1-D tensors (per output channel)". An interval as an operand is
 *             UNSUPPORTED.
 * Arithmetic  (1) acc = B[m] + Σ (x − x_zero_point)·(w − w_zero_point[m]); padding is x_zero_point:
 *             contributes 0
 *             (2) y = saturate(round_half_even(acc·x_scale·w_scale[m]/y_scale) + y_zero_point)
 * Edge cases  |acc| beyond int32, a scale that is NaN or infinite, y_scale = 0: unspecified.
 * Latitude    the float32 orders of (2), see requantize.h. Its page has no rounding: another one to the nearest code,
 *             or of the sum with y_zero_point, is advisory.
 * Quirks      accumulator, padding, zero_points, requantize, rounding, zero_point_order, range. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/convolve.h"
#include "quantize/requantize.h"

enum { X, X_SCALE, X_ZERO_POINT, W, W_SCALE, W_ZERO_POINT, Y_SCALE, Y_ZERO_POINT, B, INPUTS };

struct operands {
    const struct qd_tensor *t[INPUTS];
};

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct operands *in)
{
    const uint32_t f32 = QD_TYPE_BIT(QD_F32);
    enum qd_status status = qd_operand_type(evaluation, node, "x", in->t[X], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "w", in->t[W], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "x_zero_point", in->t[X_ZERO_POINT], in->t[X]);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "w_zero_point", in->t[W_ZERO_POINT], in->t[W]);
    if (status == QD_OK)
        status =
            qd_operand_type(evaluation, node, "y_zero_point", in->t[Y_ZERO_POINT], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "x_scale", in->t[X_SCALE], f32);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "w_scale", in->t[W_SCALE], f32);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "y_scale", in->t[Y_SCALE], f32);
    if (status == QD_OK && in->t[B])
        status = qd_operand_type(evaluation, node, "bias", in->t[B], QD_TYPE_BIT(QD_S32));
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct operands *in,
                                   int64_t filters)
{
    static const struct {
        int index;
        const char *name;
        bool per_channel;
    } rows[] = {
        {X_SCALE, "x_scale", false}, {X_ZERO_POINT, "x_zero_point", false},
        {W_SCALE, "w_scale", true},  {W_ZERO_POINT, "w_zero_point", true},
        {Y_SCALE, "y_scale", false}, {Y_ZERO_POINT, "y_zero_point", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum qd_status status =
            qd_parameter_shape(evaluation, node, rows[i].name, in->t[rows[i].index],
                               rows[i].per_channel ? filters : QD_ONE_FOR_ALL);
        if (status != QD_OK)
            return status;
    }
    enum qd_status status = qd_pair_shape(evaluation, node, "w_scale", in->t[W_SCALE],
                                          "w_zero_point", in->t[W_ZERO_POINT]);
    if (status != QD_OK)
        return status;
    if (in->t[B] && (in->t[B]->rank != 1 || in->t[B]->count != filters))
        return qd_node_rule(evaluation, node, "bias-shape",
                            "the bias has %lld elements and rank %u, want [%lld]",
                            (long long)in->t[B]->count, in->t[B]->rank, (long long)filters);
    return QD_OK;
}

/* Equation (1) without the bias. */
static enum qd_status accumulate(const struct qd_evaluation *evaluation, const struct operands *in,
                                 const struct qd_conv_shape *shape, int64_t count, int64_t **acc)
{
    int64_t *sums = qd_arena_array(evaluation->arena, (size_t)count, sizeof *sums);
    if (!sums)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld accumulators",
                       (long long)count);
    enum qd_status status = qd_conv_accumulate(evaluation, shape, in->t[X], in->t[X_ZERO_POINT],
                                               in->t[W], in->t[W_ZERO_POINT], sums);
    if (status == QD_OK)
        *acc = sums;
    return status;
}

static struct qd_requantizer channel(const struct qd_evaluation *evaluation,
                                     const struct operands *in, int64_t m)
{
    const struct qd_semantics *semantics = evaluation->semantics;
    struct qd_output_quantizer quantizer = qd_output_quantizer_make(
        semantics, in->t[Y_ZERO_POINT]->dtype, qd_tensor_get(in->t[Y_ZERO_POINT], 0));
    int64_t scale = semantics->requantize == QD_CHANNEL0_SCALE ? 0 : m;
    return qd_requantizer_make(quantizer, QD_F32, qd_parameter(in->t[X_SCALE], 0),
                               qd_parameter(in->t[W_SCALE], scale),
                               qd_parameter(in->t[Y_SCALE], 0));
}

/* Equation (2), channel by channel. */
static enum qd_status requantize(const struct qd_evaluation *evaluation, const struct operands *in,
                                 const struct qd_conv_shape *shape, const int64_t *acc,
                                 struct qd_value *y)
{
    int64_t filters = shape->filters, plane = y->want.count / (shape->batch * filters);
    for (int64_t m = 0; m < filters; m++) {
        int64_t bias = in->t[B] ? qd_tensor_get(in->t[B], m) : 0;
        struct qd_requantizer requantizer = channel(evaluation, in, m);
        requantizer.bias = bias;
        for (int64_t n = 0; n < shape->batch; n++)
            for (int64_t i = (n * filters + m) * plane, end = i + plane; i < end; i++) {
                int64_t sum = qd_accumulator_finish(evaluation->semantics, acc[i] + bias);
                enum qd_status status = qd_requantize_into(evaluation, &requantizer, sum, y, i);
                if (status != QD_OK)
                    return status;
            }
    }
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct operands operands;
    struct qd_conv_shape shape;
    for (int i = 0; i < INPUTS; i++)
        operands.t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = check_types(evaluation, node, &operands);
    if (status == QD_OK)
        status = qd_conv_shape_read(evaluation, node, operands.t[X], operands.t[W], &shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, &operands, shape.filters);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status != QD_OK)
        return status;
    int64_t dims[QD_MAX_RANK], *acc = NULL;
    unsigned rank = qd_conv_output_dims(&shape, dims);
    struct qd_value y;
    status = qd_value_init(&y, evaluation->arena, operands.t[Y_ZERO_POINT]->dtype, rank, dims,
                           evaluation->error);
    if (status == QD_OK && y.want.count > 0) {
        status = accumulate(evaluation, &operands, &shape, y.want.count, &acc);
        if (status == QD_OK)
            status = requantize(evaluation, &operands, &shape, acc, &y);
    }
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_qlinear_conv = {
    .domain = "",
    .name = "QLinearConv",
    .since = 10,
    .min_inputs = 8,
    .max_inputs = 9,
    .outputs = 1,
    .form = QD_FORM_CONVOLVES,
    .operands = "x,x_scale,x_zero_point,w:weight,w_scale,w_zero_point,y_scale,y_zero_point,B:bias",
    .rounding_open = true,
    .clause = "10: consumes a quantized input tensor, its scale and zero point, a quantized "
              "filter, its scale and zero point, and output's scale and zero point, and computes "
              "the quantized output.",
    .attributes = QD_CONV_ATTRIBUTES,
    .rules = "x-type,w-type,bias-type,x_scale-type,w_scale-type,y_scale-type,x_zero_point-type,w_"
             "zero_point-type,y_zero_point-type,x_scale-shape,x_zero_point-shape,w_scale-shape,w_"
             "zero_point-shape,y_scale-shape,y_zero_point-shape,bias-shape," QD_CONV_RULES,
    .evaluate = evaluate,
};
