/* SPDX-License-Identifier: Apache-2.0 */
/* One case under all contract mutants that concern it. */
#include <string.h>

#include "contract/trial.h"
#include "qdiff/citation.h"
#include "qdiff/quirk.h"

/* --- A node under a mutant ----------------------------------------------------------------------- */

static void begin(struct qd_confusion *confusion, const struct qd_contract_mutant *mutant,
                  const struct qd_graph *graph, const struct qd_evaluation *evaluation,
                  const struct qd_node *node, const struct qd_value *const *in)
{
    confusion->mutant = mutant;
    confusion->graph = graph;
    confusion->out = NULL;
    confusion->changed = false;
    qd_edit_begin(&confusion->edit, evaluation, node, in);
}

static void change(struct qd_confusion *confusion)
{
    if (confusion->edit.status == QD_OK)
        confusion->mutant->rule->change(confusion);
}

/* The override of a mutant. */
struct confuser {
    struct qd_override override; /* first: the rest is found from it */
    const struct qd_contract_mutant
        *mutant; /* NULL: no error, but values are what they are for the next node */
    const struct qd_graph *graph;
};

static enum qd_status confuse(const struct qd_override *self, struct qd_evaluation *evaluation,
                              const struct qd_node *node, const struct qd_value *const *in,
                              struct qd_value *out)
{
    const struct confuser *confuser = (const struct confuser *)(const void *)self;
    if (node->op != confuser->mutant->op)
        return qd_override_node(evaluation, self->next, node, in, out);
    struct qd_confusion confusion;
    bool late = qd_mutant_is_late(confuser->mutant);
    begin(&confusion, confuser->mutant, confuser->graph, evaluation, node, in);
    if (!late)
        change(&confusion);
    enum qd_status status = qd_edit_run(&confusion.edit, self, out);
    confusion.out = out;
    if (status == QD_OK && late) {
        change(&confusion);
        status = confusion.edit.status;
    }
    return status;
}

/* --- What the nodes of a graph read and give ----------------------------------------------------- */

struct recorder {
    struct qd_override override;
    struct qd_site **sites;
};

static enum qd_status record(const struct qd_override *self, struct qd_evaluation *evaluation,
                             const struct qd_node *node, const struct qd_value *const *in,
                             struct qd_value *out)
{
    const struct recorder *recorder = (const struct recorder *)(const void *)self;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_site *site = status == QD_OK ? qd_arena_alloc(evaluation->arena, sizeof *site) : NULL;
    if (status != QD_OK)
        return status;
    if (!site)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for a node's operands");
    site->node = node;
    site->next = *recorder->sites;
    memcpy(site->in, in, sizeof site->in);
    memcpy(site->out, out, node->output_count * sizeof *out);
    *recorder->sites = site;
    return QD_OK;
}

enum qd_status qd_sites_record(const struct qd_graph *graph, const struct qd_tensor *inputs,
                               struct qd_arena *arena, struct qd_value *outputs,
                               struct qd_site **sites, struct qd_error *error)
{
    const struct recorder recorder = {{.node = record}, sites};
    const struct qd_semantics semantics = {.override = &recorder.override};
    *sites = NULL;
    return qd_graph_evaluate(graph, inputs, &semantics, arena, outputs, error);
}

/* --- One mutant ---------------------------------------------------------------------------------- */

bool qd_mutant_applies(const struct qd_contract_mutant *mutant, const struct qd_graph *graph,
                       const struct qd_site *sites, struct qd_arena *scratch)
{
    struct qd_error error;
    const struct qd_semantics none = {0};
    const struct qd_evaluation evaluation = {.semantics = &none, .arena = scratch, .error = &error};
    bool changed = false;
    for (const struct qd_site *site = sites; site && !changed; site = site->next) {
        if (site->node->op != mutant->op)
            continue;
        struct qd_confusion confusion;
        struct qd_value out[QD_MAX_OPERANDS];
        begin(&confusion, mutant, graph, &evaluation, site->node, site->in);
        memcpy(out, site->out, site->node->output_count * sizeof *out);
        confusion.out = out;
        change(&confusion);
        changed = confusion.changed;
    }
    return changed;
}

enum qd_status qd_mutant_evaluate(const struct qd_contract_mutant *mutant,
                                  const struct qd_graph *graph, const struct qd_tensor *inputs,
                                  struct qd_arena *arena, struct qd_value *outputs,
                                  struct qd_error *error)
{
    const struct confuser confuser = {{.node = confuse}, mutant, graph};
    const struct qd_semantics semantics = {.override = &confuser.override};
    return qd_graph_evaluate(graph, inputs, &semantics, arena, outputs, error);
}

/* --- One mutant on a case ------------------------------------------------------------------------ */

struct trial {
    const struct qd_case *kase;
    const struct qd_evaluated *evaluated;
    const struct qd_site *sites;
    struct qd_arena *scratch;
    struct qd_error *error;
};

