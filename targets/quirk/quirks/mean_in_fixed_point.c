/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-in-fixed-point": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "qdiff/fixed_point.h"
#include "quirk/codes.h"
#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

/* Which axes a node reduces, by bit: those of its attribute, all without; of a pool those after the channels. */
static unsigned reduced(const struct qd_node *node, const struct qd_tensor *x)
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

/* The number of the output's element to which element i of x belongs. */
static int64_t target(const struct qd_tensor *x, unsigned axes, int64_t i)
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

/* The multiplier of a sum of `count` terms: divided as an integer, after as many bits as keep it below 2^31. */
static struct qd_multiplier over(struct qd_multiplier m, int64_t count)
{
    int shift = 0;
    while (count >> (shift + 1) != 0 && shift < 32 && shift < 31 + m.shift)
        shift++;
    return (struct qd_multiplier){(int32_t)(m.mantissa * (INT64_C(1) << shift) / count),
                                  m.shift - shift};
}

static enum qd_status average(struct qd_evaluation *evaluation, const struct qd_node *node,
                              const struct qd_value *const *in, struct qd_value *y)
{
    const struct qd_tensor *x = &in[X]->want;
    unsigned axes = reduced(node, x);
    int64_t *sums = qd_arena_alloc(evaluation->arena, (size_t)(y->want.count + 1) * sizeof *sums);
    int64_t x_zero_point = (int64_t)qd_parameter_at(in[X_ZERO_POINT], 0);
    int64_t y_zero_point = (int64_t)qd_parameter_at(in[Y_ZERO_POINT], 0);
    double factor = qd_parameter_at(in[X_SCALE], 0) / qd_parameter_at(in[Y_SCALE], 0);
    if (!sums)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for sums");
    memset(sums, 0, (size_t)(y->want.count + 1) * sizeof *sums);
    for (int64_t i = 0; i < x->count; i++)
        sums[target(x, axes, i)] += qd_tensor_get(x, i) - x_zero_point;
    const struct qd_multiplier m = over(qd_multiplier_of(factor), x->count / y->want.count);
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        status = qd_code_set(evaluation, y, i, qd_multiply_double(sums[i], m) + y_zero_point);
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || out->want.count == 0 || in[X]->want.count == 0)
        return status;
    return average(evaluation, node, in, out);
}

const struct qd_override qd_quirk_mean_in_fixed_point = {.node = evaluate};
