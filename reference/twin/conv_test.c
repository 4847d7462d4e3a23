/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's QLinearConv and ConvInteger against the twin's, on small random convolutions: 1
 * to 4 spatial dimensions, groups, strides, dilations, pads, every auto_pad, bias or none, all
 * forms of the parameters, all eight type combinations. Scales are solved so that some output of
 * each case lies on or next to a rounding edge. Alone: <build>/tests/reference/twin/conv_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

/* One random convolution, without its quantization parameters. */
struct convolution {
    struct qd_arena arena;
    unsigned spatial;
    int64_t group, x_dims[QD_MAX_RANK], w_dims[QD_MAX_RANK];
    int64_t strides[QD_MAX_RANK], dilations[QD_MAX_RANK], pads[2 * QD_MAX_RANK];
    const char *auto_pad; /* NULL: no such attribute */
    bool has_strides, has_dilations, has_pads, has_kernel_shape;
    struct qd_tensor x, w, x_zero_point, w_zero_point;
};

static struct qd_tensor random_codes(struct qd_arena *arena, struct twin_random *random,
                                     enum qd_dtype dtype, unsigned rank, const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(arena, dtype, rank, dims);
    for (int64_t i = 0; i < tensor.count; i++)
        twin_put(&tensor, i, (uint64_t)twin_random_code(random, dtype));
    return tensor;
}

static enum qd_dtype random_type(struct twin_random *random)
{
    return twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
}

static void choose_axis(struct convolution *c, struct twin_random *random, unsigned axis)
{
    int64_t most = c->spatial == 1 ? 9 : c->spatial == 2 ? 6 : 4;
    c->x_dims[2 + axis] = twin_random_between(random, 1, most);
    c->w_dims[2 + axis] = twin_random_between(random, 1, 3);
    c->strides[axis] = c->has_strides ? twin_random_between(random, 1, 3) : 1;
    c->dilations[axis] = c->has_dilations ? twin_random_between(random, 1, 3) : 1;
    c->pads[axis] = c->has_pads ? twin_random_between(random, 0, 3) : 0;
    c->pads[axis + c->spatial] = c->has_pads ? twin_random_between(random, 0, 3) : 0;
}

static void choose_shape(struct convolution *c, struct twin_random *random)
{
    static const char *const auto_pads[] = {NULL,    NULL,         NULL,        "NOTSET",
                                            "VALID", "SAME_UPPER", "SAME_LOWER"};
    c->spatial = (unsigned)twin_random_between(random, 1, 4);
    c->auto_pad = auto_pads[twin_random_between(random, 0, 6)];
    c->has_strides = twin_random_one_in(random, 2);
    c->has_dilations = twin_random_one_in(random, 2);
    c->has_pads =
        (!c->auto_pad || strcmp(c->auto_pad, "NOTSET") == 0) && !twin_random_one_in(random, 3);
    c->has_kernel_shape = twin_random_one_in(random, 2);
    c->group = twin_random_between(random, 1, 3);
    c->x_dims[0] = twin_random_between(random, 1, 2);
    c->w_dims[1] = twin_random_between(random, 1, 3);
    c->x_dims[1] = c->group * c->w_dims[1];
    c->w_dims[0] = c->group * twin_random_between(random, 1, 3);
    for (unsigned axis = 0; axis < c->spatial; axis++)
        choose_axis(c, random, axis);
}

/* The specification has no empty output: the dilated kernel must fit into the padded input. */
static bool fits(const struct convolution *c)
{
    if (c->auto_pad && strncmp(c->auto_pad, "SAME", 4) == 0)
        return true;
    for (unsigned axis = 0; axis < c->spatial; axis++)
        if (c->x_dims[2 + axis] + c->pads[axis] + c->pads[axis + c->spatial] <
            (c->w_dims[2 + axis] - 1) * c->dilations[axis] + 1)
            return false;
    return true;
}

static void convolution_start(struct convolution *c, struct twin_random *random)
{
    *c = (struct convolution){0};
    qd_arena_init(&c->arena, QD_ARENA_DEFAULT_BUDGET);
    do
        choose_shape(c, random);
    while (!fits(c));
    const int64_t one = 1;
    enum qd_dtype x_type = random_type(random), w_type = random_type(random);
    c->x = random_codes(&c->arena, random, x_type, 2 + c->spatial, c->x_dims);
    c->w = random_codes(&c->arena, random, w_type, 2 + c->spatial, c->w_dims);
    c->x_zero_point = random_codes(&c->arena, random, x_type, 0, NULL);
    switch (twin_random_between(random, 0, 3)) {
    case 0: c->w_zero_point = random_codes(&c->arena, random, w_type, 0, NULL); break;
    case 1: c->w_zero_point = random_codes(&c->arena, random, w_type, 1, &one); break;
    default: c->w_zero_point = random_codes(&c->arena, random, w_type, 1, c->w_dims); break;
    }
}

