/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that come from targets are made fit to print.
 * Alone: <build>/tests/targets/message_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "message.h"

static void test_clean(void **state)
{
    (void)state;
    static const struct {
        const char *dirty, *clean;
    } rows[] = {
        {"", ""},
        {"plain\n\ttext", "plain\n\ttext"},
        {"\x1b[31mred\x07\x7f", "?[31mred??"},
        {"r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
         "r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc3", "?"},                /* cut off */
        {"\xe2\x82", "??"},           /* cut off */
        {"\xc0\xaf", "??"},           /* overlong */
        {"\xe0\x80\xaf", "???"},      /* overlong */
        {"\xed\xa0\x80", "???"},      /* a surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
        {"\x80\xff", "??"},
        {"\xc2\x9b[31m", "??[31m"},  /* C1: an escape sequence of eight bits */
        {"a\xe2\x80\xaez", "a???z"}, /* turns the text around */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i].dirty);
        qd_text_clean(text, sizeof text);
        assert_string_equal(text, rows[i].clean);
    }
    char open_end[4] = {'a', 'b', 'c', 'd'};
    qd_text_clean(open_end, sizeof open_end);
    assert_string_equal(open_end, "abc");
}

/* What is too long keeps both ends and fills the room. */
static void test_shorten(void **state)
{
    (void)state;
    char text[24];
    qd_text_shorten(text, sizeof text, "0123456789", 10);
    assert_string_equal(text, "0123456789");
    qd_text_shorten(text, sizeof text, "first of all, and at the end: cause", 35);
    assert_string_equal(text, "first of\n[...]\nd: cause");
    qd_text_shorten(text, sizeof text, "exactly twenty-three, 1", 23);
    assert_string_equal(text, "exactly twenty-three, 1");
}

/* The answer of a target, longer than any message. */
static void test_answer_keeps_both_ends(void **state)
{
    (void)state;
    char filler[3000];
    memset(filler, '.', sizeof filler);
    filler[sizeof filler - 1] = '\0';
    struct qd_target_message message;
    qd_answer(&message, QD_TARGET_REJECTED, "panicked at %s: the cause", filler);
    assert_int_equal(strlen(message.text), sizeof message.text - 1);
    assert_ptr_equal(strstr(message.text, "panicked at "), message.text);
    assert_non_null(strstr(message.text, ".: the cause"));
}

static void test_config(void **state)
{
    (void)state;
    const char *config = "opt=all,threads=1";
    char key[8], value[8];
    bool ok;
    assert_true(qd_config_next(&config, key, value, sizeof key, &ok));
    assert_string_equal(key, "opt");
    assert_string_equal(value, "all");
    assert_true(qd_config_next(&config, key, value, sizeof key, &ok));
    assert_string_equal(key, "threads");
    assert_string_equal(value, "1");
    assert_false(qd_config_next(&config, key, value, sizeof key, &ok));
    assert_true(ok);
    static const char *const bad[] = {"opt", "=all", "toolongkey=1", "k=toolongvalue", ",a=b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        config = bad[i];
        assert_false(qd_config_next(&config, key, value, sizeof key, &ok));
        assert_false(ok);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_shorten),
        cmocka_unit_test(test_answer_keeps_both_ends),
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
