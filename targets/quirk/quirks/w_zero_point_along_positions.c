/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-zero-point-along-positions": targets/include/qdiff/quirks.def says what it is.
 *
 * The node is evaluated with each filter's zero point for all filters; the output takes each position from another of
 * these. */
#include "quirk/geometry.h"

static struct qd_source source_at(const void *context, int64_t i)
{
    const int64_t *positions = context;
    return (struct qd_source){(size_t)(i % *positions), i};
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value made[QD_MAX_OPERANDS];
    const struct qd_value *operands[QD_MAX_OPERANDS];
    qd_edit_begin(&edit, evaluation, node, in);
    int operand = qd_operand_find(&edit, QD_W_ZERO_POINT);
    int64_t filters = operand < 0 ? 1 : in[operand]->want.count;
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status != QD_OK || filters < 2 || filters > QD_MAX_OPERANDS ||
        qd_shape_plane(&out->want) != filters)
        return status;
    for (int64_t p = 0; p < filters && status == QD_OK; p++) {
        status = qd_edit_run_with_entry(&edit, self, operand, p, &made[p]);
        operands[p] = &made[p];
    }
    return status == QD_OK ? qd_move(evaluation, operands, (size_t)filters, out->want.rank,
                                     out->want.dims, source_at, &filters, out)
                           : status;
}

const struct qd_override qd_quirk_w_zero_point_along_positions = {.node = evaluate};
