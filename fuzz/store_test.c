/* SPDX-License-Identifier: Apache-2.0 */
/* The findings store: joining, two writers at once, kill -9 at random instants, disks that are full or not there.
 * Alone: <build>/tests/fuzz/store_test
 * QDIFF_STORE_KILLS=50 kills more often (scripts/prove-long). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "case_testlib.h"
#include "qdiff/store.h"

#define SIGNATURES 3

/* The bytes of some case; larger with `rows`. */
static void encoded(struct qd_arena *arena, int64_t rows, const uint8_t **bytes, size_t *size)
{
    struct qd_error error;
    struct qd_case kase;
    struct qd_tensor x;
    uint8_t *made;
    const int64_t dims[] = {rows};
    assert_ok(qd_tensor_init(&x, arena, QD_U8, 1, dims, &error), error);
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "", "Identity", "x", "y");
    qd_build_output(builder, "y", QD_U8, 1, dims);
    assert_ok(qd_build_finish(builder, "finding", false, &kase, &error), error);
    assert_ok(qd_case_encode(&kase, arena, &made, size, &error), error);
    *bytes = made;
}

static struct qd_record record_of(struct qd_arena *arena, const char *signature, int64_t when,
                                  int64_t rows)
{
    struct qd_record record = {.signature = signature,
                               .cpu = "some\ncpu",
                               .flags = "a b",
                               .version = "1",
                               .first = when,
                               .last = when,
                               .count = 1,
                               .sighting_count = 1,
                               .sightings = {{"ort@1[opt=all]", when, when, 1}}};
    encoded(arena, rows, &record.bytes, &record.size);
    return record;
}

static struct qd_store *open_store(const char *path)
{
    struct qd_store *store;
    struct qd_error error;
    assert_ok(qd_store_open(path, &store, &error), error);
    return store;
}

