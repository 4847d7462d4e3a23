/* SPDX-License-Identifier: Apache-2.0 */
/* The mutation core: total, deterministic, and better than chance at the numbers that matter.
 * Alone: <build>/tests/fuzz/mutate_case_test */
#include "qdiff/counters.h"
#include "stock_testlib.h"

/* What the reference says of the bytes, which have to decode. */
static enum qd_status status_of(struct fixture *f, const uint8_t *bytes, size_t size,
                                unsigned *events)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error error;
    qd_arena_reset(&f->other);
    if (qd_case_decode(bytes, size, &f->other, &kase, &error) != QD_OK)
        fail_msg("a mutant does not decode: %s", error.text);
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, true, kase.graph, kase.inputs,
                                                     NULL, &f->other, values, &error);
    *events = 0;
    for (size_t o = 0; status == QD_OK && o < kase.graph->output_count; o++)
        *events |= qd_counters_events(&values[o]);
    return status;
}

/* Whatever the bytes, a case comes out, and the same one for the same seed. */
static void total_and_deterministic(void **state)
{
    struct fixture *f = *state;
    unsigned events;
    size_t valid = 0, invalid = 0;
    for (unsigned seed = 0; seed < 400; seed++) {
        struct qd_random random = qd_random_seed("bytes", seed);
        size_t size = (size_t)qd_random_range(&random, 0, 300);
        for (size_t i = 0; i < size; i++)
            f->first[i] = f->second[i] = (uint8_t)qd_random_next(&random);
        size_t a = qd_mutate_case(&f->mutation, &f->arena, f->first, size, CAPACITY, seed);
        size_t b = qd_mutate_case(&f->mutation, &f->arena, f->second, size, CAPACITY, seed);
        assert_true(a > 0);
        assert_int_equal(a, b);
        assert_memory_equal(f->first, f->second, a);
        a = qd_mutate_case(&f->mutation, &f->arena, f->first, a, CAPACITY, seed + 1000);
        assert_true(a > 0);
        enum qd_status status = status_of(f, f->first, a, &events);
        assert_int_not_equal(status, QD_INTERNAL);
        valid += status == QD_OK;
        invalid += status == QD_INVALID;
    }
    print_message("# 400 mutants: %zu valid, %zu to be rejected\n", valid, invalid);
    assert_in_range(valid, 200, 390);
    assert_in_range(invalid, 10, 200);
}

static void little_room(void **state)
{
    struct fixture *f = *state;
    for (unsigned seed = 0; seed < 50; seed++) {
        size_t capacity = 300 + seed;
        memset(f->first, 0xa5, 2048);
        size_t size = qd_mutate_case(&f->mutation, &f->arena, f->first, 0, capacity, seed);
        assert_true(size <= capacity);
        for (size_t i = capacity; i < 2048; i++)
            assert_int_equal(f->first[i], 0xa5);
    }
    assert_int_equal(qd_mutate_case(&f->mutation, &f->arena, f->first, 0, 3, 1), 0);
}

static void crossovers_decode(void **state)
{
    struct fixture *f = *state;
    uint8_t *out = malloc(CAPACITY);
    size_t valid = 0;
    unsigned events;
    assert_non_null(out);
    for (unsigned seed = 0; seed < 100; seed++) {
        size_t a = qd_mutate_case(&f->mutation, &f->arena, f->first, 0, CAPACITY, seed);
        size_t b = qd_mutate_case(&f->mutation, &f->arena, f->second, 0, CAPACITY, seed + 500);
        size_t size =
            qd_cross_cases(&f->mutation, &f->arena, f->first, a, f->second, b, out, CAPACITY, seed);
        assert_true(size > 0);
        valid += status_of(f, out, size, &events) == QD_OK;
    }
    free(out);
    assert_true(valid >= 50);
}

/* Cases of `count` that have an element for which `event` holds. */
static size_t cases_with(struct fixture *f, enum qd_numbers numbers, unsigned event, unsigned count)
{
    struct qd_mutation mutation = {.stock = &f->stock, .numbers = numbers};
    size_t with = 0;
    for (unsigned seed = 0; seed < count; seed++) {
        unsigned events;
        size_t size = qd_mutate_case(&mutation, &f->arena, f->first, 0, CAPACITY, seed);
        assert_true(size > 0);
        with += status_of(f, f->first, size, &events) == QD_OK && (events & event);
    }
    return with;
}

/* The frozen baseline draws uniformly and meets few ties; solving meets them in many cases. */
static void numbers_are_solved(void **state)
{
    struct fixture *f = *state;
    size_t ours = cases_with(f, QD_NUMBERS_SOLVED, QD_EVENT_TIE, 600);
    size_t chance = cases_with(f, QD_NUMBERS_UNIFORM, QD_EVENT_TIE, 600);
    print_message("# of 600 cases, with an exact tie: %zu solved, %zu by chance\n", ours, chance);
    assert_true(ours >= 30);
    assert_true(ours >= 5 * chance);
}

/* A swarm's run has half of the families, others than another swarm's. */
static void swarms_differ(void **state)
{
    struct fixture *f = *state;
    struct qd_case kase;
    struct qd_error error;
    size_t average[3] = {0};
    for (uint64_t swarm = 0; swarm < 3; swarm++) {
        struct qd_mutation mutation = {.stock = &f->stock, .swarm = swarm};
        for (unsigned seed = 0; seed < 300; seed++) {
            struct qd_random random = qd_random_seed("swarm", seed);
            qd_arena_reset(&f->arena);
            if (qd_generate_case(&mutation, &random, &f->arena, &kase, &error) == QD_OK)
                average[swarm] += strcmp(kase.op, "QLinearConv") == 0;
        }
    }
    assert_true(average[0] > 0);
    assert_true(average[1] == 0 || average[2] == 0 || average[1] > average[0] ||
                average[2] > average[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(total_and_deterministic), cmocka_unit_test(little_room),
        cmocka_unit_test(crossovers_decode),       cmocka_unit_test(numbers_are_solved),
        cmocka_unit_test(swarms_differ),
    };
    return cmocka_run_group_tests_name("fuzz/mutate_case", tests, stock_set_up, stock_tear_down);
}
