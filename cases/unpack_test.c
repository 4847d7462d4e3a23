/* SPDX-License-Identifier: Apache-2.0 */
/* The pre-scan and the budgeted allocator against what protobuf-c takes badly. */
#include "hostile_testlib.h"

#include <time.h>

#include "onnx/onnx.pb-c.h"
#include "unpack.h"

static void refuse(struct bytes bytes, enum qd_status want, const char *part)
{
    struct qd_arena arena;
    struct qd_error error = {0};
    ProtobufCMessage *message = NULL;
    /* A copy of exactly this size, so that a sanitizer sees a read past the end. */
    uint8_t *copy = malloc(bytes.size ? bytes.size : 1);
    assert_non_null(copy);
    if (bytes.size > 0)
        memcpy(copy, bytes.bytes, bytes.size);
    qd_arena_init(&arena, (size_t)64 << 20);
    assert_refused(
        qd_unpack(&onnx__model_proto__descriptor, copy, bytes.size, &arena, &message, &error), want,
        &error, part);
    assert_null(message);
    qd_arena_clear(&arena);
    free(copy);
}

static void test_wire_format(void **state)
{
    static const struct {
        uint8_t bytes[16];
        size_t size;
        const char *part;
    } rows[] = {
        {{0x00, 0x01}, 2, "field number"},                         /* field 0 */
        {{0x80, 0x80, 0x80, 0x80, 0x10, 0x01}, 6, "field number"}, /* field 2^29 */
        {{0x0b, 0x0c}, 2, "group"},                                /* start group 1 */
        {{0x0c}, 1, "group"},                                      /* end group 1 */
        {{0x0e, 0x00}, 2, "wire type"},
        {{0x0f, 0x00}, 2, "wire type"},
        {{0x08}, 1, "inside a number"},
        {{0x08, 0x80}, 2, "inside a number"},
        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 11, "64 bits"},
        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00}, 12, "64 bits"},
        {{0x12, 0x05, 'a'}, 3, "past the end"},
        {{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 11, "past the end"},
        {{0x11, 0, 0, 0, 0, 0, 0, 0}, 8, "fixed-size"},
        {{0x15, 0, 0, 0}, 4, "fixed-size"},
        {{0x10, 0x01}, 2, "producer_name"},    /* a number as a text */
        {{0x0a, 0x01, 0x08}, 3, "ir_version"}, /* packed, though not repeated */
        {{0x38, 0x01}, 2, "graph"},            /* a number as a message */
        {{0x12, 0x01, 0x00}, 3, "NUL"},
        {{0x3a, 0x00, 0x3a, 0x00}, 4, "second occurrence"},
        {{0x3a, 0x03, 0x0a, 0x01, 0x08}, 5, "NodeProto"}, /* broken two levels down */
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        refuse((struct bytes){rows[r].bytes, rows[r].size}, QD_MALFORMED, rows[r].part);
}

/* The last varint of ten bytes that fits, an unknown field of every wire type, packed and unpacked numbers. */
static void test_accepted(void **state)
{
    static uint8_t good[] = {
        0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* ir_version -1 */
        0xf8, 0x01, 0x05, 0xfd, 0x01, 1,    2,    3,    4,    0xf9, 0x01, 1,
        2,    3,    4,    5,    6,    7,    8,    0xfa, 0x01, 0x02, 0xff, 0xff};
    ProtobufCMessage *message;
    struct qd_error error;
    assert_ok(
        qd_unpack(&onnx__model_proto__descriptor, good, sizeof good, *state, &message, &error),
        error);
    assert_true(((const Onnx__ModelProto *)message)->ir_version == -1);
    static uint8_t dims[] = {0x08, 3, 0x0a, 2, 4, 5, 0x08, 6};
    assert_ok(
        qd_unpack(&onnx__tensor_proto__descriptor, dims, sizeof dims, *state, &message, &error),
        error);
    const Onnx__TensorProto *tensor = (const Onnx__TensorProto *)message;
    assert_int_equal(tensor->n_dims, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tensor->dims[i], 3 + i);
}

