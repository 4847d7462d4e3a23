/* SPDX-License-Identifier: Apache-2.0 */
#include "families/qdq_parts.h"

#include <stdio.h>

int64_t qd_qdq_zero_of(enum qd_dtype type, enum qd_qdq_zero zero, int64_t role)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    switch (zero) {
    case QD_QDQ_CODE_0: return 0;
    case QD_QDQ_MIDDLE: return (info->min + info->max + 1) / 2;
    case QD_QDQ_ODD: return info->min + 1 + 2 * ((37 * (role + 1) + 11) % 127);
    default: return role % 2 ? info->min : info->max;
    }
}

int64_t qd_qdq_clamp(enum qd_dtype type, int64_t code)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    return code < info->min ? info->min : code > info->max ? info->max : code;
}

void qd_qdq_put_list(struct qd_qdq_maker *m, const char *name, enum qd_dtype dtype, unsigned rank,
                     const int64_t *values, int64_t count)
{
    struct qd_tensor tensor;
    if (m->status == QD_OK)
        m->status = qd_tensor_init(&tensor, m->arena, dtype, rank, &count, m->error);
    if (m->status != QD_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&tensor, i, values[i]);
    qd_build_initializer(m->builder, name, &tensor);
}

int64_t qd_qdq_float_code(double value)
{
    return (int64_t)qd_float_encode(QD_F32, value, true);
}

static bool has_zero_point(const struct qd_grid *grid)
{
    return grid->type != QD_S32 && !grid->without_zero_point;
}

void qd_qdq_put_grid(struct qd_qdq_maker *m, const char *name, const struct qd_grid *grid)
{
    char text[32];
    int64_t scales[QD_QDQ_CHANNELS];
    unsigned rank = grid->count > 1;
    for (int64_t c = 0; c < grid->count; c++)
        scales[c] = qd_qdq_float_code(grid->scale[c]);
    snprintf(text, sizeof text, "%s_scale", name);
    qd_qdq_put_list(m, text, QD_F32, rank, scales, grid->count);
    snprintf(text, sizeof text, "%s_zero_point", name);
    if (has_zero_point(grid))
        qd_qdq_put_list(m, text, grid->type, rank, grid->zero, grid->count);
}

void qd_qdq_put_node(struct qd_qdq_maker *m, const char *op_type, const char *in, const char *out,
                     const char *parameters, const struct qd_grid *grid, int64_t axis)
{
    char inputs[80];
    if (!has_zero_point(grid))
        snprintf(inputs, sizeof inputs, "%s,%s_scale", in, parameters);
    else
        snprintf(inputs, sizeof inputs, "%s,%s_scale,%s_zero_point", in, parameters, parameters);
    qd_build_node(m->builder, "", op_type, inputs, out);
    if (grid->count > 1)
        qd_build_attr_int(m->builder, "axis", axis);
}

void qd_qdq_dequantize(struct qd_qdq_maker *m, const char *name, const struct qd_grid *grid,
                       int64_t axis)
{
    char out[16];
    snprintf(out, sizeof out, "%s_real", name);
    qd_qdq_put_grid(m, name, grid);
    qd_qdq_put_node(m, "DequantizeLinear", name, out, name, grid, axis);
}

void qd_qdq_quantize(struct qd_qdq_maker *m, const char *in, const char *name,
                     const struct qd_grid *grid)
{
    qd_qdq_put_grid(m, name, grid);
    qd_qdq_put_node(m, "QuantizeLinear", in, name, name, grid, 0);
}
