/* Property: what a tool that quantizes answers about a float graph, ranges and options has none of the findings of
 * targets/quantizer, and it refuses ranges that are none. Without a target: the mathematics from ranges to scales and zero
 * points keeps its own promises (observed_properties.h).
 *
 *   QDIFF_TARGET=NAME        a quantizer (ort-quant@1.31.1, ./mine.py), which always runs in a process of its own
 *   QDIFF_EXPECTATIONS=FILE  its known findings; "none"; else the shipped ones. The rows that begin with fuzz: hold here
 *   QDIFF_STORE=DIR          findings go into that store (store.h), and the run goes on; without it the first new
 *                            signature ends the process, so that the engine keeps the case
 *   QDIFF_TALLY=DIR          what the process did is counted in a file there (tally.h); a model that the tool refuses with
 *                            right counts as compared
 *   QDIFF_FINDINGS=ignore    findings are counted and nothing else: for an engine that minimises a corpus
 *
 * Options that the tool does not have, by its worker's words, are replaced by what it has.
 *
 * A target that does not quantize ends the process with 3: fuzz_diff is for those. Findings are not reduced.
 *
 * The models that the tool makes are not run: kernels are fuzz_diff's. A finding prints "Assertion failure: <signature>",
 * "DEDUP_TOKEN: <signature>" and, the first time, its text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counted.h"
#include "engine.h"
#include "known.h"
#include "observed_properties.h"
#include "qdiff/counters.h"
#include "qdiff/quantizer_check.h"
#include "qdiff/signature.h"
#include "qdiff/store.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "what a quantizer answers has no finding",
    .quantizers = true,
};

enum { MOST_SIGNATURES = 4096 };

static struct {
    bool started, ignores_findings;
    struct qd_arena arena; /* lives as long as the process */
    struct qd_arena work;  /* of one case */
    struct qd_quantizer *quantizer;
    struct qd_expectations *expectations;
    struct qd_store *store;
    struct qd_counted counted;
    char name[256];
    char (*signatures)[QD_SIGNATURE_SIZE];
    uint64_t answers, refusals, ranges;
} state;

static _Noreturn void give_up(int code, const struct qd_error *error)
{
    fprintf(stderr, "fuzz_quantize: %s\n", error->text);
    exit(code);
}

/* --- Starting ---------------------------------------------------------------------------------- */

static void print_totals(void)
{
    const struct qd_counted *n = &state.counted;
    struct qd_error error;
    if (n->tally && qd_tally_write(n->tally, &error) != QD_OK)
        fprintf(stderr, "fuzz_quantize: %s\n", error.text);
    fprintf(stderr,
            "# fuzz_quantize: %llu executions, %llu no case, %llu answers checked, %llu refusals, "
            "%llu beyond the tool, %llu known findings, %llu findings, %llu ranges\n",
            (unsigned long long)n->executions, (unsigned long long)n->refused,
            (unsigned long long)state.answers, (unsigned long long)state.refusals,
            (unsigned long long)n->beyond, (unsigned long long)n->known,
            (unsigned long long)n->findings, (unsigned long long)state.ranges);
    for (size_t i = 0; state.signatures && state.signatures[i][0]; i++)
        fprintf(stderr, "# %s\n", state.signatures[i]);
}

static void open_quantizer(const char *text)
{
    const char *store = getenv("QDIFF_STORE");
    const struct qd_session_options options = {.time_limit = 30};
    struct qd_target_name name;
    struct qd_error error;
    if (qd_target_name_parse(text, &name, &error) != QD_OK)
        give_up(2, &error);
    if (qd_quantizer_open(&name, &options, &state.quantizer, &error) != QD_OK) {
        fprintf(stderr, "fuzz_quantize: %s (fuzz_diff tests a target that runs models)\n",
                error.text);
        exit(3);
    }
    snprintf(state.name, sizeof state.name, "%s", qd_quantizer_info(state.quantizer)->name);
    if (qd_known_read(name.name, qd_quantizer_info(state.quantizer), &state.arena,
                      &state.expectations, &error) != QD_OK)
        give_up(2, &error);
    if (store && qd_store_open(store, &state.store, &error) != QD_OK)
        give_up(2, &error);
}

