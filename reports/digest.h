/* SHA-256 of bytes, and a map from such digests to small numbers. */
#ifndef QDIFF_REPORTS_DIGEST_H
#define QDIFF_REPORTS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/case.h"

#define QD_DIGEST_BYTES 32
#define QD_DIGEST_TEXT (2 * QD_DIGEST_BYTES + 1)

struct qd_digest {
    uint8_t bytes[QD_DIGEST_BYTES];
};

struct qd_digest qd_digest_of(const void *bytes, size_t size);

/* Of a text without its NUL. */
struct qd_digest qd_digest_of_text(const char *text);

/* Of a case's model, inputs and request: what a target is given, whatever the case is called. */
struct qd_digest qd_digest_of_case(const struct qd_case *kase);

/* 64 lower-case hexadecimal digits into text; returns text. */
char *qd_digest_write(const struct qd_digest *digest, char text[QD_DIGEST_TEXT]);

/* Reads 64 such digits; false if there are others or fewer. */
bool qd_digest_read(const char *text, struct qd_digest *digest);

bool qd_digest_equal(const struct qd_digest *a, const struct qd_digest *b);

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
