/* SPDX-License-Identifier: Apache-2.0 */
/* Resize
 *
 * Source      ONNX Resize-10, -11, -13, -18, -19.
 * Inputs      X of any type but those below 8 bits and float8 (13: bf16), movement.h; linear: f32
 *             f16 bf16. roi f32|f16|f64 [2·axes] (11), scales f32 [axes], sizes s64 [axes] (11); an
 *             empty scales counts as absent.
 * Outputs     Y of X's type and rank.
 * Attributes  mode nearest|linear|cubic (cubic: 11); since 11 coordinate_transformation_mode
 *             (resample.h), nearest_mode round_prefer_floor|round_prefer_ceil|floor|ceil,
 *             extrapolation_value (0), exclude_outside, cubic_coeff_a; since 18 axes, antialias,
 *             keep_aspect_ratio_policy stretch|not_larger|not_smaller.
 * Domain      rules X-type, roi-* (type, rank, length; missing before 13), scales-* and sizes-*
 *             (type, length, value; scales-missing before 13), scales-or-sizes (neither),
 *             scales-and-sizes (both), axes-range, mode-value, nearest_mode-value,
 *             coordinate_transformation_mode-value, keep_aspect_ratio_policy-value. UNSUPPORTED:
 *             cubic; antialias; linear on integers, whose rounding the specification does not name;
 *             opset 10 (which coordinates it samples is not said) unless all scales are 1; an axis
 *             named twice; no axis at all; an empty axis that grows; scales or sizes that are no vector; a crop
 *             without region; a size that depends on the rounding of in·scale.
 * Shape rule  sizes, with a policy round-half-up(in·min or max(sizes/in)), or floor(in·scale), with
 *             tf_crop_and_resize floor(in·(end − start)·scale).
 * Arithmetic  1. x = the coordinate of resample.h per axis, clamped to [0, in − 1]; nearest: before
 *             that rounded as nearest_mode says.
 *             2. nearest: X at the rounded coordinates.
 *             3. linear: Σ over the 2^n neighbours of X·Π(1 − |x − k|).
 *             4. tf_crop_and_resize: extrapolation_value where some x lies outside [0, in − 1].
 * Edge cases  An axis that keeps its length is not sampled. exclude_outside changes neither mode:
 *             what lies outside repeats the edge.
 *             Unspecified: align_corners with one output; a coordinate that rounding takes over the
 *               border of the region; an
 *             extrapolation_value that an integer type does not have; a NaN or infinite neighbour.
 * Latitude    the orders of resample.h: the elements that nearest may take, up to QD_MAX_POINTS of
 *             them, else their hull; the canonical one is at the exact coordinate. The hull of all
 *             values that linear takes between the ends; then in float32 every order of the
 *             products and of steps a + x·(b − a): n + 2^n roundings of at most 2·max|X|; half-way
 *             between codes of one scale along up to two axes, and at no other place along others, the
 *             hull of these orders. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "kernel/halves.h"
#include "kernel/resample.h"
#include "qdiff/movement.h"
#include "quantize/orders.h"

enum { X, ROI, SCALES, SIZES, INPUTS };
enum mode { NEAREST, LINEAR, CUBIC, MODES };
enum nearest { ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, FLOOR, CEIL, NEAREST_MODES };
enum policy { STRETCH, NOT_LARGER, NOT_SMALLER, POLICIES };

/* What one output position of an axis shows. */
struct site {
    struct qd_interval x;
    int64_t first, last; /* nearest: the elements it may be */
    int64_t exact;       /* ... and the one at the exact coordinate; -1: not known */
    enum { INSIDE, OUTSIDE, OPEN } where;
};

struct resize {
    enum mode mode;
    enum nearest nearest;
    enum policy policy;
    enum qd_resample_mode coordinates;
    bool antialias;
    float extrapolation;
    unsigned rank;
    struct qd_resample_axis axes[QD_MAX_RANK];
    int64_t dims[QD_MAX_RANK], stride[QD_MAX_RANK];
    size_t listed; /* the axes that roi, scales and sizes are for */
    int64_t list[QD_MAX_RANK];
    struct site *sites[QD_MAX_RANK];
};

/* --- Attributes ------------------------------------------------------------------------------- */

static enum qd_status read_word(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const char *name, const char *const *words, unsigned count,
                                unsigned *word)
{
    const char *text;
    char slug[48];
    enum qd_status status = qd_node_string(node, name, words[0], &text, evaluation->error);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *word = i;
            return QD_OK;
        }
    snprintf(slug, sizeof slug, "%s-value", name);
    return qd_node_rule(evaluation, node, slug, "%s is '%.40s'", name, text);
}

