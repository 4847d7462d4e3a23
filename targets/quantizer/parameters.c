/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the scales and zero points that a quantizer has to choose, and compares them with its own. */
#include <math.h>
#include <string.h>

#include "qdiff/observed_range.h"
#include "quantizer/check.h"
#include "quantizer/fidelity.h"

struct range {
    double min, max;
};

static bool same_word(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static const struct qd_quantizer_options *options(const struct qd_quant_check *check)
{
    return &check->question->request->options;
}

/* --- What is wanted ------------------------------------------------------------------------------ */

static bool is_signed(enum qd_dtype type)
{
    return qd_dtype_info(type)->min < 0;
}

/* Codes of a constant: reduced, symmetric or all. */
static void limit_codes(const struct qd_quant_check *check, enum qd_dtype type,
                        struct qd_observed_rule *rule)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    rule->qmin = info->min;
    rule->qmax = info->max;
    if (options(check)->reduce_range) {
        rule->qmin = info->min / 2;
        rule->qmax = info->bits == 4 || !is_signed(type) ? info->max / 2 : -info->min / 2;
    } else if (rule->scheme == QD_OBSERVED_SYMMETRIC && is_signed(type) && info->bits >= 8) {
        rule->qmin = -info->max;
    }
}

static struct qd_observed_rule weight_rule(const struct qd_quant_check *check,
                                           const struct qd_quant_edge *edge)
{
    bool symmetric =
        options(check)->symmetric_weights ||
        (check->question->profile->channels_are_symmetric && edge->count > 1) ||
        (check->question->profile->signed_weights_are_symmetric && is_signed(edge->type));
    struct qd_observed_rule rule = {.scheme =
                                        symmetric ? QD_OBSERVED_SYMMETRIC : QD_OBSERVED_ASYMMETRIC,
                                    .scale_type = edge->scale_type,
                                    .scale_floor = check->question->profile->scale_floor};
    limit_codes(check, edge->type, &rule);
    return rule;
}

static struct qd_observed_rule activation_rule(const struct qd_quant_check *check,
                                               const struct qd_quant_edge *edge)
{
    struct qd_observed_rule rule = {.scheme = QD_OBSERVED_ASYMMETRIC,
                                    .qmin = qd_dtype_info(edge->type)->min,
                                    .qmax = qd_dtype_info(edge->type)->max,
                                    .scale_type = edge->scale_type,
                                    .scale_floor = check->question->profile->scale_floor};
    if (options(check)->symmetric_activations) {
        rule.scheme = QD_OBSERVED_SYMMETRIC;
        rule.qmin = is_signed(edge->type) ? -rule.qmax : rule.qmin;
    } else if (options(check)->restricted_asymmetric && edge->type == QD_U8) {
        rule.scheme = QD_OBSERVED_RESTRICTED;
    }
    if (edge->qmin > rule.qmin || edge->qmax < rule.qmax) { /* an answer that names its own codes */
        rule.qmin = edge->qmin;
        rule.qmax = edge->qmax;
    }
    return rule;
}

static bool fits(const struct qd_quant_edge *edge, int64_t c, struct range range,
                 const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters want;
    double scale = qd_quant_scale(edge, c);
    int64_t zero = qd_quant_zero(edge, c);
    if (qd_observed_to_parameters(range.min, range.max, rule, &want, NULL) != QD_OK)
        return false;
    if (range.min == 0 && range.max == 0) /* 0 is all there is: any scale represents it */
        return scale >= 0x1p-126 && zero >= edge->qmin && zero <= edge->qmax;
    if (want.tiny && scale == 1)
        return zero >= edge->qmin && zero <= edge->qmax;
    return scale >= want.scale.lo && scale <= want.scale.hi && zero >= want.zero_point_lo &&
           zero <= want.zero_point_hi;
}

