/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the vendor's matrix products out of a convolution's draft with
 * kernel 1: x [1, K, M] is a, w [N, K] is b. */
#ifndef QDIFF_FAMILIES_VENDOR_MATMUL_H
#define QDIFF_FAMILIES_VENDOR_MATMUL_H

#include "families/conv_draft.h"
#include "families/maker.h"
#include "qdiff/covering.h"

enum qd_vendor_shape { QD_VENDOR_SCALAR, QD_VENDOR_COLUMNS };

/* a [M, K] or, transposed, [K, M], at run time; b [K, N] or [N, K]. */
void qd_vendor_add_a(struct qd_maker *maker, const struct qd_conv_draft *draft, bool transposed);
void qd_vendor_add_b(struct qd_maker *maker, const struct qd_conv_draft *draft, bool transposed,
                     bool run);

/* a_scale, times 2^doublings, and, if asked for, a_zero_point: scalars or [1]. */
void qd_vendor_add_a_parameters(struct qd_maker *maker, const struct qd_conv_draft *draft,
                                int doublings, bool zero_point, bool run);

/* b_scale and, if asked for, b_zero_point. */
void qd_vendor_add_b_parameters(struct qd_maker *maker, const struct qd_conv_draft *draft,
                                enum qd_vendor_shape shape, bool zero_point, bool run);

/* bias [N], eighths. */
void qd_vendor_add_bias(struct qd_maker *maker, const struct qd_conv_draft *draft,
                        struct qd_random *random);

/* The draft that `make` starts for a row, filled by `values` (NULL:
 * qd_vendor_large_sums), which may need several draws. */
typedef struct qd_conv_draft qd_vendor_draft(const uint8_t *row, struct qd_random *random);
enum qd_status qd_vendor_draw(qd_vendor_draft *make, const uint8_t *row,
                              const struct qd_conv_values *values, const char *slug,
                              uint64_t number, struct qd_arena *arena, struct qd_conv_draft *out,
                              struct qd_error *error);

/* Odd sums from 2^24 + 1 on; float32 makes of 2^24 + 1 another number, and with it another code or value. */
bool qd_vendor_large_sums(struct qd_conv_draft *draft, struct qd_random *random);

#endif
