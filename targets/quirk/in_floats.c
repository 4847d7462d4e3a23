/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/in_floats.h"

#include <math.h>

#include "qdiff/convolve.h"
#include "quirk/dequantize.h"
#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT, W, W_SCALE, W_ZERO_POINT, Y_SCALE, Y_ZERO_POINT, BIAS };

#define OPSET 13 /* DequantizeLinear with an axis */

enum qd_status qd_in_floats_call(const struct qd_override *self, struct qd_edit *edit,
                                 const char *op_type, const struct qd_attr *axis,
                                 const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_node node = edit->node;
    node.domain = "";
    node.op_type = op_type;
    node.op = qd_op_find("", op_type);
    node.opset = OPSET;
    if (axis) {
        node.attrs = axis;
        node.attr_count = 1;
    }
    return edit->status == QD_OK ? qd_override_node(&edit->evaluation, self->next, &node, in, out)
                                 : edit->status;
}

void qd_in_floats_spread(struct qd_edit *edit, int i, int64_t count)
{
    const struct qd_tensor *from = &edit->in[i]->want;
    struct qd_tensor *to = qd_edit_new(edit, i, from->dtype, count > 0, &count);
    for (int64_t m = 0; to && m < to->count; m++)
        qd_tensor_set(to, m, qd_tensor_get(from, m < from->count ? m : 0));
}

float qd_product_of_scales(float x_scale, float w_scale)
{
    return x_scale * w_scale;
}

float qd_no_step(float x_scale, float w_scale)
{
    (void)x_scale, (void)w_scale;
    return 1;
}

static float flushed_step(qd_bias_step *step, float x_scale, float w_scale)
{
    return qd_flushed(step(qd_flushed(x_scale), qd_flushed(w_scale)));
}

static void make_bias_real(struct qd_edit *edit, const struct qd_layer_in_floats *layer)
{
    const struct qd_tensor *from = &edit->in[BIAS]->want;
    struct qd_tensor *to = qd_edit_new(edit, BIAS, QD_F32, from->rank, from->dims);
    float x_scale = (float)qd_parameter_at(edit->in[X_SCALE], 0);
    for (int64_t m = 0; to && m < to->count; m++) {
        float w_scale = (float)qd_parameter_at(edit->in[W_SCALE], m);
        float one = layer->has_infinities ? layer->step(x_scale, w_scale)
                                          : flushed_step(layer->step, x_scale, w_scale);
        double real = (double)((float)qd_tensor_get(from, m) * one);
        qd_tensor_set(to, m, (int64_t)qd_float_encode(QD_F32, real, false));
    }
}

/* --- Terms that are no finite numbers --------------------------------------------------------------- */

struct infinite_sums {
    const struct qd_tensor *x, *w, *bias;
    int64_t terms;
    struct qd_value *y;
};

static double sum_of(const struct infinite_sums *sums, const int64_t *x_index, int64_t m)
{
    double sum = sums->bias ? qd_tensor_value(sums->bias, m) : 0;
    for (int64_t t = 0; t < sums->terms; t++)
        if (x_index[t] >= 0)
            sum += qd_tensor_value(sums->x, x_index[t]) *
                   qd_tensor_value(sums->w, m * sums->terms + t);
    return sum;
}

/* What IEEE 754 says of a sum that the page leaves open: infinite, or NaN of 0 * inf and inf - inf. */
static void settle_column(void *context, const int64_t *x_index, int64_t first_filter,
                          int64_t filters, int64_t output, int64_t step)
{
    struct infinite_sums *sums = context;
    for (int64_t m = first_filter; m < first_filter + filters; m++) {
        int64_t at = output + (m - first_filter) * step;
        double sum = sum_of(sums, x_index, m);
        if (isfinite(sum) || !(qd_value_flags(sums->y, at) & QD_UNSPECIFIED))
            continue;
        qd_tensor_set(&sums->y->want, at, (int64_t)qd_float_encode(QD_F32, sum, false));
        sums->y->flags[at] &= (uint8_t)~QD_UNSPECIFIED;
    }
}

static enum qd_status settle(const struct qd_edit *edit, const struct qd_value *const *in,
                             struct qd_value *y)
{
    struct qd_conv_shape shape;
    const struct qd_tensor *x = &in[0]->want, *w = &in[1]->want,
                           *bias = in[2] ? &in[2]->want : NULL;
    if (!y->flags)
        return QD_OK;
    enum qd_status status = qd_conv_shape_read(&edit->evaluation, &edit->node, x, w, &shape);
    if (status != QD_OK)
        return status;
    struct infinite_sums sums = {x, w, bias, qd_conv_terms(&shape), y};
    return qd_conv_visit(&edit->evaluation, &shape, 1, settle_column, &sums);
}

/* The code of a sum that is NaN, which the page of QuantizeLinear leaves open. */
static void make_nan_0(const struct qd_value *sum, struct qd_value *out)
{
    for (int64_t i = 0; out->flags && i < out->want.count; i++) {
        if (!isnan(qd_tensor_value(&sum->want, i)) || qd_value_flags(sum, i) & QD_UNSPECIFIED)
            continue;
        qd_tensor_set(&out->want, i, 0);
        out->flags[i] = 0;
        if (out->lo)
            out->lo[i] = out->hi[i] = 0;
    }
}

/* --- The layer -------------------------------------------------------------------------------------- */

static enum qd_status in_floats(const struct qd_override *self, struct qd_edit *edit,
                                const struct qd_layer_in_floats *layer, struct qd_value *out)
{
    const struct qd_attr axis = {.name = "axis", .kind = QD_ATTR_INT, .i = layer->w_axis};
    const struct qd_value *const *in = edit->in;
    struct qd_value x, w, y;
    const struct qd_value *x_in[QD_MAX_OPERANDS] = {in[X], in[X_SCALE], in[X_ZERO_POINT]};
    const struct qd_value *w_in[QD_MAX_OPERANDS] = {in[W], in[W_SCALE], in[W_ZERO_POINT]};
    const struct qd_value *conv_in[QD_MAX_OPERANDS] = {&x, &w, in[BIAS]};
    const struct qd_value *y_in[QD_MAX_OPERANDS] = {&y, in[Y_SCALE], in[Y_ZERO_POINT]};
    enum qd_status status = qd_in_floats_call(self, edit, "DequantizeLinear", &axis, x_in, &x);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "DequantizeLinear", &axis, w_in, &w);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "Conv", NULL, conv_in, &y);
    if (status == QD_OK && layer->has_infinities)
        status = settle(edit, conv_in, &y);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "QuantizeLinear", &axis, y_in, out);
    if (status == QD_OK && layer->nan_is_0)
        make_nan_0(&y, out);
    return status;
}

enum qd_status qd_quirk_in_floats(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  const struct qd_layer_in_floats *layer, struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value right;
    /* What is wrong with the node is for its operator to say. */
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, &right);
    if (status != QD_OK)
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    for (int i = X_SCALE; i <= Y_ZERO_POINT; i++)
        if (i != W)
            qd_in_floats_spread(
                &edit, i, i == W_SCALE || i == W_ZERO_POINT ? in[W]->want.dims[layer->w_axis] : 0);
    if (in[BIAS])
        make_bias_real(&edit, layer);
    return in_floats(self, &edit, layer, out);
}
