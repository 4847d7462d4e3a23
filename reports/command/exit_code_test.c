/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes: their precedence, and those of statuses.
 * Alone: <build>/tests/reports/command/exit_code_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command/exit_code.h"

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
        cmocka_unit_test(exit_codes_have_precedence),
        cmocka_unit_test(statuses_have_exit_codes),
    };

    return cmocka_run_group_tests_name("exit codes", tests, NULL, NULL);
}
