/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated QuantizeLinear and DequantizeLinear cases have in common: a shape, a
 * granularity, and one scale and zero point per slot (tensor, index of the axis, or block). */
#ifndef QDIFF_FAMILIES_LINEAR_DRAFT_H
#define QDIFF_FAMILIES_LINEAR_DRAFT_H

#include "qdiff/build.h"
#include "qdiff/covering.h"
#include "qdiff/random.h"
#include "qdiff/suite.h"

/* Words of the factors that both operators share, in the order of their levels. */
#define QD_OPSET_WORDS "opset10", "opset13", "opset19", "opset21", "opset23", "opset24", "opset25"

enum qd_linear_granularity {
    QD_PER_TENSOR_SCALAR,
    QD_AXIS_DEFAULT, /* no attribute: axis 1 */
    QD_AXIS_FIRST,
    QD_AXIS_NEGATIVE, /* the last one, counted from the back */
    QD_BLOCKS,        /* even blocks along the last axis */
    QD_BLOCKS_RAGGED, /* along the first axis, the last block shorter */
    QD_BLOCKS_ONE     /* one block along the last axis */
};
#define QD_GRANULARITY_WORDS \
    NULL, "axis", "axis_first", "axis_negative", "blocks", "ragged", "one_block"
#define QD_GRANULARITY_VECTORS 0x7e /* needs an axis */
#define QD_GRANULARITY_AXES 0x0e
#define QD_GRANULARITY_BLOCKS 0x70

/* Ranks 0 to 4: 1 or 256 elements. */
#define QD_RANK_WORDS "0d", "1d", "2d", "3d", "4d"

struct qd_linear_draft {
    int64_t opset;
    unsigned rank;
    int64_t dims[4];
    enum qd_linear_granularity granularity;
    int64_t axis, block; /* axis as a position; block 0: not blocked */
    unsigned scale_rank;
    int64_t scale_dims[4], slots;
};

/* Shapes and granularity of a draft; opset, rank and granularity are levels as above. */
struct qd_linear_draft qd_linear_draft_make(unsigned opset, unsigned rank, unsigned granularity);

/* The slot of element i (row-major). */
int64_t qd_linear_slot(const struct qd_linear_draft *draft, int64_t i);

/* A zeroed tensor of the data's or the parameters' shape. */
enum qd_status qd_linear_data(const struct qd_linear_draft *draft, struct qd_arena *arena,
                              enum qd_dtype dtype, struct qd_tensor *tensor,
                              struct qd_error *error);
enum qd_status qd_linear_parameter(const struct qd_linear_draft *draft, struct qd_arena *arena,
                                   enum qd_dtype dtype, struct qd_tensor *tensor,
                                   struct qd_error *error);

/* The attributes axis and block_size, where the granularity needs them. */
void qd_linear_attributes(const struct qd_linear_draft *draft, struct qd_builder *builder);

/* A positive value of a float type: mantissa (random, or 1 or 3) times 2^exponent; exactly
 * representable. */
double qd_linear_scale(enum qd_dtype dtype, bool simple, int exponent, struct qd_random *random);

/* Bits of precision of a float type (24 for f32; 1 for f8e8m0). */
unsigned qd_linear_precision(enum qd_dtype dtype);

#endif
