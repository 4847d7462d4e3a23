/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff export`: writes cases as directories in ONNX's backend-test layout. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle/bundle.h"
#include "command/command.h"
#include "pack/pack_export.h"
#include "qdiff/evaluated.h"
#include "select/visit.h"
#include "text/id_path.h"

/* An export under way. */
struct export
{
    struct qd_command *command;
    struct qd_arena arena; /* of one case */
    size_t count;
    enum qd_exit code;
    char last[512]; /* id of the case written last */
};

/* What is there may be somebody's work, or another release's answer. */
static enum qd_status check_new(const char *path, struct qd_arena *arena, struct qd_error *error)
{
    const char *model = qd_arena_printf(arena, "%s/model.onnx", path);

    if (!model)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    return access(model, F_OK) != 0
               ? QD_OK
               : qd_fail(error, QD_USAGE, "%s exists already; export overwrites nothing", path);
}

static enum qd_status export_case(struct export *export, const struct qd_case *kase,
                                  struct qd_error *error)
{
    if (export->command->options.bundle && kase->request_size > 0)
        return qd_fail(error, QD_USAGE, "--bundle is for kernels; this case asks a quantizer");
    struct qd_evaluated evaluated;
    enum qd_status status = qd_case_evaluate(kase, &export->arena, &evaluated, error);
    char *path;

    if (status == QD_OK) {
        status =
            qd_id_path(export->command->options.output, kase->id, "", &export->arena, &path, error);
    }
    if (status == QD_OK)
        status = check_new(path, &export->arena, error);
    if (status == QD_OK)
        status = qd_case_export(kase, path, evaluated.shapes, error);
    return status == QD_OK && export->command->options.bundle
               ? qd_bundle_write(&evaluated, "", path, &export->arena, error)
               : status;
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct export *export = context;
    struct qd_error error = {0};

    qd_arena_reset(&export->arena);
    enum qd_status status = export_case(export, selected->kase, &error);
    if (status != QD_OK) {
        fprintf(export->command->err, "qdiff: %s: %s\n", selected->kase->id, error.text);
        export->code = qd_exit_worse(export->code, qd_exit_of_status(status));
        return status == QD_IO || status == QD_NO_SPACE || status == QD_USAGE ? QD_VISIT_STOP
                                                                              : QD_VISIT_GO_ON;
    }
    export->count++;
    snprintf(export->last, sizeof export->last, "%s", selected->kase->id);
    return QD_VISIT_GO_ON;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct export *export = context;

    (void)path; /* the error names it */
    fprintf(export->command->err, "qdiff: %s\n", error->text);
    export->code = qd_exit_worse(export->code, QD_EXIT_USAGE);
    return QD_VISIT_GO_ON;
}

/* An argument that is no path is an id of the suite. */
static enum qd_status export_named(struct export *export, const char *name, struct qd_error *error)
{
    struct qd_selected selected = {0};
    struct qd_case kase;
    enum qd_status status =
        qd_find_case(name, &export->command->options, export->command->arena, &kase, error);

    if (status == QD_OK) {
        selected.kase = &kase;
        take(export, &selected);
    }
    return status;
}

static enum qd_status export_selected(struct export *export, const struct qd_options *options,
                                      struct qd_error *error)
{
    struct qd_visitor visitor = {take, take_bad, export};
    struct qd_selection selection;
    enum qd_status status = qd_selection_init(options, export->command->arena, &selection, error);

    selection.role = NULL; /* both */
    return status == QD_OK ? qd_visit_selected(&selection, &visitor, error) : status;
}

static enum qd_status export_all(struct export *export, struct qd_error *error)
{
    const struct qd_options *options = &export->command->options;
    const struct qd_words *arguments = &options->arguments;
    enum qd_status status = QD_OK;

    if (arguments->count == 0)
        return export_selected(export, options, error);
    for (size_t i = 0; status == QD_OK && i < arguments->count; i++) {
        struct qd_options one = *options;
        struct stat facts;

        one.arguments.items = &arguments->items[i];
        one.arguments.count = 1;
        status = stat(arguments->items[i], &facts) == 0
                     ? export_selected(export, &one, error)
                     : export_named(export, arguments->items[i], error);
    }
    return status;
}

static enum qd_exit run(struct qd_command *command)
{
    struct export export = {.command = command};
    struct qd_error error = {0};

    if (!command->options.output) {
        fputs("qdiff export: --output DIR is wanted\n", command->err);
        return QD_EXIT_USAGE;
    }
    if (command->options.suite && command->options.arguments.count > 0) {
        fputs("qdiff export: --suite takes no files; narrow it with --filter\n", command->err);
        return QD_EXIT_USAGE;
    }
    if (command->options.suite)
        return qd_pack_export(command);
    qd_arena_init(&export.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = export_all(&export, &error);
    qd_arena_clear(&export.arena);
    if (status != QD_OK)
        return qd_exit_worse(export.code, qd_command_failed(command, &error));
    if (export.count == 1) {
        fprintf(command->out, "1 case written to %s/%s\n", command->options.output, export.last);
    } else {
        fprintf(command->out, "%zu cases written below %s\n", export.count,
                command->options.output);
    }
    return export.count == 0 ? qd_exit_worse(export.code, QD_EXIT_USAGE) : export.code;
}

const struct qd_verb qd_verb_export = {
    .arguments = "[ID|FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "output filter op feature tag level shard cases pack suite bundle progress",
    .text = "Writes cases as directories in ONNX's backend-test layout (model.onnx,\n"
            "test_data_set_0/input_0.pb, and output_0.pb as the reference computes it), which\n"
            "ONNX's own tools read. They are below --output DIR and named by the case's id. A\n"
            "qdiff.pb next to each model keeps what the layout cannot express, so that import\n"
            "loses nothing. A case that exists already is not written again.\n"
            "With --suite it writes a pack: node/ (one admissible answer for each element),\n"
            "latitude/ (with the least and the greatest one), reject/ (to be rejected),\n"
            "index.jsonl and manifest.sha256; the same suite gives the same bytes. --pack\n"
            "reads one. With --bundle each directory has a reproduce.py, which alone shows a\n"
            "divergence: it needs NumPy and ONNX Runtime.",
    .examples = "    qdiff export regressions/ort-28456-u8 --output cases\n"
                "    qdiff export --filter 'QLinearConv/*' --level smoke --output cases\n"
                "  the whole suite for other runners, and the gate on it\n"
                "    qdiff export --suite --output pack\n"
                "    qdiff run --target ort --pack pack",
    .run = run,
};
