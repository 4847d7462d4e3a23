/* SPDX-License-Identifier: Apache-2.0 */
/* Results files become columns, counts, causes and pages; what they say stays text.
 * Alone: <build>/tests/reports/report/report_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <unistd.h>

#include "qdiff/build.h"
#include "report/matrix.h"
#include "report/pages.h"
#include "result/answers.h"
#include "result/result_json.h"
#include "text/capture_testlib.h"

/* --- Results files -------------------------------------------------------------------------------- */

/* A results file of one target under way. */
struct file {
    char path[64];
    FILE *out;
};

static struct file begin(const char *target, const char *version, const char *cpu)
{
    struct file file = {"/tmp/report_test.XXXXXX", NULL};
    int handle = mkstemp(file.path);

    assert_true(handle >= 0);
    file.out = fdopen(handle, "w");
    fprintf(file.out,
            "{\"record\": \"header\", \"schema\": 3, \"suite\": \"1\", \"commit\": \"c\", "
            "\"started\": \"now\", "
            "\"machine\": {\"cpu\": \"%s\"}, \"level\": \"smoke\", \"whole\": true, \"targets\": "
            "[{\"id\": \"%s\", "
            "\"name\": \"lib\", \"version\": \"%s\", \"settings\": \"\"}]}\n",
            cpu, target, version);
    return file;
}

static struct qd_result result_of(const char *id, const char *target, enum qd_result_kind kind,
                                  enum qd_verdict verdict)
{
    struct qd_result result = qd_result_init(id, "Conv", target, kind);

    result.comparison.verdict = verdict;
    return result;
}

static void end(struct file *file)
{
    fputs("{\"record\": \"summary\", \"complete\": true}\n", file->out);
    assert_int_equal(fclose(file->out), 0);
}

