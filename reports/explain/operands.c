/* SPDX-License-Identifier: Apache-2.0 */
/* A step's operands by the roles that the operator's row gives them. */
#include "explain/explain.h"
#include "qdiff/broadcast.h"
#include "text/describe.h"

int qd_step_find(const struct qd_step *step, enum qd_role role)
{
    return qd_op_operand(step->node->op, role);
}

const struct qd_value *qd_step_operand(const struct qd_step *step, int operand)
{
    return operand < 0 || operand >= QD_MAX_OPERANDS ? NULL : step->in[operand];
}

const char *qd_step_name(const struct qd_explanation *explanation, const struct qd_step *step,
                         int operand)
{
    size_t length;
    const char *name =
        operand < 0 ? "" : qd_op_operand_name(step->node->op, (size_t)operand, &length);
    const char *text =
        *name ? qd_arena_printf(explanation->arena, "%.*s", (int)length, name) : NULL;
    return text ? text : "operand";
}

int qd_step_parameter_number(const struct qd_step *step, int owner, enum qd_role role)
{
    return qd_op_parameter(step->node->op, owner, role);
}

const struct qd_value *qd_step_parameter(const struct qd_step *step, int owner, enum qd_role role)
{
    return qd_step_operand(step, qd_step_parameter_number(step, owner, role));
}

double qd_explain_number(const struct qd_value *parameter, int64_t i, double otherwise)
{
    if (!parameter || parameter->want.count == 0)
        return otherwise;
    return qd_tensor_value(&parameter->want, parameter->want.count == 1 ? 0 : i);
}

int64_t qd_step_place(const struct qd_step *step, int operand, const struct qd_tensor *out,
                      int64_t i)
{
    const struct qd_value *value = qd_step_operand(step, operand);
    if (!value || !qd_broadcast_fits(value->want.rank, value->want.dims, out->rank, out->dims))
        return -1;
    return qd_broadcast_index(value->want.rank, value->want.dims, out->rank, out->dims, i);
}

const char *qd_explain_place(const struct qd_explanation *explanation, const struct qd_step *step,
                             int operand, int64_t i)
{
    const struct qd_tensor *tensor = &qd_step_operand(step, operand)->want;
    const char *text =
        qd_arena_printf(explanation->arena, "%s%s", qd_step_name(explanation, step, operand),
                        qd_describe_place(tensor, i, explanation->arena));
    return text ? text : "";
}

const char *qd_explain_text(const struct qd_explanation *explanation,
                            const struct qd_tensor *tensor, int64_t i)
{
    char number[40];
    const char *text = qd_arena_printf(
        explanation->arena, "%s",
        qd_describe_number(tensor->dtype, qd_tensor_value(tensor, i), number, sizeof number));
    return text ? text : "";
}

struct qd_explain_code qd_explain_code_of(const struct qd_step *step, int operand, int64_t i)
{
    const struct qd_value *scale = qd_step_parameter(step, operand, QD_ROLE_SCALE);
    double zero_point =
        qd_explain_number(qd_step_parameter(step, operand, QD_ROLE_ZERO_POINT), 0, 0);
    return (struct qd_explain_code){
        .code = qd_tensor_value(&qd_step_operand(step, operand)->want, i) - zero_point,
        .zero_point = zero_point,
        .scale = qd_explain_number(scale, 0, 1),
        .scaled = scale != NULL};
}
