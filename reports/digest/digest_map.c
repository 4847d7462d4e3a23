/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table whose keys are digests: their own bytes are the hash. */
#include "digest/digest_map.h"

#include <stdlib.h>
#include <string.h>

struct qd_digest_entry {
    struct qd_digest digest;
    unsigned value;
    bool used;
};

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): the analyser loses sight of grow()'s `*map = larger`. */
/* The entry that holds the digest, or the free one where it belongs: linear probing, at most half full. */
static struct qd_digest_entry *find(const struct qd_digest_map *map, const struct qd_digest *digest)
{
    uint64_t start;

    memcpy(&start, digest->bytes, sizeof start);
    size_t i;
    for (i = start & (map->capacity - 1);
         map->entries[i].used && !qd_digest_equal(&map->entries[i].digest, digest);
         i = (i + 1) & (map->capacity - 1)) {
    }
    return &map->entries[i];
}

/* NOLINTEND(clang-analyzer-unix.Malloc) */

static enum qd_status grow(struct qd_digest_map *map, struct qd_error *error)
{
    struct qd_digest_map larger = {map->count, map->capacity == 0 ? 1024 : 2 * map->capacity, NULL};

    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu digests", larger.capacity);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].used)
            *find(&larger, &map->entries[i].digest) = map->entries[i];
    struct qd_digest_entry *old = map->entries;
    *map = larger;
    free(old);
    return QD_OK;
}

const unsigned *qd_digest_map_get(const struct qd_digest_map *map, const struct qd_digest *digest)
{
    const struct qd_digest_entry *entry = map->capacity == 0 ? NULL : find(map, digest);

    return entry && entry->used ? &entry->value : NULL;
}

enum qd_status qd_digest_map_put(struct qd_digest_map *map, const struct qd_digest *digest,
                                 unsigned value, struct qd_error *error)
{
    if (2 * (map->count + 1) > map->capacity) {
        enum qd_status status = grow(map, error);

        if (status != QD_OK)
            return status;
    }
    *find(map, digest) = (struct qd_digest_entry){*digest, value, true};
    map->count++;
    return QD_OK;
}

void qd_digest_map_clear(struct qd_digest_map *map)
{
    free(map->entries);
    *map = (struct qd_digest_map){0};
}
