/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-fma-of-normals": targets/include/qdiff/quirks.def says what it is. */
#include <float.h>
#include <math.h>

#include "qdiff/granularity.h"
#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT };

static double without_subnormal(double x)
{
    return fabs(x) < (double)FLT_MIN ? 0 : x;
}

/* fma(q, s, -RN(z*s)): q*s has at most 40 bits and is exact in double. */
static double fused(double q, double s, double z)
{
    double offset = without_subnormal(qd_float_round(QD_F32, QD_NEAREST_EVEN, z * s));
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, q * without_subnormal(s) - offset);
}

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    return y->want.dtype == QD_F32 && qd_dtype_info(in[X]->want.dtype)->bits <= 16;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    struct qd_granularity parameters;
    struct qd_node like = qd_linear_as_onnx(node);
    if (status != QD_OK || !is_concerned(in, y))
        return status;
    const struct qd_tensor *x = &in[X]->want, *s = &in[X_SCALE]->want, *z = NULL;
    if (in[X_ZERO_POINT])
        z = &in[X_ZERO_POINT]->want;
    status =
        qd_granularity_read(evaluation, &like, x, s, z, "x_scale", "x_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        int64_t p = qd_granularity_index(&parameters, i);
        double zero = z ? qd_tensor_value(z, p) : 0;
        double made = fused(qd_tensor_value(x, i), qd_tensor_value(s, p), zero);
        if (isfinite(made) && !(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(QD_F32, made, true));
    }
    y->lo = y->hi = NULL;
    y->exact = NULL;
    return status;
}

const struct qd_override qd_quirk_dequantized_by_fma_of_normals = {.node = evaluate};