static void test_sightings_are_joined(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    const char *path = qd_arena_printf(&arena, "%s/a/b/findings", scratch);
    struct qd_store *store = open_store(path);
    struct qd_record large = record_of(&arena, "Op-u8-ort-wrong-value-x", 200, 90), have;
    struct qd_record small = record_of(&arena, "Op-u8-ort-wrong-value-x", 100, 10);
    struct qd_record reduced = record_of(&arena, "Op-u8-ort-wrong-value-x", 300, 40);
    small.sightings[0].target = "ort@2";
    reduced.reduced = true;
    assert_ok(qd_store_add(store, &large, &error), error);
    assert_ok(qd_store_add(store, &small, &error), error);
    assert_ok(qd_store_get(store, large.signature, &arena, &have, &error), error);
    assert_int_equal(have.size, small.size); /* the smaller case */
    assert_ok(qd_store_add(store, &reduced, &error), error);
    assert_ok(qd_store_add(store, &small, &error), error);
    assert_ok(qd_store_get(store, large.signature, &arena, &have, &error), error);
    assert_true(have.reduced);
    assert_int_equal(have.size, reduced.size); /* a reduced one beats a smaller one */
    assert_memory_equal(have.bytes, reduced.bytes, have.size);
    assert_int_equal(have.first, 100);
    assert_int_equal(have.last, 300);
    assert_int_equal(have.count, 4);
    assert_string_equal(have.cpu, "some cpu");
    assert_int_equal(have.sighting_count, 2);
    assert_string_equal(have.sightings[0].target, "ort@1[opt=all]");
    assert_int_equal(have.sightings[0].first, 200);
    assert_int_equal(have.sightings[0].last, 300);
    assert_int_equal(have.sightings[0].count, 2);
    assert_int_equal(have.sightings[1].count, 2);
    assert_ok(qd_store_forget(store, large.signature, &error), error);
    assert_refused(qd_store_get(store, large.signature, &arena, &have, &error), QD_USAGE, &error,
                   "no finding");
    assert_refused(qd_store_forget(store, large.signature, &error), QD_USAGE, &error, "no finding");
    assert_refused(qd_store_get(store, "../x", &arena, &have, &error), QD_USAGE, &error, "../x");
    qd_store_close(store);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

static bool count_one(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    assert_non_null(record);
    assert_null(problem);
    ++*(size_t *)context;
    return true;
}

/* What waits in the pool is no finding, also where a finding has its name. */
static void test_the_pool_holds_no_findings(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_store *pool;
    struct qd_record have;
    size_t findings = 0, waiting = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    struct qd_store *store = open_store(scratch);
    assert_ok(qd_store_open_pool(scratch, &pool, &error), error);
    struct qd_record raw = record_of(&arena, "one", 100, 90), other = raw, small = raw;
    other.signature = "two";
    encoded(&arena, 10, &small.bytes, &small.size);
    assert_ok(qd_store_add(pool, &raw, &error), error);
    assert_ok(qd_store_add(pool, &other, &error), error);
    assert_ok(qd_store_visit(store, count_one, &findings, &error), error);
    assert_int_equal(findings, 0);
    assert_ok(qd_store_add(store, &small, &error), error);
    assert_ok(qd_store_visit(store, count_one, &findings, &error), error);
    assert_ok(qd_store_visit(pool, count_one, &waiting, &error), error);
    assert_int_equal(findings, 1);
    assert_int_equal(waiting, 2);
    assert_ok(qd_store_forget(pool, "one", &error), error);
    assert_ok(qd_store_get(store, "one", &arena, &have, &error), error);
    assert_int_equal(have.size, small.size);
    qd_store_close(pool);
    qd_store_close(store);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

static void test_sightings_are_few(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_record have;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    struct qd_store *store = open_store(scratch);
    struct qd_record record = record_of(&arena, "many", 0, 1);
    for (int i = 0; i < QD_STORE_MAX_SIGHTINGS + 5; i++) {
        record.sightings[0] = (struct qd_sighting){qd_arena_printf(&arena, "ort@%d", i), i, i, 1};
        assert_ok(qd_store_add(store, &record, &error), error);
    }
    assert_ok(qd_store_get(store, "many", &arena, &have, &error), error);
    assert_int_equal(have.count, QD_STORE_MAX_SIGHTINGS + 5);
    assert_int_equal(have.sighting_count, QD_STORE_MAX_SIGHTINGS);
    assert_string_equal(have.sightings[0].target, "ort@5");
    qd_store_close(store);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

/* --- Files that are not whole ------------------------------------------------------------------- */

static bool count_problems(void *context, const struct qd_record *record,
                           const struct qd_error *problem)
{
    size_t *counts = context;
    counts[record ? 0 : 1]++;
    if (!record)
        assert_non_null(strstr(problem->text, ".finding"));
    return true;
}

/* Every prefix of a finding, and one with a changed byte at each place, is refused and left alone. */
static void test_torn_files_are_noticed(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_record have;
    uint8_t *bytes;
    size_t size, counts[2] = {0, 0};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    struct qd_store *store = open_store(scratch);
    struct qd_record record = record_of(&arena, "torn", 1, 1);
    assert_ok(qd_store_add(store, &record, &error), error);
    const char *path = qd_arena_printf(&arena, "%s/torn.finding", scratch);
    assert_ok(qd_file_read(path, 1 << 20, &arena, &bytes, &size, &error), error);
    for (size_t i = 0; i < size; i += 7) {
        assert_ok(qd_file_write(path, bytes, i, &error), error);
        assert_int_equal(qd_store_get(store, "torn", &arena, &have, &error), QD_MALFORMED);
        bytes[i] ^= 1;
        assert_ok(qd_file_write(path, bytes, size, &error), error);
        assert_int_equal(qd_store_get(store, "torn", &arena, &have, &error), QD_MALFORMED);
        assert_int_equal(qd_store_add(store, &record, &error), QD_MALFORMED);
        bytes[i] ^= 1;
    }
    record.signature = "whole";
    assert_ok(qd_store_add(store, &record, &error), error);
    assert_ok(qd_store_visit(store, count_problems, counts, &error), error);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    qd_store_close(store);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

/* --- Writers that are killed -------------------------------------------------------------------- */

/* Adds for ever, telling through a pipe which signature it has just added. */
static void hammer(const char *path, int acknowledged)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_store *store;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_store_open(path, &store, &error) != QD_OK)
        _exit(1);
    for (unsigned i = 0;; i++) {
        unsigned char which = (unsigned char)(i % SIGNATURES);
        struct qd_record record =
            record_of(&arena, (const char *const[]){"a", "b", "c"}[which], i, 200 - i % 150);
        if (qd_store_add(store, &record, &error) != QD_OK || write(acknowledged, &which, 1) != 1)
            _exit(1);
        qd_arena_reset(&arena);
    }
}

struct writer {
    pid_t pid;
    int acknowledged;
};

static struct writer start_writer(const char *path)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        hammer(path, ends[1]);
    }
    close(ends[1]);
    return (struct writer){pid, ends[0]};
}

