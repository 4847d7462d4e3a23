/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-of-scaled-sums": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "quirk/edit.h"
#include "quirk/means.h"

enum { X, AXES };

static unsigned axis_bit(int64_t axis, unsigned rank)
{
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? 1U << axis : 0;
}

/* The axes by bit, of the attribute or the operand. */
static unsigned reduced(const struct qd_node *node, const struct qd_value *const *in)
{
    const struct qd_attr *axes = qd_node_attr(node, "axes");
    unsigned rank = in[X]->want.rank, found = 0;
    for (size_t i = 0; axes && axes->kind == QD_ATTR_INTS && i < axes->count; i++)
        found |= axis_bit(axes->ints[i], rank);
    for (int64_t i = 0; in[AXES] && i < in[AXES]->want.count; i++)
        found |= axis_bit(qd_tensor_get(&in[AXES]->want, i), rank);
    return found ? found : (1U << rank) - 1;
}

/* How many elements that lie side by side are one sum. */
static int64_t run_of(const struct qd_tensor *x, unsigned axes)
{
    int64_t run = 1;
    for (unsigned axis = x->rank; axis-- > 0 && axes >> axis & 1;)
        run *= x->dims[axis];
    return run;
}

static float sum_of(const struct qd_tensor *x, int64_t first, int64_t run)
{
    double sum = 0;
    for (int64_t i = first; i < first + run; i++)
        sum += qd_tensor_value(x, i);
    return (float)sum;
}

/* Of one sum alone nothing is added: the mean is as it was. */
static enum qd_status average(struct qd_evaluation *evaluation, const struct qd_tensor *x,
                              unsigned axes, struct qd_value *y)
{
    const int64_t run = run_of(x, axes), terms = x->count / y->want.count;
    const float factor = 1.0F / (float)terms;
    float *means = qd_arena_array(evaluation->arena, (size_t)y->want.count, sizeof *means);
    if (!means)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for means");
    memset(means, 0, (size_t)y->want.count * sizeof *means);
    for (int64_t i = 0; i < x->count; i += run) {
        float *mean = &means[qd_reduced_index(x, axes, i)];
        *mean = fmaf(sum_of(x, i, run), factor, *mean);
    }
    for (int64_t i = 0; i < y->want.count; i++)
        if (isfinite(means[i]) && !(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(QD_F32, (double)means[i], true));
    qd_close_value(y);
    return QD_OK;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    const struct qd_tensor *x = &in[X]->want;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || x->dtype != QD_F32 || out->want.count == 0 || x->count == 0)
        return status;
    const unsigned axes = reduced(node, in);
    const int64_t run = run_of(x, axes), terms = x->count / out->want.count;
    return run > 1 && run < terms ? average(evaluation, x, axes, out) : QD_OK;
}

const struct qd_override qd_quirk_mean_of_scaled_sums = {.node = evaluate};
