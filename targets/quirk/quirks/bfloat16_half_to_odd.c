/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bfloat16-half-to-odd": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/dequantize.h"
#include "quirk/edit.h"

static bool is_cast(const struct qd_node *node)
{
    const struct qd_attr *to = qd_node_attr(node, "to");
    return strcmp(node->op_type, "Cast") == 0 && to &&
           to->i == (int64_t)qd_dtype_info(QD_BF16)->onnx;
}

/* bfloat16 operands as float32; false if there is none. */
static bool widen(struct qd_edit *edit)
{
    bool found = false;
    for (size_t i = 0; i < edit->node.input_count; i++) {
        if (!edit->in[i] || edit->in[i]->want.dtype != QD_BF16)
            continue;
        const struct qd_tensor *from = &edit->in[i]->want;
        struct qd_tensor *to = qd_edit_new(edit, (int)i, QD_F32, from->rank, from->dims);
        for (int64_t e = 0; to && e < from->count; e++)
            qd_tensor_set(to, e, (int64_t)qd_float_encode(QD_F32, qd_tensor_value(from, e), false));
        found = true;
    }
    return found;
}

static enum qd_status narrow(struct qd_evaluation *evaluation, struct qd_value *y)
{
    const struct qd_tensor wide = y->want;
    if (wide.dtype != QD_F32)
        return QD_OK;
    enum qd_status status =
        qd_value_init(y, evaluation->arena, QD_BF16, wide.rank, wide.dims, evaluation->error);
    for (int64_t e = 0; status == QD_OK && e < wide.count; e++) {
        double made = (double)qd_bfloat16_half_to_odd((float)qd_tensor_value(&wide, e));
        qd_tensor_set(&y->want, e, (int64_t)qd_float_encode(QD_BF16, made, false));
    }
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    bool cast = is_cast(node);
    qd_edit_begin(&edit, evaluation, node, in);
    if (cast)
        qd_edit_int(&edit, "to", (int64_t)qd_dtype_info(QD_F32)->onnx);
    bool narrowed = cast ? in[0] && in[0]->want.dtype != QD_BF16 : widen(&edit);
    enum qd_status status = qd_edit_run(&edit, self, out);
    return status == QD_OK && (narrowed || cast) ? narrow(evaluation, &out[0]) : status;
}

const struct qd_override qd_quirk_bfloat16_half_to_odd = {.node = evaluate};
