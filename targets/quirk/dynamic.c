/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/dynamic.h"

#include <float.h>
#include <math.h>

#include "qdiff/exact.h"
#include "qdiff/output_quantizer.h"

enum { Y, Y_SCALE, Y_ZERO_POINT, OUTPUTS };

/* The greatest of 0 and ±x; infinite where some x is no number. */
static double greatest(const struct qd_tensor *x, double sign)
{
    double most = 0;
    for (int64_t i = 0; i < x->count; i++) {
        double v = sign * qd_tensor_value(x, i);
        most = v > most ? v : isnan(v) ? (double)INFINITY : most;
    }
    return most;
}

double qd_f32(double x)
{
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
}

double qd_f32_divide(double a, double b)
{
    return qd_float_divide(QD_F32, QD_NEAREST_EVEN, a, b);
}

double qd_dynamic_scale_by_reciprocal(double range)
{
    return qd_f32(range * qd_f32_divide(1, 255));
}

static int64_t quantize(const struct qd_evaluation *evaluation, int64_t zero_point, double steps)
{
    struct qd_output_quantizer quantizer =
        qd_output_quantizer_make(evaluation->semantics, QD_U8, zero_point);
    return qd_output_quantizer_float(&quantizer, steps);
}

/* Values without latitude, as they are then set. */
static enum qd_status begin(struct qd_evaluation *evaluation, struct qd_value *out)
{
    enum qd_status status = QD_OK;
    for (int o = 0; status == QD_OK && o < OUTPUTS; o++) {
        const struct qd_tensor as = out[o].want;
        status = qd_value_init(&out[o], evaluation->arena, as.dtype, as.rank, as.dims,
                               evaluation->error);
    }
    return status;
}

enum qd_status qd_quantize_dynamically(const struct qd_dynamic *as, const struct qd_override *self,
                                       struct qd_evaluation *evaluation, const struct qd_node *node,
                                       const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK)
        return status;
    const struct qd_tensor *x = &in[0]->want;
    double least = greatest(x, -1), range = qd_f32(greatest(x, 1) + least);
    double scale = as->scale(range);
    if (scale == 0 || isinf(range))
        return QD_OK;
    status = begin(evaluation, out);
    if (status != QD_OK)
        return status;
    int64_t zero_point = quantize(evaluation, 0, as->zero_point(least, range, scale));
    if (as->without_subnormals && scale < (double)FLT_MIN)
        scale = 0;
    qd_tensor_set(&out[Y_SCALE].want, 0, (int64_t)qd_float_encode(QD_F32, scale, false));
    qd_tensor_set(&out[Y_ZERO_POINT].want, 0, zero_point);
    for (int64_t i = 0; i < x->count; i++) {
        double steps = as->steps(qd_tensor_value(x, i), range);
        qd_tensor_set(&out[Y].want, i, quantize(evaluation, zero_point, steps));
    }
    return QD_OK;
}