static void add_attributes(const struct convolution *c, struct twin_node *node)
{
    if (c->group != 1)
        twin_node_int(node, "group", c->group);
    if (c->auto_pad)
        twin_node_string(node, "auto_pad", c->auto_pad);
    if (c->has_strides)
        twin_node_ints(node, "strides", c->strides, c->spatial);
    if (c->has_dilations)
        twin_node_ints(node, "dilations", c->dilations, c->spatial);
    if (c->has_pads)
        twin_node_ints(node, "pads", c->pads, 2 * (size_t)c->spatial);
    if (c->has_kernel_shape)
        twin_node_ints(node, "kernel_shape", c->w_dims + 2, c->spatial);
    node->node.attrs = node->attrs;
}

static void integer_node(const struct convolution *c, struct twin_node *node, bool x_zero_point,
                         bool w_zero_point)
{
    twin_node_init(node, "ConvInteger", 10, 1);
    twin_node_input(node, &c->x);
    twin_node_input(node, &c->w);
    twin_node_input(node, x_zero_point ? &c->x_zero_point : NULL);
    twin_node_input(node, w_zero_point ? &c->w_zero_point : NULL);
    add_attributes(c, node);
}

struct parameters {
    struct qd_tensor s_x, s_w, s_y, y_zero_point, bias;
    bool has_bias;
};

/* Index of filter m in w's scale tensor. */
static int64_t parameter_index(const struct qd_tensor *parameter, int64_t m)
{
    return parameter->count == 1 ? 0 : m;
}

/* Output element i's filter and its accumulator, bias included. */
static int64_t accumulator(const struct twin_result *sums, const struct parameters *p, int64_t i,
                           int64_t *filter)
{
    int64_t spatial = 1;
    for (unsigned axis = 2; axis < sums->rank; axis++)
        spatial *= sums->dims[axis];
    *filter = i / spatial % sums->dims[1];
    int64_t sum = mpz_get_si(mpq_numref(sums->elements[i].want.q));
    return sum + (p->has_bias ? twin_integer_of(&p->bias, *filter) : 0);
}

/* Scales: s_x and s_w random, s_y solved for one output, then every entry of s_w solved for an
 * output of its filter. */
static void solve(struct convolution *c, struct twin_random *random, const struct twin_result *sums,
                  struct parameters *p)
{
    struct twin_number s_x, s_w, s_y;
    int64_t filter;
    twin_number_init(&s_x);
    twin_number_init(&s_w);
    twin_number_init(&s_y);
    twin_element_of(&p->s_x, 0, &s_x);
    int64_t acc = accumulator(sums, p, twin_random_between(random, 0, sums->count - 1), &filter);
    twin_element_of(&p->s_w, parameter_index(&p->s_w, filter), &s_w);
    p->s_y = twin_scalar(&c->arena, QD_F32, twin_solve_divisor(random, acc, s_x.q, s_w.q));
    twin_element_of(&p->s_y, 0, &s_y);
    for (int64_t trial = 0; p->s_w.count > 1 && trial < 2 * p->s_w.count; trial++) {
        acc = accumulator(sums, p, twin_random_between(random, 0, sums->count - 1), &filter);
        twin_put(&p->s_w, filter, twin_solve_factor(random, acc, s_x.q, s_y.q));
    }
    twin_number_clear(&s_x);
    twin_number_clear(&s_w);
    twin_number_clear(&s_y);
}

static void choose_parameters(struct convolution *c, struct twin_random *random,
                              const struct twin_result *sums, struct parameters *p)
{
    const int64_t one = 1;
    enum qd_dtype y_type = random_type(random);
    p->s_x = twin_scalar(&c->arena, QD_F32, twin_random_scale(random, -10, 3));
    unsigned rank = c->w_zero_point.rank;
    p->s_w = twin_tensor(&c->arena, QD_F32, rank, rank ? c->w_zero_point.dims : &one);
    for (int64_t i = 0; i < p->s_w.count; i++)
        twin_put(&p->s_w, i, twin_random_scale(random, -10, 3));
    p->y_zero_point = random_codes(&c->arena, random, y_type, 0, NULL);
    p->has_bias = twin_random_one_in(random, 2);
    p->bias = twin_tensor(&c->arena, QD_S32, 1, c->w_dims);
    int64_t size = (int64_t)1 << twin_random_between(random, 4, 30);
    for (int64_t i = 0; i < p->bias.count; i++)
        twin_put(&p->bias, i, (uint64_t)twin_random_between(random, -size, size));
    if (twin_random_one_in(random, 10)) /* the accumulator may leave int32 */
        twin_put(&p->bias, 0, twin_random_one_in(random, 2) ? 0x7fffffff : 0x80000000);
    solve(c, random, sums, p);
}

