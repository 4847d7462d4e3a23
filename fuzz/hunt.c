/* SPDX-License-Identifier: Apache-2.0 */
/* What both harnesses with a target do: open it, try cases on it, and bring what diverges to the store. */
#include "hunt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "expectations_env.h"
#include "qdiff/clock.h"
#include "qdiff/counters.h"
#include "qdiff/reducer.h"

#define MAX_KEYS 4096 /* signatures and their unexplained forms that are told apart in one run */
#define REDUCTIONS_OF_A_KEY 4 /* a reduction costs as much as thousands of cases */
#define REDUCTION_SECONDS 3
#define LAST_REDUCTION_SECONDS 10 /* without a store there is no second chance */
#define REDUCTION_SHARE 0.25      /* of the time, once REDUCTION_START seconds of it were used */
#define REDUCTION_START 15
#define KERNEL_SECONDS 5
/* libFuzzer gives up if it can keep no input: an empty one comes first, then the first seed. */
#define FIRST_INPUTS 2
#define QUANTIZER_SECONDS 30

/* What a kind of divergence has come to so far; the gravest counts. */
enum outcome { UNSETTLED, KNOWN, FINDING };

/* How often something was seen. */
struct qd_hunt_key {
    char signature[QD_SIGNATURE_SIZE];
    uint64_t count; /* of its reductions, or of the divergences that were reduced to it */
    enum outcome outcome;
    bool kept; /* one of it waits in the pool */
};

void qd_hunt_give_up(const struct qd_hunt *hunt, int code, const struct qd_error *error)
{
    qd_hunt_print(hunt);
    fprintf(stderr, "%s: %s\n", hunt->name, error->text);
    fflush(NULL);
    _exit(code);
}

static _Noreturn void give_up_starved(const struct qd_hunt *hunt)
{
    struct qd_error error;
    qd_fail(&error, QD_NO_MEMORY, "the machine has no memory left");
    qd_hunt_give_up(hunt, 4, &error);
}

/* --- Starting ----------------------------------------------------------------------------------- */

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

/* A harness of one role takes no target of another: its cases would ask nothing of it. */
static void check_role(const struct qd_hunt *hunt)
{
    struct qd_error error;
    const struct qd_subject *subject = &hunt->subject;
    bool quantizes = subject->role == &qd_role_quantizer;
    if (subject->role == hunt->role && (quantizes || subject->info->capability_count > 0))
        return;
    qd_fail(&error, QD_UNUSABLE, "%s %s; %s", subject->id,
            quantizes ? "runs no models, it is a quantizer" : "is no quantizer",
            quantizes ? "fuzz_quantize tests it" : "fuzz_diff tests a target that runs models");
    qd_hunt_give_up(hunt, 3, &error);
}

static void open_target(struct qd_hunt *hunt, const char *text)
{
    struct qd_target_name name;
    struct qd_error error;
    const char *isolate = getenv("QDIFF_ISOLATE"), *store = getenv("QDIFF_STORE");
    bool quantizes = hunt->role == &qd_role_quantizer;
    bool alone = quantizes || (isolate && strcmp(isolate, "1") == 0);
    struct qd_session_options options = {
        .time_limit = quantizes ? QUANTIZER_SECONDS : KERNEL_SECONDS, .in_process = !alone};
    if (qd_target_name_parse(text, &name, &error) != QD_OK)
        qd_hunt_give_up(hunt, 2, &error);
    if (qd_subject_open_alone(&name, &options, &hunt->subject, &error) != QD_OK)
        qd_hunt_give_up(hunt, 3, &error);
    check_role(hunt);
    options.in_process = false;
    if (!alone && qd_session_open(&name, &options, &hunt->subject.isolated, &error) != QD_OK)
        qd_hunt_give_up(hunt, 3, &error);
    if (qd_expectations_from_environment(name.name, hunt->subject.info, &hunt->arena,
                                         &hunt->subject.expectations, &error) != QD_OK)
        qd_hunt_give_up(hunt, 2, &error);
    if (store && (qd_store_open(store, &hunt->store, &error) != QD_OK ||
                  qd_store_open_pool(store, &hunt->pool, &error) != QD_OK))
        qd_hunt_give_up(hunt, 2, &error);
    hunt->has_target = true;
}

void qd_hunt_begin(struct qd_hunt *hunt)
{
    char line[512] = "";
    const char *findings = getenv("QDIFF_FINDINGS");
    struct qd_error error;
    hunt->started = true;
    hunt->began = qd_clock_seconds();
    hunt->ignores = findings && strcmp(findings, "ignore") == 0;
    hunt->reduces = !findings || strcmp(findings, "raw") != 0;
    qd_arena_init(&hunt->arena, QD_FUZZ_MEMORY);
    qd_arena_init(&hunt->work, QD_FUZZ_MEMORY);
    qd_arena_init(&hunt->reduction, QD_ARENA_DEFAULT_BUDGET);
    hunt->coarse = qd_arena_array(&hunt->arena, MAX_KEYS, sizeof *hunt->coarse);
    hunt->found = qd_arena_array(&hunt->arena, MAX_KEYS, sizeof *hunt->found);
    if (!hunt->coarse || !hunt->found)
        give_up_starved(hunt);
    const char *name = target_name(line, sizeof line);
    if (*name)
        open_target(hunt, name);
    if (qd_harness_stats_open(&hunt->stats, &error) != QD_OK)
        qd_hunt_give_up(hunt, 4, &error);
}

