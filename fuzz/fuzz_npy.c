/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the bytes of a .npy file and the type that is wanted of it, it is decoded within the memory budget
 * or refused with a status and a text; a tensor has the type that was wanted, and the file's last bytes as its elements
 * where they are stored as they are in memory. The first byte of an input chooses the type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "qdiff/import.h"

#define BUDGET ((size_t)16 << 20)

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, a .npy file is a tensor of its elements or refused",
    .seed = seed,
};

static void put_header(struct qd_mutant *room, const char *text, unsigned version)
{
    const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0};
    size_t length = strlen(text);
    const uint8_t size[] = {(uint8_t)length, (uint8_t)(length >> 8), 0, 0};
    qd_engine_append(room, magic, sizeof magic);
    qd_engine_append(room, size, version == 1 ? 2 : 4);
    qd_engine_append(room, text, length);
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    static const struct {
        const char *descr;
        size_t bytes;
    } types[] = {{"<f4", 4}, {"<f2", 2}, {"<f8", 8}, {"|b1", 1}, {"|i1", 1},
                 {"<i2", 2}, {"<i4", 4}, {"<i8", 8}, {"|u1", 1}, {"<u2", 2},
                 {"|V1", 1}, {"<V2", 2}, {">f4", 4}, {"<c8", 8}};
    size_t type = qd_random_below(random, sizeof types / sizeof *types), count = 1;
    char text[256], shape[64] = "";
    for (size_t rank = qd_random_below(random, 4), at = 0; rank > 0; rank--) {
        size_t dim = qd_random_below(random, 5);
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%zu, ", dim);
        count *= dim;
    }
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n",
             types[type].descr, qd_random_below(random, 8) == 0 ? "True" : "False", shape);
    const uint8_t want = qd_random_below(random, 2)
                             ? QD_DTYPE_NONE
                             : (uint8_t)qd_random_below(random, QD_DTYPE_COUNT);
    qd_engine_append(room, &want, 1);
    put_header(room, text, 1 + (unsigned)qd_random_below(random, 3));
    for (size_t i = 0; i < count * types[type].bytes; i++) {
        uint8_t byte = (uint8_t)(qd_random_next(random) >> 56);
        if (type == 3)
            byte &= 1;
        qd_engine_append(room, &byte, 1);
    }
}

static void check_tensor(const uint8_t *data, size_t size, enum qd_dtype want,
                         const struct qd_tensor *tensor)
{
    size_t bytes = qd_tensor_bytes(tensor);
    qd_engine_require(want == QD_DTYPE_NONE || tensor->dtype == want, "another type than wanted",
                      NULL);
    for (uint64_t i = 0; i < (uint64_t)tensor->count; i++)
        qd_tensor_value(tensor, i);
    if (qd_dtype_bytes(tensor->dtype, 2) < 2) /* packed: they are stored one a byte */
        return;
    qd_engine_require(bytes < size &&
                          (bytes == 0 || memcmp(data + size - bytes, tensor->data, bytes) == 0),
                      "the elements are not the file's", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_tensor tensor;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    if (size == 0)
        return -1;
    enum qd_dtype want = (enum qd_dtype)(data[0] % QD_DTYPE_COUNT);
    qd_arena_init(&arena, BUDGET);
    enum qd_status status = qd_npy_decode(data + 1, size - 1, want, &arena, &tensor, &error);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    if (status == QD_OK)
        check_tensor(data + 1, size - 1, want, &tensor);
    else
        qd_engine_require_told(status, &error);
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
