/* SPDX-License-Identifier: Apache-2.0 */
/* Alone: build/dev/tests/fuzz/night_stats_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qdiff/night_stats.h"

static char directory[] = "/tmp/qdiff-tally-XXXXXX";
static struct qd_night_stats tally;

static int make_directory(void **unused)
{
    (void)unused;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **unused)
{
    (void)unused;
    unlink(tally.path);
    return rmdir(directory);
}

static void the_file_holds_what_was_counted(void **unused)
{
    (void)unused;
    uint8_t counters[QD_COUNTERS] = {0};
    struct qd_error error;
    assert_int_equal(qd_night_stats_init(&tally, directory, &error), QD_OK);
    counters[0] = 200;
    assert_int_equal(
        qd_night_stats_add(&tally, "QLinearConv", QD_FUZZ_ADMISSIBLE, counters, &error), QD_OK);
    counters[QD_COUNTERS - 1] = 1;
    assert_int_equal(qd_night_stats_add(&tally, "QLinearConv", QD_FUZZ_BEYOND, counters, &error),
                     QD_OK);
    memset(counters, 0, sizeof counters);
    assert_int_equal(qd_night_stats_add(&tally, "", QD_FUZZ_REFUSED, counters, &error), QD_OK);
    assert_int_equal(qd_night_stats_write(&tally, &error), QD_OK);

    char text[1024] = "";
    FILE *file = fopen(tally.path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "outcome refused 1\noutcome beyond 1\noutcome admissible 1\n"
                              "operator QLinearConv 2 1\nslot 0 2\nslot 4095 1\n");
}

static void too_many_operators_count_as_others(void **unused)
{
    (void)unused;
    static const uint8_t counters[QD_COUNTERS];
    static struct qd_night_stats many;
    struct qd_error error;
    assert_int_equal(qd_night_stats_init(&many, "/no/such/directory", &error), QD_OK);
    many.written = INT32_MAX; /* no file is due */
    for (int i = 0; i < QD_FUZZ_OPERATORS + 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "Op%d", i);
        assert_int_equal(qd_night_stats_add(&many, name, QD_FUZZ_BEYOND, counters, &error), QD_OK);
    }
    assert_string_equal(many.operators[QD_FUZZ_OPERATORS - 1].name, "others");
    assert_int_equal(many.operators[QD_FUZZ_OPERATORS - 1].executions, 11);
}

static void a_file_that_cannot_be_written_is_named(void **unused)
{
    (void)unused;
    static struct qd_night_stats nowhere;
    struct qd_error error;
    assert_int_equal(qd_night_stats_init(&nowhere, "/no/such/directory", &error), QD_OK);
    assert_int_equal(qd_night_stats_write(&nowhere, &error), QD_IO);
    assert_non_null(strstr(error.text, "/no/such/directory/"));
    assert_non_null(strstr(error.text, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_what_was_counted),
        cmocka_unit_test(too_many_operators_count_as_others),
        cmocka_unit_test(a_file_that_cannot_be_written_is_named),
    };
    return cmocka_run_group_tests_name("tally", tests, make_directory, remove_directory);
}
