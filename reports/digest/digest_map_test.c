/* SPDX-License-Identifier: Apache-2.0 */
/* The map from digests to numbers: it keeps what was put, also while it grows.
 * Alone: <build>/tests/reports/digest/digest_map_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "digest/digest_map.h"

static void a_map_keeps_what_was_put(void **state)
{
    struct qd_digest_map map = {0};
    struct qd_digest digest = qd_digest_of_text("none");

    (void)state;
    assert_null(qd_digest_map_get(&map, &digest));
    struct qd_error error;
    char name[16];
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "%u", i);
        digest = qd_digest_of_text(name);
        assert_null(qd_digest_map_get(&map, &digest));
        assert_int_equal(qd_digest_map_put(&map, &digest, i, &error), QD_OK);
    }
    assert_int_equal(map.count, 3000);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "%u", i);
        digest = qd_digest_of_text(name);
        assert_int_equal(*qd_digest_map_get(&map, &digest), i);
    }
    qd_digest_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_map_keeps_what_was_put)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
