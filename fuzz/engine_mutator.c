/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer's custom mutator and crossover on the mutation core. AFL++ reaches them through engine_afl.c, the replayer
 * calls them itself. The state below is this program's own: engines have no place for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "qdiff/counters.h"
#include "qdiff/mutate.h"

#define TRIES 16 /* mutants of an input, until the target declares one */

__attribute__((section("__libfuzzer_extra_counters"))) uint8_t qd_engine_counters[QD_COUNTERS];

#ifdef __AFL_COMPILER
#define MOST_HITS 8 /* AFL++ tells few numbers of hits apart */

/* Slots of AFL++'s map: what stands in this section is numbered with the
 * compiler's own edges at the program's start. */
__attribute__((section("__sancov_guards"), used)) static uint32_t slots[QD_COUNTERS];
void __sanitizer_cov_trace_pc_guard(uint32_t *guard); /* one hit */

void qd_engine_publish(void)
{
    for (size_t i = 0; i < QD_COUNTERS; i++)
        for (uint8_t hit = 0; hit < qd_engine_counters[i] && hit < MOST_HITS; hit++)
            __sanitizer_cov_trace_pc_guard(&slots[i]);
    memset(qd_engine_counters, 0, QD_COUNTERS);
}
/* AFL++'s map and its size. Its compiler pass declares these names in each file, and renames what has them already:
 * hence a detour that it does not see. */
__asm__(".pushsection .data.rel, \"aw\"\n"
        ".balign 8\n"
        "qd_afl_map: .quad __afl_area_ptr\n"
        "qd_afl_map_size: .quad __afl_map_size\n"
        ".popsection");
extern uint8_t **const qd_afl_map __attribute__((visibility("hidden")));
extern const uint32_t *const qd_afl_map_size __attribute__((visibility("hidden")));

static uint8_t *coverage(size_t *size)
{
    *size = *qd_afl_map ? *qd_afl_map_size : 0;
    return *qd_afl_map;
}
#else
void qd_engine_publish(void) {}

/* libFuzzer's counters; a program that is not built for it has none. */
extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));

static uint8_t *coverage(size_t *size)
{
    *size = __start___sancov_cntrs ? (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs) : 0;
    return __start___sancov_cntrs;
}
#endif

static uint8_t *paused; /* the coverage until then */

void qd_engine_pause(void)
{
    size_t size;
    const uint8_t *now = coverage(&size);
    if (!paused && size > 0)
        paused = malloc(size);
    if (paused && size > 0)
        memcpy(paused, now, size);
}

void qd_engine_resume(void)
{
    size_t size;
    uint8_t *now = coverage(&size);
    if (paused && size > 0)
        memcpy(now, paused, size);
}

void qd_engine_forget(void)
{
    size_t size;
    uint8_t *now = coverage(&size);
    if (size > 0)
        memset(now, 0, size);
    memset(qd_engine_counters, 0, QD_COUNTERS);
#ifdef __AFL_COMPILER
    if (size > 0)
        now[0] = 1; /* an empty map would be a program without instrumentation */
#endif
}

static struct qd_arena stock_arena, arena;
static struct qd_stock stock;
static struct qd_mutation mutation;

static _Noreturn void give_up(const char *name, const char *text)
{
    fprintf(stderr, "%s: %s\n", name, text);
    _exit(name[0] == 'Q' ? 2 : 4); /* exit() would let the engine make another code of it */
}

static void read_numbers(void)
{
    const char *text = getenv("QDIFF_FUZZ_NUMBERS");
    if (text && strcmp(text, "uniform") == 0)
        mutation.numbers = QD_NUMBERS_UNIFORM;
    else if (text && strcmp(text, "solved") != 0)
        give_up("QDIFF_FUZZ_NUMBERS", "neither 'solved' nor 'uniform'");
}

static void read_swarm(void)
{
    const char *text = getenv("QDIFF_FUZZ_SWARM");
    char *end = NULL;
    if (!text)
        return;
    mutation.swarm = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        give_up("QDIFF_FUZZ_SWARM", "not a number");
}

const struct qd_mutation *qd_engine_mutation(void)
{
    struct qd_error error;
    enum qd_level level = QD_LEVEL_SMOKE;
    const char *text = getenv("QDIFF_FUZZ_LEVEL");
    if (mutation.stock)
        return &mutation;
    if (text && !qd_level_find(text, &level))
        give_up("QDIFF_FUZZ_LEVEL", "not a level");
    read_numbers();
    read_swarm();
    qd_arena_init(&stock_arena, (size_t)4 << 30);
    qd_arena_init(&arena, QD_FUZZ_MEMORY);
    if (qd_stock_make(level, &stock_arena, &stock, &error) != QD_OK)
        give_up("stock", error.text);
    mutation.stock = &stock;
    return &mutation;
}

