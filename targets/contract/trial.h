/* SPDX-License-Identifier: Apache-2.0 */
/* A graph and what its nodes read and gave under the specification, and the same graph under one mutant. */
#ifndef QDIFF_TARGETS_CONTRACT_TRIAL_H
#define QDIFF_TARGETS_CONTRACT_TRIAL_H

#include "contract/confusion.h"

/* One node of an evaluation. */
struct qd_site {
    struct qd_site *next;
    const struct qd_node *node;
    const struct qd_value *in[QD_MAX_OPERANDS];
    struct qd_value out[QD_MAX_OPERANDS];
};

/* qd_graph_evaluate(), which lists every node that it evaluated in *sites, in the arena. */
enum qd_status qd_sites_record(const struct qd_graph *graph, const struct qd_tensor *inputs,
                               struct qd_arena *arena, struct qd_value *outputs,
                               struct qd_site **sites, struct qd_error *error);

/* Whether the mutant changes something at one of the nodes. What that makes lives in `scratch`. */
bool qd_mutant_applies(const struct qd_contract_mutant *mutant, const struct qd_graph *graph,
                       const struct qd_site *sites, struct qd_arena *scratch);

/* qd_graph_evaluate() under the mutant. */
enum qd_status qd_mutant_evaluate(const struct qd_contract_mutant *mutant,
                                  const struct qd_graph *graph, const struct qd_tensor *inputs,
                                  struct qd_arena *arena, struct qd_value *outputs,
                                  struct qd_error *error);

#endif
