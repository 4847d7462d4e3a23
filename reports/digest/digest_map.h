/* SPDX-License-Identifier: Apache-2.0 */
/* A map from digests to small numbers. */
#ifndef QDIFF_REPORTS_DIGEST_MAP_H
#define QDIFF_REPORTS_DIGEST_MAP_H

#include "digest/sha256.h"

/* An empty map is all zero. */
struct qd_digest_map {
    size_t count, capacity;
    struct qd_digest_entry *entries;
};

/* The number stored with the digest, NULL if there is none. Valid until the next put. */
const unsigned *qd_digest_map_get(const struct qd_digest_map *map, const struct qd_digest *digest);

/* Stores a number with a digest that the map does not hold yet. NO_MEMORY. */
enum qd_status qd_digest_map_put(struct qd_digest_map *map, const struct qd_digest *digest,
                                 unsigned value, struct qd_error *error);
void qd_digest_map_clear(struct qd_digest_map *map);

#endif