/* Bytes of unknown meaning: front doors are for them. */
static size_t mutate_hostile(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct qd_random random = qd_random_seed("bytes", seed);
    struct qd_mutant mutant = {data, size, max_size};
    for (size_t n = 1 + qd_random_below(&random, 4); n > 0; n--)
        if (qd_random_below(&random, 4) == 0)
            qd_mutate_bytes(&mutant, NULL, 0, &random);
        else
            qd_mutate_wire(&mutant, &random);
    return mutant.size;
}

/* libFuzzer's own mutations; AFL++ and the replayer have none. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

/* What is no case: a new seed now and then, else its bytes. */
static size_t mutate_other(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct qd_random random = qd_random_seed("other", seed);
    struct qd_mutant mutant = {data, size, max_size};
    if (size == 0 || qd_random_below(&random, 16) == 0) {
        mutant.size = 0;
        qd_engine_harness.seed(&random, &mutant);
        return mutant.size;
    }
    for (size_t n = 1 + qd_random_below(&random, 4); n > 0; n--)
        if (qd_engine_harness.hostile && qd_random_below(&random, 2) == 0)
            qd_mutate_wire(&mutant, &random);
        else if (LLVMFuzzerMutate && qd_random_below(&random, 2) == 0)
            mutant.size = LLVMFuzzerMutate(data, mutant.size, max_size);
        else
            qd_mutate_bytes(&mutant, NULL, 0, &random);
    return mutant.size;
}

void qd_engine_append(struct qd_mutant *seed, const void *bytes, size_t size)
{
    size_t left = seed->capacity - seed->size;
    if (size > left)
        size = left;
    if (size > 0)
        memcpy(seed->bytes + seed->size, bytes, size);
    seed->size += size;
}

void qd_engine_fail(const char *what, const struct qd_error *error)
{
    fprintf(stderr, "the property fails: %s; %s", qd_engine_harness.property, what);
    if (error)
        fprintf(stderr, " (%s: %s)", qd_status_word(error->status), error->text);
    fputc('\n', stderr);
    abort();
}

void qd_engine_require(bool condition, const char *what, const struct qd_error *error)
{
    if (!condition)
        qd_engine_fail(what, error);
}

void qd_engine_require_told(enum qd_status status, const struct qd_error *error)
{
    qd_engine_require(status == QD_OK || (error->status == status && error->text[0] != '\0'),
                      "a refusal without status or text", error);
}

static bool takes(const uint8_t *data, size_t size)
{
    return !qd_engine_harness.takes || qd_engine_harness.takes(data, size);
}

/* Of so many mutants the first that the target declares: of another nothing would be compared. */
static size_t mutate_case(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct qd_random random = qd_random_seed("tries", seed);
    uint8_t *before = qd_engine_harness.takes ? malloc(size + 1) : NULL;
    if (before)
        memcpy(before, data, size);
    size_t made = qd_mutate_case(qd_engine_mutation(), &arena, data, size, max_size, seed);
    for (int tried = 1; before && tried < TRIES && !takes(data, made); tried++) {
        memcpy(data, before, size);
        made = qd_mutate_case(qd_engine_mutation(), &arena, data, size, max_size,
                              (unsigned)qd_random_next(&random));
    }
    free(before);
    return made;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (qd_engine_harness.seed)
        return mutate_other(data, size, max_size, seed);
    if (qd_engine_harness.quantizers) {
        if (arena.budget == 0)
            qd_arena_init(&arena, QD_FUZZ_MEMORY);
        return qd_mutate_request(&arena, data, size, max_size, seed);
    }
    if (qd_engine_harness.hostile && seed % 4 != 0 && size > 2)
        return mutate_hostile(data, size, max_size, seed);
    return mutate_case(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    if (qd_engine_harness.quantizers) { /* a graph of one is spliced in by the mutation */
        size_t size = a_size < max_size ? a_size : max_size;
        memcpy(out, a, size);
        return LLVMFuzzerCustomMutator(out, size, max_size, seed);
    }
    if (qd_engine_harness.seed) {
        struct qd_random random = qd_random_seed("cross", seed);
        struct qd_mutant mutant = {out, 0, max_size};
        qd_engine_append(&mutant, a, a_size);
        qd_mutate_bytes(&mutant, b, b_size, &random);
        return mutant.size;
    }
    struct qd_random random = qd_random_seed("tries", seed);
    size_t made;
    int tried = 0;
    do {
        made = qd_cross_cases(qd_engine_mutation(), &arena, a, a_size, b, b_size, out, max_size,
                              tried == 0 ? seed : (unsigned)qd_random_next(&random));
    } while (++tried < TRIES && !takes(out, made));
    return made;
}
