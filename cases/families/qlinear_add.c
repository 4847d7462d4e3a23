/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearAdd: a sum of two quantized tensors: shapes that broadcast, zero points at ends and inside, relative scales,
 * times solved values; at full also all pairs of codes. */
#include "families/qlinear_binary.h"

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    return qd_qlinear_binary_make("QLinearAdd", false, row, values, draw, arena, kase, error);
}

static enum qd_status sweep(enum qd_dtype type, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    return qd_qlinear_binary_sweep("QLinearAdd", false, type, arena, kase, error);
}

const struct qd_family qd_family_qlinear_add = {
    .name = "QLinearAdd",
    .meaning =
        "a sum of two quantized tensors: shapes, zero points and scales, times solved values",
    .table = &qd_qlinear_binary_table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = qd_qlinear_binary_applies,
    .make = make,
    .sweep = sweep,
};
