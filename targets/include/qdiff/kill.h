/* SPDX-License-Identifier: Apache-2.0 */
/* Which quirks a case notices: the gate's comparison is given the answers of every known wrong semantics, and answers
 * off by one code or one ulp. */
#ifndef QDIFF_KILL_H
#define QDIFF_KILL_H

#include "qdiff/compare.h"
#include "qdiff/quirk.h"

/* The parts of the harness that a self-test stands on. Those of a real run are qd_harness's; a broken one in their
 * place has to be noticed. */
struct qd_harness {
    enum qd_status (*evaluate)(const struct qd_graph *graph, const struct qd_tensor *inputs,
                               const struct qd_semantics *semantics, struct qd_arena *arena,
                               struct qd_value *outputs, struct qd_error *error);
    void (*compare)(const struct qd_case *kase, const struct qd_value *values,
                    const struct qd_run *run, struct qd_comparison *comparison);
};
extern const struct qd_harness qd_harness;

#define QD_KILL_WORDS 4 /* room for 256 quirks */

/* What one case came to. Zeroed: nothing yet. */
struct qd_kills {
    bool done;
    bool compared;                /* a valid case with something specified */
    bool false_alarm;             /* the reference's own answer counted as a divergence */
    bool blind;                   /* an answer known to be wrong counted as none */
    uint64_t bits[QD_KILL_WORDS]; /* bit i: quirk i is noticed */
};

bool qd_kills_has(const struct qd_kills *kills, size_t quirk);

/* All quirks, ready to run. */
struct qd_mutants {
    size_t count;
    struct qd_semantics *semantics;
    const bool *settled; /* those that are asked no more; NULL: none is */
};
enum qd_status qd_mutants_init(struct qd_arena *arena, struct qd_mutants *mutants,
                               struct qd_error *error);

/* Evaluates the case and every mutant that concerns it and is not settled (mutants NULL: none) and compares.
 * seconds[i] grows by the time that mutant i took. The arena is for the case. Fails when the reference cannot evaluate
 * it. */
enum qd_status qd_kill_case(const struct qd_harness *harness, const struct qd_mutants *mutants,
                            const struct qd_case *kase, struct qd_arena *arena,
                            struct qd_kills *kills, double *seconds, struct qd_error *error);

#endif
