/* SPDX-License-Identifier: Apache-2.0 */
/* Files and directories: what is written is what is read back, and nothing foreign is touched. */
#include "hostile_testlib.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *in(struct qd_arena *arena, const char *directory, const char *name)
{
    const char *path = qd_arena_printf(arena, "%s/%s", directory, name);
    assert_non_null(path);
    return path;
}

static struct bytes encode(struct qd_arena *arena, const struct qd_case *kase)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct qd_error error;
    assert_ok(qd_case_encode(kase, arena, &bytes, &size, &error), error);
    return (struct bytes){bytes, size};
}

static struct bytes read_file(struct qd_arena *arena, const char *path)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct qd_error error;
    assert_ok(qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, &error), error);
    return (struct bytes){bytes, size};
}

static void assert_same_case(struct qd_arena *arena, const struct qd_case *have,
                             const struct qd_case *want)
{
    struct bytes a = encode(arena, have), b = encode(arena, want);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, b.size);
}

/* A case with every field set, its model with a field that no schema of ours knows. */
static struct qd_case full_case(struct qd_arena *arena)
{
    static uint8_t odd[] = {0xa2, 0x06, 1, 0x55};
    struct bytes model = identity_model(arena, NOTHING, NOTHING, (struct bytes){odd, sizeof odd});
    struct bytes bytes = case_of_model(arena, model, NOTHING);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_decode(bytes.bytes, bytes.size, arena, &kase, &error), error);
    static const char *const tags[] = {"one", "two"};
    kase.id = "a/b/c";
    kase.expect = QD_EXPECT_MUST_REJECT;
    kase.rule = "Identity/rule";
    kase.twin = "a/b/d";
    kase.issue = "onnx #1";
    kase.spec = "Identity-13";
    kase.note = "a note";
    kase.seed = 12345678901234567u;
    kase.generator = "7";
    kase.symptom = "accepts-invalid";
    kase.tag_count = 2;
    kase.tags = tags;
    return kase;
}

static void test_save_load(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena), *path = in(arena, scratch, "a.qdcase");
    struct qd_case kase = full_case(arena), again;
    struct qd_error error;
    for (int i = 0; i < 2; i++) { /* the second time over the first */
        assert_ok(qd_case_save(&kase, path, &error), error);
        assert_ok(qd_case_load(path, arena, &again, &error), error);
        assert_same_case(arena, &again, &kase);
    }
    remove_scratch(scratch);
}

/* Export and load lose nothing: with no outputs, with the reference's, with the case's own. */
static void test_export_load(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena), *path = in(arena, scratch, "case");
    struct qd_case kase = full_case(arena), again;
    struct qd_error error;
    float two = 2.0f, three = 3.0f;
    struct qd_tensor computed = sample_floats(arena, 1, &two),
                     own = sample_floats(arena, 1, &three);
    struct stat info;

    assert_ok(qd_case_export(&kase, path, &computed, &error), error);
    assert_ok(qd_case_load(path, arena, &again, &error), error);
    assert_same_case(arena, &again, &kase);
    struct bytes model = read_file(arena, in(arena, path, "model.onnx"));
    assert_int_equal(model.size, kase.model_size);
    assert_memory_equal(model.bytes, kase.model, model.size);
    struct bytes output = read_file(arena, in(arena, path, "test_data_set_0/output_0.pb"));
    struct qd_tensor written;
    const char *name;
    assert_ok(qd_tensor_decode(output.bytes, output.size, arena, &name, &written, &error), error);
    assert_string_equal(name, "y");
    assert_same_tensor(&written, &computed);

    assert_ok(qd_case_export(&kase, path, NULL, &error), error);
    assert_int_not_equal(stat(in(arena, path, "test_data_set_0/output_0.pb"), &info), 0);
    assert_ok(qd_case_load(path, arena, &again, &error), error);
    assert_same_case(arena, &again, &kase);

    kase.stored_outputs = &own;
    kase.output_count = 1;
    kase.symptom = "wrong-value";
    kase.wrong_outputs = &computed;
    kase.wrong_count = 1;
    assert_ok(qd_case_export(&kase, path, &computed, &error), error);
    assert_ok(qd_case_load(in(arena, path, ""), arena, &again, &error), error);
    assert_same_case(arena, &again, &kase);
    assert_ok(qd_case_load(in(arena, path, "test_data_set_0"), arena, &again, &error), error);
    assert_same_case(arena, &again, &kase);
    remove_scratch(scratch);
}

/* A directory as ONNX makes them, without qdiff.pb: the id is its name, the outputs are the fixture's. */
static void test_plain_directory(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena), *path = in(arena, scratch, "test plain");
    struct qd_case kase = full_case(arena), again;
    struct qd_error error;
    float two = 2.0f;
    struct qd_tensor output = sample_floats(arena, 1, &two);
    assert_ok(qd_case_export(&kase, path, &output, &error), error);
    assert_int_equal(unlink(in(arena, path, "qdiff.pb")), 0);
    assert_ok(qd_case_load(path, arena, &again, &error), error);
    assert_string_equal(again.id, "test_plain");
    assert_int_equal(again.expect, QD_EXPECT_VALID);
    assert_int_equal(again.output_count, 1);
    assert_same_tensor(&again.stored_outputs[0], &output);
    remove_scratch(scratch);
}

static void refuse_load(struct qd_arena *arena, const char *path, enum qd_status want,
                        const char *part)
{
    struct qd_case kase = {.seed = 77};
    struct qd_error error = {0};
    assert_refused(qd_case_load(path, arena, &kase, &error), want, &error, part);
    assert_int_equal(kase.seed, 77);
}

