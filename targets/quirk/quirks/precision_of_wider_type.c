/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "precision-of-wider-type": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/granularity.h"
#include "quirk/codes.h"
#include "quirk/edit.h"

enum { X, SCALE, ZERO_POINT };

static bool is_concerned(const struct qd_edit *edit)
{
    int64_t given = 0;
    struct qd_error ignored;
    enum qd_dtype scale = edit->in[SCALE]->want.dtype;
    bool narrow = scale == QD_F16 || scale == QD_BF16;
    bool absent = qd_node_int(&edit->node, "precision", 0, &given, &ignored) == QD_OK && given == 0;
    return edit->node.opset >= 23 && absent && narrow && edit->in[X]->want.dtype != scale;
}

/* A quotient as int32, with the zero point, whose sum wraps. */
static int64_t sum_of(double quotient, double zero)
{
    double rounded = nearbyint(quotient);
    int64_t whole = fabs(rounded) < 0x1p31 ? (int64_t)rounded : INT32_MIN;
    return qd_dtype_wrap(whole + (int64_t)zero, QD_S32);
}

/* The codes of int32: the quotient is a double. */
static enum qd_status divide_in_double(struct qd_evaluation *evaluation, const struct qd_edit *edit,
                                       struct qd_value *y)
{
    const struct qd_tensor *x = &edit->in[X]->want, *s = &edit->in[SCALE]->want;
    const struct qd_value *zeros = edit->in[ZERO_POINT];
    struct qd_granularity parameters;
    enum qd_status status =
        qd_granularity_read(evaluation, &edit->node, x, s, zeros ? &zeros->want : NULL, "y_scale",
                            "y_zero_point", &parameters);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++) {
        int64_t p = qd_granularity_index(&parameters, i);
        double quotient = qd_tensor_value(x, i) / qd_tensor_value(s, p);
        if (!qd_value_flags(y, i))
            status = qd_code_set(evaluation, y, i, sum_of(quotient, qd_parameter_at(zeros, p)));
    }
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    bool concerned = is_concerned(&edit);
    if (concerned)
        qd_edit_int(&edit, "precision", qd_dtype_info(QD_F32)->onnx);
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status == QD_OK && concerned && in[X]->want.dtype == QD_S32 &&
        qd_dtype_is_integer(out->want.dtype))
        status = divide_in_double(evaluation, &edit, out);
    return status;
}

const struct qd_override qd_quirk_precision_of_wider_type = {.node = evaluate};
