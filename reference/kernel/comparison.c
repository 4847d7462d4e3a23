/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of numbers that are known as intervals. */
#include "kernel/comparison.h"

#include <math.h>

#include "graph/operand_checks.h"
#include "qdiff/broadcast.h"
#include "qdiff/interval.h"

/* Which answers two numbers can give, each somewhere in its interval. */
struct answers {
    bool yes, no;
};

static struct answers relate(enum qd_relation relation, struct qd_interval a, struct qd_interval b)
{
    switch (relation) {
    case QD_IS_LESS: return (struct answers){a.lo < b.hi, a.hi >= b.lo};
    case QD_IS_GREATER: return relate(QD_IS_LESS, b, a);
    default:
        return (struct answers){a.lo <= b.hi && b.lo <= a.hi,
                                !(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo)};
    }
}

static bool is_nan(const struct qd_value *value, int64_t i)
{
    return (qd_value_flags(value, i) & QD_NOT_NUMBER) != 0 ||
           (qd_dtype_is_float(value->want.dtype) && isnan(qd_tensor_value(&value->want, i)));
}

static struct qd_interval sign_of(int64_t a, int64_t b)
{
    double sign = a < b ? -1 : a > b;
    return (struct qd_interval){sign, sign};
}

/* Integers beyond 2^53 are no doubles: points are compared as they are. */
static struct qd_code compare(enum qd_relation relation, const struct qd_value *a, int64_t ia,
                              const struct qd_value *b, int64_t ib)
{
    if (is_nan(a, ia) || is_nan(b, ib))
        return (struct qd_code){0};
    struct qd_interval x = qd_interval_fused(a, ia, false), y = qd_interval_fused(b, ib, false),
                       exact_x = qd_value_exact(a, ia), exact_y = qd_value_exact(b, ib);
    bool integers = qd_dtype_is_integer(a->want.dtype);
    if (integers && qd_value_is_point(a, ia) && qd_value_is_point(b, ib)) {
        x = exact_x = sign_of(qd_tensor_get(&a->want, ia), qd_tensor_get(&b->want, ib));
        y = exact_y = (struct qd_interval){0, 0};
    } else if (integers && fmax(qd_interval_magnitude(x), qd_interval_magnitude(y)) > 0x1p53) {
        return (struct qd_code){.hi = 1, .flags = QD_UNSPECIFIED};
    }
    struct answers seen = relate(relation, x, y), meant = relate(relation, exact_x, exact_y);
    return (struct qd_code){.want = meant.yes,
                            .lo = !seen.no,
                            .hi = seen.yes,
                            .flags = meant.yes && meant.no ? QD_NO_CANONICAL : 0};
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *a, const struct qd_tensor *b, uint32_t types,
                            unsigned *rank, int64_t *dims)
{
    enum qd_status status = qd_operand_type(evaluation, node, "A", a, types);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "B", b, a);
    if (status != QD_OK)
        return status;
    if (a->dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of f64", node->op_type);
    if (node->opset < 7 && !qd_tensor_same_shape(a, b))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s-%lld: broadcasting before opset 7",
                       node->op_type, (long long)node->opset);
    if (!qd_broadcast_shape(a->rank, a->dims, b->rank, b->dims, rank, dims))
        return qd_node_rule(evaluation, node, "broadcast", "the operands' shapes do not broadcast");
    return QD_OK;
}

uint32_t qd_comparison_types(int64_t opset)
{
    uint32_t types =
        QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64) | QD_INTEGER_TYPES;
    return opset >= 13 ? types | QD_TYPE_BIT(QD_BF16) : types;
}

enum qd_status qd_compare_operands(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   uint32_t types, enum qd_relation relation, struct qd_value *y)
{
    const struct qd_value *a = in[0], *b = in[1];
    unsigned rank = 0;
    int64_t dims[QD_MAX_RANK] = {0};
    struct qd_value made;
    enum qd_status status = check(evaluation, node, &a->want, &b->want, types, &rank, dims);
    if (status == QD_OK)
        status = qd_value_init(&made, evaluation->arena, QD_BOOL, rank, dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < made.want.count; i++) {
        int64_t ia = qd_broadcast_index(a->want.rank, a->want.dims, rank, dims, i);
        int64_t ib = qd_broadcast_index(b->want.rank, b->want.dims, rank, dims, i);
        bool open = ((qd_value_flags(a, ia) | qd_value_flags(b, ib)) & QD_UNSPECIFIED) != 0;
        struct qd_code code = open ? (struct qd_code){.hi = 1, .flags = QD_UNSPECIFIED}
                                   : compare(relation, a, ia, b, ib);
        status = qd_value_set_code(&made, i, code, evaluation->arena, evaluation->error);
    }
    if (status == QD_OK)
        *y = made;
    return status;
}
