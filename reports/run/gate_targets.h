/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of a run: names understood, sessions open, expectations read. */
#ifndef QDIFF_REPORTS_GATE_TARGETS_H
#define QDIFF_REPORTS_GATE_TARGETS_H

#include "command/options.h"
#include "qdiff/subject.h"

/* What --target and --expectations come to; nothing is open. */
struct qd_planned_target {
    struct qd_target_name name;
    const char *expectations; /* file, NULL: none */
};

struct qd_target_plan {
    size_t count;
    const struct qd_planned_target *items;
};

/* Understands the command line: a built-in target's plain name becomes its newest version, once for each of its
 * default configurations. USAGE for a name that is none, UNUSABLE with the command that sets it up for a target
 * that is not set up. Lives in the arena. */
enum qd_status qd_plan_targets(const struct qd_options *options, struct qd_arena *arena,
                               struct qd_target_plan *plan, struct qd_error *error);

struct qd_gate_targets {
    size_t count;
    struct qd_subject *items;
};

/* Opens every session and reads every expectations file; all or none. UNUSABLE, USAGE. */
enum qd_status qd_gate_targets_open(const struct qd_target_plan *plan,
                                    const struct qd_session_options *options,
                                    struct qd_arena *arena, struct qd_gate_targets *targets,
                                    struct qd_error *error);

/* The same for what may also be a quantizer: a worker that quantizes and declares no capabilities. Kernel targets and
 * quantizers in one run are USAGE: their suites differ. */
enum qd_status qd_gate_targets_open_any(const struct qd_target_plan *plan,
                                        const struct qd_session_options *options,
                                        struct qd_arena *arena, struct qd_gate_targets *targets,
                                        struct qd_error *error);
void qd_gate_targets_close(struct qd_gate_targets *targets);

/* The session options that a command line asks for. */
struct qd_session_options qd_session_options_of(const struct qd_options *options);

#endif
