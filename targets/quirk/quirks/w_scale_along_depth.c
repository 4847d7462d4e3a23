/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-scale-along-depth": targets/include/qdiff/quirks.def says what it is.
 *
 * The node is evaluated with each filter's scale for all filters; the output takes each depth from another of these. */
#include "quirk/edit.h"

enum { W_SCALE = 4, DEPTH_AXIS = 2, RANK = 5 };

struct planes {
    int64_t depth, plane; /* elements of one depth */
};

static struct qd_source source_at(const void *context, int64_t i)
{
    const struct planes *planes = context;
    int64_t d = i / planes->plane % planes->depth;
    return (struct qd_source){(size_t)d, i};
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value made[QD_MAX_OPERANDS];
    const struct qd_value *operands[QD_MAX_OPERANDS];
    qd_edit_begin(&edit, evaluation, node, in);
    int64_t filters = in[W_SCALE]->want.count;
    enum qd_status status = qd_edit_run_with_entry(&edit, self, W_SCALE, 0, &made[0]);
    const struct qd_tensor *y = &made[0].want;
    if (status != QD_OK || filters < 2 || filters > QD_MAX_OPERANDS || y->rank != RANK ||
        y->dims[DEPTH_AXIS] != filters)
        return qd_edit_run(&edit, self, out);
    for (int64_t d = 0; d < filters && status == QD_OK; d++) {
        status = qd_edit_run_with_entry(&edit, self, W_SCALE, d, &made[d]);
        operands[d] = &made[d];
    }
    struct planes planes = {filters, y->dims[3] * y->dims[4]};
    return status == QD_OK ? qd_move(evaluation, operands, (size_t)filters, y->rank, y->dims,
                                     source_at, &planes, out)
                           : status;
}

const struct qd_override qd_quirk_w_scale_along_depth = {.node = evaluate};
