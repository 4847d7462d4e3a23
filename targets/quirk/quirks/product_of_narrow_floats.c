/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-of-narrow-floats": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/dequantize.h"
#include "quirk/edit.h"

enum { A, A_SCALE, A_ZERO_POINT, B, B_SCALE, B_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

#define OPSET 13 /* of MatMul */

struct range {
    float low, high, least, greatest;
};

static bool is_one(const struct qd_value *value)
{
    return value && value->want.count == 1;
}

static bool is_concerned(const struct qd_value *const *in)
{
    enum qd_dtype type = in[A_SCALE]->want.dtype;
    bool narrow = type == QD_BF16 || type == QD_F16;
    for (int i = A_SCALE; i <= Y_ZERO_POINT; i++)
        narrow = narrow && (i == B || is_one(in[i]));
    return narrow;
}

/* Operand i as numbers, rounded to bfloat16 if the scales are that. */
static void make_real(struct qd_edit *edit, int i)
{
    const struct qd_tensor *from = &edit->in[i]->want;
    struct qd_tensor *to = qd_edit_new(edit, i, QD_F32, from->rank, from->dims);
    float scale = (float)qd_parameter_at(edit->in[i + 1], 0);
    float zero = (float)qd_parameter_at(edit->in[i + 2], 0);
    bool rounds = edit->in[i + 1]->want.dtype == QD_BF16;
    for (int64_t e = 0; to && e < to->count; e++) {
        double real = (double)(((float)qd_tensor_get(from, e) - zero) * scale);
        double made = rounds ? qd_float_round(QD_BF16, QD_NEAREST_EVEN, real) : real;
        qd_tensor_set(to, e, (int64_t)qd_float_encode(QD_F32, made, false));
    }
}

static float end(const struct qd_value *const *in, float code)
{
    float zero = (float)qd_parameter_at(in[Y_ZERO_POINT], 0);
    float exact = (float)qd_parameter_at(in[Y_SCALE], 0) * (code - zero);
    return in[Y_SCALE]->want.dtype == QD_BF16
               ? qd_bfloat16_half_to_odd(exact)
               : (float)qd_float_round(QD_F16, QD_NEAREST_EVEN, (double)exact);
}

static int64_t quantize(const struct range *range, float x)
{
    float steps = (range->greatest - range->least) / (range->high - range->low);
    float shift = range->low * steps, inside = fminf(fmaxf(x, range->low), range->high);
    float sum = rintf(fmaf(inside, steps, -shift)) + range->least;
    return isnan(sum) ? (int64_t)range->least
                      : (int64_t)fminf(fmaxf(sum, range->least), range->greatest);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value product;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || !is_concerned(in))
        return status;
    const struct qd_dtype_info *type = qd_dtype_info(out->want.dtype);
    struct range range = {end(in, (float)type->min), end(in, (float)type->max), (float)type->min,
                          (float)type->max};
    qd_edit_begin(&edit, evaluation, node, in);
    make_real(&edit, A);
    make_real(&edit, B);
    const struct qd_value *factors[QD_MAX_OPERANDS] = {edit.in[A], edit.in[B]};
    struct qd_node multiply = edit.node;
    multiply.op_type = "MatMul";
    multiply.op = qd_op_find("", "MatMul");
    multiply.opset = OPSET;
    multiply.input_count = 2;
    status = edit.status;
    if (status == QD_OK)
        status = qd_override_node(evaluation, self->next, &multiply, factors, &product);
    for (int64_t i = 0; status == QD_OK && i < out->want.count; i++)
        qd_tensor_set(&out->want, i, quantize(&range, (float)qd_tensor_value(&product.want, i)));
    qd_close_value(out);
    return status;
}

const struct qd_override qd_quirk_product_of_narrow_floats = {.node = evaluate};
