/* SPDX-License-Identifier: Apache-2.0 */
/* A quantized matrix product being made up. It is a convolution with kernel 1 read as one: the rows of
 * one operand are positions of x [batch, groups·K, positions], the columns of the other filters of
 * w [groups·filters, K]; so that the value families of convolutions serve both. */
#ifndef QDIFF_FAMILIES_MATMUL_DRAFT_H
#define QDIFF_FAMILIES_MATMUL_DRAFT_H

#include "families/qlinear_conv.h"

/* Factors of both operators, then those of QLinearMatMul alone. */
enum qd_matmul_factor {
    QD_MATMUL_TYPES, /* bit 0: x is s8, 1: w, 2: y */
    QD_MATMUL_SHAPE,
    QD_MATMUL_SIDE, /* whether w is b or a */
    QD_MATMUL_K,
    QD_MATMUL_SIZE,
    QD_MATMUL_W_SHAPE,
    QD_MATMUL_W_ZERO,
    QD_MATMUL_X_SHAPE,
    QD_MATMUL_X_ZERO,
    QD_MATMUL_BINDING,
    QD_MATMUL_INTEGER_FACTORS,
    QD_MATMUL_Y_ZERO = QD_MATMUL_INTEGER_FACTORS,
    QD_MATMUL_OPSET,
    QD_MATMUL_FACTORS
};

enum qd_matmul_parameter { QD_P_SCALAR, QD_P_VECTOR, QD_P_FULL, QD_P_ABSENT };

#define QD_MATMUL_K_LARGE 4 /* level of QD_MATMUL_K with enough terms for large sums */

/* x and w: v a vector, m a matrix, b a batch of matrices, b2 of two dimensions, b1 of one and 1. */
#define QD_MATMUL_SHARED_FACTORS                                                               \
    [QD_MATMUL_SHAPE] = {.name = "shape",                                                      \
                         QD_LEVELS("v_v", "v_m", "m_v", NULL, "b_m", "b_b", "b2_b", "b2_b1")}, \
    [QD_MATMUL_SIDE] = {.name = "side", QD_LEVELS(NULL, "by_rows")},                           \
    [QD_MATMUL_K] = {.name = "K", QD_LEVELS("k1", "k8", "k7", "k37", "k271")},                 \
    [QD_MATMUL_SIZE] = {.name = "size", QD_LEVELS(NULL, "wide")},                              \
    [QD_MATMUL_W_ZERO] = {.name = "zero point of w",                                           \
                          QD_LEVELS("wz_0", "wz", "wz_distinct", "wz_straddle", "wz_ends")},   \
    [QD_MATMUL_X_ZERO] = {.name = "zero point of x",                                           \
                          QD_LEVELS("xz_mid", "xz_min", "xz_max", "xz")},                      \
    [QD_MATMUL_BINDING] = {.name = "run-time inputs",                                          \
                           QD_LEVELS(NULL, "run_params", "run_weights", "run_all")}

/* Zero points that differ need a vector; a vector needs a matrix, and beside a batch the specification knows
 * the full shape only. */
#define QD_MATMUL_SHARED_EXCLUSIONS                                       \
    {{QD_MATMUL_W_SHAPE, QD_MATMUL_W_ZERO}, {1 << QD_P_SCALAR, 0x1c}},    \
        {{QD_MATMUL_W_SHAPE, QD_MATMUL_SHAPE}, {1 << QD_P_VECTOR, 0xe5}}, \
        {{QD_MATMUL_W_SHAPE, QD_MATMUL_SHAPE}, {1 << QD_P_FULL, 0x05}},   \
        {{QD_MATMUL_X_SHAPE, QD_MATMUL_SHAPE}, {1 << QD_P_VECTOR, 0xf3}}, \
    {                                                                     \
        {QD_MATMUL_X_SHAPE, QD_MATMUL_SHAPE},                             \
        {                                                                 \
            1 << QD_P_FULL, 0x03                                          \
        }                                                                 \
    }

#define QD_MATMUL_ENTRIES 68 /* batch·groups·positions at most */

struct qd_matmul_draft {
    struct qd_conv_draft conv;
    bool by_rows; /* w is a, x is b */
    unsigned x_rank, w_rank;
    enum qd_matmul_parameter x_shape, w_shape;
    int64_t x_entries; /* of x's parameters: 1, or one per matrix and position */
    int64_t x_zero[QD_MATMUL_ENTRIES];
    struct qd_scale x_scale[QD_MATMUL_ENTRIES];
};

/* A value family, or sums around 2^24. */
struct qd_matmul_values {
    const char *word;
    const struct qd_conv_values *values; /* NULL: large sums */
};

/* Draws a row's draft until the value family has made its point. has_y: the row has the factors of
 * QLinearMatMul. `seed` names the case. */
enum qd_status qd_matmul_draft_make(const uint8_t *row, bool has_y,
                                    const struct qd_matmul_values *values, const char *seed,
                                    uint64_t draw, struct qd_arena *arena,
                                    struct qd_matmul_draft *draft, struct qd_error *error);

/* Adds the operands a and b with their zero points and, if scales are asked for, scales. */
enum qd_status qd_matmul_draft_build(const struct qd_matmul_draft *draft, const uint8_t *row,
                                     bool scales, struct qd_arena *arena,
                                     struct qd_builder *builder, struct qd_error *error);

/* The product's shape; returns its rank. */
unsigned qd_matmul_draft_dims(const struct qd_matmul_draft *draft, int64_t *dims);

/* "a-u8,b-s8", and ",rows" where a has a parameter for each row. */
const char *qd_matmul_types(const uint8_t *row, char *text, size_t size);

#endif
