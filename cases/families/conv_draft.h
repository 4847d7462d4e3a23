/* SPDX-License-Identifier: Apache-2.0 */
/* A quantized convolution being made up: its shape, codes, zero points and scales, before it is
 * a model. */
#ifndef QDIFF_FAMILIES_CONV_DRAFT_H
#define QDIFF_FAMILIES_CONV_DRAFT_H

#include <stdbool.h>

#include "families/scale.h"
#include "qdiff/random.h"
#include "qdiff/tensor.h"

#define QD_DRAFT_SPATIAL 3
#define QD_DRAFT_FILTERS 32

struct qd_conv_draft {
    /* Shape: x [batch, channels, in…], w [filters, channels/group, kernel…], y [batch, filters,
     * out…]. */
    unsigned spatial;
    int64_t batch, channels, filters, group;
    int64_t in[QD_DRAFT_SPATIAL], kernel[QD_DRAFT_SPATIAL], out[QD_DRAFT_SPATIAL];
    int64_t stride[QD_DRAFT_SPATIAL], dilation[QD_DRAFT_SPATIAL];
    int64_t pad_begin[QD_DRAFT_SPATIAL], pad_end[QD_DRAFT_SPATIAL];

    enum qd_dtype x_type, w_type, y_type; /* u8 or s8 */
    bool per_channel;                     /* one scale and zero point per filter, else entry 0 */
    bool has_bias;
    int64_t x_zero, y_zero, w_zero[QD_DRAFT_FILTERS];

    /* Filled by the value families. */
    struct qd_tensor x, w;
    int64_t bias[QD_DRAFT_FILTERS];
    struct qd_scale x_scale, y_scale, w_scale[QD_DRAFT_FILTERS];
    int64_t *
        acc; /* B[m] + Σ (x − x_zero)(w − w_zero[m]), like y; plane elements per filter and batch */
    int64_t plane;
};

/* Positions along one axis that the dilated kernel spans. */
int64_t qd_draft_span(const struct qd_conv_draft *draft, unsigned axis);

/* The sums of the draft's x and w, without bias, into draft->acc (batch·filters·plane entries). */
void qd_draft_accumulate(struct qd_conv_draft *draft);

/* Terms of a sum that qd_draft_large_sums needs. */
#define QD_DRAFT_LARGE_TERMS 260

/* Odd sums from 2^24 + 1, which float32 cannot hold: factors 0 to 255 over zero points at the lower
 * end. The kernel is 1 and channels/group at least QD_DRAFT_LARGE_TERMS. */
void qd_draft_large_sums(struct qd_conv_draft *draft);

/* How a case's numbers are chosen. */
struct qd_conv_values {
    const char *word;
    /* Whether the family has something to say about a draft with or without a bias. */
    bool needs_bias;
    /* Fills x, w, bias and the scales; false: this draw missed the family's point, try the next
     * one. acc, x and w have room. */
    bool (*choose)(struct qd_conv_draft *draft, struct qd_random *random);
};

enum {
    QD_CONV_RANDOM,
    QD_CONV_TIE,
    QD_CONV_NEAR_TIE,
    QD_CONV_SATURATION,
    QD_CONV_INT16_PAIRS,
    QD_CONV_LARGE_ACCUMULATOR,
    QD_CONV_EXTREME_SCALE,
    QD_CONV_VALUES
};
extern const struct qd_conv_values qd_conv_values[QD_CONV_VALUES];

#endif
