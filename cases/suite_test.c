/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's walk over a directory of cases: order, stopping, what is refused. */
#include "case_testlib.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qdiff/answer.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

struct seen {
    size_t count, stop_after;
    char ids[4096];
};

static enum qd_visit note(void *context, const struct qd_case *kase)
{
    struct seen *seen = context;
    if (seen->count < 40)
        snprintf(seen->ids + strlen(seen->ids), sizeof seen->ids - strlen(seen->ids), "%s ",
                 kase->id);
    return ++seen->count == seen->stop_after ? QD_VISIT_STOP : QD_VISIT_GO_ON;
}

static void save_as(struct qd_arena *arena, const char *directory, const char *file, const char *id)
{
    struct qd_error error;
    struct qd_case kase = sample_conv_case(arena);
    kase.id = id;
    assert_ok(qd_case_save(&kase, qd_arena_printf(arena, "%s/%s", directory, file), &error), error);
}

static void test_order_and_stop(void **state)
{
    struct qd_arena *arena = *state;
    const char *path = make_scratch(arena);
    struct qd_error error;
    assert_int_equal(mkdir(qd_arena_printf(arena, "%s/deep", path), 0777), 0);
    save_as(arena, path, "1.qdcase", "c");
    save_as(arena, path, "2.qdcase", "a");
    save_as(arena, path, "deep/3.qdcase", "b");
    save_as(arena, path, "ignored.other", "z");
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = path};
    struct seen seen = {.stop_after = 3};
    assert_ok(qd_suite_visit(&options, note, &seen, &error), error);
    assert_string_equal(seen.ids, "a b c ");
    seen = (struct seen){.stop_after = 2};
    assert_ok(qd_suite_visit(&options, note, &seen, &error), error);
    assert_string_equal(seen.ids, "a b ");
    remove_scratch(path);
}

static void test_refused_directories(void **state)
{
    struct qd_arena *arena = *state;
    const char *path = make_scratch(arena);
    struct qd_error error;
    struct seen seen = {.stop_after = 1};
    struct qd_suite_options options = {.cases_dir = path};
    assert_refused(qd_suite_visit(&options, note, &seen, &error), QD_IO, &error, "no *.qdcase");
    save_as(arena, path, "1.qdcase", "same");
    save_as(arena, path, "2.qdcase", "same");
    assert_refused(qd_suite_visit(&options, note, &seen, &error), QD_INVALID, &error,
                   "same id 'same'");
    assert_ok(qd_file_write(qd_arena_printf(arena, "%s/2.qdcase", path), "junk", 4, &error), error);
    assert_refused(qd_suite_visit(&options, note, &seen, &error), QD_MALFORMED, &error, "2.qdcase");
    options.cases_dir = "/nonexistent/cases";
    assert_refused(qd_suite_visit(&options, note, &seen, &error), QD_IO, &error,
                   "/nonexistent/cases");
    assert_int_equal(seen.count, 0);
    remove_scratch(path);
}

static void test_link_loop(void **state)
{
    struct qd_arena *arena = *state;
    const char *path = make_scratch(arena);
    struct qd_error error;
    struct seen seen = {0};
    struct qd_suite_options options = {.cases_dir = path};
    assert_int_equal(symlink(path, qd_arena_printf(arena, "%s/loop", path)), 0);
    assert_refused(qd_suite_visit(&options, note, &seen, &error), QD_LIMIT, &error, "16 deep");
    remove_scratch(path);
}

/* Every case of the tree decodes, and there are some. */
static void test_hand_written(void **state)
{
    (void)state;
    struct qd_error error;
    struct seen seen = {0};
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    assert_ok(qd_suite_visit(&options, note, &seen, &error), error);
    assert_true(seen.count > 0);
}

static bool is_wanted(const void *context, const char *part)
{
    const char *family = context;
    return family && (strcmp(family, part) == 0 || qd_family_has_id(family, part));
}

/* A walk that wants this family alone. */
struct wanted {
    const char *family;
    size_t count;
};

static enum qd_visit note_family(void *context, const struct qd_case *kase)
{
    struct wanted *wanted = context;
    size_t length = strlen(wanted->family);
    if (strncmp(kase->id, wanted->family, length) != 0 || kase->id[length] != '/')
        fail_msg("'%s' is a case of %s", kase->id, wanted->family);
    wanted->count++;
    return QD_VISIT_GO_ON;
}

/* Ids begin with the family's name, and the families one by one have the cases of all together. */
static void test_wanted_families(void **state)
{
    (void)state;
    struct qd_error error;
    struct seen all = {0}, none = {0};
    size_t sum = 0;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    assert_ok(qd_suite_visit(&options, note, &all, &error), error);
    options.wanted = is_wanted;
    for (size_t i = 0; qd_family_at(i); i++) {
        struct wanted wanted = {.family = qd_family_at(i)->name};
        options.wanted_context = wanted.family;
        assert_ok(qd_suite_visit(&options, note_family, &wanted, &error), error);
        sum += wanted.count;
    }
    assert_int_equal(sum, all.count);
    options.wanted_context = NULL;
    assert_ok(qd_suite_visit(&options, note, &none, &error), error);
    assert_int_equal(none.count, 0);
}

struct entering {
    size_t asked, taken; /* parts; the one to enter */
    size_t cases;
};

