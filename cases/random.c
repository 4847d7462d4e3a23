/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/random.h"

#include <stdbool.h>

#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

struct qd_random qd_random_seed(const char *text, uint64_t number)
{
    uint64_t hash = FNV_OFFSET;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * FNV_PRIME;
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (number >> 8 * i & 0xff)) * FNV_PRIME;
    return (struct qd_random){hash};
}

uint64_t qd_random_next(struct qd_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t qd_random_range(struct qd_random *random, int64_t min, int64_t max)
{
    uint64_t span = (uint64_t)(max - min) + 1, drawn = qd_random_next(random);
    bool power = (span & (span - 1)) == 0; /* of two: the remainder needs no division */
    return min + (int64_t)(power ? drawn & (span - 1) : drawn % span);
}
