/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser: every kind of value, and what it refuses.
 * Alone: <build>/tests/reports/command/options_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "command/options.h"

#define ALL                                                                                \
    "target expectations filter op feature level shard jobs fail-fast results time-limit " \
    "memory-limit"

struct fixture {
    struct qd_arena arena;
    struct qd_options options;
    struct qd_error error;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture = (struct fixture){0};
    qd_arena_init(&fixture.arena, QD_ARENA_DEFAULT_BUDGET);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    qd_arena_clear(&f->arena);
    return 0;
}

/* Parses words separated by blanks. */
static enum qd_status parse(struct fixture *f, const char *line)
{
    char *words = qd_arena_string(&f->arena, line);
    char **argv = qd_arena_array(&f->arena, 64, sizeof *argv);
    int argc = 0;

    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return qd_options_parse(ALL, argc, argv, &f->arena, &f->options, &f->error);
}

static void refuse(struct fixture *f, const char *line, const char *why)
{
    assert_int_equal(parse(f, line), QD_USAGE);
    if (!strstr(f->error.text, why))
        fail_msg("\"%s\": want \"%s\" in \"%s\"", line, why, f->error.text);
}

static void commas_separate_operators(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "--op A,B:C --op !D"), QD_OK);
    assert_int_equal(f->options.ops.count, 3);
    assert_string_equal(f->options.ops.items[0], "A");
    assert_string_equal(f->options.ops.items[1], "B:C");
    assert_string_equal(f->options.ops.items[2], "!D");
}

static void nothing_gives_defaults(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, ""), QD_OK);
    assert_int_equal(f->options.level, QD_LEVEL_FULL);
    assert_false(f->options.level_given);
    assert_int_equal(f->options.shard.count, 0);
    assert_int_equal(f->options.arguments.count, 0);
    assert_int_equal(f->options.targets.count, 0);
}

static void values_come_in_four_ways(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "--jobs 3 --filter=a=b -fc -f d"), QD_OK);
    assert_int_equal(f->options.jobs, 3);
    assert_int_equal(f->options.filters.count, 3);
    assert_string_equal(f->options.filters.items[0], "a=b");
    assert_string_equal(f->options.filters.items[1], "c");
    assert_string_equal(f->options.filters.items[2], "d");
}

static void arguments_are_kept_in_order(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "one --fail-fast two - -- --jobs three"), QD_OK);
    assert_true(f->options.fail_fast);
    assert_int_equal(f->options.arguments.count, 5);
    assert_string_equal(f->options.arguments.items[0], "one");
    assert_string_equal(f->options.arguments.items[2], "-");
    assert_string_equal(f->options.arguments.items[3], "--jobs");
    assert_int_equal(f->options.jobs, 0);
}

static void expectations_go_with_the_target_before(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "-t ort -t ./a.so -e a.tsv -t ./b.so"), QD_OK);
    assert_int_equal(f->options.targets.count, 3);
    assert_null(f->options.targets.items[0].expectations);
    assert_string_equal(f->options.targets.items[1].expectations, "a.tsv");
    assert_null(f->options.targets.items[2].expectations);
    assert_null(f->options.targets.expectations);
    assert_int_equal(parse(f, "-e all.tsv -t ort"), QD_OK);
    assert_string_equal(f->options.targets.expectations, "all.tsv");
    refuse(f, "-t ort -e a.tsv -e b.tsv", "a.tsv was given already");
}

static void levels_and_shards(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "--level smoke --shard 2/8"), QD_OK);
    assert_int_equal(f->options.level, QD_LEVEL_SMOKE);
    assert_true(f->options.level_given);
    assert_int_equal(f->options.shard.index, 1);
    assert_int_equal(f->options.shard.count, 8);
    refuse(f, "--level smoky", "smoke, full or exhaustive");
    refuse(f, "--shard 0/8", "I/N");
    refuse(f, "--shard 9/8", "I/N");
    refuse(f, "--shard 1", "I/N");
    refuse(f, "--shard 1/8x", "I/N");
    refuse(f, "--shard 1/0", "I/N");
    refuse(f, "--shard -1/8", "I/N");
}

static void numbers_are_checked(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "--time-limit 0.5 --memory-limit 64"), QD_OK);
    assert_true(f->options.time_limit == 0.5);
    assert_int_equal(f->options.memory_limit, 64);
    refuse(f, "--jobs 0", "a whole number from 1");
    refuse(f, "--jobs -3", "a whole number from 1");
    refuse(f, "--jobs 3x", "a whole number from 1");
    refuse(f, "--jobs 99999999999999999999999", "a whole number from 1");
    refuse(f, "--time-limit nan", "seconds above 0");
    refuse(f, "--time-limit -1", "seconds above 0");
    refuse(f, "--time-limit 1e99", "seconds above 0");
}

static void mistakes_are_named(void **state)
{
    struct fixture *f = *state;

    refuse(f, "--filtre x", "did you mean --filter?");
    refuse(f, "--zzzzzz", "unknown option --zzzzzz");
    refuse(f, "-z", "unknown option -z");
    refuse(f, "--jobs", "--jobs wants N");
    refuse(f, "--fail-fast=yes", "takes no value");
    refuse(f, "--output x", "unknown option --output"); /* another verb's */
    refuse(f, "--=x", "unknown option --");
}

static void failure_leaves_the_options(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "--jobs 7"), QD_OK);
    refuse(f, "--jobs 8 --zzzzzz", "unknown");
    assert_int_equal(f->options.jobs, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commas_separate_operators),
        TEST(nothing_gives_defaults),
        TEST(values_come_in_four_ways),
        TEST(arguments_are_kept_in_order),
        TEST(expectations_go_with_the_target_before),
        TEST(levels_and_shards),
        TEST(numbers_are_checked),
        TEST(mistakes_are_named),
        TEST(failure_leaves_the_options),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
