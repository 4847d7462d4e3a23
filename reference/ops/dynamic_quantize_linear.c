/* SPDX-License-Identifier: Apache-2.0 */
/* DynamicQuantizeLinear
 *
 * Source      ONNX DynamicQuantizeLinear-11.
 * Inputs      x f32, any shape.
 * Outputs     y u8 of x's shape, y_scale f32 scalar, y_zero_point u8 scalar.
 * Domain      rule x-type. An empty x, or one with more than one admissible value, is UNSUPPORTED.
 * Arithmetic  min = min(0, min x), max = max(0, max x)
 *             (1) y_scale = RN(RN(max − min) / 255), in float32
 *             (2) y_zero_point = saturate(round_half_even(0 − min / y_scale))
 *             (3) y = saturate(round_half_even(x / y_scale) + y_zero_point)
 * Edge cases  All x zero: 0/0 in (2); three answers are known (onnx #8437), the switch all_zero
 *             chooses, and by default every output is unspecified. NaN or infinity in x, a y_scale
 *             that over- or underflows: every output is unspecified.
 * Latitude    the quotients of (2) and (3) may be rounded to float32 first.
 * Quirks      rounding, zero_point_order, range, all_zero. */
#include <math.h>

#include "graph/operand_checks.h"
#include "qdiff/interval.h"
#include "qdiff/output_quantizer.h"

enum { Y, Y_SCALE, Y_ZERO_POINT, OUTPUTS };

struct range {
    double min, max;
};

/* False if some element is NaN or infinite. */
static bool find_range(const struct qd_tensor *x, struct range *range)
{
    struct range r = {0, 0};
    for (int64_t i = 0; i < x->count; i++) {
        double v = qd_tensor_value(x, i);
        if (!isfinite(v))
            return false;
        r.min = v < r.min ? v : r.min;
        r.max = v > r.max ? v : r.max;
    }
    *range = r;
    return true;
}

/* The codes of a/s: the exact quotient, and the quotient rounded to float32. */
static struct qd_code code_of_quotient(const struct qd_output_quantizer *quantizer, double a,
                                       double s)
{
    struct qd_ratio exact = qd_ratio_divide(qd_ratio_of_double(a), qd_ratio_of_double(s));
    int64_t want = qd_output_quantizer_exact(quantizer, exact);
    struct qd_code code = {.want = want, .lo = want, .hi = want, .flags = 0};
    qd_code_include(&code, qd_output_quantizer_float(
                               quantizer, qd_float_divide(QD_F32, QD_NEAREST_EVEN, a, s)));
    return code;
}

static enum qd_status all_unspecified(const struct qd_evaluation *evaluation, struct qd_value *out)
{
    enum qd_status status = QD_OK;
    for (int o = 0; o < OUTPUTS; o++)
        for (int64_t i = 0; status == QD_OK && i < out[o].want.count; i++)
            status = qd_interval_store_flag(&out[o], i, QD_UNSPECIFIED, evaluation->arena,
                                            evaluation->error);
    return status;
}

static void set_scale(struct qd_value *out, double scale)
{
    qd_tensor_set(&out[Y_SCALE].want, 0, (int64_t)qd_float_encode(QD_F32, scale, false));
}

/* y and y_zero_point stay 0 as allocated. */
static enum qd_status all_zero(const struct qd_evaluation *evaluation, struct qd_value *out)
{
    switch (evaluation->semantics->all_zero) {
    case QD_ALL_ZERO_ANY: return all_unspecified(evaluation, out);
    case QD_ALL_ZERO_SCALE_0: set_scale(out, 0); break;
    case QD_ALL_ZERO_SCALE_1: set_scale(out, 1); break;
    case QD_ALL_ZERO_SCALE_1_255:
        set_scale(out, qd_float_divide(QD_F32, QD_NEAREST_EVEN, 1, 255));
        break;
    }
    return QD_OK;
}

/* Equation (3) over every admissible zero point. */
static struct qd_code code_of_element(const struct qd_evaluation *evaluation, double x, double s,
                                      struct qd_code zero_point)
{
    struct qd_output_quantizer quantizer =
        qd_output_quantizer_make(evaluation->semantics, QD_U8, zero_point.want);
    struct qd_code code = code_of_quotient(&quantizer, x, s);
    for (int64_t z = zero_point.lo; z <= zero_point.hi; z++) {
        struct qd_output_quantizer other =
            qd_output_quantizer_make(evaluation->semantics, QD_U8, z);
        struct qd_code c = code_of_quotient(&other, x, s);
        qd_code_include(&code, c.lo);
        qd_code_include(&code, c.hi);
    }
    return code;
}

static enum qd_status quantize(const struct qd_evaluation *evaluation, const struct qd_tensor *x,
                               struct range range, struct qd_value *out)
{
    struct qd_arena *arena = evaluation->arena;
    double width = qd_float_round(QD_F32, QD_NEAREST_EVEN, range.max - range.min);
    if (width == 0)
        return all_zero(evaluation, out);
    if (isinf(width))
        return all_unspecified(evaluation, out);
    double s = qd_float_divide(QD_F32, QD_NEAREST_EVEN, width, 255);
    if (s == 0)
        return all_unspecified(evaluation, out);
    set_scale(out, s);
    struct qd_output_quantizer quantizer =
        qd_output_quantizer_make(evaluation->semantics, QD_U8, 0);
    struct qd_code zero_point = code_of_quotient(&quantizer, -range.min, s);
    enum qd_status status =
        qd_value_set_code(&out[Y_ZERO_POINT], 0, zero_point, arena, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++)
        status = qd_value_set_code(
            &out[Y], i, code_of_element(evaluation, qd_tensor_value(x, i), s, zero_point), arena,
            evaluation->error);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_value made[OUTPUTS];
    struct range range;
    enum qd_status status = qd_operand_type(evaluation, node, "x", x, QD_TYPE_BIT(QD_F32));
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, 1);
    if (status == QD_OK && x->count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "DynamicQuantizeLinear of no element");
    if (status == QD_OK)
        status =
            qd_value_init(&made[Y], evaluation->arena, QD_U8, x->rank, x->dims, evaluation->error);
    if (status == QD_OK)
        status =
            qd_value_init(&made[Y_SCALE], evaluation->arena, QD_F32, 0, NULL, evaluation->error);
    if (status == QD_OK)
        status = qd_value_init(&made[Y_ZERO_POINT], evaluation->arena, QD_U8, 0, NULL,
                               evaluation->error);
    if (status == QD_OK)
        status = find_range(x, &range) ? quantize(evaluation, x, range, made)
                                       : all_unspecified(evaluation, made);
    for (int o = 0; status == QD_OK && o < OUTPUTS; o++)
        out[o] = made[o];
    return status;
}

const struct qd_op qd_op_dynamic_quantize_linear = {
    .domain = "",
    .name = "DynamicQuantizeLinear",
    .since = 11,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = OUTPUTS,
    .form = QD_FORM_MANY,
    .operands = "x",
    .clause = "11: y_scale = (maximum(0, max(x)) - minimum(0, min(x))) / (qmax - qmin) ... "
              "intermediate_zero_point = qmin - min(x)/y_scale ... y = saturate (round (x / "
              "y_scale) + y_zero_point) ... rounding to nearest ties to even.",
    .attributes = "",
    .rules = "x-type",
    .evaluate = evaluate,
};