void qd_hunt_print(const struct qd_hunt *hunt)
{
    const struct qd_harness_stats *n = &hunt->stats;
    struct qd_error error;
    if (n->tally && qd_night_stats_write(n->tally, &error) != QD_OK)
        fprintf(stderr, "%s: %s\n", hunt->name, error.text);
    if (n->compared > 0)
        fprintf(stderr, "# %s: %.0f %% of the time inside the target\n", hunt->name,
                100 * hunt->in_target / hunt->in_cases);
    for (size_t i = 0; hunt->found && i < MAX_KEYS && *hunt->found[i].signature; i++)
        fprintf(stderr, "# %8llu %s\n", (unsigned long long)hunt->found[i].count,
                hunt->found[i].signature);
}

/* --- Findings ----------------------------------------------------------------------------------- */

/* A case whose trial diverges. */
struct catch
{
    const struct qd_evaluated *evaluated;
    const struct qd_trial *trial;
    size_t which; /* of its divergences */
    struct qd_arena *arena;
};

/* The entry of a signature, or the free one where it belongs; NULL when the table is full. */
static struct qd_hunt_key *place_of(struct qd_hunt_key *keys, const char *signature)
{
    for (size_t i = 0; i < MAX_KEYS; i++)
        if (!*keys[i].signature || strcmp(keys[i].signature, signature) == 0)
            return &keys[i];
    return NULL;
}

/* The entry of a signature, a new one for a new signature; NULL when the table is full. */
static struct qd_hunt_key *key_of(struct qd_hunt_key *keys, const char *signature)
{
    struct qd_hunt_key *key = place_of(keys, signature);
    if (key && !*key->signature)
        snprintf(key->signature, sizeof key->signature, "%s", signature);
    return key;
}

/* A file of that name which is torn stays as it is, and the run goes on. */
static void keep(const struct qd_hunt *hunt, struct qd_store *store, const struct qd_case *kase,
                 bool reduced, const char *signature, struct qd_arena *arena)
{
    struct qd_record record;
    struct qd_error error;
    if (qd_record_make(kase, signature, hunt->subject.id, arena, &record, &error) != QD_OK)
        qd_hunt_give_up(hunt, 4, &error);
    record.reduced = reduced;
    enum qd_status status = qd_store_add(store, &record, &error);
    if (status == QD_MALFORMED)
        fprintf(stderr, "%s: not kept: %s\n", hunt->name, error.text);
    else if (status != QD_OK)
        qd_hunt_give_up(hunt, 4, &error);
}

static void report(struct qd_hunt *hunt, const struct catch *catch, bool reduced,
                   const char *signature)
{
    const struct qd_divergence *divergence = &catch->trial->divergences[catch->which];
    struct qd_hunt_key *key = key_of(hunt->found, signature);
    if (key && key->count++ > 0)
        return;
    qd_signature_print(stderr, signature);
    if (catch->trial->report)
        fprintf(stderr, "%s\n", divergence->words);
    if (!hunt->store)
        abort();
    keep(hunt, hunt->store, catch->evaluated->kase, reduced, signature, catch->arena);
}

/* The first of its kind waits to be reduced. */
static void put_off(struct qd_hunt *hunt, struct qd_hunt_key *key, const struct qd_case *kase,
                    struct qd_arena *arena)
{
    if (hunt->pool && !key->kept)
        keep(hunt, hunt->pool, kase, false, key->signature, arena);
    key->kept = hunt->pool != NULL;
}

/* Reduces, which diagnoses as well. */
static enum qd_status reduce(struct qd_hunt *hunt, const struct catch *catch,
                             struct qd_reduced *reduced)
{
    const struct qd_reduce_options options = {.seconds = hunt->store ? REDUCTION_SECONDS
                                                                     : LAST_REDUCTION_SECONDS,
                                              .which = catch->which,
                                              .rows = hunt->subject.expectations};
    struct qd_error error;
    double begin = qd_clock_seconds();
    qd_arena_reset(&hunt->reduction);
    enum qd_status status = qd_case_reduce(&hunt->subject, catch->evaluated->kase, &options,
                                           &hunt->reduction, reduced, &error);
    hunt->in_reductions += qd_clock_seconds() - begin;
    if (status == QD_UNUSABLE)
        qd_hunt_give_up(hunt, 3, &error);
    if (hunt->reduction.starved)
        give_up_starved(hunt);
    return status;
}

