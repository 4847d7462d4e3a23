/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/integer_sum.h"

#include <math.h>

#include "graph/operand_checks.h"
#include "qdiff/interval.h"

#define MOST 0x1p62 /* of a total that an int64_t holds, whatever a double rounded */

bool qd_is_summed_integer(const struct qd_tensor *tensor)
{
    return (QD_WIDE_INTEGERS & QD_TYPE_BIT(tensor->dtype)) != 0;
}

void qd_integer_sum_product(struct qd_integer_sum *sum, int64_t a, int64_t b)
{
    sum->magnitude += fabs((double)a) * fabs((double)b);
    if (sum->magnitude < MOST)
        sum->total += a * b;
}

void qd_integer_sum_scale(struct qd_integer_sum *sum, int64_t factor)
{
    /* A sum that is out of its type before it is multiplied by 0 is no better for that. */
    sum->magnitude *= fmax(fabs((double)factor), 1);
    if (sum->magnitude < MOST)
        sum->total *= factor;
}

static bool is_specified(const struct qd_integer_sum *sum, enum qd_dtype type)
{
    return sum->magnitude < MOST && sum->magnitude <= (double)qd_dtype_info(type)->max;
}

enum qd_status qd_integer_sum_store(const struct qd_evaluation *evaluation,
                                    const struct qd_integer_sum *sum, struct qd_value *y, int64_t i)
{
    return qd_integer_sum_store_mean(evaluation, sum, 1, y, i);
}

enum qd_status qd_integer_sum_store_mean(const struct qd_evaluation *evaluation,
                                         const struct qd_integer_sum *sum, int64_t terms,
                                         struct qd_value *y, int64_t i)
{
    if (!is_specified(sum, y->want.dtype))
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    int64_t towards_zero = sum->total / terms, rest = sum->total % terms;
    struct qd_code code = {.want = towards_zero, .lo = towards_zero, .hi = towards_zero};
    code.lo -= rest < 0;
    code.hi += rest > 0;
    code.flags = rest ? QD_NO_CANONICAL : 0;
    return qd_value_set_code(y, i, code, evaluation->arena, evaluation->error);
}
