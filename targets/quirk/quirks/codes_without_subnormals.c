/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "codes-without-subnormals": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "qdiff/granularity.h"
#include "quirk/conv_overflow.h"
#include "quirk/dequantize.h"
#include "quirk/tail.h"

enum { X, SCALE, ZERO_POINT, WIDTH = 8 };

/* --- DequantizeLinear ------------------------------------------------------------------------------ */

static bool is_float32(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F32;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float difference = (float)q - (float)z;
    return (double)qd_flushed(difference * qd_flushed((float)s));
}

/* --- QuantizeLinear ------------------------------------------------------------------------------- */

static bool is_narrow(enum qd_dtype codes)
{
    return codes == QD_U8 || codes == QD_S8;
}

static float inverse_of(const struct qd_tensor *scales, int64_t p)
{
    return qd_flushed(1 / qd_flushed((float)qd_tensor_value(scales, p)));
}

static void flush_x(struct qd_edit *edit)
{
    const struct qd_tensor *x = &edit->in[X]->want;
    bool subnormal = false;
    for (int64_t i = 0; x->dtype == QD_F32 && i < x->count; i++)
        subnormal |= qd_tensor_value(x, i) != qd_flush_subnormal(qd_tensor_value(x, i));
    struct qd_tensor *to = subnormal ? qd_edit_copy(edit, X) : NULL;
    for (int64_t i = 0; to && i < to->count; i++) {
        double number = qd_flush_subnormal(qd_tensor_value(to, i));
        qd_tensor_set(to, i, (int64_t)qd_float_encode(QD_F32, number, false));
    }
}

/* What does not fit into an int32 is the least one; whole vectors are cut to the range before. */
static int64_t code_of_sum(enum qd_dtype codes, float sum, bool in_vector)
{
    const struct qd_dtype_info *info = qd_dtype_info(codes);
    const float end = 0x1p31F;
    if (in_vector)
        return (int64_t)rintf(fminf(sum > 0 ? sum : 0, (float)info->max));
    if (!(sum >= -end && sum < end))
        return info->min;
    return (int64_t)fminf(fmaxf(rintf(sum), (float)info->min), (float)info->max);
}

static void set_point(struct qd_value *y, int64_t i, int64_t code)
{
    qd_tensor_set(&y->want, i, code);
    if (y->exact)
        y->exact[i] = (struct qd_interval){(double)code, (double)code};
    if (y->lo)
        y->lo[i] = y->hi[i] = (double)code;
    if (y->points)
        y->points[i].count = 0;
    if (y->flags)
        y->flags[i] &= (uint8_t)~QD_UNSPECIFIED;
}

/* Elements whose scale has no reciprocal, and those that are no numbers. */
static enum qd_status settle(const struct qd_evaluation *evaluation, const struct qd_edit *edit,
                             int64_t whole, struct qd_value *y)
{
    const struct qd_tensor *x = &edit->in[X]->want, *s = &edit->in[SCALE]->want;
    const struct qd_tensor *z = edit->in[ZERO_POINT] ? &edit->in[ZERO_POINT]->want : NULL;
    struct qd_granularity parameters;
    struct qd_node like = qd_linear_as_onnx(&edit->node);
    enum qd_status status =
        qd_granularity_read(evaluation, &like, x, s, z, "y_scale", "y_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        int64_t p = qd_granularity_index(&parameters, i);
        float inverse = inverse_of(s, p), real = (float)qd_tensor_value(x, i);
        float zero = z ? (float)qd_tensor_value(z, p) : 0;
        if (inverse != 0 && isfinite(inverse) && isfinite(real))
            continue;
        set_point(y, i, code_of_sum(y->want.dtype, qd_flushed(real * inverse) + zero, i < whole));
    }
    return status;
}

static enum qd_status quantize(const struct qd_override *self, struct qd_evaluation *evaluation,
                               struct qd_edit *edit, struct qd_value *out)
{
    struct qd_value vector, tail;
    qd_edit_widen(edit, X);
    qd_edit_widen(edit, SCALE);
    qd_edit_drop(edit, "precision");
    flush_x(edit);
    edit->semantics.division = QD_DIVISION_RECIPROCAL;
    edit->semantics.zero_point_order = QD_ZERO_POINT_BEFORE_F32;
    enum qd_status status = qd_edit_run(edit, self, &vector);
    edit->semantics.range = QD_RANGE_INT32_INDEFINITE;
    if (status == QD_OK)
        status = qd_edit_run(edit, self, &tail);
    if (status != QD_OK || !is_narrow(tail.want.dtype)) {
        *out = tail;
        return status;
    }
    bool vectors = tail.want.dtype == QD_U8 && edit->in[SCALE]->want.count == 1;
    int64_t whole = vectors ? tail.want.count / WIDTH * WIDTH : 0;
    *out = tail;
    if (vectors)
        status = qd_join_tail(evaluation, &vector, &tail, WIDTH, out);
    return status == QD_OK ? settle(evaluation, edit, whole, out) : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as as = {.is_concerned = is_float32, .number = number};
    struct qd_edit edit;
    if (strcmp(node->op_type, "DequantizeLinear") == 0)
        return qd_dequantize_as(&as, self, evaluation, node, in, out);
    if (strcmp(node->op_type, "Conv") == 0)
        return qd_conv_overflow(self, evaluation, node, in, out);
    qd_edit_begin(&edit, evaluation, node, in);
    return quantize(self, evaluation, &edit, out);
}

const struct qd_override qd_quirk_codes_without_subnormals = {.node = evaluate};
