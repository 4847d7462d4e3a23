/* SPDX-License-Identifier: Apache-2.0 */
/* QDQMovement: operators that move elements, on codes themselves and between DequantizeLinear and QuantizeLinear.
 * Eight-bit operands of 256 elements hold every code. Pairs of features at smoke, quadruples at full. */

#include <limits.h>
#include <stdio.h>

#include "families/qdq_blocks.h"

/* A node of `in` and up to two initializers named by `more`. */
static void put_node(struct qd_qdq_maker *m, const char *op_type, const char *in, const char *more,
                     const char *out)
{
    char inputs[64];
    snprintf(inputs, sizeof inputs, "%s%s", in, more);
    qd_build_node(m->builder, "", op_type, inputs, out);
}

#define PUT(name)                                                                      \
    static void put_##name(struct qd_qdq_maker *m, const char *in, const char *second, \
                           const char *out, int64_t opset, const char *zero)
#define UNUSED (void)second, (void)opset, (void)zero

/* Codes are padded with their zero point, which is the number 0. */
PUT(pad)
{
    static const int64_t pads[] = {0, 0, 1, 2, 0, 1, 0, 1};
    (void)second, (void)opset;
    qd_qdq_put_list(m, "pads", QD_S64, 1, pads, 8);
    put_node(m, "Pad", in, zero ? ",pads,zero" : ",pads", out);
}

PUT(pad_reflect)
{
    static const int64_t pads[] = {0, 0, 1, 2, 0, 1, 0, 1};
    UNUSED;
    qd_qdq_put_list(m, "pads", QD_S64, 1, pads, 8);
    put_node(m, "Pad", in, ",pads", out);
    qd_build_attr_string(m->builder, "mode", "reflect");
}

PUT(depth_to_space)
{
    UNUSED;
    put_node(m, "DepthToSpace", in, "", out);
    qd_build_attr_int(m->builder, "blocksize", 2);
}

PUT(depth_to_space_crd)
{
    UNUSED;
    put_node(m, "DepthToSpace", in, "", out);
    qd_build_attr_int(m->builder, "blocksize", 2);
    qd_build_attr_string(m->builder, "mode", "CRD");
}

PUT(space_to_depth)
{
    UNUSED;
    put_node(m, "SpaceToDepth", in, "", out);
    qd_build_attr_int(m->builder, "blocksize", 2);
}

PUT(tile)
{
    static const int64_t repeats[] = {1, 2, 1, 3};
    UNUSED;
    qd_qdq_put_list(m, "repeats", QD_S64, 1, repeats, 4);
    put_node(m, "Tile", in, ",repeats", out);
}

/* Every other column comes from the second operand. */
PUT(where)
{
    static const int64_t condition[] = {1, 0, 1, 0, 1, 0, 1, 0};
    char inputs[64];
    (void)opset, (void)zero;
    qd_qdq_put_list(m, "condition", QD_BOOL, 1, condition, 8);
    snprintf(inputs, sizeof inputs, "condition,%s,%s", in, second);
    qd_build_node(m->builder, "", "Where", inputs, out);
}

PUT(transpose)
{
    static const int64_t perm[] = {0, 2, 3, 1};
    UNUSED;
    put_node(m, "Transpose", in, "", out);
    qd_build_attr_ints(m->builder, "perm", perm, 4);
}

PUT(reshape)
{
    static const int64_t shape[] = {16, -1};
    UNUSED;
    qd_qdq_put_list(m, "shape", QD_S64, 1, shape, 2);
    put_node(m, "Reshape", in, ",shape", out);
}

/* Backwards along the last axis, from the last but one. */
PUT(slice)
{
    static const int64_t starts[] = {-2}, ends[] = {-9}, axes[] = {3}, steps[] = {-1};
    UNUSED;
    qd_qdq_put_list(m, "starts", QD_S64, 1, starts, 1);
    qd_qdq_put_list(m, "ends", QD_S64, 1, ends, 1);
    qd_qdq_put_list(m, "axes", QD_S64, 1, axes, 1);
    qd_qdq_put_list(m, "steps", QD_S64, 1, steps, 1);
    put_node(m, "Slice", in, ",starts,ends,axes,steps", out);
}

