/* SPDX-License-Identifier: Apache-2.0 */
/* BatchNormalization, inference
 *
 * Source      ONNX BatchNormalization-9, -14, -15 (7 has the attribute spatial, earlier ones
 *             others: UNSUPPORTED).
 * Inputs      X f32|f16 (14: bf16) [N, C, D1…Dn] or [N] (C is 1); scale, B, mean, var [C], all like
 *             X (14: mean and var of one type, 15: also scale and B of one type; each may be any
 *             float type).
 * Outputs     Y like X. Further outputs are those of training.
 * Attributes  epsilon (1e-5); momentum (unused); training_mode (14, 0).
 * Domain      rules x-type, x-rank, <input>-type, <input>-shape, output-count (14: training outputs
 *             without training_mode), attribute-unknown (training_mode before 14). UNSUPPORTED:
 *             training, f64, an interval as a parameter.
 * Arithmetic  Y = (X − mean[c]) / sqrt(var[c] + epsilon) · scale[c] + B[c]
 * Edge cases  var + epsilon ≤ 0, anything that is not finite: unspecified.
 * Latitude    every operation rounds, or not: ((X − mean)/r)·scale + B, (X − mean)·(1/r)·scale + B,
 *             ((X − mean)·scale)/r + B, (X − mean)·(scale/r) + B and X·(scale/r) + (B −
 *             mean·(scale/r)), with scale/r or scale·(1/r) and r = sqrt(var + epsilon); in float32 and
 *             then rounded once, or in X's type. */
#include <math.h>

#include "graph/operand_checks.h"
#include "qdiff/interval.h"

enum { X, SCALE, B, MEAN, VAR, INPUTS };

struct normalizer {
    const struct qd_evaluation *evaluation;
    const struct qd_value *const *in;
    int64_t channels, inner; /* elements of one channel of one batch */
    float epsilon;
};

/* --- Reading ---------------------------------------------------------------------------------- */

static enum qd_status read_mode(const struct qd_evaluation *evaluation, const struct qd_node *node)
{
    int64_t training = 0;
    if (node->opset < 9)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s-%lld: before opset 9", node->op_type,
                       (long long)node->opset);
    if (node->opset < 14 && qd_node_attr(node, "training_mode"))
        return qd_node_rule(evaluation, node, "attribute-unknown",
                            "attribute training_mode exists since opset 14");
    enum qd_status status = qd_node_int(node, "training_mode", 0, &training, evaluation->error);
    if (status != QD_OK)
        return status;
    if (training != 0 || (node->opset < 14 && node->output_count > 1))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: training", node->op_type);
    return node->output_count > 1
               ? qd_node_rule(evaluation, node, "output-count",
                              "%zu outputs, of which only training gives more than one",
                              node->output_count)
               : QD_OK;
}

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in)
{
    static const char *const names[INPUTS] = {"x", "scale", "b", "mean", "var"};
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    types |= node->opset >= 14 ? QD_TYPE_BIT(QD_BF16) : 0;
    enum qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < INPUTS; i++) {
        int like = node->opset >= 14 && i == VAR ? MEAN : node->opset >= 15 && i == B ? SCALE : X;
        bool free = (node->opset >= 14 && i == MEAN) || (node->opset >= 15 && i == SCALE);
        if (in[i]->want.dtype == QD_F64)
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of f64", node->op_type);
        status = qd_operand_type(evaluation, node, names[i], &in[i]->want, types);
        if (status == QD_OK && !free)
            status = qd_same_type(evaluation, node, names[i], &in[i]->want, &in[like]->want);
    }
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct normalizer *b)
{
    static const char *const slugs[INPUTS] = {"", "scale-shape", "b-shape", "mean-shape",
                                              "var-shape"};
    const struct qd_tensor *x = &in[X]->want;
    if (x->rank == 0)
        return qd_node_rule(evaluation, node, "x-rank", "x is a scalar");
    b->channels = x->rank == 1 ? 1 : x->dims[1];
    b->inner = 1;
    for (unsigned i = 2; i < x->rank; i++)
        b->inner *= x->dims[i];
    for (int i = SCALE; i < INPUTS; i++)
        if (in[i]->want.rank != 1 || in[i]->want.count != b->channels)
            return qd_node_rule(evaluation, node, slugs[i], "has %lld elements, want [%lld]",
                                (long long)in[i]->want.count, (long long)b->channels);
    return QD_OK;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct normalizer *b)
{
    b->evaluation = evaluation;
    b->in = in;
    enum qd_status status = read_mode(evaluation, node);
    if (status == QD_OK)
        status = qd_node_float(node, "epsilon", 1e-5F, &b->epsilon, evaluation->error);
    if (status == QD_OK)
        status = check_types(evaluation, node, in);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, in, b);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in + 1, INPUTS - 1);
    return status;
}

/* --- Intervals -------------------------------------------------------------------------------- */

