/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products: convolutions and products of matrices, on numbers and on codes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "text/describe.h"

enum { SHOWN_TERMS = 64 };

/* Both factors as they are multiplied. */
struct factors {
    const struct qd_explanation *explanation;
    const struct qd_step *step;
    int x, w;
    const struct qd_value *values[2], *scales[2], *zero_points[2];
    const char *names[2];
    int64_t bits, block, depth; /* of packed weights, else 0 */
    struct qd_value quantized[QD_MAX_OPERANDS];
};

static int64_t int_of(const struct qd_step *step, const char *name, int64_t otherwise)
{
    const struct qd_attr *attr = qd_node_attr(step->node, name);
    return attr && attr->kind == QD_ATTR_INT ? attr->i : otherwise;
}

/* A float operand whose partner is codes is quantized first, as DynamicQuantizeLinear does. */
static bool quantize_dynamically(struct factors *f)
{
    static const struct qd_semantics defaults;
    struct qd_evaluation evaluation = {.semantics = &defaults, .arena = f->explanation->arena};
    struct qd_node node = {
        .name = "", .domain = "", .op_type = "DynamicQuantizeLinear", .opset = 11};
    node.op = qd_op_find("", node.op_type);
    if (!node.op ||
        qd_override_node(&evaluation, NULL, &node, &f->values[0], f->quantized) != QD_OK)
        return false;
    fprintf(f->explanation->out,
            "  %s is quantized as by DynamicQuantizeLinear: scale %.9g, zero point %.9g\n",
            f->names[0], qd_tensor_value(&f->quantized[1].want, 0),
            qd_tensor_value(&f->quantized[2].want, 0));
    f->values[0] = &f->quantized[0];
    f->scales[0] = &f->quantized[1];
    f->zero_points[0] = &f->quantized[2];
    return true;
}

static bool read_factors(const struct qd_explanation *explanation, const struct qd_step *step,
                         struct factors *f)
{
    const int operands[2] = {qd_step_find(step, QD_ROLE_DATA), qd_step_find(step, QD_ROLE_WEIGHT)};
    *f = (struct factors){
        .explanation = explanation, .step = step, .x = operands[0], .w = operands[1]};
    for (int i = 0; i < 2; i++) {
        f->values[i] = qd_step_operand(step, operands[i]);
        f->scales[i] = qd_step_parameter(step, operands[i], QD_ROLE_SCALE);
        f->zero_points[i] = qd_step_parameter(step, operands[i], QD_ROLE_ZERO_POINT);
        f->names[i] = qd_step_name(explanation, step, operands[i]);
    }
    f->block = int_of(step, "block_size", 0);
    if (f->block > 0) {
        f->bits = int_of(step, "bits", 4);
        f->depth = int_of(step, "K", 0);
    }
    bool mixed = qd_dtype_is_float(f->values[0]->want.dtype) &&
                 qd_dtype_is_integer(f->values[1]->want.dtype);
    return f->bits > 0 || !mixed || quantize_dynamically(f);
}

/* --- Terms ---------------------------------------------------------------------------------------- */

/* Number i of a row of `row_bytes` bytes that hold numbers of `bits` bits, from low to high. */
static int64_t unpacked(const struct qd_tensor *bytes, int64_t row, int64_t row_bytes, int64_t i,
                        int64_t bits)
{
    int64_t byte = qd_tensor_get(bytes, row * row_bytes + i * bits / 8);
    return byte >> (i * bits % 8) & (((int64_t)1 << bits) - 1);
}

static int64_t depth_of(const struct factors *f)
{
    return f->depth > 0 ? f->depth : 1;
}

/* Packed weight number i, counted along K and then N: code, zero point, scale. */
static struct qd_explain_code packed_weight(const struct factors *f, int64_t i)
{
    const struct qd_tensor *w = &f->values[1]->want;
    const struct qd_value *zero = f->zero_points[1];
    int64_t depth = depth_of(f), length = f->block > 0 ? f->block : 1;
    int64_t n = i / depth, k = i % depth, blocks = w->dims[1], block = k / length;
    int64_t at = n * blocks + block;
    double code = (double)unpacked(w, n, blocks * w->dims[2], k, f->bits);
    double zero_point = (double)((int64_t)1 << (f->bits - 1));
    if (zero && zero->want.dtype == QD_U8)
        zero_point = (double)unpacked(&zero->want, n, zero->want.dims[1], block, f->bits);
    else if (zero)
        zero_point = qd_tensor_value(&zero->want, at);
    return (struct qd_explain_code){code - zero_point, zero_point,
                                    qd_tensor_value(&f->scales[1]->want, at), true};
}

