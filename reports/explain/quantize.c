/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear: one scale and zero point for the tensor, a channel or a block. */
#include <inttypes.h>
#include <math.h>

#include "explain/explain.h"
#include "qdiff/granularity.h"

/* A step's operands. */
struct linear {
    const struct qd_value *x, *scale, *zero_point;
    const char *x_name, *scale_name, *zero_point_name;
    int64_t parameter; /* which one element i uses */
};

static bool read_linear(const struct qd_explanation *explanation, const struct qd_step *step,
                        int64_t i, struct linear *l)
{
    static const struct qd_semantics defaults;
    struct qd_evaluation evaluation = {.semantics = &defaults, .arena = explanation->arena};
    struct qd_node node = *step->node;
    node.opset = *node.domain ? 13 : node.opset; /* a vendor's operator is that one with an axis */
    int x = qd_step_find(step, QD_ROLE_DATA), scale = qd_step_find(step, QD_ROLE_SCALE);
    int zero = qd_step_find(step, QD_ROLE_ZERO_POINT);
    *l = (struct linear){qd_step_operand(step, x),
                         qd_step_operand(step, scale),
                         qd_step_operand(step, zero),
                         qd_step_name(explanation, step, x),
                         qd_step_name(explanation, step, scale),
                         qd_step_name(explanation, step, zero),
                         0};
    struct qd_granularity granularity;
    if (qd_granularity_read(&evaluation, &node, &l->x->want, &l->scale->want,
                            l->zero_point ? &l->zero_point->want : NULL, l->scale_name,
                            l->zero_point_name, &granularity) != QD_OK)
        return false;
    l->parameter = qd_granularity_index(&granularity, i);
    return true;
}

/* The type that is divided in: `precision`, else the scale's. */
static enum qd_dtype division_type(const struct qd_step *step, const struct linear *l, bool *given)
{
    const struct qd_attr *precision = qd_node_attr(step->node, "precision");
    *given = precision && precision->kind == QD_ATTR_INT && precision->i != 0;
    return *given ? qd_dtype_of_onnx((int32_t)precision->i) : l->scale->want.dtype;
}

static void tell_quotient(const struct qd_explanation *explanation,
                          const struct qd_output_quantizer *coder, enum qd_dtype type,
                          struct qd_ratio exact)
{
    double quotient = qd_ratio_to_float(exact, type, QD_NEAREST_EVEN);
    fprintf(explanation->out, "  the quotient in %s is %.9g: code %" PRId64 "\n",
            qd_dtype_info(type)->word, quotient, qd_output_quantizer_float(coder, quotient));
}

/* What is rounded to a code: the quotient, or, with the attribute precision, it rounded to that
 * type, if that is finite. */
static struct qd_ratio rounded_quotient(const struct qd_explanation *explanation,
                                        enum qd_dtype division, bool precise, struct qd_ratio exact)
{
    double rounded = qd_ratio_to_float(exact, division, QD_NEAREST_EVEN);
    if (!precise || !isfinite(rounded))
        return exact;
    fprintf(explanation->out, "       = %.9g in %s, which precision asks for\n", rounded,
            qd_dtype_info(division)->word);
    return qd_ratio_of_double(rounded);
}

static void tell_quantize(const struct qd_explanation *explanation, const struct qd_step *step,
                          const struct linear *l, int64_t i)
{
    static const struct qd_semantics defaults;
    double zero_point = qd_explain_number(l->zero_point, l->parameter, 0);
    double given_x = qd_value_exact(l->x, i).lo;
    double given_scale = qd_explain_number(l->scale, l->parameter, 1);
    bool precise;
    enum qd_dtype dtype = step->out[0].want.dtype, division = division_type(step, l, &precise);
    bool converts = division != QD_F32 && division != l->x->want.dtype;
    double x = converts ? qd_float_round(division, QD_NEAREST_EVEN, given_x) : given_x;
    double scale = qd_float_round(division, QD_NEAREST_EVEN, given_scale);
    fprintf(explanation->out, "  %s / %s = %.*g / %.9g\n", l->x_name, l->scale_name,
            (double)(float)given_x == given_x ? 9 : 17, given_x, given_scale);
    if (x != given_x || scale != given_scale)
        fprintf(explanation->out, "       = %.9g / %.9g, converted to %s\n", x, scale,
                qd_dtype_info(division)->word);
    if (!isfinite(x) || !qd_explain_is_scale(scale) || !qd_dtype_is_integer(dtype))
        return;
    struct qd_explain_coder coder = {
        scale, l->scale_name, l->zero_point_name,
        qd_output_quantizer_make(&defaults, dtype, (int64_t)zero_point)};
    struct qd_ratio exact = qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(scale));
    exact = rounded_quotient(explanation, division, precise, exact);
    qd_explain_code(explanation, &coder, exact);
    if (precise)
        return;
    if (division != QD_F32)
        tell_quotient(explanation, &coder.coder, division, exact);
    tell_quotient(explanation, &coder.coder, QD_F32, exact);
}

bool qd_explain_quantize(const struct qd_explanation *explanation, const struct qd_step *step,
                         size_t output, int64_t i)
{
    (void)output;
    struct linear l;
    if (!read_linear(explanation, step, i, &l))
        return false;
    if (step->node->op->form == QD_FORM_QUANTIZES) {
        tell_quantize(explanation, step, &l, i);
        return true;
    }
    double scale = qd_explain_number(l.scale, l.parameter, 1);
    double zero_point = qd_explain_number(l.zero_point, l.parameter, 0);
    double q = qd_tensor_value(&l.x->want, i);
    fprintf(explanation->out, "  (%s - %s) * %s = (%.17g - %.17g) * %.9g = %.17g\n", l.x_name,
            l.zero_point ? l.zero_point_name : "0", l.scale_name, q, zero_point, scale,
            (q - zero_point) * scale);
    return true;
}
