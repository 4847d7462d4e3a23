/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a large product: what is computed is what the whole gives, the rest is unspecified.
 * Alone: <build>/tests/cases/sample_test */
#include "case_testlib.h"

#include "qdiff/evaluated.h"
#include "qdiff/random.h"

struct layer {
    const char *name;
    void (*build)(struct qd_arena *arena, struct qd_builder *builder);
    enum qd_dtype output;
};

static struct qd_tensor codes(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims)
{
    struct qd_random random = qd_random_seed("codes", rank + (unsigned)dims[0]);
    struct qd_tensor tensor;
    struct qd_error error;

    assert_ok(qd_tensor_init(&tensor, arena, dtype, rank, dims, &error), error);
    for (int64_t i = 0; i < tensor.count; i++)
        if (qd_dtype_is_integer(dtype))
            qd_tensor_set(&tensor, i, qd_random_range(&random, 0, 100));
        else
            qd_tensor_set(&tensor, i,
                          (int64_t)qd_float_encode(
                              dtype, (double)qd_random_range(&random, -100, 100) / 8, false));
    return tensor;
}

static void put(struct qd_arena *arena, struct qd_builder *builder, const char *name,
                enum qd_dtype dtype, unsigned rank, const int64_t *dims)
{
    struct qd_tensor tensor = codes(arena, dtype, rank, dims);

    if (strcmp(name, "x") == 0)
        qd_build_input(builder, name, &tensor);
    else
        qd_build_initializer(builder, name, &tensor);
}

static const int64_t image[] = {2, 4, 9, 9}, filters[] = {16, 2, 3, 3}, bias[] = {16},
                     rows[] = {3, 20, 12}, matrix[] = {12, 24}, plain[] = {40, 12};

static void conv_block(struct qd_arena *arena, struct qd_builder *builder)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    const float scale = 0.25f;
    struct qd_tensor s = sample_floats(arena, 0, &scale);

    put(arena, builder, "x", QD_U8, 4, image);
    put(arena, builder, "w", QD_S8, 4, filters);
    put(arena, builder, "b", QD_F32, 1, bias);
    qd_build_initializer(builder, "s", &s);
    qd_build_node(builder, "", "DequantizeLinear", "x,s", "xf");
    qd_build_node(builder, "", "DequantizeLinear", "w,s", "wf");
    qd_build_node(builder, "", "Conv", "xf,wf,b", "t");
    qd_build_attr_int(builder, "group", 2);
    qd_build_attr_ints(builder, "pads", pads, 4);
    qd_build_node(builder, "", "Relu", "t", "r");
    qd_build_node(builder, "", "Add", "r,r", "a");
    qd_build_node(builder, "", "QuantizeLinear", "a,s", "y");
}

static void conv_integer(struct qd_arena *arena, struct qd_builder *builder)
{
    put(arena, builder, "x", QD_U8, 4, image);
    put(arena, builder, "w", QD_S8, 4, filters);
    qd_build_node(builder, "", "ConvInteger", "x,w", "y");
    qd_build_attr_int(builder, "group", 2);
}

static void matmul(struct qd_arena *arena, struct qd_builder *builder)
{
    put(arena, builder, "x", QD_F32, 3, rows);
    put(arena, builder, "w", QD_F32, 2, matrix);
    qd_build_node(builder, "", "MatMul", "x,w", "y");
}

static void matmul_integer(struct qd_arena *arena, struct qd_builder *builder)
{
    put(arena, builder, "x", QD_U8, 3, rows);
    put(arena, builder, "w", QD_S8, 2, matrix);
    qd_build_node(builder, "", "MatMulInteger", "x,w", "y");
}

static void gemm(struct qd_arena *arena, struct qd_builder *builder)
{
    put(arena, builder, "x", QD_F32, 2, plain);
    put(arena, builder, "w", QD_F32, 2, matrix);
    qd_build_node(builder, "", "Gemm", "x,w", "y");
}

static const struct layer layers[] = {{"conv", conv_block, QD_U8},
                                      {"conv-integer", conv_integer, QD_S32},
                                      {"matmul", matmul, QD_F32},
                                      {"matmul-integer", matmul_integer, QD_S32},
                                      {"gemm", gemm, QD_F32}};
