/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations: deterministic, within their room, and of the wire format only what stays the wire format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/mutate.h"

#define CAPACITY 4096

/* Serialised message{1: 150, 2: "ab", 3: message{1: 1, 1: 2, 4: fixed32, 5: message{}}, 200: fixed64}. */
static const uint8_t message[] = {0x08, 0x96, 0x01, 0x12, 2, 'a', 'b', 0x1a, 11,   0x08,
                                  1,    0x08, 2,    0x25, 1, 2,   3,   4,    0x2a, 0,
                                  0xc1, 0x0c, 1,    2,    3, 4,   5,   6,    7,    8};

static void start(struct qd_mutant *mutant, uint8_t *bytes)
{
    *mutant = (struct qd_mutant){bytes, sizeof message, CAPACITY};
    memcpy(bytes, message, sizeof message);
}

static bool skip_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 70; shift += 7) {
        *value |= shift < 64 ? (uint64_t)(bytes[*at] & 0x7f) << shift : 0;
        if (bytes[(*at)++] < 0x80)
            return true;
    }
    return false;
}

/* Fields from one end to the other. */
static bool is_message(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint64_t tag, value;
        if (!skip_varint(bytes, size, &at, &tag) || tag >> 3 == 0)
            return false;
        uint64_t length = (tag & 7) == 1 ? 8 : (tag & 7) == 5 ? 4 : 0;
        if (((tag & 7) == 0 || (tag & 7) == 2) && !skip_varint(bytes, size, &at, &value))
            return false;
        length = (tag & 7) == 2 ? value : length;
        if ((tag & 7) == 3 || (tag & 7) == 4 || (tag & 7) > 5 || length > size - at)
            return false;
        at += (size_t)length;
    }
    return true;
}

static void test_wire_stays_wire(void **state)
{
    (void)state;
    uint8_t bytes[CAPACITY];
    size_t changed = 0, longer = 0, shorter = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct qd_random random = {seed * 0x9e3779b97f4a7c15};
        struct qd_mutant mutant;
        start(&mutant, bytes);
        qd_mutate_wire(&mutant, &random);
        assert_true(is_message(bytes, mutant.size));
        changed += mutant.size != sizeof message || memcmp(bytes, message, sizeof message) != 0;
        longer += mutant.size > sizeof message;
        shorter += mutant.size < sizeof message;
    }
    assert_true(changed > 15000 && longer > 1000 && shorter > 1000);
}

static void test_room_and_determinism(void **state)
{
    (void)state;
    uint8_t bytes[CAPACITY], again[CAPACITY];
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        struct qd_random a = {seed * 0x9e3779b97f4a7c15}, b = a;
        struct qd_mutant first, second;
        start(&first, bytes);
        start(&second, again);
        /* Little room: growing has to stop at it. A guard shows a write past it. */
        first.capacity = second.capacity = sizeof message + 260 + seed % 64;
        memset(bytes + first.capacity, 0xa5, 64);
        for (int i = 0; i < 20; i++) {
            qd_mutate_bytes(&first, message, sizeof message, &a);
            qd_mutate_wire(&first, &a);
            qd_mutate_bytes(&second, message, sizeof message, &b);
            qd_mutate_wire(&second, &b);
            assert_true(first.size <= first.capacity);
        }
        assert_int_equal(first.size, second.size);
        assert_memory_equal(bytes, again, first.size);
        for (size_t i = 0; i < 64; i++)
            assert_int_equal(bytes[first.capacity + i], 0xa5);
    }
}

/* What is no message is left alone by the one, and nothing at all becomes something by the other. */
static void test_odd_inputs(void **state)
{
    (void)state;
    uint8_t bytes[CAPACITY] = {0xff, 0xff, 0xff};
    struct qd_random random = {1};
    struct qd_mutant mutant = {bytes, 3, CAPACITY};
    qd_mutate_wire(&mutant, &random);
    assert_int_equal(mutant.size, 3);
    assert_int_equal(bytes[0], 0xff);
    mutant.size = 0;
    qd_mutate_wire(&mutant, &random);
    qd_mutate_bytes(&mutant, NULL, 0, &random);
    assert_int_equal(mutant.size, 0);
    qd_mutate_bytes(&mutant, message, sizeof message, &random);
    assert_int_equal(mutant.size, sizeof message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_stays_wire),
        cmocka_unit_test(test_room_and_determinism),
        cmocka_unit_test(test_odd_inputs),
    };
    return cmocka_run_group_tests_name("fuzz/mutate", tests, NULL, NULL);
}
