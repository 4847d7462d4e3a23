/* SPDX-License-Identifier: Apache-2.0 */
/* The mutation core as an AFL++ custom mutator (AFL_CUSTOM_MUTATOR_LIBRARY): AFL++ 4.04c does not call libFuzzer's
 * entry points. Every mutation is ours, so AFL_CUSTOM_MUTATOR_ONLY=1 belongs to it. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* AFL++ would give an input that is quick some thousands: half of a short night was one. */
#define MUTANTS_OF_AN_INPUT 64

/* What a harness tells of itself; here there is none. */
const struct qd_engine_harness qd_engine_harness = {.property = "mutations for AFL++"};

struct afl_mutator {
    struct qd_random random;
    size_t capacity;
    uint8_t *bytes;
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *bytes, size_t size, uint8_t **out, uint8_t *other,
                       size_t other_size, size_t max_size);
unsigned afl_custom_fuzz_count(void *data, const uint8_t *bytes, size_t size);
void afl_custom_deinit(void *data);

unsigned afl_custom_fuzz_count(void *data, const uint8_t *bytes, size_t size)
{
    (void)data, (void)bytes, (void)size;
    return MUTANTS_OF_AN_INPUT;
}

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    struct afl_mutator *mutator = calloc(1, sizeof *mutator);
    if (mutator)
        mutator->random = qd_random_seed("afl", seed);
    return mutator;
}

static bool reserve(struct afl_mutator *mutator, size_t size)
{
    if (size <= mutator->capacity)
        return true;
    uint8_t *bytes = realloc(mutator->bytes, size);
    if (!bytes)
        return false;
    mutator->bytes = bytes;
    mutator->capacity = size;
    return true;
}

/* One mutation in eight is a crossover. 0: AFL++ skips this round. */
size_t afl_custom_fuzz(void *data, uint8_t *bytes, size_t size, uint8_t **out, uint8_t *other,
                       size_t other_size, size_t max_size)
{
    struct afl_mutator *mutator = data;
    unsigned seed = (unsigned)qd_random_next(&mutator->random);
    *out = bytes;
    if (!reserve(mutator, max_size))
        return 0;
    *out = mutator->bytes;
    if (other && seed % 8 == 0)
        return LLVMFuzzerCustomCrossOver(bytes, size, other, other_size, mutator->bytes, max_size,
                                         seed);
    if (size > max_size)
        size = max_size;
    memcpy(mutator->bytes, bytes, size);
    return LLVMFuzzerCustomMutator(mutator->bytes, size, max_size, seed);
}

void afl_custom_deinit(void *data)
{
    struct afl_mutator *mutator = data;
    free(mutator->bytes);
    free(mutator);
}
