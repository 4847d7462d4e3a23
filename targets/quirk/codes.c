/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/codes.h"

#include "qdiff/broadcast.h"
#include "quirk/edit.h"

enum { CODES, ZERO_POINT = 2, OPERAND };

static int64_t code_of(const struct qd_value *const *in, const struct qd_tensor *y, int64_t i)
{
    const struct qd_tensor *codes = &in[CODES]->want;
    int64_t at = qd_broadcast_element(codes, y, i);
    return qd_tensor_get(codes, at) - (int64_t)qd_parameter_at(in[ZERO_POINT], 0);
}

enum qd_status qd_code_set(struct qd_evaluation *evaluation, struct qd_value *y, int64_t i,
                           int64_t code)
{
    const struct qd_dtype_info *type = qd_dtype_info(y->want.dtype);
    code = code < type->min ? type->min : code > type->max ? type->max : code;
    return qd_value_set_code(y, i, (struct qd_code){.want = code, .lo = code, .hi = code},
                             evaluation->arena, evaluation->error);
}

enum qd_status qd_codes_set(struct qd_evaluation *evaluation, const struct qd_value *const *in,
                            int count, qd_code_function *f, const void *context, struct qd_value *y)
{
    int64_t zero_point = (int64_t)qd_parameter_at(in[OPERAND * count + 1], 0);
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        int64_t a = code_of(in, &y->want, i);
        int64_t b = count > 1 ? code_of(in + OPERAND, &y->want, i) : 0;
        status = qd_code_set(evaluation, y, i, f(context, a, b) + zero_point);
    }
    return status;
}
