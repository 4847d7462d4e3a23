/* SPDX-License-Identifier: Apache-2.0 */
/* Property: on every case that the target can take, its answer is admissible; what breaks a rule, it refuses. Without a
 * target: the reference evaluates every case within its limits, and its own canonical values are admissible.
 *
 * The environment, and what becomes of a divergence: hunt.h. A target that runs no models at all, as a quantizer, ends
 * the process with 3: fuzz_quantize is for those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "hunt.h"
#include "qdiff/answer.h"
#include "qdiff/case_edit.h"
#include "qdiff/counters.h"
#include "qdiff/open_axis.h"

static bool takes(const uint8_t *data, size_t size);

const struct qd_engine_harness qd_engine_harness = {
    .property = "the target's answers are admissible",
    .takes = takes,
};

static struct {
    struct qd_hunt hunt;
    uint64_t invalid, elements;
} state = {.hunt = {.name = "fuzz_diff", .role = &qd_role_kernel}};

static void print_totals(void)
{
    const struct qd_harness_stats *n = &state.hunt.stats;
    fprintf(stderr,
            "# fuzz_diff: %llu executions, %llu refused, %llu invalid, %llu beyond the target, "
            "%llu compared (%llu elements), %llu known divergences, %llu findings, "
            "%llu not settled\n",
            (unsigned long long)n->executions, (unsigned long long)n->refused,
            (unsigned long long)state.invalid, (unsigned long long)n->beyond,
            (unsigned long long)n->compared,
            (unsigned long long)(state.hunt.elements + state.elements),
            (unsigned long long)n->known, (unsigned long long)n->findings,
            (unsigned long long)n->unsettled);
    qd_hunt_print(&state.hunt);
}

static void start(void)
{
    if (state.hunt.started)
        return;
    qd_hunt_begin(&state.hunt);
    atexit(print_totals);
}

static bool takes(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_error error;
    start();
    if (!state.hunt.has_target)
        return true;
    qd_arena_reset(&state.hunt.work);
    return qd_case_decode(data, size, &state.hunt.work, &kase, &error) == QD_OK &&
           qd_hunt_takes(&state.hunt, &kase);
}

/* The reference's own answer, compared with its own admissible sets. */
static void check_reference(const struct qd_evaluated *evaluated)
{
    const struct qd_case *kase = evaluated->kase;
    for (size_t o = 0; o < kase->graph->output_count; o++) {
        struct qd_comparison comparison;
        struct qd_value value = evaluated->values[o];
        qd_quirk_answer(&value);
        qd_compare_tensor(&value, &value.want, &comparison);
        state.elements += (uint64_t)comparison.compared;
        if (comparison.mismatched == 0)
            continue;
        fprintf(stderr, "Assertion failure: reference-not-admissible-%s\n", kase->op);
        abort();
    }
}

/* What the reference says of a case of which nobody knows whether it is valid. False: nothing, or it is too much. */
static bool evaluate(struct qd_case *kase, struct qd_value *values, struct qd_evaluated *evaluated)
{
    struct qd_error error;
    enum qd_status status =
        qd_graph_evaluate_within(QD_FUZZ_WORK, state.hunt.has_target, kase->graph, kase->inputs,
                                 NULL, &state.hunt.work, values, &error);
    qd_counters_case(qd_engine_counters, kase, status, values);
    kase->expect = status == QD_INVALID ? QD_EXPECT_MUST_REJECT : QD_EXPECT_VALID;
    state.invalid += status == QD_INVALID;
    *evaluated = (struct qd_evaluated){.kase = kase};
    if (status == QD_INVALID)
        kase->rule = qd_arena_string(&state.hunt.work, error.rule);
    else if (status != QD_OK ||
             qd_values_shapes(values, kase->graph->output_count, &state.hunt.work,
                              &evaluated->shapes, &error) != QD_OK)
        return false;
    else
        evaluated->values = values;
    qd_case_features(kase, &evaluated->features);
    return kase->rule != NULL;
}

/* ONNX's IR asks that a model's outputs have a shape: a target may refuse one without. */
static void declare_outputs(struct qd_case *kase)
{
    struct qd_case_edit edit;
    struct qd_case declared;
    struct qd_error error;
    bool open = false;
    for (size_t i = 0; i < kase->graph->output_count; i++)
        open = open || kase->graph->values[kase->graph->outputs[i]].declared_rank < 0;
    if (!open || qd_case_edit_begin(kase, &state.hunt.work, &edit, &error) != QD_OK)
        return;
    edit.infers = true;
    if (qd_case_edit_finish(&edit, kase->id, false, &declared, &error) == QD_OK)
        *kase = declared;
}

static int run_case(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_evaluated evaluated;
    struct qd_error error;
    qd_arena_reset(&state.hunt.work);
    if (qd_case_decode(data, size, &state.hunt.work, &kase, &error) != QD_OK ||
        kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS) {
        state.hunt.stats.refused++;
        return -1;
    }
    qd_hunt_name(&kase);
    if (state.hunt.stats.tally)
        snprintf(state.hunt.stats.op, sizeof state.hunt.stats.op, "%s", kase.op);
    if (!evaluate(&kase, values, &evaluated))
        return -1;
    if (state.hunt.has_target && kase.step_count > 0 &&
        (!evaluated.values || !qd_case_steps_are_right(&kase, QD_FUZZ_WORK, &state.hunt.work)))
        kase.step_count = 0; /* a target may refuse them */
    if (state.hunt.has_target && evaluated.values)
        declare_outputs(&kase);
    if (state.hunt.has_target)
        return qd_hunt_case(&state.hunt, &evaluated);
    if (evaluated.values)
        check_reference(&evaluated);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    return qd_hunt_input(&state.hunt, run_case, data, size);
}
