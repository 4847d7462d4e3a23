/* SPDX-License-Identifier: Apache-2.0 */
/* Results as records: what is written reads back; what is no record is refused.
 * Alone: <build>/tests/reports/result/result_json_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "result/result_json.h"
#include "text/capture_testlib.h"

static enum qd_status decode(const char *line, struct qd_arena *arena,
                             struct qd_result_record *record, struct qd_error *error)
{
    return qd_result_record_decode(line, strlen(line), arena, record, error);
}

static struct qd_result a_failure(void)
{
    static const struct qd_parameter parameters[] = {{"pads", "[1, 1, 1, 1]"},
                                                     {"w", "s8[2] {1, 2}"}};
    struct qd_result result =
        qd_result_init("a/b \"c\"", "QLinearConv", "ort@1.26.0[opt=all]", QD_RESULT_FAIL);

    result.tags = "tie,near-tie";
    result.comparison = (struct qd_comparison){.verdict = QD_VERDICT_WRONG_VALUE,
                                               .elements = 10,
                                               .compared = 9,
                                               .exact = 5,
                                               .admissible = 1,
                                               .mismatched = 3,
                                               .unspecified = 1,
                                               .slack = 2,
                                               .extreme_scale = 4};
    result.message = "line one\nline two";
    result.stage = "run";
    result.signal = 11;
    result.features = "bias,groups";
    result.output = "y u8[1, 3]";
    result.element = "[0, 2]";
    result.want = "3";
    result.have = "4";
    result.lo = "3";
    result.hi = "3.5";
    result.answers = "2!4 3~5;;0!nan";
    result.parameters = parameters;
    result.parameter_count = 2;
    return result;
}

static void check_same(const struct qd_result *want, const struct qd_result *have)
{
#define SAME(field) assert_string_equal(want->field, have->field);
    QD_RESULT_STRINGS(SAME)
#undef SAME
    assert_string_equal(want->id, have->id);
    assert_string_equal(want->op, have->op);
    assert_string_equal(want->target, have->target);
    assert_int_equal(want->kind, have->kind);
    assert_memory_equal(&want->comparison, &have->comparison, sizeof want->comparison);
    assert_int_equal(want->row, have->row);
    assert_int_equal(want->signal, have->signal);
    assert_int_equal(want->parameter_count, have->parameter_count);
    for (size_t i = 0; i < want->parameter_count; i++) {
        assert_string_equal(want->parameters[i].name, have->parameters[i].name);
        assert_string_equal(want->parameters[i].value, have->parameters[i].value);
    }
}

/* Writes, reads, compares, and checks that the record is one line. */
static void round_trip(const struct qd_result *result)
{
    struct qd_arena arena;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_capture capture;
    qd_capture_begin(&capture);
    qd_result_write(capture.out, result);
    const char *text = qd_capture_text(&capture);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    struct qd_result_record record;
    assert_int_equal(decode(text, &arena, &record, NULL), QD_OK);
    assert_int_equal(record.kind, QD_RECORD_RESULT);
    check_same(result, &record.result);
    qd_capture_end(&capture);
    qd_arena_clear(&arena);
}

static void failures_read_back(void **state)
{
    struct qd_result result = a_failure();

    (void)state;
    round_trip(&result);
}

static void every_kind_reads_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < QD_RESULT_COUNT; kind++) {
        struct qd_result result = qd_result_init("id", "op", "t", (enum qd_result_kind)kind);

        result.why = "why";
        result.row = 12;
        result.issue = "onnxruntime #1";
        round_trip(&result);
    }
}

static void rows_read_back(void **state)
{
    struct qd_unmatched_row row = {"t", "a\tb", "issue", 7};

    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_capture capture;
    qd_capture_begin(&capture);
    qd_unmatched_row_write(capture.out, &row);
    struct qd_result_record record;
    assert_int_equal(decode(qd_capture_text(&capture), &arena, &record, NULL), QD_OK);
    assert_int_equal(record.kind, QD_RECORD_ROW);
    assert_string_equal(record.row.target, "t");
    assert_string_equal(record.row.text, "a\tb");
    assert_string_equal(record.row.issue, "issue");
    assert_int_equal(record.row.row, 7);
    qd_capture_end(&capture);
    qd_arena_clear(&arena);
}

#define START "{\"record\": \"result\", \"id\": \"i\", \"op\": \"o\", \"target\": \"t\", "

/* {line, what the error names} */
static const char *const broken[][2] = {
    {"", "no JSON object"},
    {"[1]", "no JSON object"},
    {"{", "no JSON object"},
    {"{\"record\": 1}", "\"record\""},
    {"{\"record\": \"other\"}", "\"record\""},
    {"{\"record\": \"result\"}", "\"id\""},
    {START "\"kind\": \"skipped\"}", "\"kind\""},
    {START "\"kind\": \"fail\"}", "\"verdict\""},
    {START "\"kind\": \"fail\", \"verdict\": \"bad\"}", "\"verdict\""},
    {START "\"kind\": \"fail\", \"verdict\": \"wrong-value\", \"compared\": -1}", "\"compared\""},
    {START "\"kind\": \"fail\", \"verdict\": \"wrong-value\", \"compared\": 1.5}", "\"compared\""},
    {START "\"kind\": \"fail\", \"verdict\": \"wrong-value\", \"exact\": 9000000000000000000}",
     "\"exact\""},
    {START "\"kind\": \"skip\", \"why\": []}", "\"why\""},
    {START "\"kind\": \"skip\", \"parameters\": 1}", "\"parameters\""},
    {START "\"kind\": \"skip\", \"parameters\": [1]}", "\"parameters\""},
    {START "\"kind\": \"skip\", \"parameters\": [[\"a\", 1]]}", "\"parameters\""},
    {START "\"kind\": \"skip\", \"kind\": \"skip\"}", "no JSON object"},
    {"{\"record\": \"row\", \"target\": \"t\"}", "\"text\""},
};

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct qd_arena arena;
        struct qd_result_record record;
        struct qd_error error = {0};

        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        assert_int_equal(decode(broken[i][0], &arena, &record, &error), QD_MALFORMED);
        if (!strstr(error.text, broken[i][1]))
            fail_msg("%s: want %s in \"%s\"", broken[i][0], broken[i][1], error.text);
        qd_arena_clear(&arena);
    }
}

/* Every cut of a record is refused, and none crashes. */
static void cut_records_are_refused(void **state)
{
    struct qd_result result = a_failure();

    (void)state;
    struct qd_capture capture;
    qd_capture_begin(&capture);
    qd_result_write(capture.out, &result);
    const char *text = qd_capture_text(&capture);
    for (size_t length = 0; length + 1 < strlen(text); length++) {
        struct qd_arena arena;
        struct qd_result_record record;

        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        assert_int_equal(qd_result_record_decode(text, length, &arena, &record, NULL),
                         QD_MALFORMED);
        qd_arena_clear(&arena);
    }
    qd_capture_end(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_read_back),      cmocka_unit_test(every_kind_reads_back),
        cmocka_unit_test(rows_read_back),          cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(cut_records_are_refused),
    };

    return cmocka_run_group_tests_name("result_json", tests, NULL, NULL);
}
