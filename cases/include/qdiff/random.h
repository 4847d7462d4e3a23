/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo-random numbers of generators and mutations: SplitMix64 (Steele, Lea, Flood 2014), seeded by a text.
 * Integers only, so that every compiler and machine draws the same cases. */
#ifndef QDIFF_RANDOM_H
#define QDIFF_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct qd_random {
    uint64_t state;
};

/* FNV-1a of the text, and of a number after it. */
struct qd_random qd_random_seed(const char *text, uint64_t number);

uint64_t qd_random_next(struct qd_random *random);

/* A number of [min, max], max − min < 2^32; the bias of the modulo is below 2^−32. */
int64_t qd_random_range(struct qd_random *random, int64_t min, int64_t max);

/* An entry of a list. */
#define QD_RANDOM_PICK(random, list) \
    ((list)[qd_random_range((random), 0, (int64_t)(sizeof(list) / sizeof *(list)) - 1)])

#endif
