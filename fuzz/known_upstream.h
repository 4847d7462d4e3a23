/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a known divergence whose wrong values later nodes carry on. */
#ifndef QDIFF_FUZZ_KNOWN_UPSTREAM_H
#define QDIFF_FUZZ_KNOWN_UPSTREAM_H

#include "qdiff/trial.h"

/* A row may expect what the graph's first nodes give and not what the others make of it: it names one operator, or a
 * quirk that the reference cannot follow through the next operator. For each node in turn the target is asked for that
 * node's output alone. *row: of the first one that differs, if rows expect it there and the rest of the graph, computed
 * exactly from the target's own values, gives what the target gave; else NULL.
 *
 * `subject` has the rows and a session, `trial` is what it gave for `kase`, which is valid. Statuses of qd_trial_run()
 * and qd_case_edit_finish(); LIMIT and UNSUPPORTED of the edit are no row. */
enum qd_status qd_known_upstream(struct qd_subject *subject, const struct qd_case *kase,
                                 const struct qd_trial *trial, struct qd_arena *arena,
                                 const struct qd_expectation **row, struct qd_error *error);

#endif
