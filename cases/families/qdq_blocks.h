/* SPDX-License-Identifier: Apache-2.0 */
/* QDQ graphs of one operator each: the engine of the families QDQReal and QDQMovement. x (and w, a second operand) are
 * codes per tensor; the graph dequantizes, operates and quantizes to y, or operates on the codes themselves. */
#ifndef QDIFF_FAMILIES_QDQ_BLOCKS_H
#define QDIFF_FAMILIES_QDQ_BLOCKS_H

#include "families/linear_draft.h"
#include "families/qdq_parts.h"

enum qd_block_values { QD_BLOCK_RANDOM, QD_BLOCK_TIE, QD_BLOCK_SATURATION, QD_BLOCK_VALUES };

/* What the graph does with the operator. */
enum qd_block_form {
    QD_BLOCK_HIDDEN,  /* DequantizeLinear, operator, QuantizeLinear */
    QD_BLOCK_VISIBLE, /* the same, and the operator's result is a graph output too */
    QD_BLOCK_CODES    /* the operator on codes */
};

/* Emits the operator: from value `in` (and `second`) to `out`. `opset`: of the model; `zero` is x's zero point as an
 * initializer where the operands are codes, NULL where they are real. */
typedef void qd_block_put(struct qd_qdq_maker *m, const char *in, const char *second,
                          const char *out, int64_t opset, const char *zero);

struct qd_block {
    const char *word;
    qd_block_put *put;
    unsigned x_rank, w_rank, y_rank; /* w_rank 0: no second operand */
    int64_t x[4], w[4], y[4];
    /* Exponents of the scales, by value family. x_range: log2 of the largest |x|; INT_MIN: anywhere. y_drop: how many
     * binary digits the steps of y are coarser than those of x; with y_range
     * instead (x_range given): log2 of the largest |y|. */
    int x_range, y_range;
    int y_drop[QD_BLOCK_VALUES];
    int64_t w_reach; /* with ties, w is at most so many codes from its zero point; 0: anywhere */
    bool divides;    /* w is a power of two away from its zero point, y_drop counts from s_x/s_w */
};

/* Factors of a family's table, in this order; a table has the words of its blocks and forms. */
enum qd_block_factor {
    QD_BLOCK_BLOCK,
    QD_BLOCK_TYPE,
    QD_BLOCK_ZERO,
    QD_BLOCK_PARAMETERS,
    QD_BLOCK_FORM,
    QD_BLOCK_OPSET,
    QD_BLOCK_FACTORS
};
#define QD_BLOCK_ZERO_NONE 4
/* NOLINTBEGIN(bugprone-macro-parentheses): initializers */
#define QD_BLOCK_FACTOR_ROWS(blocks, form_word)                                         \
    [QD_BLOCK_BLOCK] = {.name = "block", .levels = blocks},                             \
    [QD_BLOCK_TYPE] = {.name = "type", QD_LEVELS("u8", "s8", "u16", "s16")},            \
    [QD_BLOCK_ZERO] = {.name = "zero points",                                           \
                       QD_LEVELS("z_0", "z_mid", "z_odd", "z_ends", "z_none")},         \
    [QD_BLOCK_PARAMETERS] = {.name = "parameters of x and y", QD_LEVELS(NULL, "same")}, \
    [QD_BLOCK_FORM] = {.name = "form", QD_LEVELS(NULL, form_word)},                     \
    [QD_BLOCK_OPSET] = {.name = "opset", QD_LEVELS("opset13", "opset21")}
/* NOLINTEND(bugprone-macro-parentheses) */

/* 16 bits exist since opset 21; without a zero point y is u8. */
#define QD_BLOCK_EXCLUSIONS                        \
    {{QD_BLOCK_TYPE, QD_BLOCK_OPSET}, {0xc, 0x1}}, \
    {                                              \
        {QD_BLOCK_TYPE, QD_BLOCK_ZERO},            \
        {                                          \
            0xe, 0x10                              \
        }                                          \
    }

/* A node of `in` with the scales 1, 1, `scale`, `scale` as its third input: Resize of images. */
void qd_block_put_scales(struct qd_qdq_maker *m, const char *op_type, const char *in,
                         const char *out, double scale);

/* Makes the case of a row. `forms`: what the levels of the form factor mean. */
enum qd_status qd_block_make(const char *family, const struct qd_block *block,
                             const struct qd_factor_table *table, const enum qd_block_form *forms,
                             const uint8_t *row, enum qd_block_values values, uint64_t draw,
                             struct qd_arena *arena, struct qd_case *kase, struct qd_error *error);

#endif
