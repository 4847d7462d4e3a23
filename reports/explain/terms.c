/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements one output element of a convolution, a product of matrices, a pool or a reduction is made of. */
#include <string.h>

#include "explain/explain.h"
#include "qdiff/broadcast.h"
#include "qdiff/convolve.h"
#include "qdiff/matmul.h"

/* Terms being found. */
struct finder {
    const struct qd_explanation *explanation;
    const struct qd_step *step;
    struct qd_evaluation evaluation;
    const struct qd_tensor *x, *w; /* w: NULL without a weight */
    int64_t element;
    int64_t *x_at, *w_at;
    bool found;
    struct qd_terms terms;
};

static bool make_room(struct finder *f, int64_t count)
{
    f->x_at = qd_arena_array(f->explanation->arena, (size_t)count, sizeof *f->x_at);
    f->w_at = qd_arena_array(f->explanation->arena, (size_t)count, sizeof *f->w_at);
    f->found = f->x_at && f->w_at;
    f->terms = (struct qd_terms){.count = count, .x = f->x_at, .w = f->w ? f->w_at : NULL};
    return f->found;
}

static int64_t int_of(const struct finder *f, const char *name)
{
    const struct qd_attr *attr = qd_node_attr(f->step->node, name);
    return attr && attr->kind == QD_ATTR_INT ? attr->i : 0;
}

/* --- Windows -------------------------------------------------------------------------------------- */

struct window {
    struct finder *finder;
    int64_t terms;
};

static void take_window(void *context, const int64_t *x_index, int64_t first_filter,
                        int64_t filters, int64_t output, int64_t step)
{
    const struct window *window = context;
    struct finder *f = window->finder;
    int64_t from = f->element - output;
    if (f->found || from < 0 || from % step != 0 || from / step >= filters ||
        !make_room(f, window->terms))
        return;
    f->terms.column = f->terms.bias = first_filter + from / step;
    for (int64_t t = 0; t < window->terms; t++) {
        f->x_at[t] = x_index[t];
        f->w_at[t] = f->terms.column * window->terms + t;
    }
}

static void visit_windows(struct finder *f, const struct qd_conv_shape *shape)
{
    struct window window = {f, qd_conv_terms(shape)};
    if (qd_conv_visit(&f->evaluation, shape, 1, take_window, &window) != QD_OK)
        f->found = false;
}

static void find_convolution(struct finder *f)
{
    struct qd_conv_shape shape;
    if (qd_conv_shape_read(&f->evaluation, f->step->node, f->x, f->w, &shape) == QD_OK)
        visit_windows(f, &shape);
}

static int64_t product(const int64_t *sizes, unsigned count)
{
    int64_t p = 1;
    for (unsigned i = 0; i < count; i++)
        p *= sizes[i];
    return p;
}

static void find_transposed(struct finder *f)
{
    struct qd_conv_shape s;
    if (qd_conv_transpose_shape_read(&f->evaluation, f->step->node, f->x, f->w, &s) != QD_OK)
        return;
    int64_t taps = product(s.kernel, s.spatial), plane = product(s.in, s.spatial);
    int64_t step = product(s.out, s.spatial), filters = s.filters / s.group;
    int64_t depth = s.channels / s.group;
    int64_t o = f->element % step, m = f->element / step % s.filters;
    int64_t n = f->element / step / s.filters, first = m / filters * depth, used = 0;
    if (!make_room(f, taps * depth))
        return;
    f->terms.bias = m;
    for (int64_t t = 0; t < taps; t++) {
        int64_t from = qd_conv_transpose_source(&s, o, t);
        for (int64_t k = first; from >= 0 && k < first + depth; k++) {
            f->x_at[used] = (n * s.channels + k) * plane + from;
            f->w_at[used++] = (k * filters + m % filters) * taps + t;
        }
    }
    f->terms.count = used;
}

/* The index in a tensor with its channels last of element i of one with channels second. */
static int64_t channels_last(const struct qd_tensor *x, int64_t i)
{
    int64_t channels = x->dims[x->rank - 1], plane = 1;
    for (unsigned k = 1; k + 1 < x->rank; k++)
        plane *= x->dims[k];
    return (i / (channels * plane) * plane + i % plane) * channels + i / plane % channels;
}

