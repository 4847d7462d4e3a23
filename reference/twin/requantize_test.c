/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's requantization against the twin's: canonical code, admissible codes and flags of
 * acc·s_x·s_w/s_y, one accumulator and weight scale per channel. A 1×1 convolution over x =
 * x_zero_point leaves the accumulator to the bias.
 *
 * Soundness: whatever order a real kernel computes in, its answer is admissible. Tightness: the
 * set is the twin's. Alone: <build>/tests/reference/twin/requantize_test; QDIFF_TWIN_FACTOR=n runs
 * n times as much. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "twin/twin.h"

#define CHANNELS 500

struct problem {
    struct qd_arena arena;
    struct twin_node node;
    struct qd_tensor acc, s_x, s_w, s_y;
    enum qd_dtype dtype;
    int64_t zero_point;
};

/* Builds the node from the parameters already chosen. */
static void problem_build(struct problem *problem)
{
    static const int64_t one[] = {1, 1, 1}, filters[] = {CHANNELS, 1, 1};
    struct qd_tensor x = twin_tensor(&problem->arena, QD_U8, 3, one);
    struct qd_tensor w = twin_tensor(&problem->arena, QD_S8, 3, filters);
    struct qd_tensor x_zero_point = twin_scalar(&problem->arena, QD_U8, 77);
    struct qd_tensor w_zero_point = twin_tensor(&problem->arena, QD_S8, 1, filters);
    struct qd_tensor y_zero_point =
        twin_scalar(&problem->arena, problem->dtype, (uint64_t)problem->zero_point);
    twin_put(&x, 0, 77);
    for (int64_t i = 0; i < CHANNELS; i++)
        twin_put(&w_zero_point, i, 3);
    const struct qd_tensor *in[] = {&x,
                                    &problem->s_x,
                                    &x_zero_point,
                                    &w,
                                    &problem->s_w,
                                    &w_zero_point,
                                    &problem->s_y,
                                    &y_zero_point,
                                    &problem->acc};
    twin_node_init(&problem->node, "QLinearConv", 10, 1);
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        twin_node_input(&problem->node, in[i]);
}

static int64_t random_accumulator(struct twin_random *random)
{
    int64_t size = (int64_t)1 << twin_random_between(random, 1, 31);
    return twin_random_between(random, -size, size - 1);
}

/* Room for the parameters; accumulators, output type and zero point chosen. */
static void problem_start(struct problem *problem, struct twin_random *random)
{
    static const int64_t channels[] = {CHANNELS};
    qd_arena_init(&problem->arena, QD_ARENA_DEFAULT_BUDGET);
    problem->dtype = twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
    problem->zero_point = twin_random_code(random, problem->dtype);
    problem->acc = twin_tensor(&problem->arena, QD_S32, 1, channels);
    problem->s_w = twin_tensor(&problem->arena, QD_F32, 1, channels);
    for (int64_t i = 0; i < CHANNELS; i++)
        twin_put(&problem->acc, i, (uint64_t)random_accumulator(random));
}

/* s_x and s_y given, every s_w solved for its accumulator. */
static void problem_solve(struct problem *problem, struct twin_random *random)
{
    struct twin_number s_x, s_y;
    twin_number_init(&s_x);
    twin_number_init(&s_y);
    twin_element_of(&problem->s_x, 0, &s_x);
    twin_element_of(&problem->s_y, 0, &s_y);
    for (int64_t i = 0; i < CHANNELS; i++)
        twin_put(&problem->s_w, i,
                 twin_solve_factor(random, twin_integer_of(&problem->acc, i), s_x.q, s_y.q));
    twin_number_clear(&s_x);
    twin_number_clear(&s_y);
}

/* One channel's parameters, exactly. */
static const char *problem_describe(const struct problem *problem, int64_t channel, char *text,
                                    size_t size)
{
    const struct qd_tensor *const tensors[] = {&problem->s_x, &problem->s_w, &problem->s_y};
    double scales[3];
    struct twin_number number;
    twin_number_init(&number);
    for (int i = 0; i < 3; i++) {
        twin_element_of(tensors[i], i == 1 ? channel : 0, &number);
        scales[i] = number.kind == TWIN_FINITE ? mpq_get_d(number.q) : NAN;
    }
    twin_number_clear(&number);
    snprintf(text, size, "%" PRId64 " * %a * %a / %a + %" PRId64,
             twin_integer_of(&problem->acc, channel), scales[0], scales[1], scales[2],
             problem->zero_point);
    return text;
}

