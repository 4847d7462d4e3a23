/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-without-subnormals": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F32;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float difference = (float)q - (float)z, scale = (float)qd_flush_subnormal(s);
    float product = difference * scale;
    return qd_flush_subnormal((double)product);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as as = {.is_concerned = is_concerned, .number = number};
    return qd_dequantize_as(&as, self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_dequantized_without_subnormals = {.node = evaluate};
