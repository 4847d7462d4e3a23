/* SPDX-License-Identifier: Apache-2.0 */
/* A session runs cases on one target. One interface; in process or in a forked, limited worker. */
#ifndef QDIFF_SESSION_H
#define QDIFF_SESSION_H

#include "qdiff/case.h"
#include "qdiff/features.h"
#include "qdiff/target.h"
#include "qdiff/value.h"

/* QD_OUTCOME(NAME, word, meaning): what one run of one case on a target came to. */
#define QD_OUTCOME_LIST(QD_OUTCOME)                                                           \
    QD_OUTCOME(OUTPUTS, "outputs", "the target gave outputs, to be compared")                 \
    QD_OUTCOME(REJECTED, "rejected", "the target refused the model or the inputs")            \
    QD_OUTCOME(WRONG_SHAPE, "wrong-shape", "an output of another shape than the reference's") \
    QD_OUTCOME(WRONG_TYPE, "wrong-type", "an output of another type than the reference's")    \
    QD_OUTCOME(CRASH, "crash", "the target's process died")                                   \
    QD_OUTCOME(HANG, "hang", "no answer within the time limit")                               \
    QD_OUTCOME(OOM, "oom", "the target used up its memory limit")                             \
    QD_OUTCOME(NONDETERMINISTIC, "nondeterministic", "two runs gave different outputs")       \
    QD_OUTCOME(UNWRITTEN, "unwritten", "an output byte kept the poison of both runs")         \
    QD_OUTCOME(OUT_OF_BOUNDS, "out-of-bounds", "bytes beyond an output buffer were written")  \
    QD_OUTCOME(INPUT_MODIFIED, "input-modified", "an input tensor was changed")               \
    QD_OUTCOME(SKIPPED, "skipped", "the target declined the case because of a known issue")

#define QD_OUTCOME_ENUM(name, word, meaning) QD_OUTCOME_##name,
enum qd_outcome { QD_OUTCOME_LIST(QD_OUTCOME_ENUM) QD_OUTCOME_COUNT };
#undef QD_OUTCOME_ENUM

enum qd_stage { QD_STAGE_LOAD, QD_STAGE_RUN };

struct qd_run {
    enum qd_outcome outcome;
    enum qd_stage stage; /* where a REJECTED, CRASH, HANG or OOM happened */
    int signal;          /* CRASH: the signal, 0 if it exited by itself */
    unsigned
        step; /* CRASH, HANG, OOM: it came in this step before the case, from 1; 0: in the case itself */
    char message[1024]; /* the target's own words, "" if none */
    struct qd_tensor
        *outputs; /* OUTPUTS: graph->output_count tensors in the caller's arena, else NULL */
    struct qd_tensor *differing[2]; /* NONDETERMINISTIC: those of both runs, else NULL */
    double seconds_target; /* wall time spent inside the target (prepare + both runs), in seconds */
    double seconds_transfer; /* wall time of copying and waiting beside that, in seconds */
};

/* The target's name, taken apart: name[@version][ '[' key=value,… ']' ] or a path to a .so, or quirk:<a>+<b>,
 * or a worker: a path to a .py, or worker:<command line> for any program. */
struct qd_target_name {
    char name[1024], version[64], config[256];
};
enum qd_status qd_target_name_parse(const char *text, struct qd_target_name *name,
                                    struct qd_error *error);

/* Checks a target name without opening it: an unknown target, or a version or setting that a built-in target does not
 * have, is USAGE. */
enum qd_status qd_target_name_check(const struct qd_target_name *name, struct qd_error *error);

struct qd_session_options {
    bool in_process;       /* no isolation: for fuzzing and benchmarks */
    double time_limit;     /* seconds per case, 0: 20 */
    uint64_t memory_limit; /* bytes beyond the worker's start, 0: 2 GiB */
};

struct qd_session;

/* Opens a target by name. UNUSABLE with the target's own words, or the command that sets it up, if it cannot be. */
enum qd_status qd_session_open(const struct qd_target_name *name,
                               const struct qd_session_options *options,
                               struct qd_session **session, struct qd_error *error);