static struct qd_interval negative(struct qd_interval a)
{
    return (struct qd_interval){-a.hi, -a.lo};
}

/* a/b for b > 0, its ends at most one step of double too wide. */
static struct qd_interval divide(struct qd_interval a, struct qd_interval b)
{
    double ends[4] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
    double by[4] = {b.lo, b.hi, b.lo, b.hi}, from[4] = {a.lo, a.lo, a.hi, a.hi};
    struct qd_interval q = {INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        bool exact = fma(ends[i], by[i], -from[i]) == 0;
        q.lo = fmin(q.lo, exact ? ends[i] : nextafter(ends[i], -INFINITY));
        q.hi = fmax(q.hi, exact ? ends[i] : nextafter(ends[i], INFINITY));
    }
    return q;
}

/* sqrt of positive numbers. */
static struct qd_interval root(struct qd_interval a)
{
    double lo = sqrt(a.lo), hi = sqrt(a.hi);
    return (struct qd_interval){fma(lo, lo, -a.lo) == 0 ? lo : nextafter(lo, 0),
                                fma(hi, hi, -a.hi) == 0 ? hi : nextafter(hi, INFINITY)};
}

/* An operation inside an order: its exact result and the roundings to both sides. */
static struct qd_interval step(enum qd_dtype type, struct qd_interval exact)
{
    return (struct qd_interval){qd_float_round(type, QD_TO_MINUS_INFINITY, exact.lo),
                                qd_float_round(type, QD_TO_PLUS_INFINITY, exact.hi)};
}

/* --- Orders ----------------------------------------------------------------------------------- */

/* One channel's parameters, and what the orders make of them. */
struct channel {
    enum qd_dtype type;
    struct qd_interval scale, b, mean;
    struct qd_interval root, reciprocal;
    struct qd_interval factor; /* scale/r or scale·(1/r) */
    struct qd_interval offset; /* B − mean·factor */
    bool defined;
};

static struct channel channel_of(const struct normalizer *n, enum qd_dtype type, int64_t c)
{
    struct channel p = {.type = type,
                        .scale = qd_interval_point(qd_tensor_value(&n->in[SCALE]->want, c)),
                        .b = qd_interval_point(qd_tensor_value(&n->in[B]->want, c)),
                        .mean = qd_interval_point(qd_tensor_value(&n->in[MEAN]->want, c))};
    struct qd_interval var = qd_interval_point(qd_tensor_value(&n->in[VAR]->want, c));
    struct qd_interval radicand =
        step(type, qd_interval_add(var, qd_interval_point((double)n->epsilon)));
    p.defined = radicand.lo > 0 && isfinite(radicand.hi) && isfinite(p.scale.lo) &&
                isfinite(p.b.lo) && isfinite(p.mean.lo);
    if (!p.defined)
        return p;
    p.root = step(type, root(radicand));
    p.reciprocal = step(type, divide(qd_interval_point(1), p.root));
    p.factor = qd_interval_join(step(type, divide(p.scale, p.root)),
                                step(type, qd_interval_multiply(p.scale, p.reciprocal)));
    p.offset = step(type, qd_interval_multiply(p.mean, p.factor));
    p.offset = step(type, qd_interval_add(p.b, negative(p.offset)));
    p.defined = isfinite(p.reciprocal.hi) && isfinite(p.factor.lo) && isfinite(p.factor.hi) &&
                isfinite(p.offset.lo) && isfinite(p.offset.hi);
    return p;
}

/* product + addend, the last two operations of each order, exact before the last rounding. */
static struct qd_interval finish(const struct channel *p, struct qd_interval a,
                                 struct qd_interval b, struct qd_interval addend)
{
    return qd_interval_add(step(p->type, qd_interval_multiply(a, b)), addend);
}

/* ((X − mean)·scale)/r + B */
static struct qd_interval divided_last(const struct channel *p, struct qd_interval d)
{
    struct qd_interval scaled = step(p->type, qd_interval_multiply(d, p->scale));
    return qd_interval_add(step(p->type, divide(scaled, p->root)), p->b);
}

/* Everything that the orders in one type may give for x, exact before the last rounding. */
static struct qd_interval normalize(const struct channel *p, struct qd_interval x)
{
    struct qd_interval d = step(p->type, qd_interval_add(x, negative(p->mean)));
    struct qd_interval divided = step(p->type, divide(d, p->root));
    struct qd_interval scaled = step(p->type, qd_interval_multiply(d, p->reciprocal));
    struct qd_interval hull = finish(p, divided, p->scale, p->b);
    hull = qd_interval_join(hull, finish(p, scaled, p->scale, p->b));
    hull = qd_interval_join(hull, finish(p, d, p->factor, p->b));
    hull = qd_interval_join(hull, finish(p, x, p->factor, p->offset));
    return qd_interval_join(hull, divided_last(p, d));
}