static const char *describe_want(struct qd_quant_check *check, struct range range,
                                 const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters want;
    const char *text = "nothing: the range is no range";
    if (qd_observed_to_parameters(range.min, range.max, rule, &want, NULL) == QD_OK)
        text = qd_arena_printf(check->arena, "scale %.9g to %.9g, zero point %lld to %lld%s",
                               want.scale.lo, want.scale.hi, (long long)want.zero_point_lo,
                               (long long)want.zero_point_hi, want.tiny ? ", or scale 1" : "");
    return text ? text : "";
}

/* --- Constants ----------------------------------------------------------------------------------- */

static struct range constant_range(const struct qd_quant_edge *edge, const struct qd_tensor *w,
                                   int64_t c)
{
    struct range range = {0, 0};
    for (int64_t i = 0; i < w->count; i++)
        if (qd_quant_channel(edge, w, i) == c) {
            range.min = fmin(range.min, qd_tensor_value(w, i));
            range.max = fmax(range.max, qd_tensor_value(w, i));
        }
    return range;
}

/* The node that reads the edge's codes as a weight beside a constant bias, −1 if none does. */
static int biased_reader(const struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *other = &check->edges.items[i];
        if (!edge->codes || other->codes != edge->codes || other->node < 0 || other->input != 1)
            continue;
        const struct qd_node *node = &check->graph->nodes[other->node];
        if (node->input_count > 2 && node->inputs[2] != QD_NO_VALUE &&
            check->graph->values[node->inputs[2]].initializer)
            return other->node;
    }
    return -1;
}

/* Whether s_w was made larger because the bias would leave int32 with the scale of the range. */
static bool is_enlarged_for_bias(const struct qd_quant_check *check,
                                 const struct qd_quant_edge *edge, int64_t c, struct range range,
                                 const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters want;
    int reader = biased_reader(check, edge);
    if (reader < 0 || qd_observed_to_parameters(range.min, range.max, rule, &want, NULL) != QD_OK ||
        qd_quant_scale(edge, c) < want.scale.hi || qd_quant_zero(edge, c) < want.zero_point_lo ||
        qd_quant_zero(edge, c) > want.zero_point_hi)
        return false;
    const struct qd_tensor *bias =
        check->graph->values[check->graph->nodes[reader].inputs[2]].initializer;
    double step = qd_bias_scale(&check->edges, reader, c) / qd_quant_scale(edge, c);
    for (int64_t i = 0; i < bias->count; i++)
        if ((edge->count == 1 || i == c) &&
            fabs(qd_tensor_value(bias, i)) > 0.5 * INT32_MAX * step * want.scale.lo)
            return true;
    return false;
}

/* A constant's codes, each within half a step of its number where that is not clipped. */
static void check_codes(struct qd_quant_check *check, const struct qd_quant_edge *edge,
                        const struct qd_tensor *w)
{
    for (int64_t i = 0; i < w->count; i++) {
        int64_t c = qd_quant_channel(edge, w, i);
        double scale = qd_quant_scale(edge, c), zero = (double)qd_quant_zero(edge, c);
        double number = qd_tensor_value(w, i);
        double clipped = fmin(fmax(number, scale * ((double)edge->qmin - zero)),
                              scale * ((double)edge->qmax - zero));
        double have = scale * ((double)qd_tensor_get(edge->codes, i) - zero);
        if (!(fabs(have - clipped) <= qd_half_step(edge) * scale)) {
            qd_quant_find(check, QD_VERDICT_WRONG_PARAMETERS,
                          "%s: element %lld is %.9g, its code %lld stands for %.9g (scale %.9g, "
                          "zero point %.0f)",
                          qd_quant_place(check, edge), (long long)i, number,
                          (long long)qd_tensor_get(edge->codes, i), have, scale, zero);
            return;
        }
    }
}

/* --- Activations --------------------------------------------------------------------------------- */

static bool range_of(const struct qd_quant_check *check, int value, struct range *range)
{
    const struct qd_quantizer_request *request = check->question->request;
    const char *name = check->graph->values[value].name;
    for (size_t i = 0; i < request->range_count; i++)
        if (same_word(request->ranges[i].tensor, name)) {
            *range = (struct range){(double)request->ranges[i].min, (double)request->ranges[i].max};
            return true;
        }
    return false;
}

