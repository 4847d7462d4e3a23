/* Property: on every case that the target can take, its answer is admissible; what breaks a rule, it refuses. Without a target:
 * the reference evaluates every case within its limits, and its own canonical values are admissible.
 *
 *   QDIFF_TARGET=NAME        as on qdiff's command line (ort@1.31.1[opt=none], quirk:round-half-up, ./libmine.so); else the first line
 *                            of fuzz_diff.target beside the program; neither: no target
 *   QDIFF_ISOLATE=1          the target in a worker process: for one that may die. What it has to refuse, and what is known to
 *                            kill it, runs there anyway
 *   QDIFF_EXPECTATIONS=FILE  its known divergences, which are counted and not reported; "none"; else the shipped ones
 *   QDIFF_STORE=DIR          findings go into that store (store.h), and the run goes on; without it the first new
 *                            signature ends the process, so that the engine keeps the case
 *   QDIFF_TALLY=DIR          what the process did is counted in a file there (tally.h)
 *
 *   QDIFF_FINDINGS=ignore    divergences are counted and nothing else: for an engine that minimises a corpus
 *   QDIFF_FINDINGS=raw       they are kept as they come, not reduced and not explained
 *
 * A divergence that is not known is reduced before it is named, so that one bug in a hundred graphs is one finding; what turns
 * out to be known then is counted as known. Reducing takes a quarter of the time at most; what has to wait for it lies in the store
 * as it came.
 *
 * A target that runs no models at all, as a quantizer, ends the process with 3: fuzz_quantize is for those.
 *
 * A finding prints "Assertion failure: <signature>" and "DEDUP_TOKEN: <signature>". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counted.h"
#include "engine.h"
#include "known.h"
#include "qdiff/clock.h"
#include "qdiff/counters.h"
#include "qdiff/reducer.h"
#include "qdiff/signature.h"
#include "qdiff/store.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "the target's answers are admissible",
};

#define MAX_KEYS 4096 /* signatures and their unexplained forms that are told apart in one run */
#define REDUCTIONS_OF_A_KEY 4 /* a reduction costs as much as thousands of cases */
#define REDUCTION_SECONDS 3
#define REDUCTION_SHARE 0.25 /* of the time, once REDUCTION_START seconds of it were used */
#define REDUCTION_START 15

/* How often something was seen. */
struct key {
    char signature[QD_SIGNATURE_SIZE];
    uint64_t count;
    bool new;  /* it came to something that is not known */
    bool kept; /* in the store as it came, until it is reduced */
};

static struct {
    bool started, ignores_findings, reduces;
    struct qd_arena arena;                 /* lives as long as the process */
    struct qd_arena work;                  /* of one case */
    struct qd_arena reduction;             /* of its reduction */
    struct qd_session *session, *isolated; /* the same one if QDIFF_ISOLATE is 1 */
    struct qd_expectations *expectations;
    struct qd_store *store;
    struct qd_counted counted;
    char name[256];
    struct key *coarse, *found;
    double began;
    uint64_t invalid, elements;
    double in_target, in_cases, in_reductions; /* seconds of wall time */
} state;

static _Noreturn void give_up(int code, const struct qd_error *error)
{
    fprintf(stderr, "fuzz_diff: %s\n", error->text);
    exit(code);
}

/* --- Starting ---------------------------------------------------------------------------------- */

static void print_totals(void)
{
    const struct qd_counted *n = &state.counted;
    struct qd_error error;
    if (n->tally && qd_tally_write(n->tally, &error) != QD_OK)
        fprintf(stderr, "fuzz_diff: %s\n", error.text);
    fprintf(stderr,
            "# fuzz_diff: %llu executions, %llu refused, %llu invalid, %llu beyond the target, "
            "%llu compared (%llu elements), %llu known divergences, %llu findings\n",
            (unsigned long long)n->executions, (unsigned long long)n->refused,
            (unsigned long long)state.invalid, (unsigned long long)n->beyond,
            (unsigned long long)n->compared, (unsigned long long)state.elements,
            (unsigned long long)n->known, (unsigned long long)n->findings);
    if (n->compared > 0)
        fprintf(stderr, "# fuzz_diff: %.0f %% of the time inside the target\n",
                100 * state.in_target / state.in_cases);
    for (size_t i = 0; state.found && i < MAX_KEYS && *state.found[i].signature; i++)
        fprintf(stderr, "# %8llu %s\n", (unsigned long long)state.found[i].count,
                state.found[i].signature);
}

