/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a worker is beside its cases: small messages, and runs of a model that is prepared. For `qdiff bench`. */
#ifndef QDIFF_WORKER_BENCH_H
#define QDIFF_WORKER_BENCH_H

#include "qdiff/session.h"

struct qd_worker_bench {
    double prepare_seconds;        /* for the case's model */
    double runs_per_second;        /* of the prepared model */
    double round_trips_per_second; /* of a Ping with 16 bytes */
};

/* Whether the target is a worker. */
bool qd_worker_bench_applies(const struct qd_target_name *name);

/* Opens the target anew, prepares the case's model and runs it for `seconds`, then plays ping for as long. `shapes` as
 * for qd_session_run. UNUSABLE with the worker's words when it refuses the case or dies; NO_MEMORY, IO, LIMIT. */
enum qd_status qd_worker_bench_measure(const struct qd_target_name *name,
                                       const struct qd_session_options *options,
                                       const struct qd_case *kase, const struct qd_tensor *shapes,
                                       double seconds, struct qd_worker_bench *speed,
                                       struct qd_error *error);

#endif
