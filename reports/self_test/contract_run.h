/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff self-test --contract`: the suite against every contract mutant (qdiff/contract.h). */
#ifndef QDIFF_REPORTS_CONTRACT_RUN_H
#define QDIFF_REPORTS_CONTRACT_RUN_H

#include "command/command.h"
#include "qdiff/contract.h"
#include "run/interrupt.h"
#include "select/selection.h"

/* What one run came to; lives in the arena it was made in. */
struct qd_contract_result {
    struct qd_contract contract;
    struct qd_contract_tally *tallies; /* of each mutant */
    unsigned cases, lost, false_alarms;
    double wall; /* seconds */
};

struct qd_contract_plan {
    const struct qd_selection *
        selection; /* whose --op says of which operators the mutants are; the cases are all that hold one */
    uint64_t jobs;                  /* processes; 0: 1 */
    struct qd_interrupt *interrupt; /* NULL: none */
};

/* Runs them: small cases first, a mutant until a case kills it. What an interrupt leaves undone is not counted. */
enum qd_status qd_contract_run(const struct qd_contract_plan *plan, struct qd_arena *arena,
                               struct qd_contract_result *result, struct qd_error *error);

/* How a mutant came out. */
enum qd_contract_fate {
    QD_CONTRACT_KILLED,
    QD_CONTRACT_EQUAL,       /* known to equal the specification, and no case says otherwise */
    QD_CONTRACT_SHAPE,       /* only shapes or types were wrong */
    QD_CONTRACT_SURVIVES,    /* a variation of a case's node tells it, no case does */
    QD_CONTRACT_ADVISORY,    /* cases tell it, and no sentence obliges anybody (citation.h) */
    QD_CONTRACT_UNKNOWN,     /* no node is known that tells it: in no case, and in no variation */
    QD_CONTRACT_CONTRADICTED /* said to equal the specification, and killed */
};
enum qd_contract_fate qd_contract_fate(const struct qd_contract_result *result, size_t mutant);

/* Chooses derived cases for the smoke level, greedily: of the small ones, as --filter selects them, always that which
 * kills most of the mutants that the level without derived cases, and those chosen so far, let live; until none kills
 * any. Writes the table derived/rows.def with them marked to `path` (operators that --op leaves out as they are), and
 * what it came to to `out`. INTERNAL: a case or a process failed; USAGE: interrupted; IO, LIMIT, NO_MEMORY. */
enum qd_status qd_contract_choose(const struct qd_contract_plan *plan, const char *path, FILE *out,
                                  struct qd_arena *arena, struct qd_error *error);

/* The whole verb: runs, prints TAP, writes --output. */
enum qd_exit qd_contract_self_test(struct qd_command *command, const struct qd_selection *selection,
                                   struct qd_interrupt *interrupt);

#endif
