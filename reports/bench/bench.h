/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring: how many cases a second, where the time goes, how fast the reference multiplies. */
#ifndef QDIFF_REPORTS_BENCH_H
#define QDIFF_REPORTS_BENCH_H

#include "qdiff/worker_bench.h"
#include "run/gate_targets.h"
#include "select/visit.h"

/* The cases to measure with, encoded: a measured round decodes them again. */
struct qd_mix {
    struct qd_arena arena;
    size_t count, capacity;
    struct qd_mix_case {
        const uint8_t *bytes;
        size_t size;
        int64_t elements; /* of all outputs */
        bool kills;       /* the target died of it, hung, or ran out of memory */
    } * cases;
    int64_t median_elements;
};

/* Encodes the selected valid cases that the reference can judge. INTERNAL when there is none. */
enum qd_status qd_mix_collect(struct qd_mix *mix, const struct qd_selection *selection,
                              struct qd_error *error);
void qd_mix_clear(struct qd_mix *mix);

/* No case kills the target, as far as is known: for the next one. */
void qd_mix_forgive(struct qd_mix *mix);

/* One round over the mix on one target. All in seconds of wall time. */
struct qd_lap {
    size_t cases;   /* that the target could run */
    size_t killers; /* left out, because an earlier round killed the target with them */
    double wall, decode, reference, target, transfer, compare;
    const struct qd_mix_case *answered; /* the first that the target gave outputs for, NULL: none */
};

/* Runs one round; cases the target cannot do are decoded but not counted in any time. Marks those that kill it. */
enum qd_status qd_lap_run(struct qd_mix *mix, struct qd_session *session, struct qd_lap *lap,
                          struct qd_error *error);

/* How fast a worker is beside its cases, with one of the mix, for `seconds` twice (qdiff/worker_bench.h). */
enum qd_status qd_lap_worker(const struct qd_mix_case *one, const struct qd_target_name *name,
                             const struct qd_session_options *options, double seconds,
                             struct qd_worker_bench *speed, struct qd_error *error);

/* Multiply-accumulates a second of the reference on a QLinearConv of 64 channels to 64, 3×3, 56×56 outputs, u8 × s8:
 * one value for each round, into rates. */
enum qd_status qd_reference_rates(size_t rounds, double *rates, struct qd_error *error);

/* Sorts the values and gives the middle one. */
double qd_median(double *values, size_t count);

#endif
