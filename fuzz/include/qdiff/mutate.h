/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations for inputs of unknown meaning: of bytes, and of protobuf's wire format.
 *
 * Deterministic: the same inputs and the same random state give the same mutant. */
#ifndef QDIFF_MUTATE_H
#define QDIFF_MUTATE_H

#include "qdiff/random.h"

/* Below `bound`, which is at least 1. */
size_t qd_random_below(struct qd_random *random, size_t bound);

/* Bytes that are changed in place; `size` stays within `capacity`. */
struct qd_mutant {
    uint8_t *bytes;
    size_t size, capacity;
};

/* One change: a flipped bit, another byte, a truncation, a removed, repeated or moved range, or (with `other`, which
 * may be NULL) a splice. */
void qd_mutate_bytes(struct qd_mutant *mutant, const uint8_t *other, size_t other_size,
                     struct qd_random *random);

/* One change of one field somewhere in the message: another value, other content, another field number, gone, twice.
 * The lengths around it are corrected, so that the result gets past a parser's front door. Bytes that are no message
 * are left alone. */
void qd_mutate_wire(struct qd_mutant *mutant, struct qd_random *random);

#endif
