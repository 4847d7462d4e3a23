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
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
