/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of QLinearAdd and QLinearMul: the same shapes and parameters, other scales. */
#ifndef QDIFF_FAMILIES_QLINEAR_BINARY_H
#define QDIFF_FAMILIES_QLINEAR_BINARY_H

#include "families/qlinear_draft.h"

extern const struct qd_factor_table qd_qlinear_binary_table;

/* An absent zero point is said once for each row, by random values; other rows take turns. */
bool qd_qlinear_binary_applies(const uint8_t *row, size_t values, uint64_t draw);

/* One case of `op`. `product`: the output is a product, so that both operands stay small for ties. */
enum qd_status qd_qlinear_binary_make(const char *op, bool product, const uint8_t *row,
                                      size_t values, uint64_t draw, struct qd_arena *arena,
                                      struct qd_case *kase, struct qd_error *error);

/* All pairs of codes of a type, with ties at an odd zero point. */
enum qd_status qd_qlinear_binary_sweep(const char *op, bool product, enum qd_dtype type,
                                       struct qd_arena *arena, struct qd_case *kase,
                                       struct qd_error *error);

#endif
