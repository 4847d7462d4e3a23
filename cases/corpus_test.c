/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzers' seeds: small, named by the hash of their bytes, decodable, and the same after a
 * decode and an encode.
 * Alone: <build>/tests/cases/corpus_test */
#include "case_testlib.h"

#include <ctype.h>
#include <dirent.h>

#define MOST_BYTES 1600

static const char *hash_of(struct qd_arena *arena, const char *path)
{
    char line[128] = "";
    FILE *pipe = popen(qd_arena_printf(arena, "sha1sum '%s'", path), "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    assert_int_equal(0, pclose(pipe));
    line[40] = '\0';
    return qd_arena_string(arena, line);
}

static void check_seed(const char *name)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    uint8_t *bytes, *again;
    size_t size, size_again;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *path = qd_arena_printf(&arena, QD_SOURCE_DIR "/corpus/%s", name);
    assert_string_equal(name, hash_of(&arena, path));
    assert_ok(qd_file_read(path, MOST_BYTES, &arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, &arena, &kase, &error), error);
    assert_ok(qd_case_encode(&kase, &arena, &again, &size_again, &error), error);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    qd_arena_clear(&arena);
}

static void every_seed_decodes(void **state)
{
    (void)state;
    DIR *directory = opendir(QD_SOURCE_DIR "/corpus");
    size_t seeds = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (isxdigit((unsigned char)entry->d_name[0]) && strlen(entry->d_name) == 40) {
            check_seed(entry->d_name);
            seeds++;
        } else if (entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0) {
            fail_msg("corpus/%s is not named by a hash", entry->d_name);
        }
    closedir(directory);
    print_message("# %zu seeds\n", seeds);
    assert_true(seeds >= 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_seed_decodes)};
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
