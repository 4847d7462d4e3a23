/* SPDX-License-Identifier: Apache-2.0 */
/* Results by key, expectation rows over several parts of a run, and files of results.
 * Alone: <build>/tests/reports/result/results_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "result/expectation_usage.h"
#include "result/results_by_key.h"
#include "result/results_file.h"
#include "text/capture_testlib.h"

/* --- The table ---- */

static void keys_are_found(void **state)
{
    enum { MANY = 3000 };

    (void)state;
    struct qd_results_by_key table;
    qd_results_by_key_init(&table);
    assert_null(qd_results_by_key_find(&table, "a [t]"));
    struct qd_keyed_result *entry;
    bool added;
    for (int i = 0; i < MANY; i++) {
        char id[32];
        struct qd_result result;

        snprintf(id, sizeof id, "case-%d", i);
        result = qd_result_init(id, "op", "t", QD_RESULT_SKIP);
        assert_int_equal(qd_results_by_key_add(&table, &result, false, &added, &entry, NULL),
                         QD_OK);
        assert_true(added);
    }
    assert_int_equal(table.count, MANY);
    assert_string_equal(qd_results_by_key_find(&table, "case-2999 [t]")->key, "case-2999 [t]");
    assert_null(qd_results_by_key_find(&table, "case-3000 [t]"));
    qd_results_by_key_clear(&table);
}

static bool add_target(struct qd_results_by_key *table, const char *target, bool ignore_version)
{
    struct qd_result result = qd_result_init("a", "op", target, QD_RESULT_PASS);
    struct qd_keyed_result *entry;
    bool added;

    assert_int_equal(qd_results_by_key_add(table, &result, ignore_version, &added, &entry, NULL),
                     QD_OK);
    return added;
}

static void releases_may_count_as_one(void **state)
{
    (void)state;
    struct qd_results_by_key table;
    qd_results_by_key_init(&table);
    assert_true(add_target(&table, "ort@1.26.0[opt=all]", true));
    assert_false(add_target(&table, "ort@1.31.1[opt=all]", true));
    assert_true(add_target(&table, "ort@1.31.1[opt=none]", true));
    assert_true(add_target(&table, "./a.so[x=y@z]", true)); /* an @ among the settings */
    assert_non_null(qd_results_by_key_find(&table, "a [ort[opt=all]]"));
    assert_non_null(qd_results_by_key_find(&table, "a [./a.so[x=y@z]]"));
    qd_results_by_key_clear(&table);
    qd_results_by_key_init(&table);
    assert_true(add_target(&table, "ort@1.26.0[opt=all]", false));
    assert_true(add_target(&table, "ort@1.31.1[opt=all]", false));
    qd_results_by_key_clear(&table);
}

static void digests_tell_results_apart(void **state)
{
    struct qd_result result = qd_result_init("a", "op", "t", QD_RESULT_FAIL);
    struct qd_keyed_result *first, *second;

    (void)state;
    struct qd_results_by_key table;
    qd_results_by_key_init(&table);
    result.want = "1";
    bool added;
    qd_results_by_key_add(&table, &result, false, &added, &first, NULL);
    assert_true(added);
    result.id = "b";
    qd_results_by_key_add(&table, &result, false, &added, &second, NULL);
    assert_true(table.entries[0].digest != table.entries[1].digest);
    qd_results_by_key_clear(&table);
}

/* --- Rows --- */

/* A divergence that the rows of `covering` expect, `row` first. */
static void book_covered(struct qd_expectation_usage *usage, const char *target,
                         const char *matched, const char *covering)
{
    struct qd_result result = qd_result_init("a", "op", target, QD_RESULT_KNOWN);

    result.matched = matched;
    result.covering = covering;
    assert_int_equal(qd_expectation_usage_result(usage, &result, NULL), QD_OK);
}

static void book_expected(struct qd_expectation_usage *usage, const char *target, size_t row)
{
    char line[32];

    snprintf(line, sizeof line, "%zu", row);
    book_covered(usage, target, line, line);
}

