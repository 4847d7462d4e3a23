/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff run`: runs cases on targets and compares the outputs: the gate. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "result/header.h"
#include "run/reporter.h"

static enum qd_exit bail_out(const struct qd_command *command, struct qd_reporter *reporter,
                             const struct qd_error *error)
{
    qd_tap_bail_out(&reporter->tap, error->text);
    return qd_command_failed(command, error);
}

/* What the commands of causes need: a plug-in or a worker's command line is run again as it was given, not by the name
 * it gives itself; a case of a directory is there. */
static enum qd_status spell_commands(const struct qd_gate *gate,
                                     const struct qd_gate_targets *targets, struct qd_arena *arena,
                                     struct qd_causes *causes, struct qd_error *error)
{
    const struct qd_words *paths = &gate->options->arguments;
    enum qd_status status = QD_OK;

    causes->directory = paths->count == 1 ? paths->items[0] : NULL;
    causes->no_rows = gate->options->no_expectations;
    for (size_t i = 0; i < targets->count && status == QD_OK; i++) {
        const struct qd_target_name *name = &gate->plan->items[i].name;
        const char *text =
            qd_arena_printf(arena, "%s%s%s%s", name->name, name->config[0] ? "[" : "", name->config,
                            name->config[0] ? "]" : "");

        if (!strpbrk(name->name, "/:"))
            continue;
        status = text ? qd_causes_spell(causes, targets->items[i].id, text, error)
                      : qd_fail(error, QD_NO_MEMORY, "no memory for the targets' names");
    }
    return status;
}

/* Opens the targets once: to see that they work, for the header, and to run on them when it is in this process. */
static enum qd_status run_gate(const struct qd_gate *gate, struct qd_reporter *reporter,
                               struct qd_arena *arena, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(gate->options);
    struct qd_gate_targets targets;
    enum qd_status status = qd_gate_targets_open_any(gate->plan, &options, arena, &targets, error);

    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < targets.count; i++) {
        qd_tap_comment(&reporter->tap, "target %s%s%s", targets.items[i].id,
                       qd_expectations_path(targets.items[i].expectations) ? ", expectations " : "",
                       qd_expectations_path(targets.items[i].expectations)
                           ? qd_expectations_path(targets.items[i].expectations)
                           : "");
    }
    if (reporter->file)
        qd_header_write(reporter->file, gate->selection, &targets, arena);
    status = spell_commands(gate, &targets, arena, &reporter->causes, error);
    if (status == QD_OK && gate->options->jobs <= 1)
        status = qd_gate_run_alone(gate, &targets, error);
    qd_gate_targets_close(&targets); /* a forked child opens its own */
    return status == QD_OK && gate->options->jobs > 1
               ? qd_gate_run_jobs(gate, gate->options->jobs, error)
               : status;
}

static enum qd_exit report(struct qd_command *command, struct qd_gate *gate)
{
    struct qd_error error = {0};
    enum qd_exit code = QD_EXIT_OK, counted;
    bool interrupted, compared;

    struct qd_reporter reporter;
    if (qd_reporter_begin(&reporter, &command->options, command->out, command->err, command->arena,
                          &error) != QD_OK)
        return qd_command_failed(command, &error);
    gate->sink = qd_reporter_sink(&reporter);
    if (run_gate(gate, &reporter, command->arena, &error) != QD_OK)
        code = bail_out(command, &reporter, &error);
    interrupted = qd_interrupt_seen(gate->interrupt);
    compared = reporter.summary.comparisons > 0;
    counted = qd_reporter_end(&reporter, qd_selection_is_whole(gate->selection),
                              code == QD_EXIT_OK && !interrupted);
    if (interrupted) {
        fprintf(command->err, "qdiff: interrupted; what was done so far is kept\n");
        return QD_EXIT_INTERRUPTED;
    }
    /* After a failure, that nothing was compared says nothing new. */
    return code != QD_EXIT_OK && !compared ? code : qd_exit_worse(code, counted);
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_selection selection;
    struct qd_target_plan plan;
    struct qd_interrupt interrupt;
    struct qd_gate gate = {.options = &command->options,
                           .selection = &selection,
                           .plan = &plan,
                           .interrupt = &interrupt};
    struct qd_error error = {0};

    if (qd_selection_init(&command->options, command->arena, &selection, &error) != QD_OK ||
        qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK) {
        if (error.status == QD_UNUSABLE)
            fprintf(command->out, "TAP version 13\nBail out! %s\n", error.text);
        return qd_command_failed(command, &error);
    }
    enum qd_exit code = report(command, &gate);
    qd_interrupt_end(&interrupt);
    return code;
}

const struct qd_verb qd_verb_run = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "target expectations no-expectations filter op feature tag level shard jobs "
               "fail-fast strict results junit badge cases pack time-limit memory-limit "
               "in-process "
               "no-diagnosis diagnosis-time progress",
    .text = "Runs every case of the suite, or of the files given, on every target, compares\n"
            "the outputs with the exact reference, and prints TAP 13: one line for each case\n"
            "and target. A failure is \"not ok\" with a YAML block: verdict (class), wanted and\n"
            "given value, diagnosis. A failure that an expectation row covers is \"not ok ...\n"
            "# TODO issue\"; a case that the target does not declare is \"ok ... # SKIP\n"
            "reason\". The exit code is 0 only if there is no other failure and something was\n"
            "compared (qdiff help verdicts).\n"
            "A quantizer (ort-quant) gets the suite of its role instead, and its answers are\n"
            "checked (targets/quantizer/README.md).\n"
            "Ctrl-C ends the run after the current case and keeps its results.",
    .examples = "  the gate for the newest ONNX Runtime that is set up, at its four levels\n"
                "    qdiff run --target ort\n"
                "  for prove and what it feeds (JUnit, archives)\n"
                "    qdiff run --target ort >ort.tap; prove --exec cat ort.tap\n"
                "  for a CI that reads JUnit, with a badge for a README\n"
                "    qdiff run --target ort --junit junit.xml --badge badge.json\n"
                "  an old release as it is, convolutions with distinct zero points only\n"
                "    qdiff run -t ort@1.26.0 --no-expectations --op QLinearConv \\\n"
                "        --feature distinct-w-zero-points\n"
                "  a plug-in with its known divergences, the second of eight parts, on two cores\n"
                "    qdiff run -t ./libmine.so -e mine.tsv --shard 2/8 --jobs 2 -r part2.jsonl\n"
                "  one file\n"
                "    qdiff run -t ort mycase.qdcase",
    .run = run,
};
