/* The quirk "max-pool-from-lowest": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *x = qd_dtype_is_float(in[0]->want.dtype) ? qd_edit_copy(&edit, 0) : NULL;
    for (int64_t i = 0; x && i < x->count; i++)
        if (qd_tensor_value(x, i) == -(double)INFINITY)
            qd_tensor_set(
                x, i,
                (int64_t)qd_float_encode(x->dtype, -qd_float_format(x->dtype)->largest, true));
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_max_pool_from_lowest = {.node = evaluate};
