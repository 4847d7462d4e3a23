/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of the mathematics from ranges to parameters hold, and a
 * scheme that promises what another keeps breaks them.
 * Alone: <build>/tests/fuzz/observed_properties_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "observed_properties.h"

static const struct qd_observed_rule rules[] = {
    {QD_OBSERVED_ASYMMETRIC, 0, 255, QD_F32, 0},
    {QD_OBSERVED_SYMMETRIC, -127, 127, QD_F32, 0},
    {QD_OBSERVED_RESTRICTED, 0, 255, QD_F32, 0},
};

static void test_they_hold(void **state)
{
    (void)state;
    static const double ranges[][2] = {{-0.1, 6},       {0, 0},           {-1, 1},  {2, 3},
                                       {-3, -2},        {1, -1},          {NAN, 1}, {-INFINITY, 1},
                                       {-1e-40, 1e-40}, {-2.4e38, 2.2e38}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
            assert_null(qd_observed_broken(ranges[i][0], ranges[i][1], &rules[r]));
}

/* Symmetric codes that are not: the middle of −128 to 127 is no zero point that a symmetric scale covers. */
static void test_they_can_break(void **state)
{
    (void)state;
    const struct qd_observed_rule odd = {QD_OBSERVED_SYMMETRIC, -100, 127, QD_F32, 0};
    assert_non_null(qd_observed_broken(-1, 1, &odd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_they_hold),
                                       cmocka_unit_test(test_they_can_break)};
    return cmocka_run_group_tests_name("properties of observed ranges", tests, NULL, NULL);
}
