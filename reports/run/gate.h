/* SPDX-License-Identifier: Apache-2.0 */
/* The run itself: every selected case on every target, in one process or in several. */
#ifndef QDIFF_REPORTS_GATE_H
#define QDIFF_REPORTS_GATE_H

#include <stdatomic.h>

#include "result/result_json.h"
#include "run/gate_targets.h"
#include "run/interrupt.h"
#include "select/visit.h"

/* Receives the results in order: the results of a case follow each other, one for each target, or one with no target
 * when the case itself is unreadable or unjudgeable. Rows come after the results they are about. */
struct qd_sink {
    enum qd_visit (*result)(void *context, const struct qd_result *result);
    void (*row)(void *context, const struct qd_unmatched_row *row);
    void *context;
};

struct qd_gate {
    const struct qd_options *options;
    const struct qd_selection *selection;
    const struct qd_target_plan *plan;
    struct qd_interrupt *interrupt;
    struct qd_sink sink;
    bool diagnose_known; /* also divergences that rows expect */
};

/* Which processes of a run do what. A part of the suite (suite.h) falls to the first team that comes to it; the members
 * of a team take its cases in turn. What is no part of the suite (files, a pack, quantizers) all processes share. */
struct qd_gate_share {
    uint64_t job, jobs; /* this process, of how many */
    /* Shared, QD_GATE_PARTS: the number of a part's team and 1; further parts fall to the owners of the first. NULL:
     * one process. */
    atomic_ushort *owners;
    /* NULL, or called before the results of a part of the run, with growing numbers. */
    void (*begin)(void *context, uint64_t part);
    void *context;
};

enum { QD_GATE_PARTS = 1024, QD_GATE_TEAMS = 8 };

/* Runs in this process its share of the selected cases, on open targets. Ends early, with OK, when interrupted or when
 * the sink says stop. UNUSABLE: a target went away for good; else a failure of the suite. */
enum qd_status qd_gate_run_share(const struct qd_gate *gate, struct qd_gate_targets *targets,
                                 const struct qd_gate_share *share, struct qd_error *error);

/* All of them. */
enum qd_status qd_gate_run_alone(const struct qd_gate *gate, struct qd_gate_targets *targets,
                                 struct qd_error *error);

/* The same for all cases in `jobs` forked processes; the sink hears exactly what it would from one. */
enum qd_status qd_gate_run_jobs(const struct qd_gate *gate, uint64_t jobs, struct qd_error *error);

#endif
