/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "clip-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    (void)self, (void)evaluation, (void)node;
    out[0] = *in[0];
    return QD_OK;
}

const struct qd_override qd_quirk_clip_dropped = {.node = evaluate};
