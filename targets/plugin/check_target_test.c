/* SPDX-License-Identifier: Apache-2.0 */
/* check-target: what keeps the ABI's promises passes, and each broken promise is named.
 * Alone: <build>/tests/targets/plugin/check_target_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/check_target.h"
#include "targets_testlib.h"

struct tally {
    size_t visited, passed, failed, skipped;
    char failures[4096]; /* "name: text\n" each */
};

static void count_check(void *context, const char *name, enum qd_check_result result,
                        const char *text)
{
    struct tally *tally = context;
    tally->visited++;
    tally->passed += result == QD_CHECK_PASS;
    tally->failed += result == QD_CHECK_FAIL;
    tally->skipped += result == QD_CHECK_SKIP;
    size_t used = strlen(tally->failures);
    if (result == QD_CHECK_FAIL)
        snprintf(tally->failures + used, sizeof tally->failures - used, "%s: %.200s\n", name, text);
}

static struct tally check(const char *text, const struct qd_case *sample, double seconds)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct tally tally = {0};
    struct qd_session_options options = {.time_limit = seconds};
    if (qd_target_name_parse(text, &name, &error) != QD_OK ||
        qd_check_target(&name, &options, sample, count_check, &tally, &error) != QD_OK)
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(tally.visited, qd_check_count());
    return tally;
}

static void expect_all_pass(const char *text, size_t skipped)
{
    struct qd_arena arena;
    struct qd_case kase;
    static const float x[] = {-1, 0, 0.5F, 1000};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, x, 4, 1, 3);
    struct tally tally = check(text, &kase, 60);
    if (tally.failed > 0 || tally.skipped != skipped)
        fail_msg("%s: %zu skipped, failed:\n%s", text, tally.skipped, tally.failures);
    qd_arena_clear(&arena);
}

static void test_good_targets_pass(void **state)
{
    (void)state;
    expect_all_pass("reference", 0);
    expect_all_pass("ort", 0);
    expect_all_pass("ort@1.26.0[opt=none]", 0);
}

static void test_broken_promises_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *what, *failure;
    } rows[] = {
        {"nothing", "prepare: an empty model is refused: took it"},
        {"nothing", "prepare: garbage is refused: took it"},
        {"nothing", "run: a missing input is refused: computed something"},
        {"nothing", "run: another shape than the buffer's is reported: did not set"},
        {"crash-open", "open: gives a target: crash: signal 11"},
        {"hang-open", "open: gives a target: hang: no answer"},
        {"crash-close", "open: gives a target: crash"},
        {"hang-close", "open: gives a target: hang"},
        {"odd-feature",
         "describe: a name, and capabilities of known features with reasons: the capability of '*' "
         "names the unknown feature 'teleports'"},
        {"null-name",
         "describe: a name, and capabilities of known features with reasons: the name"},
        {"null-capabilities", "capabilities of known features with reasons: no capability"},
        {"crash-release", "release: a model that never ran: crash"},
        {"unwritten-last", "inputs unchanged: unwritten"},
        {"write-after", "inputs unchanged: out-of-bounds"},
        {"modify-input", "inputs unchanged: input-modified"},
        {"nondeterministic", "inputs unchanged: nondeterministic"},
        {"status-17", "run: a missing input is refused: answered 17"},
        {"no-memory", "run: a missing input is refused: refused without a word"},
        {"endless-message", "the message is not NUL-terminated"},
    };
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    static const float x[] = {1, 2, 3, 4, 5};
    qd_quantize_case(&kase, &arena, x, 5, 1, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s/misbehave_plugin.so[do=%s]", QD_TEST_PLUGINS_DIR,
                 rows[i].what);
        struct tally tally = check(text, &kase, strncmp(rows[i].what, "hang", 4) == 0 ? 0.3 : 30);
        if (!strstr(tally.failures, rows[i].failure))
            fail_msg("%s: have\n%s", rows[i].what, tally.failures);
    }
    qd_arena_clear(&arena);
}

static void test_what_cannot_be_loaded_fails_once(void **state)
{
    (void)state;
    struct tally tally = check(QD_TEST_PLUGINS_DIR "/wrong_abi_plugin.so", NULL, 10);
    assert_int_equal(tally.failed, 1);
    assert_int_equal(tally.passed, 0);
    assert_non_null(strstr(tally.failures, "load: "));
    assert_non_null(strstr(tally.failures, "ABI 4711"));
}

static void test_without_a_sample(void **state)
{
    (void)state;
    struct tally tally = check("reference", NULL, 10);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(tally.passed, 8);
    assert_int_equal(tally.skipped, qd_check_count() - 8);
}

static void test_unknown_target(void **state)
{
    (void)state;
    struct qd_target_name name = {.name = "nobody"};
    struct qd_session_options options = {.time_limit = 10};
    struct qd_error error = {.status = QD_OK};
    struct tally tally = {0};
    assert_int_equal(qd_check_target(&name, &options, NULL, count_check, &tally, &error), QD_USAGE);
    assert_int_equal(tally.visited, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_targets_pass),
        cmocka_unit_test(test_broken_promises_are_named),
        cmocka_unit_test(test_what_cannot_be_loaded_fails_once),
        cmocka_unit_test(test_without_a_sample),
        cmocka_unit_test(test_unknown_target),
    };
    return cmocka_run_group_tests_name("check_target", tests, NULL, NULL);
}
