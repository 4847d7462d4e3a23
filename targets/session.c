/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "process/loader.h"
#include "process/program.h"
#include "process/serve.h"
#include "process/transfer.h"
#include "process/worker.h"
#include "qdiff/clock.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"

#define FIRST_BLOCK ((size_t)64 << 20)
#define LARGEST_BLOCK ((size_t)1 << 30)
#define DEFAULT_SECONDS 20.0
#define DEFAULT_MEMORY ((uint64_t)2 << 30)
#define LEAST_OPEN_SECONDS 30.0     /* a library read from a cold disk */
#define LEAST_PROGRAM_SECONDS 120.0 /* some hundred files of Python */
#define CASES_PER_MEMORY_CHECK 256
#define MOST_CONNECTIONS 6
#define MOST_TRIES 4 /* of what was killed by somebody else */

/* A capability row with its operator and features looked up. */
struct row {
    const struct qd_target_capability *text;
    const struct qd_op *op; /* NULL: "*", or one that the reference does not know */
    struct qd_features needs, excludes;
};

struct qd_session {
    struct qd_target_name name;
    struct qd_session_options options;
    struct qd_arena arena; /* the description */
    struct qd_target_info info;
    struct row *rows;
    char id[640];
    struct qd_worker worker;
    struct qd_open_target here; /* in process only */
    struct qd_program *program; /* a target that is a program of its own; else NULL */
    bool shared;                /* the last run's worker had run other cases before */
    unsigned alone;             /* calls of qd_session_run_alone that ran */
};

const char *qd_outcome_word(enum qd_outcome outcome)
{
    static const char *const words[] = {
#define QD_OUTCOME_WORD(name, word, meaning) word,
        QD_OUTCOME_LIST(QD_OUTCOME_WORD)
#undef QD_OUTCOME_WORD
    };
    return (unsigned)outcome < QD_OUTCOME_COUNT ? words[outcome] : "unknown";
}

/* --- Opening ------------------------------------------------------------------------------------ */

/* The worker's life: open, run as told, close. */
static void work(void *context, void *block, int channel)
{
    struct qd_session *session = context;
    struct qd_open_target opened;
    qd_serve_open(&session->name, block, session->worker.block_size, &opened);
    uint64_t ticket = QD_FIRST_TICKET;
    qd_worker_answer(channel, ticket);
    if (!opened.api)
        return;
    while (qd_worker_wait(channel, &ticket) == 'r') {
        qd_transfer_execute(block, opened.api, opened.target);
        qd_worker_answer(channel, ticket);
    }
    opened.api->close(opened.target);
}

/* Starts the worker of a plug-in and has it open the target. *death tells of an end that was not its own fault. */
static enum qd_status start_plugin(struct qd_session *session, struct qd_arena *arena,
                                   struct qd_target_info *info, double deadline,
                                   struct qd_death *death, struct qd_error *error)
{
    enum qd_status status = qd_worker_start(&session->worker, work, session, error);
    if (status != QD_OK)
        return status;
    if (!qd_worker_call(&session->worker, 0, deadline, death))
        return qd_fail(error, QD_UNUSABLE, "opening it ended in %s: %s",
                       qd_outcome_word(death->outcome), death->text);
    return qd_serve_read(session->worker.block, session->worker.block_size, arena, info, error);
}

/* The same for a worker that is another program. */
static enum qd_status start_program(struct qd_session *session, struct qd_arena *arena,
                                    struct qd_target_info *info, double deadline,
                                    struct qd_death *death, struct qd_error *error)
{
    struct qd_program *program = session->program;
    enum qd_status status = qd_worker_start(&session->worker, qd_program_become, program, error);
    if (status == QD_OK)
        status = qd_program_handshake(program, deadline, arena, info, NULL, error);
    if (program->died)
        *death = program->death;
    return status;
}

/* A connection that was lost comes back within seconds, or not: half a second, 1, 2, 4, 4. */
static void wait_for_connection(int tries)
{
    int halves = tries < 3 ? 1 << tries : 8;
    struct timespec pause = {.tv_sec = halves / 2, .tv_nsec = halves % 2 * 500000000L};
    nanosleep(&pause, NULL);
}

