/* SPDX-License-Identifier: Apache-2.0 */
/* Clip
 *
 * Source      ONNX Clip-1, -6 (attributes), -11, -12, -13 (inputs).
 * Inputs      input f32|f16 (12: u8 s8 u16 s16 s32 s64; 13: bf16; f64 is UNSUPPORTED); min, max
 *             (11), optional scalars of its type.
 * Outputs     output of the input's type and shape.
 * Attributes  min, max (up to 10).
 * Domain      rules x-type, min-type, max-type, min-shape, max-shape, attribute-unknown (min or max
 *             from 11 on).
 * Arithmetic  output = min(max(input, min), max): max wins where min > max, as the specification
 *             says.
 * Edge cases  NaN stays NaN; a NaN bound is UNSUPPORTED. A bound that is absent is the type's least
 *             or greatest finite number, the specification says ("They default to
 *             numeric_limits::lowest() and numeric_limits::max()"), and no comparison at all in the
 *             function that ONNX gives for the operator: of an infinity both answers are right. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

struct bounds {
    double min, max;
};

struct readings {
    struct bounds text, function;
};

static double between(const struct bounds *b, double x)
{
    double low = x < b->min ? b->min : x;
    return low > b->max ? b->max : low;
}

static double by_text(const void *context, double x)
{
    return between(&((const struct readings *)context)->text, x);
}

static double by_function(const void *context, double x)
{
    return between(&((const struct readings *)context)->function, x);
}

static enum qd_status read_attribute(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const char *name, double *bound)
{
    float value;
    const struct qd_attr *attr = qd_node_attr(node, name);
    enum qd_status status = qd_node_float(node, name, 0, &value, evaluation->error);
    if (status == QD_OK && attr)
        *bound = (double)value;
    return status;
}

static enum qd_status read_input(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const char *name, const struct qd_value *value,
                                 const struct qd_tensor *x, double *bound)
{
    if (!value)
        return QD_OK;
    if (node->opset < 11)
        return qd_node_rule(evaluation, node, "input-count", "%s is an attribute before opset 11",
                            name);
    enum qd_status status = qd_same_type(evaluation, node, name, &value->want, x);
    if (status == QD_OK)
        status = qd_parameter_shape(evaluation, node, name, &value->want, QD_ONE_FOR_ALL);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, &value, 1);
    if (status == QD_OK)
        *bound = qd_tensor_value(&value->want, 0);
    return status;
}

static enum qd_status check_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    if (node->opset >= 12)
        types |= QD_INTEGER_TYPES;
    types |= node->opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    enum qd_status status = qd_operand_type(evaluation, node, "x", x, types);
    if (status == QD_OK && x->dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Clip of f64");
    return status;
}

/* Of s64, which doubles do not hold. */
struct code_bounds {
    int64_t min, max;
};

static bool code_between(const void *context, int64_t x, int64_t *y)
{
    const struct code_bounds *b = context;
    int64_t low = x < b->min ? b->min : x;
    *y = low > b->max ? b->max : low;
    return true;
}

static enum qd_status clip_codes(const struct qd_evaluation *evaluation,
                                 const struct qd_value *const *in, struct qd_value *out)
{
    const struct code_bounds bounds = {in[1] ? qd_tensor_get(&in[1]->want, 0) : INT64_MIN,
                                       in[2] ? qd_tensor_get(&in[2]->want, 0) : INT64_MAX};
    return qd_elementwise_codes(evaluation, in[0], code_between, &bounds, out);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct bounds bounds = {-INFINITY, INFINITY};
    const struct qd_tensor *x = &in[0]->want;
    enum qd_status status = check_type(evaluation, node, x);
    if (status == QD_OK)
        status = read_attribute(evaluation, node, "min", &bounds.min);
    if (status == QD_OK)
        status = read_attribute(evaluation, node, "max", &bounds.max);
    if (status == QD_OK)
        status = read_input(evaluation, node, "min", in[1], x, &bounds.min);
    if (status == QD_OK)
        status = read_input(evaluation, node, "max", in[2], x, &bounds.max);
    if (status == QD_OK && (isnan(bounds.min) || isnan(bounds.max)))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Clip: a bound is NaN");
    if (status != QD_OK || x->dtype == QD_S64)
        return status == QD_OK ? clip_codes(evaluation, in, &out[0]) : status;
    const struct qd_float_format *format = qd_float_format(x->dtype);
    struct readings readings = {.text = bounds, .function = bounds};
    if (format && !in[1] && !qd_node_attr(node, "min"))
        readings.text.min = -format->largest;
    if (format && !in[2] && !qd_node_attr(node, "max"))
        readings.text.max = format->largest;
    return qd_elementwise_monotone(evaluation, in[0], by_text, by_function, &readings, &out[0]);
}

const struct qd_op qd_op_clip = {
    .domain = "",
    .name = "Clip",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "input,min:control,max:control",
    .clause = "13: Clip operator limits the given input within an interval. ... Thus, this is "
              "equivalent to 'Min(max, Max(input, min))'."
              "\n12<13: Clip operator limits the given input within an interval. ... Minimum "
              "value, under which element is replaced by min. ... Maximum value, above which "
              "element is replaced by max."
              "\n6<11: Clip operator limits the given input within an interval. ... Maximum value, "
              "above which element is replaced by max ... Minimum value, under which element is "
              "replaced by min",
    .attributes = "min:-10,max:-10,consumed_inputs:-5",
    .rules = "x-type,min-type,max-type,min-shape,max-shape",
    .evaluate = evaluate,
};