/* The output of the Relu or Clip that is all that reads a value, whose range may
 * stand for it: QD_NO_VALUE when there is none. */
static int folded(const struct qd_quant_check *check, int value)
{
    const struct qd_node *node = qd_quant_only_reader(check, value);
    bool activation =
        node && (same_word(node->op_type, "Relu") || same_word(node->op_type, "Clip"));
    return activation && check->question->profile->folds_activations ? node->outputs[0]
                                                                     : QD_NO_VALUE;
}

/* The output of a Softmax, which lies between 0 and 1 whatever was observed:
 * with 1 as the last code, or 1/256 as a step. */
static bool fits_unit(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                      int value, const struct qd_observed_rule *rule)
{
    int n = qd_graph_producer(check->graph, value);
    if (!check->question->profile->softmax_is_unit || n < 0 ||
        !same_word(check->graph->nodes[n].op_type, "Softmax"))
        return false;
    bool by_256 = edge->scales[0] == 0x1p-8 && edge->zero_points[0] == edge->qmin;
    return by_256 || fits(edge, 0, (struct range){0, 1}, rule);
}

/* Which tensors of the edge's group its parameters may come from. TELLING: all but those that hold nothing but 0, or
 * numbers so small that a scale of 1 is right for them too: that scale is not taken from them. */
enum source { ANCHORS, ALL, TELLING, UNION };

static bool tells(struct range range, const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters parameters;
    struct qd_error error = {.status = QD_OK};
    return (range.min != 0 || range.max != 0) &&
           qd_observed_to_parameters(range.min, range.max, rule, &parameters, &error) == QD_OK &&
           !parameters.tiny;
}

static bool fits_source(const struct qd_quant_edge *edge, struct range range, enum source source,
                        const struct qd_observed_rule *rule)
{
    return (source != TELLING || tells(range, rule)) && fits(edge, 0, range, rule);
}

static bool fits_value(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                       int value, enum source source, const struct qd_observed_rule *rule)
{
    struct range range;
    const struct qd_tensor *constant = check->graph->values[value].initializer;
    if (constant && qd_dtype_is_float(constant->dtype) &&
        fits_source(edge, constant_range(edge, constant, 0), source, rule))
        return true;
    for (; value != QD_NO_VALUE; value = folded(check, value))
        if ((range_of(check, value, &range) && fits_source(edge, range, source, rule)) ||
            fits_unit(check, edge, value, rule))
            return true;
    return false;
}

static bool fits_group(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                       enum source source, const struct qd_observed_rule *rule)
{
    struct range all = {0, 0}, range;
    bool sane = true;
    for (size_t v = 0; v < check->graph->value_count; v++) {
        if (check->group[v] != check->group[edge->tensor])
            continue;
        if ((source == ALL || source == TELLING ||
             (source == ANCHORS && qd_quant_is_anchor(check, (int)v))) &&
            fits_value(check, edge, (int)v, source, rule))
            return true;
        if (range_of(check, (int)v, &range)) {
            sane &= range.min <= range.max;
            all = (struct range){fmin(all.min, range.min), fmax(all.max, range.max)};
        }
    }
    return sane && source == UNION && fits(edge, 0, all, rule);
}

/* One whose range is given. */
static bool has_anchor(const struct qd_quant_check *check, int value)
{
    struct range range;
    for (size_t v = 0; v < check->graph->value_count; v++)
        if (check->group[v] == check->group[value] && qd_quant_is_anchor(check, (int)v) &&
            range_of(check, (int)v, &range))
            return true;
    return false;
}