static void write_file(struct qd_arena *arena, const char *directory, const char *name,
                       struct bytes bytes)
{
    struct qd_error error;
    assert_ok(qd_file_write(in(arena, directory, name), bytes.bytes, bytes.size, &error), error);
}

static void test_refused_directories(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena), *path = in(arena, scratch, "case");
    struct qd_case kase = full_case(arena);
    struct qd_error error;
    struct bytes junk = {(const uint8_t *)"junk", 4};
    refuse_load(arena, in(arena, scratch, "absent"), QD_IO, "absent");
    refuse_load(arena, scratch, QD_IO, "model.onnx");
    assert_ok(qd_case_export(&kase, path, NULL, &error), error);
    write_file(arena, path, "qdiff.pb", junk);
    refuse_load(arena, path, QD_MALFORMED, "qdiff.pb");
    write_file(arena, path, "qdiff.pb", encode(arena, &kase));
    refuse_load(arena, path, QD_INVALID, "files of their own");
    assert_int_equal(unlink(in(arena, path, "qdiff.pb")), 0);
    assert_int_equal(unlink(in(arena, path, "test_data_set_0/input_0.pb")), 0);
    refuse_load(arena, path, QD_INVALID, "0 input tensors");
    write_file(arena, path, "test_data_set_0/input_0.pb", junk);
    refuse_load(arena, path, QD_MALFORMED, "TensorProto");
    write_file(arena, path, "model.onnx", junk);
    refuse_load(arena, path, QD_MALFORMED, "ModelProto");
    remove_scratch(scratch);
}

/* A bare model is a case only if nothing has to be fed. */
static void test_bare_model(void **state)
{
    static const uint8_t tensor[] = {0x08, 1, 0x10, 1, 0x42, 1, 'x', 0x4a, 4, 0, 0, 0x80, 0x3f};
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena);
    struct bytes initializer = {tensor, sizeof tensor};
    struct qd_case kase;
    struct qd_error error;
    write_file(arena, scratch, "fed.onnx", identity_model(arena, NOTHING, NOTHING, NOTHING));
    write_file(arena, scratch, "whole.onnx",
               identity_model(arena, NOTHING, field_bytes(arena, 5, initializer), NOTHING));
    refuse_load(arena, in(arena, scratch, "fed.onnx"), QD_USAGE, "'x'");
    assert_ok(qd_case_load(in(arena, scratch, "whole.onnx"), arena, &kase, &error), error);
    assert_string_equal(kase.id, "whole");
    assert_int_equal(kase.input_count, 0);
    remove_scratch(scratch);
}

static void test_foreign_directories(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena), *path = in(arena, scratch, "mine");
    struct qd_case kase = full_case(arena);
    struct qd_error error = {0};
    struct bytes text = {(const uint8_t *)"precious", 8};
    assert_int_equal(mkdir(path, 0777), 0);
    write_file(arena, path, "notes.txt", text);
    assert_refused(qd_case_export(&kase, path, NULL, &error), QD_USAGE, &error,
                   "no case directory");
    assert_int_equal(read_file(arena, in(arena, path, "notes.txt")).size, 8);
    assert_refused(qd_case_export(&kase, in(arena, path, "notes.txt"), NULL, &error), QD_USAGE,
                   &error, "no directory");
    assert_refused(qd_case_export(&kase, in(arena, scratch, "no/such"), NULL, &error), QD_IO,
                   &error, "no/such");
    const char *empty = in(arena, scratch, "empty");
    assert_int_equal(mkdir(empty, 0777), 0);
    assert_ok(qd_case_export(&kase, empty, NULL, &error), error);
    remove_scratch(scratch);
}

static void test_files(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena);
    struct qd_error error = {0};
    struct bytes bytes = {(const uint8_t *)"0123456789", 10};
    uint8_t *read;
    size_t size;
    write_file(arena, scratch, "ten", bytes);
    write_file(arena, scratch, "none", NOTHING);
    assert_int_equal(read_file(arena, in(arena, scratch, "none")).size, 0);
    assert_ok(qd_file_read(in(arena, scratch, "ten"), 10, arena, &read, &size, &error), error);
    assert_int_equal(size, 10);
    assert_refused(qd_file_read(in(arena, scratch, "ten"), 9, arena, &read, &size, &error),
                   QD_LIMIT, &error, "10 bytes");
    assert_refused(qd_file_read(scratch, 9, arena, &read, &size, &error), QD_IO, &error,
                   "not a regular file");
    assert_int_equal(mkfifo(in(arena, scratch, "fifo"), 0600), 0);
    assert_refused(qd_file_read(in(arena, scratch, "fifo"), 9, arena, &read, &size, &error), QD_IO,
                   &error, "not a regular file");
    assert_refused(qd_file_write(in(arena, scratch, "no/such"), "", 0, &error), QD_IO, &error,
                   "no/such");
    struct stat info;
    assert_int_equal(stat(in(arena, scratch, "ten"), &info), 0);
    assert_int_equal(info.st_mode & 0400, 0400);
    remove_scratch(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_load),       cmocka_unit_test(test_export_load),
        cmocka_unit_test(test_plain_directory), cmocka_unit_test(test_refused_directories),
        cmocka_unit_test(test_bare_model),      cmocka_unit_test(test_foreign_directories),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("cases/directory", tests, arena_set_up, arena_tear_down);
}