/* The target's name from the environment or the option file; "" if there is none. */
static const char *target_name(char *line, int size)
{
    char path[4096];
    const char *name = getenv("QDIFF_TARGET");
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 8);
    if (name || length < 0)
        return name ? name : "";
    memcpy(path + length, ".target", sizeof ".target");
    FILE *file = fopen(path, "r");
    if (!file)
        return "";
    const char *read = fgets(line, size, file);
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    return read ? line : "";
}

static void open_target(const char *text)
{
    struct qd_target_name name;
    struct qd_error error;
    const char *isolate = getenv("QDIFF_ISOLATE"), *store = getenv("QDIFF_STORE");
    bool alone = isolate && strcmp(isolate, "1") == 0;
    struct qd_session_options options = {.in_process = !alone, .time_limit = 5};
    if (qd_target_name_parse(text, &name, &error) != QD_OK)
        give_up(2, &error);
    if (qd_session_open(&name, &options, &state.session, &error) != QD_OK)
        give_up(3, &error);
    if (qd_session_info(state.session)->capability_count == 0) {
        qd_fail(&error, QD_UNUSABLE,
                "%s runs no models; if it is a quantizer, fuzz_quantize tests it",
                qd_session_id(state.session));
        give_up(3, &error);
    }
    state.isolated = state.session;
    options.in_process = false;
    if (!alone && qd_session_open(&name, &options, &state.isolated, &error) != QD_OK)
        give_up(3, &error);
    snprintf(state.name, sizeof state.name, "%s", name.name);
    if (qd_known_read(name.name, qd_session_info(state.session), &state.arena, &state.expectations,
                      &error) != QD_OK)
        give_up(2, &error);
    if (store && qd_store_open(store, &state.store, &error) != QD_OK)
        give_up(2, &error);
}

/* Not before the first case: AFL++ forks after the program's start, and targets have threads. */
static void start(void)
{
    char line[512] = "";
    state.started = true;
    state.began = qd_clock_seconds();
    qd_arena_init(&state.arena, QD_FUZZ_MEMORY);
    qd_arena_init(&state.work, QD_FUZZ_MEMORY);
    qd_arena_init(&state.reduction, QD_ARENA_DEFAULT_BUDGET);
    state.coarse = qd_arena_array(&state.arena, MAX_KEYS, sizeof *state.coarse);
    state.found = qd_arena_array(&state.arena, MAX_KEYS, sizeof *state.found);
    const char *name = target_name(line, sizeof line);
    if (*name)
        open_target(name);
    const char *findings = getenv("QDIFF_FINDINGS");
    state.ignores_findings = findings && strcmp(findings, "ignore") == 0;
    state.reduces = !findings || strcmp(findings, "raw") != 0;
    struct qd_error error;
    if (qd_counted_open(&state.counted, &error) != QD_OK)
        give_up(4, &error);
    atexit(print_totals);
}

/* --- Findings ---------------------------------------------------------------------------------- */

/* The entry of a signature, or the free one where it belongs; NULL when the table is full. */
static struct key *place_of(struct key *keys, const char *signature)
{
    for (size_t i = 0; keys && i < MAX_KEYS; i++)
        if (!*keys[i].signature || strcmp(keys[i].signature, signature) == 0)
            return &keys[i];
    return NULL;
}

