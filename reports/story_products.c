#include <inttypes.h>
#include <string.h>

#include "describe.h"
#include "qdiff/convolve.h"
#include "qdiff/matmul.h"
#include "story.h"

enum { SHOWN_TERMS = 64 };

/* Where an operator that sums products has its operands; −1: nowhere. */
struct layout {
    const char *op;
    bool convolution;
    int x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias;
};

static const struct layout layouts[] = {
    {"QLinearConv", true, 0, 1, 2, 3, 4, 5, 6, 7, 8},
    {"ConvInteger", true, 0, -1, 2, 1, -1, 3, -1, -1, -1},
    {"Conv", true, 0, -1, -1, 1, -1, -1, -1, -1, 2},
    {"QLinearMatMul", false, 0, 1, 2, 3, 4, 5, 6, 7, -1},
    {"MatMulInteger", false, 0, -1, 2, 1, -1, 3, -1, -1, -1},
    {"MatMul", false, 0, -1, -1, 1, -1, -1, -1, -1, -1},
};

static const struct layout *layout_of(const struct qd_node *node)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (*node->domain == '\0' && strcmp(layouts[i].op, node->op_type) == 0) {
            return &layouts[i];
        }
    }
    return NULL;
}

static const struct qd_value *operand(const struct qd_step *step, int i)
{
    return i < 0 ? NULL : step->in[i];
}

/* The products of one element: indices into x (−1: padding) and w, and which parameters belong to it. */
struct products {
    int64_t element, count;
    int64_t *x, *w;
    int64_t x_parameter, w_parameter, channel;
    struct qd_arena *arena;
    bool found;
};

static bool make_room(struct products *p, int64_t count)
{
    p->count = count;
    p->x = qd_arena_array(p->arena, (size_t)count, sizeof *p->x);
    p->w = qd_arena_array(p->arena, (size_t)count, sizeof *p->w);
    p->found = p->x != NULL && p->w != NULL;
    return p->found;
}

struct window {
    struct products *products;
    int64_t terms;
};

static void take_window(void *context, const int64_t *x_index, int64_t first_filter,
                        int64_t filters, int64_t output, int64_t step)
{
    const struct window *window = context;
    struct products *p = window->products;
    int64_t from = p->element - output;

    if (p->found || from < 0 || from % step != 0 || from / step >= filters ||
        !make_room(p, window->terms)) {
        return;
    }
    p->channel = p->w_parameter = first_filter + from / step;
    for (int64_t t = 0; t < p->count; t++) {
        p->x[t] = x_index[t];
        p->w[t] = p->channel * p->count + t;
    }
}

static void find_window(const struct qd_evaluation *evaluation, const struct qd_step *step,
                        const struct layout *at, struct products *p)
{
    struct qd_conv_shape shape;
    struct window window = {p, 0};

    if (qd_conv_shape_read(evaluation, step->node, &step->in[at->x]->want, &step->in[at->w]->want,
                           &shape) != QD_OK) {
        return;
    }
    window.terms = qd_conv_terms(&shape);
    if (qd_conv_visit(evaluation, &shape, 1, take_window, &window) != QD_OK) {
        p->found = false;
    }
}

static int64_t matrix_parameter(const struct qd_value *parameter, int64_t batch, int64_t size,
                                int64_t i)
{
    return parameter == NULL ? 0 : qd_matmul_parameter_index(&parameter->want, batch, size, i);
}

static void find_row(const struct qd_evaluation *evaluation, const struct qd_step *step,
                     const struct layout *at, struct products *p)
{
    struct qd_matmul_shape shape;
    int64_t batch, row, column;

    if (qd_matmul_shape_read(evaluation, step->node, &step->in[at->x]->want, &step->in[at->w]->want,
                             &shape) != QD_OK ||
        !make_room(p, shape.k)) {
        return;
    }
    column = p->element % shape.n;
    row = p->element / shape.n % shape.m;
    batch = p->element / shape.n / shape.m;
    p->x_parameter = matrix_parameter(operand(step, at->x_zero_point), batch, shape.m, row);
    p->w_parameter = matrix_parameter(operand(step, at->w_zero_point), batch, shape.n, column);
    for (int64_t t = 0; t < shape.k; t++) {
        p->x[t] = (qd_matmul_a_batch(&shape, batch) * shape.m + row) * shape.k + t;
        p->w[t] = (qd_matmul_b_batch(&shape, batch) * shape.k + t) * shape.n + column;
    }
}

