/* SPDX-License-Identifier: Apache-2.0 */
/* QDQReal: DequantizeLinear, one float operator, QuantizeLinear. 8-bit operands of the operators of one element hold
 * every code; ties where the operator is exact. Pairs of features at smoke, quadruples at full. */

#include <limits.h>
#include <stdio.h>

#include "families/qdq_blocks.h"

#define ANY INT_MIN

static void put_unary(struct qd_qdq_maker *m, const char *op_type, const char *in, const char *out)
{
    qd_build_node(m->builder, "", op_type, in, out);
}

static void put_pair(struct qd_qdq_maker *m, const char *op_type, const char *in,
                     const char *second, const char *out)
{
    char inputs[40];
    snprintf(inputs, sizeof inputs, "%s,%s", in, second);
    qd_build_node(m->builder, "", op_type, inputs, out);
}

#define PUT(name)                                                                      \
    static void put_##name(struct qd_qdq_maker *m, const char *in, const char *second, \
                           const char *out, int64_t opset, const char *zero)
#define UNUSED (void)second, (void)opset, (void)zero

PUT(leaky_relu)
{
    UNUSED;
    put_unary(m, "LeakyRelu", in, out);
    qd_build_attr_float(m->builder, "alpha", 0.125F);
}

PUT(leaky_relu_default)
{
    UNUSED;
    put_unary(m, "LeakyRelu", in, out);
}

PUT(sigmoid)
{
    UNUSED;
    put_unary(m, "Sigmoid", in, out);
}

PUT(tanh)
{
    UNUSED;
    put_unary(m, "Tanh", in, out);
}

PUT(softmax)
{
    UNUSED;
    put_unary(m, "Softmax", in, out);
    qd_build_attr_int(m->builder, "axis", -1);
}

static void put_window(struct qd_qdq_maker *m, int64_t size, int64_t stride)
{
    const int64_t kernel[] = {size, size}, strides[] = {stride, stride};
    qd_build_attr_ints(m->builder, "kernel_shape", kernel, 2);
    qd_build_attr_ints(m->builder, "strides", strides, 2);
}

PUT(average_pool)
{
    UNUSED;
    put_unary(m, "AveragePool", in, out);
    put_window(m, 2, 2);
}

PUT(average_pool_padded)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    UNUSED;
    put_unary(m, "AveragePool", in, out);
    put_window(m, 3, 1);
    qd_build_attr_ints(m->builder, "pads", pads, 4);
}

PUT(average_pool_counted)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    UNUSED;
    put_unary(m, "AveragePool", in, out);
    put_window(m, 4, 2);
    qd_build_attr_ints(m->builder, "pads", pads, 4);
    qd_build_attr_int(m->builder, "count_include_pad", 1);
}

PUT(global_average_pool)
{
    UNUSED;
    put_unary(m, "GlobalAveragePool", in, out);
}

/* axes became an input with opset 18. */
static void put_reduction(struct qd_qdq_maker *m, const char *op_type, const char *in,
                          const char *out, int64_t opset)
{
    static const int64_t axes[] = {2, 3};
    if (opset >= 18)
        qd_qdq_put_list(m, "axes", QD_S64, 1, axes, 2);
    if (opset >= 18)
        put_pair(m, op_type, in, "axes", out);
    else
        put_unary(m, op_type, in, out);
    if (opset < 18)
        qd_build_attr_ints(m->builder, "axes", axes, 2);
    qd_build_attr_int(m->builder, "keepdims", 0);
}

PUT(reduce_mean)
{
    (void)second, (void)zero;
    put_reduction(m, "ReduceMean", in, out, opset);
}

PUT(reduce_max)
{
    (void)second, (void)zero;
    put_reduction(m, "ReduceMax", in, out, opset);
}

PUT(sub)
{
    (void)opset, (void)zero;
    put_pair(m, "Sub", in, second, out);
}

PUT(div)
{
    (void)opset, (void)zero;
    put_pair(m, "Div", in, second, out);
}

PUT(cast)
{
    enum { FLOAT = 1, FLOAT16 = 10 };
    UNUSED;
    put_unary(m, "Cast", in, "half");
    qd_build_attr_int(m->builder, "to", FLOAT16);
    put_unary(m, "Cast", "half", out);
    qd_build_attr_int(m->builder, "to", FLOAT);
}

/* Twice as long, weights in sixteenths. */
PUT(resize_linear)
{
    UNUSED;
    qd_block_put_scales(m, "Resize", in, out, 2);
    qd_build_attr_string(m->builder, "mode", "linear");
}

