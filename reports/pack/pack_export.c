/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the selected cases of the suite as a pack, for `qdiff export --suite`. */
#include "pack/pack_export.h"

#include "pack/pack.h"
#include "qdiff/clock.h"
#include "run/interrupt.h"
#include "select/levels.h"
#include "select/visit.h"

/* The fewest cases that a whole suite of a level has: fewer mean that something was lost on the way. */
static const size_t least_cases[QD_LEVEL_COUNT] = {500, 10000, 50000};

/* An export under way. */
struct export
{
    struct qd_command *command;
    struct qd_levels levels;
    struct qd_pack pack;
    struct qd_interrupt interrupt;
    struct qd_arena arena; /* of one case */
    double shown;          /* when progress was shown last */
    bool progress, interrupted;
    enum qd_status status;
    struct qd_error error;
};

static void show_progress(struct export *export, bool last)
{
    double now = qd_clock_seconds();

    if (!export->progress || (!last && now - export->shown < 0.1))
        return;
    export->shown = now;
    fprintf(export->command->err, "\r%zu cases written%s", export->pack.cases, last ? "\n" : "");
    fflush(export->command->err);
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct export *export = context;

    if (qd_interrupt_seen(&export->interrupt)) {
        export->interrupted = true;
        return QD_VISIT_STOP;
    }
    qd_arena_reset(&export->arena);
    struct qd_evaluated evaluated;
    export->status = qd_case_evaluate(selected->kase, &export->arena, &evaluated, &export->error);
    if (export->status == QD_OK) {
        export->status =
            qd_pack_add(&export->pack, &evaluated, qd_levels_of(&export->levels, selected->kase),
                        &export->arena, &export->error);
    }
    if (export->status != QD_OK) {
        qd_fail_context(&export->error, export->status, "%s", selected->kase->id);
        return QD_VISIT_STOP;
    }
    show_progress(export, false);
    return QD_VISIT_GO_ON;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct export *export = context;

    (void)path; /* the error names it */
    export->error = *error;
    export->status = error->status;
    return QD_VISIT_STOP;
}

static bool is_filtered(const struct qd_options *options)
{
    return options->filters.count > 0 || options->ops.count > 0 || options->features.count > 0 ||
           options->tags.count > 0 || options->shard.count > 0;
}

static enum qd_status check_count(const struct export *export, struct qd_error *error)
{
    const struct qd_options *options = &export->command->options;
    size_t least = is_filtered(options) ? 1 : least_cases[options->level];

    if (export->pack.cases >= least)
        return QD_OK;
    return qd_fail(error, is_filtered(options) ? QD_USAGE : QD_INTERNAL,
                   "%zu cases; a pack of this level has at least %zu", export->pack.cases, least);
}

static enum qd_status export_selected(struct export *export, struct qd_error *error)
{
    const struct qd_options *options = &export->command->options;
    struct qd_visitor visitor = {take, take_bad, export};
    struct qd_selection selection;
    enum qd_status status = qd_selection_init(options, export->command->arena, &selection, error);

    if (status == QD_OK)
        status = qd_levels_learn(options, &export->levels, error);
    if (status == QD_OK)
        status = qd_pack_begin(options->output, options->level, &export->pack, error);
    if (status == QD_OK)
        status = qd_visit_selected(&selection, &visitor, error);
    if (status == QD_OK && export->status != QD_OK) {
        *error = export->error;
        status = export->status;
    }
    return status == QD_OK && !export->interrupted ? check_count(export, error) : status;
}

static enum qd_exit report(struct export *export, struct qd_error *error)
{
    const struct qd_command *command = export->command;
    const struct qd_pack *pack = &export->pack;

    show_progress(export, true);
    struct qd_digest manifest;
    if (qd_pack_finish(&export->pack, &manifest, error) != QD_OK)
        return qd_command_failed(command, error);
    char digits[QD_DIGEST_TEXT];
    fprintf(command->out,
            "%zu cases written to %s: %zu with one answer (node/), %zu with several (latitude/),\n"
            "%zu to be rejected (reject/)\nmanifest %s\n",
            pack->cases, pack->path, pack->node, pack->latitude, pack->reject,
            qd_digest_write(&manifest, digits));
    return QD_EXIT_OK;
}

enum qd_exit qd_pack_export(struct qd_command *command)
{
    struct export export = {.command = command};
    struct qd_error error = {0};
    enum qd_status status = qd_interrupt_begin(&export.interrupt, &error);

    if (status != QD_OK)
        return qd_command_failed(command, &error);
    export.progress = command->options.progress || command->watched;
    qd_arena_init(&export.arena, QD_ARENA_DEFAULT_BUDGET);
    status = export_selected(&export, &error);
    enum qd_exit code;
    if (export.interrupted) {
        fputs("qdiff: interrupted; nothing is kept\n", command->err);
        code = QD_EXIT_INTERRUPTED;
    } else {
        code = status == QD_OK ? report(&export, &error) : qd_command_failed(command, &error);
    }
    qd_pack_end(&export.pack);
    qd_levels_clear(&export.levels);
    qd_arena_clear(&export.arena);
    qd_interrupt_end(&export.interrupt);
    return code;
}
