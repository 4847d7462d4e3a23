#include <errno.h>
#include <string.h>

#include "command.h"
#include "gate.h"

/* --- --write -------------------------------------------------------------------------------------- */

/* Rows being written. */
struct writer {
    FILE *out, *err;
    size_t rows, broken, comparisons;
    const struct qd_gate_targets *targets; /* open while rows are written */
    struct qd_arena arena;                 /* of one row */
    struct qd_error error;                 /* why it stopped */
};

static const struct qd_target_info *info_of(const struct writer *writer, const char *target)
{
    for (size_t i = 0; i < writer->targets->count; i++) {
        if (strcmp(writer->targets->items[i].id, target) == 0) {
            return qd_session_info(writer->targets->items[i].session);
        }
    }
    return NULL;
}

static enum qd_status write_row(struct writer *writer, const struct qd_result *result)
{
    const struct qd_case named = {.id = result->id, .op = result->op};
    const char *text;
    enum qd_status status;

    qd_arena_reset(&writer->arena);
    status =
        qd_expectations_row(&named, info_of(writer, result->target), result->comparison.verdict,
                            result->message, &writer->arena, &text, &writer->error);
    if (status == QD_OK) {
        fputs(text, writer->out);
        writer->rows++;
    }
    return status;
}

static enum qd_visit take_result(void *context, const struct qd_result *result)
{
    struct writer *writer = context;

    writer->comparisons += qd_result_is_comparison(result);
    if (result->kind == QD_RESULT_FAIL) {
        return write_row(writer, result) == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
    }
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
        qd_gate_targets_open(gate->plan, &options, command->arena, &targets, error);

    if (status != QD_OK) {
        return status;
    }
    writer->targets = &targets;
    gate->sink = (struct qd_sink){take_result, take_row, writer};
    status = qd_gate_run_part(gate, &targets, 0, 1, error);
    qd_gate_targets_close(&targets);
    return status;
}

static enum qd_exit write_rows(struct qd_command *command, struct writer *writer)
{
    struct qd_selection selection;
    struct qd_target_plan plan;
    struct qd_interrupt interrupt;
    struct qd_gate gate = {&command->options, &selection, &plan, &interrupt, {0}};
    struct qd_error error = {0};
    enum qd_status status;
    bool interrupted;

    command->options.no_diagnosis = true; /* a row says what happened, not why */
    if (qd_selection_init(&command->options, command->arena, &selection, &error) != QD_OK ||
        qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK) {
        return qd_command_failed(command, &error);
    }
    qd_arena_init(&writer->arena, QD_ARENA_DEFAULT_BUDGET);
    status = run_targets(command, &gate, writer, &error);
    qd_arena_clear(&writer->arena);
    interrupted = qd_interrupt_seen(&interrupt);
    qd_interrupt_end(&interrupt);
    if (status == QD_OK && writer->error.status != QD_OK) {
        status = writer->error.status;
        error = writer->error;
    }
    if (status != QD_OK) {
        return qd_command_failed(command, &error);
    }
    if (interrupted) {
        return QD_EXIT_INTERRUPTED;
    }
    return writer->broken > 0 || writer->comparisons == 0 ? QD_EXIT_OWN_FAILURE : QD_EXIT_OK;
}

static enum qd_exit write_file(struct qd_command *command)
{
    const char *path = command->options.write;
    struct writer writer = {.out = fopen(path, "wxe"), .err = command->err};
    enum qd_exit code;

    if (writer.out == NULL) {
        fprintf(command->err, "qdiff: --write %s: %s\n", path, strerror(errno));
        return QD_EXIT_USAGE;
    }
    fputs("# case or op\tfeatures\tsettings\tclass\tversions\tcpu\tissue\treason\n", writer.out);
    code = write_rows(command, &writer);
    if (fclose(writer.out) != 0) {
        fprintf(command->err, "qdiff: --write %s: %s\n", path, strerror(errno));
        code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    }
    if (writer.comparisons == 0) {
        fputs("qdiff expectations: nothing was compared\n", command->err);
        remove(path);
    } else {
        fprintf(command->out, "%zu rows written to %s; %zu comparisons\n", writer.rows, path,
                writer.comparisons);
    }
    return code;
}

/* --- --check -------------------------------------------------------------------------------------- */

static enum qd_status parse_only(const char *path, struct qd_arena *arena, struct qd_error *error)
{
    struct qd_expectations *expectations;
    uint8_t *text;
    size_t size;
    enum qd_status status = qd_file_read(path, (size_t)16 << 20, arena, &text, &size, error);

    return status == QD_OK
               ? qd_expectations_parse(path, (const char *)text, size, arena, &expectations, error)
               : status;
}

/* With targets: that the rows can be understood for each of them as well. */
static enum qd_status check_for_targets(struct qd_command *command, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_gate_targets targets;
    struct qd_target_plan plan;
    enum qd_status status;

    for (size_t i = 0; i < command->options.targets.count; i++) {
        command->options.targets.items[i].expectations = command->options.check;
    }
    status = qd_plan_targets(&command->options, command->arena, &plan, error);
    if (status == QD_OK) {
        status = qd_gate_targets_open(&plan, &options, command->arena, &targets, error);
    }
    if (status == QD_OK) {
        qd_gate_targets_close(&targets);
    }
    return status;
}

static enum qd_exit check_file(struct qd_command *command)
{
    struct qd_error error = {0};

    if (parse_only(command->options.check, command->arena, &error) != QD_OK ||
        (command->options.targets.count > 0 && check_for_targets(command, &error) != QD_OK)) {
        return qd_command_failed(command, &error);
    }
    fprintf(command->out, "%s: every row is well formed\n", command->options.check);
    return QD_EXIT_OK;
}

static enum qd_exit run(struct qd_command *command)
{
    if ((command->options.write == NULL) == (command->options.check == NULL)) {
        fputs("qdiff expectations: one of --write FILE and --check FILE is wanted\n", command->err);
        return QD_EXIT_USAGE;
    }
    return command->options.write != NULL ? write_file(command) : check_file(command);
}

const struct qd_verb qd_verb_expectations = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "write check target expectations no-expectations filter op feature tag level shard "
               "cases pack time-limit memory-limit in-process",
    .text =
        "--write runs the suite and writes a row for every divergence that no known row explains,\n"
        "so that a team with 500 failures has a green gate on its first day and a list to work\n"
        "off; every row wants an issue and a reason by hand. An existing file is never\n"
        "overwritten. --check reads a file and says what is wrong with it, if anything; whether\n"
        "a row is stale is what run tells.",
    .examples = "    qdiff expectations --write mine.tsv --target ./libmine.so\n"
                "    qdiff run --target ./libmine.so --expectations mine.tsv\n"
                "    qdiff expectations --check mine.tsv",
    .run = run,
};
