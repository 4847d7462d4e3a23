/* SPDX-License-Identifier: Apache-2.0 */
/* Property: what a tool that quantizes answers about a float graph, ranges and options has none of the findings of
 * targets/quantizer, and it refuses invalid ranges. Without a target: the mathematics from ranges to scales and zero
 * points keeps its own promises (observed_properties.h).
 *
 * The environment, and what becomes of a divergence: hunt.h. A model that the tool rightly refuses counts as compared;
 * expectation rows that begin with fuzz: hold here. Options that the tool does not have, by its worker's words, are
 * replaced by what it has. A target that does not quantize ends the process with 3: fuzz_diff is for those.
 *
 * The models that the tool makes are not run: kernels are fuzz_diff's. */
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "hunt.h"
#include "observed_properties.h"
#include "qdiff/counters.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "what a quantizer answers has no finding",
    .quantizers = true,
};

static struct {
    struct qd_hunt hunt;
    uint64_t ranges;
} state = {.hunt = {.name = "fuzz_quantize", .role = &qd_role_quantizer}};

static void print_totals(void)
{
    const struct qd_harness_stats *n = &state.hunt.stats;
    fprintf(stderr,
            "# fuzz_quantize: %llu executions, %llu no case, %llu answers and refusals checked, "
            "%llu beyond the tool, %llu known findings, %llu findings, "
            "%llu not settled, %llu ranges\n",
            (unsigned long long)n->executions, (unsigned long long)n->refused,
            (unsigned long long)n->compared, (unsigned long long)n->beyond,
            (unsigned long long)n->known, (unsigned long long)n->findings,
            (unsigned long long)n->unsettled, (unsigned long long)state.ranges);
    qd_hunt_print(&state.hunt);
}

/* The mathematics on each range of the request, under every rule. */
static void check_mathematics(const struct qd_quantizer_request *request)
{
    static const struct qd_observed_rule rules[] = {
        {QD_OBSERVED_ASYMMETRIC, 0, 255, QD_F32, 0},
        {QD_OBSERVED_ASYMMETRIC, -128, 127, QD_F32, 0},
        {QD_OBSERVED_ASYMMETRIC, 0, 65535, QD_F32, 0},
        {QD_OBSERVED_ASYMMETRIC, 0, 255, QD_F16, 0},
        {QD_OBSERVED_SYMMETRIC, -127, 127, QD_F32, 0},
        {QD_OBSERVED_SYMMETRIC, 0, 255, QD_F32, 0},
        {QD_OBSERVED_SYMMETRIC, -32767, 32767, QD_F32, 0},
        {QD_OBSERVED_RESTRICTED, 0, 255, QD_F32, 0},
        {QD_OBSERVED_RESTRICTED, 0, 255, QD_F16, 0},
    };
    for (size_t i = 0; i < request->range_count; i++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            const struct qd_quantizer_range *range = &request->ranges[i];
            const char *broken =
                qd_observed_broken((double)range->min, (double)range->max, &rules[r]);
            state.ranges++;
            if (!broken)
                continue;
            fprintf(stderr, "%.9g to %.9g, rule %zu\nAssertion failure: quantizer-%s\n",
                    (double)range->min, (double)range->max, r, broken);
            abort();
        }
}

/* What a case asks of the tool: options that it has, so that the case which is kept says what was asked. */
static enum qd_status read_request(struct qd_case *kase, struct qd_quantizer_request *request,
                                   struct qd_error *error)
{
    uint8_t *bytes;
    enum qd_status status = qd_quantizer_request_of(kase, &state.hunt.work, request, error);
    if (status != QD_OK || !state.hunt.has_target ||
        !qd_quantizer_fit(qd_quantizer_words(state.hunt.subject.quantizer), &request->options))
        return status;
    status =
        qd_quantizer_request_encode(request, &state.hunt.work, &bytes, &kase->request_size, error);
    if (status != QD_OK)
        return status;
    kase->request = bytes;
    return qd_quantizer_request_of(kase, &state.hunt.work, request, error);
}

static int run_case(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_quantizer_request request;
    struct qd_evaluated evaluated;
    struct qd_error error;
    qd_arena_reset(&state.hunt.work);
    if (qd_case_decode(data, size, &state.hunt.work, &kase, &error) != QD_OK ||
        kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS ||
        read_request(&kase, &request, &error) != QD_OK) {
        state.hunt.stats.refused++;
        return -1;
    }
    qd_hunt_name(&kase);
    if (state.hunt.stats.tally)
        snprintf(state.hunt.stats.op, sizeof state.hunt.stats.op, "%s", kase.op);
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs,
                                                     NULL, &state.hunt.work, values, &error);
    qd_counters_case(qd_engine_counters, &kase, status, values);
    if (status == QD_OK)
        status = qd_role_quantizer.evaluate(&kase, &state.hunt.work, &evaluated, &error);
    if (status != QD_OK)
        return -1; /* no float model, or too much */
    if (state.hunt.has_target)
        return qd_hunt_case(&state.hunt, &evaluated);
    check_mathematics(&request);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!state.hunt.started) {
        qd_hunt_begin(&state.hunt);
        atexit(print_totals);
    }
    return qd_hunt_input(&state.hunt, run_case, data, size);
}