/* Graphs in attributes in nodes in graphs: each level is two messages deeper than QD_CASE_MAX_DEPTH allows soon. */
static void test_depth(void **state)
{
    struct bytes graph = NOTHING;
    for (int i = 0; i < 3000; i++)
        graph = field_bytes(*state, 1, field_bytes(*state, 5, field_bytes(*state, 6, graph)));
    refuse(field_bytes(*state, 7, graph), QD_LIMIT, "16 deep");
    /* Model, graph, then five times node, attribute, graph is 17; four times is 14. */
    for (int levels = 4; levels <= 5; levels++) {
        struct qd_error error = {0};
        graph = NOTHING;
        for (int i = 0; i < levels; i++)
            graph = field_bytes(*state, 1, field_bytes(*state, 5, field_bytes(*state, 6, graph)));
        struct bytes model = field_bytes(*state, 7, graph);
        assert_int_equal(qd_scan(&onnx__model_proto__descriptor, model.bytes, model.size, &error),
                         levels == 4 ? QD_OK : QD_LIMIT);
    }
}

static struct bytes repeat(struct qd_arena *arena, struct bytes unit, size_t count)
{
    uint8_t *bytes = qd_arena_alloc(arena, unit.size * count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * unit.size, unit.bytes, unit.size);
    return (struct bytes){bytes, unit.size * count};
}

/* Two bytes each that would become a message of some hundred; the count stops them before the budget has to. */
static void test_many_messages(void **state)
{
    struct bytes node = field_bytes(*state, 1, NOTHING);
    refuse(field_bytes(*state, 7, repeat(*state, node, 1000000)), QD_LIMIT, "200000 fields");
}

/* Below the count, the budget stops them. */
static void test_amplification(void **state)
{
    struct bytes nodes = repeat(*state, field_bytes(*state, 1, NOTHING), 199000);
    struct bytes model = field_bytes(*state, 7, nodes);
    struct qd_arena arena;
    struct qd_error error = {0};
    ProtobufCMessage *message;
    qd_arena_init(&arena, (size_t)4 << 20);
    assert_refused(qd_unpack(&onnx__model_proto__descriptor, model.bytes, model.size, &arena,
                             &message, &error),
                   QD_NO_MEMORY, &error, "budget");
    assert_true(arena.used <= arena.budget);
    qd_arena_clear(&arena);
}

/* protobuf-c would merge each occurrence into all before it. */
static void test_quadratic_merge(void **state)
{
    struct bytes graph = field_bytes(*state, 7, field_bytes(*state, 1, NOTHING));
    refuse(repeat(*state, graph, 100000), QD_MALFORMED, "second occurrence");
}

static void test_size(void **state)
{
    (void)state;
    struct qd_error error = {0};
    /* Nothing is read: the size alone is refused. */
    assert_refused(qd_scan(&onnx__model_proto__descriptor, NULL, QD_CASE_MAX_BYTES + 1, &error),
                   QD_LIMIT, &error, "bytes");
}

/* The greatest inputs that pass are scanned in well under a second: 64 MB of packed numbers, then as many fields as
 * the count allows. A quadratic step anywhere would take hours. */
static void test_linear_time(void **state)
{
    struct qd_arena *arena = *state;
    size_t size = QD_CASE_MAX_BYTES - 16;
    uint8_t *numbers = qd_arena_alloc(arena, size);
    assert_non_null(numbers);
    memset(numbers, 1, size);
    struct bytes tensor = field_bytes(arena, 5, (struct bytes){numbers, size});
    struct qd_error error;
    clock_t start = clock();
    assert_ok(qd_scan(&onnx__tensor_proto__descriptor, tensor.bytes, tensor.size, &error), error);
    struct bytes node =
        field_bytes(arena, 7, repeat(arena, field_bytes(arena, 1, NOTHING), 199000));
    assert_ok(qd_scan(&onnx__model_proto__descriptor, node.bytes, node.size, &error), error);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_format),   cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_depth),         cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_amplification), cmocka_unit_test(test_quadratic_merge),
        cmocka_unit_test(test_size),          cmocka_unit_test(test_linear_time),
    };
    return cmocka_run_group_tests_name("cases/unpack", tests, arena_set_up, arena_tear_down);
}