/* Half as long: means of four. */
PUT(resize_linear_down)
{
    UNUSED;
    qd_block_put_scales(m, "Resize", in, out, 0.5);
    qd_build_attr_string(m->builder, "mode", "linear");
    qd_build_attr_string(m->builder, "coordinate_transformation_mode", "pytorch_half_pixel");
}

/* By value family: random numbers, ties, saturation. */
static const struct qd_block blocks[] = {
    {"leaky-relu",
     put_leaky_relu,
     4,
     0,
     4,
     {1, 4, 8, 8},
     {0},
     {1, 4, 8, 8},
     ANY,
     ANY,
     {1, 1, -1},
     0,
     false},
    {"leaky-relu-default",
     put_leaky_relu_default,
     4,
     0,
     4,
     {1, 4, 8, 8},
     {0},
     {1, 4, 8, 8},
     ANY,
     ANY,
     {-1, -1, -2},
     0,
     false},
    {"sigmoid", put_sigmoid, 4, 0, 4, {1, 4, 8, 8}, {0}, {1, 4, 8, 8}, 3, 0, {0, 0, -1}, 0, false},
    {"tanh", put_tanh, 4, 0, 4, {1, 4, 8, 8}, {0}, {1, 4, 8, 8}, 2, 1, {0, 0, -1}, 0, false},
    {"softmax", put_softmax, 2, 0, 2, {16, 16}, {0}, {16, 16}, 3, 0, {0, 0, -1}, 0, false},
    {"average-pool",
     put_average_pool,
     4,
     0,
     4,
     {1, 3, 8, 8},
     {0},
     {1, 3, 4, 4},
     ANY,
     ANY,
     {1, 0, -1},
     0,
     false},
    {"average-pool-padded",
     put_average_pool_padded,
     4,
     0,
     4,
     {1, 2, 6, 6},
     {0},
     {1, 2, 6, 6},
     ANY,
     ANY,
     {0, 0, -1},
     0,
     false},
    {"average-pool-counted",
     put_average_pool_counted,
     4,
     0,
     4,
     {1, 2, 8, 8},
     {0},
     {1, 2, 4, 4},
     ANY,
     ANY,
     {-1, -1, -2},
     0,
     false},
    {"global-average-pool",
     put_global_average_pool,
     4,
     0,
     4,
     {2, 8, 4, 8},
     {0},
     {2, 8, 1, 1},
     ANY,
     ANY,
     {-2, -2, -4},
     0,
     false},
    {"reduce-mean",
     put_reduce_mean,
     4,
     0,
     2,
     {2, 16, 2, 4},
     {0},
     {2, 16},
     ANY,
     ANY,
     {-1, -1, -3},
     0,
     false},
    {"reduce-max",
     put_reduce_max,
     4,
     0,
     2,
     {2, 16, 2, 2},
     {0},
     {2, 16},
     ANY,
     ANY,
     {1, 1, -1},
     0,
     false},
    {"sub",
     put_sub,
     4,
     4,
     4,
     {1, 4, 8, 8},
     {1, 4, 8, 8},
     {1, 4, 8, 8},
     ANY,
     ANY,
     {1, 1, -1},
     0,
     false},
    {"div",
     put_div,
     4,
     4,
     4,
     {1, 4, 8, 8},
     {1, 4, 8, 8},
     {1, 4, 8, 8},
     ANY,
     ANY,
     {-3, 0, -5},
     0,
     true},
    {"resize-linear",
     put_resize_linear,
     4,
     0,
     4,
     {1, 4, 4, 4},
     {0},
     {1, 4, 8, 8},
     ANY,
     ANY,
     {-1, 0, -2},
     0,
     false},
    {"resize-linear-down",
     put_resize_linear_down,
     4,
     0,
     4,
     {1, 4, 8, 8},
     {0},
     {1, 4, 4, 4},
     ANY,
     ANY,
     {0, 0, -1},
     0,
     false},
    {"cast", put_cast, 4, 0, 4, {1, 4, 8, 8}, {0}, {1, 4, 8, 8}, ANY, ANY, {1, 1, -1}, 0, false},
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
    return qd_block_make("QDQReal", &blocks[row[QD_BLOCK_BLOCK]], &table, forms, row,
                         (enum qd_block_values)values, draw, arena, kase, error);
}

const struct qd_family qd_family_qdq_real = {
    .name = "QDQReal",
    .meaning = "DequantizeLinear, one float operator that is no sum of products, QuantizeLinear",
    .table = &table,
    .strength = 4,
    .values = QD_BLOCK_VALUES,
    .make = make,
};
