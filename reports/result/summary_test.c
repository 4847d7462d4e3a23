/* SPDX-License-Identifier: Apache-2.0 */
/* The summary: every result is counted once, and the exit code follows from the counts.
 * Alone: <build>/tests/reports/result/summary_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "result/summary.h"
#include "result/tap.h"
#include "text/capture_testlib.h"

static struct qd_result passed(const char *id, const char *target)
{
    struct qd_result result = qd_result_init(id, "QLinearConv", target, QD_RESULT_PASS);

    result.tags = "tie,near-tie";
    result.comparison = (struct qd_comparison){.verdict = QD_VERDICT_ADMISSIBLE,
                                               .elements = 12,
                                               .compared = 10,
                                               .exact = 7,
                                               .admissible = 3,
                                               .unspecified = 2,
                                               .slack = 4,
                                               .extreme_scale = 1};
    return result;
}

static struct qd_result failed(const char *id, const char *target)
{
    struct qd_result result = qd_result_init(id, "QLinearConv", target, QD_RESULT_FAIL);

    result.comparison = (struct qd_comparison){.verdict = QD_VERDICT_WRONG_VALUE,
                                               .elements = 5,
                                               .compared = 5,
                                               .exact = 3,
                                               .mismatched = 2};
    return result;
}

static struct qd_result other(const char *id, enum qd_result_kind kind, const char *why)
{
    struct qd_result result = qd_result_init(id, "op", "t", kind);

    result.why = why;
    return result;
}

static void add(struct qd_summary *summary, struct qd_result result)
{
    assert_int_equal(qd_summary_add(summary, &result, NULL), QD_OK);
}

static void counts_add_up(void **state)
{
    struct qd_summary summary = {0};

    (void)state;
    add(&summary, passed("a", "t1"));
    add(&summary, failed("a", "t2"));
    add(&summary, passed("b", "t1"));
    add(&summary, other("b", QD_RESULT_SKIP, "no int4"));
    assert_int_equal(summary.cases, 2);
    assert_int_equal(summary.comparisons, 3);
    assert_int_equal(summary.total.results[QD_RESULT_PASS], 2);
    assert_int_equal(summary.total.results[QD_RESULT_FAIL], 1);
    assert_int_equal(summary.total.results[QD_RESULT_SKIP], 1);
    assert_int_equal(summary.total.compared, 25);
    assert_int_equal(summary.total.exact + summary.total.admissible + summary.total.mismatched, 25);
    assert_int_equal(summary.total.slack, 8);
    assert_int_equal(summary.total.unspecified, 4);
    assert_int_equal(summary.targets.count, 3);
    assert_int_equal(summary.ops.count, 1);
    assert_int_equal(summary.tags.count, 2);
    assert_string_equal(summary.tags.rows[1].name, "near-tie");
    assert_int_equal(summary.tags.rows[1].counts.compared, 20);
    assert_string_equal(summary.skips.rows[0].name, "no int4");
    qd_summary_clear(&summary);
}

static void many_names_are_kept(void **state)
{
    struct qd_summary summary = {0};

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int name = 'A'; name < 'Z'; name++) {
            char why[] = {(char)name, '\0'};

            add(&summary, other(why, QD_RESULT_SKIP, why));
        }
    }
    assert_int_equal(summary.skips.count, 25);
    assert_int_equal(summary.skips.rows[24].counts.results[QD_RESULT_SKIP], 2);
    qd_summary_clear(&summary);
}

/* The exit code of a run with one pass and one more result. */
static enum qd_exit exit_with(struct qd_result result)
{
    struct qd_summary summary = {0};

    add(&summary, passed("a", "t"));
    add(&summary, result);
    enum qd_exit code = qd_summary_exit(&summary);
    qd_summary_clear(&summary);
    return code;
}

