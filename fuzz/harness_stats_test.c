/* SPDX-License-Identifier: Apache-2.0 */
/* Alone: build/dev/tests/fuzz/harness_stats_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness_stats.h"

static char directory[] = "/tmp/qdiff-counted-XXXXXX";
static struct qd_harness_stats counted;
static uint8_t counters[QD_COUNTERS];

static int make_directory(void **unused)
{
    (void)unused;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **unused)
{
    (void)unused;
    if (counted.tally)
        unlink(counted.tally->path);
    free(counted.tally);
    return rmdir(directory);
}

/* Raises the totals that the letters name; a letter beyond the first came from the same case. */
static int harness(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'r') {
        counted.refused++;
        return -1;
    }
    snprintf(counted.op, sizeof counted.op, "Add");
    counters[7]++;
    for (size_t i = 0; i < size; i++)
        switch (data[i]) {
        case 'b': counted.beyond++; break;
        case 'c': counted.compared++; break;
        case 'k': counted.known++; break;
        case 'u': counted.unsettled++; break;
        case 'f': counted.findings++; break;
        default: break;
        }
    return 0;
}

static int run(const char *input)
{
    struct qd_error error;
    int answer;
    assert_int_equal(qd_harness_stats_run(&counted, harness, (const uint8_t *)input, strlen(input),
                                          counters, &answer, &error),
                     QD_OK);
    return answer;
}

static void each_execution_has_one_outcome(void **unused)
{
    (void)unused;
    struct qd_error error;
    setenv("QDIFF_TALLY", directory, 1);
    assert_int_equal(qd_harness_stats_open(&counted, &error), QD_OK);
    assert_int_equal(run("r"), -1);
    assert_int_equal(run(""), 0);
    run("b");
    run("c");
    run("ck");
    run("cfk"); /* two divergences of one case: the one that is not known counts */
    run("cku"); /* nor does what is known hide what nobody has reduced yet */
    run("r");
    const uint64_t want[QD_FUZZ_OUTCOMES] = {2, 1, 1, 1, 1, 1, 1};
    assert_memory_equal(counted.tally->outcomes, want, sizeof want);
    assert_int_equal(counted.executions, 8);
    assert_string_equal(counted.tally->operators[0].name, "Add");
    assert_int_equal(counted.tally->operators[0].executions, 6); /* none of the refused ones */
    assert_int_equal(counted.tally->operators[0].compared, 4);
    assert_int_equal(counted.tally->slots[7], 6); /* what earlier executions counted is gone */
    assert_int_equal(qd_night_stats_write(counted.tally, &error), QD_OK);
}

static void nothing_is_tallied_unless_asked(void **unused)
{
    (void)unused;
    struct qd_harness_stats alone = {.executions = 0};
    struct qd_error error;
    int answer;
    unsetenv("QDIFF_TALLY");
    assert_int_equal(qd_harness_stats_open(&alone, &error), QD_OK);
    assert_null(alone.tally);
    assert_int_equal(qd_harness_stats_run(&alone, harness, NULL, 0, counters, &answer, &error),
                     QD_OK);
    assert_int_equal(alone.executions, 1);
    assert_int_equal(answer, 0);
}

static void a_path_that_is_too_long_is_an_error(void **unused)
{
    (void)unused;
    static char name[5000];
    struct qd_harness_stats none = {.executions = 0};
    struct qd_error error;
    memset(name, 'x', sizeof name - 1);
    setenv("QDIFF_TALLY", name, 1);
    assert_int_equal(qd_harness_stats_open(&none, &error), QD_USAGE);
    assert_null(none.tally);
    unsetenv("QDIFF_TALLY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_execution_has_one_outcome),
        cmocka_unit_test(nothing_is_tallied_unless_asked),
        cmocka_unit_test(a_path_that_is_too_long_is_an_error),
    };
    return cmocka_run_group_tests_name("counted", tests, make_directory, remove_directory);
}