/* Kills a writer and counts what it had added. */
static void kill_writer(const struct writer *writer, uint64_t *added)
{
    unsigned char which;
    int status;
    kill(writer->pid, SIGKILL);
    assert_int_equal(waitpid(writer->pid, &status, 0), writer->pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it had not given up */
    while (read(writer->acknowledged, &which, 1) == 1)
        added[which]++;
    close(writer->acknowledged);
}

static void check_store(const char *path, const uint64_t *added, uint64_t in_flight)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_store *store = open_store(path);
    size_t counts[2] = {0, 0};
    assert_ok(qd_store_visit(store, count_problems, counts, &error), error);
    assert_int_equal(counts[1], 0);
    uint64_t total = 0, least = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (int i = 0; i < SIGNATURES; i++) {
        struct qd_record have;
        struct qd_case kase;
        if (added[i] == 0)
            continue;
        assert_ok(
            qd_store_get(store, (const char *const[]){"a", "b", "c"}[i], &arena, &have, &error),
            error);
        assert_true(have.count >= added[i]);
        assert_ok(qd_case_decode(have.bytes, have.size, &arena, &kase, &error), error);
        total += have.count;
        least += added[i];
    }
    /* A writer may die between its rename and its word: at most once each. */
    assert_true(total <= least + in_flight);
    printf("# %llu additions, %llu acknowledged\n", (unsigned long long)total,
           (unsigned long long)least);
    qd_arena_clear(&arena);
    qd_store_close(store);
}

static void test_two_writers_killed_at_any_instant(void **state)
{
    (void)state;
    const char *wanted = getenv("QDIFF_STORE_KILLS");
    int kills = wanted ? atoi(wanted) : 10; /* NOLINT(cert-err34-c) */
    struct qd_arena arena;
    uint64_t added[SIGNATURES] = {0};
    unsigned seed = (unsigned)getpid();
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    struct writer writers[2] = {start_writer(scratch), start_writer(scratch)};
    unsigned char which; /* however slow the disk is, something was added */
    assert_int_equal(read(writers[0].acknowledged, &which, 1), 1);
    added[which]++;
    for (int i = 0; i < kills; i++) {
        usleep(5000 + (unsigned)rand_r(&seed) % 60000);
        kill_writer(&writers[i % 2], added);
        writers[i % 2] = start_writer(scratch);
        check_store(scratch, added, UINT64_MAX / 2); /* the other one goes on */
    }
    kill_writer(&writers[0], added);
    kill_writer(&writers[1], added);
    check_store(scratch, added, (uint64_t)kills + 2);
    assert_true(added[0] > 0);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

/* --- Disks -------------------------------------------------------------------------------------- */

/* In a process of its own, since a limit cannot be taken back: no file may be larger than 64 bytes. */
static int add_to_full_disk(const char *path)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_record have;
    const struct rlimit limit = {64, 64};
    struct qd_store *store = open_store(path);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_record record = record_of(&arena, "full", 7, 100);
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (qd_store_add(store, &record, &error) != QD_NO_SPACE ||
        !strstr(error.text, "full.finding") || !strstr(error.text, "File too large"))
        return 2;
    return qd_store_get(store, "full", &arena, &have, &error) == QD_OK && have.count == 1 ? 0 : 3;
}

static void test_full_disk(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    int status;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    struct qd_store *store = open_store(scratch);
    struct qd_record record = record_of(&arena, "full", 1, 1);
    assert_ok(qd_store_add(store, &record, &error), error);
    qd_store_close(store);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(add_to_full_disk(scratch));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

static void test_no_place(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_store *store;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_refused(qd_store_open("/proc/qdiff/findings", &store, &error), QD_IO, &error, "/proc");
    assert_refused(qd_store_open("/dev/null/findings", &store, &error), QD_IO, &error, "/dev/null");
    assert_refused(qd_store_open("", &store, &error), QD_IO, &error, "no usable path");
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sightings_are_joined),
        cmocka_unit_test(test_the_pool_holds_no_findings),
        cmocka_unit_test(test_sightings_are_few),
        cmocka_unit_test(test_torn_files_are_noticed),
        cmocka_unit_test(test_two_writers_killed_at_any_instant),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_no_place),
    };
    return cmocka_run_group_tests_name("findings store", tests, NULL, NULL);
}
