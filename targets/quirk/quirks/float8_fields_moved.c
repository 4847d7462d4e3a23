/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float8-fields-moved": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { MANTISSA = 23, BIAS = 127 }; /* of float32 */

/* Bits of the mantissa; 0: no float8 with a sign. */
static int mantissa_of(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_F8E4M3FN:
    case QD_F8E4M3FNUZ: return 3;
    case QD_F8E5M2:
    case QD_F8E5M2FNUZ: return 2;
    default: return 0;
    }
}

static int bias_of(int mantissa)
{
    return (1 << (6 - mantissa)) - 1;
}

static uint32_t widened(uint32_t code, int mantissa)
{
    uint32_t rebias = (uint32_t)(BIAS - bias_of(mantissa)) << MANTISSA;
    return (code >> 7) << 31 | (((code & 0x7f) << (MANTISSA - mantissa)) + rebias);
}

static uint32_t narrowed(uint32_t bits, int mantissa)
{
    int cut = MANTISSA - mantissa;
    uint32_t rounded = bits + (bits >> cut & 1) + (1U << (cut - 1)) - 1;
    int exponent = (int)(rounded << 1 >> (MANTISSA + 1)) - BIAS + bias_of(mantissa);
    if (exponent < 0)
        return 0;
    uint32_t kept = rounded >> cut & ((1U << mantissa) - 1);
    return (kept | (uint32_t)exponent << mantissa | (bits >> 31) << 7) & 0xff;
}

static void widen(struct qd_edit *edit, int mantissa)
{
    const struct qd_tensor *from = &edit->in[0]->want;
    struct qd_tensor *to = qd_edit_new(edit, 0, QD_F32, from->rank, from->dims);
    for (int64_t e = 0; to && e < from->count; e++)
        qd_tensor_set(to, e, widened((uint32_t)qd_tensor_get(from, e), mantissa));
}

static enum qd_status narrow(struct qd_evaluation *evaluation, enum qd_dtype dtype,
                             struct qd_value *y)
{
    const struct qd_tensor wide = y->want;
    enum qd_status status =
        qd_value_init(y, evaluation->arena, dtype, wide.rank, wide.dims, evaluation->error);
    for (int64_t e = 0; status == QD_OK && e < wide.count; e++)
        qd_tensor_set(&y->want, e, narrowed((uint32_t)qd_tensor_get(&wide, e), mantissa_of(dtype)));
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    const struct qd_attr *attr = qd_node_attr(node, "to");
    enum qd_dtype to = attr ? qd_dtype_of_onnx((int32_t)attr->i) : QD_DTYPE_NONE;
    qd_edit_begin(&edit, evaluation, node, in);
    if (in[0] && mantissa_of(in[0]->want.dtype))
        widen(&edit, mantissa_of(in[0]->want.dtype));
    if (mantissa_of(to))
        qd_edit_int(&edit, "to", (int64_t)qd_dtype_info(QD_F32)->onnx);
    enum qd_status status = qd_edit_run(&edit, self, out);
    return status == QD_OK && mantissa_of(to) ? narrow(evaluation, to, &out[0]) : status;
}

const struct qd_override qd_quirk_float8_fields_moved = {.node = evaluate};
