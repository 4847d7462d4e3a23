/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-in-floats": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/in_floats.h"

/* Where an operator has its operands; -1: it has no such. */
struct layout {
    const char *op_type;
    int a_scale, b_scale, a_zero, b_zero, bias;
};
enum { A, B };
static const struct layout layouts[] = {{"MatMulIntegerToFloat", 2, 3, 4, 5, 6},
                                        {"DynamicQuantizeMatMul", -1, 2, -1, 3, 4}};

static int64_t count_of(const struct qd_edit *edit, int i)
{
    return i >= 0 && edit->in[i] ? edit->in[i]->want.count : 1;
}

/* Operand i, a scale, zero point or bias, as a scalar, or one for each of `count` columns, floats as float32; NULL if
 * there is none. */
static const struct qd_value *spread(struct qd_edit *edit, int i, int64_t count)
{
    if (i < 0 || !edit->in[i])
        return NULL;
    const struct qd_tensor *from = &edit->in[i]->want;
    bool is_float = qd_dtype_is_float(from->dtype);
    struct qd_tensor *to = qd_edit_new(edit, i, is_float ? QD_F32 : from->dtype, count > 1, &count);
    for (int64_t n = 0; to && n < to->count; n++) {
        int64_t at = from->count > 1 ? n : 0;
        uint64_t bits = qd_float_encode(QD_F32, qd_tensor_value(from, at), false);
        qd_tensor_set(to, n, is_float ? (int64_t)bits : qd_tensor_get(from, at));
    }
    return edit->in[i];
}

static enum qd_status multiply(const struct qd_override *self, struct qd_edit *edit,
                               const struct layout *layout, struct qd_value *out)
{
    struct qd_value a = *edit->in[A], b, product;
    int64_t scales = count_of(edit, layout->b_scale), zeros = count_of(edit, layout->b_zero);
    int64_t count = scales > zeros ? scales : zeros;
    const struct qd_value *bias = spread(edit, layout->bias, count_of(edit, layout->bias));
    const struct qd_value *a_in[QD_MAX_OPERANDS] = {edit->in[A], spread(edit, layout->a_scale, 1),
                                                    spread(edit, layout->a_zero, 1)};
    const struct qd_value *b_in[QD_MAX_OPERANDS] = {
        edit->in[B], spread(edit, layout->b_scale, count), spread(edit, layout->b_zero, count)};
    const struct qd_value *product_in[QD_MAX_OPERANDS] = {&a, &b};
    const struct qd_value *sum_in[QD_MAX_OPERANDS] = {&product, bias};
    const struct qd_attr rows = {.name = "axis", .kind = QD_ATTR_INT},
                         columns = {.name = "axis",
                                    .kind = QD_ATTR_INT,
                                    .i = (int64_t)edit->in[B]->want.rank - 1};
    enum qd_status status = QD_OK;
    if (layout->a_scale >= 0)
        status = qd_in_floats_call(self, edit, "DequantizeLinear", &rows, a_in, &a);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "DequantizeLinear", &columns, b_in, &b);
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, "MatMul", NULL, product_in, bias ? &product : out);
    return status == QD_OK && bias ? qd_in_floats_call(self, edit, "Add", NULL, sum_in, out)
                                   : status;
}

/* In float32, and where y is narrower, rounded to its type once. */
static enum qd_status compute(const struct qd_override *self, struct qd_edit *edit,
                              const struct layout *layout, enum qd_dtype y, struct qd_value *out)
{
    struct qd_value wide;
    const struct qd_value *in[QD_MAX_OPERANDS] = {&wide};
    const struct qd_attr to = {.name = "to", .kind = QD_ATTR_INT, .i = qd_dtype_info(y)->onnx};
    if (y == QD_F32)
        return multiply(self, edit, layout, out);
    enum qd_status status = multiply(self, edit, layout, &wide);
    return status == QD_OK ? qd_in_floats_call(self, edit, "Cast", &to, in, out) : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    const struct layout *layout = NULL;
    /* What is wrong with the node is for its operator to say. */
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(node->op_type, layouts[i].op_type) == 0)
            layout = &layouts[i];
    if (status != QD_OK || !layout)
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    return compute(self, &edit, layout, out->want.dtype, out);
}

const struct qd_override qd_quirk_product_in_floats = {.node = evaluate};