/* What a divergence comes to. */
static enum outcome settle(struct qd_hunt *hunt, struct qd_hunt_key *key, const struct catch *catch)
{
    struct qd_reduced reduced;
    enum qd_status status = reduce(hunt, catch, &reduced);
    if (status == QD_OK && reduced.known)
        return KNOWN;
    if (status == QD_OK && (!reduced.out_of_time || !hunt->store)) {
        const struct catch small = {&reduced.evaluated, &reduced.trial, reduced.which,
                                    catch->arena};
        report(hunt, &small, true, reduced.after.signature);
        return FINDING;
    }
    if (status == QD_UNSUPPORTED || status == QD_LIMIT) { /* beyond the editor */
        report(hunt, catch, false, key->signature);
        return FINDING;
    }
    put_off(hunt, key, catch->evaluated->kase, catch->arena); /* not small yet, or not each time */
    return UNSETTLED;
}

static bool is_due(const struct qd_hunt *hunt, const struct qd_hunt_key *key)
{
    return hunt->reduces && key->count < REDUCTIONS_OF_A_KEY &&
           (hunt->in_reductions < REDUCTION_START ||
            hunt->in_reductions < REDUCTION_SHARE * (qd_clock_seconds() - hunt->began));
}

/* Reduces it now, or keeps the first of its kind for later. */
static void treat(struct qd_hunt *hunt, struct qd_hunt_key *key, const struct catch *catch)
{
    if (is_due(hunt, key)) {
        key->count++;
        enum outcome outcome = settle(hunt, key, catch);
        key->outcome = outcome > key->outcome ? outcome : key->outcome;
    } else if (key->count == 0) {
        put_off(hunt, key, catch->evaluated->kase, catch->arena);
    }
}

/* One divergence: what it is, and why, as far as that is worth the time. */
static void judge(struct qd_hunt *hunt, const struct catch *catch)
{
    char signature[QD_SIGNATURE_SIZE];
    const struct qd_divergence *divergence = &catch->trial->divergences[catch->which];
    if (divergence->row || divergence->citation.severity == QD_SEVERITY_ADVISORY) {
        hunt->stats.known++;
        return;
    }
    if (hunt->ignores) {
        hunt->stats.unsettled++;
        return;
    }
    qd_signature_make(catch->evaluated, hunt->subject.info->name, catch->trial, catch->which,
                      &qd_undiagnosed, signature);
    struct qd_hunt_key *coarse = key_of(hunt->coarse, signature);
    if (coarse)
        treat(hunt, coarse, catch);
    hunt->stats.known += coarse && coarse->outcome == KNOWN;
    hunt->stats.findings += coarse && coarse->outcome == FINDING;
    hunt->stats.unsettled += !coarse || coarse->outcome == UNSETTLED;
}

/* --- Running ------------------------------------------------------------------------------------ */

void qd_hunt_name(struct qd_case *kase)
{
    if (strncmp(kase->id, "findings/", strlen("findings/")) != 0)
        kase->id = "fuzz";
}

bool qd_hunt_takes(const struct qd_hunt *hunt, const struct qd_case *kase)
{
    struct qd_features features;
    const char *reason;
    if (!hunt->subject.session)
        return true;
    qd_case_features(kase, &features);
    return qd_session_can(hunt->subject.session, kase, &features, &reason);
}

int qd_hunt_case(struct qd_hunt *hunt, const struct qd_evaluated *evaluated)
{
    static const struct qd_trial_options rows_only = {.twins = NULL};
    struct qd_trial trial;
    struct qd_error error;
    enum qd_status status =
        qd_trial_run(&hunt->subject, evaluated, &rows_only, &hunt->work, &trial, &error);
    if (status == QD_UNUSABLE)
        qd_hunt_give_up(hunt, 3, &error);
    if (status == QD_IO || status == QD_NO_SPACE || status == QD_INTERNAL)
        qd_hunt_give_up(hunt, 4, &error);
    if (status != QD_OK) /* too large to transfer, or the reference has no say */
        return -1;
    if (trial.skip) {
        hunt->stats.beyond++;
        return -1;
    }
    qd_counters_answer(qd_engine_counters, evaluated->kase, evaluated->values, &trial.comparison);
    hunt->stats.compared++;
    hunt->in_target += trial.run.seconds_target;
    hunt->elements += (uint64_t)trial.comparison.compared;
    qd_engine_pause();
    for (size_t i = 0; i < trial.divergence_count; i++)
        judge(hunt, &(struct catch){evaluated, &trial, i, &hunt->work});
    qd_engine_resume();
    return 0;
}

int qd_hunt_input(struct qd_hunt *hunt, int (*run)(const uint8_t *, size_t), const uint8_t *data,
                  size_t size)
{
    struct qd_error error;
    int answer;
    double begin = qd_clock_seconds();
    if (qd_harness_stats_run(&hunt->stats, run, data, size, qd_engine_counters, &answer, &error) !=
        QD_OK)
        qd_hunt_give_up(hunt, 4, &error);
    if (hunt->work.starved)
        give_up_starved(hunt);
    hunt->in_cases += qd_clock_seconds() - begin;
    if (answer < 0 && hunt->stats.executions > FIRST_INPUTS)
        qd_engine_forget();
    else
        qd_engine_publish();
    return answer;
}