static enum qd_status read_words(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 struct resize *r)
{
    static const char *const modes[MODES] = {"nearest", "linear", "cubic"};
    static const char *const nearest[NEAREST_MODES] = {"round_prefer_floor", "round_prefer_ceil",
                                                       "floor", "ceil"};
    static const char *const policies[POLICIES] = {"stretch", "not_larger", "not_smaller"};
    unsigned mode = 0, rounding = 0, policy = 0;
    const char *coordinates;
    enum qd_status status =
        read_word(evaluation, node, "mode", modes, node->opset >= 11 ? MODES : CUBIC, &mode);
    if (status == QD_OK)
        status = read_word(evaluation, node, "nearest_mode", nearest, NEAREST_MODES, &rounding);
    if (status == QD_OK)
        status =
            read_word(evaluation, node, "keep_aspect_ratio_policy", policies, POLICIES, &policy);
    if (status == QD_OK)
        status = qd_node_string(node, "coordinate_transformation_mode", "half_pixel", &coordinates,
                                evaluation->error);
    if (status != QD_OK)
        return status;
    r->mode = (enum mode)mode;
    r->nearest = (enum nearest)rounding;
    r->policy = (enum policy)policy;
    /* Resize-10 has no such attribute, and none of its coordinates is used. */
    if (qd_resample_mode_find(coordinates, node->opset < 11 ? 11 : node->opset, &r->coordinates))
        return QD_OK;
    return qd_node_rule(evaluation, node, "coordinate_transformation_mode-value",
                        "coordinate_transformation_mode is '%.40s'", coordinates);
}

static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                struct resize *r)
{
    const int64_t *axes;
    size_t count;
    bool used[QD_MAX_RANK] = {false};
    enum qd_status status = qd_node_ints(node, "axes", &axes, &count, evaluation->error);
    r->listed = axes ? 0 : r->rank;
    for (size_t i = 0; i < r->listed; i++)
        r->list[i] = (int64_t)i;
    for (size_t i = 0; status == QD_OK && axes && i < count; i++) {
        int64_t axis;
        status = qd_axis_read(evaluation, node, "axes-range", axes[i], r->rank, 18, &axis);
        if (status == QD_OK && used[axis])
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: axis %lld is named twice",
                           (long long)axis);
        if (status == QD_OK) {
            used[axis] = true;
            r->list[r->listed++] = axis;
        }
    }
    return status;
}

static enum qd_status read_attributes(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, struct resize *r)
{
    int64_t antialias = 0, exclude_outside;
    float cubic_coeff_a;
    struct qd_error *error = evaluation->error;
    enum qd_status status = read_words(evaluation, node, r);
    if (status == QD_OK)
        status = qd_node_int(node, "antialias", 0, &antialias, error);
    if (status == QD_OK)
        status = qd_node_int(node, "exclude_outside", 0, &exclude_outside, error);
    if (status == QD_OK)
        status = qd_node_float(node, "cubic_coeff_a", -0.75F, &cubic_coeff_a, error);
    if (status == QD_OK)
        status = qd_node_float(node, "extrapolation_value", 0, &r->extrapolation, error);
    r->antialias = antialias != 0;
    return status == QD_OK ? read_axes(evaluation, node, r) : status;
}

/* --- Inputs ----------------------------------------------------------------------------------- */

/* A vector of `count` numbers. */
static enum qd_status read_numbers(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const char *name,
                                   const struct qd_value *value, size_t count, double *numbers)
{
    char slug[24];
    const struct qd_tensor *t = &value->want;
    enum qd_status status = qd_operands_are_points(evaluation, node, &value, 1);
    if (status != QD_OK)
        return status;
    snprintf(slug, sizeof slug, "%s-length", name);
    if (t->count != (int64_t)count)
        return qd_node_rule(evaluation, node, slug, "%s has %lld elements, want %zu", name,
                            (long long)t->count, count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = qd_tensor_value(t, (int64_t)i);
    return QD_OK;
}

/* Of roi the specification says that it is 1-D, of scales and sizes only how many elements they
 * have. */
static enum qd_status want_vector(const struct qd_evaluation *evaluation, const char *name,
                                  const struct qd_value *value)
{
    if (value->want.rank == 1)
        return QD_OK;
    return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: %s of rank %u", name,
                   value->want.rank);
}

/* The region; the other modes do not look at it. */
static enum qd_status read_roi(const struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *value, struct resize *r)
{
    const uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    double numbers[2 * QD_MAX_RANK];
    bool used = r->coordinates == QD_TF_CROP_AND_RESIZE;
    enum qd_status status = QD_OK;
    if (!value && node->opset < 13)
        return qd_node_rule(evaluation, node, "roi-missing", "roi is required");
    if (!value && used)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "Resize: tf_crop_and_resize without a region");
    if (value)
        status = qd_operand_type(evaluation, node, "roi", &value->want, types);
    if (status == QD_OK && used && value->want.rank != 1)
        return qd_node_rule(evaluation, node, "roi-rank", "roi has rank %u, want 1",
                            value->want.rank);
    if (status == QD_OK && used)
        status = read_numbers(evaluation, node, "roi", value, 2 * r->listed, numbers);
    for (size_t i = 0; status == QD_OK && used && i < r->listed; i++) {
        r->axes[r->list[i]].start = numbers[i];
        r->axes[r->list[i]].end = numbers[r->listed + i];
    }
    return status;
}

