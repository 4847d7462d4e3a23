/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearSoftmax (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearSoftmax-1; axis and opset refer
 *             to ONNX Softmax.
 * Inputs      X u8|s8; X_scale f32, x_zero_point like X (optional: 0), y_scale f32, y_zero_point
 *             like X, each a scalar or [1].
 * Outputs     Y like X.
 * Attributes  opset (required): below 13 the axes from `axis` on are one row, else `axis` alone is;
 *             axis (−1): −rank to rank − 1.
 * Domain      rules x-type, x_scale-type, x_scale-shape, x_zero_point-…, y_scale-…, y_zero_point-…,
 *             opset-missing, axis-range.
 * Arithmetic  v = (X − x_zero_point)·X_scale; p_i = e^v_i / Σ_j e^v_j over the row;
 *             Y_i = saturate(round_half_even(p_i/y_scale) + y_zero_point)
 * Edge cases  a scale that is NaN or infinite, y_scale = 0: unspecified. All v of a row equal: p is
 *             1/n.
 * Latitude    p in float32: each v and its distance from the greatest rounded, δ_i = 2^−24·(|v_i| +
 *             |v_max| + |v_i − v_max|), the exponential within 4 ulp, a sum of n terms in any
 *             order, one division; so a relative error of at most δ_i + Σ_j p_j·δ_j + (n +
 *             12)·2^−24 (times 1.01 for the products of errors; above 2^−7 in sum the element is
 *             unspecified). Then a division by y_scale. No canonical code where the enclosure does
 *             not decide it. Where all v of a row are equal the argument errors fall out (any shift
 *             gives equal terms) and the sum's remain: n·2^−24 for n > 2, none else.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include <math.h>

#include "number/exponential.h"
#include "qdiff/movement.h"
#include "quantize/qlinear.h"

enum { X, X_SCALE, X_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

/* Rows of `length` elements at a distance of `stride`. */
struct rows {
    int64_t length, stride;
};

struct softmax {
    const struct qd_evaluation *evaluation;
    struct qd_qlinear x, parameters;
    struct qd_output_quantizer quantizer;
    struct rows rows;
    struct qd_value y;
};

static enum qd_status read_rows(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, struct rows *rows)
{
    int64_t opset, axis;
    if (!qd_node_attr(node, "opset"))
        return qd_node_rule(evaluation, node, "opset-missing", "attribute opset is required");
    enum qd_status status = qd_node_int(node, "opset", 13, &opset, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "axis", -1, &axis, evaluation->error);
    if (status == QD_OK)
        status = qd_axis_read(evaluation, node, "axis-range", axis, x->rank, 1, &axis);
    if (status != QD_OK)
        return status;
    struct rows made = {1, 1};
    for (unsigned i = 0; i < x->rank; i++) {
        bool inside = opset < 13 ? i >= axis : i == axis;
        made.length *= inside ? x->dims[i] : 1;
        made.stride *= opset >= 13 && i > axis ? x->dims[i] : 1;
    }
    *rows = made;
    return QD_OK;
}

/* What one row's elements have in common. */
struct row {
    const int16_t *first;
    int16_t greatest;
    bool level;             /* all are equal */
    struct qd_interval sum; /* Σ e^(v_j − v_max) */
    double error;           /* Σ p_j·δ_j */
};

static int16_t element(const struct softmax *s, const struct row *row, int64_t j)
{
    return row->first[j * s->rows.stride];
}

static struct qd_interval term(const struct softmax *s, const struct row *row, int64_t j)
{
    return qd_exponential((element(s, row, j) - row->greatest) * fabs(s->x.scale));
}

/* δ of the latitude. */
static double argument_error(const struct softmax *s, const struct row *row, int64_t j)
{
    double q = element(s, row, j), most = row->greatest;
    return 0x1p-24 * fabs(s->x.scale) * (fabs(q) + fabs(most) + fabs(q - most));
}

static struct row read_row(const struct softmax *s, const int16_t *first)
{
    struct row row = {.first = first, .greatest = *first, .level = true};
    double weighted = 0;
    for (int64_t j = 0; j < s->rows.length; j++) {
        int16_t q = element(s, &row, j);
        row.level = row.level && q == *first;
        row.greatest = q > row.greatest ? q : row.greatest;
    }
    for (int64_t j = 0; j < s->rows.length; j++) {
        struct qd_interval e = term(s, &row, j);
        row.sum = qd_interval_add(row.sum, e);
        weighted += e.hi * argument_error(s, &row, j);
    }
    row.error = weighted / row.sum.lo;
    return row;
}

static struct qd_code code_of(const struct softmax *s, const struct row *row, int64_t j,
                              struct qd_ratio *real)
{
    double n = (double)s->rows.length, y_scale = s->parameters.scale;
    struct qd_code open = {.flags = QD_UNSPECIFIED};
    double error = 1.01 * (argument_error(s, row, j) + row->error + (n + 12) * 0x1p-24);
    if (row->level && n < 0x1p17) {
        /* Equal terms other than 1: only their first sum, 2·e, is sure to be exact. */
        double rounded = n > 2 ? n * 0x1p-24 : 0;
        const struct qd_arithmetic f32 = {.type = QD_F32};
        struct qd_interval mean = {(1 - rounded) / n, (1 + rounded) / n};
        struct qd_enclosure result = qd_enclosure_divide(f32, QD_LAST, qd_enclosure_of(f32, mean),
                                                         qd_enclosure_point(y_scale));
        *real = qd_ratio_divide(qd_ratio_of_integer(1), qd_ratio_of_double(n));
        *real = qd_ratio_divide(*real, qd_ratio_of_double(y_scale));
        return qd_code_of_results(&s->quantizer, *real, &result, 1);
    }
    if (!(error < 0x1p-7))
        return open;
    struct qd_interval e = term(s, row, j);
    struct qd_interval p = {nextafter(e.lo / row->sum.hi, 0), nextafter(e.hi / row->sum.lo, 2)};
    return qd_code_of_interval(&s->quantizer, p, error, y_scale, real);
}

/* Of parameters for which nothing is specified. */
static enum qd_status leave_open(struct softmax *s)
{
    const struct qd_code open = {.flags = QD_UNSPECIFIED};
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < s->y.want.count; i++)
        status = qd_qlinear_store(s->evaluation, &s->y, i, open, (struct qd_ratio){.den = 1});
    return status;
}

static enum qd_status compute(struct softmax *s)
{
    if (!qd_scales_defined(&s->x.scale, 1, s->parameters.scale) || s->x.scale < 0)
        return leave_open(s);
    int64_t block = s->rows.length * s->rows.stride;
    enum qd_status status = qd_spend(s->evaluation, 2 * QD_WORK_POOL * (double)s->y.want.count);
    for (int64_t start = 0; status == QD_OK && start < s->y.want.count; start += block)
        for (int64_t inner = 0; status == QD_OK && inner < s->rows.stride; inner++) {
            struct row row = read_row(s, s->x.centred + start + inner);
            for (int64_t j = 0; status == QD_OK && j < s->rows.length; j++) {
                struct qd_ratio real = {.den = 1};
                struct qd_code code = code_of(s, &row, j, &real);
                status = qd_qlinear_store(s->evaluation, &s->y, start + inner + j * s->rows.stride,
                                          code, real);
            }
        }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct softmax s = {.evaluation = evaluation};
    const struct qd_tensor *x = &in[X]->want;
    enum qd_status status =
        qd_qlinear_read(evaluation, node, "x", in[X], in[X_SCALE], in[X_ZERO_POINT], QD_DTYPE_NONE,
                        QD_SCALAR_OR_ONE, &s.x);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "y", NULL, in[Y_SCALE], in[Y_ZERO_POINT],
                                 x->dtype, QD_SCALAR_OR_ONE, &s.parameters);
    if (status == QD_OK)
        status = read_rows(evaluation, node, x, &s.rows);
    if (status == QD_OK)
        status =
            qd_value_init(&s.y, evaluation->arena, x->dtype, x->rank, x->dims, evaluation->error);
    if (status != QD_OK)
        return status;
    s.quantizer = qd_qlinear_quantizer(evaluation, x->dtype, &s.parameters);
    if (qd_sample_elements(evaluation, &s.y, &status) > 0)
        status = compute(&s);
    if (status == QD_OK)
        out[0] = s.y;
    return status;
}

const struct qd_op qd_op_qlinear_softmax = {
    .domain = "com.microsoft",
    .name = "QLinearSoftmax",
    .since = 1,
    .min_inputs = 5,
    .max_inputs = 5,
    .outputs = 1,
    .optional = 1 << X_ZERO_POINT,
    .form = QD_FORM_MANY,
    .operands = "X,X_scale,x_zero_point,y_scale,y_zero_point",
    .clause = "1: Softmax(input, axis) = Exp(input) / ReduceSum(Exp(input), axis=axis, keepdims=1) "
              "... Scale of quantized input 'X'. ... Scale of quantized output 'Y'.",
    .approximate = true,
    .rounding_open = true,
    .attributes = "axis,opset",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape,"
             "opset-missing,axis-range",
    .evaluate = evaluate,
};
