/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* nftw */
#include "case_testlib.h"

#include <ftw.h>
#include <unistd.h>

int arena_set_up(void **state)
{
    static struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    *state = &arena;
    return 0;
}

int arena_tear_down(void **state)
{
    qd_arena_clear(*state);
    return 0;
}

struct qd_tensor sample_tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                               const int64_t *dims, const int64_t *codes)
{
    struct qd_tensor tensor = {0};
    struct qd_error error = {0};
    int64_t count = 1;
    for (unsigned i = 0; i < rank; i++)
        count *= dims[i];
    assert_ok(qd_tensor_init(&tensor, arena, dtype, rank, dims, &error), error);
    assert_int_equal(tensor.count, count);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&tensor, i, codes[i]);
    return tensor;
}

struct qd_tensor sample_floats(struct qd_arena *arena, size_t count, const float *values)
{
    struct qd_tensor tensor = {0};
    struct qd_error error = {0};
    int64_t dims[1] = {(int64_t)count};
    assert_ok(qd_tensor_init(&tensor, arena, QD_F32, count > 0, dims, &error), error);
    memcpy(tensor.data, values, qd_tensor_bytes(&tensor));
    return tensor;
}

struct qd_builder *sample_conv(struct qd_arena *arena)
{
    static const int64_t x_codes[18] = {0,   1,   2,   3, 4, 5, 6,   7,   8,
                                        255, 254, 253, 9, 9, 9, 128, 127, 126};
    static const int64_t w_codes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 0, 1};
    static const int64_t pads[4] = {1, 1, 1, 1};
    const float one = 1.0f, scales[2] = {0.5f, 0.25f};
    struct qd_builder *builder = qd_build_begin(arena, 10);
    assert_non_null(builder);
    struct qd_tensor x = sample_tensor(arena, QD_U8, 4, (int64_t[]){1, 2, 3, 3}, x_codes);
    struct qd_tensor w = sample_tensor(arena, QD_U8, 4, (int64_t[]){2, 2, 2, 2}, w_codes);
    struct qd_tensor zero = sample_tensor(arena, QD_U8, 0, NULL, (int64_t[]){7});
    struct qd_tensor w_zero = sample_tensor(arena, QD_U8, 1, (int64_t[]){2}, (int64_t[]){3, 200});
    struct qd_tensor x_scale = sample_floats(arena, 0, &one),
                     w_scale = sample_floats(arena, 2, scales);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "x_scale", &x_scale);
    qd_build_initializer(builder, "x_zero_point", &zero);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "w_scale", &w_scale);
    qd_build_initializer(builder, "w_zero_point", &w_zero);
    qd_build_initializer(builder, "y_scale", &x_scale);
    qd_build_initializer(builder, "y_zero_point", &zero);
    qd_build_node(builder, "", "QLinearConv",
                  "x,x_scale,x_zero_point,w,w_scale,w_zero_point,y_scale,y_zero_point", "y");
    qd_build_attr_ints(builder, "pads", pads, 4);
    qd_build_output(builder, "y", QD_U8, 4, (int64_t[]){1, 2, 4, 4});
    qd_build_tag(builder, "sample");
    qd_build_origin(builder, "QLinearConv-10", "onnxruntime #28456", "a note");
    return builder;
}

struct qd_case sample_conv_case(struct qd_arena *arena)
{
    struct qd_case kase = {0};
    struct qd_error error = {0};
    assert_ok(qd_build_finish(sample_conv(arena), "sample/conv", false, &kase, &error), error);
    return kase;
}

void assert_refused(enum qd_status have, enum qd_status want, const struct qd_error *error,
                    const char *part)
{
    if (have == QD_OK)
        fail_msg("accepted, want %s", qd_status_word(want));
    if (have != want || error->status != want)
        fail_msg("have %s (%s), want %s", qd_status_word(have), error->text, qd_status_word(want));
    if (!strstr(error->text, part))
        fail_msg("'%s' does not mention '%s'", error->text, part);
}

void assert_same_tensor(const struct qd_tensor *have, const struct qd_tensor *want)
{
    assert_int_equal(have->dtype, want->dtype);
    assert_true(qd_tensor_same_shape(have, want));
    if (qd_tensor_bytes(want) > 0)
        assert_memory_equal(have->data, want->data, qd_tensor_bytes(want));
}

void assert_same_shapes(const struct qd_tensor *have, const struct qd_tensor *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(have[i].dtype, want[i].dtype);
        assert_true(qd_tensor_same_shape(&have[i], &want[i]));
        assert_int_equal(have[i].count, want[i].count);
    }
}

void copy_case(const struct qd_case *kase, struct qd_arena *arena, struct qd_case *copy)
{
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    qd_arena_reset(arena);
    assert_ok(qd_case_encode(kase, arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, arena, copy, &error), error);
}

const char *make_scratch(struct qd_arena *arena)
{
    const char *base = getenv("TMPDIR");
    char *path = qd_arena_printf(arena, "%s/qdiff-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(path);
    assert_non_null(mkdtemp(path));
    return path;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void remove_scratch(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