static enum qd_status read_scales(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *value,
                                  struct resize *r)
{
    double scales[QD_MAX_RANK] = {0};
    enum qd_status status = want_vector(evaluation, "scales", value);
    if (status == QD_OK)
        status = read_numbers(evaluation, node, "scales", value, r->listed, scales);
    for (size_t i = 0; status == QD_OK && i < r->listed; i++)
        if (!(scales[i] > 0) || isinf(scales[i]))
            return qd_node_rule(evaluation, node, "scales-value", "scale %zu is %g", i, scales[i]);
    for (size_t i = 0; status == QD_OK && i < r->listed; i++) {
        struct qd_resample_axis *axis = &r->axes[r->list[i]];
        axis->scale = scales[i];
        if (!qd_resample_size(axis, scales[i], QD_MAX_ELEMENTS, &axis->out))
            return qd_fail(evaluation->error, QD_UNSUPPORTED,
                           "Resize: the size of %lld elements times %g is too large or depends on "
                           "rounding",
                           (long long)axis->in, scales[i]);
    }
    return status;
}

/* The one scale p/q of all listed axes; sizes and lengths are within 2^28. */
static void keep_aspect_ratio(struct resize *r, const int64_t *sizes)
{
    int64_t p = sizes[0], q = r->axes[r->list[0]].in;
    for (size_t i = 1; i < r->listed; i++) {
        int64_t in = r->axes[r->list[i]].in;
        bool less = sizes[i] * q < p * in;
        if (sizes[i] * q != p * in && less == (r->policy == NOT_LARGER)) {
            p = sizes[i];
            q = in;
        }
    }
    for (size_t i = 0; i < r->listed; i++) {
        struct qd_resample_axis *axis = &r->axes[r->list[i]];
        axis->scale = (double)p / (double)q;
        axis->out = (2 * p * axis->in + q) / (2 * q); /* half-way up */
    }
}

static enum qd_status read_sizes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *value, struct resize *r)
{
    struct qd_list sizes;
    bool empty = false;
    enum qd_status status =
        qd_operand_type(evaluation, node, "sizes", &value->want, QD_TYPE_BIT(QD_S64));
    if (status == QD_OK)
        status = want_vector(evaluation, "sizes", value);
    if (status == QD_OK)
        status = qd_list_read(evaluation, node, "sizes", value, 11, QD_TYPE_BIT(QD_S64), &sizes);
    if (status != QD_OK)
        return status;
    if (sizes.count != r->listed)
        return qd_node_rule(evaluation, node, "sizes-length", "%zu sizes for %zu axes", sizes.count,
                            r->listed);
    for (size_t i = 0; i < r->listed; i++) {
        struct qd_resample_axis *axis = &r->axes[r->list[i]];
        if (sizes.values[i] < 0)
            return qd_node_rule(evaluation, node, "sizes-value", "size %zu is %lld", i,
                                (long long)sizes.values[i]);
        if (sizes.values[i] > QD_MAX_ELEMENTS)
            return qd_fail(evaluation->error, QD_LIMIT, "Resize: a size of %lld elements",
                           (long long)sizes.values[i]);
        axis->out = sizes.values[i];
        empty = empty || axis->in == 0 || axis->out == 0;
    }
    if (r->policy != STRETCH && empty)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: the ratio of an empty axis");
    if (r->policy != STRETCH && r->listed > 0)
        keep_aspect_ratio(r, sizes.values);
    return QD_OK;
}

/* Resize-10 takes X and scales alone. */
static enum qd_status read_lengths(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct resize *r)
{
    bool old = node->opset < 11;
    const struct qd_value *scales = old ? in[ROI] : in[SCALES], *sizes = old ? NULL : in[SIZES];
    enum qd_status status = QD_OK;
    if (old && (in[SCALES] || in[SIZES]))
        return qd_node_rule(evaluation, node, "input-count", "sizes exist since opset 11");
    if (!scales && node->opset < 13)
        return qd_node_rule(evaluation, node, "scales-missing", "scales are required");
    if (scales)
        status = qd_operand_type(evaluation, node, "scales", &scales->want, QD_TYPE_BIT(QD_F32));
    if (status == QD_OK && !old)
        status = read_roi(evaluation, node, in[ROI], r);
    if (status != QD_OK)
        return status;
    if (scales && scales->want.count == 0 && (r->listed > 0 || sizes))
        scales = NULL;
    if (scales && sizes)
        return qd_node_rule(evaluation, node, "scales-and-sizes",
                            "both scales and sizes are given");
    if (!scales && !sizes)
        return qd_node_rule(evaluation, node, "scales-or-sizes", "neither scales nor sizes");
    if ((scales ? scales : sizes)->want.count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "Resize of no axis: ONNX's own shape inference takes the empty list for "
                       "an absent one");
    return scales ? read_scales(evaluation, node, scales, r)
                  : read_sizes(evaluation, node, sizes, r);
}

