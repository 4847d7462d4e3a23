/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the suite, and that it goes red on every broken part of the harness.
 * Alone: <build>/tests/reports/self_test/kill_matrix_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "self_test/kill_matrix.h"

struct fixture {
    struct qd_arena arena;
    struct qd_options options;
    struct qd_selection selection;
    struct qd_matrix_plan plan;
    struct qd_kill_matrix matrix;
};

static int make(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof f);
    qd_arena_init(&f.arena, QD_ARENA_DEFAULT_BUDGET);
    f.options.level = QD_LEVEL_SMOKE;
    f.options.cases = QD_TEST_CASES_DIR;
    f.plan = (struct qd_matrix_plan){
        .selection = &f.selection, .harness = &qd_harness, .mutants = true, .stride = 1, .jobs = 2};
    *state = &f;
    struct qd_error error;
    if (qd_selection_init(&f.options, &f.arena, &f.selection, &error) != QD_OK ||
        qd_matrix_make(&f.plan, &f.arena, &f.matrix, &error) != QD_OK) {
        print_error("%s\n", error.text);
        return -1;
    }
    return 0;
}

static int clear(void **state)
{
    struct fixture *f = *state;

    qd_arena_clear(&f->arena);
    return 0;
}

static void every_quirk_is_noticed_by_three_cases(void **state)
{
    const struct fixture *f = *state;

    for (size_t q = 0; q < f->matrix.quirk_count; q++) {
        const char *first;
        size_t kills = qd_matrix_kills(&f->matrix, q, &first);

        if (kills < QD_LEAST_KILLS)
            print_error("quirk %s: noticed by %zu cases\n", qd_quirk_at(q)->name, kills);
    }
    struct qd_self_test_counts counts;
    qd_matrix_judge(&f->matrix, &counts);
    print_message("# %zu cases, %zu compared, %zu quirks, %.1f s\n", f->matrix.case_count,
                  counts.compared, f->matrix.quirk_count, f->matrix.wall);
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.false_alarms, 0);
    assert_int_equal(counts.blind, 0);
    assert_int_equal(counts.holes, 0);
    assert_int_equal(counts.tie_holes, 0);
    assert_true(qd_self_test_is_green(&counts));
}

/* A rounding that a node asks for and a target leaves out: Cast, pairs, precision, output_dtype. */
static void dropped_roundings_are_noticed(void **state)
{
    static const char *const names[] = {"cast-dropped",       "rounding-step-dropped",
                                        "requantize-dropped", "double-quantize-collapsed",
                                        "precision-ignored",  "output-dtype-ignored"};
    const struct fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t q = 0;
        const char *first;
        while (qd_quirk_at(q) && strcmp(qd_quirk_at(q)->name, names[i]) != 0)
            q++;
        if (!qd_quirk_at(q) || qd_matrix_kills(&f->matrix, q, &first) < QD_LEAST_KILLS)
            fail_msg("%s is not noticed by %d cases", names[i], QD_LEAST_KILLS);
    }
}

static void broken_parts_are_noticed(void **state)
{
    struct fixture *f = *state;
    size_t count = 0;

    for (; qd_broken_part_at(count); count++) {
        const struct qd_broken_part *part = qd_broken_part_at(count);
        struct qd_error error;
        bool noticed = false;

        if (qd_broken_part_is_noticed(part, &f->plan, &f->matrix, &f->arena, &noticed, &error) !=
            QD_OK)
            fail_msg("%s: %s", part->name, error.text);
        if (!noticed)
            fail_msg("%s goes unnoticed", part->name);
    }
    assert_true(count >= 12);
}

/* The real harness in the place of a broken part is not taken for one. */
static void a_sound_part_is_not_noticed(void **state)
{
    struct fixture *f = *state;
    const struct qd_broken_part sound = {.name = "sound", .meaning = "", .harness = &qd_harness};
    struct qd_error error;
    bool noticed = true;

    assert_int_equal(
        qd_broken_part_is_noticed(&sound, &f->plan, &f->matrix, &f->arena, &noticed, &error),
        QD_OK);
    assert_false(noticed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quirk_is_noticed_by_three_cases),
        cmocka_unit_test(dropped_roundings_are_noticed),
        cmocka_unit_test(broken_parts_are_noticed),
        cmocka_unit_test(a_sound_part_is_not_noticed),
    };

    return cmocka_run_group_tests_name("kill matrix", tests, make, clear);
}
