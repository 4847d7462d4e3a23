/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearWhere (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearWhere-1.
 * Inputs      condition bool; X u8|s8, x_scale f32, x_zero_point like X; Y like X, y_scale,
 *             y_zero_point; z_scale, z_zero_point like X; parameters are scalars or [1].
 * Outputs     Z like X, of the shape that condition, X and Y broadcast to.
 * Domain      rules condition-type, x-type, x_scale-type, x_scale-shape, x_zero_point-…, those of y
 *             and z alike, broadcast.
 * Arithmetic  v = X where the condition holds, else Y; Z = saturate(round_half_even((v −
 *             v_zero_point)·v_scale/z_scale) + z_zero_point)
 * Edge cases  a scale that is NaN or infinite, z_scale = 0: unspecified, where it is used.
 * Latitude    (v·v_scale)/s or v·(v_scale/s) in float32, s the output's scale.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "graph/operand_checks.h"
#include "qdiff/broadcast.h"
#include "qdiff/movement.h"
#include "quantize/qlinear.h"

enum {
    CONDITION,
    X,
    X_SCALE,
    X_ZERO_POINT,
    Y,
    Y_SCALE,
    Y_ZERO_POINT,
    Z_SCALE,
    Z_ZERO_POINT,
    INPUTS
};

/* Both branches as codes of the output, and which is taken where. */
struct choice {
    const struct qd_tensor *condition, *branch[2];
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
};

static enum qd_status read_shape(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 struct choice *c)
{
    const struct qd_tensor *t = c->condition, *x = c->branch[0], *y = c->branch[1];
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    if (qd_broadcast_shape(x->rank, x->dims, y->rank, y->dims, &rank, dims) &&
        qd_broadcast_shape(t->rank, t->dims, rank, dims, &c->rank, c->dims))
        return QD_OK;
    return qd_node_rule(evaluation, node, "broadcast", "condition, x and y do not broadcast");
}

static struct qd_source source(const void *context, int64_t i)
{
    const struct choice *c = context;
    const struct qd_tensor *t = c->condition;
    int64_t at = qd_broadcast_index(t->rank, t->dims, c->rank, c->dims, i);
    size_t taken = qd_tensor_get(t, at) ? 0 : 1;
    const struct qd_tensor *x = c->branch[taken];
    return (struct qd_source){taken, qd_broadcast_index(x->rank, x->dims, c->rank, c->dims, i)};
}

static enum qd_status read_operands(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_value *const *in,
                                    struct qd_qlinear *x, struct qd_qlinear *y,
                                    struct qd_qlinear *z)
{
    enum qd_dtype type = in[X]->want.dtype;
    enum qd_status status =
        qd_operand_type(evaluation, node, "condition", &in[CONDITION]->want, QD_TYPE_BIT(QD_BOOL));
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "x", in[X], in[X_SCALE], in[X_ZERO_POINT],
                                 QD_DTYPE_NONE, QD_SCALAR_OR_ONE, x);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "y", in[Y], in[Y_SCALE], in[Y_ZERO_POINT], type,
                                 QD_SCALAR_OR_ONE, y);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "z", NULL, in[Z_SCALE], in[Z_ZERO_POINT], type,
                                 QD_SCALAR_OR_ONE, z);
    return status == QD_OK ? qd_operands_are_points(evaluation, node, in, 1) : status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_qlinear x, y, z;
    struct qd_value converted[2];
    enum qd_dtype type = in[X]->want.dtype;
    struct choice c = {.condition = &in[CONDITION]->want, .branch = {&in[X]->want, &in[Y]->want}};
    const struct qd_value *operands[] = {&converted[0], &converted[1]};
    enum qd_status status = read_operands(evaluation, node, in, &x, &y, &z);
    if (status == QD_OK)
        status = read_shape(evaluation, node, &c);
    if (status == QD_OK)
        status = qd_qlinear_requantize(evaluation, &x, type, &z, &converted[0]);
    if (status == QD_OK)
        status = qd_qlinear_requantize(evaluation, &y, type, &z, &converted[1]);
    return status == QD_OK ? qd_move(evaluation, operands, 2, c.rank, c.dims, source, &c, &out[0])
                           : status;
}

const struct qd_op qd_op_qlinear_where = {
    .domain = "com.microsoft",
    .name = "QLinearWhere",
    .since = 1,
    .min_inputs = INPUTS,
    .max_inputs = INPUTS,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands =
        "condition:control,X,x_scale,x_zero_point,Y,y_scale,y_zero_point,z_scale,z_zero_point",
    .clause = "1: Return elements, either from X or Y, depending on condition. ... X's scale. ... "
              "Y's scale. ... Z's scale. ... Z's zero point.",
    .rounding_open = true,
    .attributes = "",
    .rules = "condition-type,x-type,y-type,x_scale-type,y_scale-type,z_scale-type,"
             "x_zero_point-type,y_zero_point-type,z_zero_point-type,x_scale-shape,"
             "y_scale-shape,z_scale-shape,x_zero_point-shape,y_zero_point-shape,"
             "z_zero_point-shape,broadcast",
    .evaluate = evaluate,
};
