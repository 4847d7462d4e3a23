/* SPDX-License-Identifier: Apache-2.0 */
/* QDQWeights: DequantizeLinear, an operator with weights (ConvTranspose, BatchNormalization), QuantizeLinear.
 * ConvTranspose's weights are codes too; ties where all scales are powers of two and a normalization divides by 1. */

#include <limits.h>
#include <stdio.h>

#include "families/qdq_blocks.h"

#define ANY INT_MIN

static void put_transposed(struct qd_qdq_maker *m, const char *in, const char *second,
                           const char *bias, const char *out)
{
    char inputs[64];
    snprintf(inputs, sizeof inputs, "%s,%s%s%s", in, second, *bias ? "," : "", bias);
    qd_build_node(m->builder, "", "ConvTranspose", inputs, out);
}

#define PUT(name)                                                                      \
    static void put_##name(struct qd_qdq_maker *m, const char *in, const char *second, \
                           const char *out, int64_t opset, const char *zero)

/* Windows that touch: each output is one sum over channels. */
PUT(conv_transpose)
{
    static const int64_t strides[] = {2, 2};
    (void)opset, (void)zero;
    put_transposed(m, in, second, "", out);
    qd_build_attr_ints(m->builder, "strides", strides, 2);
}

/* Windows that overlap, pads that crop, a bias of quarters. */
PUT(conv_transpose_bias)
{
    static const int64_t strides[] = {2, 1}, pads[] = {1, 0, 0, 1}, more[] = {1, 0};
    const int64_t bias[] = {qd_qdq_float_code(0.25), qd_qdq_float_code(-0.75)};
    (void)opset, (void)zero;
    qd_qdq_put_list(m, "bias", QD_F32, 1, bias, 2);
    put_transposed(m, in, second, "bias", out);
    qd_build_attr_ints(m->builder, "strides", strides, 2);
    qd_build_attr_ints(m->builder, "pads", pads, 4);
    qd_build_attr_ints(m->builder, "output_padding", more, 2);
}

PUT(conv_transpose_group)
{
    static const int64_t dilations[] = {2, 1};
    (void)opset, (void)zero;
    put_transposed(m, in, second, "", out);
    qd_build_attr_int(m->builder, "group", 2);
    qd_build_attr_ints(m->builder, "dilations", dilations, 2);
}

static void put_list_of_floats(struct qd_qdq_maker *m, const char *name, const double *values)
{
    int64_t codes[4];
    for (int i = 0; i < 4; i++)
        codes[i] = qd_qdq_float_code(values[i]);
    qd_qdq_put_list(m, name, QD_F32, 1, codes, 4);
}

static void put_normalization(struct qd_qdq_maker *m, const char *in, const char *out,
                              const double *scale, const double *variance, float epsilon)
{
    static const double b[] = {0, 0.5, -1, 0.25}, mean[] = {0.5, 0, -0.25, 1};
    char inputs[64];
    put_list_of_floats(m, "scale", scale);
    put_list_of_floats(m, "b", b);
    put_list_of_floats(m, "mean", mean);
    put_list_of_floats(m, "var", variance);
    snprintf(inputs, sizeof inputs, "%s,scale,b,mean,var", in);
    qd_build_node(m->builder, "", "BatchNormalization", inputs, out);
    qd_build_attr_float(m->builder, "epsilon", epsilon);
}

/* var + epsilon = 1, 4, 1/4, 16: its roots are powers of two. */
PUT(batch_normalization)
{
    static const double scale[] = {1, 2, -0.5, 4}, variance[] = {0.875, 3.875, 0.125, 15.875};
    (void)second, (void)opset, (void)zero;
    put_normalization(m, in, out, scale, variance, 0.125F);
}

PUT(batch_normalization_rough)
{
    static const double scale[] = {0.9, 1.7, -0.6, 3.1}, variance[] = {0.4, 2.3, 0.7, 5.9};
    (void)second, (void)opset, (void)zero;
    put_normalization(m, in, out, scale, variance, 1e-5F);
}

#define X4         \
    {              \
        1, 4, 8, 8 \
    }

/* By value family: random numbers, ties, saturation. */
static const struct qd_block blocks[] = {
    {.word = "conv-transpose",
     .put = put_conv_transpose,
     .x_rank = 4,
     .w_rank = 4,
     .y_rank = 4,
     .x = {1, 4, 4, 4},
     .w = {4, 2, 2, 2},
     .y = {1, 2, 8, 8},
     .x_range = 1,
     .y_range = 3,
     .y_drop = {0, -7, -2},
     .w_reach = 1},
    {.word = "conv-transpose-bias",
     .put = put_conv_transpose_bias,
     .x_rank = 4,
     .w_rank = 4,
     .y_rank = 4,
     .x = {1, 3, 4, 5},
     .w = {3, 2, 3, 2},
     .y = {1, 2, 9, 5},
     .x_range = 1,
     .y_range = 3,
     .y_drop = {0, -7, -2},
     .w_reach = 1},
    {.word = "conv-transpose-group",
     .put = put_conv_transpose_group,
     .x_rank = 4,
     .w_rank = 4,
     .y_rank = 4,
     .x = {2, 4, 3, 3},
     .w = {4, 1, 2, 2},
     .y = {2, 2, 5, 4},
     .x_range = 1,
     .y_range = 3,
     .y_drop = {0, -7, -2},
     .w_reach = 1},
    {.word = "batch-normalization",
     .put = put_batch_normalization,
     .x_rank = 4,
     .y_rank = 4,
     .x = X4,
     .y = X4,
     .x_range = ANY,
     .y_range = ANY,
     .y_drop = {1, 1, -1}},
    {.word = "batch-normalization-rough",
     .put = put_batch_normalization_rough,
     .x_rank = 4,
     .y_rank = 4,
     .x = X4,
     .y = X4,
     .x_range = ANY,
     .y_range = ANY,
     .y_drop = {1, 1, -1}},
};
#define BLOCKS (sizeof blocks / sizeof *blocks)

static const enum qd_block_form forms[] = {QD_BLOCK_HIDDEN, QD_BLOCK_VISIBLE};

static const struct qd_factor factors[] = {QD_BLOCK_FACTOR_ROWS(BLOCKS, "visible")};

static const struct qd_exclusion exclusions[] = {QD_BLOCK_EXCLUSIONS};

static const struct qd_factor_table table = {factors, QD_BLOCK_FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    return qd_block_make("QDQWeights", &blocks[row[QD_BLOCK_BLOCK]], &table, forms, row,
                         (enum qd_block_values)values, draw, arena, kase, error);
}

const struct qd_family qd_family_qdq_weights = {
    .name = "QDQWeights",
    .meaning = "DequantizeLinear, ConvTranspose or BatchNormalization, QuantizeLinear",
    .table = &table,
    .strength = 3,
    .values = QD_BLOCK_VALUES,
    .make = make,
};