static void book_unmatched(struct qd_expectation_usage *usage, const char *target, size_t row)
{
    struct qd_unmatched_row unmatched = {target, "text", "issue", row};

    assert_int_equal(qd_expectation_usage_unmatched(usage, &unmatched, NULL), QD_OK);
}

static size_t count_state(const struct qd_expectation_usage *usage, enum qd_row_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < usage->count; i++)
        count += qd_expectation_usage_state(usage, i) == state;
    return count;
}

static size_t count_stale(const struct qd_expectation_usage *usage)
{
    return count_state(usage, QD_ROW_STALE);
}

/* Row 5 expects what row 3 expects already: on both targets it may go, and where it is first once it may not. */
static void a_row_that_is_never_the_first_is_shadowed(void **state)
{
    struct qd_arena arena;
    struct qd_expectation_usage usage = {.arena = &arena};

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    book_covered(&usage, "t", "3", "3,5");
    book_unmatched(&usage, "t", 5);
    book_unmatched(&usage, "u", 5);
    qd_expectation_usage_sort(&usage);
    assert_int_equal(count_state(&usage, QD_ROW_SHADOWED), 1);
    assert_int_equal(count_state(&usage, QD_ROW_STALE), 1); /* on u it expects nothing */
    char text[256];
    assert_non_null(
        strstr(qd_expectation_usage_describe(&usage, 1, text, sizeof text), "row 5 is shadowed"));
    book_covered(&usage, "u", "5", "5");
    assert_int_equal(count_state(&usage, QD_ROW_SHADOWED), 0);
    assert_int_equal(count_state(&usage, QD_ROW_STALE), 0);
    struct qd_result torn = qd_result_init("a", "op", "t", QD_RESULT_KNOWN);
    torn.covering = "3,x";
    assert_int_equal(qd_expectation_usage_result(&usage, &torn, NULL), QD_MALFORMED);
    qd_arena_clear(&arena);
}

static void a_row_matched_anywhere_is_not_stale(void **state)
{
    struct qd_arena arena;
    struct qd_expectation_usage usage = {.arena = &arena};

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    book_expected(&usage, "t", 3);  /* in one part */
    book_unmatched(&usage, "t", 3); /* not in the other */
    book_unmatched(&usage, "t", 4);
    book_unmatched(&usage, "t", 4); /* in neither: one row */
    book_unmatched(&usage, "u", 3); /* another target */
    book_expected(&usage, "u", 9);
    assert_int_equal(count_stale(&usage), 2);
    book_expected(&usage, "t", 4);
    assert_int_equal(count_stale(&usage), 1);
    for (size_t row = 100; row < 300; row++)
        book_unmatched(&usage, "t", row);
    assert_int_equal(count_stale(&usage), 201);
    qd_arena_clear(&arena);
}

/* --- Files --- */

#define HEADER                                                                                  \
    "{\"record\": \"header\", \"schema\": 3, \"suite\": \"0\", \"whole\": true, \"shard\": 2, " \
    "\"shards\": 3}\n"
#define RESULT                                                                             \
    "{\"record\": \"result\", \"id\": \"a\", \"op\": \"o\", \"target\": \"t\", \"kind\": " \
    "\"skip\"}\n"
#define SUMMARY "{\"record\": \"summary\", \"complete\": true}\n"

struct seen {
    size_t headers, results, rows;
    struct qd_shard shard;
};

static enum qd_status see_header(void *context, const char *line, const struct qd_header *header,
                                 struct qd_error *error)
{
    struct seen *seen = context;

    (void)line, (void)error;
    seen->headers++;
    seen->shard = header->shard;
    return QD_OK;
}

static enum qd_status see_result(void *context, const struct qd_result *result,
                                 struct qd_error *error)
{
    (void)result, (void)error;
    ((struct seen *)context)->results++;
    return QD_OK;
}

static enum qd_status see_row(void *context, const struct qd_unmatched_row *row,
                              struct qd_error *error)
{
    (void)row, (void)error;
    ((struct seen *)context)->rows++;
    return QD_OK;
}

