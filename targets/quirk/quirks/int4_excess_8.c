/* The quirk "int4-excess-8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t excess(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return (code & 15) - 8;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    if (in[0]->want.dtype == QD_S4)
        qd_edit_map(&edit, 0, QD_S4, excess);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_int4_excess_8 = {.node = evaluate};