static void problem_finish(struct problem *problem, struct twin_tally *tally)
{
    struct twin_result want;
    struct qd_value have;
    struct qd_error error = {0};
    char text[400], channel[200];
    problem_build(problem);
    twin_qlinear_conv(&problem->node.node, problem->node.in, &want);
    if (twin_node_evaluate(&problem->node, true, NULL, &problem->arena, &have, &error) != QD_OK)
        fail_msg("%s", error.text);
    if (!twin_compare(&want, &have, tally, text, sizeof text))
        fail_msg("%s: %s", problem_describe(problem, tally->first, channel, sizeof channel), text);
    twin_result_clear(&want);
    qd_arena_clear(&problem->arena);
}

static void near_ties(void **state)
{
    (void)state;
    struct twin_random random = {11};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(120); i++) {
        struct problem problem;
        problem_start(&problem, &random);
        problem.s_x = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, -20, 5));
        problem.s_y = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, -20, 5));
        problem_solve(&problem, &random);
        problem_finish(&problem, &tally);
    }
    twin_tally_print("near ties", &tally);
    assert_true(tally.slack > tally.elements / 10 && tally.narrowed > 0);
    assert_int_equal(tally.unspecified, 0);
}

/* Power-of-two scales: real = acc/2^n, ties wherever acc is odd·2^(n−1). No slack at all. */
static void exact_ties(void **state)
{
    (void)state;
    struct twin_random random = {12};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(40); i++) {
        struct problem problem;
        problem_start(&problem, &random);
        int64_t a = twin_random_between(&random, 100, 140),
                b = twin_random_between(&random, 100, 140);
        problem.s_x = twin_scalar(&problem.arena, QD_F32, (uint64_t)a << 23);
        problem.s_y = twin_scalar(&problem.arena, QD_F32, (uint64_t)b << 23);
        for (int64_t c = 0; c < CHANNELS; c++) {
            int64_t n = twin_random_between(&random, 1, 15);
            int64_t odd = 2 * twin_random_between(&random, -160, 160) + 1;
            twin_put(&problem.acc, c, (uint64_t)(odd * (1 << (n - 1))));
            twin_put(&problem.s_w, c, (uint64_t)(b - a - n + 127) << 23);
        }
        problem_finish(&problem, &tally);
    }
    twin_tally_print("exact ties, power-of-two scales", &tally);
    assert_int_equal(tally.slack, 0);
    assert_int_equal(tally.unspecified, 0);
}

/* Any scale at all: every bit pattern of both signs, zeros, subnormals, infinities and NaN
 * included. */
static void wild_scales(void **state)
{
    (void)state;
    struct twin_random random = {13};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(150); i++) {
        struct problem problem;
        problem_start(&problem, &random);
        uint32_t s_x = (uint32_t)twin_random_bits(&random),
                 s_y = (uint32_t)twin_random_bits(&random);
        problem.s_x = twin_scalar(&problem.arena, QD_F32, i % 16 == 0 ? s_x & 0x807fffff : s_x);
        problem.s_y = twin_scalar(&problem.arena, QD_F32, i % 16 == 1 ? s_y & 0x807fffff : s_y);
        for (int64_t c = 0; c < CHANNELS; c++) {
            uint32_t s_w = (uint32_t)twin_random_bits(&random);
            twin_put(&problem.s_w, c, c % 8 == 0 ? s_w & 0x807fffff : s_w);
        }
        problem_finish(&problem, &tally);
    }
    twin_tally_print("wild scales", &tally);
    assert_true(tally.unspecified > 0 && tally.extreme > 0);
}

/* Near ties with scales so small or large that single orders leave float32's normal range. */
static void extreme_near_ties(void **state)
{
    (void)state;
    struct twin_random random = {14};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(100); i++) {
        struct problem problem;
        problem_start(&problem, &random);
        bool small = twin_random_one_in(&random, 2);
        int from = small ? -126 : 60, to = small ? -60 : 126;
        problem.s_x = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, from, to));
        problem.s_y = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, from, to));
        problem_solve(&problem, &random);
        problem_finish(&problem, &tally);
    }
    twin_tally_print("near ties, extreme scales", &tally);
    assert_true(tally.slack > 0 && tally.extreme > 0);
}

struct simulation {
    struct twin_random mixture;
    int64_t answers, not_canonical;
};

/* Every order as kernels compute it: in float32, in double, and in a mixture. */
static void simulate(const struct qd_observation *have, int64_t canonical,
                     const struct twin_terms *terms, enum qd_dtype dtype, int64_t zero_point,
                     struct simulation *simulation)
{
    for (unsigned order = 0; order < TWIN_ORDERS; order++) {
        const uint64_t narrow[] = {UINT64_MAX, 0, twin_random_bits(&simulation->mixture)};
        for (unsigned i = 0; i < 3; i++) {
            double real = nearbyint(twin_kernel(twin_order_text(order), terms, narrow[i]));
            double min = (double)twin_code_min(dtype), max = (double)twin_code_max(dtype);
            double code = fmin(fmax(real + (double)zero_point, min), max);
            simulation->answers++;
            simulation->not_canonical += code != (double)canonical;
            if (!qd_observation_admits(have, code))
                fail_msg("order %s in %s: acc %" PRId64 ", scales %a %a / %a, zero point %" PRId64
                         ": code %g is not admissible in [%g, %g]",
                         twin_order_text(order),
                         i == 0   ? "float"
                         : i == 1 ? "double"
                                  : "both",
                         terms->a, terms->s1, terms->s2, terms->sy, zero_point, code, have->lo,
                         have->hi);
        }
    }
}

