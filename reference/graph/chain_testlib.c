/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/chain_testlib.h"

#include <string.h>

int chain_begin(void **state)
{
    static struct chain chain;
    memset(&chain, 0, sizeof chain);
    qd_arena_init(&chain.arena, QD_ARENA_DEFAULT_BUDGET);
    *state = &chain;
    return 0;
}

int chain_end(void **state)
{
    struct chain *chain = *state;
    qd_arena_clear(&chain->arena);
    return 0;
}

struct qd_value chain_vector(struct chain *chain, enum qd_dtype dtype, unsigned rank,
                             const int64_t *dims, const double *numbers)
{
    struct qd_value v;
    assert_int_equal(qd_value_init(&v, &chain->arena, dtype, rank, dims, &chain->error), QD_OK);
    for (int64_t i = 0; i < v.want.count; i++)
        qd_tensor_set(&v.want, i,
                      qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, numbers[i], false)
                                               : (int64_t)numbers[i]);
    return v;
}

struct qd_value chain_scalar(struct chain *chain, enum qd_dtype dtype, double number)
{
    return chain_vector(chain, dtype, 0, NULL, &number);
}

struct qd_value chain_apply_all(struct chain *chain, const char *op, const struct qd_attr *attrs,
                                size_t attr_count, const struct qd_value *const *in)
{
    struct qd_evaluation evaluation = {.semantics = &chain->semantics,
                                       .arena = &chain->arena,
                                       .error = &chain->error,
                                       .keep_reals = true};
    struct qd_node node = {.name = "",
                           .domain = "",
                           .op_type = op,
                           .opset = 13,
                           .op = qd_op_find("", op),
                           .attrs = (struct qd_attr *)(uintptr_t)attrs,
                           .attr_count = attr_count};
    struct qd_value out[QD_MAX_OPERANDS];
    assert_non_null(node.op);
    if (node.op->evaluate(&evaluation, &node, in, out) != QD_OK)
        fail_msg("%s: %s", op, chain->error.text);
    return out[0];
}

struct qd_value chain_apply(struct chain *chain, const char *op, const struct qd_attr *attr,
                            const struct qd_value *a, const struct qd_value *b,
                            const struct qd_value *c)
{
    const struct qd_value *in[QD_MAX_OPERANDS] = {a, b, c};
    return chain_apply_all(chain, op, attr, attr != NULL, in);
}