static const char *place_of(const struct factors *f, int side, int64_t i)
{
    const char *place = qd_describe_place(&f->values[side]->want, i, f->explanation->arena);
    return place ? place : "";
}

/* Factor `side` of term t, printed where it is shown. */
static double packed_factor(const struct factors *f, int64_t i, bool shown)
{
    struct qd_explain_code c = packed_weight(f, i);
    if (shown)
        fprintf(f->explanation->out,
                "   %s[n %" PRId64 ", k %" PRId64 "] (%.9g - %.9g) * %.9g -> %.9g", f->names[1],
                i / depth_of(f), i % depth_of(f), c.code + c.zero_point, c.zero_point, c.scale,
                c.code * c.scale);
    return c.code * c.scale;
}

static double plain_factor(const struct factors *f, int side, int64_t i, double zero, bool shown)
{
    double value = qd_tensor_value(&f->values[side]->want, i);
    if (shown)
        fprintf(f->explanation->out, "%s%s%s %.9g", side == 0 ? "    " : "   ", f->names[side],
                place_of(f, side, i), value);
    if (shown && f->zero_points[side])
        fprintf(f->explanation->out, " -> %.9g", value - zero);
    return value - zero;
}

/* One line a product; returns their sum (exact for integers). */
static double tell_terms(const struct factors *f, const struct qd_terms *terms)
{
    FILE *out = f->explanation->out;
    bool packed = f->bits > 0;
    double xz = qd_explain_number(f->zero_points[0], terms->row, 0), sum = 0;
    double wz = packed ? 0 : qd_explain_number(f->zero_points[1], terms->column, 0);
    int64_t padded = 0;
    fprintf(out, "  sum of %" PRId64 " products ", terms->count);
    fprintf(out, f->zero_points[0] ? "(%s - %.9g) * " : "%s * ", f->names[0], xz);
    if (packed)
        fprintf(out, "(%s - zero point) * scale:\n", f->names[1]);
    else
        fprintf(out, f->zero_points[1] ? "(%s - %.9g):\n" : "%s:\n", f->names[1], wz);
    for (int64_t t = 0; t < terms->count; t++) {
        if (terms->x[t] < 0) {
            padded++;
            continue;
        }
        bool shown = t < SHOWN_TERMS;
        double a = plain_factor(f, 0, terms->x[t], xz, shown);
        double b = packed ? packed_factor(f, terms->w[t], shown)
                          : plain_factor(f, 1, terms->w[t], wz, shown);
        sum += a * b;
        if (shown)
            fprintf(out, "   product %.9g\n", a * b + 0.0); /* + 0: no -0 */
    }
    if (terms->count > SHOWN_TERMS)
        fprintf(out, "    ... and %" PRId64 " more\n", terms->count - SHOWN_TERMS);
    if (padded > 0)
        fprintf(out, "    %" PRId64 " of them lie in the padding and add nothing\n", padded);
    return sum;
}

/* --- Scales and bias ------------------------------------------------------------------------------ */

static double float_of(const struct qd_step *step, const char *name)
{
    const struct qd_attr *attr = qd_node_attr(step->node, name);
    return attr && attr->kind == QD_ATTR_FLOAT ? (double)attr->f : 1;
}

static bool is_sum(const struct qd_value *bias)
{
    return bias && qd_dtype_is_integer(bias->want.dtype);
}

