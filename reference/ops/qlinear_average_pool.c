/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearAveragePool (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearAveragePool-1; the geometry is
 *             AveragePool's.
 * Inputs      X u8|s8 [N, C, D1…Dn], or [N, D1…Dn, C]; x_scale f32 [], x_zero_point like X []
 *             (optional: 0), y_scale f32 [], y_zero_point like X [] (optional: 0).
 * Outputs     Y like X, [N, C, O1…On] or [N, O1…On, C].
 * Attributes  kernel_shape (required), strides, pads, auto_pad, ceil_mode: convolve.h;
 *             count_include_pad 0|1 (0); channels_last 0|1 (0).
 * Domain      rules x-type, x_scale-type, x_scale-shape, x_zero_point-…, y_scale-…, y_zero_point-…,
 *             attribute-unknown (dilations) and those of convolve.h. UNSUPPORTED: count_include_pad
 *             where ceil_mode gives a window beyond the padding: whether what lies there counts is
 *               not said.
 * Arithmetic  Y = saturate(round_half_even(x_scale·Σ(X − x_zero_point)/(n·y_scale)) + y_zero_point)
 *             over the window; n counts its elements, padding too with count_include_pad (it adds
 *             nothing to the sum).
 * Edge cases  a window of padding alone: unspecified, unless padding counts (then y_zero_point); a
 *             scale that is NaN or infinite,
 *             y_scale = 0: unspecified.
 * Latitude    qd_mean_store in qlinear.h.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "qdiff/convolve.h"
#include "quantize/qlinear.h"

enum { X, X_SCALE, X_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

struct pool {
    const struct qd_evaluation *evaluation;
    struct qd_qlinear x, parameters;
    struct qd_output_quantizer quantizer;
    struct qd_conv_shape shape;
    bool include_pad, channels_last;
    int64_t terms, in_plane, out_plane;
    struct qd_value y;
    enum qd_status status; /* the first failure */
};

/* Index into a tensor with channels last of element `index` of one with channels first. */
static int64_t channels_last(int64_t index, int64_t channels, int64_t plane)
{
    int64_t n = index / (channels * plane), c = index / plane % channels, at = index % plane;
    return (n * plane + at) * channels + c;
}

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    struct pool *p = context;
    struct qd_mean mean = {0};
    int64_t channels = p->shape.channels;
    (void)first_filter;
    (void)filters; /* one, the channel itself */
    (void)step;
    if (p->status != QD_OK)
        return;
    for (int64_t t = 0; t < p->terms; t++) {
        int64_t i = x_index[t];
        if (i >= 0)
            qd_mean_include(
                &mean,
                p->x.centred[p->channels_last ? channels_last(i, channels, p->in_plane) : i]);
    }
    int64_t at = p->channels_last ? channels_last(output, channels, p->out_plane) : output;
    p->status = qd_mean_store(p->evaluation, &mean, p->include_pad ? p->terms : mean.terms, &p->x,
                              &p->quantizer, p->parameters.scale, &p->y, at);
}

static enum qd_status read_flag(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const char *name, bool *flag)
{
    int64_t value;
    enum qd_status status = qd_node_int(node, name, 0, &value, evaluation->error);
    if (status == QD_OK)
        *flag = value != 0;
    return status;
}

/* The shape with channels second, whatever the layout. */
static struct qd_tensor channels_second(const struct qd_tensor *x, bool last)
{
    struct qd_tensor t = *x;
    for (unsigned i = 1; last && x->rank >= 3 && i < x->rank; i++)
        t.dims[i] = x->dims[i == 1 ? x->rank - 1 : i - 1];
    return t;
}

static bool beyond_padding(const struct qd_conv_shape *s)
{
    int64_t last = 1;
    for (unsigned i = 0; i < s->spatial; i++)
        last *= s->out[i];
    return qd_pool_window_overhangs(s, last - 1);
}

static enum qd_status read_geometry(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, struct pool *p)
{
    bool ceil_mode = false;
    if (qd_node_attr(node, "dilations"))
        return qd_node_rule(evaluation, node, "attribute-unknown", "it has no dilations");
    enum qd_status status = read_flag(evaluation, node, "channels_last", &p->channels_last);
    if (status == QD_OK)
        status = read_flag(evaluation, node, "count_include_pad", &p->include_pad);
    if (status == QD_OK)
        status = read_flag(evaluation, node, "ceil_mode", &ceil_mode);
    struct qd_tensor x = channels_second(p->x.codes, p->channels_last);
    if (status == QD_OK)
        status = qd_pool_shape_read(evaluation, node, &x, ceil_mode, &p->shape);
    if (status == QD_OK && p->include_pad && beyond_padding(&p->shape))
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: count_include_pad with a window beyond the padding", node->op_type);
    return status;
}

static enum qd_status prepare_output(struct pool *p)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = qd_conv_output_dims(&p->shape, dims);
    p->in_plane = p->out_plane = 1;
    for (unsigned i = 0; i < p->shape.spatial; i++) {
        p->in_plane *= p->shape.in[i];
        p->out_plane *= p->shape.out[i];
    }
    for (unsigned i = 1; p->channels_last && i < rank; i++)
        dims[i] = i == rank - 1 ? p->shape.channels : p->shape.out[i - 1];
    p->terms = qd_conv_terms(&p->shape);
    return qd_value_init(&p->y, p->evaluation->arena, p->x.codes->dtype, rank, dims,
                         p->evaluation->error);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct pool p = {.evaluation = evaluation};
    enum qd_dtype type = in[X]->want.dtype;
    enum qd_status status = qd_qlinear_read(evaluation, node, "x", in[X], in[X_SCALE],
                                            in[X_ZERO_POINT], QD_DTYPE_NONE, QD_SCALAR_ONLY, &p.x);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "y", NULL, in[Y_SCALE], in[Y_ZERO_POINT], type,
                                 QD_SCALAR_ONLY, &p.parameters);
    if (status == QD_OK)
        status = read_geometry(evaluation, node, &p);
    if (status == QD_OK)
        status = prepare_output(&p);
    if (status != QD_OK)
        return status;
    p.quantizer = qd_qlinear_quantizer(evaluation, type, &p.parameters);
    if (p.y.want.count > 0)
        status = qd_conv_visit(evaluation, &p.shape, QD_WORK_POOL, visit, &p);
    status = status == QD_OK ? p.status : status;
    if (status == QD_OK)
        out[0] = p.y;
    return status;
}

const struct qd_op qd_op_qlinear_average_pool = {
    .domain = "com.microsoft",
    .name = "QLinearAveragePool",
    .since = 1,
    .min_inputs = 4,
    .max_inputs = 5,
    .outputs = 1,
    .optional = 1 << X_ZERO_POINT,
    .form = QD_FORM_MEAN,
    .operands = "X,x_scale,x_zero_point,y_scale,y_zero_point",
    .clause =
        "1: divided by the number of elements (exclude pad when attribute count_include_pad is "
        "zero). ... Output = Dequantize(Input) -> AveragePool on fp32 data -> Quantize(output)",
    .attributes = "auto_pad,kernel_shape,pads,strides,count_include_pad,ceil_mode,channels_last",
    .flags = "count_include_pad,ceil_mode,channels_last",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape,"
             "kernel_shape-missing,kernel_shape-positive,x-rank,kernel_shape-length,"
             "strides-length,strides-positive,pads-length,pads-negative,auto_pad-value,"
             "auto_pad-with-pads,output-empty",
    .evaluate = evaluate,
};
