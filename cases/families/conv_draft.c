/* SPDX-License-Identifier: Apache-2.0 */
#include "families/conv_draft.h"

int64_t qd_draft_span(const struct qd_conv_draft *draft, unsigned axis)
{
    return (draft->kernel[axis] - 1) * draft->dilation[axis] + 1;
}

static int64_t product(const int64_t *sizes, unsigned count)
{
    int64_t p = 1;
    for (unsigned i = 0; i < count; i++)
        p *= sizes[i];
    return p;
}

/* Digits of a number in mixed radix, the last one fastest. */
static void digits(int64_t number, const int64_t *sizes, unsigned count, int64_t *out)
{
    for (unsigned i = count; i-- > 0;) {
        out[i] = number % sizes[i];
        number /= sizes[i];
    }
}

/* Where in one channel of x a kernel position of an output position falls; −1: in the padding. */
static int64_t position(const struct qd_conv_draft *d, const int64_t *at, const int64_t *tap)
{
    int64_t index = 0;
    for (unsigned i = 0; i < d->spatial; i++) {
        int64_t p = at[i] * d->stride[i] + tap[i] * d->dilation[i] - d->pad_begin[i];
        if (p < 0 || p >= d->in[i])
            return -1;
        index = index * d->in[i] + p;
    }
    return index;
}

/* One tap of one output position: adds its products to every filter's and batch entry's sum. */
static void add_tap(struct qd_conv_draft *d, int64_t o, int64_t t, int64_t p)
{
    int64_t depth = d->channels / d->group, per_group = d->filters / d->group;
    int64_t taps = product(d->kernel, d->spatial), in = product(d->in, d->spatial);
    for (int64_t n = 0; n < d->batch; n++)
        for (int64_t m = 0; m < d->filters; m++) {
            int64_t sum = 0, w_zero = d->w_zero[d->per_channel ? m : 0];
            for (int64_t c = 0; c < depth; c++) {
                int64_t channel = n * d->channels + m / per_group * depth + c;
                int64_t x = qd_tensor_get(&d->x, channel * in + p);
                int64_t w = qd_tensor_get(&d->w, (m * depth + c) * taps + t);
                sum += (x - d->x_zero) * (w - w_zero);
            }
            d->acc[(n * d->filters + m) * d->plane + o] += sum;
        }
}

void qd_draft_accumulate(struct qd_conv_draft *d)
{
    int64_t taps = product(d->kernel, d->spatial);
    for (int64_t i = 0; i < d->batch * d->filters * d->plane; i++)
        d->acc[i] = 0;
    for (int64_t o = 0; o < d->plane; o++)
        for (int64_t t = 0; t < taps; t++) {
            int64_t at[QD_DRAFT_SPATIAL], tap[QD_DRAFT_SPATIAL];
            digits(o, d->out, d->spatial, at);
            digits(t, d->kernel, d->spatial, tap);
            int64_t p = position(d, at, tap);
            if (p >= 0)
                add_tap(d, o, t, p);
        }
}

void qd_draft_large_sums(struct qd_conv_draft *d)
{
    enum { FULL = 255, WHOLE = 258 }; /* 258·255² + 255·3 + 2 = 2^24 + 1 */
    int64_t depth = d->channels / d->group, plane = product(d->in, d->spatial);
    int64_t x_min = qd_dtype_info(d->x_type)->min, w_min = qd_dtype_info(d->w_type)->min;
    d->x_zero = x_min;
    for (int64_t m = 0; m < d->filters; m++)
        d->w_zero[m] = w_min;
    for (int64_t i = 0; i < d->x.count; i++) {
        int64_t term = i / plane % depth;
        int64_t last = term > WHOLE + 1 ? 0 : 2 + 2 * (i % plane % 64);
        qd_tensor_set(&d->x, i, x_min + (term <= WHOLE ? FULL : last));
    }
    for (int64_t i = 0; i < d->w.count; i++) {
        int64_t term = i % depth;
        qd_tensor_set(&d->w, i, w_min + (term < WHOLE ? FULL : term == WHOLE ? 3 : 1));
    }
    qd_draft_accumulate(d);
}