/* What is valid and declined; which axes are sampled. */
static enum qd_status decide(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             const struct qd_tensor *x, struct resize *r)
{
    const uint32_t types = QD_FLOAT_TYPES;
    bool always =
        r->coordinates == QD_TF_CROP_AND_RESIZE || r->coordinates == QD_TF_HALF_PIXEL_FOR_NN;
    bool any = false;
    for (size_t i = 0; i < r->listed; i++) {
        struct qd_resample_axis *axis = &r->axes[r->list[i]];
        bool scaled = axis->scale > 0 && (axis->scale < 1 || axis->scale > 1);
        axis->resized = always || scaled || axis->out != axis->in;
        any = any || axis->resized;
        if (axis->in == 0 && axis->out > 0)
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: an empty axis grows");
    }
    for (unsigned k = 0; k < r->rank; k++)
        r->dims[k] = r->axes[k].out;
    if (node->opset < 11 && any)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "Resize-10 does not say which coordinates it samples");
    if (r->mode == CUBIC || r->antialias)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: %s",
                       r->antialias ? "antialias" : "cubic interpolation");
    if (r->mode == LINEAR && any && !(types & QD_TYPE_BIT(x->dtype)))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Resize: linear interpolation of %s",
                       qd_dtype_info(x->dtype)->name);
    return QD_OK;
}

/* --- Sites ------------------------------------------------------------------------------------ */

static int64_t clamp(const struct qd_resample_axis *axis, double k)
{
    return k < 0 ? 0 : k > (double)(axis->in - 1) ? axis->in - 1 : (int64_t)k;
}

static int64_t nearest(const struct resize *r, const struct qd_resample_axis *axis, double x)
{
    switch (r->nearest) {
    case ROUND_PREFER_FLOOR: return clamp(axis, ceil(x - 0.5));
    case ROUND_PREFER_CEIL: return clamp(axis, floor(x + 0.5));
    case FLOOR: return clamp(axis, floor(x));
    default: return clamp(axis, ceil(x));
    }
}

static int64_t floor_of(struct qd_fraction x)
{
    return x.num / x.den - (x.num % x.den < 0 ? 1 : 0);
}

static int64_t ceil_of(struct qd_fraction x)
{
    return -floor_of((struct qd_fraction){-x.num, x.den});
}

static int64_t nearest_exactly(const struct resize *r, struct qd_fraction x)
{
    const struct qd_fraction below = {2 * x.num - x.den, 2 * x.den},
                             above = {2 * x.num + x.den, 2 * x.den};
    switch (r->nearest) {
    case ROUND_PREFER_FLOOR: return ceil_of(below);
    case ROUND_PREFER_CEIL: return floor_of(above);
    case FLOOR: return floor_of(x);
    default: return ceil_of(x);
    }
}

/* The element at the exact coordinate, by the scale that the model gives where out / in has another; -1 where none is
 * known. */
static int64_t exact_element(const struct resize *r, const struct qd_resample_axis *axis, int64_t o)
{
    struct qd_fraction x;
    bool known = qd_resample_exactly(r->coordinates, axis, o, &x);
    return known ? clamp(axis, (double)nearest_exactly(r, x)) : -1;
}

static struct site site_at(const struct resize *r, const struct qd_resample_axis *axis, int64_t o)
{
    struct site site = {.where = OPEN};
    double last = (double)(axis->in - 1);
    bool crops = axis->resized && r->coordinates == QD_TF_CROP_AND_RESIZE;
    if (!qd_resample_coordinate(r->coordinates, axis, o, &site.x) || isnan(site.x.lo + site.x.hi))
        return site;
    if (crops && (site.x.hi < 0 || site.x.lo > last))
        site.where = OUTSIDE;
    else if (!crops || (site.x.lo >= 0 && site.x.hi <= last))
        site.where = INSIDE;
    site.first = nearest(r, axis, site.x.lo);
    site.last = nearest(r, axis, site.x.hi);
    site.exact = site.first == site.last ? site.first : exact_element(r, axis, o);
    site.x.lo = fmin(fmax(site.x.lo, 0), last);
    site.x.hi = fmin(fmax(site.x.hi, 0), last);
    return site;
}

