/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax
 *
 * Source      ONNX Softmax-1, -11, -13.
 * Inputs      input f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule input-type.
 * Outputs     output of input's type and shape.
 * Attributes  axis (13: −1; before: 1). Since 13 a group is a line along axis; before, input is
 *             seen as a matrix whose columns are all axes from axis on, and a group is its row.
 * Domain      rule axis-range; a negative axis before opset 11 is UNSUPPORTED.
 * Arithmetic  output_i = e^input_i / Σ_j e^input_j over the group
 * Edge cases  −Inf gives 0; NaN, +Inf, or a group that is or may be all −Inf: unspecified.
 * Latitude    With d_j = input_j − max and W the mean of |d_j| weighted by e^d_j: relative error at
 *             most (n + 18 + |d_i| + W)·2^−24 and 2^−148 more. That covers, in float32, the
 *             subtraction of the maximum (|d|·2^−24 of e^d), exp within 3 ulp, the sum of n terms
 *             in any order (γ_n), a division of 2½ ulp or a reciprocal and a product; then one
 *             rounding to f16 or bf16. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/transcendental.h"
#include "qdiff/interval.h"
#include "qdiff/movement.h"

struct softmax {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    int64_t size, stride; /* of a group */
};

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct softmax *s)
{
    const struct qd_tensor *x = &in[0]->want;
    bool lines = node->opset >= 13;
    int64_t axis = 0;
    *s = (struct softmax){evaluation, in[0], 1, 1};
    enum qd_status status = qd_real_operand_type(evaluation, node, "input", x, 13);
    if (status == QD_OK)
        status = qd_node_int(node, "axis", lines ? -1 : 1, &axis, evaluation->error);
    if (status == QD_OK)
        status = qd_axis_read(evaluation, node, "axis-range", axis, x->rank, 11, &axis);
    for (int64_t i = axis + 1; status == QD_OK && i < x->rank; i++)
        s->stride *= x->dims[i];
    if (status != QD_OK)
        return status;
    s->size = x->dims[axis];
    if (!lines) {
        s->size *= s->stride;
        s->stride = 1;
    }
    return QD_OK;
}

/* Element i as operators may take it: the hull, or the exact number alone. */
typedef struct qd_interval number_of(const struct qd_value *x, int64_t i);

/* Sums over a group: of e^(x − max) for the least and the greatest the elements may be, and times
 * |x − max|. */
struct group {
    number_of *number;
    double max, least, greatest, weighted;
    bool unspecified;
};

static struct qd_interval shifted(struct qd_interval x, double max)
{
    return (struct qd_interval){x.lo - max, x.hi - max};
}

static struct group look_at(const struct softmax *s, int64_t first, number_of *number)
{
    struct group g = {.number = number, .max = -INFINITY};
    bool finite = false; /* whatever the elements are, one of them */
    for (int64_t k = 0; k < s->size; k++) {
        int64_t i = first + k * s->stride;
        struct qd_interval x = number(s->x, i);
        g.unspecified |= isnan(x.lo) || x.hi == INFINITY ||
                         qd_value_flags(s->x, i) & (QD_UNSPECIFIED | QD_NOT_NUMBER);
        g.max = fmax(g.max, x.hi);
        finite |= x.lo > -INFINITY;
    }
    g.unspecified |= !finite;
    for (int64_t k = 0; !g.unspecified && k < s->size; k++) {
        struct qd_interval d = shifted(number(s->x, first + k * s->stride), g.max);
        struct qd_interval e = qd_enclose_exp(d);
        g.least += e.lo;
        g.greatest += e.hi;
        g.weighted += isinf(d.lo) ? 0 : e.hi * fabs(d.lo);
    }
    return g;
}

/* What holds the roundings in double. */
static double slack_of(const struct softmax *s)
{
    return (double)s->size * 0x1p-50 + 0x1p-43;
}

/* e^x_i over the sum, but for roundings in double: least where this element is least and all others
 * are greatest. */
static struct qd_interval share(const struct softmax *s, const struct group *g,
                                struct qd_interval e)
{
    double others_most = g->greatest - e.hi * (1 - slack_of(s)), others_least = g->least - e.lo;
    return (struct qd_interval){e.lo / (e.lo + others_most), e.hi / (e.hi + fmax(others_least, 0))};
}

/* The same of the exact numbers. A difference that is rounded moves e^x by less than that. */
static struct qd_interval exact_share(const struct softmax *s, const struct group *g, int64_t i)
{
    struct qd_interval d = shifted(g->number(s->x, i), g->max);
    struct qd_interval y = share(s, g, qd_enclose_exp(d));
    double relative = 4 * slack_of(s) + (fabs(d.lo) + g->weighted / g->least) * 0x1p-51;
    return (struct qd_interval){y.lo * (1 - relative) - 0x1p-1000,
                                y.hi * (1 + relative) + 0x1p-1000};
}

static enum qd_status element(const struct softmax *s, const struct group *g,
                              const struct group *exact, int64_t i, struct qd_value *y)
{
    const struct qd_evaluation *evaluation = s->evaluation;
    if (g->unspecified)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    struct qd_interval d = shifted(g->number(s->x, i), g->max);
    if (s->size == 1 || isinf(d.hi)) {
        double point = isinf(d.hi) ? 0 : 1;
        return qd_interval_store(y, i, (struct qd_interval){point, point},
                                 (struct qd_interval){point, point}, evaluation->arena,
                                 evaluation->error);
    }
    struct qd_interval between = share(s, g, qd_enclose_exp(d));
    double magnitude = isinf(d.lo) ? 0 : fabs(d.lo);
    double relative =
        ((double)s->size + 18 + magnitude + g->weighted / g->least) * 0x1p-24 + 4 * slack_of(s);
    struct qd_interval hull = {between.lo * (1 - relative) - 0x1p-148,
                               between.hi * (1 + relative) + 0x1p-148};
    /* Differences so wide that nothing is known but that a term is not above the sum, whose
     * rounding errors are the general ones. */
    if (!(relative < 1))
        hull = (struct qd_interval){0, 1 + ((double)s->size + 18) * 0x1p-23};
    return qd_interval_store(y, i, qd_interval_round(y->want.dtype, hull), exact_share(s, exact, i),
                             evaluation->arena, evaluation->error);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct softmax s;
    struct qd_value y;
    enum qd_status status = read_node(evaluation, node, in, &s);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, in[0]->want.dtype, in[0]->want.rank,
                               in[0]->want.dims, evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, (double)y.want.count * QD_WORK_FLOAT);
    int64_t count = qd_sample_elements(evaluation, &y, &status);
    int64_t groups = count > 0 ? count / s.size : 0;
    for (int64_t n = 0; status == QD_OK && n < groups; n++) {
        int64_t first = n / s.stride * s.stride * s.size + n % s.stride;
        struct group g = look_at(&s, first, qd_interval_argument),
                     exact = look_at(&s, first, qd_value_exact);
        for (int64_t k = 0; status == QD_OK && k < s.size; k++)
            status = element(&s, &g, &exact, first + k * s.stride, &y);
    }
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_softmax = {
    .domain = "",
    .name = "Softmax",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MANY,
    .operands = "input",
    .clause = "13: Softmax(input, axis) = Exp(input) / ReduceSum(Exp(input), axis=axis, keepdims=1)"
              "\n11<13: The operator computes the softmax (normalized exponential) values for each "
              "layer in the batch of the given input. ... and k is the axis provided, then input "
              "will be coerced into a 2-dimensional tensor",
    .approximate = true,
    .attributes = "axis",
    .rules = "input-type,axis-range",
    .evaluate = evaluate,
};
