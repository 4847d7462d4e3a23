/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff reduce`: makes a case that diverges as small as possible. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "bundle/finding_report.h"
#include "bundle/finding_store.h"
#include "command/command.h"
#include "run/gate_targets.h"
#include "select/visit.h"
#include "text/id_path.h"

static void print_size(FILE *out, const char *what, const struct qd_case_size *size)
{
    fprintf(out, "%-10s nodes %zu, attributes %zu, tensors %zu, elements %" PRId64, what,
            size->nodes, size->attributes, size->tensors, size->elements);
    if (size->output_elements >= 0)
        fprintf(out, ", of outputs %" PRId64, size->output_elements);
    fputc('\n', out);
}

static void show_progress(void *context, const struct qd_reduce_progress *progress)
{
    fprintf(context,
            "%6.1f s  round %zu  %-12s nodes %zu  elements %" PRId64 "  outputs %" PRId64
            "  (%zu tried, %zu kept)\n",
            progress->seconds, progress->round, progress->pass, progress->size.nodes,
            progress->size.elements, progress->size.output_elements, progress->tried,
            progress->kept);
    fflush(context);
}

static bool ends(const char *text, const char *end)
{
    size_t length = strlen(text), ending = strlen(end);

    return length > ending && strcmp(text + length - ending, end) == 0;
}

/* --- Output ------------------------------------------------------------------------------------- */

static enum qd_status write_result(struct qd_command *command,
                                   const struct qd_finding_report *report, struct qd_error *error)
{
    const struct qd_case *kase = &report->reduced->kase;
    const char *output = command->options.output, *script = "";
    char *path;
    enum qd_status status;

    if (output && ends(output, ".qdcase")) {
        status = qd_case_save(kase, output, error);
    } else if (output && ends(output, ".textproto")) {
        status = qd_finding_write_text(report, output, command->arena, error);
    } else {
        status = qd_id_path(output ? output : ".", report->reduced->after.signature, "",
                            command->arena, &path, error);
        if (status == QD_OK)
            status = qd_finding_write_bundle(report, path, command->arena, &script, error);
        output = path;
    }
    if (status != QD_OK)
        return status;
    fprintf(command->out, "written    %s\n", output);
    if (script[0] != '\0')
        fprintf(command->out, "no script  %s\n", script);
    return QD_OK;
}

struct same {
    const uint8_t *bytes;
    size_t size;
    char signature[QD_SIGNATURE_SIZE]; /* of the one that is the same, "" */
};

static bool is_same(void *context, const struct qd_record *record, const struct qd_error *problem)
{
    struct same *same = context;
    (void)problem;
    if (record != NULL && record->size == same->size &&
        memcmp(record->bytes, same->bytes, same->size) == 0)
        snprintf(same->signature, sizeof same->signature, "%s", record->signature);
    return same->signature[0] == '\0';
}

/* The case does not wait any longer, if it did. */
static enum qd_status leave_pool(struct qd_command *command, const struct qd_case *kase,
                                 struct qd_error *error)
{
    struct qd_store *store, *pool;
    struct same same = {.signature = ""};
    uint8_t *bytes;
    enum qd_status status = qd_case_encode(kase, command->arena, &bytes, &same.size, error);

    same.bytes = bytes;
    if (status != QD_OK ||
        (status = qd_finding_store_open(command->arena, &store, &pool, error)) != QD_OK)
        return status;
    status = qd_store_visit(pool, is_same, &same, error);
    if (status == QD_OK && same.signature[0] != '\0')
        status = qd_store_forget(pool, same.signature, error);
    qd_store_close(store);
    qd_store_close(pool);
    return status;
}

static enum qd_status keep(struct qd_command *command, const struct qd_case *given,
                           const struct qd_finding_report *report, struct qd_error *error)
{
    const struct qd_reduced *reduced = report->reduced;
    enum qd_status status;

    if (!command->options.store)
        return QD_OK;
    if (reduced->out_of_time) {
        fprintf(command->out, "%-10s no: it may be known when it is smaller; give more --time\n",
                "kept");
        return QD_OK;
    }
    status = qd_finding_keep(&reduced->kase, reduced->after.signature, true, report->target,
                             command->arena, error);
    return status == QD_OK ? leave_pool(command, given, error) : status;
}

/* --- Reducing ----------------------------------------------------------------------------------- */

static enum qd_exit reduce_on(struct qd_command *command, const struct qd_case *kase,
                              const struct qd_subject *subject, struct qd_error *error)
{
    const struct qd_reduce_options options = {
        .seconds = command->options.time,
        .diagnose = {.seconds = command->options.diagnosis_time},
        .rows = subject->expectations,
        .progress = show_progress,
        .context = command->err};
    struct qd_reduced reduced;
    struct qd_finding_report report = {&reduced, kase->id, subject->id};

    if (qd_case_reduce(subject, kase, &options, command->arena, &reduced, error) != QD_OK)
        return qd_exit_of_status(error->status);
    if (reduced.known) {
        fprintf(command->out, "%-10s row %zu, %s\n%-10s no: it is no finding\n", "known",
                reduced.known->row, reduced.known->issue, "kept");
        return leave_pool(command, kase, error) == QD_OK ? QD_EXIT_OK
                                                         : qd_exit_of_status(error->status);
    }
    print_size(command->out, "before", &reduced.size_before);
    print_size(command->out, "after", &reduced.size_after);
    fprintf(command->out, "%-10s %.1f s, %zu cases tried, %zu kept, %zu rounds%s\n", "took",
            reduced.seconds, reduced.tried, reduced.kept, reduced.rounds,
            reduced.out_of_time ? "; out of time" : "");
    qd_finding_describe(command->out, &report, command->arena);
    if (strcmp(reduced.before.signature, reduced.after.signature) != 0)
        fprintf(command->out, "%-10s %s\n", "before", reduced.before.signature);
    if (write_result(command, &report, error) != QD_OK ||
        keep(command, kase, &report, error) != QD_OK)
        return qd_exit_of_status(error->status);
    return QD_EXIT_OK;
}

/* The first target that diverges. */
static enum qd_exit reduce_on_some(struct qd_command *command, const struct qd_case *kase,
                                   struct qd_gate_targets *targets)
{
    struct qd_error error = {0};
    enum qd_exit code = QD_EXIT_USAGE;

    for (size_t i = 0; i < targets->count; i++) {
        error.status = QD_OK;
        code = reduce_on(command, kase, &targets->items[i], &error);
        if (error.status != QD_USAGE)
            break;
        if (i + 1 < targets->count)
            fprintf(command->err, "qdiff: %s\n", error.text);
    }
    return code == QD_EXIT_OK ? code : qd_command_failed(command, &error);
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_error error = {0};
    struct qd_target_plan plan;
    struct qd_gate_targets targets;
    struct qd_case kase;
    if (!command->options.store)
        command->options.no_expectations = true; /* what is known is reduced too */
    if (qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_find_case(command->options.arguments.items[0], &command->options, command->arena, &kase,
                     &error) != QD_OK ||
        qd_gate_targets_open_any(&plan, &options, command->arena, &targets, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = reduce_on_some(command, &kase, &targets);
    qd_gate_targets_close(&targets);
    return code;
}

const struct qd_verb qd_verb_reduce = {
    .arguments = "ID|FILE|DIR",
    .at_least = 1,
    .at_most = 1,
    .options = "target expectations no-expectations output time store cases pack time-limit "
               "memory-limit in-process "
               "diagnosis-time",
    .text = "Makes a case that diverges on a target as small as possible: fewer nodes,\n"
            "smaller dimensions, default attributes, one scale for the tensor, simple\n"
            "numbers. The verdict and the quirk that explains it stay the same. It works for\n"
            "every failure: wrong values, refusals, invalid cases that pass, crashes. Of\n"
            "several targets the first that diverges is taken.\n"
            "Below --output DIR it writes a directory named by the finding's signature:\n"
            "case.textproto to read, case.qdcase, model.onnx with its tensors, report.md, and\n"
            "for ONNX Runtime reproduce.py, which needs NumPy and ONNX Runtime only. An\n"
            "--output that ends in .textproto or .qdcase is that one file.\n"
            "With --store, a case that an expectation row covers is neither stored nor\n"
            "reduced any further.",
    .examples = "    qdiff reduce mybug.qdcase --target 'ort@1.26.0[opt=none]' --output findings\n"
                "  two minutes at most, and kept in the findings store\n"
                "    qdiff reduce mybug.qdcase --target ort --time 120 --store",
    .run = run,
};
