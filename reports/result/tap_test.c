/* SPDX-License-Identifier: Apache-2.0 */
/* TAP: points, directives, escapes and YAML blocks.
 * Alone: <build>/tests/reports/result/tap_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "result/tap.h"
#include "text/capture_testlib.h"

struct fixture {
    struct qd_capture capture;
    struct qd_tap tap;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    qd_capture_begin(&fixture.capture);
    qd_tap_begin(&fixture.tap, fixture.capture.out);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    qd_capture_end(&f->capture);
    return 0;
}

/* The whole output has to be this text after the version line. */
static void check(struct fixture *f, const char *want)
{
    const char *have = qd_capture_text(&f->capture);
    const char *version = "TAP version 13\n";

    assert_memory_equal(have, version, strlen(version));
    assert_string_equal(have + strlen(version), want);
}

static void passes_and_plan(void **state)
{
    struct fixture *f = *state;
    struct qd_result result = qd_result_init("a/b", "op", "t[opt=all]", QD_RESULT_PASS);

    qd_tap_result(&f->tap, &result);
    qd_tap_point(&f->tap, false, "other");
    qd_tap_end(&f->tap);
    check(f, "ok 1 - a/b [t[opt=all]]\nnot ok 2 - other\n1..2\n");
}

static void skips_and_expected_failures(void **state)
{
    struct fixture *f = *state;
    struct qd_result skip = qd_result_init("a", "op", "t", QD_RESULT_SKIP);
    struct qd_result expected = qd_result_init("b", "op", "t", QD_RESULT_KNOWN);

    skip.why = "no int4";
    expected.issue = "onnxruntime #28456";
    qd_tap_result(&f->tap, &skip);
    qd_tap_result(&f->tap, &expected);
    check(f, "ok 1 - a [t] # SKIP no int4\nnot ok 2 - b [t] # TODO onnxruntime #28456\n");
}

static void hostile_ids_stay_on_their_line(void **state)
{
    struct fixture *f = *state;
    struct qd_result result =
        qd_result_init("a\nok 7 # SKIP \x01\xff\\", "op", "t", QD_RESULT_PASS);

    qd_tap_result(&f->tap, &result);
    check(f, "ok 1 - a ok 7 \\# SKIP ??\\\\ [t]\n");
}

static void differences_are_told(void **state)
{
    static const struct qd_parameter parameters[] = {{"pads", "[1, 1]"}};
    struct fixture *f = *state;
    struct qd_result result = qd_result_init("a", "QLinearConv", "t", QD_RESULT_FAIL);

    result.comparison = (struct qd_comparison){
        .verdict = QD_VERDICT_WRONG_VALUE, .compared = 9, .exact = 6, .mismatched = 3};
    result.output = "y u8[1, 9]";
    result.element = "[0, 2]";
    result.want = "3";
    result.have = "-4";
    result.lo = "3";
    result.hi = "3";
    result.features = "bias";
    result.parameters = parameters;
    result.parameter_count = 1;
    qd_tap_result(&f->tap, &result);
    check(f, "not ok 1 - a [t]\n"
             "  ---\n"
             "  class: wrong-value\n"
             "  meaning: \"an output element lies outside its admissible set\"\n"
             "  op: QLinearConv\n"
             "  output: \"y u8[1, 9]\"\n"
             "  element: \"[0, 2]\"\n"
             "  want: 3\n"
             "  have: \"-4\"\n"
             "  admissible:\n"
             "    - 3\n"
             "    - 3\n"
             "  differ: 3\n"
             "  of: 9\n"
             "  features: bias\n"
             "  parameters:\n"
             "    pads: \"[1, 1]\"\n"
             "  ...\n");
}

static void refusals_carry_the_targets_words(void **state)
{
    struct fixture *f = *state;
    struct qd_result result = qd_result_init("a", "op", "t", QD_RESULT_FAIL);

    result.comparison.verdict = QD_VERDICT_REJECTS_VALID;
    result.stage = "run";
    result.message = "it \"said\":\n\x02";
    qd_tap_result(&f->tap, &result);
    check(f, "not ok 1 - a [t]\n"
             "  ---\n"
             "  class: rejects-valid\n"
             "  meaning: \"the target refused a valid case\"\n"
             "  op: op\n"
             "  stage: run\n"
             "  message: \"it \\\"said\\\":\\n\\x02\"\n"
             "  ...\n");
}

static void bad_inputs_have_no_target(void **state)
{
    struct fixture *f = *state;
    struct qd_result result = qd_result_init("x.qdcase", "", "", QD_RESULT_BAD_INPUT);

    result.why = "cut";
    qd_tap_result(&f->tap, &result);
    check(f, "not ok 1 - x.qdcase\n  ---\n  class: bad-input\n  error: cut\n  ...\n");
}

static void comments_and_bail_out(void **state)
{
    struct fixture *f = *state;

    qd_tap_comment(&f->tap, "%d # two\nthree", 1);
    qd_tap_bail_out(&f->tap, "no\nlibrary");
    check(f, "# 1 # two three\nBail out! no library\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(passes_and_plan),
        TEST(skips_and_expected_failures),
        TEST(hostile_ids_stay_on_their_line),
        TEST(differences_are_told),
        TEST(refusals_carry_the_targets_words),
        TEST(bad_inputs_have_no_target),
        TEST(comments_and_bail_out),
    };

    return cmocka_run_group_tests_name("tap", tests, NULL, NULL);
}
