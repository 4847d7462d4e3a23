/* The hint of a misspelt word, and the precedence of exit codes.
 * Alone: <build>/tests/reports/words_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "exit_code.h"
#include "qdiff/nearest.h"

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

static void nearest_keeps_the_best(void **state)
{
    struct qd_nearest nearest = {"filtre", NULL, 0};

    (void)state;
    qd_nearest_offer(&nearest, "feature");
    qd_nearest_offer(&nearest, "filter");
    qd_nearest_offer(&nearest, "fail-fast");
    assert_string_equal(nearest.word, "filter");
}

static void nearest_gives_no_far_word(void **state)
{
    struct qd_nearest nearest = {"zzzz", NULL, 0};

    (void)state;
    qd_nearest_offer(&nearest, "run");
    qd_nearest_offer(&nearest, "list");
    assert_null(nearest.word);
}

static void nearest_knows_parts(void **state)
{
    struct qd_nearest nearest = {"bias", NULL, 0}, short_part = {"ia", NULL, 0};

    (void)state;
    qd_nearest_offer(&nearest, "bias-in-channel-order");
    qd_nearest_offer(&nearest, "bias-dropped");
    assert_string_equal(nearest.word, "bias-dropped");
    qd_nearest_offer(&short_part, "bias-dropped");
    assert_null(short_part.word);
}

static void exit_codes_have_precedence(void **state)
{
    static const enum qd_exit ascending[] = {QD_EXIT_OK,          QD_EXIT_DIVERGENCE,
                                             QD_EXIT_USAGE,       QD_EXIT_UNUSABLE,
                                             QD_EXIT_OWN_FAILURE, QD_EXIT_INTERRUPTED};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j <= i; j++) {
            assert_int_equal(qd_exit_worse(ascending[i], ascending[j]), ascending[i]);
            assert_int_equal(qd_exit_worse(ascending[j], ascending[i]), ascending[i]);
        }
    }
}

static void statuses_have_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(qd_exit_of_status(QD_OK), 0);
    assert_int_equal(qd_exit_of_status(QD_MALFORMED), 2);
    assert_int_equal(qd_exit_of_status(QD_IO), 2);
    assert_int_equal(qd_exit_of_status(QD_USAGE), 2);
    assert_int_equal(qd_exit_of_status(QD_UNUSABLE), 3);
    assert_int_equal(qd_exit_of_status(QD_INTERNAL), 4);
    assert_int_equal(qd_exit_of_status(QD_NO_MEMORY), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_edits),    cmocka_unit_test(distance_cuts_long_words),
        cmocka_unit_test(nearest_keeps_the_best),   cmocka_unit_test(nearest_gives_no_far_word),
        cmocka_unit_test(nearest_knows_parts),      cmocka_unit_test(exit_codes_have_precedence),
        cmocka_unit_test(statuses_have_exit_codes),
    };

    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