/* acc times scales and alpha, without an output scale: a real number. */
static double tell_scaled(const struct factors *f, const struct qd_explain_product *p, double acc)
{
    double scaled = acc * p->s1 * p->s2 * p->s3;
    bool exact = qd_explain_is_scale(p->s1) && qd_explain_is_scale(p->s2) && isfinite(p->s3) &&
                 acc == (double)p->acc;
    fprintf(f->explanation->out, "  real = acc%s%s%s%s%s = %.17g", f->scales[0] ? " * " : "",
            f->scales[0] ? p->s1_name : "", f->scales[1] && f->bits == 0 ? " * " : "",
            f->scales[1] && f->bits == 0 ? p->s2_name : "", p->s3 != 1 ? " * alpha" : "", acc);
    if (f->scales[0])
        fprintf(f->explanation->out, " * %.9g", p->s1);
    if (f->scales[1] && f->bits == 0)
        fprintf(f->explanation->out, " * %.9g", p->s2);
    if (p->s3 != 1)
        fprintf(f->explanation->out, " * %.9g", p->s3);
    if (exact) {
        struct qd_ratio real =
            qd_ratio_multiply(qd_ratio_of_integer(p->acc), qd_ratio_of_double(p->s1));
        real = qd_ratio_multiply(real, qd_ratio_of_double(p->s2));
        if (p->s3 != 1)
            real = qd_ratio_multiply(real, qd_ratio_of_double(p->s3));
        fprintf(f->explanation->out, "\n       = %s\n", qd_explain_ratio(f->explanation, real));
    } else {
        fprintf(f->explanation->out, "\n       = %.17g\n", scaled);
    }
    return scaled;
}

static double tell_accumulator(const struct factors *f, const struct qd_terms *terms, double sum)
{
    const struct qd_value *bias = qd_step_operand(f->step, qd_step_find(f->step, QD_ROLE_BIAS));
    if (!is_sum(bias)) {
        fprintf(f->explanation->out, "  acc = %.17g\n", sum);
        return sum;
    }
    double addend = qd_explain_number(bias, terms->bias, 0);
    fprintf(f->explanation->out, "  acc = %.17g + bias %.9g = %.17g\n", sum, addend, sum + addend);
    return sum + addend;
}

static void tell_float_bias(const struct factors *f, const struct qd_terms *terms, double real)
{
    const struct qd_value *bias = qd_step_operand(f->step, qd_step_find(f->step, QD_ROLE_BIAS));
    if (!bias || is_sum(bias))
        return;
    double addend = qd_explain_number(bias, terms->bias, 0), beta = float_of(f->step, "beta");
    fprintf(f->explanation->out, "  plus bias %.9g%s", addend, beta != 1 ? " * beta" : "");
    if (beta != 1)
        fprintf(f->explanation->out, " %.9g", beta);
    fprintf(f->explanation->out, " = %.17g\n", real + addend * beta);
}

bool qd_explain_products(const struct qd_explanation *explanation, const struct qd_step *step,
                         size_t output, int64_t i)
{
    struct qd_terms terms;
    struct factors f;
    if (!qd_explain_terms(explanation, step, i, &terms) || !read_factors(explanation, step, &f))
        return false;
    double acc = tell_accumulator(&f, &terms, tell_terms(&f, &terms));
    int x_scale = qd_step_parameter_number(step, f.x, QD_ROLE_SCALE);
    int w_scale = qd_step_parameter_number(step, f.w, QD_ROLE_SCALE);
    struct qd_explain_product p = {
        .acc = fabs(acc) < 0x1p60 ? (int64_t)acc : 0,
        .s1 = qd_explain_number(f.scales[0], terms.row, 1),
        .s2 = f.bits > 0 ? 1 : qd_explain_number(f.scales[1], terms.column, 1),
        .s3 = float_of(step, "alpha"),
        .s1_name = x_scale < 0 ? "scale" : qd_step_name(explanation, step, x_scale),
        .s2_name = w_scale < 0 ? "scale" : qd_step_name(explanation, step, w_scale)};
    bool scaled = f.scales[0] || (f.scales[1] && f.bits == 0) || p.s3 != 1;
    struct qd_explain_coder coder;
    if (qd_explain_coder_of(explanation, step, output, &coder))
        qd_explain_requantize(explanation, &p, &coder);
    else
        tell_float_bias(&f, &terms, scaled ? tell_scaled(&f, &p, acc) : acc);
    return true;
}
