/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scale-along-batch": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

/* Every image of the batch evaluated with the scale at its own number; which of the answers an element comes from. */
struct choice {
    int64_t image, scales;
};

static struct qd_source choose(const void *context, int64_t i)
{
    const struct choice *choice = context;
    return (struct qd_source){(size_t)(i / choice->image % choice->scales), i};
}

/* The node with entry `n` of the weight scales for all of them. */
static enum qd_status evaluate_with(const struct qd_override *self, struct qd_edit *edit, int scale,
                                    const struct qd_tensor *scales, int64_t n, struct qd_value *y)
{
    qd_tensor_fill(qd_edit_copy(edit, scale), qd_tensor_get(scales, n));
    return qd_edit_run(edit, self, y);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int scale = qd_operand_find(&edit, QD_W_SCALE);
    if (scale < 0 || in[scale]->want.count < 2 || in[0]->want.rank < 1 || in[0]->want.dims[0] == 0)
        return qd_edit_run(&edit, self, out);
    const struct qd_tensor *scales = &in[scale]->want;
    int64_t batch = in[0]->want.dims[0];
    int64_t count = batch < scales->count ? batch : scales->count;
    struct qd_value *answers = qd_arena_array(evaluation->arena, (size_t)count, sizeof *answers);
    const struct qd_value **list = qd_arena_array(evaluation->arena, (size_t)count, sizeof *list);
    if (!answers || !list)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld answers",
                       (long long)count);
    for (int64_t n = 0; n < count; n++) {
        enum qd_status status = evaluate_with(self, &edit, scale, scales, n, &answers[n]);
        if (status != QD_OK)
            return status;
        list[n] = &answers[n];
    }
    const struct qd_tensor *y = &answers[0].want;
    const struct choice choice = {y->count > 0 ? y->count / batch : 1, count};
    return qd_move(evaluation, list, (size_t)count, y->rank, y->dims, choose, &choice, out);
}

const struct qd_override qd_quirk_scale_along_batch = {.node = evaluate};