/* All that the edge's observer has seen, by the answer; false when that is no range. */
static bool observed_range(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                           struct range *range)
{
    struct range all = {0, 0}, one;
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *other = &check->edges.items[i];
        const struct qd_tensor *constant = check->graph->values[other->tensor].initializer;
        if (other->group != edge->group)
            continue;
        if (constant)
            one = constant_range(other, constant, 0);
        else if (!range_of(check, other->tensor, &one) || !(one.min <= one.max))
            return false;
        all = (struct range){fmin(all.min, one.min), fmax(all.max, one.max)};
    }
    *range = all;
    return true;
}

static bool listed(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (same_word(*list, word))
            return true;
    return false;
}

static bool is_excluded(const struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    return edge->node >= 0 && listed(options(check)->exclude, check->graph->nodes[edge->node].name);
}

/* Whether the parameters are a constant's own, of which, if no layer reads it, nothing more is
 * promised: in all codes of the type or in those of a reduced range, and where the tool moves codes
 * of constants, symmetric or not. */
static bool fits_plainly(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                         int64_t c, struct range range)
{
    const struct qd_observed_rule weight = weight_rule(check, edge);
    bool narrow = is_signed(edge->type) && check->question->profile->signed_weights_are_symmetric;
    bool any = check->question->profile->shares_constants;
    for (int form = 0; form < 4; form++) {
        struct qd_observed_rule rule = weight;
        rule.scheme = form & 1 ? QD_OBSERVED_SYMMETRIC : QD_OBSERVED_ASYMMETRIC;
        if (!any && rule.scheme != weight.scheme)
            continue;
        rule.qmin = qd_dtype_info(edge->type)->min;
        rule.qmax = qd_dtype_info(edge->type)->max;
        if (narrow && rule.scheme == QD_OBSERVED_SYMMETRIC)
            rule.qmin = -rule.qmax;
        if (form & 2)
            limit_codes(check, edge->type, &rule);
        if (fits(edge, c, range, &rule))
            return true;
    }
    return false;
}

/* Whether they are those of a constant of the group. */
static bool fits_constant(const struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    for (size_t v = 0; v < check->graph->value_count; v++) {
        const struct qd_tensor *constant = check->graph->values[v].initializer;
        if (constant && qd_dtype_is_float(constant->dtype) &&
            check->group[v] == check->group[edge->tensor] &&
            fits_plainly(check, edge, 0, constant_range(edge, constant, 0)))
            return true;
    }
    return false;
}

/* Whether the parameters are those of a tensor of the group that may give them, or of all of them together; where the
 * answer names its observers, of all that one has seen. */
static bool is_right(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                     const struct qd_observed_rule *rule)
{
    struct range seen;
    if (edge->group != 0)
        return observed_range(check, edge, &seen) && fits(edge, 0, seen, rule);
    if (has_anchor(check, edge->tensor))
        return fits_group(check, edge, ANCHORS, rule) || fits_group(check, edge, UNION, rule);
    if (fits_constant(check, edge))
        return true;
    return fits_group(check, edge, ALL, rule) || fits_group(check, edge, UNION, rule);
}

/* Whether channel c of a constant has the parameters of a weight, of an activation, or plain ones. */
static bool fits_own(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                     const struct qd_tensor *w, int64_t c)
{
    struct qd_observed_rule weight = weight_rule(check, edge), other = activation_rule(check, edge);
    struct qd_observed_rule plain = weight;
    struct range range = constant_range(edge, w, c);
    bool moved =
        edge->node >= 0 && edge->count == 1 &&
        listed(check->question->profile->shares_constants, check->graph->nodes[edge->node].op_type);
    if (!options(check)->symmetric_weights) { /* nobody asked for more than the range */
        plain.scheme = QD_OBSERVED_ASYMMETRIC;
        limit_codes(check, edge->type, &plain);
    }
    return fits(edge, c, range, &weight) || fits(edge, c, range, &other) ||
           fits(edge, c, range, &plain) || (moved && fits_plainly(check, edge, c, range)) ||
           (edge->count == 1 && is_right(check, edge, &other));
}

