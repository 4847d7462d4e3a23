/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/means.h"

#include <string.h>

#include "quirk/codes.h"
#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

unsigned qd_mean_axes(const struct qd_node *node, const struct qd_tensor *x)
{
    const struct qd_attr *axes = qd_node_attr(node, "axes"),
                         *last = qd_node_attr(node, "channels_last");
    unsigned all = (1U << x->rank) - 1, found = 0;
    if (strcmp(node->op_type, "QLinearGlobalAveragePool") == 0)
        return last && last->i ? all & ~1U & ~(1U << (x->rank - 1)) : all & ~3U;
    for (size_t i = 0; axes && axes->kind == QD_ATTR_INTS && i < axes->count; i++)
        found |= 1U << (axes->ints[i] < 0 ? axes->ints[i] + x->rank : axes->ints[i]);
    return found ? found : all;
}

int64_t qd_reduced_index(const struct qd_tensor *x, unsigned axes, int64_t i)
{
    int64_t at = 0, stride = 1;
    for (unsigned axis = x->rank; axis-- > 0;) {
        if (!(axes >> axis & 1)) {
            at += i % x->dims[axis] * stride;
            stride *= x->dims[axis];
        }
        i /= x->dims[axis];
    }
    return at;
}

static enum qd_status read_means(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *const *in, const struct qd_tensor *y,
                                 struct qd_means *means)
{
    const struct qd_tensor *x = &in[X]->want;
    int64_t *sums = qd_arena_alloc(evaluation->arena, (size_t)(y->count + 1) * sizeof *sums);
    if (!sums)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for sums");
    memset(sums, 0, (size_t)(y->count + 1) * sizeof *sums);
    *means = (struct qd_means){.axes = qd_mean_axes(node, x),
                               .keeps = y->rank == x->rank,
                               .terms = x->count / y->count,
                               .depth = x->rank > 0 ? x->dims[x->rank - 1] : 1,
                               .sums = sums,
                               .x_scale = qd_parameter_at(in[X_SCALE], 0),
                               .y_scale = qd_parameter_at(in[Y_SCALE], 0),
                               .x_zero_point = (int64_t)qd_parameter_at(in[X_ZERO_POINT], 0),
                               .y_zero_point = (int64_t)qd_parameter_at(in[Y_ZERO_POINT], 0)};
    for (int64_t i = 0; i < x->count; i++)
        sums[qd_reduced_index(x, means->axes, i)] += qd_tensor_get(x, i);
    return QD_OK;
}

enum qd_status qd_means_set(const struct qd_override *self, struct qd_evaluation *evaluation,
                            const struct qd_node *node, const struct qd_value *const *in,
                            bool (*fits)(const struct qd_means *means, const struct qd_tensor *x),
                            qd_mean_function *f, struct qd_value *out)
{
    struct qd_means means;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || out->want.count == 0 || in[X]->want.count == 0)
        return status;
    status = read_means(evaluation, node, in, &out->want, &means);
    if (status != QD_OK || (fits && !fits(&means, &in[X]->want)))
        return status;
    for (int64_t i = 0; status == QD_OK && i < out->want.count; i++)
        status = qd_code_set(evaluation, out, i, f(&means, i));
    return status;
}
