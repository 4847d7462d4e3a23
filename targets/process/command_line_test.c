/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of workers, split as a shell does that expands nothing: the words wanted are those that sh prints.
 * Alone: <build>/tests/targets/process/command_line_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "process/command_line.h"

static const char *const lines[] = {
    "a",
    "  a  b\tc ",
    "ssh board 'qdiff-serve ./my lib.so'",
    "a \"b \\\"c\\\" \\\\ \\d\" e",
    "a\\ b c\\'d",
    "''",
    "a '' \"\"",
    "x'y'\"z\"w",
    "'a\\b' \"c'd\" 'e\"f'",
};

/* The words of the line, each between [ and ], as the system's shell has them. */
static void ask_shell(const char *line, char *text, size_t size)
{
    char command[256];
    snprintf(command, sizeof command, "printf '[%%s]' %s", line);
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    text[fread(text, 1, size - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
}

static void test_words_are_those_of_a_shell(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char want[256], have[256] = "", words[256];
        struct qd_error error = {.status = QD_OK};
        size_t count = 0, used = 0;
        ask_shell(lines[i], want, sizeof want);
        assert_int_equal(qd_command_split(lines[i], words, sizeof words, &count, &error), QD_OK);
        const char *word = words;
        for (size_t k = 0; k < count; k++, word += strlen(word) + 1)
            used += (size_t)snprintf(have + used, sizeof have - used, "[%s]", word);
        assert_string_equal(have, want);
    }
}

static void expect_usage(const char *line, size_t size, const char *why)
{
    char words[64];
    size_t count = 17;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_command_split(line, words, size, &count, &error), QD_USAGE);
    if (!strstr(error.text, why))
        fail_msg("%s: %s", line, error.text);
    assert_int_equal(count, 17);
}

static void test_what_is_no_command_line(void **state)
{
    (void)state;
    expect_usage("", 64, "no command line");
    expect_usage("  \t", 64, "no command line");
    expect_usage("a 'b", 64, "the ' in 'a 'b' has no end");
    expect_usage("a \"b\\\"", 64, "has no end");
    expect_usage("a \\", 64, "ends in a backslash");
    expect_usage("abcd", 4, "too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_those_of_a_shell),
        cmocka_unit_test(test_what_is_no_command_line),
    };
    return cmocka_run_group_tests_name("command lines", tests, NULL, NULL);
}
