/* SPDX-License-Identifier: Apache-2.0 */
/* The reducer: the smallest case that still shows the same finding.
 *
 * Reduction is semantic: nodes go first, then dimensions that belong together, attributes, granularity, parameters,
 * data. A step is kept when the reference still accepts the case (a must-reject case: still refuses it by the same
 * rule, unless the target died of it: then by any, or it accepts it), the target still declares it, and the difference
 * is the same: class, and the quirk that was named still explains it (or none does, and the elements are off as far);
 * for other classes the same stage and the same words or signal. Once a pass has kept something the whole diagnosis,
 * neighbours included, is made again; a pass that led elsewhere is taken back and repeated with the diagnosis at each
 * step.
 *
 * First, outputs that match are removed together with the nodes only they use: a fuzzed graph joins operators that have
 * nothing to do with each other. `before` is the finding of what is left.
 *
 * A case that the pages allow literally stays one: no step makes a vector of one element of what has to be a scalar.
 *
 * Operator and types stay, except where nodes go: then they become those of what is left.
 *
 * A name stays: a case with the id "findings/<signature>", which the reducer gave it, comes back as it is when less of
 * it would have another name. */
#ifndef QDIFF_REDUCER_H
#define QDIFF_REDUCER_H

#include "qdiff/signature.h"

/* What a case is made of. Elements count initializers and inputs. */
struct qd_case_size {
    size_t nodes, attributes, tensors, bytes;
    int64_t elements;
    int64_t output_elements; /* −1: unknown, the case is refused */
};

struct qd_reduce_progress {
    const char *pass; /* "nodes", "shapes", ...: the pass that has just ended */
    size_t round, tried, kept;
    struct qd_case_size size;
    double seconds;
};

struct qd_reduce_options {
    double seconds; /* wall time, 0: 60 */
    struct qd_diagnose_options diagnose;
    size_t which; /* of the trial's divergences; one that it does not have: the gravest */
    const char
        *coarse; /* or: the first that has this signature without a diagnosis; NULL: `which` */
    struct qd_expectations *
        rows; /* NULL: none. Once one of them expects the finding, the reduction ends: it is known */
    void (*progress)(void *context, const struct qd_reduce_progress *progress); /* or NULL */
    void *context;
};

struct qd_reduced {
    struct qd_case kase;           /* id "findings/<signature>" */
    struct qd_evaluated evaluated; /* of `kase` */
    struct qd_trial trial;         /* and on the target */
    size_t which;                  /* of its divergences: the finding */
    struct qd_finding before, after;
    struct qd_case_size size_before, size_after;
    const struct qd_expectation *known; /* the row of options.rows that expects it, NULL: none */
    size_t tried, kept, rounds;
    double seconds;
    bool out_of_time; /* a pass was cut short: it may get smaller still, and be known then */
};

/* Reduces a case that diverges on the target, whatever its role; the rows of the subject are not asked. Everything
 * lives in the arena. USAGE: it does not diverge, or not each time; a case that the editor does not take (case_edit.h):
 * UNSUPPORTED, LIMIT; INVALID, INTERNAL: the reference and the case's expectation disagree; errors of qd_trial_run.
 * *reduced points into itself: it may not be copied. */
enum qd_status qd_case_reduce(const struct qd_subject *subject, const struct qd_case *kase,
                              const struct qd_reduce_options *options, struct qd_arena *arena,
                              struct qd_reduced *reduced, struct qd_error *error);

#endif
