/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the bytes of a finding's file, it is read within the memory budget or refused as torn; a finding
 * that is read, written and read again is the same, and written once more the same bytes. */
#include <string.h>

#include "engine.h"
#include "qdiff/store.h"

#define BUDGET ((size_t)16 << 20)

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, a finding is read or refused, and written as it was read",
    .seed = seed,
};

static const char *make_text(struct qd_random *random, char text[16])
{
    size_t length = qd_random_below(random, 16);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(1 + qd_random_below(random, 255));
    text[length] = '\0';
    return text;
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    char texts[5][16];
    uint8_t content[64], *bytes;
    size_t size;
    struct qd_arena arena;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(qd_random_next(random) >> 56);
    struct qd_record record = {.signature = make_text(random, texts[0]),
                               .cpu = make_text(random, texts[1]),
                               .flags = make_text(random, texts[2]),
                               .version = make_text(random, texts[3]),
                               .reduced = qd_random_below(random, 2) == 0,
                               .first = (int64_t)qd_random_next(random),
                               .last = (int64_t)qd_random_next(random),
                               .count = qd_random_next(random),
                               .sighting_count =
                                   qd_random_below(random, QD_STORE_MAX_SIGHTINGS + 1),
                               .bytes = content,
                               .size = qd_random_below(random, sizeof content)};
    for (size_t i = 0; i < record.sighting_count; i++)
        record.sightings[i] = (struct qd_sighting){make_text(random, texts[4]), (int64_t)i, 7, i};
    qd_arena_init(&arena, BUDGET);
    if (qd_record_encode(&record, &arena, &bytes, &size, NULL) == QD_OK)
        qd_engine_append(room, bytes, size);
    qd_arena_clear(&arena);
}

static void check_record(const struct qd_record *record, struct qd_arena *arena)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_record again;
    uint8_t *first, *second;
    size_t first_size, second_size;
    enum qd_status status = qd_record_encode(record, arena, &first, &first_size, &error);
    if (status == QD_NO_MEMORY)
        return;
    qd_engine_require(qd_record_decode(first, first_size, arena, &again, &error) == QD_OK,
                      "a finding that was written cannot be read", &error);
    qd_engine_require(
        strcmp(record->signature, again.signature) == 0 && record->reduced == again.reduced &&
            record->count == again.count && record->first == again.first &&
            record->sighting_count == again.sighting_count && record->size == again.size &&
            (record->size == 0 || memcmp(record->bytes, again.bytes, record->size) == 0),
        "a finding that was written is read as another", NULL);
    qd_engine_require(qd_record_encode(&again, arena, &second, &second_size, &error) == QD_OK &&
                          first_size == second_size && memcmp(first, second, first_size) == 0,
                      "a finding is written another way the second time", &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_record record;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    qd_arena_init(&arena, BUDGET);
    enum qd_status status = qd_record_decode(data, size, &arena, &record, &error);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    if (status == QD_OK)
        check_record(&record, &arena);
    else
        qd_engine_require_told(status, &error);
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
