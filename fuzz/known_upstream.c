/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a known divergence whose wrong values later nodes carry on. */
#include "known_upstream.h"

#include "qdiff/case_edit.h"
#include "qdiff/evaluate.h"
#include "reduce_steps.h"

/* The graph up to one of its values. */
struct cut {
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
};

/* Asks the target for that value alone. */
static enum qd_status run_until(struct qd_subject *subject, const struct qd_case *kase, int value,
                                struct qd_arena *arena, struct cut *cut, struct qd_error *error)
{
    static const struct qd_trial_options nothing_more = {.twins = NULL};
    struct qd_case_edit edit;
    enum qd_status status = qd_case_edit_begin(kase, arena, &edit, error);
    if (status != QD_OK)
        return status;
    edit.infers = true;
    edit.outputs[0] = value;
    edit.output_count = 1;
    qd_reduce_prune(&edit);
    status = qd_case_edit_finish(&edit, kase->id, false, &cut->kase, error);
    if (status == QD_OK)
        status = qd_case_evaluate(&cut->kase, arena, &cut->evaluated, error);
    return status == QD_OK
               ? qd_trial_run(subject, &cut->evaluated, &nothing_more, arena, &cut->trial, error)
               : status;
}

/* Whether the rest of the graph, of what the target has for the value, gives what the target gave. */
static enum qd_status follows(const struct qd_case *kase, int value, const struct qd_tensor *have,
                              const struct qd_run *run, struct qd_arena *arena, bool *follows,
                              struct qd_error *error)
{
    struct qd_case_edit edit;
    struct qd_case rest;
    struct qd_evaluated evaluated;
    struct qd_comparison comparison;
    enum qd_status status = qd_case_edit_begin(kase, arena, &edit, error);
    if (status != QD_OK)
        return status;
    struct qd_case_edit_node *producer = qd_case_edit_producer(&edit, value);
    qd_case_edit_remove_node(&edit, (size_t)(producer - edit.nodes));
    edit.values[value].tensor = have;
    edit.values[value].is_input = true;
    edit.infers = true;
    qd_reduce_prune(&edit);
    status = qd_case_edit_finish(&edit, kase->id, false, &rest, error);
    if (status == QD_OK)
        status = qd_case_evaluate(&rest, arena, &evaluated, error);
    if (status != QD_OK)
        return status;
    qd_compare(&rest, evaluated.values, run, &comparison);
    *follows = !qd_verdict_is_divergence(comparison.verdict);
    return QD_OK;
}

/* Until a value differs; QD_NO_VALUE if none does before the end. */
static enum qd_status first_wrong(struct qd_subject *subject, const struct qd_case *kase,
                                  struct qd_arena *arena, int *value, struct cut *cut,
                                  struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    *value = QD_NO_VALUE;
    for (size_t n = 0; n + 1 < graph->node_count; n++) {
        if (graph->nodes[n].output_count != 1)
            continue;
        enum qd_status status =
            run_until(subject, kase, graph->nodes[n].outputs[0], arena, cut, error);
        if (status != QD_OK || cut->trial.skip)
            return status;
        if (cut->trial.divergence_count > 0) {
            *value = graph->nodes[n].outputs[0];
            return QD_OK;
        }
    }
    return QD_OK;
}

enum qd_status qd_known_upstream(struct qd_subject *subject, const struct qd_case *kase,
                                 const struct qd_trial *trial, struct qd_arena *arena,
                                 const struct qd_expectation **row, struct qd_error *error)
{
    struct cut cut;
    bool known = false;
    int value;
    *row = NULL;
    enum qd_status status = first_wrong(subject, kase, arena, &value, &cut, error);
    if (status == QD_OK && value != QD_NO_VALUE && cut.trial.known &&
        cut.trial.comparison.verdict == QD_VERDICT_WRONG_VALUE)
        status = follows(kase, value, &cut.trial.run.outputs[0], &trial->run, arena, &known, error);
    if (known)
        *row = cut.trial.row;
    return status == QD_LIMIT || status == QD_UNSUPPORTED ? QD_OK : status;
}
