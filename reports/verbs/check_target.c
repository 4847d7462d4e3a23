/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff check-target`: probes a plug-in against the promises of the ABI. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "qdiff/check_target.h"
#include "result/tap.h"
#include "run/gate_targets.h"
#include "select/visit.h"

/* The first valid case that the target declares. */
struct search {
    const struct qd_session *session;
    struct qd_arena *arena;
    struct qd_case *sample;
    struct qd_error *error;
    enum qd_status status;
    bool found;
};

/* Copies by encoding: the case given lives no longer than the call. */
static enum qd_visit consider(void *context, const struct qd_selected *selected)
{
    struct search *search = context;
    const char *reason;

    if (selected->kase->expect != QD_EXPECT_VALID ||
        !qd_session_can(search->session, selected->kase, &selected->features, &reason))
        return QD_VISIT_GO_ON;
    search->found = true;
    uint8_t *bytes;
    size_t size;
    search->status = qd_case_encode(selected->kase, search->arena, &bytes, &size, search->error);
    if (search->status == QD_OK)
        search->status = qd_case_decode(bytes, size, search->arena, search->sample, search->error);
    return QD_VISIT_STOP;
}

static enum qd_visit refuse(void *context, const char *path, const struct qd_error *error)
{
    struct search *search = context;

    (void)path; /* the error names it */
    *search->error = *error;
    search->status = error->status;
    return QD_VISIT_STOP;
}

/* A target that does not open has no sample; what is wrong with it the checks tell. */
static enum qd_status find_sample(struct qd_command *command, const struct qd_target_name *name,
                                  const struct qd_session_options *options, struct qd_case *sample,
                                  bool *found, struct qd_error *error)
{
    struct search search = {.arena = command->arena, .sample = sample, .error = error};
    struct qd_visitor visitor = {consider, refuse, &search};
    struct qd_options suite = command->options;

    suite.arguments.count = 0;
    suite.level = QD_LEVEL_SMOKE;
    *found = false;
    struct qd_session *session;
    if (qd_session_open(name, options, &session, NULL) != QD_OK)
        return QD_OK;
    search.session = session;
    struct qd_selection selection;
    enum qd_status status = qd_selection_init(&suite, command->arena, &selection, error);
    if (status == QD_OK)
        status = qd_visit_selected(&selection, &visitor, error);
    qd_session_close(session);
    *found = search.found;
    return status == QD_OK ? search.status : status;
}

struct tally {
    struct qd_tap tap;
    size_t passed, failed, skipped;
};

static void take_check(void *context, const char *name, enum qd_check_result result,
                       const char *text)
{
    struct tally *tally = context;

    qd_tap_check(&tally->tap, result != QD_CHECK_FAIL, name, result == QD_CHECK_SKIP ? text : "");
    if (result == QD_CHECK_FAIL)
        qd_tap_comment(&tally->tap, "%s", text);
    tally->passed += result == QD_CHECK_PASS;
    tally->failed += result == QD_CHECK_FAIL;
    tally->skipped += result == QD_CHECK_SKIP;
    fflush(tally->tap.out);
}

static bool is_library(const char *name)
{
    size_t length = strlen(name);

    return strncmp(name, "worker:", 7) != 0 && length > 3 && strcmp(name + length - 3, ".so") == 0;
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct tally tally = {.passed = 0};
    struct qd_target_name name;
    struct qd_error error = {0};

    if (qd_target_name_parse(command->options.arguments.items[0], &name, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (is_library(name.name) && access(name.name, F_OK) != 0) {
        qd_fail(&error, QD_UNUSABLE, "%s: %s", name.name, strerror(errno));
        return qd_command_failed(command, &error);
    }
    struct qd_case sample;
    bool found;
    if (find_sample(command, &name, &options, &sample, &found, &error) != QD_OK)
        return qd_command_failed(command, &error);
    qd_tap_begin(&tally.tap, command->out);
    if (found)
        qd_tap_comment(&tally.tap, "with case %s", sample.id);
    if (qd_check_target(&name, &options, found ? &sample : NULL, take_check, &tally, &error) !=
        QD_OK)
        return qd_command_failed(command, &error);
    qd_tap_end(&tally.tap);
    fprintf(command->err, "qdiff: %zu promises kept, %zu broken, %zu not probed\n", tally.passed,
            tally.failed, tally.skipped);
    if (tally.passed + tally.failed == 0) {
        fputs("qdiff: nothing was probed, which is a failure\n", command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    return tally.failed > 0 ? QD_EXIT_DIVERGENCE : QD_EXIT_OK;
}

const struct qd_verb qd_verb_check_target = {
    .arguments = "TARGET",
    .at_least = 1,
    .at_most = 1,
    .options = "cases time-limit memory-limit",
    .text = "Probes a target against the promises of the plug-in ABI (qdiff/target.h), each\n"
            "in a process of its own: entry point, ownership, errors as answers, buffers,\n"
            "inputs left unchanged, the same answer twice. It prints TAP; a failed line names\n"
            "the promise and what was seen. The probes use the suite's first case that the\n"
            "target declares.",
    .examples = "    qdiff check-target ./libmine.so",
    .run = run,
};