/* Starts a worker and has it open the target; its description goes into `arena`. */
static enum qd_status start(struct qd_session *session, struct qd_arena *arena,
                            struct qd_target_info *info, struct qd_error *error)
{
    double deadline = session->options.time_limit;
    double least = session->program ? LEAST_PROGRAM_SECONDS : LEAST_OPEN_SECONDS;
    if (deadline < least)
        deadline = least;
    for (int i = 1;; i++) {
        struct qd_death death = {.outcome = QD_OUTCOME_CRASH};
        enum qd_status status = (session->program ? start_program : start_plugin)(
            session, arena, info, deadline, &death, error);
        if (status == QD_OK)
            return QD_OK;
        qd_worker_stop(&session->worker);
        if (!qd_death_is_foreign(&death) || i == (death.lost ? MOST_CONNECTIONS : MOST_TRIES))
            return status;
        if (death.lost)
            wait_for_connection(i - 1);
    }
}

static enum qd_status open_here(struct qd_session *session, struct qd_error *error)
{
    qd_serve_open(&session->name, session->worker.block, session->worker.block_size,
                  &session->here);
    return qd_serve_read(session->worker.block, session->worker.block_size, &session->arena,
                         &session->info, error);
}

/* A comma-separated list of feature words as a set. */
static enum qd_status parse_features(const char *list, const char *op, struct qd_features *set,
                                     struct qd_error *error)
{
    struct qd_features made = {{0, 0}};
    while (*list) {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 63, list);
        enum qd_feature feature;
        if (!qd_feature_find(word, &feature))
            return qd_fail(error, QD_UNUSABLE,
                           "its capability for '%.60s' names the unknown feature '%s'", op, word);
        made.bits[feature / 64] |= (uint64_t)1 << (feature % 64);
        list += length + (list[length] == ',');
    }
    *set = made;
    return QD_OK;
}

/* The operator of a capability: "Add", "com.microsoft:QGemm". */
static const struct qd_op *find_op(const char *text)
{
    const char *colon = strchr(text, ':');
    char domain[64];
    if (!colon || (size_t)(colon - text) >= sizeof domain)
        return qd_op_find("", text);
    snprintf(domain, sizeof domain, "%.*s", (int)(colon - text), text);
    const struct qd_op *op = qd_op_find(domain, colon + 1);
    return op && *op->domain ? op : NULL; /* "ai.onnx:Add" names nothing */
}

static enum qd_status parse_capabilities(struct qd_session *session, struct qd_error *error)
{
    size_t count = session->info.capability_count;
    struct row *rows = qd_arena_array(&session->arena, count, sizeof *rows);
    if (!rows)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu capabilities", count);
    for (size_t i = 0; i < count; i++) {
        rows[i].text = &session->info.capabilities[i];
        rows[i].op = find_op(rows[i].text->op);
        enum qd_status status =
            parse_features(rows[i].text->needs, rows[i].text->op, &rows[i].needs, error);
        if (status == QD_OK)
            status =
                parse_features(rows[i].text->excludes, rows[i].text->op, &rows[i].excludes, error);
        if (status != QD_OK)
            return status;
    }
    session->rows = rows;
    return QD_OK;
}

static void name_session(struct qd_session *session)
{
    const struct qd_target_info *info = &session->info;
    if (strcmp(session->name.name, "quirk") == 0) {
        snprintf(session->id, sizeof session->id, "quirk:%.500s", info->settings);
        for (char *c = session->id; *c; c++)
            if (*c == ',')
                *c = '+';
        return;
    }
    bool version = info->version[0], settings = info->settings[0];
    snprintf(session->id, sizeof session->id, "%.200s%s%.100s%s%.300s%s", info->name,
             version ? "@" : "", info->version, settings ? "[" : "", info->settings,
             settings ? "]" : "");
}

static enum qd_status init_program(struct qd_session *session, struct qd_error *error)
{
    session->program = calloc(1, sizeof *session->program);
    if (!session->program)
        return qd_fail(error, QD_NO_MEMORY, "no room for a worker's record");
    return qd_program_init(session->program, &session->name, &session->worker, error);
}

/* What each of the session's workers would do again. */
static void preload(const struct qd_session *session)
{
    const struct qd_builtin_target *row = qd_builtin_target_find(session->name.name);
    if (row && row->preload && !session->program && !session->options.in_process)
        row->preload(session->name.version);
}

static enum qd_status open_session(struct qd_session *session, struct qd_error *error)
{
    enum qd_status status =
        qd_worker_init(&session->worker, FIRST_BLOCK, session->options.memory_limit, error);
    if (status == QD_OK && qd_program_is_named(&session->name))
        status = init_program(session, error);
    if (status == QD_OK)
        preload(session);
    if (status == QD_OK)
        status = session->options.in_process && !session->program
                     ? open_here(session, error)
                     : start(session, &session->arena, &session->info, error);
    if (status == QD_OK)
        status = parse_capabilities(session, error);
    if (status == QD_OK)
        name_session(session);
    return status;
}