static enum qd_status read_text(const char *text, struct seen *seen, bool *complete,
                                struct qd_error *error)
{
    char path[] = "/tmp/qdiff-results-XXXXXX";
    struct qd_results_reader reader = {see_header, see_result, see_row, seen};
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    *seen = (struct seen){0};
    enum qd_status status = qd_results_read(path, &reader, complete, error);
    unlink(path);
    return status;
}

static void whole_files_are_read(void **state)
{
    (void)state;
    struct seen seen;
    bool complete;
    assert_int_equal(read_text(HEADER RESULT RESULT SUMMARY, &seen, &complete, NULL), QD_OK);
    assert_int_equal(seen.headers, 1);
    assert_int_equal(seen.results, 2);
    assert_int_equal(seen.shard.index, 1);
    assert_int_equal(seen.shard.count, 3);
    assert_true(complete);
}

static void what_a_killed_run_left_is_read(void **state)
{
    (void)state;
    struct seen seen;
    bool complete;
    assert_int_equal(read_text(HEADER RESULT "{\"record\": \"res", &seen, &complete, NULL), QD_OK);
    assert_int_equal(seen.results, 1);
    assert_false(complete);
    assert_int_equal(read_text(HEADER RESULT, &seen, &complete, NULL), QD_OK);
    assert_false(complete);
}

static void broken_files_are_refused(void **state)
{
    static const char *const texts[][2] = {
        {"", "an empty file"},
        {RESULT, ":1: the first line is not a header"},
        {HEADER "x\n", ":2: no JSON object"},
        {HEADER RESULT HEADER, ":3: a second header"},
        {"{\"record\": \"header\", \"schema\": 1}\n", "have 1, want 3"},
        {"{\"record\": \"header\"}\n", "have 0, want 3"},
        {"{\"record\": \"header\", \"schema\": 3, \"shard\": 4, \"shards\": 3}\n", "\"shard\""},
        {"{\"record\": \"header\", \"schema\": 3, \"shards\": 3}\n", "\"shard\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct seen seen;
        struct qd_error error = {0};
        bool complete;

        assert_int_equal(read_text(texts[i][0], &seen, &complete, &error), QD_MALFORMED);
        if (!strstr(error.text, texts[i][1]))
            fail_msg("%s: want \"%s\" in \"%s\"", texts[i][0], texts[i][1], error.text);
    }
}

static void missing_files_are_named(void **state)
{
    struct qd_results_reader reader = {see_header, see_result, see_row, NULL};
    struct qd_error error = {0};

    (void)state;
    bool complete;
    assert_int_equal(qd_results_read("/nowhere/r.jsonl", &reader, &complete, &error), QD_IO);
    assert_non_null(strstr(error.text, "/nowhere/r.jsonl"));
}

/* Headers of two shards of one run are alike; of another level they are not. */
static void likeness_ignores_the_shard(void **state)
{
    static const char *const lines[] = {
        "{\"record\": \"header\", \"schema\": 3, \"level\": \"full\", \"shard\": 1, \"shards\": 2, "
        "\"started\": \"a\"}",
        "{\"record\": \"header\", \"schema\": 3, \"started\": \"b\", \"level\": \"full\", "
        "\"shard\": 2, \"shards\": 2}",
        "{\"record\": \"header\", \"schema\": 3, \"level\": \"smoke\", \"shard\": 2, \"shards\": "
        "2}",
    };

    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_header headers[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(qd_header_decode(lines[i], strlen(lines[i]), &arena, &headers[i], NULL),
                         QD_OK);
    }
    assert_string_equal(headers[0].likeness, headers[1].likeness);
    assert_string_not_equal(headers[0].likeness, headers[2].likeness);
    assert_null(strstr(qd_header_unsharded(lines[0], &arena), "shard"));
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(releases_may_count_as_one),
        cmocka_unit_test(digests_tell_results_apart),
        cmocka_unit_test(a_row_matched_anywhere_is_not_stale),
        cmocka_unit_test(a_row_that_is_never_the_first_is_shadowed),
        cmocka_unit_test(whole_files_are_read),
        cmocka_unit_test(what_a_killed_run_left_is_read),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(likeness_ignores_the_shard),
    };

    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