/* Element i of the output, which has its channels last, as one with channels second. */
static int64_t channels_second(const struct qd_tensor *y, int64_t i)
{
    int64_t channels = y->dims[y->rank - 1], plane = 1;
    for (unsigned k = 1; k + 1 < y->rank; k++)
        plane *= y->dims[k];
    return (i / (channels * plane) * channels + i % channels) * plane + i / channels % plane;
}

static void find_pool(struct finder *f)
{
    struct qd_tensor x = *f->x;
    bool last = int_of(f, "channels_last") != 0;
    for (unsigned i = 1; last && i < x.rank; i++)
        x.dims[i] = f->x->dims[i == 1 ? x.rank - 1 : i - 1];
    struct qd_conv_shape shape;
    if (qd_pool_shape_read(&f->evaluation, f->step->node, &x, int_of(f, "ceil_mode") != 0,
                           &shape) != QD_OK)
        return;
    if (last)
        f->element = channels_second(&f->step->out[0].want, f->element);
    visit_windows(f, &shape);
    for (int64_t t = 0; last && f->found && t < f->terms.count; t++)
        if (f->x_at[t] >= 0)
            f->x_at[t] = channels_last(f->x, f->x_at[t]);
}

/* --- Axes ----------------------------------------------------------------------------------------- */

static void mark_axes(const struct qd_tensor *x, const int64_t *axes, size_t count, bool *reduced)
{
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + x->rank : axes[i];
        if (axis >= 0 && axis < x->rank)
            reduced[axis] = true;
    }
}

/* The axes that the node names; without any, all; of an operator without axes, the spatial ones. */
static void find_axes(const struct finder *f, bool *reduced)
{
    const struct qd_attr *attr = qd_node_attr(f->step->node, "axes");
    const struct qd_value *input = qd_step_operand(f->step, qd_step_find(f->step, QD_ROLE_CONTROL));
    bool has_axes = strstr(f->step->node->op->attributes, "axes") != NULL;
    bool last = int_of(f, "channels_last") != 0;
    size_t count = attr ? attr->count : input ? (size_t)input->want.count : 0;
    if (attr && attr->kind == QD_ATTR_INTS)
        mark_axes(f->x, attr->ints, attr->count, reduced);
    for (int64_t i = 0; !attr && input && i < input->want.count; i++)
        mark_axes(f->x, &(int64_t){qd_tensor_get(&input->want, i)}, 1, reduced);
    bool all = has_axes && count == 0 && int_of(f, "noop_with_empty_axes") == 0;
    for (unsigned i = 0; i < f->x->rank; i++)
        reduced[i] =
            reduced[i] || all || (!has_axes && i > 0 && (last ? i + 1 < f->x->rank : i > 1));
}

/* Whether element t of x belongs to the output's element: its coordinates on the axes that stay are the output's. */
static bool belongs(const struct finder *f, const bool *reduced, const int64_t *wanted, int64_t t)
{
    int64_t at[QD_MAX_RANK];
    qd_tensor_coordinates(f->x, t, at);
    for (unsigned i = 0; i < f->x->rank; i++)
        if (!reduced[i] && at[i] != wanted[i])
            return false;
    return true;
}

static void find_reduction(struct finder *f)
{
    bool reduced[QD_MAX_RANK] = {false};
    int64_t wanted[QD_MAX_RANK] = {0}, rest = f->element, used = 0;
    find_axes(f, reduced);
    for (unsigned i = f->x->rank; i-- > 0;) {
        wanted[i] = reduced[i] || f->x->dims[i] == 0 ? 0 : rest % f->x->dims[i];
        rest /= reduced[i] || f->x->dims[i] == 0 ? 1 : f->x->dims[i];
    }
    if (!make_room(f, f->x->count))
        return;
    for (int64_t t = 0; t < f->x->count; t++)
        if (belongs(f, reduced, wanted, t))
            f->x_at[used++] = t;
    f->terms.count = used;
}

/* --- Matrices ------------------------------------------------------------------------------------- */