/* The entry of a signature, a new one for a new signature; NULL when the table is full. */
static struct key *key_of(struct key *keys, const char *signature)
{
    struct key *key = place_of(keys, signature);
    if (key && !*key->signature)
        snprintf(key->signature, sizeof key->signature, "%s", signature);
    return key;
}

static void keep(const struct qd_case *kase, bool reduced, const char *signature)
{
    struct qd_record record;
    struct qd_error error;
    if (qd_record_make(kase, signature, qd_session_id(state.session), &state.work, &record,
                       &error) != QD_OK)
        give_up(4, &error);
    record.reduced = reduced;
    if (qd_store_add(state.store, &record, &error) != QD_OK)
        give_up(4, &error);
}

static void report(const struct qd_case *kase, bool reduced, const char *signature)
{
    struct key *key = key_of(state.found, signature);
    if (key && key->count++ > 0)
        return;
    qd_signature_print(stderr, signature);
    if (!state.store)
        abort();
    keep(kase, reduced, signature);
}

static bool is_known(const struct qd_case *kase, const struct qd_value *values,
                     const struct qd_run *run, enum qd_verdict verdict)
{
    const struct qd_expectation *unexpected;
    struct qd_features features;
    qd_case_features(kase, &features);
    const struct qd_evidence evidence = {kase, &features, verdict, values, run};
    return state.expectations && qd_expectations_match(state.expectations, &evidence, &unexpected);
}

/* What has to be refused, and what is known to kill the target, runs in a worker. */
static struct qd_session *session_for(const struct qd_case *kase, const struct qd_value *values)
{
    struct qd_features features;
    if (!values || state.session == state.isolated || !state.expectations)
        return values ? state.session : state.isolated;
    qd_case_features(kase, &features);
    return qd_expectations_fear(state.expectations, kase, &features) ? state.isolated
                                                                     : state.session;
}

/* Reduces, which diagnoses as well, in a worker: a smaller case may kill the target. False: it was known all along. */
static bool settle(const struct qd_case *kase, const char *coarse)
{
    static const struct qd_reduce_options options = {.seconds = REDUCTION_SECONDS};
    struct qd_reduced reduced;
    struct qd_error error;
    double begin = qd_clock_seconds();
    qd_arena_reset(&state.reduction);
    enum qd_status status =
        qd_case_reduce(state.isolated, kase, &options, &state.reduction, &reduced, &error);
    state.in_reductions += qd_clock_seconds() - begin;
    if (status == QD_UNUSABLE)
        give_up(3, &error);
    if (status != QD_OK) { /* it does not come each time, or is beyond the editor */
        report(kase, false, coarse);
        return true;
    }
    if (is_known(&reduced.kase, reduced.values, &reduced.run, reduced.after.comparison.verdict))
        return false;
    report(&reduced.kase, true, reduced.after.signature);
    return true;
}

static bool is_reported(const char *signature)
{
    const struct key *key = place_of(state.found, signature);
    return key && *key->signature;
}

static bool is_due(const struct key *key)
{
    return state.reduces && key->count < REDUCTIONS_OF_A_KEY &&
           (state.in_reductions < REDUCTION_START ||
            state.in_reductions < REDUCTION_SHARE * (qd_clock_seconds() - state.began));
}

/* Reduces it now, or keeps the first of its kind for later. */
static void treat(struct key *key, const struct qd_case *kase)
{
    struct qd_error error;
    if (is_due(key)) {
        key->count++;
        key->new = settle(kase, key->signature) || key->new;
        if (key->kept && !is_reported(key->signature))
            qd_store_forget(state.store, key->signature, &error);
        key->kept = false;
    } else if (state.store && key->count == 0 && !key->kept) {
        keep(kase, false, key->signature);
        key->kept = true;
    }
}