static void check_constant(struct qd_quant_check *check, const struct qd_quant_edge *edge,
                           const struct qd_tensor *w)
{
    struct qd_observed_rule weight = weight_rule(check, edge);
    check->report->checked++;
    for (int64_t c = 0; c < (int64_t)edge->count; c++) {
        struct range range = constant_range(edge, w, c);
        if (fits_own(check, edge, w, c))
            continue;
        if (is_enlarged_for_bias(check, edge, c, range, &weight)) {
            qd_quant_note(check, "%s: scale %.9g enlarged so that the bias fits int32",
                          qd_quant_place(check, edge), qd_quant_scale(edge, c));
            continue;
        }
        bool covered = qd_observed_is_covered(range.min, range.max, qd_quant_scale(edge, c),
                                              qd_quant_zero(edge, c), &weight, 0x1p-7);
        qd_quant_find(check, covered ? QD_VERDICT_WRONG_PARAMETERS : QD_VERDICT_RANGE_NOT_COVERED,
                      "%s, index %lld: range %.9g to %.9g: want %s; have %.9g, %lld",
                      qd_quant_place(check, edge), (long long)c, range.min, range.max,
                      describe_want(check, range, &weight), qd_quant_scale(edge, c),
                      (long long)qd_quant_zero(edge, c));
        return;
    }
    if (edge->codes)
        check_codes(check, edge, w);
}

/* Why the parameters are not those wanted: the finding's class. */
static enum qd_verdict classify(const struct qd_quant_check *check,
                                const struct qd_quant_edge *edge, struct range range,
                                const struct qd_observed_rule *rule, const char **why)
{
    struct qd_observed_rule plain = *rule, snapped = *rule;
    plain.scheme = QD_OBSERVED_ASYMMETRIC;
    plain.qmin = qd_dtype_info(edge->type)->min;
    snapped.scheme = QD_OBSERVED_RESTRICTED;
    if (rule->scheme != QD_OBSERVED_ASYMMETRIC && is_right(check, edge, &plain)) {
        *why = rule->scheme == QD_OBSERVED_RESTRICTED
                   ? "restricted_asymmetric was asked for, and these are the plain parameters"
                   : "symmetric_activations was asked for, and these are the plain parameters";
        return QD_VERDICT_IGNORES_OPTION;
    }
    if (fits_group(check, edge, TELLING, rule)) {
        *why = "taken from a tensor of the group that no operator with parameters computes";
        return QD_VERDICT_WRONG_SHARING;
    }
    if (rule->scheme == QD_OBSERVED_RESTRICTED) {
        int64_t mid = (rule->qmin + rule->qmax + 1) / 2, z = edge->zero_points[0];
        *why = z != rule->qmin && z != mid
                   ? "the zero point is neither the least nor the middle code"
               : qd_observed_is_unclipped(range.min, range.max, edge->scales[0], z, rule)
                   ? "the scale is not that of the snapped zero point"
                   : "the range is clipped: the scale is not that of the snapped zero point";
        return QD_VERDICT_WRONG_SNAPPING;
    }
    if (is_right(check, edge, &snapped)) {
        *why = "snapped, where the option does not apply";
        return QD_VERDICT_WRONG_SNAPPING;
    }
    bool covered = qd_observed_is_covered(range.min, range.max, edge->scales[0],
                                          edge->zero_points[0], rule, 0x1p-7);
    *why = covered ? "not the range's" : "the range (widened to hold 0) is not represented";
    return covered ? QD_VERDICT_WRONG_PARAMETERS : QD_VERDICT_RANGE_NOT_COVERED;
}

/* Whether what another tensor of the group has is wrong for itself. */
static bool is_wrong(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                     const struct qd_observed_rule *rule)
{
    struct range range;
    const struct qd_tensor *constant = check->graph->values[edge->tensor].initializer;
    return constant ? !fits_own(check, edge, constant, 0)
                    : range_of(check, edge->tensor, &range) && !is_right(check, edge, rule);
}

