/* SPDX-License-Identifier: Apache-2.0 */
/* An audit counts what rows select and match, and finds the ones that a bug could hide behind.
 * Alone: <build>/tests/reports/run/audit_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run/audit.h"
#include "text/capture_testlib.h"

static const char rows[] = "# a comment\n"
                           "op:Conv\t*\t*\twrong-value\t*\t*\t-\tbroad\n"
                           "op:Conv\tbias\t*\twrong-value\t*\t*\t-\tnarrow\n"
                           "op:Conv\t*\t*\tquirk:round-down\t*\t*\t-\tnames a quirk\n"
                           "op:Gemm\t*\t*\trejects-valid:*scalar*\t*\t*\t-\tnames words\n"
                           "op:Conv\t*\topt=none\tcrash\t*\t*\t-\tinactive\n"
                           "op:Pool\t*\t*\twrong-value\t*\t*\t-\tfor many\n"
                           "fuzz:*\t*\t*\tcrash\t*\t*\t-\tfor fuzzers\n";

enum { BROAD, NARROW, QUIRK, WORDS, INACTIVE, MANY, FUZZ };

static const char target[] = "lib@1.0[opt=all]";

struct bench {
    struct qd_arena arena;
    struct qd_audit audit;
};

static void begin(struct bench *bench)
{
    const struct qd_target_info info = {.name = "lib", .version = "1.0", .settings = "opt=all"};
    struct qd_subject subject = {.id = target};
    const struct qd_gate_targets targets = {1, &subject};

    qd_arena_init(&bench->arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_expectations_parse("x.tsv", rows, sizeof rows - 1, &bench->arena,
                                           &subject.expectations, NULL),
                     QD_OK);
    assert_int_equal(qd_expectations_activate(subject.expectations, &info, NULL), QD_OK);
    assert_int_equal(qd_audit_begin(&bench->audit, &targets, &bench->arena, NULL), QD_OK);
}

static void add(struct bench *bench, struct qd_result result)
{
    struct qd_sink sink = qd_audit_sink(&bench->audit);

    assert_int_equal(sink.result(sink.context, &result), QD_VISIT_GO_ON);
}

static struct qd_result passed(const char *op, const char *features)
{
    struct qd_result result = qd_result_init("a", op, target, QD_RESULT_PASS);

    result.features = features;
    result.comparison = (struct qd_comparison){
        .verdict = QD_VERDICT_EXACT, .elements = 10, .compared = 10, .exact = 10};
    return result;
}

static struct qd_result known(const char *op, const char *features, const char *covering,
                              const char *message)
{
    struct qd_result result = passed(op, features);

    result.kind = QD_RESULT_KNOWN;
    result.comparison.verdict = QD_VERDICT_WRONG_VALUE;
    result.covering = covering;
    result.message = message;
    return result;
}

static const struct qd_audit_row *row_at(const struct bench *bench, size_t i)
{
    return &bench->audit.rows[i];
}

static bool offends(const struct bench *bench, size_t i)
{
    char text[128];

    return qd_audit_offence(row_at(bench, i), text, sizeof text) != NULL;
}

static void rows_are_counted(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(&bench, passed("Conv", ""));
    add(&bench, known("Conv", "bias", "2,3", "node 1 of it"));
    add(&bench, known("Conv", "bias,groups", "2,3", "node 2 of it"));
    add(&bench, qd_result_init("s", "Conv", target, QD_RESULT_SKIP));
    assert_int_equal(bench.audit.comparisons, 3);
    assert_int_equal(row_at(&bench, BROAD)->selected, 3);
    assert_int_equal(row_at(&bench, BROAD)->matched, 2);
    assert_int_equal(row_at(&bench, BROAD)->elements, 30);
    assert_int_equal(row_at(&bench, BROAD)->messages.count, 1);
    assert_int_equal(row_at(&bench, NARROW)->selected, 2);
    assert_int_equal(row_at(&bench, NARROW)->matched, 2);
    assert_int_equal(row_at(&bench, INACTIVE)->selected, 0);
    assert_int_equal(row_at(&bench, FUZZ)->selected, 0);
    qd_arena_clear(&bench.arena);
}

static void broad_rows_offend(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(&bench, passed("Conv", ""));
    add(&bench, passed("Gemm", ""));
    add(&bench, known("Conv", "bias", "2,3,4", ""));
    assert_true(offends(&bench, BROAD));
    assert_false(offends(&bench, NARROW));
    assert_false(offends(&bench, QUIRK));
    assert_false(offends(&bench, WORDS));
    assert_false(offends(&bench, INACTIVE));
    struct qd_capture shown;
    qd_capture_begin(&shown);
    assert_int_equal(qd_audit_print(&bench.audit, shown.out), 1);
    assert_non_null(strstr(qd_capture_text(&shown),
                           "x.tsv:2: matches 1 of the 2 comparisons that it selects\n"));
    assert_non_null(strstr(qd_capture_text(&shown), "7 rows, 4 select something, 1 offend\n"));
    qd_capture_end(&shown);
    qd_arena_clear(&bench.arena);
}

static void nine_tenths_are_enough(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    for (int i = 0; i < 9; i++)
        add(&bench, known("Conv", "", "2", ""));
    add(&bench, passed("Conv", ""));
    assert_false(offends(&bench, BROAD));
    add(&bench, passed("Conv", ""));
    assert_true(offends(&bench, BROAD));
    qd_arena_clear(&bench.arena);
}

static void many_wrong_values_want_a_quirk(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    for (int i = 0; i < QD_AUDIT_MOST; i++)
        add(&bench, known("Pool", "", "7", ""));
    assert_false(offends(&bench, MANY));
    add(&bench, known("Pool", "", "7", ""));
    assert_true(offends(&bench, MANY));
    qd_arena_clear(&bench.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_counted),
        cmocka_unit_test(broad_rows_offend),
        cmocka_unit_test(nine_tenths_are_enough),
        cmocka_unit_test(many_wrong_values_want_a_quirk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
