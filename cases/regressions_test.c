/* SPDX-License-Identifier: Apache-2.0 */
/* The regressions: each names its public issue and what went wrong; the right outputs that it stores, computed by hand,
 * are admissible, and the wrong ones that a system once gave are not. The table of regressions/README.md is complete.
 * Alone: <build>/tests/cases/regressions_test */
#define _POSIX_C_SOURCE 200809L /* glob */
#include "case_testlib.h"

#include <glob.h>

#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

enum { LEAST_REGRESSIONS = 200, LEAST_WITH_WRONG_VALUE = 150, CATALOGUE_ROWS = 234 };

struct tally {
    size_t cases, controls, wrong_values, rejects_valid, deaths, stored;
    size_t outside; /* elements of wrong outputs that are not admissible */
    size_t failures;
};

static void complain(struct tally *tally, const struct qd_case *kase, const char *what)
{
    print_error("%s: %s\n", kase->id, what);
    tally->failures++;
}

static bool is_inside(const struct qd_value *want, const struct qd_tensor *have, int64_t i)
{
    struct qd_observation seen = qd_value_observe(want, i);
    double value = qd_tensor_value(have, i);
    if (seen.unspecified)
        return true;
    return value != value ? seen.nan : value >= seen.lo && value <= seen.hi;
}

/* How many elements are not admissible; the test fails when it is not even the same tensor. */
static size_t count_outside(const struct qd_case *kase, const struct qd_value *want,
                            const struct qd_tensor *tensors)
{
    size_t outside = 0;
    for (size_t k = 0; k < kase->graph->output_count; k++) {
        if (tensors[k].dtype != want[k].want.dtype ||
            !qd_tensor_same_shape(&tensors[k], &want[k].want))
            fail_msg("%s: output %zu has another type or shape than its value", kase->id, k);
        for (int64_t i = 0; i < tensors[k].count; i++)
            outside += !is_inside(&want[k], &tensors[k], i);
    }
    return outside;
}

static void check_values(struct tally *tally, const struct qd_case *kase,
                         const struct qd_value *want)
{
    if (kase->output_count > 0) {
        if (count_outside(kase, want, kase->stored_outputs) > 0)
            complain(tally, kase, "the output computed by hand is not admissible");
        tally->stored++;
    }
    if (kase->wrong_count > 0) {
        size_t outside = count_outside(kase, want, kase->wrong_outputs);
        if (outside == 0)
            complain(tally, kase, "the wrong output is admissible");
        tally->wrong_values++;
        tally->outside += outside;
    }
}

static void check_origin(struct tally *tally, const struct qd_case *kase)
{
    bool control = false;
    for (size_t i = 0; i < kase->tag_count; i++)
        control |= strcmp(kase->tags[i], "control") == 0;
    if (!*kase->issue || !*kase->spec)
        complain(tally, kase, "no public issue or no clause of the specification");
    if (control != !*kase->symptom)
        complain(tally, kase, "every regression but a control has a symptom");
    if (kase->expect != QD_EXPECT_VALID)
        complain(tally, kase, "what has to be rejected belongs to reject/");
    tally->cases++;
    tally->controls += control;
    tally->rejects_valid += strcmp(kase->symptom, "rejects-valid") == 0;
    tally->deaths += strcmp(kase->symptom, "crash") == 0 || strcmp(kase->symptom, "hang") == 0;
}

static enum qd_visit check(void *context, const struct qd_case *kase)
{
    struct qd_value want[8];
    struct qd_arena arena;
    struct qd_error error;
    if (strncmp(kase->id, "regressions/", 12) != 0)
        return QD_VISIT_STOP; /* they come first */
    check_origin(context, kase);
    assert_true(kase->graph->output_count <= sizeof want / sizeof *want);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, want, &error) != QD_OK)
        complain(context, kase, error.text);
    else
        check_values(context, kase, want);
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void right_is_admissible_and_wrong_is_not(void **state)
{
    (void)state;
    struct tally tally = {0};
    struct qd_error error;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    assert_ok(qd_suite_visit(&options, check, &tally, &error), error);
    print_message("# %zu regressions: %zu gave a wrong value (%zu elements outside), %zu were "
                  "rejected, %zu crashed or hung, %zu controls; %zu with all outputs by hand\n",
                  tally.cases, tally.wrong_values, tally.outside, tally.rejects_valid, tally.deaths,
                  tally.controls, tally.stored);
    assert_int_equal(tally.cases,
                     tally.wrong_values + tally.rejects_valid + tally.deaths + tally.controls);
    assert_true(tally.cases - tally.controls >= LEAST_REGRESSIONS);
    assert_true(tally.wrong_values >= LEAST_WITH_WRONG_VALUE);
}

