/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of results by case and target. */
#include "result/results_by_key.h"

#include <stdlib.h>
#include <string.h>

#include "qdiff/memory_stream.h"
#include "result/result_json.h"

#define BUDGET ((size_t)16 << 30)

void qd_results_by_key_init(struct qd_results_by_key *table)
{
    *table = (struct qd_results_by_key){0};
    qd_arena_init(&table->arena, BUDGET);
}

void qd_results_by_key_clear(struct qd_results_by_key *table)
{
    free(table->entries);
    free(table->slots);
    qd_arena_clear(&table->arena);
    *table = (struct qd_results_by_key){0};
}

static uint64_t hash(const char *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return sum ^ sum >> 29;
}

/* The slot of a key, or the free one where it would go. */
static size_t slot_of(const struct qd_results_by_key *table, const char *key)
{
    size_t slot = hash(key, strlen(key)) & (table->slot_count - 1);

    while (table->slots[slot] != 0 && strcmp(table->entries[table->slots[slot] - 1].key, key) != 0)
        slot = (slot + 1) & (table->slot_count - 1);
    return slot;
}

/* Room for one more entry, at most half of the slots taken. */
static bool grow(struct qd_results_by_key *table)
{
    size_t capacity = table->capacity == 0 ? 512 : table->capacity * 2;

    if (table->count < table->capacity)
        return true;
    struct qd_keyed_result *entries = realloc(table->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    table->entries = entries;
    size_t *slots = calloc(capacity * 2, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = capacity * 2;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++)
        table->slots[slot_of(table, entries[i].key)] = i + 1;
    return true;
}

struct qd_keyed_result *qd_results_by_key_find(const struct qd_results_by_key *table,
                                               const char *key)
{
    size_t slot = table->slot_count == 0 ? 0 : slot_of(table, key);

    return table->slot_count == 0 || table->slots[slot] == 0
               ? NULL
               : &table->entries[table->slots[slot] - 1];
}

const char *qd_result_key(const char *id, const char *target, bool ignore_version,
                          struct qd_arena *arena)
{
    const char *version = strchr(target, '@');
    const char *settings = strchr(target, '[');

    if (!ignore_version || !version || (settings && settings < version))
        return qd_arena_printf(arena, "%s [%s]", id, target);
    return qd_arena_printf(arena, "%s [%.*s%s]", id, (int)(version - target), target,
                           settings ? settings : "");
}

static char *describe(const struct qd_result *result, struct qd_arena *arena)
{
    if (!qd_result_has_comparison(result))
        return qd_arena_printf(arena, "%s: %s", qd_result_word(result->kind), result->why);
    if (result->comparison.mismatched > 0) {
        return qd_arena_printf(arena, "%s at %s: want %s, have %s",
                               qd_verdict_word(result->comparison.verdict), result->element,
                               result->want, result->have);
    }
    return qd_arena_printf(arena, "%s%s%s", qd_verdict_word(result->comparison.verdict),
                           result->message[0] != '\0' ? ": " : "", result->message);
}

/* Hash of the record that the result would be written as. */
static bool digest_of(const struct qd_result *result, uint64_t *digest)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return false;
    qd_result_write(stream.out, result);
    bool written = qd_memory_close(&stream);
    if (written)
        *digest = hash(stream.text, stream.size);
    free(stream.text);
    return written;
}

enum qd_status qd_results_by_key_add(struct qd_results_by_key *table,
                                     const struct qd_result *result, bool ignore_version,
                                     bool *added, struct qd_keyed_result **entry,
                                     struct qd_error *error)
{
    struct qd_keyed_result new = {.kind = result->kind, .verdict = result->comparison.verdict};

    new.key = qd_result_key(result->id, result->target, ignore_version, &table->arena);
    struct qd_keyed_result *found = !new.key ? NULL : qd_results_by_key_find(table, new.key);
    if (found) {
        *added = false;
        *entry = found;
        return QD_OK;
    }
    if (new.key)
        new.what = describe(result, &table->arena);
    if (!new.what || !digest_of(result, &new.digest) || !grow(table))
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu results", table->count + 1);
    table->entries[table->count] = new;
    table->slots[slot_of(table, new.key)] = table->count + 1;
    *entry = &table->entries[table->count++];
    *added = true;
    return QD_OK;
}