static bool enter_one(void *context)
{
    struct entering *entering = context;
    return entering->asked++ == entering->taken;
}

static enum qd_visit count_case(void *context, const struct qd_case *kase)
{
    struct entering *entering = context;
    (void)kase;
    entering->cases++;
    return QD_VISIT_GO_ON;
}

/* Each part has the same cases whether or not the others are entered. */
static void test_entered_parts(void **state)
{
    (void)state;
    struct qd_error error;
    struct seen all = {0};
    struct entering entering = {.taken = SIZE_MAX};
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    size_t sum = 0, parts;
    assert_ok(qd_suite_visit(&options, note, &all, &error), error);
    options.enter = enter_one;
    options.enter_context = &entering;
    assert_ok(qd_suite_visit(&options, count_case, &entering, &error), error);
    assert_int_equal(entering.cases, 0);
    parts = entering.asked;
    assert_true(parts > 100);
    for (size_t i = 0; i < parts; i++) {
        entering = (struct entering){.taken = i};
        assert_ok(qd_suite_visit(&options, count_case, &entering, &error), error);
        assert_int_equal(entering.asked, parts);
        sum += entering.cases;
    }
    assert_int_equal(sum, all.count);
}

/* What has to be refused comes after every valid case: a target that takes it may be damaged. */
struct order {
    size_t valid, refused;
};

static enum qd_visit note_order(void *context, const struct qd_case *kase)
{
    struct order *order = context;
    bool refused = kase->expect == QD_EXPECT_MUST_REJECT;
    assert_true(refused || order->refused == 0);
    order->refused += refused;
    order->valid += !refused;
    return QD_VISIT_GO_ON;
}

static void test_refused_come_last(void **state)
{
    (void)state;
    struct qd_error error;
    struct order order = {0, 0};
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    assert_ok(qd_suite_visit(&options, note_order, &order, &error), error);
    assert_true(order.valid > 2000 && order.refused > 1000);
}

/* A valid case that was generated says the type and the rank of each output:
 * ONNX's checker refuses a model that does not. */
static enum qd_visit note_silent(void *context, const struct qd_case *kase)
{
    size_t *silent = context;
    for (size_t i = 0; i < kase->graph->output_count; i++) {
        const struct qd_graph_value *y = &kase->graph->values[kase->graph->outputs[i]];
        if (kase->expect != QD_EXPECT_VALID ||
            (y->declared_rank >= 0 && y->declared_dtype != QD_DTYPE_NONE))
            continue;
        print_error("%s says nothing of output %zu\n", kase->id, i);
        ++*silent;
    }
    return QD_VISIT_GO_ON;
}

static void test_outputs_are_declared(void **state)
{
    (void)state;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    struct qd_error error;
    size_t silent = 0;
    assert_ok(qd_suite_visit(&options, note_silent, &silent, &error), error);
    assert_int_equal(silent, 0);
}

/* What is asked for shapes alone has the status and the shapes of the whole answer. */
static enum qd_visit compare_shapes(void *context, const struct qd_case *kase)
{
    size_t *compared = context;
    struct qd_arena arena;
    struct qd_value *values;
    const struct qd_tensor *alone, *whole;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_graph_answer(kase->graph, kase->inputs, &arena, &values, &whole, &error);
    if (qd_graph_shapes(QD_MAX_WORK, kase->graph, kase->inputs, &arena, &alone, &error) != status)
        fail_msg("%s: another status for shapes alone", kase->id);
    for (size_t i = 0; status == QD_OK && i < kase->graph->output_count; i++, ++*compared)
        if (alone[i].dtype != whole[i].dtype || alone[i].rank != whole[i].rank ||
            memcmp(alone[i].dims, whole[i].dims, whole[i].rank * sizeof *whole[i].dims) != 0)
            fail_msg("%s: output %zu has another shape", kase->id, i);
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

/* Of the smoke level, or of QDIFF_SHAPES_LEVEL (scripts/prove-long shapes). */
static void test_shapes_alone(void **state)
{
    (void)state;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    struct qd_error error;
    size_t compared = 0;
    const char *level = getenv("QDIFF_SHAPES_LEVEL");
    assert_true(!level || qd_level_find(level, &options.level));
    assert_ok(qd_suite_visit(&options, compare_shapes, &compared, &error), error);
    assert_true(compared > 1000);
}

static void test_words(void **state)
{
    (void)state;
    enum qd_level level;
    for (int i = 0; i < QD_LEVEL_COUNT; i++) {
        assert_true(qd_level_find(qd_level_word((enum qd_level)i), &level));
        assert_int_equal(level, i);
    }
    assert_false(qd_level_find("smok", &level));
    size_t families = 0;
    while (qd_family_at(families))
        families++;
    assert_true(families > 0);
    assert_null(qd_family_at(families + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_stop),  cmocka_unit_test(test_refused_directories),
        cmocka_unit_test(test_link_loop),       cmocka_unit_test(test_hand_written),
        cmocka_unit_test(test_wanted_families), cmocka_unit_test(test_entered_parts),
        cmocka_unit_test(test_words),           cmocka_unit_test(test_outputs_are_declared),
        cmocka_unit_test(test_shapes_alone),    cmocka_unit_test(test_refused_come_last),
    };
    return cmocka_run_group_tests_name("cases/suite", tests, arena_set_up, arena_tear_down);
}
