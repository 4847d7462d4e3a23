/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-to-normal-bfloat16": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"
#include "quirk/edit.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_BF16;
}

static double scale_of(double s)
{
    double rounded = qd_float_round(QD_BF16, QD_NEAREST_EVEN, s);
    return rounded == s ? s : qd_flush_subnormal(rounded);
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float code = qd_bfloat16_half_to_odd((float)q), zero = qd_bfloat16_half_to_odd((float)z);
    float difference = code - zero, product = difference * (float)scale_of(s);
    return qd_flush_subnormal((double)product);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as as = {
        .is_concerned = is_concerned, .number = number, .gives_nan = true};
    return qd_dequantize_as(&as, self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_dequantized_to_normal_bfloat16 = {.node = evaluate};