/* --- The table of regressions/README.md ------------------------------------------------------------ */

#define TABLE_DIR QD_SOURCE_DIR "/cases/regressions"

static char *read_table(struct qd_arena *arena)
{
    uint8_t *bytes;
    size_t size;
    struct qd_error error;
    assert_ok(qd_file_read(TABLE_DIR "/README.md", 1 << 20, arena, &bytes, &size, &error), error);
    char *text = qd_arena_alloc(arena, size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    char *rows = strstr(text, "| topic |");
    assert_non_null(rows);
    return rows;
}

/* Every name of the table is a case; one that ends in * stands for several. */
static bool is_case(const char *name, struct qd_arena *arena)
{
    bool reject = strncmp(name, "reject/", 7) == 0;
    char *path = qd_arena_printf(arena, "%s/%s%s.qdcase", QD_TEST_CASES_DIR,
                                 reject ? "" : "regressions/", name);
    glob_t found;
    assert_non_null(path);
    int status = glob(path, 0, NULL, &found);
    if (status == 0)
        globfree(&found);
    return status == 0;
}

static size_t check_row(char *row, struct qd_arena *arena)
{
    size_t names = 0;
    for (char *at = strchr(row, '`'); at; at = strchr(at, '`')) {
        char *end = strchr(at + 1, '`');
        assert_non_null(end);
        *end = '\0';
        if (!is_case(at + 1, arena))
            fail_msg("README.md names '%s', which is no case", at + 1);
        names++;
        at = end + 1;
    }
    return names;
}

static void table_names_cases_or_gives_reasons(void **state)
{
    (void)state;
    struct qd_arena arena;
    size_t rows = 0, reasons = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    char *line = strstr(read_table(&arena), "|\n| 1 |") + 2;
    for (char *next; *line == '|'; line = next, rows++) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next++ = '\0';
        bool reason = strstr(line, "not a case: ") != NULL;
        if ((check_row(line, &arena) > 0) == reason)
            fail_msg("either cases or a reason: %s", line);
        reasons += reason;
    }
    print_message("# %zu rows of the catalogue, %zu of them no cases\n", rows, reasons);
    assert_int_equal(rows, CATALOGUE_ROWS);
    qd_arena_clear(&arena);
}

/* `name` in backquotes, or a shorter one with * at its end. */
static bool is_named(const char *table, const char *name, struct qd_arena *arena)
{
    if (strstr(table, qd_arena_printf(arena, "`%s`", name)))
        return true;
    for (int length = (int)strlen(name); length > 4; length--)
        if (strstr(table, qd_arena_printf(arena, "`%.*s*`", length, name)))
            return true;
    return false;
}

static void every_file_is_in_the_table(void **state)
{
    (void)state;
    struct qd_arena arena;
    glob_t found;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *table = read_table(&arena);
    assert_int_equal(glob(TABLE_DIR "/*.textproto", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *name = strrchr(found.gl_pathv[i], '/') + 1;
        *strrchr(name, '.') = '\0';
        if (!is_named(table, name, &arena))
            fail_msg("%s.textproto is not in the table of README.md", name);
    }
    globfree(&found);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_is_admissible_and_wrong_is_not),
        cmocka_unit_test(table_names_cases_or_gives_reasons),
        cmocka_unit_test(every_file_is_in_the_table),
    };
    return cmocka_run_group_tests_name("regressions", tests, NULL, NULL);
}
