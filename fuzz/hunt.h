/* SPDX-License-Identifier: Apache-2.0 */
/* A harness on a target: its inputs are tried there, what is known is counted, the rest is reduced, named and kept.
 *
 *   QDIFF_TARGET=NAME        as on qdiff's command line (ort@1.31.1[opt=none], ort-quant@1.31.1, ./libmine.so); else
 *                            the first line of <harness>.target beside the program; neither: no target
 *   QDIFF_ISOLATE=1          a kernel target in a worker process: for one that may die. What it has to refuse, and what
 *                            is known to kill it, runs there anyway, and a quantizer always
 *   QDIFF_EXPECTATIONS=FILE  its known divergences, which are counted and not reported; "none"; else the shipped ones
 *   QDIFF_STORE=DIR          findings go into that store (store.h), and the run goes on; without it the first finding
 *                            ends the process, so that the engine keeps the case
 *   QDIFF_TALLY=DIR          what the process did is counted in a file there (night_stats.h)
 *   QDIFF_FINDINGS=ignore    divergences are counted and nothing else: for an engine that minimises a corpus
 *   QDIFF_FINDINGS=raw       they go into the store's pool as they come, not reduced and not explained
 *
 * A divergence that no row expects is a finding only when it was reduced and no row expects what is left, so that one
 * bug in a hundred graphs is one finding, and what is known is called known. Reducing takes a quarter of the time at
 * most; what has to wait for it, was not small in time or came only once waits in the store's pool, and is neither
 * named nor counted as a finding. Without a store nothing waits: what was not small in time is a finding as it is.
 *
 * A finding prints "Assertion failure: FuzzerHash=<hash> <signature>" and "DEDUP_TOKEN: <signature>". Failures end the
 * process: 2 usage, 3 a target that cannot be used, 4 our own, a machine without memory among them. */
#ifndef QDIFF_FUZZ_HUNT_H
#define QDIFF_FUZZ_HUNT_H

#include "harness_stats.h"
#include "qdiff/signature.h"
#include "qdiff/store.h"

struct qd_hunt_key;

/* Zeroed but for `name` and `role` it is ready for qd_hunt_begin. */
struct qd_hunt {
    const char *name;                  /* of the harness */
    const struct qd_target_role *role; /* of the targets that it takes */
    bool started, has_target, ignores, reduces;
    struct qd_arena arena;           /* lives as long as the process */
    struct qd_arena work, reduction; /* of one case */
    struct qd_subject subject;
    struct qd_store *store, *pool;
    struct qd_harness_stats stats;
    struct qd_hunt_key *coarse, *found;               /* signatures before and after reduction */
    double began, in_target, in_cases, in_reductions; /* seconds of wall time */
    uint64_t elements;
};

/* Opens what the environment names. Not before the first case: AFL++ forks after
 * the program's start, and targets have threads. */
void qd_hunt_begin(struct qd_hunt *hunt);

/* Names an engine's case as a fuzzer's, which rows know it by, whatever its seed was called; a reduced one keeps its
 * name. */
void qd_hunt_name(struct qd_case *kase);

/* Whether the target declares the case; true if it is not open yet, or there is none. */
bool qd_hunt_takes(const struct qd_hunt *hunt, const struct qd_case *kase);

/* Tries an evaluated case, made in `work`, on the target; -1 if nothing was compared. */
int qd_hunt_case(struct qd_hunt *hunt, const struct qd_evaluated *evaluated);

/* Runs one input of the engine: `run` decodes and tries it, with the memory of `work`, and says what
 * LLVMFuzzerTestOneInput is to return: -1 is an input that no engine is to keep. */
int qd_hunt_input(struct qd_hunt *hunt, int (*run)(const uint8_t *, size_t), const uint8_t *data,
                  size_t size);

/* Writes the tally, and the last words about the target and the signatures found. */
void qd_hunt_print(const struct qd_hunt *hunt);

/* Ends the process with this exit code, without the engine's exit handlers: they would make another code of it, and
 * blame the input. */
_Noreturn void qd_hunt_give_up(const struct qd_hunt *hunt, int code, const struct qd_error *error);

#endif
