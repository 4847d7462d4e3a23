/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: every result is one test, what makes a run fail is red, and no text breaks the file. tests/command.t
 * reads whole files with a parser. Alone: <build>/tests/reports/result/junit_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "result/badge.h"
#include "result/junit.h"
#include "text/capture_testlib.h"

static void text_is_escaped(void **state)
{
    static const struct {
        const char *text, *content, *attribute;
    } rows[] = {
        {"plain \xc3\xa9", "plain \xc3\xa9", "plain \xc3\xa9"},
        {"a<b>&\"c\"", "a&lt;b&gt;&amp;\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;"},
        {"]]>", "]]&gt;", "]]&gt;"},
        {"a\nb\tc\rd", "a\nb\tc&#13;d", "a&#10;b&#9;c&#13;d"},
        {"\x01\x1b[0m\x7f", "??[0m\x7f", "??[0m\x7f"},
        {"\xff\xc3.\xed\xa0\x80", "??.???", "??.???"},
        {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "??????\xef\xbf\xbd", "??????\xef\xbf\xbd"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int attribute = 0; attribute < 2; attribute++) {
            struct qd_capture have;

            qd_capture_begin(&have);
            qd_xml_text(have.out, rows[i].text, attribute);
            assert_string_equal(qd_capture_text(&have),
                                attribute ? rows[i].attribute : rows[i].content);
            qd_capture_end(&have);
        }
    }
}

static struct qd_result result_of(enum qd_result_kind kind)
{
    struct qd_result result = qd_result_init("an/id", "Conv", "lib@1.0", kind);

    result.comparison.verdict = QD_VERDICT_CRASH;
    result.issue = "lib #1";
    result.why = "a reason";
    return result;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 65536);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void every_kind_is_a_test(void **state)
{
    char path[] = "/tmp/qdiff-junit-XXXXXX";
    struct qd_junit junit;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(qd_junit_begin(&junit, path, NULL), QD_OK);
    for (int kind = 0; kind < QD_RESULT_COUNT; kind++) {
        struct qd_result result = result_of((enum qd_result_kind)kind);

        qd_junit_result(&junit, &result);
    }
    qd_junit_failure(&junit, "row 3 is stale");
    assert_int_equal(qd_junit_end(&junit, NULL), QD_OK);
    char *text = read_file(path);
    assert_non_null(
        strstr(text, "<testsuites name=\"qdiff\" tests=\"9\" failures=\"3\" errors=\"2\">"));
    assert_non_null(strstr(text,
                           "<testsuite name=\"lib@1.0\" tests=\"8\" failures=\"2\" errors=\"2\" "
                           "skipped=\"3\">"));
    assert_non_null(strstr(text, "<failure type=\"crash\" message=\"the target"));
    assert_non_null(strstr(text, "<skipped type=\"known\" message=\"lib #1\"/>"));
    assert_non_null(strstr(text, "<skipped type=\"skip\" message=\"a reason\"/>"));
    assert_non_null(strstr(text, "<error type=\"broken\" message=\"a reason\">"));
    assert_non_null(strstr(text, "<failure type=\"run\" message=\"row 3 is stale\"/>"));
    free(text);
    /* A JUnit file may be replaced, anything else not. */
    assert_int_equal(qd_junit_begin(&junit, path, NULL), QD_OK);
    assert_int_equal(qd_junit_end(&junit, NULL), QD_OK);
    FILE *file = fopen(path, "we");
    fputs("precious", file);
    fclose(file);
    assert_int_equal(qd_junit_begin(&junit, path, NULL), QD_USAGE);
    assert_int_equal(qd_junit_begin(&junit, "/nowhere/at/all.xml", NULL), QD_USAGE);
    unlink(path);
}

static void nothing_is_written_unless_wanted(void **state)
{
    const struct qd_result result = result_of(QD_RESULT_PASS);
    struct qd_junit junit;

    (void)state;
    assert_int_equal(qd_junit_begin(&junit, NULL, NULL), QD_OK);
    qd_junit_result(&junit, &result);
    qd_junit_failure(&junit, "x");
    assert_int_equal(junit.count, 0);
    assert_int_equal(qd_junit_end(&junit, NULL), QD_OK);
}

/* Two of three comparisons pass: 66.6 %, not 66.7. */
static void a_badge_tells_the_share(void **state)
{
    struct qd_summary summary = {.comparisons = 3};
    struct qd_capture have;

    (void)state;
    summary.total.results[QD_RESULT_PASS] = 2;
    summary.total.results[QD_RESULT_KNOWN] = 1;
    qd_capture_begin(&have);
    qd_badge_write(&summary, have.out);
    assert_string_equal(qd_capture_text(&have),
                        "{\"schemaVersion\": 1, \"label\": \"conformance\", \"message\": "
                        "\"66.6 %, 0 new\", \"color\": \"brightgreen\"}\n");
    summary.total.results[QD_RESULT_KNOWN] = 0;
    summary.total.results[QD_RESULT_FAIL] = 1;
    qd_badge_write(&summary, have.out);
    assert_non_null(strstr(qd_capture_text(&have), "66.6 %, 1 new\", \"color\": \"red\""));
    summary.comparisons = 0;
    qd_badge_write(&summary, have.out);
    assert_non_null(strstr(qd_capture_text(&have), "nothing was compared\", \"color\": \"red\""));
    qd_capture_end(&have);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(every_kind_is_a_test),
        cmocka_unit_test(nothing_is_written_unless_wanted),
        cmocka_unit_test(a_badge_tells_the_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