static void start(void)
{
    const char *text = getenv("QDIFF_TARGET"), *findings = getenv("QDIFF_FINDINGS");
    struct qd_error error;
    state.started = true;
    qd_arena_init(&state.arena, QD_FUZZ_MEMORY);
    qd_arena_init(&state.work, QD_FUZZ_MEMORY);
    state.signatures = qd_arena_array(&state.arena, MOST_SIGNATURES + 1, QD_SIGNATURE_SIZE);
    if (text && *text)
        open_quantizer(text);
    state.ignores_findings = findings && strcmp(findings, "ignore") == 0;
    if (qd_counted_open(&state.counted, &error) != QD_OK)
        give_up(4, &error);
    atexit(print_totals);
}

/* --- Findings ---------------------------------------------------------------------------------- */

/* Whether the signature is the first of its kind; none is when the table is full. */
static bool is_new(const char *signature)
{
    size_t i = 0;
    while (i < MOST_SIGNATURES && state.signatures[i][0]) {
        if (strcmp(state.signatures[i], signature) == 0)
            return false;
        i++;
    }
    if (i < MOST_SIGNATURES)
        snprintf(state.signatures[i], QD_SIGNATURE_SIZE, "%s", signature);
    return i < MOST_SIGNATURES;
}

static void keep(const struct qd_case *kase, const char *signature)
{
    struct qd_record record;
    struct qd_error error;
    if (qd_record_make(kase, signature, qd_quantizer_id(state.quantizer), &state.work, &record,
                       &error) != QD_OK)
        give_up(4, &error);
    if (qd_store_add(state.store, &record, &error) != QD_OK)
        give_up(4, &error);
}

static bool is_known(const struct qd_case *kase, const struct qd_run *run, enum qd_verdict class)
{
    const struct qd_expectation *unexpected;
    struct qd_features features;
    qd_case_features(kase, &features);
    const struct qd_evidence evidence = {kase, &features, class, NULL, run};
    return state.expectations && qd_expectations_match(state.expectations, &evidence, &unexpected);
}

/* What the tool's answer came to, where an engine looks. */
static void count_answer(const struct qd_case *kase, enum qd_verdict class)
{
    const struct qd_comparison comparison = {.verdict = class};
    qd_counters_answer(qd_engine_counters, kase, NULL, &comparison);
}

/* A finding of one case, by its class and its words. */
static void report(const struct qd_case *kase, enum qd_verdict class, const char *words)
{
    static const struct qd_diagnosis none = {.label = "", .place = "", .facts = ""};
    const struct qd_comparison comparison = {.verdict = class};
    struct qd_run run = {.outcome = QD_OUTCOME_REJECTED, .stage = QD_STAGE_RUN};
    char signature[QD_SIGNATURE_SIZE];
    count_answer(kase, class);
    snprintf(run.message, sizeof run.message, "%s", words);
    if (!state.ignores_findings && is_known(kase, &run, class)) {
        state.counted.known++;
        return;
    }
    state.counted.findings++;
    if (state.ignores_findings)
        return;
    qd_signature_make(kase, NULL, state.name, &run, &comparison, &none, signature);
    if (!is_new(signature))
        return;
    qd_signature_print(stderr, signature);
    fprintf(stderr, "%s\n", words);
    if (!state.store)
        abort();
    keep(kase, signature);
}

/* --- Running ----------------------------------------------------------------------------------- */

