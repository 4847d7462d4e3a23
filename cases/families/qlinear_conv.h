/* SPDX-License-Identifier: Apache-2.0 */
/* The feature table of the generated QLinearConv cases, and how its rows become drafts: for the
 * other integer operators and the test that measures the coverage. */
#ifndef QDIFF_FAMILIES_QLINEAR_CONV_H
#define QDIFF_FAMILIES_QLINEAR_CONV_H

#include "families/conv_draft.h"
#include "qdiff/build.h"
#include "qdiff/covering.h"

enum qd_conv_factor {
    QD_CONV_TYPES,
    QD_CONV_RANK,
    QD_CONV_GROUP,
    QD_CONV_W_SHAPE,
    QD_CONV_W_ZERO,
    QD_CONV_X_SHAPE,
    QD_CONV_X_ZERO,
    QD_CONV_Y_ZERO,
    QD_CONV_KERNEL,
    QD_CONV_PADS,
    QD_CONV_STRIDE,
    QD_CONV_DILATION,
    QD_CONV_BIAS,
    QD_CONV_BINDING,
    QD_CONV_BATCH,
    QD_CONV_SIZE,
    QD_CONV_FACTORS
};

extern const struct qd_factor_table qd_qlinear_conv_table;

/* Everything a row says: shape, types and zero points. */
struct qd_conv_draft qd_qlinear_conv_draft(const uint8_t *row, struct qd_random *random);

/* Types and zero points only, for as many filters as the draft has. */
void qd_conv_draft_zeros(struct qd_conv_draft *draft, const uint8_t *row, struct qd_random *random);

/* Room in the arena for x, w and the sums. */
enum qd_status qd_conv_draft_room(struct qd_conv_draft *draft, struct qd_arena *arena,
                                  struct qd_error *error);

/* The convolution's attributes, for the node added last. */
void qd_qlinear_conv_attributes(struct qd_builder *builder, const struct qd_conv_draft *draft,
                                const uint8_t *row);

#endif
