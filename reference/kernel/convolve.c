/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/convolve.h"

#include <string.h>

#include "kernel/accumulate.h"

/* An INTS attribute of `length` entries, each at least `least`; filled with `otherwise` when
 * absent. */
static enum qd_status read_ints(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const char *name, unsigned length, int64_t otherwise, int64_t least,
                                const char *range_slug, const char *length_slug, int64_t *out)
{
    const int64_t *values;
    size_t count;
    for (unsigned i = 0; i < length; i++)
        out[i] = otherwise;
    enum qd_status status = qd_node_ints(node, name, &values, &count, evaluation->error);
    if (status != QD_OK || !values)
        return status;
    if (count != length)
        return qd_node_rule(evaluation, node, length_slug, "attribute %s has %zu entries, want %u",
                            name, count, length);
    for (unsigned i = 0; i < length; i++) {
        if (values[i] < least || values[i] > QD_MAX_ELEMENTS)
            return qd_node_rule(evaluation, node, range_slug, "attribute %s[%u] is %lld", name, i,
                                (long long)values[i]);
        out[i] = values[i];
    }
    return QD_OK;
}

static enum qd_status read_group(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_tensor *w,
                                 struct qd_conv_shape *s)
{
    if (x->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank",
                            "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    if (w->rank != x->rank)
        return qd_node_rule(evaluation, node, "w-rank", "w has rank %u, x has %u", w->rank,
                            x->rank);
    enum qd_status status = qd_node_int(node, "group", 1, &s->group, evaluation->error);
    if (status != QD_OK)
        return status;
    if (s->group < 1)
        return qd_node_rule(evaluation, node, "group-positive", "group is %lld",
                            (long long)s->group);
    s->batch = x->dims[0];
    s->channels = x->dims[1];
    s->filters = w->dims[0];
    s->spatial = x->rank - 2;
    if (s->group > QD_MAX_ELEMENTS || s->channels != w->dims[1] * s->group)
        return qd_node_rule(evaluation, node, "group-channels",
                            "x has %lld channels, w takes %lld in each of %lld groups",
                            (long long)s->channels, (long long)w->dims[1], (long long)s->group);
    if (s->filters % s->group != 0)
        return qd_node_rule(evaluation, node, "group-outputs",
                            "%lld filters do not divide into %lld groups", (long long)s->filters,
                            (long long)s->group);
    return QD_OK;
}

static enum qd_status read_kernel(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *w,
                                  struct qd_conv_shape *s)
{
    int64_t kernel[QD_MAX_SPATIAL];
    const struct qd_attr *declared = qd_node_attr(node, "kernel_shape");
    enum qd_status status = read_ints(evaluation, node, "kernel_shape", s->spatial, 1, 1,
                                      "kernel_shape-mismatch", "kernel_shape-length", kernel);
    for (unsigned i = 0; status == QD_OK && i < s->spatial; i++) {
        s->kernel[i] = w->dims[2 + i];
        if (s->kernel[i] < 1 || (declared && kernel[i] != s->kernel[i]))
            return qd_node_rule(evaluation, node, "kernel_shape-mismatch",
                                "kernel_shape[%u] is %lld, w has %lld", i, (long long)kernel[i],
                                (long long)s->kernel[i]);
    }
    return status;
}

static enum qd_status read_steps(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 struct qd_conv_shape *s)
{
    enum qd_status status = read_ints(evaluation, node, "strides", s->spatial, 1, 1,
                                      "strides-positive", "strides-length", s->stride);
    if (status == QD_OK)
        status = read_ints(evaluation, node, "dilations", s->spatial, 1, 1, "dilations-positive",
                           "dilations-length", s->dilation);
    return status;
}

enum auto_pad { NOTSET, SAME_UPPER, SAME_LOWER, VALID };

static enum qd_status read_auto_pad(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, enum auto_pad *mode)
{
    static const char *const words[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    const char *word;
    enum qd_status status = qd_node_string(node, "auto_pad", "NOTSET", &word, evaluation->error);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(words[i], word) == 0) {
            *mode = (enum auto_pad)i;
            if (i != NOTSET && qd_node_attr(node, "pads"))
                return qd_node_rule(evaluation, node, "auto_pad-with-pads",
                                    "auto_pad %s and pads cannot be used together", word);
            return QD_OK;
        }
    return qd_node_rule(evaluation, node, "auto_pad-value", "auto_pad is '%.40s'", word);
}

static int64_t effective_kernel(const struct qd_conv_shape *s, unsigned i)
{
    return (s->kernel[i] - 1) * s->dilation[i] + 1;
}

static void pad_same(struct qd_conv_shape *s, unsigned i, bool upper)
{
    s->out[i] = (s->in[i] + s->stride[i] - 1) / s->stride[i];
    int64_t total = (s->out[i] - 1) * s->stride[i] + effective_kernel(s, i) - s->in[i];
    total = total < 0 ? 0 : total;
    s->pad_begin[i] = upper ? total / 2 : total - total / 2;
    s->pad_end[i] = total - s->pad_begin[i];
}

/* MaxPool-22, AveragePool-22, of ceil_mode: "Sliding windows that would start in the right padded
 * region are ignored." */
static void drop_windows(struct qd_conv_shape *s, unsigned i)
{
    while (s->out[i] > 0 && (s->out[i] - 1) * s->stride[i] >= s->in[i] + s->pad_begin[i])
        s->out[i]--;
}

/* ceil_mode: the windows of count_windows, and one more that overhangs. */
static enum qd_status count_overhanging(const struct qd_evaluation *evaluation,
                                        const struct qd_node *node, int64_t room, unsigned i,
                                        struct qd_conv_shape *s)
{
    if (room < 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: ceil_mode with a kernel beyond the padded input", node->op_type);
    s->out[i] += room % s->stride[i] != 0;
    if (node->opset >= 22)
        drop_windows(s, i);
    else if (room % s->stride[i] != 0 &&
             (s->out[i] - 1) * s->stride[i] >= s->in[i] + s->pad_begin[i])
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: ceil_mode with a window in the padding alone, before opset 22",
                       node->op_type);
    return QD_OK;
}

/* Output size of axis i with explicit padding: floor(room / stride + 1), which may be 0: "floor(
 * (input_spatial_shape[i] + pad_shape[i] - dilation[i] * (kernel_shape[i] - 1) - 1) /
 * strides_spatial_shape[i] + 1)" (MaxPool, AveragePool). `ceil` is a pool's ceil_mode. */
static enum qd_status count_windows(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, bool ceil, unsigned i,
                                    struct qd_conv_shape *s)
{
    int64_t kernel = effective_kernel(s, i);
    int64_t padded = s->in[i] + s->pad_begin[i] + s->pad_end[i], room = padded - kernel;
    if (!ceil && room < -s->stride[i])
        return qd_node_rule(
            evaluation, node, "output-empty",
            "the kernel (%lld with dilation) exceeds the padded input (%lld) on axis %u by more "
            "than a stride: the output would have fewer than 0 elements",
            (long long)kernel, (long long)padded, 2 + i);
    s->out[i] = room < 0 ? 0 : room / s->stride[i] + 1;
    return ceil ? count_overhanging(evaluation, node, room, i, s) : QD_OK;
}

static enum qd_status read_padding(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *x, bool ceil,
                                   struct qd_conv_shape *s)
{
    enum auto_pad mode = NOTSET;
    int64_t pads[2 * QD_MAX_SPATIAL];
    enum qd_status status = read_auto_pad(evaluation, node, &mode);
    if (status == QD_OK)
        status = read_ints(evaluation, node, "pads", 2 * s->spatial, 0, 0, "pads-negative",
                           "pads-length", pads);
    for (unsigned i = 0; status == QD_OK && i < s->spatial; i++) {
        s->in[i] = x->dims[2 + i];
        if (mode == SAME_UPPER || mode == SAME_LOWER) {
            pad_same(s, i, mode == SAME_UPPER);
            continue;
        }
        s->pad_begin[i] = pads[i];
        s->pad_end[i] = pads[s->spatial + i];
        status = count_windows(evaluation, node, ceil && mode == NOTSET, i, s);
    }
    return status;
}

enum qd_status qd_conv_shape_read(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x,
                                  const struct qd_tensor *w, struct qd_conv_shape *shape)
{
    struct qd_conv_shape made = {0};
    enum qd_status status = read_group(evaluation, node, x, w, &made);
    if (status == QD_OK)
        status = read_kernel(evaluation, node, w, &made);
    if (status == QD_OK)
        status = read_steps(evaluation, node, &made);
    if (status == QD_OK)
        status = read_padding(evaluation, node, x, false, &made);
    if (status == QD_OK)
        *shape = made;
    return status;
}

/* The size of axis i of a transposed convolution, and the padding that gives it, by the
 * specification's equations. `given` is output_shape's entry, 0 without one. */
static enum qd_status transpose_axis(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, enum auto_pad mode, int64_t given,
                                     int64_t extra, unsigned i, struct qd_conv_shape *s)
{
    bool same = mode == SAME_UPPER || mode == SAME_LOWER;
    int64_t full = s->stride[i] * (s->in[i] - 1) + extra + effective_kernel(s, i);
    if (extra >= s->stride[i] && extra >= s->dilation[i])
        return qd_node_rule(evaluation, node, "output_padding-range",
                            "output_padding[%u] is %lld, stride %lld and dilation %lld", i,
                            (long long)extra, (long long)s->stride[i], (long long)s->dilation[i]);
    if (given > 0 || same) {
        s->out[i] = given > 0 ? given : s->in[i] * s->stride[i];
        int64_t total = full > s->out[i] ? full - s->out[i] : 0;
        if (node->opset < 11 && (given == 0 || total % 2 != 0))
            return qd_fail(
                evaluation->error, QD_UNSUPPORTED,
                "%s-%lld: padding that is computed (the specification before opset 11 contradicts "
                "itself)",
                node->op_type, (long long)node->opset);
        s->pad_begin[i] = mode == SAME_UPPER ? total / 2 : total - total / 2;
        s->pad_end[i] = total - s->pad_begin[i];
        return QD_OK;
    }
    s->out[i] = full - s->pad_begin[i] - s->pad_end[i];
    return s->out[i] >= 0 ? QD_OK
                          : qd_node_rule(evaluation, node, "output-empty",
                                         "axis %u of the output would have %lld elements", 2 + i,
                                         (long long)s->out[i]);
}

static enum qd_status read_transposed(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_tensor *x,
                                      struct qd_conv_shape *s)
{
    enum auto_pad mode = NOTSET;
    int64_t pads[2 * QD_MAX_SPATIAL], given[QD_MAX_SPATIAL], extra[QD_MAX_SPATIAL], elements;
    enum qd_status status = read_auto_pad(evaluation, node, &mode);
    if (status == QD_OK)
        status = read_ints(evaluation, node, "pads", 2 * s->spatial, 0, 0, "pads-negative",
                           "pads-length", pads);
    if (status == QD_OK)
        status = read_ints(evaluation, node, "output_padding", s->spatial, 0, 0,
                           "output_padding-range", "output_padding-length", extra);
    if (status == QD_OK)
        status = read_ints(evaluation, node, "output_shape", s->spatial, 0, 1,
                           "output_shape-positive", "output_shape-length", given);
    for (unsigned i = 0; status == QD_OK && i < s->spatial; i++) {
        s->in[i] = x->dims[2 + i];
        s->pad_begin[i] = pads[i];
        s->pad_end[i] = pads[s->spatial + i];
        status = transpose_axis(evaluation, node, mode, given[i], extra[i], i, s);
    }
    return status == QD_OK ? qd_shape_count(s->spatial, s->out, &elements, evaluation->error)
                           : status;
}

enum qd_status qd_conv_transpose_shape_read(const struct qd_evaluation *evaluation,
                                            const struct qd_node *node, const struct qd_tensor *x,
                                            const struct qd_tensor *w, struct qd_conv_shape *shape)
{
    struct qd_conv_shape made = {0};
    if (x->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank",
                            "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    if (w->rank != x->rank)
        return qd_node_rule(evaluation, node, "w-rank", "w has rank %u, x has %u", w->rank,
                            x->rank);
    enum qd_status status = qd_node_int(node, "group", 1, &made.group, evaluation->error);
    if (status != QD_OK)
        return status;
    if (made.group < 1 || made.group > QD_MAX_ELEMENTS)
        return qd_node_rule(evaluation, node, "group-positive", "group is %lld",
                            (long long)made.group);
    made.batch = x->dims[0];
    made.channels = x->dims[1];
    made.filters = w->dims[1] * made.group;
    made.spatial = x->rank - 2;
    if (w->dims[0] != made.channels || made.channels % made.group != 0)
        return qd_node_rule(evaluation, node, "group-channels",
                            "x has %lld channels, w takes %lld, in %lld groups",
                            (long long)made.channels, (long long)w->dims[0], (long long)made.group);
    status = read_kernel(evaluation, node, w, &made);
    if (status == QD_OK)
        status = read_steps(evaluation, node, &made);
    if (status == QD_OK)
        status = read_transposed(evaluation, node, x, &made);
    if (status == QD_OK)
        *shape = made;
    return status;
}

/* A window's size; its number of elements is bounded here, as a filter's is by w. */
static enum qd_status read_window(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, struct qd_conv_shape *s)
{
    int64_t elements;
    if (!qd_node_attr(node, "kernel_shape"))
        return qd_node_rule(evaluation, node, "kernel_shape-missing",
                            "attribute kernel_shape is required");
    enum qd_status status = read_ints(evaluation, node, "kernel_shape", s->spatial, 1, 1,
                                      "kernel_shape-positive", "kernel_shape-length", s->kernel);
    return status == QD_OK ? qd_shape_count(s->spatial, s->kernel, &elements, evaluation->error)
                           : status;
}

enum qd_status qd_pool_shape_read(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x, bool ceil,
                                  struct qd_conv_shape *shape)
{
    if (x->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank",
                            "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    struct qd_conv_shape made = {.spatial = x->rank - 2,
                                 .batch = x->dims[0],
                                 .channels = x->dims[1],
                                 .filters = x->dims[1],
                                 .group = x->dims[1] > 0 ? x->dims[1] : 1};
    enum qd_status status = read_window(evaluation, node, &made);
    if (status == QD_OK)
        status = read_steps(evaluation, node, &made);
    if (status == QD_OK)
        status = read_padding(evaluation, node, x, ceil, &made);
    if (status == QD_OK)
        *shape = made;
    return status;
}

bool qd_pool_window_overhangs(const struct qd_conv_shape *s, int64_t position)
{
    bool overhangs = false;
    for (unsigned i = s->spatial; position >= 0 && i-- > 0;) { /* −1: the last window of none */
        int64_t last = position % s->out[i] * s->stride[i] + effective_kernel(s, i);
        overhangs = overhangs || last > s->in[i] + s->pad_begin[i] + s->pad_end[i];
        position /= s->out[i];
    }
    return overhangs;
}

unsigned qd_conv_output_dims(const struct qd_conv_shape *shape, int64_t *dims)
{
    dims[0] = shape->batch;
    dims[1] = shape->filters;
    memcpy(dims + 2, shape->out, shape->spatial * sizeof *dims);
    return shape->spatial + 2;
}

static int64_t product(const int64_t *sizes, unsigned count)
{
    int64_t p = 1;
    for (unsigned i = 0; i < count; i++)
        p *= sizes[i];
    return p;
}

int64_t qd_conv_terms(const struct qd_conv_shape *shape)
{
    return shape->channels / shape->group * product(shape->kernel, shape->spatial);
}

/* Counts up in mixed radix, last digit fastest. */
static void next(int64_t *digits, const int64_t *sizes, unsigned count)
{
    for (unsigned i = count; i-- > 0;) {
        if (++digits[i] < sizes[i])
            return;
        digits[i] = 0;
    }
}

/* x's spatial index that kernel position `tap` of output position `at` reads, −1 in the padding. */
static int64_t spatial_index(const struct qd_conv_shape *s, const int64_t *at, const int64_t *tap)
{
    int64_t index = 0;
    for (unsigned i = 0; i < s->spatial; i++) {
        int64_t p = at[i] * s->stride[i] + tap[i] * s->dilation[i] - s->pad_begin[i];
        if (p < 0 || p >= s->in[i])
            return -1;
        index = index * s->in[i] + p;
    }
    return index;
}

/* x indices of all terms of one output position, for the first channel of the tensor. */
static void first_channel(const struct qd_conv_shape *s, const int64_t *at, int64_t taps,
                          int64_t *index)
{
    int64_t tap[QD_MAX_SPATIAL] = {0};
    for (int64_t t = 0; t < taps; t++) {
        index[t] = spatial_index(s, at, tap);
        next(tap, s->kernel, s->spatial);
    }
}

static int64_t count_edges(const struct qd_conv_shape *s)
{
    int64_t inner = 1;
    for (unsigned i = 0; i < s->spatial; i++)
        inner *= s->out[i] > 2 ? s->out[i] - 2 : 0;
    return product(s->out, s->spatial) - inner;
}

static bool is_edge(const struct qd_conv_shape *s, const int64_t *at)
{
    bool edge = false;
    for (unsigned i = 0; i < s->spatial; i++)
        edge = edge || at[i] == 0 || at[i] == s->out[i] - 1;
    return edge;
}

/* The filters of a group at one position, or those of them that are sampled. */
static void visit_group(const struct qd_evaluation *evaluation, bool whole, qd_conv_visitor *visit,
                        void *context, const int64_t *index, int64_t first_filter, int64_t filters,
                        int64_t output, int64_t step)
{
    if (whole) {
        visit(context, index, first_filter, filters, output, step);
        return;
    }
    for (int64_t m = 0; m < filters; m++)
        if (qd_sample_channel(evaluation, first_filter + m))
            visit(context, index, first_filter + m, 1, output + m * step, step);
}

enum qd_status qd_conv_visit(const struct qd_evaluation *evaluation, const struct qd_conv_shape *s,
                             double weight, qd_conv_visitor *visit, void *context)
{
    int64_t taps = product(s->kernel, s->spatial), plane = product(s->in, s->spatial);
    int64_t step = product(s->out, s->spatial), depth = s->channels / s->group;
    int64_t filters = s->filters / s->group;
    if (step == 0 || s->batch == 0 ||
        s->filters == 0) /* before any work: the other sizes may be huge */
        return QD_OK;
    int64_t *base = qd_arena_array(evaluation->arena, (size_t)taps, sizeof *base);
    int64_t *index = qd_arena_array(evaluation->arena, (size_t)(taps * depth), sizeof *index);
    if (!base || !index)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld kernel positions",
                       (long long)(taps * depth));
    double products = (double)step * (double)s->batch * (double)s->filters * (double)taps *
                      (double)(depth + !depth);
    const struct qd_products all = {products * weight, s->filters, step, count_edges(s), true};
    enum qd_status status = qd_sample_begin(evaluation, &all);
    if (status != QD_OK || qd_sample_is_none(evaluation))
        return status;
    int64_t at[QD_MAX_SPATIAL] = {0};
    for (int64_t o = 0; o < step; o++, next(at, s->out, s->spatial)) {
        bool whole = qd_sample_position(evaluation, o, is_edge(s, at));
        first_channel(s, at, taps, base);
        for (int64_t ng = 0; ng < s->batch * s->group; ng++) {
            for (int64_t c = 0; c < depth; c++)
                for (int64_t t = 0; t < taps; t++)
                    index[c * taps + t] = base[t] < 0 ? -1 : (ng * depth + c) * plane + base[t];
            visit_group(evaluation, whole, visit, context, index, ng % s->group * filters, filters,
                        ng * filters * step + o, step);
        }
    }
    return QD_OK;
}

struct sums {
    const struct qd_semantics *semantics;
    const struct qd_tensor *w_zero_point;
    struct qd_raw_codes raw;
    int16_t *x, *w;
    int16_t pad;
    int16_t *column;
    int64_t terms;
    int64_t *acc;
};

static void accumulate_column(void *context, const int64_t *x_index, int64_t first_filter,
                              int64_t filters, int64_t output, int64_t step)
{
    struct sums *s = context;
    struct qd_raw_codes raw = s->raw;
    for (int64_t t = 0; t < s->terms; t++)
        s->column[t] = x_index[t] < 0 ? s->pad : s->x[x_index[t]];
    for (int64_t m = 0; m < filters; m++) {
        int64_t filter = first_filter + m;
        raw.b_zero_point = (int16_t)qd_zero_point(s->semantics, s->w_zero_point, filter);
        s->acc[output + m * step] =
            qd_dot(s->semantics, &raw, s->column, s->w + filter * s->terms, s->terms);
    }
}

enum qd_status qd_conv_accumulate(const struct qd_evaluation *evaluation,
                                  const struct qd_conv_shape *shape, const struct qd_tensor *x,
                                  const struct qd_tensor *x_zero_point, const struct qd_tensor *w,
                                  const struct qd_tensor *w_zero_point, int64_t *acc)
{
    const struct qd_semantics *semantics = evaluation->semantics;
    struct sums sums = {
        .semantics = semantics,
        .w_zero_point = w_zero_point,
        .raw = {.a_unsigned = x->dtype == QD_U8,
                .b_unsigned = w->dtype == QD_U8,
                .a_zero_point = (int16_t)qd_zero_point(semantics, x_zero_point, 0),
                .taps = product(shape->kernel, shape->spatial)},
        .pad = qd_padding(semantics, x, x_zero_point),
        .terms = qd_conv_terms(shape),
        .acc = acc,
    };
    sums.column = qd_arena_array(evaluation->arena, (size_t)sums.terms, sizeof *sums.column);
    if (!sums.column)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld terms",
                       (long long)sums.terms);
    enum qd_status status = qd_subtract_zero_point(evaluation, x, x_zero_point, x->count, &sums.x);
    if (status == QD_OK)
        status = qd_subtract_zero_point(evaluation, w, w_zero_point, sums.terms, &sums.w);
    return status == QD_OK ? qd_conv_visit(evaluation, shape, 1, accumulate_column, &sums) : status;
}

int64_t qd_conv_transpose_source(const struct qd_conv_shape *s, int64_t o, int64_t t)
{
    int64_t index = 0, plane = 1;
    for (unsigned i = s->spatial; i-- > 0;) {
        int64_t at = o % s->out[i], tap = t % s->kernel[i];
        int64_t p = at + s->pad_begin[i] - tap * s->dilation[i];
        if (p < 0 || p % s->stride[i] != 0 || p / s->stride[i] >= s->in[i])
            return -1;
        index += p / s->stride[i] * plane;
        plane *= s->in[i];
        o /= s->out[i];
        t /= s->kernel[i];
    }
    return index;
}