static enum qd_status make_sites(const struct qd_evaluation *evaluation, struct resize *r)
{
    int64_t elements;
    enum qd_status status = qd_shape_count(r->rank, r->dims, &elements, evaluation->error);
    if (status != QD_OK || elements == 0)
        return status;
    for (unsigned k = 0; k < r->rank; k++) {
        size_t count = (size_t)r->axes[k].out;
        status = qd_spend(evaluation, (double)count * QD_WORK_FLOAT);
        if (status != QD_OK)
            return status;
        r->sites[k] = qd_arena_array(evaluation->arena, count, sizeof **r->sites);
        if (!r->sites[k])
            return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %zu positions", count);
        for (size_t o = 0; o < count; o++)
            r->sites[k][o] = site_at(r, &r->axes[k], (int64_t)o);
    }
    return QD_OK;
}

/* The sites of output element i, by axis; where it is as a whole. */
static int sites_of(const struct resize *r, int64_t i, const struct site **sites)
{
    bool outside = false, open = false;
    for (unsigned k = r->rank; k-- > 0;) {
        sites[k] = &r->sites[k][i % r->dims[k]];
        i /= r->dims[k];
        outside = outside || sites[k]->where == OUTSIDE;
        open = open || sites[k]->where == OPEN;
    }
    return outside ? OUTSIDE : open ? OPEN : INSIDE;
}

/* --- Nearest ---------------------------------------------------------------------------------- */

static struct qd_source source(const void *context, int64_t i)
{
    const struct resize *r = context;
    const struct site *sites[QD_MAX_RANK];
    int64_t index = 0;
    if (sites_of(r, i, sites) != INSIDE)
        return (struct qd_source){1, 0};
    for (unsigned k = 0; k < r->rank; k++)
        index += sites[k]->first * r->stride[k];
    return (struct qd_source){0, index};
}

/* extrapolation_value as a scalar of X's type; unspecified where the type does not have it. */
static enum qd_status make_constant(const struct qd_evaluation *evaluation, const struct resize *r,
                                    enum qd_dtype dtype, struct qd_value *constant)
{
    double value = (double)r->extrapolation;
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    enum qd_status status =
        qd_value_init(constant, evaluation->arena, dtype, 0, NULL, evaluation->error);
    if (status != QD_OK)
        return status;
    bool number = qd_dtype_is_float(dtype);
    bool code = value >= (double)info->min && value <= (double)info->max && fabs(value) <= 0x1p53 &&
                floor(value) >= value;
    if (!number && !code)
        return qd_interval_store_flag(constant, 0, QD_UNSPECIFIED, evaluation->arena,
                                      evaluation->error);
    if (number)
        value = qd_float_round(dtype, QD_NEAREST_EVEN, value);
    qd_tensor_set(&constant->want, 0,
                  number ? (int64_t)qd_float_encode(dtype, value, false) : (int64_t)value);
    return QD_OK;
}

/* What element i may be, over all combinations of the elements that its sites may take. */
struct choice {
    struct qd_interval hull;
    double abs_sum;
    bool open, finite; /* finite: each is one number, and these are all */
    size_t count;
    double points[QD_MAX_POINTS];
};

static void add_point(struct choice *choice, struct qd_interval at)
{
    size_t k = 0;
    while (k < choice->count && choice->points[k] != at.lo)
        k++;
    choice->finite = choice->finite && at.lo == at.hi && k < QD_MAX_POINTS;
    if (choice->finite && k == choice->count)
        choice->points[choice->count++] = at.lo;
}

static void choose(struct choice *choice, const struct qd_value *x, int64_t index)
{
    struct qd_interval at = qd_interval_of(x, index);
    bool number = !(qd_value_flags(x, index) & (QD_UNSPECIFIED | QD_NOT_NUMBER));
    add_point(choice, at);
    /* Doubles hold no more of 64-bit codes than 2^53. */
    bool held = qd_dtype_is_float(x->want.dtype) || qd_interval_magnitude(at) <= 0x1p53;
    choice->open = choice->open || !number || !held || isnan(at.lo);
    choice->hull.lo = fmin(choice->hull.lo, at.lo);
    choice->hull.hi = fmax(choice->hull.hi, at.hi);
    choice->abs_sum = fmax(choice->abs_sum, qd_value_abs_sum(x, index));
}

static struct choice all_choices(const struct resize *r, const struct site *const *sites,
                                 const struct qd_value *x)
{
    struct choice choice = {.hull = {INFINITY, -INFINITY}, .finite = true};
    int64_t at[QD_MAX_RANK];
    unsigned k = 0;
    for (unsigned j = 0; j < r->rank; j++)
        at[j] = sites[j]->first;
    while (k < r->rank) {
        int64_t index = 0;
        for (unsigned j = 0; j < r->rank; j++)
            index += at[j] * r->stride[j];
        choose(&choice, x, index);
        for (k = 0; k < r->rank && ++at[k] > sites[k]->last; k++)
            at[k] = sites[k]->first;
    }
    return choice;
}

