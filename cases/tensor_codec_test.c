/* SPDX-License-Identifier: Apache-2.0 */
/* onnx.TensorProto: every type in every field it may use, and what is refused. */
#include "hostile_testlib.h"

/* Encoding and decoding gives the same tensor: every type, ranks 0 to 8, empty ones too. */
static void test_round_trip(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t dims[QD_MAX_RANK] = {3, 1, 2, 1, 1, 1, 1, 3};
    for (int dtype = QD_DTYPE_NONE + 1; dtype < QD_DTYPE_COUNT; dtype++)
        for (unsigned rank = 0; rank <= QD_MAX_RANK; rank++) {
            struct qd_tensor want, have;
            struct qd_error error;
            uint8_t *bytes;
            size_t size;
            const char *name;
            assert_ok(qd_tensor_init(&want, arena, (enum qd_dtype)dtype, rank, dims, &error),
                      error);
            for (int64_t i = 0; i < want.count; i++)
                qd_tensor_set(&want, i, i % 2);
            assert_ok(qd_tensor_encode(&want, "t", arena, &bytes, &size, &error), error);
            assert_ok(qd_tensor_decode(bytes, size, arena, &name, &have, &error), error);
            assert_string_equal(name, "t");
            assert_same_tensor(&have, &want);
        }
    struct qd_tensor empty, have;
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    const char *name;
    assert_ok(qd_tensor_init(&empty, arena, QD_S4, 2, (int64_t[]){0, 5}, &error), error);
    assert_ok(qd_tensor_encode(&empty, "", arena, &bytes, &size, &error), error);
    assert_ok(qd_tensor_decode(bytes, size, arena, &name, &have, &error), error);
    assert_string_equal(name, "");
    assert_int_equal(have.count, 0);
    assert_int_equal(have.dims[1], 5);
}

/* A TensorProto of shape [count] and ONNX type `type`, `field` packed with the entries. */
static struct bytes typed_proto(struct qd_arena *arena, int64_t count, int32_t type, uint32_t field,
                                const int64_t *entries, size_t n)
{
    struct qd_wire_out packed = {.arena = arena}, out = {.arena = arena};
    for (size_t i = 0; i < n; i++) {
        uint8_t raw[10];
        size_t used = 0;
        for (uint64_t value = (uint64_t)entries[i]; value >= 0x80 || used == 0 || value > 0;
             value >>= 7) {
            raw[used++] = (uint8_t)((value & 0x7f) | (value >= 0x80 ? 0x80 : 0));
            if (value < 0x80)
                break;
        }
        qd_wire_put_raw(&packed, raw, used);
    }
    qd_wire_put_varint(&out, 1, (uint64_t)count);
    qd_wire_put_varint(&out, 2, (uint64_t)type);
    qd_wire_put_bytes(&out, field, packed.bytes, packed.size);
    return bytes_of(&out);
}

