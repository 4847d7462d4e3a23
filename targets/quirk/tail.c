/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/tail.h"

static struct qd_source choose(const void *context, int64_t i)
{
    const int64_t *whole = context;
    return (struct qd_source){i >= *whole, i};
}

enum qd_status qd_join_tail(struct qd_evaluation *evaluation, const struct qd_value *vector,
                            const struct qd_value *tail, int64_t width, struct qd_value *out)
{
    const struct qd_value *answers[] = {vector, tail};
    const int64_t whole = vector->want.count / width * width;
    return qd_move(evaluation, answers, 2, vector->want.rank, vector->want.dims, choose, &whole,
                   out);
}