/* The exact number of the element at the exact coordinates; any of the hull where these are not known. */
static struct qd_interval exact_choice(const struct resize *r, const struct site *const *sites,
                                       const struct qd_value *x, struct qd_interval hull)
{
    int64_t index = 0;
    for (unsigned k = 0; k < r->rank; k++) {
        if (sites[k]->exact < 0)
            return qd_interval_open(hull);
        index += sites[k]->exact * r->stride[k];
    }
    return qd_value_exact(x, index);
}

static enum qd_status widen(const struct qd_evaluation *evaluation, const struct resize *r,
                            const struct qd_value *x, struct qd_value *y, int64_t i)
{
    const struct site *sites[QD_MAX_RANK];
    double count = 1;
    int where = sites_of(r, i, sites);
    if (where == OPEN)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    for (unsigned k = 0; where == INSIDE && k < r->rank; k++)
        count *= (double)(sites[k]->last - sites[k]->first + 1);
    if (count <= 1)
        return QD_OK;
    enum qd_status status = qd_spend(evaluation, count * QD_WORK_ELEMENT);
    if (status != QD_OK)
        return status;
    struct choice choice = all_choices(r, sites, x);
    if (y->abs_sum)
        y->abs_sum[i] = choice.abs_sum;
    if (choice.open)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    status = qd_interval_store(y, i, choice.hull, exact_choice(r, sites, x, choice.hull),
                               evaluation->arena, evaluation->error);
    return status == QD_OK && choice.finite ? qd_value_limit(y, i, choice.points, choice.count,
                                                             evaluation->arena, evaluation->error)
                                            : status;
}

static enum qd_status resize_nearest(const struct qd_evaluation *evaluation, const struct resize *r,
                                     const struct qd_value *x, struct qd_value *y)
{
    struct qd_value constant, made;
    enum qd_status status = make_constant(evaluation, r, x->want.dtype, &constant);
    const struct qd_value *operands[] = {x, &constant};
    if (status == QD_OK)
        status = qd_move(evaluation, operands, 2, r->rank, r->dims, source, r, &made);
    for (int64_t i = 0; status == QD_OK && i < made.want.count; i++)
        status = widen(evaluation, r, x, &made, i);
    if (status == QD_OK)
        *y = made;
    return status;
}

/* --- Linear ----------------------------------------------------------------------------------- */

struct linear {
    const struct qd_evaluation *evaluation;
    const struct resize *r;
    struct qd_float_operand x;
    unsigned count, axes[QD_MAX_RANK]; /* those that are sampled */
};

/* Weight of the neighbour `up` elements after floor(x). */
static struct qd_interval weight_of(double x, bool up)
{
    double rest = x - floor(x);
    return up ? (struct qd_interval){rest, rest}
              : qd_interval_add((struct qd_interval){1, 1}, (struct qd_interval){-rest, -rest});
}

/* The element at or before x, and along each axis whose bit is set the one after that. */
static int64_t corner_index(const struct linear *l, int64_t base, const double *x, unsigned up)
{
    int64_t index = base;
    for (unsigned a = 0; a < l->count; a++)
        index += clamp(&l->r->axes[l->axes[a]], floor(x[a]) + (double)(up >> a & 1)) *
                 l->r->stride[l->axes[a]];
    return index;
}

/* The sum at coordinates x of the sampled axes. Every order is within so many roundings of twice
 * the greatest neighbour, which a step a + x·(b − a) may reach, and exact where all products of
 * weights and numbers are within 24 bits of that. */
static struct qd_float_sum sum_at(const struct linear *l, int64_t base, const double *x)
{
    struct qd_float_sum sum = QD_FLOAT_SUM_EMPTY;
    double greatest = 0, abs_sum = 0;
    for (unsigned corner = 0; corner < 1U << l->count; corner++) {
        struct qd_interval weight = {1, 1};
        int64_t index = corner_index(l, base, x, corner);
        for (unsigned a = 0; a < l->count; a++)
            weight = qd_interval_multiply(weight, weight_of(x[a], (corner >> a & 1) != 0));
        int quantum = weight.lo < weight.hi ? INT_MIN : qd_float_quantum(weight.lo);
        struct qd_float_operand factor = {.hull = &weight, .exact = &weight, .quantum = &quantum};
        qd_float_sum_product(&sum, &l->x, index, &factor, 0);
        greatest = fmax(greatest, qd_interval_magnitude(l->x.hull[index]));
        abs_sum = fmax(abs_sum, qd_value_abs_sum(l->x.value, index));
    }
    sum.magnitude = 2 * greatest;
    sum.abs_sum = abs_sum;
    return sum;
}

/* At an end of an axis both neighbours are the same element, and a kernel may add its halves: of more axes than one, or
 * between elements of another, that is a sum with roundings of its own. Gives how often elements are halved so. */