/* The formula in real numbers, for x an exact number. */
static struct qd_interval formula(const struct normalizer *n, int64_t c, struct qd_interval x)
{
    struct qd_interval scale = qd_interval_point(qd_tensor_value(&n->in[SCALE]->want, c)),
                       b = qd_interval_point(qd_tensor_value(&n->in[B]->want, c)),
                       mean = qd_interval_point(qd_tensor_value(&n->in[MEAN]->want, c)),
                       var = qd_interval_point(qd_tensor_value(&n->in[VAR]->want, c));
    struct qd_interval r = root(qd_interval_add(var, qd_interval_point((double)n->epsilon)));
    struct qd_interval d = divide(qd_interval_add(x, negative(mean)), r);
    return qd_interval_add(qd_interval_multiply(d, scale), b);
}

static enum qd_status store(const struct normalizer *n, const struct channel *p, int64_t c,
                            int64_t i, struct qd_value *y)
{
    const struct qd_evaluation *evaluation = n->evaluation;
    enum qd_dtype type = y->want.dtype;
    struct qd_interval x = qd_interval_of(n->in[X], i), hull = {NAN, NAN};
    bool flagged = qd_value_flags(n->in[X], i) & (QD_UNSPECIFIED | QD_NOT_NUMBER);
    bool defined = !flagged && isfinite(x.lo) && isfinite(x.hi) && p[0].defined;
    if (defined)
        hull = qd_interval_round(type, normalize(&p[0], x));
    if (defined && type != QD_F32 && p[1].defined)
        hull = qd_interval_join(hull, qd_interval_round(type, normalize(&p[1], x)));
    if (!defined || !(qd_interval_magnitude(hull) <= qd_float_format(type)->largest))
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    enum qd_status status =
        qd_interval_store(y, i, hull, formula(n, c, qd_value_exact(n->in[X], i)), evaluation->arena,
                          evaluation->error);
    bool plain = hull.lo == hull.hi && p[0].factor.lo == p[0].factor.hi &&
                 qd_scale_is_power_of_two(p[0].factor.lo);
    return status == QD_OK && plain ? qd_value_set_plain(y, i, evaluation->arena, evaluation->error)
                                    : status;
}

/* What a kernel that fuses Y with its neighbours sums: X·factor and the offset. */
static enum qd_status begin(const struct normalizer *n, struct qd_value *y)
{
    const struct qd_value *x = n->in[X];
    if (!x->abs_sum)
        return QD_OK;
    y->fusion = x->fusion;
    y->fusion.sum_terms = 0;
    y->fusion.factored = true;            /* by what is hardly ever a power of two */
    y->fusion.steps += QD_MOST_ROUNDINGS; /* its own root and quotient, the offset */
    return qd_value_need_abs_sum(y, n->evaluation->arena, n->evaluation->error);
}

static void set_abs_sum(const struct normalizer *n, const struct channel *p, int64_t i,
                        struct qd_value *y)
{
    if (!y->abs_sum || !p->defined)
        return;
    y->abs_sum[i] = (qd_value_abs_sum(n->in[X], i) + qd_interval_magnitude(p->mean)) *
                        qd_interval_magnitude(p->factor) +
                    qd_interval_magnitude(p->b);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct normalizer n = {0};
    struct qd_value y;
    enum qd_status status = read_node(evaluation, node, in, &n);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, in[X]->want.dtype, in[X]->want.rank,
                               in[X]->want.dims, evaluation->error);
    if (status == QD_OK)
        status = begin(&n, &y);
    int64_t count = status == QD_OK ? qd_sample_elements(evaluation, &y, &status) : 0;
    for (int64_t row = 0; status == QD_OK && row * n.inner < count; row++) {
        int64_t c = row % n.channels;
        const struct channel p[2] = {channel_of(&n, QD_F32, c), channel_of(&n, y.want.dtype, c)};
        for (int64_t i = row * n.inner; status == QD_OK && i < (row + 1) * n.inner; i++) {
            status = store(&n, p, c, i, &y);
            set_abs_sum(&n, &p[0], i, &y);
        }
    }
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_batch_normalization = {
    .domain = "",
    .name = "BatchNormalization",
    .since = 1,
    .min_inputs = 5,
    .max_inputs = 5,
    .outputs = 5,
    .form = QD_FORM_MANY,
    .operands = "X,scale,B:bias,mean,var",
    .clause = "15: When training_mode=False: Y = (X - input_mean) / sqrt(input_var + epsilon) * "
              "scale + B"
              "\n9<14: Carries out batch normalization as described in the paper "
              "https://arxiv.org/abs/1502.03167.",
    .attributes = "epsilon,momentum,training_mode:14-",
    .rules = "x-type,x-rank,scale-type,b-type,mean-type,var-type,scale-shape,b-shape,"
             "mean-shape,var-shape",
    .evaluate = evaluate,
};