static struct qd_tensor transposed(const struct qd_tensor *from, bool swap)
{
    struct qd_tensor shape = *from;
    if (swap && shape.rank == 2) {
        shape.dims[0] = from->dims[1];
        shape.dims[1] = from->dims[0];
    }
    return shape;
}

/* Packed weights [N, blocks, bytes] count as their K · N numbers, those of a column together. */
static struct qd_tensor matrix_of(const struct finder *f, bool *swapped)
{
    struct qd_tensor shape = transposed(f->w, *swapped);
    if (!qd_node_attr(f->step->node, "bits") && !qd_node_attr(f->step->node, "block_size"))
        return shape;
    *swapped = true;
    shape.rank = 2;
    shape.dims[0] = int_of(f, "K");
    shape.dims[1] = int_of(f, "N");
    return shape;
}

static int64_t parameter_index(const struct finder *f, int owner, int64_t batch, int64_t size,
                               int64_t i)
{
    const struct qd_value *scale = qd_step_parameter(f->step, owner, QD_ROLE_SCALE);
    const struct qd_value *zero = qd_step_parameter(f->step, owner, QD_ROLE_ZERO_POINT);
    const struct qd_value *parameter = scale && scale->want.count > 1 ? scale : zero;
    if (!parameter)
        return i;
    return qd_matmul_parameter_index(&parameter->want, parameter->want.rank > 2 ? batch : 0, size,
                                     i);
}

static void find_row(struct finder *f)
{
    struct qd_matmul_shape s;
    bool swap_a = int_of(f, "transA") != 0, swap_b = int_of(f, "transB") != 0;
    if (!f->x || !f->w)
        return;
    struct qd_tensor a = transposed(f->x, swap_a), b = matrix_of(f, &swap_b);
    if (qd_matmul_shape_read(&f->evaluation, f->step->node, &a, &b, &s) != QD_OK ||
        !make_room(f, s.k))
        return;
    int64_t column = f->element % s.n, row = f->element / s.n % s.m;
    int64_t batch = f->element / s.n / s.m;
    int64_t a_batch = qd_matmul_a_batch(&s, batch), b_batch = qd_matmul_b_batch(&s, batch);
    const struct qd_tensor *y = &f->step->out[0].want;
    f->terms.row = parameter_index(f, qd_step_find(f->step, QD_ROLE_DATA), a_batch, s.m, row);
    f->terms.column =
        parameter_index(f, qd_step_find(f->step, QD_ROLE_WEIGHT), b_batch, s.n, column);
    f->terms.bias = qd_step_place(f->step, qd_step_find(f->step, QD_ROLE_BIAS), y, f->element);
    for (int64_t t = 0; t < s.k; t++) {
        f->x_at[t] = a_batch * s.m * s.k + (swap_a ? t * s.m + row : row * s.k + t);
        f->w_at[t] = b_batch * s.k * s.n + (swap_b ? column * s.k + t : t * s.n + column);
    }
}

/* --- All ------------------------------------------------------------------------------------------ */

bool qd_explain_terms(const struct qd_explanation *explanation, const struct qd_step *step,
                      int64_t i, struct qd_terms *terms)
{
    static const struct qd_semantics defaults;
    const struct qd_value *x = qd_step_operand(step, qd_step_find(step, QD_ROLE_DATA));
    const struct qd_value *w = qd_step_operand(step, qd_step_find(step, QD_ROLE_WEIGHT));
    struct finder f = {.explanation = explanation,
                       .step = step,
                       .evaluation = {.semantics = &defaults, .arena = explanation->arena},
                       .x = &x->want,
                       .w = w ? &w->want : NULL,
                       .element = i};
    switch (step->node->op->form) {
    case QD_FORM_CONVOLVES: find_convolution(&f); break;
    case QD_FORM_CONVOLVES_BACK: find_transposed(&f); break;
    case QD_FORM_MATRICES: find_row(&f); break;
    default:
        if (strstr(step->node->op->attributes, "kernel_shape"))
            find_pool(&f);
        else
            find_reduction(&f);
    }
    *terms = f.terms;
    return f.found;
}
