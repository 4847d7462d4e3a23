/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out: what is written parses, with the same values, whatever the bytes.
 * Alone: <build>/tests/reports/text/json_write_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>

#include "text/capture_testlib.h"
#include "text/json_write.h"

/* The document that `write` writes, parsed by jansson. */
static json_t *parsed(void (*write)(struct qd_json *json))
{
    struct qd_capture capture;

    qd_capture_begin(&capture);
    struct qd_json json;
    qd_json_begin(&json, capture.out);
    write(&json);
    json_error_t error;
    json_t *document = json_loads(qd_capture_text(&capture), JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s: %s", error.text, capture.text);
    qd_capture_end(&capture);
    return document;
}

static void write_nested(struct qd_json *json)
{
    qd_json_open(json, NULL, '{');
    qd_json_string(json, "a", "x");
    qd_json_open(json, "b", '[');
    qd_json_int(json, NULL, INT64_MIN);
    qd_json_int(json, NULL, INT64_MAX);
    qd_json_open(json, NULL, '{');
    qd_json_close(json, '}');
    qd_json_bool(json, NULL, false);
    qd_json_close(json, ']');
    qd_json_bool(json, "c", true);
    qd_json_int_if(json, "none", 0);
    qd_json_string_if(json, "none", "");
    qd_json_string_if(json, "none", NULL);
    qd_json_close(json, '}');
}

static void nested_documents_parse(void **state)
{
    json_t *document = parsed(write_nested);
    json_t *list = json_object_get(document, "b");

    (void)state;
    assert_int_equal(json_object_size(document), 3);
    assert_string_equal(json_string_value(json_object_get(document, "a")), "x");
    assert_int_equal(json_array_size(list), 4);
    assert_true(json_integer_value(json_array_get(list, 0)) == INT64_MIN);
    assert_true(json_integer_value(json_array_get(list, 1)) == INT64_MAX);
    assert_true(json_is_object(json_array_get(list, 2)));
    assert_true(json_is_false(json_array_get(list, 3)));
    assert_true(json_is_true(json_object_get(document, "c")));
    json_decref(document);
}

/* {bytes, what a reader has to see} */
static const char *const strings[][2] = {
    {"plain", "plain"},
    {"\"quoted\" \\ / \n\t\r\x01\x7f", "\"quoted\" \\ / \n\t\r\x01\x7f"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e", "\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e"},
    {"\xff", "\xef\xbf\xbd"},                                                 /* no UTF-8 at all */
    {"a\xc3", "a\xef\xbf\xbd"},                                               /* cut */
    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* overlong */
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* a surrogate */
    {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* past U+10FFFF */
};
enum { STRINGS = sizeof strings / sizeof strings[0] };

static void write_strings(struct qd_json *json)
{
    qd_json_open(json, NULL, '[');
    for (size_t i = 0; i < STRINGS; i++)
        qd_json_string(json, NULL, strings[i][0]);
    qd_json_close(json, ']');
}

static void any_bytes_make_a_string(void **state)
{
    json_t *document = parsed(write_strings);

    (void)state;
    for (size_t i = 0; i < STRINGS; i++)
        assert_string_equal(json_string_value(json_array_get(document, i)), strings[i][1]);
    json_decref(document);
}

static const double numbers[] = {0.1, -1e308, 5e-324, 1.0 / 3, 16777217};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static void write_numbers(struct qd_json *json)
{
    qd_json_open(json, NULL, '[');
    for (size_t i = 0; i < NUMBERS; i++)
        qd_json_double(json, NULL, numbers[i]);
    qd_json_double(json, NULL, (double)NAN);
    qd_json_double(json, NULL, -(double)INFINITY);
    qd_json_close(json, ']');
}

static void numbers_read_back(void **state)
{
    json_t *document = parsed(write_numbers);

    (void)state;
    for (size_t i = 0; i < NUMBERS; i++)
        assert_true(json_number_value(json_array_get(document, i)) == numbers[i]);
    assert_string_equal(json_string_value(json_array_get(document, NUMBERS)), "nan");
    assert_string_equal(json_string_value(json_array_get(document, NUMBERS + 1)), "-inf");
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_documents_parse),
        cmocka_unit_test(any_bytes_make_a_string),
        cmocka_unit_test(numbers_read_back),
    };

    return cmocka_run_group_tests_name("json_write", tests, NULL, NULL);
}