static void count(atomic_uint *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* How much a divergence weighs. */
static bool is_wrong(const struct trial *trial, const struct qd_run *run,
                     const struct qd_comparison *comparison)
{
    struct qd_citation citation;
    return qd_cite(trial->evaluated, NULL, run, comparison, comparison->verdict, "", trial->scratch,
                   &citation, trial->error) == QD_OK &&
           citation.severity == QD_SEVERITY_WRONG;
}

static void judge(const struct trial *trial, struct qd_value *values,
                  struct qd_contract_tally *tally)
{
    const struct qd_graph *graph = trial->kase->graph;
    struct qd_comparison comparison;
    struct qd_tensor outputs[QD_MAX_OPERANDS];
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = outputs};
    for (size_t i = 0; i < graph->output_count; i++) {
        qd_quirk_answer(&values[i]);
        outputs[i] = values[i].want;
    }
    qd_compare(trial->kase, trial->evaluated->values, &run, &comparison);
    if (!qd_verdict_is_divergence(comparison.verdict))
        return;
    if (!is_wrong(trial, &run, &comparison)) {
        count(&tally->weak);
        return;
    }
    count(comparison.verdict == QD_VERDICT_WRONG_VALUE ? &tally->values : &tally->shapes);
}

/* Of an answer that the reference itself finds to break a declaration of the model. */
static bool is_wrong_shape(const struct qd_error *error)
{
    return strcmp(error->rule, "graph/declared-shape") == 0 ||
           strcmp(error->rule, "graph/declared-type") == 0;
}

static void try_mutant(const struct trial *trial, const struct qd_contract_mutant *mutant,
                       struct qd_contract_tally *tally)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_value values[QD_MAX_OPERANDS];
    if (!qd_mutant_applies(mutant, trial->kase->graph, trial->sites, trial->scratch))
        return;
    count(&tally->applied);
    enum qd_status status = qd_mutant_evaluate(mutant, trial->kase->graph, trial->kase->inputs,
                                               trial->scratch, values, &error);
    if (status == QD_OK)
        judge(trial, values, tally);
    else
        count(is_wrong_shape(&error) ? &tally->shapes : &tally->refused);
}

/* --- One case ------------------------------------------------------------------------------------ */

bool qd_contract_is_dead(const struct qd_contract_tally *tally)
{
    return atomic_load_explicit(&tally->values, memory_order_relaxed) > 0;
}

static bool holds(const struct qd_graph *graph, const struct qd_op *op)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].op == op)
            return true;
    return false;
}

static void try_mutants(const struct trial *trial, const struct qd_contract *contract,
                        struct qd_contract_tally *tallies)
{
    for (size_t op = 0; op < contract->op_count; op++) {
        if (!holds(trial->kase->graph, qd_op_at(op)))
            continue;
        for (size_t i = contract->first[op]; i < contract->first[op + 1]; i++)
            if (!qd_contract_is_dead(&tallies[i])) {
                try_mutant(trial, &contract->mutants[i], &tallies[i]);
                qd_arena_reset(trial->scratch);
            }
    }
}

/* The canonical answer as a target gives it. */
static bool fails_itself(const struct trial *trial, const struct qd_value *values)
{
    struct qd_tensor outputs[QD_MAX_OPERANDS];
    const struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = outputs};
    struct qd_comparison comparison;
    for (size_t i = 0; i < trial->kase->graph->output_count; i++) {
        qd_quirk_answer(&values[i]);
        outputs[i] = values[i].want;
    }
    qd_compare(trial->kase, values, &run, &comparison);
    return qd_verdict_is_divergence(comparison.verdict);
}

enum qd_status qd_contract_try(const struct qd_contract *contract, const struct qd_case *kase,
                               struct qd_arena *arena, struct qd_contract_tally *tallies,
                               bool *false_alarm, struct qd_error *error)
{
    struct qd_evaluated evaluated = {.kase = kase};
    struct qd_value values[QD_MAX_OPERANDS];
    struct qd_site *sites;
    *false_alarm = false;
    if (kase->expect == QD_EXPECT_MUST_REJECT)
        return QD_OK;
    qd_case_features(kase, &evaluated.features);
    if (qd_features_has(&evaluated.features, QD_FEATURE_ONE_ELEMENT_VECTOR))
        return QD_OK;
    if (kase->graph->output_count > QD_MAX_OPERANDS)
        return qd_fail(error, QD_LIMIT, "%zu outputs", kase->graph->output_count);
    enum qd_status status =
        qd_sites_record(kase->graph, kase->inputs, arena, values, &sites, error);
    if (status != QD_OK)
        return status;
    evaluated.values = values;
    struct qd_arena scratch;
    qd_arena_init(&scratch, QD_ARENA_DEFAULT_BUDGET);
    const struct trial trial = {kase, &evaluated, sites, &scratch, error};
    *false_alarm = fails_itself(&trial, values);
    try_mutants(&trial, contract, tallies);
    qd_arena_clear(&scratch);
    return QD_OK;
}
