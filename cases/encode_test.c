/* SPDX-License-Identifier: Apache-2.0 */
/* bin/encode_cases on small trees: what it writes, what it removes, and where its errors point.
 * Alone: <build>/tests/cases/encode_test */
#include "case_testlib.h"

#include <unistd.h>

struct tree {
    struct qd_arena arena;
    const char *path; /* holds cases/, out/ and err */
};

static void put(struct tree *tree, const char *name, const char *text)
{
    struct qd_error error;
    const char *path = qd_arena_printf(&tree->arena, "%s/%s", tree->path, name);
    assert_non_null(path);
    assert_ok(qd_file_write(path, text, strlen(text), &error), error);
}

static const char *get(struct tree *tree, const char *path)
{
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    assert_ok(qd_file_read(path, 1 << 20, &tree->arena, &bytes, &size, &error), error);
    char *text = qd_arena_alloc(&tree->arena, size + 1);
    assert_non_null(text);
    return memcpy(text, bytes, size);
}

static int run(struct tree *tree, const char *command)
{
    char *full = qd_arena_printf(&tree->arena, "cd '%s' && %s", tree->path, command);
    assert_non_null(full);
    return system(full); /* NOLINT(concurrency-mt-unsafe,cert-env33-c): a test has one thread */
}

/* A twin of the source tree, and a table with one row. */
static int make_tree(void **state)
{
    static struct tree tree;
    qd_arena_init(&tree.arena, QD_ARENA_DEFAULT_BUDGET);
    tree.path = make_scratch(&tree.arena);
    *state = &tree;
    assert_int_equal(run(&tree, "mkdir -p cases/reject/Abs"), 0);
    put(&tree, "cases/reject/Abs/valid-vector.textproto",
        get(&tree, QD_SOURCE_DIR "/cases/reject/Abs/valid-vector.textproto"));
    put(&tree, "cases/reject/Abs.reject",
        "# Abs\nx-type/bool | valid-vector | type x bool | Abs-13, x: words\n");
    return 0;
}

static int remove_tree(void **state)
{
    struct tree *tree = *state;
    remove_scratch(tree->path);
    qd_arena_clear(&tree->arena);
    return 0;
}

static bool encode(struct tree *tree)
{
    const char *command = "'" QD_TEST_CASES_DIR "/../../../bin/encode_cases' protoc '" QD_SOURCE_DIR
                          "/cases/proto' '" QD_TEST_CASES_DIR "/../../../proto' cases out 2>err";
    return run(tree, command) == 0;
}

static bool exists(struct tree *tree, const char *name)
{
    const char *path = qd_arena_printf(&tree->arena, "%s/%s", tree->path, name);
    return path && access(path, F_OK) == 0;
}

static void assert_fails(struct tree *tree, const char *message)
{
    const char *err = qd_arena_printf(&tree->arena, "%s/err", tree->path);
    assert_false(encode(tree));
    if (!strstr(get(tree, err), message))
        fail_msg("'%s' does not mention '%s'", get(tree, err), message);
}

static void texts_and_rows_become_files_at_their_ids(void **state)
{
    struct tree *tree = *state;
    struct qd_case kase;
    struct qd_error error;
    assert_true(encode(tree));
    assert_true(exists(tree, "out/reject/Abs/valid-vector.qdcase"));
    const char *path =
        qd_arena_printf(&tree->arena, "%s/out/reject/Abs/x-type/bool.qdcase", tree->path);
    assert_ok(qd_case_load(path, &tree->arena, &kase, &error), error);
    assert_string_equal(kase.id, "reject/Abs/x-type/bool");
    assert_string_equal(kase.rule, "Abs/x-type");
    assert_int_equal(kase.inputs[0].dtype, QD_BOOL);
}

static void cases_that_are_gone_are_removed(void **state)
{
    struct tree *tree = *state;
    assert_true(encode(tree));
    put(tree, "cases/reject/Abs.reject", "# nothing\n");
    put(tree, "out/other", "no case");
    assert_true(encode(tree));
    assert_false(exists(tree, "out/reject/Abs/x-type"));
    assert_true(exists(tree, "out/reject/Abs/valid-vector.qdcase"));
    assert_true(exists(tree, "out/other"));
}

static void errors_name_the_file_and_write_nothing(void **state)
{
    struct tree *tree = *state;
    put(tree, "cases/reject/Abs.reject", "\nx-type/bool | valid-vector | type q bool | Abs-13: c");
    assert_fails(
        tree, "encode_cases: cases/reject/Abs.reject: line 2: x-type/bool: edit 'type q bool': the "
              "twin has no operand 'q'");
    put(tree, "cases/reject/Abs.reject", "x-type/bool | valid | type x bool | Abs-13: c");
    assert_fails(tree, "reject/Abs.reject: line 1: x-type/bool: there is no twin "
                       "reject/Abs/valid.textproto");
    put(tree, "cases/reject/Abs.reject", "valid-vector | valid-vector | ir 9 | Abs-13: c");
    assert_fails(tree, "reject/Abs/valid-vector is a file and a row");
    put(tree, "cases/reject/Abs.reject", "x-type/bool | valid-vector");
    assert_fails(tree, "reject/Abs.reject: line 1: field 'edits' is missing");
    put(tree, "cases/reject/Abs.reject", "");
    put(tree, "cases/reject/Abs/broken.textproto", "tag: \"a\"\ntag: \"b\"\nmodle {}");
    assert_fails(tree, "cases/reject/Abs/broken.textproto: protoc refuses it");
    assert_fails(tree, "input:3:"); /* protoc's own line: the file's third */
    put(tree, "cases/reject/Abs/broken.textproto", "id: \"reject/Abs/broken\"");
    assert_fails(tree, "Non-repeated field \"id\" is specified multiple times");
    put(tree, "cases/reject/Abs/broken.textproto", "} at { schema: 1");
    assert_fails(tree, "2 text cases became 3");
    put(tree, "cases/reject/Abs/broken.textproto", "");
    assert_fails(tree, "reject/Abs/broken.textproto: the case has no model");
    assert_false(exists(tree, "out"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_and_rows_become_files_at_their_ids, make_tree,
                                        remove_tree),
        cmocka_unit_test_setup_teardown(cases_that_are_gone_are_removed, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(errors_name_the_file_and_write_nothing, make_tree,
                                        remove_tree),
    };
    return cmocka_run_group_tests_name("encode_cases", tests, NULL, NULL);
}