/* One line a product; returns their sum (exact for integers). */
static double tell_terms(const struct qd_story *story, const struct qd_step *step,
                         const struct layout *at, const struct products *p)
{
    const struct qd_tensor *x = &step->in[at->x]->want, *w = &step->in[at->w]->want;
    double xz = qd_story_operand(operand(step, at->x_zero_point), p->x_parameter, 0);
    double wz = qd_story_operand(operand(step, at->w_zero_point), p->w_parameter, 0);
    int64_t padded = 0;
    double sum = 0;

    fprintf(story->out, "  sum of %" PRId64 " products (%s - %.9g) * (%s - %.9g):\n", p->count,
            at->convolution ? "x" : "a", xz, at->convolution ? "w" : "b", wz);
    for (int64_t t = 0; t < p->count; t++) {
        double a, b;

        if (p->x[t] < 0) {
            padded++;
            continue;
        }
        a = qd_tensor_value(x, p->x[t]) - xz;
        b = qd_tensor_value(w, p->w[t]) - wz;
        sum += a * b;
        if (t < SHOWN_TERMS) {
            fprintf(story->out, "    %s%s %.9g -> %.9g   %s%s %.9g -> %.9g   product %.9g\n",
                    at->convolution ? "x" : "a", qd_describe_place(x, p->x[t], story->arena),
                    qd_tensor_value(x, p->x[t]), a, at->convolution ? "w" : "b",
                    qd_describe_place(w, p->w[t], story->arena), qd_tensor_value(w, p->w[t]), b,
                    a * b);
        }
    }
    if (p->count > SHOWN_TERMS) {
        fprintf(story->out, "    ... and %" PRId64 " more\n", p->count - SHOWN_TERMS);
    }
    if (padded > 0) {
        fprintf(story->out, "    %" PRId64 " of them lie in the padding and add nothing\n", padded);
    }
    return sum;
}

bool qd_story_tell_products(const struct qd_story *story, const struct qd_step *step, int64_t i)
{
    const struct layout *at = layout_of(step->node);
    struct qd_semantics defaults = {0};
    struct qd_evaluation evaluation = {.semantics = &defaults, .arena = story->arena};
    struct products p = {.element = i, .arena = story->arena};
    double sum;

    if (at == NULL) {
        return false;
    }
    if (at->convolution) {
        find_window(&evaluation, step, at, &p);
    } else {
        find_row(&evaluation, step, at, &p);
    }
    if (!p.found) {
        return false;
    }
    sum = tell_terms(story, step, at, &p);
    if (operand(step, at->bias) != NULL) {
        double bias = qd_story_operand(operand(step, at->bias), p.channel, 0);

        fprintf(story->out, "  acc = %.17g + bias %.9g = %.17g\n", sum, bias, sum + bias);
        sum += bias;
    } else {
        fprintf(story->out, "  acc = %.17g\n", sum);
    }
    if (at->y_scale >= 0) {
        int64_t w_scale = at->convolution ? p.channel : p.w_parameter;
        struct qd_story_product product = {
            .acc = (int64_t)sum,
            .s1 = qd_story_operand(operand(step, at->x_scale), p.x_parameter, 1),
            .s2 = qd_story_operand(operand(step, at->w_scale), w_scale, 1),
            .sy = qd_story_operand(operand(step, at->y_scale), 0, 1),
            .s1_name = at->convolution ? "x_scale" : "a_scale",
            .s2_name = at->convolution ? "w_scale" : "b_scale",
            .zero_point = (int64_t)qd_story_operand(operand(step, at->y_zero_point), 0, 0),
            .dtype = step->out[0].want.dtype};

        qd_story_tell_requantize(story, &product);
    }
    return true;
}
