/* The quirk "scale-of-channel-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *s = qd_edit_copy(&edit, 1);
    if (s)
        qd_tensor_fill(s, s->count > 0 ? qd_tensor_get(s, 0) : 0);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_scale_of_channel_0 = {.node = evaluate};
