/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/reduction.h"

#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "kernel/integer_sum.h"
#include "kernel/maximum.h"
#include "qdiff/interval.h"
#include "qdiff/movement.h"

static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, const struct qd_value *value,
                                int64_t input_since, bool *reduced)
{
    struct qd_list axes;
    int64_t noop = 0;
    enum qd_status status =
        qd_list_read(evaluation, node, "axes", value, input_since, QD_TYPE_BIT(QD_S64), &axes);
    if (status == QD_OK)
        status = qd_node_int(node, "noop_with_empty_axes", 0, &noop, evaluation->error);
    if (status != QD_OK)
        return status;
    if (node->opset < input_since && axes.present && axes.count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: attribute axes without an axis",
                       node->op_type);
    for (unsigned i = 0; i < x->rank && axes.count == 0; i++)
        reduced[i] = noop == 0;
    for (size_t i = 0; status == QD_OK && i < axes.count; i++) {
        int64_t axis;
        status = qd_axis_read(evaluation, node, "axes-range", axes.values[i], x->rank, 11, &axis);
        if (status == QD_OK && reduced[axis])
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: axis %lld is named twice",
                           node->op_type, (long long)axis);
        if (status == QD_OK)
            reduced[axis] = true;
    }
    return status;
}

/* Positions of all combinations of the reduced axes' coordinates. */
static enum qd_status make_offsets(const struct qd_evaluation *evaluation,
                                   const struct qd_tensor *x, const int64_t *stride,
                                   const bool *reduced, struct qd_reduction *r)
{
    int64_t *offset = qd_arena_array(evaluation->arena, (size_t)r->terms, sizeof *offset);
    if (!offset && r->terms > 0)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld positions",
                       (long long)r->terms);
    for (int64_t t = 0; t < r->terms; t++) {
        int64_t rest = t, index = 0;
        for (unsigned i = x->rank; i-- > 0;) {
            if (!reduced[i])
                continue;
            index += rest % x->dims[i] * stride[i];
            rest /= x->dims[i];
        }
        offset[t] = index;
    }
    r->offset = offset;
    return QD_OK;
}

/* The output's axes, and the positions of each element's terms. */
static enum qd_status lay_out(const struct qd_evaluation *evaluation, const struct qd_tensor *x,
                              const bool *reduced, bool keep, struct qd_reduction *reduction)
{
    struct qd_reduction r = {.terms = 1};
    int64_t stride[QD_MAX_RANK];
    qd_strides_of(x, stride);
    for (unsigned i = 0; i < x->rank; i++) {
        r.terms *= reduced[i] ? x->dims[i] : 1;
        if (!reduced[i] || keep) {
            r.dims[r.rank] = reduced[i] ? 1 : x->dims[i];
            r.stride[r.rank++] = reduced[i] ? 0 : stride[i];
        }
    }
    enum qd_status status = qd_spend(evaluation, QD_WORK_POOL * (double)x->count);
    if (status == QD_OK)
        status = make_offsets(evaluation, x, stride, reduced, &r);
    if (status == QD_OK)
        *reduction = r;
    return status;
}

enum qd_status qd_reduction_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_value *axes,
                                 int64_t axes_input_since, struct qd_reduction *reduction)
{
    bool reduced[QD_MAX_RANK] = {false};
    int64_t keep = 1;
    enum qd_status status = read_axes(evaluation, node, x, axes, axes_input_since, reduced);
    if (status == QD_OK)
        status = qd_node_int(node, "keepdims", 1, &keep, evaluation->error);
    return status == QD_OK ? lay_out(evaluation, x, reduced, keep != 0, reduction) : status;
}