static void take(struct qd_report *report, const char *a, const char *b)
{
    const char *paths[] = {a, b};
    struct qd_words words = {b ? 2 : 1, paths};
    struct qd_error error = {0};

    if (qd_report_read(&words, report, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* The value that a script hands to the page. */
static json_t *value_of(const char *script, const char *name)
{
    char start[64];
    json_error_t error;

    snprintf(start, sizeof start, "qdiff.take('%s', ", name);
    assert_memory_equal(script, start, strlen(start));
    json_t *value =
        json_loads(script + strlen(start), JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (!value)
        fail_msg("%s at %d", error.text, error.position);
    return value;
}

static json_t *front_of(struct qd_report *report)
{
    struct qd_capture capture;

    qd_capture_begin(&capture);
    assert_int_equal(qd_report_write_front(report, capture.out, NULL), QD_OK);
    json_t *front = value_of(qd_capture_text(&capture), "front");
    qd_capture_end(&capture);
    return front;
}

static const char *text_at(const json_t *list, size_t i, const char *key)
{
    return json_string_value(json_object_get(json_array_get(list, i), key));
}

/* --- Reading --------------------------------------------------------------------------------------- */

/* One target in one release on two machines, and another release: three columns, and labels that tell them apart. */
static void the_same_target_elsewhere_is_another_column(void **state)
{
    struct file first = begin("lib@1", "1", "fast"), second = begin("lib@1", "1", "slow");
    struct qd_report report;

    (void)state;
    end(&first);
    end(&second);
    take(&report, first.path, second.path);
    assert_int_equal(report.column_count, 2);
    assert_string_equal(report.columns[0].label, "lib@1");
    assert_string_equal(report.columns[1].label, "lib@1 on slow");
    assert_true(report.runs[0].complete);
    qd_report_clear(&report);
    unlink(first.path);
    unlink(second.path);
}

static void a_file_that_was_cut_short_is_said_to_be(void **state)
{
    struct file file = begin("lib@1", "1", "cpu");
    struct qd_report report;

    (void)state;
    fclose(file.out);
    take(&report, file.path, NULL);
    assert_false(report.runs[0].complete);
    qd_report_clear(&report);
    unlink(file.path);
}

/* --- The front ------------------------------------------------------------------------------------- */

/* In release 1 both cases fail, in release 2 one passes and one fails otherwise. */
static void two_releases(struct file *old, struct file *new)
{
    *old = begin("lib@1", "1", "cpu");
    *new = begin("lib@2", "2", "cpu");
    struct qd_result result = result_of("a/1", "lib@1", QD_RESULT_FAIL, QD_VERDICT_REJECTS_VALID);
    result.message = "no room for a thing of this kind";
    result.features = "bias,x-u8";
    qd_result_write(old->out, &result);
    result.id = "b/1";
    qd_result_write(old->out, &result);
    result = result_of("a/1", "lib@2", QD_RESULT_PASS, QD_VERDICT_EXACT);
    result.features = "bias,x-u8";
    qd_result_write(new->out, &result);
    result = result_of("b/1", "lib@2", QD_RESULT_FAIL, QD_VERDICT_CRASH);
    result.message = "it fell over, and nobody was there to hear";
    qd_result_write(new->out, &result);
    end(old);
    end(new);
}

static void causes_are_counted_on_each_release(void **state)
{
    struct file old, new;
    struct qd_report report;

    (void)state;
    two_releases(&old, &new);
    take(&report, old.path, new.path);
    json_t *front = front_of(&report);
    const json_t *causes = json_object_get(front, "causes");
    assert_int_equal(json_array_size(causes), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(causes, 0), "results")), 2);
    char *columns = json_dumps(json_object_get(json_array_get(causes, 0), "columns"), JSON_COMPACT);
    assert_string_equal(columns, "[[0,2,0,0,0],[1,0,1,1,0]]");
    free(columns);
    assert_int_equal(json_array_size(json_object_get(front, "cases")), 2);
    json_decref(front);
    qd_report_clear(&report);
    unlink(old.path);
    unlink(new.path);
}

static char *matrix_of(const json_t *front, const char *by)
{
    return json_dumps(json_object_get(json_object_get(front, "matrix"), by), JSON_COMPACT);
}

static void the_matrix_counts_kinds_and_verdicts(void **state)
{
    struct file old, new;
    struct qd_report report;

    (void)state;
    two_releases(&old, &new);
    take(&report, old.path, new.path);
    json_t *front = front_of(&report);
    char want[160];
    snprintf(want, sizeof want, "[[\"Conv\",[[%d,%d,2]],[[%d,%d,1],[%d,%d,1]]]]", QD_RESULT_FAIL,
             QD_VERDICT_REJECTS_VALID, QD_RESULT_PASS, QD_VERDICT_EXACT, QD_RESULT_FAIL,
             QD_VERDICT_CRASH);
    char *operators = matrix_of(front, "operator"), *types = matrix_of(front, "type");
    assert_string_equal(operators, want);
    snprintf(want, sizeof want, "[[\"x-u8\",[[%d,%d,2]],[[%d,%d,1]]]]", QD_RESULT_FAIL,
             QD_VERDICT_REJECTS_VALID, QD_RESULT_PASS, QD_VERDICT_EXACT);
    assert_string_equal(types, want);
    free(operators);
    free(types);
    json_decref(front);
    qd_report_clear(&report);
    unlink(old.path);
    unlink(new.path);
}

/* Whatever bytes an id or a message has, the script stays one call with one JSON value, which reads back. */
static void hostile_text_stays_text(void **state)
{
    static const char id[] = "</script><script>alert(1)</script>/'\"\\",
                      message[] = "');alert(1);//\xff\x01";
    struct file file = begin("lib@1", "1", "cpu");
    struct qd_report report;

    (void)state;
    struct qd_result result = result_of(id, "lib@1", QD_RESULT_FAIL, QD_VERDICT_CRASH);
    result.message = message;
    qd_result_write(file.out, &result);
    end(&file);
    take(&report, file.path, NULL);
    json_t *front = front_of(&report);
    const json_t *row = json_array_get(json_object_get(front, "cases"), 0);
    assert_string_equal(json_string_value(json_array_get(row, 0)), id);
    assert_non_null(text_at(json_object_get(front, "causes"), 0, "name"));
    json_decref(front);
    qd_report_clear(&report);
    unlink(file.path);
}

/* --- Which cases have a page ------------------------------------------------------------------------- */

static void the_smallest_cases_have_pages(void **state)
{
    enum { MANY = 40 };
    struct file file = begin("lib@1", "1", "cpu");
    struct qd_report report;
    size_t chosen = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        char id[32];
        struct qd_result result = result_of(id, "lib@1", QD_RESULT_FAIL, QD_VERDICT_REJECTS_VALID);

        snprintf(id, sizeof id, "case-%02d", i);
        result.message = "no room for a thing of this kind";
        result.comparison.elements = MANY - i;
        qd_result_write(file.out, &result);
    }
    end(&file);
    take(&report, file.path, NULL);
    qd_report_choose(&report);
    assert_int_equal(qd_report_find(&report, "case-39")->page, 1);
    for (size_t i = 0; i < report.case_count; i++) {
        chosen += report.cases[i].page > 0;
        assert_true((report.cases[i].page > 0) == (i >= MANY - QD_REPORT_PAGES_OF_CAUSE));
    }
    assert_int_equal(chosen, QD_REPORT_PAGES_OF_CAUSE);
    qd_report_clear(&report);
    unlink(file.path);
}

/* --- The page of a case ------------------------------------------------------------------------------ */

static void put(struct qd_builder *builder, struct qd_arena *arena, const char *name,
                enum qd_dtype dtype, double value)
{
    struct qd_tensor made;

    assert_int_equal(qd_tensor_init(&made, arena, dtype, 0, NULL, NULL), QD_OK);
    qd_tensor_set(&made, 0,
                  dtype == QD_F32 ? (int64_t)qd_float_encode(dtype, value, true) : (int64_t)value);
    qd_build_initializer(builder, name, &made);
}

/* y = QuantizeLinear(x): 3/2, 4/2, 5/2 are 1.5, 2, 2.5, with two ties: 2, 2, 2; plus 10. */
static struct qd_case quantization(struct qd_arena *arena)
{
    struct qd_builder *builder = qd_build_begin(arena, 13);
    struct qd_tensor x;
    struct qd_case kase;
    struct qd_error error = {0};

    assert_int_equal(qd_tensor_init(&x, arena, QD_F32, 1, (const int64_t[]){3}, NULL), QD_OK);
    for (int i = 0; i < 3; i++)
        qd_tensor_set(&x, i, (int64_t)qd_float_encode(QD_F32, i + 3, true));
    qd_build_input(builder, "x", &x);
    put(builder, arena, "s", QD_F32, 2);
    put(builder, arena, "z", QD_U8, 10);
    qd_build_node(builder, "", "QuantizeLinear", "x,s,z", "y");
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    if (qd_build_finish(builder, "q", false, &kase, &error) != QD_OK)
        fail_msg("%s", error.text);
    return kase;
}

/* The page of that case, on which the target rounds halves up: 12, 12, 13. `want`: what the results file says
 * of the last element. */
static json_t *page_of(struct qd_arena *arena, const char *want)
{
    struct file file = begin("lib@1", "1", "cpu");
    struct qd_case kase = quantization(arena);
    struct qd_result result = result_of("q", "lib@1", QD_RESULT_FAIL, QD_VERDICT_WRONG_VALUE);
    struct qd_report report;
    struct qd_error error = {0};

    result.want = want;
    result.element = "[2]";
    result.answers = "2!13";
    qd_result_write(file.out, &result);
    end(&file);
    take(&report, file.path, NULL);
    report.cases[0].page = 7;
    struct qd_capture capture;
    qd_capture_begin(&capture);
    if (qd_report_write_case(&report, &report.cases[0], &kase, arena, capture.out, &error) != QD_OK)
        fail_msg("%s", error.text);
    json_t *page = value_of(qd_capture_text(&capture), "case 7");
    qd_capture_end(&capture);
    qd_report_clear(&report);
    unlink(file.path);
    return page;
}

static void a_page_has_values_ties_and_arithmetic(void **state)
{
    struct qd_arena arena;

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    json_t *page = page_of(&arena, "12");
    const json_t *output = json_array_get(json_object_get(page, "outputs"), 0);
    char *want = json_dumps(json_object_get(output, "want"), JSON_COMPACT);
    char *ties = json_dumps(json_object_get(output, "ties"), JSON_COMPACT);
    assert_string_equal(want, "[\"12\",\"12\",\"12\"]");
    assert_string_equal(ties, "[0,2]");
    free(want);
    free(ties);
    const char *text =
        json_string_value(json_object_get(json_object_get(page, "explained"), "text"));
    assert_non_null(strstr(text, "half-way"));
    assert_non_null(strstr(text, "round-half-up")); /* the mistake that gives 13 */
    assert_null(json_object_get(page, "stale"));
    json_decref(page);
    qd_arena_clear(&arena);
}

/* The file in the page is the case. */
static void the_download_is_the_case(void **state)
{
    struct qd_arena arena;
    struct base64_decode_ctx decoder;
    struct qd_case kase;

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    json_t *page = page_of(&arena, "12");
    const char *text = json_string_value(json_object_get(page, "file"));
    size_t size = BASE64_DECODE_LENGTH(strlen(text));
    uint8_t *bytes = qd_arena_alloc(&arena, size);
    base64_decode_init(&decoder);
    assert_int_equal(base64_decode_update(&decoder, &size, bytes, strlen(text), text), 1);
    assert_int_equal(qd_case_decode(bytes, size, &arena, &kase, NULL), QD_OK);
    assert_string_equal(kase.id, "q");
    assert_int_equal(kase.inputs[0].count, 3);
    json_decref(page);
    qd_arena_clear(&arena);
}

/* Results of another qdiff, whose reference gave something else there: no picture is drawn of both. */
static void other_values_are_not_mixed(void **state)
{
    struct qd_arena arena;

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    json_t *page = page_of(&arena, "11");
    assert_true(json_is_true(json_object_get(page, "stale")));
    assert_null(json_object_get(page, "outputs"));
    assert_null(json_object_get(page, "explained"));
    json_decref(page);
    qd_arena_clear(&arena);
}

/* --- Answers ----------------------------------------------------------------------------------------- */

static void answers_name_what_is_not_canonical(void **state)
{
    struct qd_evaluated evaluated;
    struct qd_arena arena;
    struct qd_tensor given;
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &given};

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_case kase = quantization(&arena);
    assert_int_equal(qd_case_evaluate(&kase, &arena, &evaluated, NULL), QD_OK);
    given = evaluated.values[0].want;
    given.data = qd_arena_copy(&arena, given.data, 3);
    assert_string_equal(qd_answers_describe(&evaluated, &run, &arena), "");
    qd_tensor_set(&given, 0, 11);
    qd_tensor_set(&given, 2, 13);
    assert_string_equal(qd_answers_describe(&evaluated, &run, &arena), "0!11 2!13");
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_target_elsewhere_is_another_column),
        cmocka_unit_test(a_file_that_was_cut_short_is_said_to_be),
        cmocka_unit_test(causes_are_counted_on_each_release),
        cmocka_unit_test(the_matrix_counts_kinds_and_verdicts),
        cmocka_unit_test(hostile_text_stays_text),
        cmocka_unit_test(the_smallest_cases_have_pages),
        cmocka_unit_test(a_page_has_values_ties_and_arithmetic),
        cmocka_unit_test(the_download_is_the_case),
        cmocka_unit_test(other_values_are_not_mixed),
        cmocka_unit_test(answers_name_what_is_not_canonical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
