/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the suite, and that it goes red on every broken part of the harness.
 * Alone: <build>/tests/reports/self_test/kill_matrix_test */
#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/case_edit.h"
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
    f.plan = (struct qd_matrix_plan){.selection = &f.selection,
                                     .harness = &qd_harness,
                                     .mutants = true,
                                     .least = true,
                                     .stride = 1,
                                     .jobs = 2};
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

static size_t index_of(const char *quirk)
{
    size_t q = 0;
    while (qd_quirk_at(q) && strcmp(qd_quirk_at(q)->name, quirk) != 0)
        q++;
    assert_non_null(qd_quirk_at(q));
    return q;
}

/* Whether a case whose id fits a pattern notices a quirk. */
struct watch {
    const char *quirk, *ids;
    bool noticed;
};

struct lookout {
    struct watch *watches;
    size_t count;
    struct qd_mutants mutants;
    bool settled[64 * QD_KILL_WORDS]; /* all but the one that is watched for */
    double seconds[64 * QD_KILL_WORDS];
};

static bool notices(struct lookout *lookout, const char *quirk, const struct qd_case *kase)
{
    size_t q = index_of(quirk);
    struct qd_arena arena;
    struct qd_kills kills;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    lookout->settled[q] = false;
    if (qd_kill_case(&qd_harness, &lookout->mutants, kase, &arena, &kills, lookout->seconds,
                     &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    lookout->settled[q] = true;
    qd_arena_clear(&arena);
    return qd_kills_has(&kills, q);
}

static enum qd_visit look_out(void *context, const struct qd_selected *selected)
{
    struct lookout *lookout = context;
    for (size_t i = 0; i < lookout->count; i++) {
        struct watch *watch = &lookout->watches[i];
        if (!watch->noticed && fnmatch(watch->ids, selected->kase->id, 0) == 0)
            watch->noticed = notices(lookout, watch->quirk, selected->kase);
    }
    return QD_VISIT_GO_ON;
}

static enum qd_visit pass_over(void *context, const char *path, const struct qd_error *error)
{
    (void)context, (void)path, (void)error;
    return QD_VISIT_GO_ON;
}

/* A rounding that a node asks for and a target leaves out: of Cast, pairs, precision and output_dtype, to each type. */
static void dropped_roundings_are_noticed(void **state)
{
    struct watch watches[] = {
        {"cast-dropped", "regressions/ort-8787", false}, /* float16 */
        {"cast-dropped", "witnesses/cast-back-bf16", false},
        {"cast-dropped", "witnesses/cast-back-f8e4m3fn", false},
        {"cast-dropped", "witnesses/cast-back-s32", false},
        {"rounding-step-dropped", "QDQ*-u8*", false},
        {"rounding-step-dropped", "QDQ*-s8*", false},
        {"rounding-step-dropped", "Graph*-u16*", false},
        {"rounding-step-dropped", "Graph*-s16*", false},
        {"requantize-dropped", "*-u8*", false},
        {"requantize-dropped", "*-s8*", false},
        {"double-quantize-collapsed", "*-u8*", false},
        {"double-quantize-collapsed", "*-s8*", false},
        {"precision-ignored", "QuantizeLinear/*-prec_f16-*", false},
        {"precision-ignored", "QuantizeLinear/*-prec_bf16-*", false},
        {"precision-ignored", "QuantizeLinear/*-prec_f32-*", false},
        {"precision-of-wider-type", "QuantizeLinear/*-s_bf16-*", false},
        {"precision-of-wider-type", "witnesses/quantize-by-bfloat16-int32-wide", false},
        {"output-dtype-ignored", "witnesses/output-dtype-f16", false},
        {"output-dtype-ignored", "witnesses/output-dtype-bf16", false},
        {"float8-saturate-ignored", "QuantizeLinear/*,y-f8*", false},
    };
    struct fixture *f = *state;
    struct lookout lookout = {.watches = watches, .count = sizeof watches / sizeof *watches};
    const struct qd_visitor visitor = {look_out, pass_over, &lookout};
    struct qd_error error;
    memset(lookout.settled, true, sizeof lookout.settled);
    assert_int_equal(qd_mutants_init(&f->arena, &lookout.mutants, &error), QD_OK);
    lookout.mutants.settled = lookout.settled;
    assert_int_equal(qd_visit_selected(&f->selection, &visitor, &error), QD_OK);
    size_t missed = 0;
    for (size_t i = 0; i < lookout.count; i++)
        if (!watches[i].noticed) {
            print_error("%s goes unnoticed among %s\n", watches[i].quirk, watches[i].ids);
            missed++;
        }
    assert_int_equal(missed, 0);
}

/* Quirks on numbers that no kernel is made for, in the cases that notice them. */
struct extremes {
    const struct qd_kill_matrix *matrix;
    struct qd_mutants mutants;
    size_t at;                        /* the next case of the matrix */
    size_t tried[64 * QD_KILL_WORDS]; /* cases of each quirk */
    size_t answers;
    struct qd_arena arena;
};

/* The case with all elements of one operand replaced. */
static void replace(const struct qd_case *kase, size_t operand, double number,
                    struct qd_arena *arena, struct qd_case *replaced)
{
    struct qd_case_edit edit;
    struct qd_error error;
    if (qd_case_edit_begin(kase, arena, &edit, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    struct qd_tensor *tensor = qd_case_edit_copy_tensor(&edit, edit.values[operand].tensor);
    assert_non_null(tensor);
    for (int64_t i = 0; i < tensor->count; i++)
        qd_tensor_set(tensor, i, (int64_t)qd_float_encode(tensor->dtype, number, false));
    edit.values[operand].tensor = tensor;
    if (qd_case_edit_finish(&edit, kase->id, false, replaced, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
}

static void answer(struct extremes *e, size_t quirk, const struct qd_case *kase)
{
    struct qd_value *values = qd_arena_array(&e->arena, kase->graph->output_count, sizeof *values);
    struct qd_error error;
    assert_non_null(values);
    enum qd_status status = qd_graph_evaluate(
        kase->graph, kase->inputs, &e->mutants.semantics[quirk], &e->arena, values, &error);
    if (status == QD_INTERNAL)
        fail_msg("%s under %s: %s", kase->id, qd_quirk_at(quirk)->name, error.text);
    e->answers += status == QD_OK;
}

static void try_extremes(struct extremes *e, size_t quirk, const struct qd_case *kase)
{
    static const double numbers[] = {0, -1, NAN, INFINITY, 0x1p-149, 0x1p127, -0x1p100};
    struct qd_case_edit edit;
    struct qd_error error;
    qd_arena_reset(&e->arena);
    if (qd_case_edit_begin(kase, &e->arena, &edit, &error) != QD_OK)
        return; /* too large to be edited */
    size_t count = edit.value_count;
    for (size_t i = 0; i < count; i++) {
        const struct qd_tensor *tensor = edit.values[i].tensor;
        if (!tensor || !qd_float_format(tensor->dtype))
            continue;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            struct qd_case replaced;
            replace(kase, i, numbers[k], &e->arena, &replaced);
            answer(e, quirk, &replaced);
        }
    }
}

static enum qd_visit visit_extremes(void *context, const struct qd_selected *selected)
{
    struct extremes *e = context;
    size_t at = e->at++;
    assert_string_equal(selected->kase->id, e->matrix->ids[at]);
    for (size_t q = 0; q < e->matrix->quirk_count; q++)
        if (e->tried[q] < QD_LEAST_KILLS && qd_kills_has(&e->matrix->kills[at], q)) {
            try_extremes(e, q, selected->kase);
            e->tried[q]++;
        }
    return QD_VISIT_GO_ON;
}

/* What they answer is no matter, but a number that fits no integer is never converted to one, and no index leaves its
 * array: the sanitizers of scripts/check look on. */
static void quirks_bear_extreme_numbers(void **state)
{
    struct fixture *f = *state;
    struct extremes e = {.matrix = &f->matrix};
    const struct qd_visitor visitor = {visit_extremes, pass_over, &e};
    struct qd_error error;
    qd_arena_init(&e.arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_mutants_init(&f->arena, &e.mutants, &error), QD_OK);
    assert_int_equal(qd_visit_selected(&f->selection, &visitor, &error), QD_OK);
    for (size_t q = 0; q < f->matrix.quirk_count; q++)
        if (e.tried[q] == 0)
            fail_msg("%s was tried on no case", qd_quirk_at(q)->name);
    print_message("# %zu answers\n", e.answers);
    assert_true(e.answers > 0);
    qd_arena_clear(&e.arena);
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
        cmocka_unit_test(quirks_bear_extreme_numbers),
        cmocka_unit_test(broken_parts_are_noticed),
        cmocka_unit_test(a_sound_part_is_not_noticed),
    };

    return cmocka_run_group_tests_name("kill matrix", tests, make, clear);
}