enum qd_status qd_reduction_of_channels(const struct qd_evaluation *evaluation,
                                        const struct qd_node *node, const struct qd_tensor *x,
                                        struct qd_reduction *reduction)
{
    bool reduced[QD_MAX_RANK] = {false};
    enum qd_status status = qd_real_operand_type(evaluation, node, "x", x, 22);
    if (status == QD_OK && x->rank < 3)
        status = qd_node_rule(evaluation, node, "x-rank",
                              "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    for (unsigned i = 2; i < x->rank; i++)
        reduced[i] = true;
    return status == QD_OK ? lay_out(evaluation, x, reduced, true, reduction) : status;
}

/* Index in the input of the first term of output element i. */
static int64_t first_term(const struct qd_reduction *r, int64_t i)
{
    int64_t index = 0;
    for (unsigned axis = r->rank; axis-- > 0;) {
        index += i % r->dims[axis] * r->stride[axis];
        i /= r->dims[axis];
    }
    return index;
}

/* How a sum of `terms` terms becomes an element. */
typedef enum qd_status store_sum(const struct qd_evaluation *evaluation, struct qd_float_sum *sum,
                                 int64_t terms, struct qd_value *y, int64_t i);

static enum qd_status store_itself(const struct qd_evaluation *evaluation, struct qd_float_sum *sum,
                                   int64_t terms, struct qd_value *y, int64_t i)
{
    (void)terms;
    return qd_float_sum_store(evaluation, sum, 0, y, i);
}

static enum qd_status store_mean(const struct qd_evaluation *evaluation, struct qd_float_sum *sum,
                                 int64_t terms, struct qd_value *y, int64_t i)
{
    if (terms == 0)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    return qd_float_sum_store_mean(evaluation, sum, terms, y, i);
}

static enum qd_status reduce_integers(const struct qd_evaluation *evaluation,
                                      const struct qd_reduction *r, const struct qd_value *x,
                                      bool mean, struct qd_value *out)
{
    struct qd_value y;
    enum qd_status status =
        qd_value_init(&y, evaluation->arena, x->want.dtype, r->rank, r->dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++) {
        struct qd_integer_sum sum = QD_INTEGER_SUM_EMPTY;
        int64_t first = first_term(r, i);
        for (int64_t t = 0; t < r->terms; t++)
            qd_integer_sum_product(&sum, qd_tensor_get(&x->want, first + r->offset[t]), 1);
        if (mean && r->terms == 0)
            status =
                qd_interval_store_flag(&y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
        else
            status = qd_integer_sum_store_mean(evaluation, &sum, mean ? r->terms : 1, &y, i);
    }
    if (status == QD_OK)
        *out = y;
    return status;
}

enum qd_status qd_reduction_sum_check(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_value *x)
{
    return qd_is_summed_integer(&x->want)
               ? qd_operands_are_points(evaluation, node, &x, 1)
               : qd_real_operand_type(evaluation, node, "data", &x->want, 13);
}

static enum qd_status reduce_sums(const struct qd_evaluation *evaluation,
                                  const struct qd_reduction *r, const struct qd_value *x,
                                  store_sum *store, struct qd_value *out)
{
    struct qd_value y;
    struct qd_float_operand terms;
    const struct qd_float_operand *operand = &terms;
    enum qd_status status =
        qd_value_init(&y, evaluation->arena, x->want.dtype, r->rank, r->dims, evaluation->error);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, x, &terms);
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, &operand, 1, &y);
    int64_t count = qd_sample_elements(evaluation, &y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        struct qd_float_sum sum = QD_FLOAT_SUM_OF_TERMS;
        int64_t first = first_term(r, i);
        for (int64_t t = 0; t < r->terms; t++)
            qd_float_sum_term(&sum, &terms, first + r->offset[t]);
        status = store(evaluation, &sum, r->terms, &y, i);
    }
    if (status == QD_OK)
        *out = y;
    return status;
}

enum qd_status qd_reduction_sum(const struct qd_evaluation *evaluation,
                                const struct qd_reduction *reduction, const struct qd_value *x,
                                struct qd_value *y)
{
    return qd_is_summed_integer(&x->want) ? reduce_integers(evaluation, reduction, x, false, y)
                                          : reduce_sums(evaluation, reduction, x, store_itself, y);
}

enum qd_status qd_reduction_mean(const struct qd_evaluation *evaluation,
                                 const struct qd_reduction *reduction, const struct qd_value *x,
                                 struct qd_value *y)
{
    return qd_is_summed_integer(&x->want) ? reduce_integers(evaluation, reduction, x, true, y)
                                          : reduce_sums(evaluation, reduction, x, store_mean, y);
}

enum qd_status qd_reduction_maximum(const struct qd_evaluation *evaluation,
                                    const struct qd_reduction *reduction, const struct qd_value *x,
                                    struct qd_value *y)
{
    struct qd_value made;
    enum qd_status status =
        qd_maximum_begin(evaluation, x, reduction->rank, reduction->dims, &made);
    int64_t count = qd_sample_floats(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        struct qd_maximum maximum = QD_MAXIMUM_EMPTY;
        int64_t first = first_term(reduction, i);
        for (int64_t t = 0; t < reduction->terms; t++)
            qd_maximum_include(&maximum, x, first + reduction->offset[t]);
        status = qd_maximum_store(evaluation, &maximum, x, &made, i);
    }
    if (status == QD_OK)
        *y = made;
    return status;
}
