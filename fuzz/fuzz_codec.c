/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the bytes, qd_case_decode ends within its memory budget, with a case or with an error that has a
 * status and a text; a case it accepts encodes to bytes that decode to the same encoding, its model is a piece of the
 * input as it stands, and its features can be asked for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "qdiff/features.h"

/* Generous for a case of 64 KB; far below what a machine has. */
#define BUDGET ((size_t)64 << 20)

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, the codec ends with a case or an error",
    .hostile = true,
};

static int contains(const uint8_t *data, size_t size, const uint8_t *piece, size_t piece_size)
{
    for (size_t i = 0; piece_size <= size && i <= size - piece_size; i++)
        if (memcmp(data + i, piece, piece_size) == 0)
            return 1;
    return piece_size == 0;
}

static void check_case(const uint8_t *data, size_t size, const struct qd_case *kase,
                       struct qd_arena *arena)
{
    struct qd_error error = {0};
    struct qd_case again;
    struct qd_features features;
    uint8_t *first, *second;
    size_t first_size, second_size;
    qd_engine_require(contains(data, size, kase->model, kase->model_size),
                      "the model's bytes are not the input's", &error);
    qd_case_features(kase, &features);
    qd_engine_require(qd_case_encode(kase, arena, &first, &first_size, &error) == QD_OK,
                      "an accepted case does not encode", &error);
    qd_engine_require(qd_case_decode(first, first_size, arena, &again, &error) == QD_OK,
                      "an encoded case does not decode", &error);
    qd_engine_require(qd_case_encode(&again, arena, &second, &second_size, &error) == QD_OK,
                      "a decoded case does not encode", &error);
    qd_engine_require(first_size == second_size && memcmp(first, second, first_size) == 0,
                      "encoding is not stable", &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    qd_arena_init(&arena, BUDGET);
    enum qd_status status = qd_case_decode(data, size, &arena, &kase, &error);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    if (status == QD_OK)
        check_case(data, size, &kase, &arena);
    else
        qd_engine_require_told(status, &error);
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