PUT(gather)
{
    static const int64_t indices[] = {3, 0, -1};
    UNUSED;
    qd_qdq_put_list(m, "indices", QD_S64, 1, indices, 3);
    put_node(m, "Gather", in, ",indices", out);
    qd_build_attr_int(m->builder, "axis", 1);
}

PUT(expand)
{
    static const int64_t shape[] = {3, 4, 8, 8};
    UNUSED;
    qd_qdq_put_list(m, "shape", QD_S64, 1, shape, 4);
    put_node(m, "Expand", in, ",shape", out);
}

PUT(squeeze)
{
    static const int64_t axes[] = {0};
    UNUSED;
    qd_qdq_put_list(m, "axes", QD_S64, 1, axes, 1);
    put_node(m, "Squeeze", in, ",axes", out);
}

PUT(flatten)
{
    UNUSED;
    put_node(m, "Flatten", in, "", out);
    qd_build_attr_int(m->builder, "axis", 2);
}

PUT(concat)
{
    char more[32];
    (void)opset, (void)zero;
    snprintf(more, sizeof more, ",%s", second);
    put_node(m, "Concat", in, more, out);
    qd_build_attr_int(m->builder, "axis", 1);
}

/* The second of two parts. */
PUT(split)
{
    static const int64_t lengths[] = {1, 3};
    char outputs[40];
    UNUSED;
    qd_qdq_put_list(m, "lengths", QD_S64, 1, lengths, 2);
    snprintf(outputs, sizeof outputs, "head,%s", out);
    put_node(m, "Split", in, ",lengths", outputs);
    qd_build_attr_int(m->builder, "axis", 1);
}

PUT(unsqueeze)
{
    static const int64_t axes[] = {-4};
    UNUSED;
    qd_qdq_put_list(m, "axes", QD_S64, 1, axes, 1);
    put_node(m, "Unsqueeze", in, ",axes", out);
}

PUT(identity)
{
    UNUSED;
    put_node(m, "Identity", in, "", out);
}

/* What padding adds is no number, and never the greatest. */
PUT(max_pool)
{
    static const int64_t kernel[] = {2, 2}, pads[] = {0, 1, 1, 0};
    UNUSED;
    put_node(m, "MaxPool", in, "", out);
    qd_build_attr_ints(m->builder, "kernel_shape", kernel, 2);
    qd_build_attr_ints(m->builder, "pads", pads, 4);
}

PUT(resize_asymmetric)
{
    UNUSED;
    qd_block_put_scales(m, "Resize", in, out, 2);
    qd_build_attr_string(m->builder, "coordinate_transformation_mode", "asymmetric");
    qd_build_attr_string(m->builder, "nearest_mode", "floor");
}

/* Every coordinate lies half-way between two elements. */
PUT(resize_half_pixel)
{
    UNUSED;
    qd_block_put_scales(m, "Resize", in, out, 0.5);
}

/* 7 and 8 of 4: coordinates o/2 and o*3/7. */
PUT(resize_align_corners)
{
    static const int64_t sizes[] = {1, 4, 7, 8};
    UNUSED;
    qd_qdq_put_list(m, "sizes", QD_S64, 1, sizes, 4);
    put_node(m, "Resize", in, ",,,sizes", out);
    qd_build_attr_string(m->builder, "coordinate_transformation_mode", "align_corners");
    qd_build_attr_string(m->builder, "nearest_mode", "round_prefer_ceil");
}

#define X          \
    {              \
        1, 4, 8, 8 \
    }