static int count_halvings(const struct linear *l, const double *x)
{
    int ends = 0, between = 0;
    for (unsigned a = 0; a < l->count; a++) {
        const struct qd_resample_axis *axis = &l->r->axes[l->axes[a]];
        double low = floor(x[a]);
        ends += low == x[a] && clamp(axis, low) == clamp(axis, low + 1);
        between += low < x[a];
    }
    return ends + between > 1 ? ends : 0;
}

/* Where element x lies: at elements of all axes, or half-way between two of some, which `halved` gives. */
static bool is_half_way(const struct linear *l, const double *x, unsigned *halved, unsigned *count)
{
    *count = 0;
    for (unsigned a = 0; a < l->count; a++) {
        double rest = x[a] - floor(x[a]);
        if (rest != 0 && (rest != 0.5 || *count == QD_HALVED_AXES))
            return false;
        if (rest != 0)
            halved[(*count)++] = a;
    }
    return true;
}

/* Half-way between codes of one scale the orders' hull is known. */
static void limit_halves(const struct linear *l, int64_t base, const double *x,
                         struct qd_float_sum *sum)
{
    unsigned halved[QD_HALVED_AXES], count;
    double codes[QD_HALVED_CODES], scale = 0;
    if (!l->x.fusable || !is_half_way(l, x, halved, &count))
        return;
    for (unsigned k = 0; k < 1U << count; k++) {
        double own;
        unsigned up = 0;
        for (unsigned axis = 0; axis < count; axis++)
            up |= (k >> axis & 1) << halved[axis];
        int64_t index = corner_index(l, base, x, up);
        if (!qd_value_is_code(l->x.value, index, &codes[k], &own) || (k > 0 && own != scale) ||
            fabs(codes[k]) > 0x1p20 || !qd_scale_is_moderate(own))
            return;
        scale = own;
    }
    sum->limits = qd_halves(codes, count, scale);
    sum->limited = sum->of_terms = true;
    sum->common = (float)scale;
}

/* What is known of the orders because of where x lies. */
static void settle_place(const struct linear *l, int64_t base, const double *x, enum qd_dtype type,
                         struct qd_float_sum *sum)
{
    int halvings = count_halvings(l, x);
    if (sum->quantum != INT_MIN && sum->quantum != INT_MAX)
        sum->quantum -= halvings;
    if (halvings == 0 && type == QD_F32)
        limit_halves(l, base, x, sum);
}

/* Point j of what the ends of an interval and the integers between make of it: in between the value
 * is linear. */
static double breakpoint(struct qd_interval x, int64_t j)
{
    return j == 0 ? x.lo : fmin(floor(x.lo) + (double)j, x.hi);
}

static int64_t breakpoints(struct qd_interval x)
{
    return x.lo < x.hi ? (int64_t)(ceil(x.hi) - floor(x.lo)) + 1 : 1;
}

static void join(struct qd_float_sum *sum, const struct qd_float_sum *other)
{
    struct qd_interval a = qd_float_sum_exact(sum), b = qd_float_sum_exact(other);
    sum->exact = qd_interval_open((struct qd_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)});
    sum->apart = true;
    sum->total.lo = fmin(sum->total.lo, other->total.lo);
    sum->total.hi = fmax(sum->total.hi, other->total.hi);
    sum->magnitude = fmax(sum->magnitude, other->magnitude);
    sum->abs_sum = fmax(sum->abs_sum, other->abs_sum);
    sum->special = sum->special || other->special;
    sum->quantum = INT_MIN;
}

static enum qd_status interpolate(const struct linear *l, const struct site *const *sites,
                                  struct qd_value *y, int64_t i)
{
    int64_t at[QD_MAX_RANK] = {0}, count[QD_MAX_RANK] = {0}, base = 0, left;
    double x[QD_MAX_RANK], vertices = 1;
    unsigned k = 0;
    for (unsigned j = 0; j < l->r->rank; j++)
        base += l->r->axes[j].resized ? 0 : sites[j]->first * l->r->stride[j];
    for (unsigned a = 0; a < l->count; a++) {
        count[a] = breakpoints(sites[l->axes[a]]->x);
        x[a] = sites[l->axes[a]]->x.lo;
        vertices *= (double)count[a];
    }
    enum qd_status status = qd_spend(l->evaluation, vertices * QD_WORK_FLOAT * (1U << l->count));
    if (status != QD_OK)
        return status;
    struct qd_float_sum sum = sum_at(l, base, x);
    for (left = (int64_t)vertices - 1; left > 0; left--) { /* qd_spend has bounded them */
        for (k = 0; ++at[k] == count[k]; k++)
            at[k] = 0;
        for (unsigned a = 0; a < l->count; a++)
            x[a] = breakpoint(sites[l->axes[a]]->x, at[a]);
        struct qd_float_sum other = sum_at(l, base, x);
        join(&sum, &other);
    }
    if (vertices == 1)
        settle_place(l, base, x, y->want.dtype, &sum);
    return qd_float_sum_store(l->evaluation, &sum, 2 * (int64_t)l->count, y, i);
}

