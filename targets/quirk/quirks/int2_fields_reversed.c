/* The quirk "int2-fields-reversed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    const struct qd_tensor *x = &in[0]->want;
    struct qd_tensor *y = qd_dtype_info(x->dtype)->bits == 2 ? qd_edit_copy(&edit, 0) : NULL;
    for (int64_t i = 0; y && i < y->count; i++) {
        int64_t from = i ^ 3;
        qd_tensor_set(y, i, from < x->count ? qd_tensor_get(x, from) : 0);
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_int2_fields_reversed = {.node = evaluate};
