/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "softmax-output-scale-floored": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/exact.h"
#include "quirk/edit.h"

/* 1/floor(1/s), rounded to a float32; where the integer is 0 every output is the zero point. */
static double floored(double scale, enum qd_direction direction)
{
    double steps = floor(qd_float_divide(QD_F32, QD_NEAREST_EVEN, 1, scale));
    if (!isfinite(steps) || steps < 0)
        return scale;
    return steps == 0 ? qd_float_format(QD_F32)->largest
                      : qd_float_divide(QD_F32, direction, 1, steps);
}

static enum qd_status with_scale(const struct qd_override *self, struct qd_evaluation *evaluation,
                                 const struct qd_node *node, const struct qd_value *const *in,
                                 enum qd_direction direction, struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *scale = qd_edit_copy(&edit, qd_operand_find(&edit, QD_Y_SCALE));
    if (scale && scale->dtype == QD_F32 && scale->count == 1 && qd_tensor_value(scale, 0) > 0)
        qd_tensor_set(
            scale, 0,
            (int64_t)qd_float_encode(QD_F32, floored(qd_tensor_value(scale, 0), direction), true));
    return qd_edit_run(&edit, self, out);
}

/* The kernel multiplies by the integer, whose reciprocal lies between two float32: the hull of what both give. */
static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_value above, below;
    enum qd_status status = with_scale(self, evaluation, node, in, QD_TO_PLUS_INFINITY, &above);
    if (status == QD_OK)
        status = with_scale(self, evaluation, node, in, QD_TO_MINUS_INFINITY, &below);
    for (int64_t i = 0; status == QD_OK && i < below.want.count; i++) {
        struct qd_code code = {.want = qd_tensor_get(&below.want, i),
                               .lo = (int64_t)fmin(qd_value_lo(&above, i), qd_value_lo(&below, i)),
                               .hi = (int64_t)fmax(qd_value_hi(&above, i), qd_value_hi(&below, i)),
                               .flags = qd_value_flags(&above, i) | qd_value_flags(&below, i)};
        status = qd_value_set_code(&below, i, code, evaluation->arena, evaluation->error);
    }
    if (status == QD_OK)
        *out = below;
    return status;
}

const struct qd_override qd_quirk_softmax_output_scale_floored = {.node = evaluate};
