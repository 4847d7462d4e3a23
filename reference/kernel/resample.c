/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/resample.h"

#include <math.h>
#include <string.h>

bool qd_resample_mode_find(const char *word, int64_t opset, enum qd_resample_mode *mode)
{
    static const struct {
        const char *word;
        int64_t since, until;
    } modes[QD_RESAMPLE_MODES] = {
        [QD_HALF_PIXEL] = {"half_pixel", 11, INT64_MAX},
        [QD_HALF_PIXEL_SYMMETRIC] = {"half_pixel_symmetric", 19, INT64_MAX},
        [QD_PYTORCH_HALF_PIXEL] = {"pytorch_half_pixel", 11, INT64_MAX},
        [QD_ALIGN_CORNERS] = {"align_corners", 11, INT64_MAX},
        [QD_ASYMMETRIC] = {"asymmetric", 11, INT64_MAX},
        [QD_TF_CROP_AND_RESIZE] = {"tf_crop_and_resize", 11, INT64_MAX},
        [QD_TF_HALF_PIXEL_FOR_NN] = {"tf_half_pixel_for_nn", 11, 12},
    };
    for (unsigned i = 0; i < QD_RESAMPLE_MODES; i++)
        if (strcmp(word, modes[i].word) == 0 && opset >= modes[i].since &&
            opset <= modes[i].until) {
            *mode = (enum qd_resample_mode)i;
            return true;
        }
    return false;
}

/* --- One step in float32, rounded either way, or left exact ----------------------------------- */

static struct qd_interval step(struct qd_interval x)
{
    return (struct qd_interval){qd_float_round(QD_F32, QD_TO_MINUS_INFINITY, x.lo),
                                qd_float_round(QD_F32, QD_TO_PLUS_INFINITY, x.hi)};
}

static struct qd_interval whole(int64_t x)
{
    return step(qd_interval_point((double)x));
}

static struct qd_interval sum(struct qd_interval a, struct qd_interval b)
{
    return step(qd_interval_add(a, b));
}

static struct qd_interval difference(struct qd_interval a, struct qd_interval b)
{
    return sum(a, (struct qd_interval){-b.hi, -b.lo});
}

static struct qd_interval product(struct qd_interval a, struct qd_interval b)
{
    return step(qd_interval_multiply(a, b));
}

static struct qd_interval quotient(struct qd_interval a, struct qd_interval b)
{
    return step(qd_interval_divide(a, b));
}

/* --- Coordinates ------------------------------------------------------------------------------ */

/* n / scale, or n times the rounded reciprocal. */
static struct qd_interval over_scale(struct qd_interval n, struct qd_interval scale)
{
    return qd_interval_join(quotient(n, scale), product(n, quotient(qd_interval_point(1), scale)));
}

/* What divides: the given scale and the ratio of the lengths, which differ where in·scale is no
 * integer. */
static struct qd_interval scale_of(const struct qd_resample_axis *axis)
{
    struct qd_interval lengths = quotient(whole(axis->out), whole(axis->in));
    return axis->scale > 0 ? qd_interval_join(lengths, step(qd_interval_point(axis->scale)))
                           : lengths;
}

/* (o + 0.5) / scale − 0.5 */
static struct qd_interval half_pixel(struct qd_interval o, struct qd_interval scale)
{
    return sum(over_scale(sum(o, qd_interval_point(0.5)), scale), qd_interval_point(-0.5));
}

/* The region of the axis that a fractional output has, centered. */
static struct qd_interval symmetric(const struct qd_resample_axis *axis, struct qd_interval o)
{
    if (axis->scale <= 0)
        return half_pixel(o, scale_of(axis));
    struct qd_interval scale = step(qd_interval_point(axis->scale)), in = whole(axis->in);
    struct qd_interval adjustment = quotient(whole(axis->out), product(in, scale));
    struct qd_interval offset =
        product(product(in, qd_interval_point(0.5)), difference(qd_interval_point(1), adjustment));
    struct qd_interval at = over_scale(sum(o, qd_interval_point(0.5)), scale);
    return qd_interval_join(sum(sum(offset, at), qd_interval_point(-0.5)),
                            sum(offset, half_pixel(o, scale)));
}

/* o·length·(in − 1) / (out − 1) */
static struct qd_interval between_corners(const struct qd_resample_axis *axis, struct qd_interval o,
                                          struct qd_interval length)
{
    struct qd_interval in = whole(axis->in - 1), out = whole(axis->out - 1);
    struct qd_interval last = quotient(product(product(o, length), in), out);
    struct qd_interval first = product(o, quotient(product(length, in), out));
    return qd_interval_join(last, first);
}