/* Whether a tensor before it has the same wrong parameters because both share them: they are told once. */
static bool is_told(const struct qd_quant_check *check, const struct qd_quant_edge *edge,
                    const struct qd_observed_rule *rule)
{
    for (const struct qd_quant_edge *other = check->edges.items; other < edge; other++)
        if (check->group[other->tensor] == check->group[edge->tensor] && other->count == 1 &&
            other->type == edge->type && other->scales[0] == edge->scales[0] &&
            other->zero_points[0] == edge->zero_points[0] && is_wrong(check, other, rule))
            return true;
    return false;
}

static void check_activation(struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    struct qd_observed_rule rule = activation_rule(check, edge);
    struct range range;
    const char *why;
    if (edge->count != 1 || !range_of(check, edge->tensor, &range))
        return;
    check->report->checked++;
    if (is_right(check, edge, &rule) || is_told(check, edge, &rule))
        return;
    enum qd_verdict class = classify(check, edge, range, &rule, &why);
    qd_quant_find(check, class, "%s: range %.9g to %.9g: want %s; have %.9g, %lld: %s",
                  qd_quant_place(check, edge), range.min, range.max,
                  describe_want(check, range, &rule), edge->scales[0],
                  (long long)edge->zero_points[0], why);
}

/* Scales that are numbers and zero points within the codes. */
static bool is_sane(struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    for (size_t c = 0; c < edge->count; c++)
        if (!(edge->scales[c] > 0) || !isfinite(edge->scales[c]) ||
            edge->zero_points[c] < edge->qmin || edge->zero_points[c] > edge->qmax) {
            qd_quant_find(check, QD_VERDICT_WRONG_PARAMETERS,
                          "%s, index %zu: scale %.9g, zero point %lld: want a positive number and "
                          "a code of %s",
                          qd_quant_place(check, edge), c, edge->scales[c],
                          (long long)edge->zero_points[c], qd_dtype_info(edge->type)->word);
            return false;
        }
    return true;
}

void qd_quant_check_parameters(struct qd_quant_check *check)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *edge = &check->edges.items[i];
        const struct qd_tensor *constant = check->graph->values[edge->tensor].initializer;
        if (edge->dynamic || edge->implied || !is_sane(check, edge) || edge->type == QD_S32)
            continue;
        if (qd_dtype_info(edge->type)->bits > 16)
            continue;
        if (!constant)
            check_activation(check, edge);
        else if (is_excluded(check, edge))
            continue; /* what else reads it says how it is quantized */
        else if (edge->count == 1 || edge->axis < (int64_t)constant->rank)
            check_constant(check, edge, constant);
    }
}

/* --- Biases -------------------------------------------------------------------------------------- */

static void check_bias(struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    const struct qd_tensor *b = check->graph->values[edge->tensor].initializer;
    for (int64_t c = 0; b && c < b->count; c++) {
        double factor = qd_bias_factor(check->graph, edge->node);
        double want = qd_bias_scale(&check->edges, edge->node, c) * (edge->implied ? factor : 1);
        int64_t index = edge->count == 1 ? 0 : c;
        double have = edge->implied ? want : edge->scales[index];
        if (!isfinite(want) || !isfinite(factor))
            return;
        /* Beside alpha and beta a float bias may have any scale: it is fidelity that judges. */
        bool free = !edge->implied && factor != 1;
        double slack = want * 0x1p-22 + 0x1p-149;
        bool half = edge->scale_type == QD_F16 || b->dtype == QD_F16;
        if (!edge->implied && half) /* half of the last place, of subnormals too */
            slack = want * 0x1p-10 + 0x1p-25;
        if ((!free && !(fabs(have - want) <= slack)) ||
            (!edge->implied && edge->zero_points[index] != 0)) {
            qd_quant_find(check, QD_VERDICT_WRONG_BIAS,
                          "%s, index %lld: want scale %.9g = x_scale * w_scale and zero point 0; "
                          "have %.9g, %lld",
                          qd_quant_place(check, edge), (long long)c, want, have,
                          (long long)edge->zero_points[index]);
            return;
        }
        if (!(have > 0)) /* which is a finding already */
            return;
        double number = qd_tensor_value(b, c);
        double code = edge->codes ? (double)qd_tensor_get(edge->codes, c) : number / have;
        double ideal = fmin(fmax(number / have, INT32_MIN), INT32_MAX);
        /* Of the quotient, and of a scale that is subnormal. */
        double rounding = half ? 0x1p-10 + 0x1p-25 / have : 0x1p-21 + 0x1p-149 / have;
        if (!(fabs(code - ideal) <= 0.5 + fabs(ideal) * rounding)) {
            qd_quant_find(check, QD_VERDICT_WRONG_BIAS,
                          "%s, index %lld: %.9g in steps of %.9g is %.9g; have code %.0f",
                          qd_quant_place(check, edge), (long long)c, number, have, ideal, code);
            return;
        }
    }
}

