/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/operand_checks.h"

#include <math.h>
#include <stdio.h>

enum qd_status qd_parameter_shape(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name,
                                  const struct qd_tensor *tensor, int64_t channels)
{
    if (tensor->rank == 0 || (tensor->rank == 1 && tensor->count == 1))
        return QD_OK;
    if (channels > 0 && tensor->rank == 1 && tensor->count == channels)
        return QD_OK;
    if (channels == 0 && tensor->rank == 1 && tensor->count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: %s for each of no channels",
                       node->op_type, name);
    char slug[40], text[128];
    snprintf(slug, sizeof slug, "%s-shape", name);
    qd_tensor_describe(tensor, text, sizeof text);
    if (channels > 0)
        return qd_node_rule(evaluation, node, slug, "%s is %s, want a scalar, [1] or [%lld]", name,
                            text, (long long)channels);
    return qd_node_rule(evaluation, node, slug, "%s is %s, want a scalar or [1]", name, text);
}

static bool single(const struct qd_tensor *t)
{
    return t->rank <= 1 && t->count == 1;
}

enum qd_status qd_pair_shape(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             const char *scale_name, const struct qd_tensor *scale,
                             const char *zero_name, const struct qd_tensor *zero_point)
{
    if (qd_tensor_same_shape(scale, zero_point) || (single(scale) && single(zero_point)))
        return QD_OK;
    char slug[40];
    snprintf(slug, sizeof slug, "%s-shape", zero_name);
    return qd_node_rule(evaluation, node, slug, "%s and %s have different shapes", scale_name,
                        zero_name);
}

enum qd_status qd_operand_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                               const char *name, const struct qd_tensor *tensor, uint32_t mask)
{
    if (mask & QD_TYPE_BIT(tensor->dtype))
        return QD_OK;
    char slug[40];
    snprintf(slug, sizeof slug, "%s-type", name);
    return qd_node_rule(evaluation, node, slug, "%s is %s, which the operator does not take", name,
                        qd_dtype_info(tensor->dtype)->word);
}

enum qd_status qd_real_operand_type(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const char *name,
                                    const struct qd_tensor *tensor, int64_t bf16_since)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    types |= node->opset >= bf16_since ? QD_TYPE_BIT(QD_BF16) : 0;
    if (tensor->dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of f64", node->op_type);
    return qd_operand_type(evaluation, node, name, tensor, types);
}

enum qd_status qd_same_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *name, const struct qd_tensor *tensor,
                            const struct qd_tensor *of)
{
    if (tensor->dtype == of->dtype)
        return QD_OK;
    char slug[40];
    snprintf(slug, sizeof slug, "%s-type", name);
    return qd_node_rule(evaluation, node, slug, "%s is %s, want %s", name,
                        qd_dtype_info(tensor->dtype)->word, qd_dtype_info(of->dtype)->word);
}

static bool all_points(const struct qd_value *value)
{
    for (int64_t i = 0; i < value->want.count; i++)
        if (!qd_value_is_point(value, i) ||
            qd_value_flags(value, i) & (QD_UNSPECIFIED | QD_NO_CANONICAL))
            return false;
    return true;
}

enum qd_status qd_operands_are_points(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_value *const *in,
                                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (in[i] && (in[i]->lo || in[i]->flags) && !all_points(in[i]) &&
            !qd_sample_doubts(evaluation))
            return qd_fail(evaluation->error, QD_UNSUPPORTED,
                           "%s: input %zu has more than one admissible value", node->op_type, i);
    return QD_OK;
}

bool qd_parameter_is_zero(const struct qd_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++)
        if (qd_tensor_value(tensor, i) != 0)
            return false;
    return true;
}

bool qd_scale_is_power_of_two(double s)
{
    int exponent;
    return fabs(frexp(s, &exponent)) == 0.5;
}

double qd_parameter(const struct qd_tensor *tensor, int64_t c)
{
    return qd_tensor_value(tensor, tensor->count == 1 ? 0 : c);
}

bool qd_float8_infinity_is_open(enum qd_dtype type, bool saturate, int64_t opset)
{
    bool fnuz = type == QD_F8E4M3FNUZ || type == QD_F8E5M2FNUZ;
    return fnuz && saturate && opset < 24;
}