/* As the target describes itself; valid until close. */
const struct qd_target_info *qd_session_info(const struct qd_session *session);

/* "ort@1.31.1[opt=all,threads=1]"; valid until close. */
const char *qd_session_id(const struct qd_session *session);

/* Whether the target's capabilities allow the case, whose features are those of qd_case_features; if not, *reason
 * (borrowed) says why. */
bool qd_session_can(const struct qd_session *session, const struct qd_case *kase,
                    const struct qd_features *features, const char **reason);

/* Whether the operators of this domain, which is not ONNX's, are the target's own: it has a capability for
 * "com.microsoft:". */
bool qd_session_owns(const struct qd_session *session, const char *domain);

/* An isolated session binds the calling thread to one CPU while it runs cases (it and the worker take turns), and sets
 * it free when it is closed or starts a worker.
 *
 * Runs the case twice with different poison in the outputs. `shapes` (graph->output_count tensors, data ignored) are
 * the types and shapes the reference expects; NULL for must-reject cases (then outputs are thrown away and OUTPUTS
 * means the target accepted it). A target's death is an outcome, not an error; the session goes on with a new worker.
 * LIMIT: more than 8 GiB to transfer; UNUSABLE: the target says so, or cannot be opened again; NO_MEMORY, IO. */
enum qd_status qd_session_run(struct qd_session *session, const struct qd_case *kase,
                              const struct qd_tensor *shapes, struct qd_arena *arena,
                              struct qd_run *run, struct qd_error *error);

/* The last case again, in a new worker. *ran is false, and *run untouched, where that would tell nothing (in process,
 * or where the last run was its worker's first), and after so many such runs of a session: a program may need seconds
 * to start. */
enum { QD_MOST_ALONE = 256, QD_MOST_PROGRAMS_ALONE = 16 };
enum qd_status qd_session_run_alone(struct qd_session *session, const struct qd_case *kase,
                                    const struct qd_tensor *shapes, struct qd_arena *arena,
                                    struct qd_run *run, bool *ran, struct qd_error *error);

/* The next case runs in a new worker, as the first one did. Nothing happens in process, nor of a program that was
 * started so often as above. */
void qd_session_renew(struct qd_session *session);

/* qd_session_run for a case whose outputs have unknown types and shapes: the target is asked for them
 * first. run->outputs are the target's own, in the arena. UNSUPPORTED where it does not say, or an output is no
 * tensor. */
enum qd_status qd_session_observe(struct qd_session *session, const struct qd_case *kase,
                                  struct qd_arena *arena, struct qd_run *run,
                                  struct qd_error *error);

void qd_session_close(struct qd_session *session);

const char *qd_outcome_word(enum qd_outcome outcome);

/* Row i of the list of built-in targets, NULL past its end. */
struct qd_builtin_target {
    const char *name;            /* "ort" */
    const char *meaning;         /* one sentence */
    const char *setup;           /* the command that sets it up */
    const struct qd_target *api; /* NULL: a worker (targets/process/README.md) */
    const char *worker; /* its directory below targets/, with a worker.py or .mjs; else NULL */
    /* Writes the versions that are set up here, newest first, NULL-terminated, into the arena. */
    enum qd_status (*versions)(struct qd_arena *arena, const char *const **versions,
                               struct qd_error *error);
    /* USAGE for a version or settings that make no sense; NULL: only the target itself can tell. */
    enum qd_status (*check)(const struct qd_target_name *name, struct qd_error *error);
    const char *const *default_configs; /* NULL-terminated: configs a plain name expands to */
    const char *const *
        releases; /* a worker: those that can be set up, newest first, NULL-terminated; else NULL */
    bool quantizes; /* a worker that makes models and runs none */
    /* Does once, in this process, what each new process of that version would do when it opens the target: those are
     * forked. What fails fails again there. NULL: nothing. */
    void (*preload)(const char *version);
};
const struct qd_builtin_target *qd_builtin_target_at(size_t i);

/* The row of that name, NULL if there is none. */
const struct qd_builtin_target *qd_builtin_target_find(const char *name);

#endif
