/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-folds-zero-points": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"
#include "quirk/fuse.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    if (strcmp(node->op_type, "QLinearAdd") == 0)
        edit.semantics.zero_point_order = QD_ZERO_POINT_BEFORE_F32;
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_add_folds_zero_points = {.graph = qd_fuse_additions,
                                                           .node = evaluate};
