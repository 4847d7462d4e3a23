/* QLinearMul: a product of two quantized tensors: shapes that broadcast, zero points at ends and inside, relative scales, times solved
 * values; at full also all pairs of codes. */
#include "families/qlinear_binary.h"

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    return qd_qlinear_binary_make("QLinearMul", true, row, values, draw, arena, kase, error);
}

static enum qd_status sweep(enum qd_dtype type, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    return qd_qlinear_binary_sweep("QLinearMul", true, type, arena, kase, error);
}

static enum qd_status generate(enum qd_level level, qd_case_visitor *visit, void *context,
                               struct qd_error *error)
{
    static const struct qd_linear_family family = {&qd_qlinear_binary_table, QD_QLINEAR_VALUES,
                                                   qd_qlinear_binary_applies, make, sweep};
    return qd_linear_generate(&family, level, visit, context, error);
}

const struct qd_family qd_family_qlinear_mul = {
    "QLinearMul",
    "a product of two quantized tensors: shapes, zero points and scales, times solved values",
    generate,
    &qd_qlinear_binary_table,
    3,
};
