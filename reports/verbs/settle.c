/* SPDX-License-Identifier: Apache-2.0 */
/* The verb settle: what waits in the findings store's pool becomes a finding, or turns out to be known. */
#include <stdlib.h>
#include <string.h>

#include "bundle/finding_report.h"
#include "bundle/finding_store.h"
#include "command/command.h"
#include "qdiff/clock.h"
#include "run/gate_targets.h"
#include "text/id_path.h"

#define DEFAULT_SECONDS 600.0
#define MOST_SECONDS 60.0 /* for one */
#define LEAST_SECONDS 2.0

struct waiting {
    const char *signature;
    int64_t first;
};

struct settling {
    struct qd_command *command;
    struct qd_subject *target;
    struct qd_store *store, *pool;
    double deadline;
    size_t count, capacity;
    struct waiting *waiting; /* of this target */
    size_t known, findings, still;
};

/* --- What waits --------------------------------------------------------------------------------- */

static bool was_seen_on(const struct qd_record *record, const char *target)
{
    bool seen = false;
    for (size_t i = 0; i < record->sighting_count; i++)
        seen = seen || strcmp(record->sightings[i].target, target) == 0;
    return seen;
}

static bool collect(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    struct settling *s = context;
    if (!record) {
        fprintf(s->command->err, "qdiff: %s\n", problem->text);
        return true;
    }
    if (!was_seen_on(record, s->target->id))
        return true;
    const char *signature = qd_arena_string(s->command->arena, record->signature);
    if (signature && s->count < s->capacity)
        s->waiting[s->count++] = (struct waiting){signature, record->first};
    return true;
}

static bool count_one(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    (void)problem;
    *(size_t *)context += record != NULL;
    return true;
}

/* What has waited longest goes first. */
static int by_age(const void *a, const void *b)
{
    const struct waiting *one = a, *two = b;
    if (one->first != two->first)
        return one->first < two->first ? -1 : 1;
    return strcmp(one->signature, two->signature);
}

static enum qd_status list_waiting(struct settling *s, struct qd_error *error)
{
    s->count = s->capacity = 0;
    enum qd_status status = qd_store_visit(s->pool, count_one, &s->capacity, error);
    if (status != QD_OK)
        return status;
    s->waiting = qd_arena_array(s->command->arena, s->capacity + 1, sizeof *s->waiting);
    if (!s->waiting)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu signatures", s->capacity);
    status = qd_store_visit(s->pool, collect, s, error);
    qsort(s->waiting, s->count, sizeof *s->waiting, by_age);
    return status;
}

/* --- One of them -------------------------------------------------------------------------------- */

static enum qd_status write_bundle(const struct settling *s, const struct qd_finding_report *report,
                                   struct qd_arena *arena, struct qd_error *error)
{
    const char *output = s->command->options.output, *script;
    char *path;
    if (!output)
        return QD_OK;
    enum qd_status status =
        qd_id_path(output, report->reduced->after.signature, "", arena, &path, error);
    return status == QD_OK ? qd_finding_write_bundle(report, path, arena, &script, error) : status;
}

/* Kept as far as it came: the next time goes on from there. Rows for reduced
 * cases are none for it, so its id says nothing. */
static enum qd_status keep_waiting(const struct settling *s, const char *signature,
                                   const struct qd_reduced *reduced, struct qd_arena *arena,
                                   struct qd_error *error)
{
    struct qd_record record;
    struct qd_case kase = reduced->kase;
    kase.id = "fuzz";
    enum qd_status status = qd_record_make(&kase, signature, s->target->id, arena, &record, error);
    return status == QD_OK ? qd_store_add(s->pool, &record, error) : status;
}

/* The case was reduced, and is not known. */
static enum qd_status add_finding(struct settling *s, const char *signature,
                                  const struct qd_reduced *reduced, struct qd_arena *arena,
                                  struct qd_error *error)
{
    const struct qd_finding_report report = {reduced, signature, s->target->id};
    const char *name = reduced->after.signature;
    enum qd_status status =
        qd_finding_keep(&reduced->kase, name, true, s->target->id, arena, error);
    if (status == QD_OK)
        status = write_bundle(s, &report, arena, error);
    if (status == QD_OK)
        status = qd_store_forget(s->pool, signature, error);
    fprintf(s->command->out, "finding  %s, was %s\n", name, signature);
    s->findings++;
    return status;
}

static enum qd_status settle_reduced(struct settling *s, const char *signature,
                                     const struct qd_reduced *reduced, struct qd_arena *arena,
                                     struct qd_error *error)
{
    FILE *out = s->command->out;
    if (reduced->known) {
        fprintf(out, "known    %s: row %zu, %s\n", signature, reduced->known->row,
                reduced->known->issue);
        s->known++;
        return qd_store_forget(s->pool, signature, error);
    }
    if (!reduced->out_of_time)
        return add_finding(s, signature, reduced, arena, error);
    fprintf(out, "waits    %s: not small in %.0f s\n", signature, reduced->seconds);
    s->still++;
    return keep_waiting(s, signature, reduced, arena, error);
}

