/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of decoded cases: what both fuzzing engines share.
 *
 * Structural changes edit the graph, numeric ones solve for the numbers at which kernels go wrong: exact ties, one step
 * beside a tie, saturation, the ends of the types, sums that leave 16 and 24 bits. Deterministic: inputs, options and
 * seed give the result. Total: whatever the bytes are, what comes out is a serialised case. */
#ifndef QDIFF_MUTATE_CASE_H
#define QDIFF_MUTATE_CASE_H

#include "qdiff/case_edit.h"
#include "qdiff/random.h"
#include "qdiff/suite.h"

/* A fuzzer's case has to be quick: what evaluating it may cost (qd_graph_evaluate_within), some milliseconds, the
 * memory that it may take in bytes, and the size of its encoding. */
#define QD_FUZZ_WORK 0x1p24
#define QD_FUZZ_MEMORY ((size_t)64 << 20)
#define QD_FUZZ_MAX_BYTES ((size_t)1 << 20)

/* How numbers are chosen. UNIFORM is the frozen baseline that SOLVED is measured against: codes and zero points uniform
 * over their type, scales uniform in (0, 1], floats uniform in [-100, 100]. */
enum qd_numbers { QD_NUMBERS_SOLVED, QD_NUMBERS_UNIFORM };

/* Cases that have a feature, or are of an operator. */
struct qd_stratum {
    size_t count;
    uint32_t *members; /* indices of the stock's cases */
};

/* Structures to start from: the valid generated cases of the suite's level. Lives in the arena. */
struct qd_stock {
    size_t count;
    struct qd_case *cases;
    int64_t *elements; /* of each case's inputs and constants */
    size_t stratum_count;
    struct qd_stratum *strata;
};
enum qd_status qd_stock_make(enum qd_level level, struct qd_arena *arena, struct qd_stock *stock,
                             struct qd_error *error);

struct qd_mutation {
    const struct qd_stock *stock;
    enum qd_numbers numbers;
    /* Swarm: a run with a number other than 0 keeps to the half of the stock's families and the half of the structural
     * changes that the number chooses. */
    uint64_t swarm;
};

/* One change of the structure; false when the one that was drawn does not apply. What it breaks, the reference rejects:
 * that too is a case worth having. */
bool qd_mutate_structure(const struct qd_mutation *mutation, struct qd_case_edit *edit,
                         struct qd_random *random);

/* Other numbers for all tensors of the case. Evaluates it once to solve for the output's scale. Errors: those of
 * qd_case_edit_finish; a case that cannot be evaluated keeps what was drawn before solving. */
enum qd_status qd_mutate_numbers(enum qd_numbers numbers, struct qd_case_edit *edit,
                                 struct qd_random *random, struct qd_error *error);

/* Adds `other`'s nodes and values to the edit, feeding one of its inputs from a value of the same type if there is one.
 * False when there is no room. */
bool qd_mutate_splice(struct qd_case_edit *edit, const struct qd_case_edit *other,
                      struct qd_random *random);

/* Appends dequantize, one operator and quantize after a code of the graph, with parameters that fit. False when there
 * is no such value or no room. */
bool qd_mutate_append(struct qd_case_edit *edit, struct qd_random *random);

/* A case from the random state alone: one operator of the stock, or a small graph made from it. */
enum qd_status qd_generate_case(const struct qd_mutation *mutation, struct qd_random *random,
                                struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error);

/* For the engines. Replaces data[0..size) by a mutant of at most `capacity` bytes and returns its size; what does not
 * decode is replaced by a generated case that its bytes and the seed choose. 0
 * only when nothing fits. The arena is reset first. */
size_t qd_mutate_case(const struct qd_mutation *mutation, struct qd_arena *arena, uint8_t *data,
                      size_t size, size_t capacity, uint64_t seed);

/* The same for cases of the quantizer role: a float graph of a few operators, the ranges that its inputs give, some of
 * them disturbed (ties of the zero point, subnormal and huge scales, one
 * point, now and then none at all), and options. */
enum qd_status qd_generate_request(struct qd_random *random, struct qd_arena *arena,
                                   struct qd_case *kase, struct qd_error *error);
size_t qd_mutate_request(struct qd_arena *arena, uint8_t *data, size_t size, size_t capacity,
                         uint64_t seed);

/* Writes a case with parts of both to `out`, a generated one where they cannot be joined. */
size_t qd_cross_cases(const struct qd_mutation *mutation, struct qd_arena *arena, const uint8_t *a,
                      size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t capacity,
                      uint64_t seed);

#endif
