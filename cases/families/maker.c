/* SPDX-License-Identifier: Apache-2.0 */
#include "families/maker.h"

struct qd_maker qd_maker_begin(struct qd_arena *arena, int64_t opset, struct qd_error *error)
{
    struct qd_maker maker = {arena, error, qd_build_begin(arena, opset), QD_OK};
    if (!maker.builder)
        maker.status = qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    return maker;
}

struct qd_tensor qd_maker_tensor(struct qd_maker *maker, enum qd_dtype dtype, unsigned rank,
                                 const int64_t *dims)
{
    struct qd_tensor t = {0};
    if (maker->status == QD_OK)
        maker->status = qd_tensor_init(&t, maker->arena, dtype, rank, dims, maker->error);
    return t;
}

void qd_maker_set(const struct qd_tensor *tensor, int64_t i, double x)
{
    enum qd_dtype dtype = tensor->dtype;
    if (qd_dtype_is_float(dtype))
        qd_tensor_set(
            tensor, i,
            (int64_t)qd_float_encode(dtype, qd_float_round(dtype, QD_NEAREST_EVEN, x), true));
    else
        qd_tensor_set(tensor, i, (int64_t)x);
}

void qd_maker_add(struct qd_maker *maker, const char *name, const struct qd_tensor *tensor,
                  bool run)
{
    if (maker->status == QD_OK)
        qd_build_tensor(maker->builder, name, tensor, run);
}

enum qd_status qd_maker_finish(struct qd_maker *maker, const char *slug, const char *tag,
                               const char *spec, struct qd_case *kase)
{
    if (maker->status != QD_OK)
        return maker->status;
    qd_build_tag(maker->builder, tag);
    qd_build_origin(maker->builder, spec, "", "");
    return qd_build_finish(maker->builder, slug, true, kase, maker->error);
}