/* Beyond the editor: it is a finding as it is. */
static enum qd_status settle_whole(struct settling *s, const struct qd_case *kase,
                                   const char *signature, struct qd_arena *arena,
                                   struct qd_error *error)
{
    enum qd_status status = qd_finding_keep(kase, signature, false, s->target->id, arena, error);
    fprintf(s->command->out, "finding  %s, as it was found\n", signature);
    s->findings++;
    return status == QD_OK ? qd_store_forget(s->pool, signature, error) : status;
}

static enum qd_status settle_one(struct settling *s, const char *signature, double seconds,
                                 struct qd_arena *arena)
{
    const struct qd_reduce_options options = {
        .seconds = seconds,
        .diagnose = {.seconds = s->command->options.diagnosis_time},
        .coarse = signature,
        .rows = s->target->expectations};
    struct qd_record record;
    struct qd_reduced reduced;
    struct qd_case kase;
    struct qd_error error = {0};
    enum qd_status status = qd_store_get(s->pool, signature, arena, &record, &error);
    if (status == QD_OK)
        status = qd_case_decode(record.bytes, record.size, arena, &kase, &error);
    if (status == QD_OK)
        status = qd_case_reduce(s->target, &kase, &options, arena, &reduced, &error);
    if (status == QD_OK)
        status = settle_reduced(s, signature, &reduced, arena, &error);
    else if (status == QD_UNSUPPORTED || status == QD_LIMIT)
        status = settle_whole(s, &kase, signature, arena, &error);
    if (status == QD_OK)
        return QD_OK;
    fprintf(s->command->out, "waits    %s: %s\n", signature, error.text);
    s->still++;
    return status == QD_UNUSABLE ? status : QD_OK;
}

/* --- All of them -------------------------------------------------------------------------------- */

static enum qd_status settle_all(struct settling *s, struct qd_error *error)
{
    struct qd_arena arena;
    enum qd_status status = list_waiting(s, error);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t i = 0; status == QD_OK && i < s->count; i++) {
        double left = s->deadline - qd_clock_seconds(), each = left / (double)(s->count - i);
        if (left < LEAST_SECONDS) {
            s->still += s->count - i;
            break;
        }
        each = each < LEAST_SECONDS ? LEAST_SECONDS : each;
        qd_arena_reset(&arena);
        status = settle_one(s, s->waiting[i].signature, each < MOST_SECONDS ? each : MOST_SECONDS,
                            &arena);
        fflush(s->command->out);
    }
    if (status != QD_OK)
        qd_fail(error, status, "%s: it cannot be used any more", s->target->id);
    qd_arena_clear(&arena);
    return status;
}

static enum qd_status settle_on(struct settling *s, struct qd_gate_targets *targets,
                                struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < targets->count; i++) {
        s->target = &targets->items[i];
        status = settle_all(s, error);
    }
    fprintf(s->command->out, "%zu known, %zu findings, %zu wait\n", s->known, s->findings,
            s->still);
    return status;
}

static enum qd_exit run(struct qd_command *command)
{
    const struct qd_session_options options = qd_session_options_of(&command->options);
    double seconds = command->options.time > 0 ? command->options.time : DEFAULT_SECONDS;
    struct settling s = {.command = command, .deadline = qd_clock_seconds() + seconds};
    struct qd_target_plan plan;
    struct qd_gate_targets targets;
    struct qd_error error = {0};
    if (qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_finding_store_open(command->arena, &s.store, &s.pool, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_status status = qd_store_visit(s.pool, count_one, &s.capacity, &error);
    targets.count = 0; /* a target is slow to open: not for nothing */
    if (status == QD_OK && s.capacity > 0)
        status = qd_gate_targets_open_any(&plan, &options, command->arena, &targets, &error);
    if (status == QD_OK) {
        status = settle_on(&s, &targets, &error);
        qd_gate_targets_close(&targets);
    }
    qd_store_close(s.store);
    qd_store_close(s.pool);
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

const struct qd_verb qd_verb_settle = {
    .arguments = "",
    .options = "target expectations no-expectations output time time-limit memory-limit "
               "in-process diagnosis-time",
    .text = "Reduces what the fuzzers had no time to reduce, and asks the expectation rows\n"
            "about the result. What a row covers is known, and its case is removed; what no\n"
            "row covers becomes a finding (qdiff help findings), with a directory below\n"
            "--output as `reduce` makes it. A case that cannot be reduced fully in its share\n"
            "of --time is saved as far as it got, and continued next time. What has waited\n"
            "longest goes first. Only cases that were seen on the targets given are looked\n"
            "at. scripts/nightly does this before and after the fuzzing.",
    .examples = "    qdiff settle --target 'ort@1.31.1[opt=none]' --time 300 --output findings",
    .run = run,
};
