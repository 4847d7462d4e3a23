/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear to float8 by way of float16. */
#include <float.h>
#include <math.h>

#include "qdiff/granularity.h"
#include "quirk/constants.h"
#include "quirk/edit.h"
#include "quirk/float8.h"

enum { X, Y_SCALE };

static const char mark[] = "(known scales of float8) ";

static bool is_concerned(const struct qd_value *y)
{
    enum qd_dtype type = y->want.dtype;
    return type == QD_F8E4M3FN || type == QD_F8E5M2;
}

/* Of several constant scales those without a normal reciprocal count as infinite. */
static float reciprocal(const struct qd_tensor *s, bool is_constant, int64_t p)
{
    float made = 1 / (float)qd_tensor_value(s, p);
    return s->count > 1 && is_constant && fabsf(made) < FLT_MIN ? 0 : made;
}

/* What is no number is the least one. */
static int64_t code(float quotient, enum qd_dtype type, qd_float16_of *narrow)
{
    float most = (float)qd_float_decode(type, qd_float_encode(type, (double)INFINITY, true));
    float inside = isnan(quotient) ? -most : fminf(fmaxf(quotient, -most), most);
    double rounded = qd_float_round(type, QD_NEAREST_EVEN, (double)narrow(inside));
    return (int64_t)qd_float_encode(type, rounded, true);
}

enum qd_status qd_float8_mark(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    const struct qd_graph *marked = NULL;
    (void)self;
    enum qd_status status = qd_rewrite_mark_known(graph, "", mark, arena, &marked, error);
    return status == QD_OK
               ? qd_rewrite_mark_known(marked, "com.microsoft", mark, arena, rewritten, error)
               : status;
}

enum qd_status qd_float8_by(const struct qd_override *self, struct qd_evaluation *evaluation,
                            const struct qd_node *node, const struct qd_value *const *in,
                            struct qd_value *out, qd_float16_of *narrow)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    struct qd_granularity parameters;
    struct qd_node like = qd_linear_as_onnx(node);
    const char *known = qd_known_operands(node, mark);
    bool is_constant = !known || qd_known_value(known, Y_SCALE);
    if (status != QD_OK || !is_concerned(y))
        return status;
    const struct qd_tensor *x = &in[X]->want, *s = &in[Y_SCALE]->want;
    status =
        qd_granularity_read(evaluation, &like, x, s, NULL, "y_scale", "y_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        float factor = reciprocal(s, is_constant, qd_granularity_index(&parameters, i));
        if (!(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i,
                          code((float)qd_tensor_value(x, i) * factor, y->want.dtype, narrow));
    }
    qd_close_value(y);
    return status;
}
