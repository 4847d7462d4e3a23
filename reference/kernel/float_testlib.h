/* SPDX-License-Identifier: Apache-2.0 */
/* Float sums tested by themselves: vectors, and one dot product. */
#ifndef QDIFF_REFERENCE_FLOAT_TESTLIB_H
#define QDIFF_REFERENCE_FLOAT_TESTLIB_H

#include "kernel/float_sum.h"

/* Where one evaluation takes place, under no switch. qd_arena_clear(&b->arena) frees it. */
struct bench {
    struct qd_arena arena;
    struct qd_error error;
    struct qd_evaluation evaluation;
};

void bench_init(struct bench *b);

/* The next of a sequence of numbers; *state is not 0. */
uint64_t bench_random(uint64_t *state);

/* float32[count] of these numbers. */
struct qd_value bench_vector(struct bench *b, const float *x, int64_t count);

/* What an output may show of Σ x·w + bias, added to `sum`, which is empty; bias NULL: none. */
struct qd_observation bench_dot(struct bench *b, const struct qd_value *x, const struct qd_value *w,
                                const struct qd_value *bias, struct qd_float_sum sum);

#endif
