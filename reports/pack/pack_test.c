/* SPDX-License-Identifier: Apache-2.0 */
/* The pack: what is written is what is read, byte for byte, and nothing else is believed.
 * Alone: <build>/tests/reports/pack/pack_test */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pack/pack.h"

/* The smoke level's cases as encoded bytes, and a pack of them. */
struct fixture {
    struct qd_arena arena, scratch;
    size_t count, capacity, next;
    struct qd_case_file *cases; /* path: the id */
    char directory[64], path[96];
    struct qd_pack pack;
};

static enum qd_visit add_case(void *context, const struct qd_case *kase)
{
    struct fixture *fixture = context;
    struct qd_case_file *kept = &fixture->cases[fixture->count++];

    assert_true(fixture->count < fixture->capacity);
    struct qd_error error;
    uint8_t *bytes;
    assert_int_equal(qd_case_encode(kase, &fixture->arena, &bytes, &kept->size, &error), QD_OK);
    kept->bytes = bytes;
    kept->path = qd_arena_string(&fixture->arena, kase->id);
    qd_arena_reset(&fixture->scratch);
    struct qd_evaluated evaluated;
    assert_int_equal(qd_case_evaluate(kase, &fixture->scratch, &evaluated, &error), QD_OK);
    assert_int_equal(
        qd_pack_add(&fixture->pack, &evaluated, QD_LEVEL_SMOKE, &fixture->scratch, &error), QD_OK);
    return QD_VISIT_GO_ON;
}

/* A pack that has no case yet. */
static void begin_pack(struct fixture *fixture)
{
    qd_arena_init(&fixture->arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&fixture->scratch, QD_ARENA_DEFAULT_BUDGET);
    fixture->capacity = 100000;
    fixture->cases = qd_arena_array(&fixture->arena, fixture->capacity, sizeof *fixture->cases);
    assert_non_null(fixture->cases);
    strcpy(fixture->directory, "/tmp/qdiff-pack-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/pack", fixture->directory);
    struct qd_error error;
    assert_int_equal(qd_pack_begin(fixture->path, QD_LEVEL_SMOKE, &fixture->pack, &error), QD_OK);
}

static void end_pack(struct fixture *fixture)
{
    struct qd_digest manifest;
    struct qd_error error;
    assert_int_equal(qd_pack_finish(&fixture->pack, &manifest, &error), QD_OK);
    qd_pack_end(&fixture->pack);
    assert_true(qd_pack_is(fixture->path));
}

static void make_pack(struct fixture *fixture)
{
    struct qd_suite_options suite = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    struct qd_error error;

    begin_pack(fixture);
    assert_int_equal(qd_suite_visit(&suite, add_case, fixture, &error), QD_OK);
    end_pack(fixture);
}

/* Of two cases. */
static void make_small_pack(struct fixture *fixture)
{
    static const char *const files[] = {"regressions/ort-28456-u8",
                                        "regressions/ort-25512-qdq-add"};
    struct qd_error error;

    begin_pack(fixture);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct qd_case kase;
        const char *path =
            qd_arena_printf(&fixture->arena, QD_TEST_CASES_DIR "/%s.qdcase", files[i]);
        assert_int_equal(qd_case_load(path, &fixture->arena, &kase, &error), QD_OK);
        assert_int_equal(add_case(fixture, &kase), QD_VISIT_GO_ON);
    }
    end_pack(fixture);
}

static void remove_pack(struct fixture *fixture)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", fixture->directory);
    assert_int_equal(system(command), 0);
    qd_arena_clear(&fixture->scratch);
    qd_arena_clear(&fixture->arena);
}

static enum qd_visit compare_case(void *context, const struct qd_case *kase)
{
    struct fixture *fixture = context;
    const struct qd_case_file *want = &fixture->cases[fixture->next++];

    assert_true(fixture->next <= fixture->count);
    assert_string_equal(kase->id, want->path);
    qd_arena_reset(&fixture->scratch);
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(qd_case_encode(kase, &fixture->scratch, &bytes, &size, &error), QD_OK);
    assert_int_equal(size, want->size);
    assert_memory_equal(bytes, want->bytes, size);
    return QD_VISIT_GO_ON;
}

static void a_pack_gives_the_same_suite_back(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    make_pack(&fixture);
    assert_true(fixture.count > 500);
    struct qd_error error;
    assert_int_equal(qd_pack_visit(fixture.path, QD_LEVEL_SMOKE, compare_case, &fixture, &error),
                     QD_OK);
    assert_int_equal(fixture.next, fixture.count);
    remove_pack(&fixture);
}

static enum qd_visit ignore_case(void *context, const struct qd_case *kase)
{
    (void)context;
    (void)kase;
    return QD_VISIT_GO_ON;
}

