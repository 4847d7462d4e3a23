/* SPDX-License-Identifier: Apache-2.0 */
/* A target under test, opened in its role.
 *
 * A role says what a target is asked and what its answer is compared with: a kernel target runs models, a quantizer
 * makes them. Adding a role is one value of struct qd_target_role in a file of its own, and
 * what opens such a target in targets/subject/subject.c. */
#ifndef QDIFF_SUBJECT_H
#define QDIFF_SUBJECT_H

#include "qdiff/expectations.h"
#include "qdiff/quantizer.h"
#include "qdiff/session.h"

struct qd_evaluated;
struct qd_subject;
struct qd_trial;

struct qd_target_role {
    const char *name; /* "kernel", "quantizer" */
    /* What the reference says of a case: qd_case_evaluate, or as much of it as the role needs beforehand. */
    enum qd_status (*evaluate)(const struct qd_case *kase, struct qd_arena *arena,
                               struct qd_evaluated *evaluated, struct qd_error *error);
    /* Asks the target and compares its answer: fills skip, run, comparison and divergences of the trial. */
    enum qd_status (*ask)(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                          struct qd_arena *arena, struct qd_trial *trial, struct qd_error *error);
};

extern const struct qd_target_role qd_role_kernel, qd_role_quantizer;

enum { QD_MOST_KERNELS = 2 };

/* An opened target. Zeroed, it is closed already. */
struct qd_subject {
    const struct qd_target_role *role;
    struct qd_session *session; /* of a kernel target, else NULL */
    /* Where what has to be refused, and what a row expects to kill the target, runs: another session of the same target
     * in a worker process. NULL: the session itself. */
    struct qd_session *isolated;
    struct qd_quantizer *quantizer; /* of a quantizer, else NULL */
    /* What runs the models that a quantizer makes: ONNX Runtime of its own version, or the newest that is set up,
     * without and with its optimizations. */
    size_t kernel_count;
    struct qd_session *kernels[QD_MOST_KERNELS];
    const struct qd_target_info *info;    /* as the target describes itself; valid until close */
    const char *id;                       /* "ort@1.31.1[opt=all,threads=1]"; valid until close */
    struct qd_expectations *expectations; /* borrowed; NULL: none */
};

/* Opens a target in the role that it has: a worker that quantizes and declares no capabilities is a quantizer,
 * everything else a kernel target. Errors of qd_session_open. */
enum qd_status qd_subject_open(const struct qd_target_name *name,
                               const struct qd_session_options *options, struct qd_arena *arena,
                               struct qd_subject *subject, struct qd_error *error);

/* The same without the kernels that run what a quantizer makes. */
enum qd_status qd_subject_open_alone(const struct qd_target_name *name,
                                     const struct qd_session_options *options,
                                     struct qd_subject *subject, struct qd_error *error);

/* Opens a target that has to be a kernel target. Errors of qd_session_open. */
enum qd_status qd_subject_open_kernel(const struct qd_target_name *name,
                                      const struct qd_session_options *options,
                                      struct qd_subject *subject, struct qd_error *error);

/* A session as a kernel target, which it becomes: to be closed with it. */
struct qd_subject qd_subject_of_session(struct qd_session *session);

void qd_subject_close(struct qd_subject *subject);

/* Whether a target is a quantizer: a built-in one by its row, which need not be set up; another worker by what it
 * declares, for which it is opened. False for one that does not open: whoever runs it says why. */
bool qd_target_quantizes(const struct qd_target_name *name,
                         const struct qd_session_options *options);

#endif
