/* SPDX-License-Identifier: Apache-2.0 */
/* The hint for a misspelt word: the distance of words, and which of a list is worth a hint.
 * Alone: <build>/tests/targets/support/spelling_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/spelling.h"

static void distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(qd_edit_distance("", ""), 0);
    assert_int_equal(qd_edit_distance("", "abc"), 3);
    assert_int_equal(qd_edit_distance("kitten", "sitting"), 3); /* the textbook's example */
    assert_int_equal(qd_edit_distance("flaw", "lawn"), 2);
    assert_int_equal(qd_edit_distance("rnu", "run"), 1); /* a swap is one slip */
    assert_int_equal(qd_edit_distance("abcd", "badc"), 2);
}

static void distance_cuts_long_words(void **state)
{
    char a[200], b[200];

    (void)state;
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    a[199] = b[199] = '\0';
    b[100] = 'y'; /* beyond the 64 bytes that are looked at */
    assert_int_equal(qd_edit_distance(a, b), 0);
}

static void spelling_keeps_the_best(void **state)
{
    struct qd_spelling spelling = {"filtre", NULL, 0};

    (void)state;
    qd_spelling_try(&spelling, "feature");
    qd_spelling_try(&spelling, "filter");
    qd_spelling_try(&spelling, "fail-fast");
    assert_string_equal(spelling.word, "filter");
}

static void spelling_gives_no_far_word(void **state)
{
    struct qd_spelling spelling = {"zzzz", NULL, 0};

    (void)state;
    qd_spelling_try(&spelling, "run");
    qd_spelling_try(&spelling, "list");
    assert_null(spelling.word);
}

static void spelling_knows_parts(void **state)
{
    struct qd_spelling spelling = {"bias", NULL, 0}, short_part = {"ia", NULL, 0};

    (void)state;
    qd_spelling_try(&spelling, "bias-in-channel-order");
    qd_spelling_try(&spelling, "bias-dropped");
    assert_string_equal(spelling.word, "bias-dropped");
    qd_spelling_try(&short_part, "bias-dropped");
    assert_null(short_part.word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_edits),   cmocka_unit_test(distance_cuts_long_words),
        cmocka_unit_test(spelling_keeps_the_best), cmocka_unit_test(spelling_gives_no_far_word),
        cmocka_unit_test(spelling_knows_parts),
    };

    return cmocka_run_group_tests_name("spelling", tests, NULL, NULL);
}