/* Changes the byte at `at` (from the end if negative) of a file of the pack; returns what the visit says. */
static enum qd_status visit_changed(const struct fixture *fixture, const char *file, long at,
                                    struct qd_error *error)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", fixture->path, file);
    FILE *changed = fopen(path, "r+");
    assert_non_null(changed);
    assert_int_equal(fseek(changed, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(changed);
    assert_int_equal(fseek(changed, -1, SEEK_CUR), 0);
    fputc(byte ^ 1, changed);
    assert_int_equal(fclose(changed), 0);
    enum qd_status status = qd_pack_visit(fixture->path, QD_LEVEL_SMOKE, ignore_case, NULL, error);
    changed = fopen(path, "r+");
    assert_int_equal(fseek(changed, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    fputc(byte, changed);
    assert_int_equal(fclose(changed), 0);
    return status;
}

static void a_changed_byte_is_named(void **state)
{
    struct fixture fixture = {0};
    char name[QD_PACK_NAME], file[256];
    static const struct {
        const char *file, *field;
    } rows[] = {{"model.onnx", "(model)"},
                {"test_data_set_0/input_0.pb", "(input 0)"},
                {"test_data_set_0/output_0.pb", "(output 0)"},
                {"qdiff.pb", "(id, expectation, origin and tags)"}};

    (void)state;
    make_small_pack(&fixture);
    qd_pack_name("node", "regressions/ort-28456-u8", name);
    struct qd_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(file, sizeof file, "%s/%s", name, rows[i].file);
        assert_int_equal(visit_changed(&fixture, file, -1, &error), QD_INVALID);
        assert_non_null(strstr(error.text, file));
        assert_non_null(strstr(error.text, rows[i].field));
    }
    assert_int_equal(visit_changed(&fixture, QD_PACK_INDEX, 30, &error), QD_INVALID);
    assert_non_null(strstr(error.text, QD_PACK_INDEX " (index)"));
    assert_int_equal(visit_changed(&fixture, QD_PACK_MANIFEST, 64, &error), QD_MALFORMED);
    assert_non_null(strstr(error.text, QD_PACK_MANIFEST ":1:"));
    assert_int_equal(qd_pack_visit(fixture.path, QD_LEVEL_SMOKE, ignore_case, NULL, &error), QD_OK);
    remove_pack(&fixture);
}

/* The shell's commands run in the pack. */
static enum qd_status visit_after(const char *commands, struct qd_error *error)
{
    static const char sign[] =
        "sum=$(sha256sum index.jsonl) && "
        "sed -i \"s/.*  index.jsonl/${sum%% *}  index.jsonl/\" manifest.sha256";
    struct fixture fixture = {0};
    char line[1024];

    make_small_pack(&fixture);
    snprintf(line, sizeof line, "cd %s && %s && %s", fixture.path, commands, sign);
    assert_int_equal(system(line), 0);
    enum qd_status status = qd_pack_visit(fixture.path, QD_LEVEL_SMOKE, ignore_case, NULL, error);
    remove_pack(&fixture);
    return status;
}

static void only_what_the_manifest_vouches_for_is_read(void **state)
{
    static const struct {
        const char *commands, *words;
        enum qd_status status;
    } rows[] = {
        {":", "", QD_OK},
        {"touch node/extra", "node/extra: not in manifest.sha256", QD_INVALID},
        {"ln -s /etc/passwd passwd", "passwd: neither a directory nor a regular", QD_INVALID},
        {"mv node .. && ln -s ../node node", "node: neither a directory nor a regular", QD_INVALID},
        {"mkfifo fifo", "fifo: neither a directory nor a regular", QD_INVALID},
        {"rm node/*add*/model.onnx", "model.onnx: cannot open", QD_IO},
        {"tail -n 1 index.jsonl >line && cat line >>index.jsonl && rm line", "is named twice",
         QD_INVALID},
        {"sed -i '$d' index.jsonl", "of no case in index.jsonl", QD_INVALID},
        {"sed -i '$p' manifest.sha256", "the paths are not sorted", QD_INVALID},
        {"sed -i '/input_0.pb/d' manifest.sha256 && rm node/*/*/input_0.pb", "input", QD_INVALID},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct qd_error error = {.status = QD_OK};
        enum qd_status status = visit_after(rows[i].commands, &error);
        print_message("# %s: %s\n", rows[i].commands, error.text);
        assert_int_equal(status, rows[i].status);
        assert_non_null(strstr(error.text, rows[i].words));
    }
}

static void names_are_safe_and_distinct(void **state)
{
    char a[QD_PACK_NAME], b[QD_PACK_NAME], id[600];

    (void)state;
    qd_pack_name("node", "a/b", a);
    qd_pack_name("node", "a_b", b);
    assert_int_equal(strncmp(a, "node/test_a_b_", 14), 0);
    assert_int_equal(strncmp(b, "node/test_a_b_", 14), 0);
    assert_string_not_equal(a, b);
    memset(id, '/', sizeof id);
    id[599] = '\0';
    qd_pack_name("latitude", id, a);
    id[598] = 'x';
    qd_pack_name("latitude", id, b);
    assert_true(strlen(a) < QD_PACK_NAME && strlen(b) < QD_PACK_NAME);
    assert_null(strchr(a + 9, '/'));
    assert_string_not_equal(a, b);
}

static void an_unfinished_pack_leaves_nothing(void **state)
{
    char directory[] = "/tmp/qdiff-pack-XXXXXX", path[96];

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/pack", directory);
    struct qd_pack pack;
    struct qd_error error;
    assert_int_equal(qd_pack_begin(path, QD_LEVEL_SMOKE, &pack, &error), QD_OK);
    qd_pack_end(&pack);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pack_gives_the_same_suite_back),
        cmocka_unit_test(a_changed_byte_is_named),
        cmocka_unit_test(only_what_the_manifest_vouches_for_is_read),
        cmocka_unit_test(names_are_safe_and_distinct),
        cmocka_unit_test(an_unfinished_pack_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
