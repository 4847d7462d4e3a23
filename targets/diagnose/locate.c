/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where in a graph a target leaves the admissible set. */
#include "diagnose/locate.h"

#include <string.h>

#include "qdiff/case_edit.h"
#include "qdiff/citation.h"
#include "qdiff/trial.h"

static bool is_output(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->output_count; i++)
        if (edit->outputs[i] == value)
            return true;
    return false;
}

/* Every value that a node computes becomes an output, in the order of the nodes; false if there are too many. */
static bool expose(struct qd_case_edit *edit)
{
    edit->output_count = 0;
    edit->infers = true;
    for (size_t i = 0; i < edit->node_count; i++)
        for (size_t j = 0; j < edit->nodes[i].output_count; j++) {
            int value = edit->nodes[i].outputs[j];
            if (value == QD_NO_VALUE || is_output(edit, value))
                continue;
            if (edit->output_count == QD_CASE_EDIT_MAX_OUTPUTS)
                return false;
            edit->outputs[edit->output_count++] = value;
        }
    return true;
}

struct exposed {
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
};

/* The exposed case, evaluated and run. */
static enum qd_status run_exposed(struct qd_session *session, const struct qd_case_edit *edit,
                                  struct exposed *e, struct qd_error *error)
{
    enum qd_status status = qd_case_edit_finish(edit, "exposed", false, &e->kase, error);
    if (status == QD_OK)
        status = qd_case_evaluate(&e->kase, edit->arena, &e->evaluated, error);
    return status == QD_OK ? qd_trial_ask(session, &e->evaluated, edit->arena, &e->trial, error)
                           : status;
}

/* The first output that differs, in node order; the count of outputs if none does. */
static size_t first_difference(const struct exposed *e)
{
    size_t i = 0;
    for (; i < e->kase.graph->output_count; i++) {
        struct qd_comparison comparison;
        qd_compare_tensor(&e->evaluated.values[i], &e->trial.run.outputs[i], &comparison);
        if (comparison.mismatched > 0)
            break;
    }
    return i;
}

static const char *name_node(const struct qd_case *kase, int value, int node,
                             struct qd_arena *arena)
{
    const struct qd_graph *graph = kase->graph;
    if (node < 0)
        return "an output that no node computes differs";
    const char *clause = qd_node_clause(kase, &graph->nodes[node], arena);
    return !clause ? NULL
                   : qd_arena_printf(
                         arena,
                         "node %d of %zu, %s, whose output is '%.80s', is the first to differ; %s",
                         node + 1, graph->node_count, graph->nodes[node].op_type,
                         graph->values[value].name, clause);
}

/* The index of a value's output; the count of outputs if it is none. */
static size_t output_of(const struct qd_graph *graph, int value)
{
    size_t i = 0;
    while (i < graph->output_count && graph->outputs[i] != value)
        i++;
    return i;
}

/* What other nodes compute comes from the run. */
static const struct qd_case *take_out(const struct exposed *e, int node, struct qd_arena *arena)
{
    const struct qd_graph *graph = e->kase.graph;
    struct qd_case *made = qd_arena_array(arena, 1, sizeof *made);
    struct qd_case_edit edit;
    struct qd_error none;
    if (!made || qd_case_edit_begin(&e->kase, arena, &edit, &none) != QD_OK)
        return NULL;
    edit.nodes[0] = edit.nodes[node];
    edit.node_count = 1;
    edit.output_count = edit.nodes[0].output_count;
    memcpy(edit.outputs, edit.nodes[0].outputs, edit.output_count * sizeof *edit.outputs);
    for (size_t i = 0; i < edit.nodes[0].input_count; i++) {
        int input = edit.nodes[0].inputs[i];
        if (input == QD_NO_VALUE || edit.values[input].tensor)
            continue;
        size_t output = output_of(graph, input);
        edit.values[input].is_input = true;
        edit.values[input].tensor =
            output < graph->output_count ? &e->trial.run.outputs[output] : NULL;
    }
    return qd_case_edit_finish(&edit, "alone", false, made, &none) == QD_OK ? made : NULL;
}

static struct qd_difference_place describe(const struct exposed *e, struct qd_arena *arena)
{
    const struct qd_graph *graph = e->kase.graph;
    if (e->trial.skip || e->trial.run.outcome != QD_OUTCOME_OUTPUTS)
        return (struct qd_difference_place){.text = "not told: the target does not take the graph "
                                                    "with the values in between as outputs"};
    size_t first = first_difference(e);
    if (first == graph->output_count)
        return (struct qd_difference_place){
            .text = "a fusion: the difference vanishes when the values in between are outputs"};
    int value = graph->outputs[first], node = qd_graph_producer(graph, value);
    return (struct qd_difference_place){name_node(&e->kase, value, node, arena),
                                        node < 0 ? NULL : take_out(e, node, arena)};
}

enum qd_status qd_difference_locate(struct qd_session *session, const struct qd_case *kase,
                                    struct qd_arena *arena, struct qd_difference_place *place,
                                    struct qd_error *error)
{
    *place = (struct qd_difference_place){.text = ""};
    struct qd_case_edit edit;
    struct qd_error local = {.status = QD_OK};
    if (kase->graph->node_count < 2)
        return QD_OK;
    if (qd_case_edit_begin(kase, arena, &edit, &local) != QD_OK || !expose(&edit)) {
        place->text = "unknown: the graph is too large to take apart";
        return QD_OK;
    }
    struct exposed exposed;
    enum qd_status status = run_exposed(session, &edit, &exposed, error);
    if (status == QD_OK)
        *place = describe(&exposed, arena);
    return place->text ? status : qd_fail(error, QD_NO_MEMORY, "no room to say where");
}
