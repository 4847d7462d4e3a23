/* SPDX-License-Identifier: Apache-2.0 */
/* The reference as a target: exact with itself, and caught under every kind of wrong semantics.
 * Alone: <build>/tests/targets/quirk/quirk_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "targets_testlib.h"

/* Half a step, saturation at both ends, and what lies between; scale 1. */
static const float values[] = {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 300, -300, 1.25F, 1.75F, 10};

static struct qd_comparison run_on(const char *target, int zero_point, bool in_process)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, values, sizeof values / sizeof *values, 1, zero_point);
    struct qd_session_options options = {.in_process = in_process, .time_limit = 30};
    struct qd_session *session = qd_open(target, &options);
    assert_string_equal(qd_session_id(session), target);
    struct qd_comparison c = qd_run_and_compare(session, &kase, &run);
    qd_session_close(session);
    qd_arena_clear(&arena);
    return c;
}

static void test_reference_is_exact_with_itself(void **state)
{
    (void)state;
    for (int zero_point = 0; zero_point < 256; zero_point += 5)
        for (int in_process = 0; in_process < 2; in_process++) {
            struct qd_comparison c = run_on("reference", zero_point, in_process);
            assert_int_equal(c.verdict, QD_VERDICT_EXACT);
            assert_int_equal(c.compared, sizeof values / sizeof *values);
        }
}

/* First wrong element, by hand, of x at zero point 3. */
static void test_quirks_are_caught(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int64_t element;
        double have, want;
    } rows[] = {
        {"quirk:rounding=truncate", 1, 4, 5},             /* 1.5 → 1 */
        {"quirk:rounding=half-away", 0, 4, 3},            /* 0.5 → 1 */
        {"quirk:rounding=floor", 1, 4, 5},                /* 1.5 → 1 */
        {"quirk:rounding=ceil", 0, 4, 3},                 /* 0.5 → 1 */
        {"quirk:zero-point-order=before-exact", 0, 4, 3}, /* 3.5 → 4 */
        {"quirk:zero-point-order=before-f32", 0, 4, 3},
        {"quirk:range=wrap", 5, 47, 255}, /* 303 mod 256 */
        {"quirk:rounding=truncate+range=wrap", 1, 4, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_comparison c = run_on(rows[i].target, 3, false);
        if (c.verdict != QD_VERDICT_WRONG_VALUE || c.element != rows[i].element ||
            c.have != rows[i].have || c.want != rows[i].want)
            fail_msg("%s: have %s, element %lld, %g for %g", rows[i].target,
                     qd_verdict_word(c.verdict), (long long)c.element, c.have, c.want);
    }
}

/* Names a target in all its forms. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *version, *config;
    } rows[] = {
        {"ort", "ort", "", ""},
        {"ort@1.31.1", "ort", "1.31.1", ""},
        {"ort@1.31.1[opt=all,threads=1]", "ort", "1.31.1", "opt=all,threads=1"},
        {"ort[]", "ort", "", ""},
        {"quirk:a=b+c=d", "quirk", "", "a=b,c=d"},
        {"./libmine.so", "./libmine.so", "", ""},
        {"libmine.so[x=y]", "libmine.so", "", "x=y"},
        {"/a@b/c[1].so[k=v]", "/a@b/c[1].so", "", "k=v"},
    };
    static const char *const bad[] = {
        "", "@1", "ort@", "[opt=all]", "quirk:", "or t", "ort]", "\xff", "ort@1.2]"};
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (qd_target_name_parse(rows[i].text, &name, &error) != QD_OK)
            fail_msg("%s", error.text);
        assert_string_equal(name.name, rows[i].name);
        assert_string_equal(name.version, rows[i].version);
        assert_string_equal(name.config, rows[i].config);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (qd_target_name_parse(bad[i], &name, &error) != QD_USAGE)
            fail_msg("'%s' was taken for a target", bad[i]);
    char endless[2000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_int_equal(qd_target_name_parse(endless, &name, &error), QD_USAGE);
    memcpy(endless, "quirk:", 6);
    assert_int_equal(qd_target_name_parse(endless, &name, &error), QD_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_is_exact_with_itself),
        cmocka_unit_test(test_quirks_are_caught),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("quirk", tests, NULL, NULL);
}