static void check_answer(struct qd_case *kase, const struct qd_quantizer_request *request,
                         const struct qd_quantizer_answer *answer)
{
    const struct qd_quantizer_trial trial = {.kase = kase,
                                             .request = request,
                                             .answer = answer,
                                             .profile = qd_quantizer_profile_of(state.name)};
    const char *unfit = qd_quantizer_unfit_range(request);
    struct qd_quantizer_report found;
    struct qd_error error;
    if (qd_quantizer_check(&trial, &state.work, &found, &error) != QD_OK)
        return; /* the reference has no say */
    state.answers++;
    state.counted.compared++;
    if (found.finding_count == 0)
        count_answer(kase, QD_VERDICT_EXACT);
    else if (unfit) {
        kase->rule = qd_arena_printf(&state.work, "quantizer/range-%s", unfit);
        report(kase, QD_VERDICT_ACCEPTS_INVALID, found.findings[0].text);
        return;
    }
    for (size_t i = 0; i < found.finding_count; i++)
        report(kase, found.findings[i].class, found.findings[i].text);
}

/* A refusal is a finding, unless the ranges are none. */
static void check_refusal(const struct qd_case *kase, const struct qd_quantizer_request *request,
                          const char *words)
{
    state.refusals++;
    state.counted.compared++;
    if (qd_quantizer_must_refuse(request))
        count_answer(kase, QD_VERDICT_EXACT);
    else
        report(kase, QD_VERDICT_REJECTS_VALID, words);
}

static void run_tool(struct qd_case *kase, const struct qd_quantizer_request *request)
{
    struct qd_quantizer_answer answer;
    struct qd_error error;
    enum qd_status status =
        qd_quantizer_run(state.quantizer, request, &state.work, &answer, &error);
    if (status == QD_UNUSABLE)
        give_up(3, &error);
    if (status != QD_OK) /* too large to transfer */
        return;
    if (qd_quantizer_declined(&answer)) {
        state.counted.beyond++;
        return;
    }
    switch (answer.outcome) {
    case QD_QUANTIZED_MODEL:
    case QD_QUANTIZED_EDGES: check_answer(kase, request, &answer); break;
    case QD_QUANTIZED_REJECTED: check_refusal(kase, request, answer.message); break;
    case QD_QUANTIZED_HANG: report(kase, QD_VERDICT_HANG, answer.message); break;
    case QD_QUANTIZED_OOM: report(kase, QD_VERDICT_OOM, answer.message); break;
    default: report(kase, QD_VERDICT_CRASH, answer.message); break;
    }
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
    enum qd_status status = qd_quantizer_request_of(kase, &state.work, request, error);
    if (status != QD_OK || !state.quantizer ||
        !qd_quantizer_fit(qd_quantizer_words(state.quantizer), &request->options))
        return status;
    status = qd_quantizer_request_encode(request, &state.work, &bytes, &kase->request_size, error);
    if (status != QD_OK)
        return status;
    kase->request = bytes;
    return qd_quantizer_request_of(kase, &state.work, request, error);
}

static int run_case(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_quantizer_request request;
    struct qd_error error;
    qd_arena_reset(&state.work);
    if (qd_case_decode(data, size, &state.work, &kase, &error) != QD_OK ||
        kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS ||
        read_request(&kase, &request, &error) != QD_OK) {
        state.counted.refused++;
        return -1;
    }
    if (state.counted.tally)
        snprintf(state.counted.op, sizeof state.counted.op, "%s", kase.op);
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs,
                                                     NULL, &state.work, values, &error);
    qd_counters_case(qd_engine_counters, &kase, status, values);
    if (status != QD_OK)
        return -1; /* no float model, or too much */
    if (state.quantizer)
        run_tool(&kase, &request);
    else
        check_mathematics(&request);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!state.started)
        start();
    struct qd_error error;
    int answer;
    if (qd_counted_run(&state.counted, run_case, data, size, qd_engine_counters, &answer, &error) !=
        QD_OK)
        give_up(4, &error);
    qd_engine_publish();
    return answer;
}
