/* SPDX-License-Identifier: Apache-2.0 */
/* The example plug-in, built as a stranger would: out of tree, from its source and the one installed header.
 * Alone: <build>/tests/targets/plugin/example_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/check_target.h"
#include "targets_testlib.h"

static char directory[] = "/tmp/qdiff-example-XXXXXX";
static char library[sizeof directory + 32];

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static int build_example(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    shell("mkdir -p %s/include/qdiff && cp %s/targets/include/qdiff/target.h %s/include/qdiff/",
          directory, QD_SOURCE_DIR, directory);
    snprintf(library, sizeof library, "%s/libexample.so", directory);
    shell("${CC:-cc} -std=c11 -Wall -Wextra -Werror -shared -fPIC -I%s/include "
          "%s/targets/example/example.c -o %s "
          "-lm",
          directory, QD_SOURCE_DIR, library);
    return 0;
}

static int remove_example(void **state)
{
    (void)state;
    shell("rm -r %s", directory);
    return 0;
}

static void test_values(void **state)
{
    (void)state;
    static const float x[] = {0, 1,    2,     3,     -1,     -3,  0.99F, 1.01F,
                              5, 1e9F, -1e9F, 3e38F, -3e38F, 510, 511,   509};
    struct qd_session_options options = {.time_limit = 10};
    struct qd_session *session = qd_open(library, &options);
    assert_string_equal(qd_session_id(session), "example@1");
    for (int zero_point = 0; zero_point < 256; zero_point += 51) {
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_run run;
        const char *reason = "";
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_quantize_case(&kase, &arena, x, sizeof x / sizeof *x, 2, zero_point); /* odd x: ties */
        if (!qd_can(session, &kase, &reason))
            fail_msg("%s", reason);
        struct qd_comparison c = qd_run_and_compare(session, &kase, &run);
        assert_int_equal(c.verdict, QD_VERDICT_EXACT);
        assert_int_equal(c.compared, sizeof x / sizeof *x);
        assert_int_equal(c.slack, 0);
        qd_arena_clear(&arena);
    }
    qd_session_close(session);
}

static void test_other_operators_are_not_declared(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase;
    const char *reason = "";
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 4);
    struct qd_session_options options = {.time_limit = 10};
    struct qd_session *session = qd_open(library, &options);
    assert_false(qd_can(session, &kase, &reason));
    assert_non_null(strstr(reason, "does not declare"));
    qd_session_close(session);
    qd_arena_clear(&arena);
}

static void note_check(void *context, const char *name, enum qd_check_result result,
                       const char *text)
{
    int *passed = context;
    if (result != QD_CHECK_PASS)
        fail_msg("%s: %s", name, text);
    ++*passed;
}

static void test_check_target_passes(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session_options options = {.time_limit = 10};
    int passed = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, x, 3, 1, 0);
    assert_int_equal(qd_target_name_parse(library, &name, &error), QD_OK);
    assert_int_equal(qd_check_target(&name, &options, &kase, note_check, &passed, &error), QD_OK);
    assert_int_equal(passed, qd_check_count());
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_other_operators_are_not_declared),
        cmocka_unit_test(test_check_target_passes),
    };
    return cmocka_run_group_tests_name("example", tests, build_example, remove_example);
}
