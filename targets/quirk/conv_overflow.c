/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/conv_overflow.h"

#include <float.h>
#include <math.h>

#include "qdiff/convolve.h"
#include "quirk/dequantize.h"

enum { X, W, BIAS, BLOCK = 8 };

struct sums {
    const struct qd_tensor *x, *w, *bias;
    struct qd_conv_shape shape;
    int64_t taps, plane; /* of a filter's channel; of a channel of x */
    struct qd_value *y;
};

static float number(const struct qd_tensor *tensor, int64_t i)
{
    return qd_flushed((float)qd_tensor_value(tensor, i));
}

static bool has_overflow(const struct qd_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++)
        if (!(fabs(qd_tensor_value(tensor, i)) < (double)FLT_MAX))
            return true;
    return false;
}

static bool is_concerned(const struct sums *s)
{
    return has_overflow(s->x) || has_overflow(&s->y->want) || (s->bias && has_overflow(s->bias));
}

/* The channels of the same blocks that belong to other groups come with weights 0. */
static float add_neighbours(const struct sums *s, const int64_t *x_index, int64_t filter, float sum)
{
    int64_t inner = s->shape.channels / s->shape.group;
    int64_t first = filter / (s->shape.filters / s->shape.group) * inner, last = first + inner;
    int64_t begin = first / BLOCK * BLOCK, end = (last + BLOCK - 1) / BLOCK * BLOCK;
    bool depthwise = s->shape.group == s->shape.channels && s->shape.group == s->shape.filters;
    if (depthwise)
        return sum;
    for (int64_t t = 0; t < s->taps; t++)
        for (int64_t c = begin; c < end && c < s->shape.channels && x_index[t] >= 0; c++)
            if (c < first || c >= last)
                sum += 0 * number(s->x, x_index[t] + (c - first) * s->plane);
    return sum;
}

static float sum_of(const struct sums *s, const int64_t *x_index, int64_t filter)
{
    int64_t inner = s->shape.channels / s->shape.group;
    float sum = s->bias ? number(s->bias, filter) : 0;
    for (int64_t t = 0; t < s->taps; t++)
        for (int64_t c = 0; c < inner; c++) {
            int64_t at = c * s->taps + t;
            float w = number(s->w, filter * inner * s->taps + at);
            if (x_index[at] >= 0)
                sum = qd_flushed(fmaf(number(s->x, x_index[at]), w, sum));
        }
    return add_neighbours(s, x_index, filter, sum);
}

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    const struct sums *s = context;
    for (int64_t f = 0; f < filters; f++) {
        float sum = sum_of(s, x_index, first_filter + f);
        double cut = sum < FLT_MAX ? (double)sum : (double)FLT_MAX;
        int64_t i = output + f * step;
        qd_tensor_set(&s->y->want, i, (int64_t)qd_float_encode(QD_F32, cut, false));
        if (s->y->flags)
            s->y->flags[i] &= (uint8_t)~QD_UNSPECIFIED;
    }
}

enum qd_status qd_conv_overflow(const struct qd_override *self, struct qd_evaluation *evaluation,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct sums s = {.x = &in[X]->want,
                     .w = &in[W]->want,
                     .bias = in[BIAS] ? &in[BIAS]->want : NULL,
                     .taps = 1,
                     .plane = 1,
                     .y = out};
    if (status != QD_OK || out->want.dtype != QD_F32 || !is_concerned(&s))
        return status;
    status = qd_conv_shape_read(evaluation, node, s.x, s.w, &s.shape);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < s.shape.spatial; i++) {
        s.taps *= s.shape.kernel[i];
        s.plane *= s.shape.in[i];
    }
    qd_close_value(out);
    return qd_conv_visit(evaluation, &s.shape, QD_WORK_FLOAT, visit, &s);
}