#define MOVES INT_MIN, INT_MIN, {1, 1, -1}, 0, false
static const struct qd_block blocks[] = {
    {"pad", put_pad, 4, 0, 4, X, {0}, {1, 5, 9, 11}, MOVES},
    {"pad-reflect", put_pad_reflect, 4, 0, 4, X, {0}, {1, 5, 9, 11}, MOVES},
    {"depth-to-space", put_depth_to_space, 4, 0, 4, X, {0}, {1, 1, 16, 16}, MOVES},
    {"depth-to-space-crd", put_depth_to_space_crd, 4, 0, 4, X, {0}, {1, 1, 16, 16}, MOVES},
    {"space-to-depth", put_space_to_depth, 4, 0, 4, X, {0}, {1, 16, 4, 4}, MOVES},
    {"tile", put_tile, 4, 0, 4, X, {0}, {1, 8, 8, 24}, MOVES},
    {"where", put_where, 4, 4, 4, X, X, X, MOVES},
    {"transpose", put_transpose, 4, 0, 4, X, {0}, {1, 8, 8, 4}, MOVES},
    {"reshape", put_reshape, 4, 0, 2, X, {0}, {16, 16}, MOVES},
    {"slice", put_slice, 4, 0, 4, X, {0}, {1, 4, 8, 7}, MOVES},
    {"gather", put_gather, 4, 0, 4, X, {0}, {1, 3, 8, 8}, MOVES},
    {"expand", put_expand, 4, 0, 4, X, {0}, {3, 4, 8, 8}, MOVES},
    {"squeeze", put_squeeze, 4, 0, 3, X, {0}, {4, 8, 8}, MOVES},
    {"flatten", put_flatten, 4, 0, 2, X, {0}, {4, 64}, MOVES},
    {"concat", put_concat, 4, 4, 4, X, X, {1, 8, 8, 8}, MOVES},
    {"split", put_split, 4, 0, 4, X, {0}, {1, 3, 8, 8}, MOVES},
    {"unsqueeze", put_unsqueeze, 3, 0, 4, {4, 8, 8}, {0}, X, MOVES},
    {"identity", put_identity, 4, 0, 4, X, {0}, X, MOVES},
    {"resize-asymmetric", put_resize_asymmetric, 4, 0, 4, {1, 4, 4, 4}, {0}, X, MOVES},
    {"resize-half-pixel", put_resize_half_pixel, 4, 0, 4, X, {0}, {1, 4, 4, 4}, MOVES},
    {"resize-align-corners",
     put_resize_align_corners,
     4,
     0,
     4,
     {1, 4, 4, 4},
     {0},
     {1, 4, 7, 8},
     MOVES},
    {"max-pool", put_max_pool, 4, 0, 4, X, {0}, X, MOVES},
};
#undef X
#define BLOCKS (sizeof blocks / sizeof *blocks)
#define MAX_POOL (1U << (BLOCKS - 1))

static const enum qd_block_form forms[] = {QD_BLOCK_HIDDEN, QD_BLOCK_CODES};

static const struct qd_factor factors[] = {QD_BLOCK_FACTOR_ROWS(BLOCKS, "codes")};

static const struct qd_exclusion exclusions[] = {
    QD_BLOCK_EXCLUSIONS, {{QD_BLOCK_BLOCK, QD_BLOCK_TYPE}, {MAX_POOL, 0xc}}, /* of 8 bits alone */
};

static const struct qd_factor_table table = {factors, QD_BLOCK_FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    return qd_block_make("QDQMovement", &blocks[row[QD_BLOCK_BLOCK]], &table, forms, row,
                         (enum qd_block_values)values, draw, arena, kase, error);
}

const struct qd_family qd_family_qdq_movement = {
    .name = "QDQMovement",
    .meaning =
        "operators that move elements, on codes and between DequantizeLinear and QuantizeLinear",
    .table = &table,
    .strength = 4,
    .values = QD_BLOCK_VALUES,
    .make = make,
};