void qd_quant_check_bias(struct qd_quant_check *check)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *edge = &check->edges.items[i];
        const struct qd_tensor *b = check->graph->values[edge->tensor].initializer;
        if (edge->type == QD_S32 && edge->node >= 0 && !edge->dynamic &&
            (edge->implied || edge->count == 1 || (b && (int64_t)edge->count == b->count)))
            check_bias(check, edge);
    }
}

/* --- Axes ---------------------------------------------------------------------------------------- */

/* The axis of a weight's output channels, −1 where the consumer has none. */
static int64_t channel_axis(const struct qd_node *node, unsigned rank)
{
    int64_t transposed = 0;
    if (same_word(node->op_type, "Conv"))
        return 0;
    if (same_word(node->op_type, "ConvTranspose"))
        return 1;
    if (same_word(node->op_type, "Gemm"))
        return qd_node_int(node, "transB", 0, &transposed, NULL) == QD_OK && transposed ? 0 : 1;
    return same_word(node->op_type, "MatMul") && rank > 1 ? (int64_t)rank - 1 : -1;
}

static void check_axis(struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    const struct qd_tensor *w = check->graph->values[edge->tensor].initializer;
    int64_t want = edge->node >= 0 && edge->input == 1 && w
                       ? channel_axis(&check->graph->nodes[edge->node], w->rank)
                       : -1;
    if (edge->count > 1 && want >= 0 && edge->axis != want)
        qd_quant_find(check, QD_VERDICT_INVALID_MODEL,
                      "%s: %zu scales on axis %lld; the consumer's channels are axis %lld",
                      qd_quant_place(check, edge), edge->count, (long long)edge->axis,
                      (long long)want);
    bool read = edge->codes || check->question->answer->outcome == QD_QUANTIZED_EDGES;
    bool weight = read && want >= 0 && edge->type != QD_S32 && w->dims[want] > 1;
    if (weight && edge->count == 1 && options(check)->per_channel && !is_excluded(check, edge))
        qd_quant_find(check, QD_VERDICT_IGNORES_OPTION,
                      "%s: per_channel was asked for; want %lld scales, have 1",
                      qd_quant_place(check, edge), (long long)w->dims[want]);
    if (weight && edge->count > 1 && !options(check)->per_channel)
        qd_quant_find(check, QD_VERDICT_WRONG_PARAMETERS,
                      "%s: per_channel was not asked for; want 1 scale, have %zu",
                      qd_quant_place(check, edge), edge->count);
}

void qd_quant_check_axes(struct qd_quant_check *check)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *edge = &check->edges.items[i];
        check_axis(check, edge);
        for (size_t j = 0; j < i; j++) {
            const struct qd_quant_edge *other = &check->edges.items[j];
            bool one = other->codes && other->codes == edge->codes;
            if (other->tensor == edge->tensor && one && other->implied == edge->implied &&
                !qd_quant_same(other, edge)) {
                qd_quant_find(check, QD_VERDICT_INVALID_MODEL,
                              "%s and %s read the same codes with different parameters",
                              qd_quant_place(check, other), qd_quant_place(check, edge));
                break;
            }
        }
    }
}