/* What the run says, and why, as far as that is worth the time. */
static void judge(const struct qd_case *kase, const struct qd_value *values,
                  const struct qd_run *run, const struct qd_comparison *comparison)
{
    static const struct qd_diagnosis none = {
        .kind = QD_DIAGNOSIS_UNEXPLAINED, .label = "unexplained", .place = "", .facts = ""};
    char signature[QD_SIGNATURE_SIZE];
    if (state.ignores_findings) {
        state.counted.findings++;
        return;
    }
    if (is_known(kase, values, run, comparison->verdict)) {
        state.counted.known++;
        return;
    }
    qd_signature_make(kase, values, state.name, run, comparison, &none, signature);
    struct key *coarse = key_of(state.coarse, signature);
    if (coarse)
        treat(coarse, kase);
    if (coarse && coarse->count > 0 && !coarse->new)
        state.counted.known++;
    else
        state.counted.findings++;
}

/* --- Running ----------------------------------------------------------------------------------- */

static void run_target(const struct qd_case *kase, const struct qd_value *values)
{
    struct qd_tensor shapes[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_comparison comparison;
    struct qd_run run;
    struct qd_error error;
    const char *reason;
    if (!qd_session_can(state.session, kase, &reason)) {
        state.counted.beyond++;
        return;
    }
    for (size_t i = 0; values && i < kase->graph->output_count; i++)
        shapes[i] = values[i].want;
    enum qd_status status = qd_session_run(session_for(kase, values), kase, values ? shapes : NULL,
                                           &state.work, &run, &error);
    if (status == QD_UNUSABLE)
        give_up(3, &error);
    if (status != QD_OK) /* too large to transfer */
        return;
    qd_compare(kase, values, &run, &comparison);
    qd_counters_answer(qd_engine_counters, kase, values, &comparison);
    state.counted.compared++;
    state.in_target += run.seconds_target;
    state.elements += (uint64_t)comparison.compared;
    if (qd_verdict_is_divergence(comparison.verdict)) {
        qd_engine_pause();
        judge(kase, values, &run, &comparison);
        qd_engine_resume();
    }
}

/* The reference's own answer, held against its own admissible sets. */
static void check_reference(const struct qd_case *kase, const struct qd_value *values)
{
    for (size_t o = 0; o < kase->graph->output_count; o++) {
        struct qd_comparison comparison;
        qd_quirk_answer(&values[o]);
        qd_compare_tensor(&values[o], &values[o].want, &comparison);
        state.elements += (uint64_t)comparison.compared;
        if (comparison.mismatched == 0)
            continue;
        fprintf(stderr, "Assertion failure: reference-not-admissible-%s\n", kase->op);
        abort();
    }
}

static int run_case(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error error;
    qd_arena_reset(&state.work);
    if (qd_case_decode(data, size, &state.work, &kase, &error) != QD_OK ||
        kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS) {
        state.counted.refused++;
        return -1;
    }
    if (state.counted.tally)
        snprintf(state.counted.op, sizeof state.counted.op, "%s", kase.op);
    enum qd_status status =
        qd_graph_evaluate_within(QD_FUZZ_WORK, state.session != NULL, kase.graph, kase.inputs, NULL,
                                 &state.work, values, &error);
    qd_counters_case(qd_engine_counters, &kase, status, values);
    kase.expect = status == QD_INVALID ? QD_EXPECT_MUST_REJECT : QD_EXPECT_VALID;
    state.invalid += status == QD_INVALID;
    if (status == QD_INVALID)
        kase.rule = error.rule;
    else if (status != QD_OK)
        return -1; /* unsupported, or too much */
    if (state.session)
        run_target(&kase, status == QD_OK ? values : NULL);
    else if (status == QD_OK)
        check_reference(&kase, values);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!state.started)
        start();
    struct qd_error error;
    int answer;
    double begin = qd_clock_seconds();
    if (qd_counted_run(&state.counted, run_case, data, size, qd_engine_counters, &answer, &error) !=
        QD_OK)
        give_up(4, &error);
    state.in_cases += qd_clock_seconds() - begin;
    qd_engine_publish();
    return answer;
}
