/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized graphs being made up, node by node: every value knows its shape and how large its numbers are, so that the
 * scales after it fit. The engine of the families Graph*. */
#ifndef QDIFF_FAMILIES_GRAPH_DRAFT_H
#define QDIFF_FAMILIES_GRAPH_DRAFT_H

#include "families/linear_draft.h"
#include "families/qdq_parts.h"

/* tie: scales are powers of two and small codes are summed, so that every number is exact and many lie half-way. */
enum qd_graph_values { QD_GRAPH_RANDOM, QD_GRAPH_TIE, QD_GRAPH_SATURATION, QD_GRAPH_VALUES };
const char *qd_graph_values_word(size_t values);

/* Types of activations and of weights, in the order of their words. */
#define QD_GRAPH_TYPE_WORDS "u8u8", "u8s8", "s8s8", "u16s8", "s16s8", "u8u4", "s8s4"
#define QD_GRAPH_TYPES_OPSET21 0x78
#define QD_GRAPH_TYPES_NOT_U8 0x5c /* whose activations cannot do without a zero point */
#define QD_GRAPH_ZERO_WORDS "z_0", "z_mid", "z_odd", "z_ends", "z_none"
#define QD_GRAPH_ZERO_NONE 4
#define QD_GRAPH_OPSET_WORDS "opset13", "opset21"

#define QD_GRAPH_MAX_RANK 6

/* A value of the graph. */
struct qd_flow {
    char name[8];
    unsigned rank;
    int64_t dims[QD_GRAPH_MAX_RANK];
    int unit;     /* its numbers are about, in tie cases exactly, multiples of 2^unit */
    double reach; /* and about so many of these away from 0 at most */
    /* Of codes: how they are quantized, and the name of the parameters. */
    struct qd_grid grid;
    int64_t axis;
    char parameters[8];
};

/* Errors are kept; the first one is qd_graph_finish's. */
struct qd_graph_draft {
    struct qd_qdq_maker maker;
    struct qd_random random;
    enum qd_graph_values values;
    enum qd_dtype type, weight_type;
    unsigned zero;  /* enum qd_qdq_zero or QD_GRAPH_ZERO_NONE */
    unsigned count; /* of names and grids so far */
    int64_t opset;
};

/* What a row says in general. */
struct qd_graph_choice {
    unsigned types, zero, opset; /* levels in the order of the words above */
};

/* A draft and its id without hash, "<family>/<values>-<words of the row>". */
struct qd_graph_draft qd_graph_begin(const char *family, const struct qd_factor_table *table,
                                     const uint8_t *row, size_t values, uint64_t draw,
                                     struct qd_graph_choice choice, struct qd_arena *arena,
                                     struct qd_error *error, char slug[256]);
enum qd_status qd_graph_finish(struct qd_graph_draft *draft, const char *slug,
                               struct qd_case *kase);

/* A new grid of `count` scales about 2^exponent and as many zero points. */
struct qd_grid qd_graph_grid(struct qd_graph_draft *draft, enum qd_dtype type, int exponent,
                             int64_t count);

/* Codes at run time. grid NULL: a new one; otherwise that one. */
struct qd_flow qd_graph_input(struct qd_graph_draft *draft, unsigned rank, const int64_t *dims,
                              const struct qd_grid *grid);

/* The same with one scale and zero point for each index of `axis` (negative: from the back). */
struct qd_flow qd_graph_input_axis(struct qd_graph_draft *draft, unsigned rank, const int64_t *dims,
                                   int64_t axis);

/* Codes of a constant, with `count` parameters (1: per tensor) along `axis` (negative: from the back). */
struct qd_flow qd_graph_constant(struct qd_graph_draft *draft, enum qd_dtype type, unsigned rank,
                                 const int64_t *dims, int64_t axis, int64_t count);

/* A bias of int32 codes for sums of x times w (of which w may have a scale for each channel), dequantized. product: its
 * scale is x_scale*w_scale, rounded, as converters choose it; coarse and fine: 4 times and a quarter of that; free:
 * unrelated; FLOAT: no codes, a constant of float32. */
enum qd_graph_bias {
    QD_BIAS_NONE,
    QD_BIAS_PRODUCT,
    QD_BIAS_COARSE,
    QD_BIAS_FINE,
    QD_BIAS_FREE,
    QD_BIAS_FLOAT
};
#define QD_GRAPH_BIAS_WORDS "bias_none", NULL, "bias_coarse", "bias_fine", "bias_free", "bias_float"
struct qd_flow qd_graph_bias(struct qd_graph_draft *draft, enum qd_graph_bias kind,
                             int64_t channels, const struct qd_flow *x, const struct qd_flow *w);

/* Codes to numbers; numbers to codes: with new parameters that fit, or with those of `like`. */
struct qd_flow qd_graph_dequantize(struct qd_graph_draft *draft, const struct qd_flow *codes);
struct qd_flow qd_graph_quantize(struct qd_graph_draft *draft, const struct qd_flow *real);
struct qd_flow qd_graph_quantize_like(struct qd_graph_draft *draft, const struct qd_flow *real,
                                      const struct qd_flow *like);

/* The same with one scale and zero point for each index of `axis` (negative: from the back). */
struct qd_flow qd_graph_quantize_axis(struct qd_graph_draft *draft, const struct qd_flow *real,
                                      int64_t axis);

/* Quantized and dequantized again. */
struct qd_flow qd_graph_through(struct qd_graph_draft *draft, const struct qd_flow *real);

/* A node of `x` and further inputs (",name…" or ""); its output is like x. Attributes may follow. */
struct qd_flow qd_graph_node(struct qd_graph_draft *draft, const char *op_type,
                             const struct qd_flow *x, const char *more);
struct qd_flow qd_graph_node2(struct qd_graph_draft *draft, const char *op_type,
                              const struct qd_flow *x, const struct qd_flow *w);

/* Add, of one shape or of one that w broadcasts to. */
struct qd_flow qd_graph_add(struct qd_graph_draft *draft, const struct qd_flow *x,
                            const struct qd_flow *w);

/* Concatenation along an axis. */
struct qd_flow qd_graph_concat(struct qd_graph_draft *draft, const struct qd_flow *x,
                               const struct qd_flow *w, int64_t axis);

/* x reshaped; dims of the result are given in full. */
struct qd_flow qd_graph_reshape(struct qd_graph_draft *draft, const struct qd_flow *x,
                                unsigned rank, const int64_t *dims);
struct qd_flow qd_graph_transpose(struct qd_graph_draft *draft, const struct qd_flow *x,
                                  const int64_t *perm);

/* An initializer of int64, a vector; its name. */
struct qd_flow qd_graph_list(struct qd_graph_draft *draft, const int64_t *values, int64_t count);

/* An initializer of float32, a scalar. */
struct qd_flow qd_graph_scalar(struct qd_graph_draft *draft, double value);

/* A sum of `terms` products became of x and w: sets unit and reach of y. */
void qd_graph_product(struct qd_flow *y, const struct qd_flow *x, const struct qd_flow *w,
                      int64_t terms);

void qd_graph_output(struct qd_graph_draft *draft, const struct qd_flow *flow);

/* A convolution of x [1, C, H, W] with new weights. */
struct qd_graph_conv {
    int64_t filters, kernel, stride, pad, group;
    bool per_channel;
    const struct qd_flow *weights, *bias; /* dequantized, NULL: new ones, none */
};
struct qd_flow qd_graph_conv(struct qd_graph_draft *draft, const struct qd_flow *x,
                             const struct qd_graph_conv *conv);

#endif
