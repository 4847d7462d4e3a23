/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "channels-last-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

/* An output of another shape is a divergence of another class. */
static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_edit edit;
    struct qd_value other;
    if (status != QD_OK || !qd_node_attr(node, "channels_last"))
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    qd_edit_drop(&edit, "channels_last");
    if (qd_edit_run(&edit, self, &other) == QD_OK && qd_tensor_same_shape(&other.want, &out->want))
        *out = other;
    return QD_OK;
}

const struct qd_override qd_quirk_channels_last_ignored = {.node = evaluate};
