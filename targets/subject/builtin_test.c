/* SPDX-License-Identifier: Apache-2.0 */
/* The list of built-in targets: a worker has its files, and its releases are those that have a lock file.
 * Alone: <build>/tests/targets/subject/builtin_test */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qdiff/session.h"

static size_t count_locks(const char *worker)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/targets/%s", QD_SOURCE_DIR, worker);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        count += length > 5 && strcmp(entry->d_name + length - 5, ".lock") == 0;
    }
    closedir(directory);
    return count;
}

static bool has_file(const char *worker, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/targets/%s/%s", QD_SOURCE_DIR, worker, name);
    return access(path, R_OK) == 0;
}

static void expect_file(const char *worker, const char *name, const char *end)
{
    char file[256];
    snprintf(file, sizeof file, "%s%s", name, end);
    if (!has_file(worker, file))
        fail_msg("targets/%s/%s is missing", worker, file);
}

static void test_workers_have_their_files(void **state)
{
    (void)state;
    const struct qd_builtin_target *row;
    int workers = 0;
    for (size_t i = 0; (row = qd_builtin_target_at(i)); i++) {
        assert_true(!row->api == (row->worker != NULL) && !row->worker == !row->releases);
        assert_int_equal(row->quantizes, row->worker && strstr(row->name, "-quant"));
        if (!row->worker)
            continue;
        size_t releases = 0;
        for (; row->releases[releases]; releases++)
            expect_file(row->worker, row->releases[releases], ".lock");
        assert_int_equal(releases, count_locks(row->worker));
        expect_file(row->worker, "worker", has_file(row->worker, "worker.mjs") ? ".mjs" : ".py");
        expect_file(row->worker, "README", ".md");
        workers++;
    }
    assert_true(workers >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_workers_have_their_files)};
    return cmocka_run_group_tests_name("builtin targets", tests, NULL, NULL);
}
