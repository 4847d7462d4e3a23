/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/in_floats.h"

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

static void make_bias_real(struct qd_edit *edit, qd_bias_step *step)
{
    const struct qd_tensor *from = &edit->in[BIAS]->want;
    struct qd_tensor *to = qd_edit_new(edit, BIAS, QD_F32, from->rank, from->dims);
    float x_scale = qd_flushed((float)qd_parameter_at(edit->in[X_SCALE], 0));
    for (int64_t m = 0; to && m < to->count; m++) {
        float w_scale = qd_flushed((float)qd_parameter_at(edit->in[W_SCALE], m));
        float one = qd_flushed(step(x_scale, w_scale));
        float real = (float)qd_tensor_get(from, m) * one;
        qd_tensor_set(to, m, (int64_t)qd_float_encode(QD_F32, (double)real, false));
    }
}

static enum qd_status in_floats(const struct qd_override *self, struct qd_edit *edit,
                                const struct qd_attr *axis, struct qd_value *out)
{
    const struct qd_value *const *in = edit->in;
    struct qd_value x, w, y;
    const struct qd_value *x_in[QD_MAX_OPERANDS] = {in[X], in[X_SCALE], in[X_ZERO_POINT]};
    const struct qd_value *w_in[QD_MAX_OPERANDS] = {in[W], in[W_SCALE], in[W_ZERO_POINT]};
    const struct qd_value *conv_in[QD_MAX_OPERANDS] = {&x, &w, in[BIAS]};
    const struct qd_value *y_in[QD_MAX_OPERANDS] = {&y, in[Y_SCALE], in[Y_ZERO_POINT]};
    enum qd_status status = qd_in_floats_call(self, edit, "DequantizeLinear", axis, x_in, &x);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "DequantizeLinear", axis, w_in, &w);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "Conv", NULL, conv_in, &y);
    return status == QD_OK ? qd_in_floats_call(self, edit, "QuantizeLinear", axis, y_in, out)
                           : status;
}

enum qd_status qd_quirk_in_floats(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_bias_step *step, int64_t w_axis, struct qd_value *out)
{
    const struct qd_attr axis = {.name = "axis", .kind = QD_ATTR_INT, .i = w_axis};
    struct qd_edit edit;
    struct qd_value right;
    /* What is wrong with the node is for its operator to say. */
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, &right);
    if (status != QD_OK)
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    for (int i = X_SCALE; i <= Y_ZERO_POINT; i++)
        if (i != W)
            qd_in_floats_spread(&edit, i,
                                i == W_SCALE || i == W_ZERO_POINT ? in[W]->want.dims[w_axis] : 0);
    if (in[BIAS])
        make_bias_real(&edit, step);
    return in_floats(self, &edit, &axis, out);
}
