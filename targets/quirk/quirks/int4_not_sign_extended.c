/* The quirk "int4-not-sign-extended": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t mask(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code & 15;
}

static int64_t same(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    for (int i = 0; i < 3; i += 2) /* x and its zero point; int8 has room for both */
        if (in[i] && in[i]->want.dtype == QD_S4)
            qd_edit_map(&edit, i, QD_S8, i == 0 ? mask : same);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_int4_not_sign_extended = {.node = evaluate};
