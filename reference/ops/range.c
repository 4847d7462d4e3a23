/* SPDX-License-Identifier: Apache-2.0 */
/* Range
 *
 * Source      ONNX Range-11.
 * Inputs      start, limit, delta: scalars of one type, s16 s32 s64; f32 and f64 are UNSUPPORTED.
 * Outputs     output of that type [n].
 * Domain      rules start-type, limit-type, delta-type, start-shape, limit-shape, delta-shape.
 * Arithmetic  n = max(ceil((limit − start)/delta), 0), output[i] = start + i·delta, all exact.
 * Edge cases  delta = 0: UNSUPPORTED, the specification does not say.
 * Latitude    None. */
#include "graph/operand_checks.h"

enum { START, LIMIT, DELTA, INPUTS };
static const char *const names[INPUTS] = {"start", "limit", "delta"};

/* Of limit − start and delta > 0, neither of which overflows as an unsigned number. */
static uint64_t steps(uint64_t distance, uint64_t delta)
{
    return (distance - 1) / delta + 1;
}

static uint64_t count_of(int64_t start, int64_t limit, int64_t delta)
{
    if (delta > 0)
        return limit > start ? steps((uint64_t)limit - (uint64_t)start, (uint64_t)delta) : 0;
    return limit < start ? steps((uint64_t)start - (uint64_t)limit, 0 - (uint64_t)delta) : 0;
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_value *const *in)
{
    const struct qd_tensor *start = &in[START]->want;
    uint32_t integers = QD_TYPE_BIT(QD_S16) | QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    enum qd_status status = qd_operand_type(evaluation, node, "start", start,
                                            integers | QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F64));
    for (int i = 0; status == QD_OK && i < INPUTS; i++) {
        status = qd_same_type(evaluation, node, names[i], &in[i]->want, start);
        if (status == QD_OK)
            status = qd_parameter_shape(evaluation, node, names[i], &in[i]->want, QD_ONE_FOR_ALL);
    }
    if (status == QD_OK && qd_dtype_is_float(start->dtype))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Range of %s",
                       qd_dtype_info(start->dtype)->word);
    return status == QD_OK ? qd_operands_are_points(evaluation, node, in, INPUTS) : status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_value y;
    int64_t number[INPUTS];
    enum qd_status status = check(evaluation, node, in);
    for (int i = 0; status == QD_OK && i < INPUTS; i++)
        number[i] = qd_tensor_get(&in[i]->want, 0);
    if (status == QD_OK && number[DELTA] == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Range: delta is 0");
    uint64_t many = status == QD_OK ? count_of(number[START], number[LIMIT], number[DELTA]) : 0;
    int64_t count = many > INT64_MAX ? INT64_MAX : (int64_t)many;
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, in[START]->want.dtype, 1, &count,
                               evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, (double)count);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        qd_tensor_set(&y.want, i,
                      (int64_t)((uint64_t)number[START] + (uint64_t)i * (uint64_t)number[DELTA]));
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_range = {
    .domain = "",
    .name = "Range",
    .since = 11,
    .min_inputs = INPUTS,
    .max_inputs = INPUTS,
    .outputs = 1,
    .form = QD_FORM_MANY,
    .operands = "start,limit,delta",
    .clause =
        "11: Generate a tensor containing a sequence of numbers that begin at start and extends "
        "by increments of delta up to limit (exclusive).",
    .attributes = "",
    .rules = "start-type,limit-type,delta-type,start-shape,limit-shape,delta-shape",
    .evaluate = evaluate,
};