/* Entries of int32_data (5) or int64_data (7) by the comments of onnx.proto, and the codes they stand for. */
static void test_typed_fields(void **state)
{
    static const struct {
        int32_t type;
        uint32_t field;
        size_t n;
        int64_t entries[4];
        int64_t count;
        int64_t codes[5];
    } rows[] = {
        {2, 5, 3, {0, 128, 255}, 3, {0, 128, 255}},
        {3, 5, 3, {-128, -1, 127}, 3, {-128, -1, 127}},
        {4, 5, 2, {0, 65535}, 2, {0, 65535}},
        {5, 5, 2, {-32768, 32767}, 2, {-32768, 32767}},
        {6, 5, 2, {INT32_MIN, INT32_MAX}, 2, {INT32_MIN, INT32_MAX}},
        {7, 7, 2, {INT64_MIN, INT64_MAX}, 2, {INT64_MIN, INT64_MAX}},
        {9, 5, 2, {1, 0}, 2, {1, 0}},
        {10, 5, 2, {0x3c00, 0xfc00}, 2, {0x3c00, 0xfc00}},
        {16, 5, 2, {0x3f80, 0xff80}, 2, {0x3f80, 0xff80}},
        {17, 5, 2, {0x7f, 0x80}, 2, {0x7f, 0x80}},
        {18, 5, 1, {0x80}, 1, {0x80}},
        {19, 5, 1, {0x7c}, 1, {0x7c}},
        {20, 5, 1, {0xff}, 1, {0xff}},
        {24, 5, 1, {0x7f}, 1, {0x7f}},
        {21, 5, 2, {0xf1, 0x07}, 3, {1, 15, 7}},
        {22, 5, 2, {0x78, 0x0f}, 3, {-8, 7, -1}},
        {23, 5, 1, {0x9a}, 2, {10, 9}},
        {25, 5, 2, {0xe4, 0x02}, 5, {0, 1, 2, 3, 2}},
        {26, 5, 2, {0xe4, 0x02}, 5, {0, 1, -2, -1, -2}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bytes proto = typed_proto(*state, rows[r].count, rows[r].type, rows[r].field,
                                         rows[r].entries, rows[r].n);
        struct qd_tensor tensor;
        struct qd_error error;
        const char *name;
        assert_ok(qd_tensor_decode(proto.bytes, proto.size, *state, &name, &tensor, &error), error);
        assert_int_equal(tensor.count, rows[r].count);
        for (int64_t i = 0; i < tensor.count; i++)
            assert_int_equal(qd_tensor_get(&tensor, i), rows[r].codes[i]);
    }
}

/* float_data (4) and double_data (10) keep every bit, a NaN's payload too. */
static void test_float_fields(void **state)
{
    static const uint8_t floats[8] = {0x01, 0x00, 0xa0, 0x7f, 0, 0, 0, 0x80};
    static const uint8_t doubles[8] = {1, 2, 3, 4, 5, 6, 0xf7, 0x7f};
    struct qd_tensor tensor;
    struct qd_error error;
    const char *name;
    struct qd_wire_out out = {.arena = *state};
    qd_wire_put_varint(&out, 1, 2);
    qd_wire_put_varint(&out, 2, 1);
    qd_wire_put_bytes(&out, 4, floats, sizeof floats);
    assert_ok(qd_tensor_decode(out.bytes, out.size, *state, &name, &tensor, &error), error);
    assert_int_equal(tensor.dtype, QD_F32);
    assert_memory_equal(tensor.data, floats, sizeof floats);
    out = (struct qd_wire_out){.arena = *state};
    qd_wire_put_varint(&out, 2, 11);
    qd_wire_put_bytes(&out, 10, doubles, sizeof doubles);
    assert_ok(qd_tensor_decode(out.bytes, out.size, *state, &name, &tensor, &error), error);
    assert_int_equal(tensor.dtype, QD_F64);
    assert_int_equal(tensor.rank, 0);
    assert_memory_equal(tensor.data, doubles, sizeof doubles);
}

static void test_range_of_entries(void **state)
{
    static const struct {
        int32_t type;
        int64_t entry;
    } rows[] = {
        {2, -1},    {2, 256},  {3, -129}, {3, 128},  {4, -1},     {4, 65536},  {5, -32769},
        {5, 32768}, {9, 2},    {9, -1},   {10, -1},  {10, 65536}, {16, 65536}, {17, 256},
        {19, -1},   {21, 256}, {22, -1},  {22, 256}, {23, 256},   {25, 256},   {26, -1},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bytes proto = typed_proto(*state, 1, rows[r].type, 5, &rows[r].entry, 1);
        struct qd_tensor tensor;
        struct qd_error error = {0};
        const char *name;
        assert_refused(qd_tensor_decode(proto.bytes, proto.size, *state, &name, &tensor, &error),
                       QD_INVALID, &error, "int32_data[0]");
    }
}

static struct bytes proto_of(struct qd_arena *arena, const char *fields)
{
    /* "<number>=<varint>" or "<number>:<bytes in hex>", separated by spaces. */
    struct qd_wire_out out = {.arena = arena};
    while (*fields) {
        char *end;
        uint32_t number = (uint32_t)strtoul(fields, &end, 10);
        if (*end == '=') {
            qd_wire_put_varint(&out, number, (uint64_t)strtoll(end + 1, &end, 0));
        } else {
            uint8_t raw[64];
            size_t used = 0;
            unsigned byte;
            for (end++; sscanf(end, "%2x", &byte) == 1 && *end != ' '; end += 2)
                raw[used++] = (uint8_t)byte;
            qd_wire_put_bytes(&out, number, raw, used);
        }
        fields = *end == ' ' ? end + 1 : end;
    }
    return bytes_of(&out);
}

static void test_refused(void **state)
{
    static const struct {
        const char *fields;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {"1=1 9:00", QD_INVALID, "data_type is not set"},
        {"2=0 9:00", QD_INVALID, "data_type is not set"},
        {"2=8 6:61", QD_UNSUPPORTED, "string"},
        {"2=12 9:00000000", QD_UNSUPPORTED, "uint32"},
        {"2=13 9:0000000000000000", QD_UNSUPPORTED, "uint64"},
        {"2=14", QD_UNSUPPORTED, "complex64"},
        {"2=15", QD_UNSUPPORTED, "complex128"},
        {"2=99 9:00", QD_UNSUPPORTED, "99"},
        {"1=-1 2=2", QD_INVALID, "-1"},
        {"1=1073741824 2=2 9:00", QD_LIMIT, "elements"},
        {"1=4294967296 1=4294967296 1=4294967296 2=2 9:00", QD_LIMIT, "elements"},
        {"1=4294967296 1=0 1=4294967296 2=2 9:00", QD_LIMIT, "elements"},
        {"1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 2=2 9:00", QD_LIMIT, "dimensions"},
        {"1=2 2=2 9:00", QD_INVALID, "1 bytes"},
        {"1=2 2=2 9:000000", QD_INVALID, "3 bytes"},
        {"1=2 2=2", QD_INVALID, "0 bytes"},
        {"1=3 2=22 9:00", QD_INVALID, "1 bytes"},
        {"1=2 2=2 5:00", QD_INVALID, "1 entries"},
        {"1=4 2=21 5:00000000", QD_INVALID, "4 entries"},
        {"1=1 2=2 5:00 9:00", QD_INVALID, "both raw_data and int32_data"},
        {"1=1 2=2 4:00000000", QD_INVALID, "uint8 elements in float_data"},
        {"1=1 2=1 5:00", QD_INVALID, "float elements in int32_data"},
        {"1=1 2=7 5:00", QD_INVALID, "int64 elements in int32_data"},
        {"1=1 2=2 11:00", QD_INVALID, "uint8 elements in uint64_data"},
        {"1=1 2=2 6:00", QD_INVALID, "uint8 elements in string_data"},
        {"1=1 2=9 9:02", QD_INVALID, "bool"},
        {"1=1 2=2 9:00 3:0800", QD_UNSUPPORTED, "segment"},
        {"1=1 2=2 14=1", QD_UNSUPPORTED, "external data"},
        {"1=1 2=2 13:0a0161 9:00", QD_UNSUPPORTED, "external data"},
        {"1=1 2=2 8:610062 9:00", QD_MALFORMED, "NUL"},
        {"1=1 2=1 4:000000", QD_MALFORMED, "packed"},
        {"1=1 2=2 5:ff", QD_MALFORMED, "inside a number"},
        {"1=1 2:00 9:00", QD_MALFORMED, "data_type"},
        {"1=1 2=2 9=0", QD_MALFORMED, "raw_data"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bytes proto = proto_of(*state, rows[r].fields);
        struct qd_tensor tensor = {.rank = 77};
        struct qd_error error = {0};
        const char *name = "untouched";
        assert_refused(qd_tensor_decode(proto.bytes, proto.size, *state, &name, &tensor, &error),
                       rows[r].want, &error, rows[r].part);
        assert_int_equal(tensor.rank, 77);
        assert_string_equal(name, "untouched");
    }
}

/* Bits after the last element do not reach the tensor. */
static void test_padding_bits(void **state)
{
    struct bytes proto = proto_of(*state, "1=3 2=22 9:21f3");
    struct qd_tensor tensor;
    struct qd_error error;
    const char *name;
    assert_ok(qd_tensor_decode(proto.bytes, proto.size, *state, &name, &tensor, &error), error);
    assert_int_equal(((const uint8_t *)tensor.data)[1], 0x03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_typed_fields),
        cmocka_unit_test(test_float_fields), cmocka_unit_test(test_range_of_entries),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_padding_bits),
    };
    return cmocka_run_group_tests_name("cases/tensor_codec", tests, arena_set_up, arena_tear_down);
}
