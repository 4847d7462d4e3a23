/* The quirk "zero-point-low-byte": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t low_byte(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code & 255;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    if (in[2] && qd_dtype_info(in[2]->want.dtype)->bits == 16)
        qd_edit_map(&edit, 2, in[2]->want.dtype, low_byte);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_zero_point_low_byte = {.node = evaluate};