/* The reference alone, no twin's set: each order's answer must be admissible. */
static void every_order_is_admissible(void **state)
{
    (void)state;
    struct twin_random random = {15};
    struct simulation simulation = {.mixture = {17}};
    struct twin_number s_x, s_w, s_y;
    twin_number_init(&s_x);
    twin_number_init(&s_w);
    twin_number_init(&s_y);
    for (int64_t i = 0; i < twin_rounds(40); i++) {
        struct problem problem;
        struct qd_value have;
        struct qd_error error = {0};
        problem_start(&problem, &random);
        problem.s_x = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, -20, 5));
        problem.s_y = twin_scalar(&problem.arena, QD_F32, twin_random_scale(&random, -20, 5));
        problem_solve(&problem, &random);
        problem_build(&problem);
        if (twin_node_evaluate(&problem.node, false, NULL, &problem.arena, &have, &error) != QD_OK)
            fail_msg("%s", error.text);
        twin_element_of(&problem.s_x, 0, &s_x);
        twin_element_of(&problem.s_y, 0, &s_y);
        for (int64_t c = 0; c < CHANNELS; c++) {
            struct qd_observation observation = qd_value_observe(&have, c);
            twin_element_of(&problem.s_w, c, &s_w);
            struct twin_terms terms = {.a = twin_integer_of(&problem.acc, c),
                                       .s1 = mpq_get_d(s_x.q),
                                       .s2 = mpq_get_d(s_w.q),
                                       .sy = mpq_get_d(s_y.q)};
            simulate(&observation, twin_integer_of(&have.want, c), &terms, problem.dtype,
                     problem.zero_point, &simulation);
        }
        qd_arena_clear(&problem.arena);
    }
    twin_number_clear(&s_x);
    twin_number_clear(&s_w);
    twin_number_clear(&s_y);
    print_message("# kernels' orders: %" PRId64 " answers, %" PRId64
                  " not canonical, all admissible\n",
                  simulation.answers, simulation.not_canonical);
    assert_true(simulation.answers > 0 && simulation.not_canonical > 0);
}

/* The comparison can fail: under each of these semantics, known wrong, it must find differences. */
static void wrong_semantics_are_caught(void **state)
{
    (void)state;
    static const char *const wrong[] = {"zero-point-order=before-exact", "rounding=half-away",
                                        "rounding=truncate", "range=wrap",
                                        "requantize=channel0-scale"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct twin_random random = {16};
        struct problem problem;
        struct qd_semantics semantics;
        struct qd_error error = {0};
        struct qd_value have;
        struct twin_result want;
        struct twin_tally tally = {0};
        char text[400];
        assert_int_equal(qd_semantics_parse(wrong[i], true, &semantics, &error), QD_OK);
        problem_start(&problem, &random);
        problem.zero_point = 3;
        problem.s_x = problem.s_y = twin_scalar(&problem.arena, QD_F32, 0x3f800000);
        for (int64_t c = 0; c < CHANNELS; c++) {
            twin_put(&problem.acc, c, (uint64_t)twin_random_between(&random, -300, 300));
            twin_put(&problem.s_w, c, c % 2 ? 0x3f000000 : 0x3f800000); /* ½, 1 */
        }
        problem_build(&problem);
        twin_qlinear_conv(&problem.node.node, problem.node.in, &want);
        assert_int_equal(
            twin_node_evaluate(&problem.node, true, &semantics, &problem.arena, &have, &error),
            QD_OK);
        assert_false(twin_compare(&want, &have, &tally, text, sizeof text));
        print_message("# %s: %" PRId64 " of %d differ; %s\n", wrong[i], tally.failures, CHANNELS,
                      text);
        twin_result_clear(&want);
        qd_arena_clear(&problem.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_ties),
        cmocka_unit_test(exact_ties),
        cmocka_unit_test(wild_scales),
        cmocka_unit_test(extreme_near_ties),
        cmocka_unit_test(every_order_is_admissible),
        cmocka_unit_test(wrong_semantics_are_caught),
    };
    return cmocka_run_group_tests_name("twin_requantize", tests, NULL, NULL);
}
