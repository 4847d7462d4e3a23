/* SPDX-License-Identifier: Apache-2.0 */
/* The conjunction that is found holds for failures and for no pass, is the shortest, and does not depend on the
 * order of cases. Alone: <build>/tests/reports/causes/separate_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "causes/separate.h"

enum { A = 3, B = 40, C = 70, D = 90, MOST = 64 };

/* Cases as strings of the letters of the features they have. */
static size_t read_cases(const char *const *words, struct qd_features *cases)
{
    size_t count = 0;

    for (; words[count]; count++) {
        cases[count] = (struct qd_features){{0, 0}};
        for (const char *c = words[count]; *c != '\0'; c++) {
            int bit = *c == 'a' ? A : *c == 'b' ? B : *c == 'c' ? C : D;

            cases[count].bits[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
    }
    return count;
}

/* "a!b": what separates; "" nothing. */
static const char *find(const char *const *failing, const char *const *passing, char text[16])
{
    struct qd_features fail[MOST], pass[MOST];
    size_t fails = read_cases(failing, fail), passes = read_cases(passing, pass), used = 0;
    struct qd_separation found;
    struct qd_arena arena;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_separate(fail, fails, pass, passes, &arena, &found, NULL), QD_OK);
    for (size_t i = 0; i < passes; i++)
        assert_false(qd_separation_holds(&found, &pass[i]));
    for (size_t i = 0; i < found.count; i++) {
        if (found.negated[i])
            text[used++] = '!';
        int word = (int)found.words[i];
        text[used++] = word == A ? 'a' : word == B ? 'b' : word == C ? 'c' : 'd';
    }
    text[used] = '\0';
    qd_arena_clear(&arena);
    return text;
}

#define CASES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void one_word_is_enough(void **state)
{
    char text[16];

    (void)state;
    assert_string_equal(find(CASES("a", "ab", "ac"), CASES("b", "c", "bc"), text), "a");
    assert_string_equal(find(CASES("b", "c", ""), CASES("ab", "a", "ac"), text), "!a");
}

static void two_words_where_one_is_not(void **state)
{
    char text[16];

    (void)state;
    assert_string_equal(find(CASES("ab", "abc", "ab"), CASES("a", "b", "c"), text), "ab");
    assert_string_equal(find(CASES("a", "ac", "a"), CASES("ab", "b", "c"), text), "a!b");
}

/* Of two bugs in one block the larger one is found, without the smaller one's cases. */
static void the_larger_of_two_bugs_is_found(void **state)
{
    char text[16];

    (void)state;
    assert_string_equal(
        find(CASES("a", "ac", "ad", "acd", "b", "bc", "bcd"), CASES("c", "d", "cd", ""), text),
        "a");
}

static void chance_is_no_reason(void **state)
{
    char text[16];

    (void)state;
    assert_string_equal(find(CASES("ab", "cd"), CASES("a", "b", "c", "d"), text), "");
    assert_string_equal(find(CASES("a", "b", "c"), CASES("a", "b", "c"), text), "");
}

static void order_does_not_count(void **state)
{
    char one[16], other[16];

    (void)state;
    find(CASES("ab", "abc", "abd", "cd"), CASES("a", "b", "acd", "bcd"), one);
    find(CASES("cd", "abd", "abc", "ab"), CASES("bcd", "acd", "b", "a"), other);
    assert_string_equal(one, other);
    assert_string_equal(one, "ab");
}

static void more_than_a_word_of_cases(void **state)
{
    const char *failing[MOST + 1] = {NULL}, *passing[MOST + 1] = {NULL};
    struct qd_features fail[200], pass[200];
    struct qd_separation found;
    struct qd_arena arena;

    (void)state;
    for (size_t i = 0; i < 50; i++) {
        failing[i] = i % 2 == 0 ? "ab" : "abc";
        passing[i] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "cd";
    }
    for (size_t i = 0; i < 4; i++) {
        read_cases(failing, fail + 50 * i);
        read_cases(passing, pass + 50 * i);
    }
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_separate(fail, 200, pass, 200, &arena, &found, NULL), QD_OK);
    assert_int_equal(found.count, 2);
    for (size_t i = 0; i < 200; i++) {
        assert_true(qd_separation_holds(&found, &fail[i]));
        assert_false(qd_separation_holds(&found, &pass[i]));
    }
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_word_is_enough),
        cmocka_unit_test(two_words_where_one_is_not),
        cmocka_unit_test(the_larger_of_two_bugs_is_found),
        cmocka_unit_test(chance_is_no_reason),
        cmocka_unit_test(order_does_not_count),
        cmocka_unit_test(more_than_a_word_of_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