enum qd_status qd_session_open(const struct qd_target_name *name,
                               const struct qd_session_options *options,
                               struct qd_session **session, struct qd_error *error)
{
    enum qd_status status = qd_target_name_check(name, error);
    if (status != QD_OK)
        return status;
    struct qd_session *made = calloc(1, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for a session");
    made->name = *name;
    made->options = *options;
    if (!(made->options.time_limit > 0))
        made->options.time_limit = DEFAULT_SECONDS;
    if (made->options.memory_limit == 0)
        made->options.memory_limit = DEFAULT_MEMORY;
    qd_arena_init(&made->arena, QD_ARENA_DEFAULT_BUDGET);
    status = open_session(made, error);
    if (status != QD_OK) {
        qd_session_close(made);
        return qd_fail_context(error, status, "target %s%s%s", name->name,
                               name->version[0] ? "@" : "", name->version);
    }
    *session = made;
    return QD_OK;
}

void qd_session_close(struct qd_session *session)
{
    if (!session)
        return;
    if (session->here.api)
        session->here.api->close(session->here.target);
    qd_worker_clear(&session->worker);
    if (session->program)
        qd_program_clear(session->program);
    free(session->program);
    qd_arena_clear(&session->arena);
    free(session);
}

const struct qd_target_info *qd_session_info(const struct qd_session *session)
{
    return &session->info;
}

const char *qd_session_id(const struct qd_session *session)
{
    return session->id;
}

/* --- Capabilities ------------------------------------------------------------------------------- */

static bool names_op(const struct row *row, const struct qd_node *node)
{
    const char *op = row->text->op;
    if (row->op && node->op) /* every node asks every row: no texts where pointers do */
        return row->op == node->op;
    if (strcmp(op, "*") == 0)
        return true;
    size_t domain = strlen(node->domain);
    if (domain > 0) {
        if (strncmp(op, node->domain, domain) != 0 || op[domain] != ':')
            return false;
        op += domain + 1;
    }
    return strcmp(op, node->op_type) == 0;
}

static bool allows(const struct row *row, const struct qd_features *features)
{
    for (int i = 0; i < 2; i++)
        if ((row->needs.bits[i] & ~features->bits[i]) ||
            (row->excludes.bits[i] & features->bits[i]))
            return false;
    return true;
}

/* Whether some row allows a node of these features; the first row for its operator in *near. */
static bool can_node(const struct qd_session *session, const struct qd_node *node,
                     const struct qd_features *features, const struct row **near)
{
    *near = NULL;
    for (size_t i = 0; i < session->info.capability_count; i++) {
        const struct row *row = &session->rows[i];
        if (!names_op(row, node))
            continue;
        if (allows(row, features))
            return true;
        if (!*near)
            *near = row;
    }
    return false;
}

/* What only a whole case has: a row may need or exclude that too. */
static void keep_whole(struct qd_features *of_node, const struct qd_features *of_case)
{
    static const enum qd_feature of_cases[] = {
        QD_FEATURE_MULTI_NODE, QD_FEATURE_QDQ,   QD_FEATURE_AFTER_STEPS, QD_FEATURE_OPEN_SHAPE,
        QD_FEATURE_BATCH,      QD_FEATURE_EMPTY, QD_FEATURE_NON_FINITE,  QD_FEATURE_EXTREME_DATA,
    };
    for (size_t i = 0; i < sizeof of_cases / sizeof *of_cases; i++) {
        uint64_t bit = UINT64_C(1) << of_cases[i] % 64;
        of_node->bits[of_cases[i] / 64] |= of_case->bits[of_cases[i] / 64] & bit;
    }
}

bool qd_session_can(const struct qd_session *session, const struct qd_case *kase,
                    const struct qd_features *features, const char **reason)
{
    size_t count = kase->graph->node_count;
    for (size_t i = 0; i < count; i++) {
        const struct qd_node *node = &kase->graph->nodes[i];
        struct qd_features of_node = *features;
        const struct row *near;
        if (count > 1) { /* what its neighbours are made of is not the node's */
            qd_node_features(kase, node, &of_node);
            keep_whole(&of_node, features);
        }
        if (can_node(session, node, &of_node, &near))
            continue;
        *reason = !near ? "the target does not declare one of the case's operators"
                  : near->text->reason[0]
                      ? near->text->reason
                      : "the target's capabilities exclude one of the case's features";
        return false;
    }
    return true;
}

bool qd_session_owns(const struct qd_session *session, const char *domain)
{
    size_t length = strlen(domain);
    for (size_t i = 0; i < session->info.capability_count; i++) {
        const char *op = session->info.capabilities[i].op;
        if (strncmp(op, domain, length) == 0 && strcmp(op + length, ":") == 0)
            return true;
    }
    return false;
}

/* --- Running ------------------------------------------------------------------------------------ */

/* Makes the block large enough. A larger one needs a new worker: pointers in it must mean the same on both sides. */
static enum qd_status make_room(struct qd_session *session, size_t total, struct qd_error *error)
{
    size_t size = session->worker.block_size;
    if (total <= size)
        return QD_OK;
    while (size < total)
        size *= 2;
    struct qd_worker larger;
    enum qd_status status = qd_worker_init(&larger, size, session->options.memory_limit, error);
    if (status != QD_OK)
        return status;
    qd_worker_clear(&session->worker);
    session->worker = larger;
    return QD_OK;
}

/* A running worker, with the target open. */
static enum qd_status ensure_worker(struct qd_session *session, struct qd_error *error)
{
    if (session->worker.answers % CASES_PER_MEMORY_CHECK == CASES_PER_MEMORY_CHECK - 1 &&
        session->worker.pid != 0 && qd_worker_over_memory(&session->worker))
        qd_worker_stop(
            &session->worker); /* it leaks: that must not become another case's out-of-memory */
    if (session->worker.pid != 0)
        return QD_OK;
    struct qd_arena arena;
    struct qd_target_info info;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = start(session, &arena, &info, error);
    qd_arena_clear(&arena);
    return status;
}

/* One try in the worker; *answered tells whether it lived. */
static enum qd_status attempt(struct qd_session *session, const struct qd_transfer *transfer,
                              bool *answered, struct qd_death *death, struct qd_error *error)
{
    enum qd_status status = ensure_worker(session, error);
    if (status != QD_OK)
        return status;
    qd_transfer_write(transfer, session->worker.block);
    if (!session->program) {
        *answered = qd_worker_call(&session->worker, 'r', session->options.time_limit, death);
        return QD_OK;
    }
    session->program->deadline = qd_deadline_begin(session->options.time_limit);
    qd_transfer_execute(session->worker.block, &qd_program_target, session->program);
    *answered = !session->program->died;
    *death = session->program->death;
    return QD_OK;
}

static void record_death(const struct qd_session *session, const struct qd_death *death, bool alone,
                         struct qd_run *run)
{
    const struct qd_transfer_header *header = session->worker.block;
    *run = (struct qd_run){.outcome = death->outcome, .signal = death->signal};
    run->stage = header->stage == QD_STAGE_LOAD ? QD_STAGE_LOAD : QD_STAGE_RUN;
    run->step = header->step;
    char where[48] = "";
    if (run->step > 0)
        snprintf(where, sizeof where, "in step %u before the case: ", run->step);
    snprintf(run->message, sizeof run->message, "%s%s%s", where, death->text,
             alone ? "" : " (not in a fresh process: an earlier case may have caused it)");
}

/* Tries again what was killed by somebody else. Without memory for a worker the arena is starved. */
static enum qd_status attempt_unmolested(struct qd_session *session,
                                         const struct qd_transfer *transfer, struct qd_arena *arena,
                                         bool *answered, struct qd_death *death,
                                         struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (int i = 0; i < MOST_TRIES && status == QD_OK; i++) {
        status = attempt(session, transfer, answered, death, error);
        arena->starved = arena->starved || status == QD_NO_MEMORY;
        if (status == QD_OK && !*answered && death->interrupted)
            return qd_fail(error, QD_UNUSABLE, "interrupted");
        if (status == QD_OK && (*answered || !qd_death_is_foreign(death)))
            return QD_OK;
    }
    if (status == QD_OK && death->lost)
        return qd_fail(error, QD_UNUSABLE, "%d times in a row: %s", MOST_TRIES, death->text);
    return status;
}

/* A worker that dies after other cases may owe that to them; a fresh one tells. An invalid model comes after other
 * invalid ones, which a target may take and be damaged by: what the fresh one answers is its answer. */
static enum qd_status run_isolated(struct qd_session *session, const struct qd_transfer *transfer,
                                   struct qd_arena *arena, struct qd_run *run,
                                   struct qd_error *error)
{
    bool used = session->worker.pid != 0 && session->worker.answers > 1, answered;
    struct qd_death death, again;
    session->shared = used;
    enum qd_status status = attempt_unmolested(session, transfer, arena, &answered, &death, error);
    if (status != QD_OK)
        return status;
    bool alone = true;
    if (!answered && used && death.outcome != QD_OUTCOME_HANG) {
        session->shared = false;
        status = attempt_unmolested(session, transfer, arena, &answered, &again, error);
        if (status != QD_OK)
            return status;
        if (!answered)
            death = again;
        else if (death.outcome != QD_OUTCOME_OOM && transfer->kase->expect != QD_EXPECT_MUST_REJECT)
            alone = answered = false;
    }
    if (answered)
        return qd_transfer_judge(transfer, session->worker.block, arena, run, error);
    record_death(session, &death, alone, run);
    return QD_OK;
}

static enum qd_status run_transfer(struct qd_session *session, const struct qd_transfer *transfer,
                                   struct qd_arena *arena, struct qd_run *run,
                                   struct qd_error *error)
{
    double begin = qd_clock_seconds();
    struct qd_run seen;
    enum qd_status status = make_room(session, transfer->total, error);
    if (status != QD_OK)
        return status;
    if (session->options.in_process && !session->program) {
        qd_transfer_write(transfer, session->worker.block);
        qd_transfer_execute(session->worker.block, session->here.api, session->here.target);
        status = qd_transfer_judge(transfer, session->worker.block, arena, &seen, error);
    } else {
        status = run_isolated(session, transfer, arena, &seen, error);
    }
    if (status != QD_OK)
        return status;
    double wall = qd_clock_seconds() - begin;
    if (seen.outcome == QD_OUTCOME_NONDETERMINISTIC)
        qd_session_renew(session); /* what reads memory that is nobody's may have written there */
    bool died = seen.outcome == QD_OUTCOME_CRASH || seen.outcome == QD_OUTCOME_HANG ||
                (seen.outcome == QD_OUTCOME_OOM && seen.seconds_target == 0.0);
    if (died || seen.seconds_target > wall)
        seen.seconds_target = wall;
    seen.seconds_transfer = wall - seen.seconds_target;
    *run = seen;
    return QD_OK;
}

enum qd_status qd_session_run(struct qd_session *session, const struct qd_case *kase,
                              const struct qd_tensor *shapes, struct qd_arena *arena,
                              struct qd_run *run, struct qd_error *error)
{
    struct qd_transfer transfer;
    enum qd_status status = qd_transfer_plan(&transfer, kase, shapes, LARGEST_BLOCK, arena, error);
    return status == QD_OK ? run_transfer(session, &transfer, arena, run, error) : status;
}

static bool may_renew(const struct qd_session *session)
{
    return session->alone < (session->program ? QD_MOST_PROGRAMS_ALONE : QD_MOST_ALONE);
}

void qd_session_renew(struct qd_session *session)
{
    bool here = session->options.in_process && !session->program;
    if (here || (session->program && !may_renew(session)))
        return;
    session->alone++;
    qd_worker_stop(&session->worker);
}

enum qd_status qd_session_run_alone(struct qd_session *session, const struct qd_case *kase,
                                    const struct qd_tensor *shapes, struct qd_arena *arena,
                                    struct qd_run *run, bool *ran, struct qd_error *error)
{
    *ran = session->shared && may_renew(session);
    if (!*ran)
        return QD_OK;
    qd_session_renew(session);
    return qd_session_run(session, kase, shapes, arena, run, error);
}

enum qd_status qd_session_observe(struct qd_session *session, const struct qd_case *kase,
                                  struct qd_arena *arena, struct qd_run *run,
                                  struct qd_error *error)
{
    struct qd_transfer transfer;
    const struct qd_tensor *shapes;
    enum qd_status status = qd_transfer_plan(&transfer, kase, NULL, LARGEST_BLOCK, arena, error);
    if (status == QD_OK)
        status = run_transfer(session, &transfer, arena, run, error);
    if (status != QD_OK || run->outcome != QD_OUTCOME_OUTPUTS)
        return status;
    status = qd_transfer_answered(&transfer, session->worker.block, arena, &shapes, error);
    return status == QD_OK ? qd_session_run(session, kase, shapes, arena, run, error) : status;
}