static void quantized_node(const struct convolution *c, const struct parameters *p,
                           struct twin_node *node)
{
    const struct qd_tensor *in[] = {&c->x,   &p->s_x,          &c->x_zero_point,
                                    &c->w,   &p->s_w,          &c->w_zero_point,
                                    &p->s_y, &p->y_zero_point, &p->bias};
    twin_node_init(node, "QLinearConv", 10, 1);
    for (size_t i = 0; i < sizeof in / sizeof in[0] - !p->has_bias; i++)
        twin_node_input(node, in[i]);
    add_attributes(c, node);
}

static void qlinear_conv(void **state)
{
    (void)state;
    struct twin_random random = {21};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(800); i++) {
        struct convolution c;
        struct twin_node node;
        struct twin_result sums, want;
        struct parameters p;
        convolution_start(&c, &random);
        integer_node(&c, &node, true, true);
        twin_conv_integer(&node.node, node.in, &sums);
        choose_parameters(&c, &random, &sums, &p);
        quantized_node(&c, &p, &node);
        twin_qlinear_conv(&node.node, node.in, &want);
        twin_check(&node, i % 2 == 0, &want, &tally);
        twin_result_clear(&sums);
        twin_result_clear(&want);
        qd_arena_clear(&c.arena);
    }
    twin_tally_print("QLinearConv", &tally);
    assert_true(tally.slack > 0);
    assert_true(tally.unspecified > 0); /* accumulators beyond int32 */
}

static void conv_integer(void **state)
{
    (void)state;
    struct twin_random random = {22};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(2000); i++) {
        struct convolution c;
        struct twin_node node;
        struct twin_result want;
        convolution_start(&c, &random);
        integer_node(&c, &node, !twin_random_one_in(&random, 4), !twin_random_one_in(&random, 4));
        twin_conv_integer(&node.node, node.in, &want);
        twin_check(&node, i % 2 == 0, &want, &tally);
        twin_result_clear(&want);
        qd_arena_clear(&c.arena);
    }
    twin_tally_print("ConvInteger", &tally);
    assert_int_equal(tally.slack, 0);
}

/* The comparison can fail: each of these known wrong accumulations must be noticed. */
static void wrong_accumulations_are_caught(void **state)
{
    (void)state;
    static const char *const wrong[] = {"padding=raw-zero", "zero-points=ignored",
                                        "zero-points=channel0", "requantize=channel0-scale",
                                        "zero-point-order=before-exact"};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        struct twin_random random = {21};
        struct twin_tally tally = {0};
        struct qd_semantics semantics;
        struct qd_error error = {0};
        assert_int_equal(qd_semantics_parse(wrong[w], true, &semantics, &error), QD_OK);
        for (int64_t i = 0; i < 100; i++) {
            struct convolution c;
            struct twin_node node;
            struct twin_result sums, want;
            struct parameters p;
            struct qd_value have;
            char text[400];
            convolution_start(&c, &random);
            integer_node(&c, &node, true, true);
            twin_conv_integer(&node.node, node.in, &sums);
            choose_parameters(&c, &random, &sums, &p);
            quantized_node(&c, &p, &node);
            twin_qlinear_conv(&node.node, node.in, &want);
            if (twin_node_evaluate(&node, true, &semantics, &c.arena, &have, &error) != QD_OK)
                fail_msg("%s", error.text);
            twin_compare(&want, &have, &tally, text, sizeof text);
            twin_result_clear(&sums);
            twin_result_clear(&want);
            qd_arena_clear(&c.arena);
        }
        print_message("# %s: %" PRId64 " of %" PRId64 " differ\n", wrong[w], tally.failures,
                      tally.elements);
        assert_true(tally.failures > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qlinear_conv),
        cmocka_unit_test(conv_integer),
        cmocka_unit_test(wrong_accumulations_are_caught),
    };
    return cmocka_run_group_tests_name("twin_conv", tests, NULL, NULL);
}
