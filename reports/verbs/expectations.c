/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff expectations`: writes or checks a file of known divergences. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "causes/propose.h"
#include "command/command.h"
#include "qdiff/memory_stream.h"
#include "run/audit.h"

/* --- --write -------------------------------------------------------------------------------------- */

/* A run whose failures become rows. */
struct writer {
    FILE *out, *err;
    size_t rows, broken, comparisons;
    struct qd_proposal proposal;
    struct qd_causes causes;
    struct qd_error error; /* why it stopped */
};

/* What rows say of the targets; they are closed when rows are written. */
static enum qd_status describe_targets(struct writer *writer, const struct qd_gate_targets *targets,
                                       struct qd_arena *arena, struct qd_error *error)
{
    struct qd_proposal_target *made = qd_arena_array(arena, targets->count, sizeof *made);
    bool complete = made != NULL;

    for (size_t i = 0; complete && i < targets->count; i++) {
        const struct qd_target_info *info = targets->items[i].info;

        made[i] = (struct qd_proposal_target){
            .id = qd_arena_string(arena, targets->items[i].id),
            .info = {.name = qd_arena_string(arena, info->name),
                     .version = qd_arena_string(arena, info->version),
                     .settings = qd_arena_string(arena, info->settings)},
        };
        writer->proposal.by_case |= targets->items[i].role == &qd_role_quantizer;
        complete = made[i].id && made[i].info.name && made[i].info.version && made[i].info.settings;
    }
    if (!complete)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the targets' names");
    writer->proposal.target_count = targets->count;
    writer->proposal.targets = made;
    return QD_OK;
}

static enum qd_visit take_result(void *context, const struct qd_result *result)
{
    struct writer *writer = context;

    writer->comparisons += qd_result_is_comparison(result);
    if (result->kind == QD_RESULT_ADVISORY) /* fails nowhere: needs no row */
        return QD_VISIT_GO_ON;
    if (qd_causes_add(&writer->causes, result, &writer->error) != QD_OK)
        return QD_VISIT_STOP;
    if (result->kind == QD_RESULT_BROKEN || result->kind == QD_RESULT_BAD_INPUT) {
        fprintf(writer->err, "qdiff: %s: %s\n", result->id, result->why);
        writer->broken++;
    }
    return QD_VISIT_GO_ON;
}

static void take_row(void *context, const struct qd_unmatched_row *row)
{
    (void)context, (void)row; /* what is stale is the business of run */
}

static enum qd_status run_targets(struct qd_command *command, struct qd_gate *gate,
                                  struct writer *writer, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_gate_targets targets;
    enum qd_status status =
        qd_gate_targets_open_any(gate->plan, &options, command->arena, &targets, error);

    if (status != QD_OK)
        return status;
    gate->sink = (struct qd_sink){take_result, take_row, writer};
    status = describe_targets(writer, &targets, command->arena, error);
    if (status == QD_OK && command->options.jobs <= 1)
        status = qd_gate_run_alone(gate, &targets, error);
    qd_gate_targets_close(&targets); /* a forked child opens its own */
    return status == QD_OK && command->options.jobs > 1
               ? qd_gate_run_jobs(gate, command->options.jobs, error)
               : status;
}

/* *interrupted: the rows are those of what ran until then. */
static enum qd_exit write_rows(struct qd_command *command, struct writer *writer, bool *interrupted)
{
    struct qd_selection selection;
    struct qd_target_plan plan;
    struct qd_interrupt interrupt;
    struct qd_gate gate = {&command->options, &selection, &plan, &interrupt, {0}, false};
    struct qd_error error = {0};

    if (qd_selection_init(&command->options, command->arena, &selection, &error) != QD_OK ||
        qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK)
        return qd_command_failed(command, &error);
    qd_causes_init(&writer->causes);
    writer->proposal.causes = &writer->causes;
    enum qd_status status = run_targets(command, &gate, writer, &error);
    if (status == QD_OK)
        status = qd_causes_find(&writer->causes, &error);
    if (status == QD_OK)
        status = qd_causes_propose(&writer->proposal, writer->out, &writer->rows, &error);
    qd_causes_clear(&writer->causes);
    *interrupted = qd_interrupt_seen(&interrupt);
    qd_interrupt_end(&interrupt);
    if (status == QD_OK && writer->error.status != QD_OK) {
        status = writer->error.status;
        error = writer->error;
    }
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    return writer->broken > 0 || writer->comparisons == 0 ? QD_EXIT_OWN_FAILURE : QD_EXIT_OK;
}

static bool is_taken(const struct qd_command *command)
{
    bool taken = access(command->options.write, F_OK) == 0;

    if (taken)
        fprintf(command->err, "qdiff: --write %s: %s\n", command->options.write, strerror(EEXIST));
    return taken;
}

/* The file appears whole or not at all. */
static enum qd_exit keep(const struct qd_command *command, const struct writer *writer,
                         const char *text, size_t size)
{
    struct qd_error error = {0};

    if (writer->comparisons == 0) {
        fputs("qdiff expectations: nothing was compared\n", command->err);
        return QD_EXIT_OK; /* the run has told its own */
    }
    if (is_taken(command))
        return QD_EXIT_USAGE;
    if (qd_file_write(command->options.write, text, size, &error) != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(command->out, "%zu rows written to %s; %zu comparisons\n", writer->rows,
            command->options.write, writer->comparisons);
    return QD_EXIT_OK;
}

static enum qd_exit write_file(struct qd_command *command)
{
    struct qd_memory_stream stream;
    struct writer writer = {.err = command->err};
    struct qd_error error = {0};
    bool interrupted = false;

    if (is_taken(command))
        return QD_EXIT_USAGE;
    if (!qd_memory_open(&stream)) {
        qd_fail(&error, QD_NO_MEMORY, "no memory for rows");
        return qd_command_failed(command, &error);
    }
    writer.out = stream.out;
    fputs("# case or op\tfeatures\tsettings\tclass\tversions\tcpu\tissue\treason\n", writer.out);
    enum qd_exit code = write_rows(command, &writer, &interrupted);
    if (interrupted) {
        fputs("# interrupted: what did not run has no rows\n", writer.out);
        fputs("qdiff expectations: interrupted; the rows so far are kept\n", command->err);
        code = QD_EXIT_INTERRUPTED;
    }
    if (!qd_memory_close(&stream)) {
        qd_fail(&error, QD_NO_MEMORY, "no memory for rows");
        code = qd_exit_worse(code, qd_command_failed(command, &error));
    } else {
        code = qd_exit_worse(code, keep(command, &writer, stream.text, stream.size));
    }
    free(stream.text);
    return code;
}

/* --- --check -------------------------------------------------------------------------------------- */

/* With targets: that the rows can be understood for each of them as well. */
static enum qd_status check_for_targets(struct qd_command *command, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(&command->options);

    for (size_t i = 0; i < command->options.targets.count; i++)
        command->options.targets.items[i].expectations = command->options.check;
    struct qd_target_plan plan;
    enum qd_status status = qd_plan_targets(&command->options, command->arena, &plan, error);
    struct qd_gate_targets targets;
    if (status == QD_OK)
        status = qd_gate_targets_open_any(&plan, &options, command->arena, &targets, error);
    if (status == QD_OK)
        qd_gate_targets_close(&targets);
    return status;
}

/* Rows held against cases. */
struct census {
    struct qd_expectations *expectations;
    bool all_select;
};

static enum qd_visit offer(void *context, const struct qd_selected *selected)
{
    struct census *census = context;

    census->all_select =
        qd_expectations_mark_selected(census->expectations, selected->kase, &selected->features);
    return census->all_select ? QD_VISIT_STOP : QD_VISIT_GO_ON;
}

static enum qd_visit pass_over(void *context, const char *path, const struct qd_error *error)
{
    (void)context, (void)path, (void)error; /* a file that gives no case has no rows */
    return QD_VISIT_GO_ON;
}

/* Only the families that the rows left may mean are made, if ids say which. */
static void narrow(const struct qd_command *command, const struct census *census,
                   struct qd_options *options)
{
    const char **patterns;

    options->filters = (struct qd_words){0};
    if (qd_expectations_pending(census->expectations, command->arena, &patterns,
                                &options->filters.count))
        options->filters.items = patterns;
    else
        options->filters.count = 0;
}

/* Offers the cases that rows may be about until each selects one: files given, then the suites of both roles, level by
 * level. */
static enum qd_status offer_all(const struct qd_command *command, struct census *census,
                                struct qd_error *error)
{
    const struct qd_visitor visitor = {offer, pass_over, census};
    struct qd_options options = {.cases = command->options.cases, .pack = command->options.pack};
    const struct qd_selection selection = {.options = &options};
    enum qd_status status = QD_OK;

    options.arguments = command->options.arguments;
    if (options.arguments.count > 0)
        status = qd_visit_selected(&selection, &visitor, error);
    options.arguments.count = 0;
    for (int level = QD_LEVEL_SMOKE; status == QD_OK && level < QD_LEVEL_COUNT; level++) {
        options.level = (enum qd_level)level;
        narrow(command, census, &options);
        if (!census->all_select)
            status = qd_visit_selected(&selection, &visitor, error);
    }
    return status;
}

static void tell_idle(void *context, const struct qd_error *error)
{
    struct qd_command *command = context;

    qd_command_failed(command, error);
}

static enum qd_exit check_file(struct qd_command *command)
{
    struct census census = {0};
    struct qd_error error = {0};

    if (qd_expectations_read(command->options.check, command->arena, &census.expectations,
                             &error) != QD_OK ||
        (command->options.targets.count > 0 && check_for_targets(command, &error) != QD_OK) ||
        offer_all(command, &census, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (!census.all_select) {
        qd_expectations_unused(census.expectations, tell_idle, command);
        return QD_EXIT_USAGE;
    }
    fprintf(command->out, "%s: every row is well formed and is about a case\n",
            command->options.check);
    return QD_EXIT_OK;
}

/* --- --audit -------------------------------------------------------------------------------------- */

static enum qd_status audit_targets(struct qd_command *command, struct qd_gate *gate,
                                    struct qd_audit *audit, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_gate_targets targets;
    enum qd_status status =
        qd_gate_targets_open_any(gate->plan, &options, command->arena, &targets, error);

    if (status != QD_OK)
        return status;
    gate->sink = qd_audit_sink(audit);
    status = qd_audit_begin(audit, &targets, command->arena, error);
    if (status == QD_OK && command->options.jobs <= 1)
        status = qd_gate_run_alone(gate, &targets, error);
    qd_gate_targets_close(&targets); /* a forked child opens its own */
    if (status == QD_OK && command->options.jobs > 1)
        status = qd_gate_run_jobs(gate, command->options.jobs, error);
    if (status == QD_OK && audit->error.status != QD_OK) {
        *error = audit->error;
        status = error->status;
    }
    return status;
}

static enum qd_exit judge_audit(const struct qd_command *command, const struct qd_audit *audit,
                                bool interrupted)
{
    size_t offending = qd_audit_print(audit, command->out);

    if (interrupted) {
        fputs("qdiff expectations: interrupted; rows were judged by what ran\n", command->err);
        return QD_EXIT_INTERRUPTED;
    }
    if (audit->comparisons == 0 || audit->broken > 0) {
        fprintf(command->err, "qdiff expectations: %s\n",
                audit->broken > 0 ? "cases could not be judged (see qdiff run)"
                                  : "nothing was compared");
        return QD_EXIT_OWN_FAILURE;
    }
    return offending > 0 ? QD_EXIT_DIVERGENCE : QD_EXIT_OK;
}

static enum qd_exit audit_file(struct qd_command *command)
{
    struct qd_options *options = &command->options;
    struct qd_selection selection;
    struct qd_target_plan plan;
    struct qd_interrupt interrupt;
    struct qd_gate gate = {options, &selection, &plan, &interrupt, {0}, true};
    struct qd_audit audit = {.path = options->audit};
    struct qd_error error = {0};

    options->no_expectations = false;
    for (size_t i = 0; i < options->targets.count; i++)
        options->targets.items[i].expectations = options->audit;
    if (qd_selection_init(options, command->arena, &selection, &error) != QD_OK ||
        qd_plan_targets(options, command->arena, &plan, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_status status = audit_targets(command, &gate, &audit, &error);
    bool interrupted = qd_interrupt_seen(&interrupt);
    qd_interrupt_end(&interrupt);
    return status == QD_OK ? judge_audit(command, &audit, interrupted)
                           : qd_command_failed(command, &error);
}

static enum qd_exit run(struct qd_command *command)
{
    const struct qd_options *options = &command->options;

    if ((options->write != NULL) + (options->check != NULL) + (options->audit != NULL) != 1) {
        fputs("qdiff expectations: one of --write FILE, --check FILE and --audit FILE is wanted\n",
              command->err);
        return QD_EXIT_USAGE;
    }
    if (options->audit)
        return audit_file(command);
    return options->write ? write_file(command) : check_file(command);
}

const struct qd_verb qd_verb_expectations = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options =
        "write check audit target expectations no-expectations filter op feature tag level shard "
        "cases pack time-limit memory-limit in-process jobs no-diagnosis diagnosis-time",
    .text = "--write accepts the failures of today: it runs the suite and writes rows for the\n"
            "divergences that no row covers yet, one for each cause (qdiff help causes) and\n"
            "operator. A team with 500 failures has a green gate on its first day, and a\n"
            "short list to work through: give each row an issue and a reason. A row names\n"
            "the quirk, the rule or the words of the message, or features that few other\n"
            "cases have; failures that nothing groups have a row for each case. Rows name a\n"
            "release only if two releases of one target run. The file appears when the run\n"
            "ends, also by Ctrl-C; an existing file is never overwritten.\n"
            "--check reads a file and reports rows that cannot be read, and rows that select\n"
            "no case of the suite or of the files given. qdiff run reports rows that are\n"
            "stale.\n"
            "--audit runs the targets with the rows of a file and prints for each row how many\n"
            "comparisons it selects and matches, how many elements those have, and how many\n"
            "distinct messages and diagnoses. A row has to name a quirk or a pattern of the\n"
            "message, or match nine tenths of what it selects; of class wrong-value without a\n"
            "quirk it may match 50 comparisons at most. The exit code is 1 if a row is wider:\n"
            "the next bug would hide behind it.\n"
            "The format of a row: targets/README.md, \"Expectations\".",
    .examples = "    qdiff expectations --write mine.tsv --target ./libmine.so --jobs 2\n"
                "    qdiff run --target ./libmine.so --expectations mine.tsv\n"
                "    qdiff expectations --check mine.tsv\n"
                "    qdiff expectations --audit mine.tsv --target ./libmine.so --jobs 2",
    .run = run,
};