static void exit_codes_follow_results(void **state)
{
    struct qd_result expected = failed("b", "t"), unexpected = passed("b", "t");

    (void)state;
    expected.kind = QD_RESULT_KNOWN;
    unexpected.kind = QD_RESULT_FIXED;
    assert_int_equal(exit_with(passed("b", "t")), 0);
    assert_int_equal(exit_with(expected), 0);
    assert_int_equal(exit_with(other("b", QD_RESULT_SKIP, "x")), 0);
    assert_int_equal(exit_with(failed("b", "t")), 1);
    assert_int_equal(exit_with(unexpected), 1);
    assert_int_equal(exit_with(other("b", QD_RESULT_BAD_INPUT, "x")), 2);
    assert_int_equal(exit_with(other("b", QD_RESULT_BROKEN, "x")), 4);
}

static void a_run_that_compared_nothing_fails(void **state)
{
    struct qd_summary summary = {0};
    struct qd_result unspecified = passed("a", "t");

    (void)state;
    assert_int_equal(qd_summary_exit(&summary), 4);
    add(&summary, other("a", QD_RESULT_SKIP, "x"));
    assert_int_equal(qd_summary_exit(&summary), 4);
    unspecified.comparison.verdict = QD_VERDICT_UNSPECIFIED;
    add(&summary, unspecified);
    assert_int_equal(qd_summary_exit(&summary), 4);
    add(&summary, other("b", QD_RESULT_BAD_INPUT, "x"));
    assert_int_equal(qd_summary_exit(&summary), 2); /* that is why */
    qd_summary_clear(&summary);
}

static void stale_rows_fail(void **state)
{
    struct qd_summary summary = {0};

    (void)state;
    add(&summary, passed("a", "t"));
    summary.not_judged = 1;
    assert_int_equal(qd_summary_exit(&summary), 0);
    summary.stale = 1;
    assert_int_equal(qd_summary_exit(&summary), 1);
    qd_summary_clear(&summary);
}

static void records_parse_and_agree(void **state)
{
    struct qd_summary summary = {0};

    (void)state;
    add(&summary, passed("a", "t\"1"));
    add(&summary, failed("b", "t2"));
    add(&summary, other("c", QD_RESULT_SKIP, "no # int4"));
    struct qd_capture capture;
    qd_capture_begin(&capture);
    qd_summary_write(&summary, true, 1.5, capture.out);
    json_t *record = json_loads(qd_capture_text(&capture), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(record);
    assert_int_equal(json_integer_value(json_object_get(record, "compared")), 15);
    assert_int_equal(json_integer_value(json_object_get(record, "pass")), 1);
    assert_true(json_is_true(json_object_get(record, "complete")));
    assert_non_null(json_object_get(json_object_get(record, "by_target"), "t\"1"));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(record, "skips"), "no # int4")), 1);
    json_decref(record);
    qd_capture_end(&capture);
    qd_summary_clear(&summary);
}

static void comments_count_everything(void **state)
{
    static const char *const lines[] = {
        "# cases: 3, comparisons: 2\n",
        "# elements: 15 compared = 10 exact + 3 admissible + 2 mismatched; 2 unspecified, 1 ",
        "# op QLinearConv: 15 compared, slack 4 (26.667 %)\n",
        "# tag tie: 10 compared, slack 4 (40.000 %)\n",
        "# skipped 1: no int4\n",
        "# verdict wrong-value: 1\n",
    };
    struct qd_summary summary = {0};

    (void)state;
    add(&summary, passed("a", "t"));
    add(&summary, failed("b", "t"));
    add(&summary, other("c", QD_RESULT_SKIP, "no int4"));
    struct qd_capture capture;
    qd_capture_begin(&capture);
    struct qd_tap tap;
    qd_tap_begin(&tap, capture.out);
    qd_summary_tap(&summary, &tap);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(qd_capture_text(&capture), lines[i]))
            fail_msg("want %s in %s", lines[i], capture.text);
    qd_capture_end(&capture);
    qd_summary_clear(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(many_names_are_kept),
        cmocka_unit_test(exit_codes_follow_results),
        cmocka_unit_test(a_run_that_compared_nothing_fails),
        cmocka_unit_test(stale_rows_fail),
        cmocka_unit_test(records_parse_and_agree),
        cmocka_unit_test(comments_count_everything),
    };

    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