#define LAYER_COUNT (sizeof layers / sizeof *layers)

static void build_layer(const struct layer *layer, struct qd_arena *arena, struct qd_case *kase)
{
    struct qd_error error;
    struct qd_builder *builder = qd_build_begin(arena, 13);

    assert_non_null(builder);
    layer->build(arena, builder);
    qd_build_output_inferred(builder, "y", layer->output);
    assert_ok(qd_build_finish(builder, layer->name, false, kase, &error), error);
}

/* How many elements were computed; each of them is what the whole has. */
static int64_t count_same(const char *name, const struct qd_value *part,
                          const struct qd_value *whole)
{
    int64_t computed = 0;

    assert_int_equal(part->want.count, whole->want.count);
    for (int64_t i = 0; i < whole->want.count; i++) {
        if (qd_value_flags(part, i) & QD_UNSPECIFIED)
            continue;
        computed++;
        if (qd_tensor_get(&part->want, i) != qd_tensor_get(&whole->want, i) ||
            qd_value_lo(part, i) != qd_value_lo(whole, i) ||
            qd_value_hi(part, i) != qd_value_hi(whole, i) ||
            qd_value_flags(part, i) != qd_value_flags(whole, i))
            fail_msg("%s: element %lld of the sample is not that of the whole", name, (long long)i);
    }
    return computed;
}

/* A quarter of the products: about as many elements, with the first and the last one. */
static void a_sample_is_a_part_of_the_whole(void **state)
{
    struct qd_arena *arena = *state;

    for (size_t l = 0; l < LAYER_COUNT; l++) {
        struct qd_case kase;
        struct qd_evaluated whole, part;
        struct qd_error error;
        double cost = 0;
        struct qd_sample none = {.work = 0x1p60};
        build_layer(&layers[l], arena, &kase);
        assert_ok(qd_case_evaluate_within(0x1p60, &none, &kase, arena, &whole, &error), error);
        assert_int_equal(none.channels, 0);
        for (double work = 0x1p30; work >= 1; work /= 2) { /* the least that takes all of them */
            struct qd_sample sample = {.work = work};
            if (qd_case_evaluate_within(0x1p60, &sample, &kase, arena, &part, &error) != QD_OK ||
                sample.channels > 0)
                break;
            cost = work;
        }
        struct qd_sample sample = {.work = cost / 4};
        assert_ok(qd_case_evaluate_within(0x1p60, &sample, &kase, arena, &part, &error), error);
        int64_t count = whole.values[0].want.count;
        int64_t computed = count_same(layers[l].name, &part.values[0], &whole.values[0]);
        print_message("# %s: %lld of %lld elements\n", layers[l].name, (long long)computed,
                      (long long)count);
        assert_in_range(computed, count / 8, count / 2 + count / 8);
        assert_true(sample.chosen_channels < sample.channels && sample.chosen_channels > 0);
        assert_true(sample.chosen_positions < sample.positions && sample.chosen_positions > 0);
        assert_false(qd_value_flags(&part.values[0], 0) & QD_UNSPECIFIED);
        assert_false(qd_value_flags(&part.values[0], count - 1) & QD_UNSPECIFIED);
    }
}

/* What is larger than a sample may be is refused. */
static void too_little_work_is_a_limit(void **state)
{
    struct qd_arena *arena = *state;

    for (size_t l = 0; l < LAYER_COUNT; l++) {
        struct qd_case kase;
        struct qd_evaluated part;
        struct qd_error error;
        struct qd_sample sample = {.work = 8};
        build_layer(&layers[l], arena, &kase);
        assert_refused(qd_case_evaluate_within(0x1p60, &sample, &kase, arena, &part, &error),
                       QD_LIMIT, &error, "one channel or position alone");
        sample = (struct qd_sample){.work = 1e6};
        assert_refused(qd_case_evaluate_within(100, &sample, &kase, arena, &part, &error), QD_LIMIT,
                       &error, "more multiply-accumulates than it may");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_a_part_of_the_whole),
        cmocka_unit_test(too_little_work_is_a_limit),
    };
    return cmocka_run_group_tests_name("cases/sample", tests, arena_set_up, arena_tear_down);
}