static enum qd_status extrapolate(const struct linear *l, const struct qd_value *constant,
                                  struct qd_value *y, int64_t i)
{
    struct qd_interval value = qd_interval_of(constant, 0);
    y->abs_sum[i] = fabs(value.lo);
    if (isnan(value.lo))
        return qd_interval_store_flag(y, i, QD_NOT_NUMBER, l->evaluation->arena,
                                      l->evaluation->error);
    return qd_interval_store(y, i, value, value, l->evaluation->arena, l->evaluation->error);
}

static enum qd_status begin(struct linear *l, const struct qd_value *x, struct qd_value *constant,
                            struct qd_value *y)
{
    const struct qd_evaluation *evaluation = l->evaluation;
    const struct qd_float_operand *operand = &l->x;
    for (unsigned k = 0; k < l->r->rank; k++)
        if (l->r->axes[k].resized)
            l->axes[l->count++] = k;
    enum qd_status status = qd_float_operand_make(evaluation, x, &l->x);
    if (status == QD_OK)
        status = qd_value_init(y, evaluation->arena, x->want.dtype, l->r->rank, l->r->dims,
                               evaluation->error);
    if (status == QD_OK)
        status = make_constant(evaluation, l->r, x->want.dtype, constant);
    return status == QD_OK ? qd_float_sum_begin(evaluation, &operand, 1, y) : status;
}

static enum qd_status resize_linear(const struct qd_evaluation *evaluation, const struct resize *r,
                                    const struct qd_value *x, struct qd_value *y)
{
    struct linear l = {.evaluation = evaluation, .r = r};
    struct qd_value made, constant;
    enum qd_status status = begin(&l, x, &constant, &made);
    int64_t count = qd_sample_elements(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        const struct site *sites[QD_MAX_RANK];
        switch (sites_of(r, i, sites)) {
        case INSIDE: status = interpolate(&l, sites, &made, i); break;
        case OUTSIDE: status = extrapolate(&l, &constant, &made, i); break;
        default:
            status = qd_interval_store_flag(&made, i, QD_UNSPECIFIED, evaluation->arena,
                                            evaluation->error);
        }
    }
    if (status != QD_OK)
        return status;
    made.fusion.sum_terms = 0;              /* nothing goes on from these sums */
    made.fusion.steps += QD_MOST_ROUNDINGS; /* weights and their products */
    *y = made;
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[X]->want;
    struct resize r = {.rank = x->rank};
    bool linear = false;
    for (unsigned k = 0; k < r.rank; k++)
        r.axes[k] = (struct qd_resample_axis){.in = x->dims[k], .out = x->dims[k], .end = 1};
    qd_strides_of(x, r.stride);
    enum qd_status status = qd_movement_type(evaluation, node, "X", x, 10, 0);
    if (status == QD_OK)
        status = read_attributes(evaluation, node, &r);
    if (status == QD_OK)
        status = read_lengths(evaluation, node, in, &r);
    if (status == QD_OK)
        status = decide(evaluation, node, x, &r);
    if (status == QD_OK)
        status = make_sites(evaluation, &r);
    for (unsigned k = 0; k < r.rank; k++)
        linear = linear || (r.mode == LINEAR && r.axes[k].resized);
    if (status != QD_OK)
        return status;
    return linear ? resize_linear(evaluation, &r, in[X], &out[0])
                  : resize_nearest(evaluation, &r, in[X], &out[0]);
}

const struct qd_op qd_op_resize = {
    .domain = "",
    .name = "Resize",
    .since = 10,
    .min_inputs = 1,
    .max_inputs = INPUTS,
    .outputs = 1,
    .form = QD_FORM_MOVES, /* nearest; linear mixes elements */
    .operands = "X,roi:control,scales:control,sizes:control",
    .clause = "19: it calculates every value in the output tensor as a weighted average of "
              "neighborhood (a.k.a. sampling locations) in the input tensor."
              "\n10<11: Two interpolation modes: nearest (default), and linear (including "
              "bilinear, trilinear, etc)",
    .attributes = "mode,coordinate_transformation_mode:11-,cubic_coeff_a:11-,exclude_outside:11-,"
                  "extrapolation_value:11-,nearest_mode:11-,antialias:18-,axes:18-,keep_aspect_"
                  "ratio_policy:18-",
    .rules = "X-type,roi-type,roi-rank,roi-length,roi-missing,scales-type,scales-length,"
             "scales-value,scales-missing,sizes-type,sizes-length,sizes-value,"
             "scales-and-sizes,scales-or-sizes,axes-range,mode-value,nearest_mode-value,"
             "coordinate_transformation_mode-value,keep_aspect_ratio_policy-value",
    .evaluate = evaluate,
};
