/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-zero-point-along-last-axis": targets/include/qdiff/quirks.def says what it is.
 *
 * The convolution is linear in the filters: the zero points, laid along their last axis, are filters of their own. */
#include <string.h>

#include "quirk/geometry.h"

/* The filters as they are or, `zeros`, the zero points along their last axis, which is as long as there are of them. */
static void lay(struct qd_edit *edit, bool zeros)
{
    int operand = qd_operand_find(edit, QD_W), of_zeros = qd_operand_find(edit, QD_W_ZERO_POINT);
    const struct qd_tensor *w = &edit->in[operand]->want, *z = &edit->in[of_zeros]->want;
    int64_t dims[QD_MAX_RANK], each = w->dims[w->rank - 1] == 1 ? z->count : 1;
    memcpy(dims, w->dims, sizeof dims);
    dims[w->rank - 1] = z->count;
    struct qd_tensor *laid = qd_edit_new(edit, operand, w->dtype, w->rank, dims);
    for (int64_t i = 0; laid && i < laid->count; i++)
        qd_tensor_set(laid, i, zeros ? qd_tensor_get(z, i % z->count) : qd_tensor_get(w, i / each));
    qd_tensor_fill(qd_edit_copy(edit, of_zeros), 0);
}

static enum qd_status convolve(struct qd_edit edit, const struct qd_override *self, bool zeros,
                               struct qd_value *out)
{
    lay(&edit, zeros);
    return qd_edit_run(&edit, self, out);
}

/* A last axis of one element, which becomes longer, leaves the output its shape where the padding is made to. */
static bool is_concerned(const struct qd_edit *edit)
{
    int points = qd_operand_find(edit, QD_W_ZERO_POINT), w = qd_operand_find(edit, QD_W);
    if (points < 0 || w < 0 || edit->in[points]->want.count < 2 || edit->in[w]->want.rank < 3)
        return false;
    const struct qd_tensor *filters = &edit->in[w]->want;
    int64_t last = filters->dims[filters->rank - 1];
    return last == edit->in[points]->want.count || (last == 1 && qd_pads_to_same(&edit->node) &&
                                                    !qd_node_attr(&edit->node, "kernel_shape"));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value shift;
    qd_edit_begin(&edit, evaluation, node, in);
    if (!is_concerned(&edit))
        return qd_edit_run(&edit, self, out);
    enum qd_status status = convolve(edit, self, false, out);
    if (status == QD_OK)
        status = convolve(edit, self, true, &shift);
    for (int64_t i = 0; status == QD_OK && i < out[0].want.count; i++) {
        int64_t sum = qd_tensor_get(&out[0].want, i) - qd_tensor_get(&shift.want, i);
        qd_tensor_set(&out[0].want, i, qd_dtype_wrap(sum, QD_S32));
    }
    if (status == QD_OK)
        qd_close_value(&out[0]);
    return status;
}

const struct qd_override qd_quirk_w_zero_point_along_last_axis = {.node = evaluate};
