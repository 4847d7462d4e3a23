/* SPDX-License-Identifier: Apache-2.0 */
/* What a harness and the glue to its engine (libFuzzer, AFL++, the replayer) share. */
#ifndef QDIFF_FUZZ_ENGINE_H
#define QDIFF_FUZZ_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/mutate.h"
#include "qdiff/mutate_case.h"

/* Each harness defines one. */
struct qd_engine_harness {
    const char *property; /* what it checks, one sentence */
    bool hostile;         /* mutate bytes and wire format too, not decoded cases alone */
    bool quantizers;      /* its cases are those of the quantizer role */
    /* Writes a valid input of at most `room->capacity` bytes. NULL: its inputs are cases. With it they are something
     * else: every input comes from here, and what is not cases' is mutated as bytes. */
    void (*seed)(struct qd_random *random, struct qd_mutant *room);
    /* Whether the target declares the case, so that running it compares something. NULL: always. */
    bool (*takes)(const uint8_t *data, size_t size);
};
extern const struct qd_engine_harness qd_engine_harness;

/* The mutation core as the environment asks for it, made at the first call; exits with 4 when that fails.
 *
 *   QDIFF_FUZZ_NUMBERS=solved|uniform   how numbers are drawn (mutate_case.h); uniform is the frozen baseline
 *   QDIFF_FUZZ_SWARM=N                  this run's subset of families and changes; 0, the default: all
 *   QDIFF_FUZZ_LEVEL=smoke|full         of the suite, whose structures are the stock */
const struct qd_mutation *qd_engine_mutation(void);

/* The semantic counters (counters.h), where libFuzzer looks for them and zeroes them; and, for an engine that looks
 * elsewhere (AFL++), brings them there. A harness calls it after counting. */
extern uint8_t qd_engine_counters[];
void qd_engine_publish(void);

/* What runs between the two leaves no trace in the engine's coverage: to ask why a target differs takes another way
 * each time, and an input is not worth keeping for it. */
void qd_engine_pause(void);
void qd_engine_resume(void);

/* The last input leaves no trace in the coverage, so that no engine keeps it. Instead of qd_engine_publish. (libFuzzer
 * before 15 ignores that LLVMFuzzerTestOneInput returns -1, and AFL++ does not know it.) */
void qd_engine_forget(void);

/* Appends to a seed what there is room for. */
void qd_engine_append(struct qd_mutant *seed, const void *bytes, size_t size);

/* Ends the program because the property fails: says which, and the status and text of `error`, which may be NULL. */
_Noreturn void qd_engine_fail(const char *what, const struct qd_error *error);

/* The same unless the condition holds. */
void qd_engine_require(bool condition, const char *what, const struct qd_error *error);

/* The property that all parsers share: the status is OK, or `error` has it and a text. */
void qd_engine_require_told(enum qd_status status, const struct qd_error *error);

/* libFuzzer's entry points, which all engines use. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

#endif