static struct qd_interval crop(const struct qd_resample_axis *axis, struct qd_interval o)
{
    struct qd_interval start = step(qd_interval_point(axis->start)),
                       end = step(qd_interval_point(axis->end));
    struct qd_interval in = whole(axis->in - 1);
    if (axis->out == 1)
        return product(product(qd_interval_point(0.5), sum(start, end)), in);
    return sum(product(start, in), between_corners(axis, o, difference(end, start)));
}

bool qd_resample_coordinate(enum qd_resample_mode mode, const struct qd_resample_axis *axis,
                            int64_t position, struct qd_interval *x)
{
    struct qd_interval o = whole(position);
    if (!axis->resized) {
        *x = qd_interval_point((double)position);
        return true;
    }
    if (mode == QD_ALIGN_CORNERS && axis->out == 1)
        return false;
    switch (mode) {
    case QD_HALF_PIXEL_SYMMETRIC: *x = symmetric(axis, o); break;
    case QD_PYTORCH_HALF_PIXEL:
        *x = axis->out > 1 ? half_pixel(o, scale_of(axis)) : qd_interval_point(0);
        break;
    case QD_ALIGN_CORNERS: *x = between_corners(axis, o, qd_interval_point(1)); break;
    case QD_ASYMMETRIC: *x = over_scale(o, scale_of(axis)); break;
    case QD_TF_CROP_AND_RESIZE: *x = crop(axis, o); break;
    case QD_TF_HALF_PIXEL_FOR_NN:
        *x = over_scale(sum(o, qd_interval_point(0.5)), scale_of(axis));
        break;
    default: *x = half_pixel(o, scale_of(axis)); break;
    }
    return true;
}

#define SCALE_UNIT ((int64_t)1 << 24)

/* The scale of the model, if it is a multiple of 2^-24 below 2^8; false where it gives none either. */
static bool given_scale(const struct qd_resample_axis *axis, struct qd_fraction *scale)
{
    double units = axis->scale * (double)SCALE_UNIT;
    *scale = (struct qd_fraction){0, SCALE_UNIT};
    if (!(units > 0) || units >= 0x1p32 || floor(units) < units)
        return false;
    scale->num = (int64_t)units;
    return true;
}

static struct qd_fraction at_scale(enum qd_resample_mode mode, const struct qd_resample_axis *axis,
                                   int64_t o, struct qd_fraction scale)
{
    const int64_t middle = (2 * o + 1) * scale.den, twice = 2 * scale.num;
    switch (mode) {
    case QD_ASYMMETRIC: return (struct qd_fraction){o * scale.den, scale.num};
    case QD_TF_HALF_PIXEL_FOR_NN: return (struct qd_fraction){middle, twice};
    case QD_HALF_PIXEL_SYMMETRIC: /* in/2·(1 − out/(in·scale)) more */
        return (struct qd_fraction){
            middle - scale.num + axis->in * scale.num - axis->out * scale.den, twice};
    default: return (struct qd_fraction){middle - scale.num, twice};
    }
}

bool qd_resample_exactly(enum qd_resample_mode mode, const struct qd_resample_axis *axis, int64_t o,
                         struct qd_fraction *x)
{
    const struct qd_fraction lengths = {axis->out, axis->in};
    struct qd_fraction given;
    bool one = axis->out == 1;
    if (!axis->resized || (mode == QD_PYTORCH_HALF_PIXEL && one)) {
        *x = (struct qd_fraction){axis->resized ? 0 : o, 1};
        return true;
    }
    if (mode == QD_ALIGN_CORNERS) {
        *x = (struct qd_fraction){o * (axis->in - 1), axis->out - 1};
        return !one;
    }
    if (mode == QD_TF_CROP_AND_RESIZE || axis->in > QD_EXACT_LENGTH || axis->out > QD_EXACT_LENGTH)
        return false;
    bool known = given_scale(axis, &given);
    if (!known && axis->scale > 0)
        return false;
    *x = at_scale(mode, axis, o, known ? given : lengths);
    return true;
}

bool qd_resample_size(const struct qd_resample_axis *axis, double scale, int64_t most, int64_t *out)
{
    struct qd_interval in = whole(axis->in);
    struct qd_interval extent =
        difference(step(qd_interval_point(axis->end)), step(qd_interval_point(axis->start)));
    struct qd_interval size = product(product(in, extent), qd_interval_point(scale));
    bool agreed = floor(size.lo) >= floor(size.hi); /* not so for NaN */
    if (!agreed || size.lo < 0 || size.hi > (double)most)
        return false;
    *out = (int64_t)size.lo;
    return true;
}
