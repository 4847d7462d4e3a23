/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff explain`: how the reference computes one element, step by step. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "explain/explain.h"
#include "qdiff/evaluated.h"
#include "qdiff/trial.h"
#include "run/gate_targets.h"
#include "select/visit.h"
#include "text/describe.h"

/* Which element is explained, and what the target gave there. */
struct choice {
    size_t output;
    int64_t element;
    bool ran;
    double have;
};

/* The index of output `name`, or of the first one when it is NULL. */
static enum qd_status find_output(const struct qd_graph *graph, const char *name, size_t *output,
                                  struct qd_error *error)
{
    if (!name) {
        *output = 0;
        return QD_OK;
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        if (strcmp(graph->values[graph->outputs[i]].name, name) == 0) {
            *output = i;
            return QD_OK;
        }
    }
    return qd_fail(error, QD_USAGE, "the graph has no output '%s'", name);
}

/* "0,1,2" or "[0, 1, 2]" into a flat index. */
static enum qd_status find_element(const struct qd_tensor *tensor, const char *text,
                                   int64_t *element, struct qd_error *error)
{
    int64_t index = 0;
    unsigned axis = 0;

    for (const char *at = text; *at != '\0';) {
        char *end;
        long long coordinate;

        if (strchr("[], ", *at)) {
            at++;
            continue;
        }
        coordinate = strtoll(at, &end, 10);
        if (end == at || axis == tensor->rank || coordinate < 0 || coordinate >= tensor->dims[axis])
            break;
        index = index * tensor->dims[axis++] + coordinate;
        at = end;
        if (*at == '\0' || strchr("[], ", *at))
            continue;
        break;
    }
    if (axis != tensor->rank) {
        char shape[160];

        return qd_fail(error, QD_USAGE, "--element '%s' is no place in %s: want %u coordinates",
                       text, qd_tensor_describe(tensor, shape, sizeof shape), tensor->rank);
    }
    *element = index;
    return QD_OK;
}

/* The first element at an exact tie, else the first one. */
static int64_t interesting(const struct qd_value *value)
{
    for (int64_t i = 0; i < value->want.count; i++)
        if (qd_value_flags(value, i) & QD_TIE)
            return i;
    return 0;
}

/* Prints what the target did, and chooses its first mismatch unless an element was asked for. */
static void take_answer(const struct qd_command *command, const struct qd_evaluated *evaluated,
                        const char *id, const struct qd_trial *trial, struct choice *choice)
{
    const struct qd_comparison *comparison = &trial->comparison;

    if (trial->skip) {
        fprintf(command->out, "%s: not run: %s\n\n", id, trial->skip);
        return;
    }
    if (trial->run.outcome != QD_OUTCOME_OUTPUTS) {
        fprintf(command->out, "%s: %s %s\n\n", id, qd_outcome_word(trial->run.outcome),
                trial->run.message);
        return;
    }
    if (comparison->mismatched > 0 && !command->options.element) {
        choice->output = comparison->output;
        choice->element = comparison->element;
    }
    choice->ran = evaluated->shapes[choice->output].count > 0;
    if (choice->ran)
        choice->have = qd_tensor_value(&trial->run.outputs[choice->output], choice->element);
    fprintf(command->out, "%s: %s, %" PRId64 " of %" PRId64 " elements differ\n\n", id,
            qd_verdict_word(comparison->verdict), comparison->mismatched, comparison->compared);
}

/* Runs the case on the first target; without --element its first mismatch is what is explained. */
static enum qd_status ask_target(struct qd_command *command, const struct qd_evaluated *evaluated,
                                 struct choice *choice, struct qd_error *error)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_target_plan plan;
    struct qd_gate_targets targets;
    const struct qd_trial_options how = {.twins = NULL};
    enum qd_status status = qd_plan_targets(&command->options, command->arena, &plan, error);

    if (status == QD_OK)
        status = qd_gate_targets_open(&plan, &options, command->arena, &targets, error);
    if (status != QD_OK)
        return status;
    struct qd_trial trial;
    status = qd_trial_run(&targets.items[0], evaluated, &how, command->arena, &trial, error);
    if (status == QD_OK)
        take_answer(command, evaluated, targets.items[0].id, &trial, choice);
    qd_gate_targets_close(&targets);
    return status;
}

static enum qd_status choose(struct qd_command *command, const struct qd_evaluated *evaluated,
                             const struct qd_explanation *explanation, struct choice *choice,
                             struct qd_error *error)
{
    const struct qd_options *options = &command->options;
    const struct qd_graph *graph = evaluated->kase->graph;
    enum qd_status status = find_output(graph, options->output_name, &choice->output, error);

    if (status == QD_OK && options->element) {
        status = find_element(&evaluated->shapes[choice->output], options->element,
                              &choice->element, error);
    } else if (status == QD_OK) {
        choice->element = interesting(&explanation->outputs[choice->output]);
    }
    if (status == QD_OK && options->targets.count > 0)
        status = ask_target(command, evaluated, choice, error);
    if (status == QD_OK && evaluated->shapes[choice->output].count == 0)
        status = qd_fail(error, QD_USAGE, "the output has no elements");
    return status;
}

static void tell(struct qd_command *command, const struct qd_explanation *explanation,
                 const struct choice *choice)
{
    const struct qd_tensor *tensor = &explanation->outputs[choice->output].want;

    fprintf(
        command->out, "case %s\nelement %s of %s\n\n", explanation->kase->id,
        qd_describe_place(tensor, choice->element, command->arena),
        explanation->kase->graph->values[explanation->kase->graph->outputs[choice->output]].name);
    qd_explain_element(explanation, choice->output, choice->element);
    char have[40];
    if (choice->ran) {
        fprintf(command->out, "the target gave %s\n\n",
                qd_describe_number(tensor->dtype, choice->have, have, sizeof have));
    }
    qd_explain_quirks(explanation, choice->output, choice->element,
                      choice->ran ? &choice->have : NULL);
}

static enum qd_exit run(struct qd_command *command)
{
    const char *name = command->options.arguments.items[0];
    struct qd_evaluated evaluated;
    struct qd_explanation explanation;
    struct qd_case kase;
    struct choice choice = {0};
    struct qd_error error = {0};

    if (qd_find_case(name, &command->options, command->arena, &kase, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (qd_case_evaluate(&kase, command->arena, &evaluated, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (kase.expect == QD_EXPECT_MUST_REJECT) {
        fprintf(command->out, "case %s\nmust be rejected: %s (%s)\n", kase.id, kase.rule,
                kase.spec);
        return QD_EXIT_OK;
    }
    if (qd_explanation_begin(&explanation, command->out, &kase, command->arena, &error) != QD_OK ||
        choose(command, &evaluated, &explanation, &choice, &error) != QD_OK)
        return qd_command_failed(command, &error);
    tell(command, &explanation, &choice);
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_explain = {
    .arguments = "ID|FILE|DIR",
    .at_least = 1,
    .at_most = 1,
    .options = "target element output-name cases time-limit memory-limit in-process",
    .text = "Shows how the reference computes one element: each product, the accumulator, the\n"
            "exact real number as a fraction and a decimal, the admissible codes and the\n"
            "order of evaluation that gives each, and what each known mistake would give.\n"
            "With --target the element is the first one where that target differs. Otherwise\n"
            "--element names it, or it is the first exact tie.",
    .examples = "    qdiff explain regressions/ort-28456-u8 --element 0,1,0,0\n"
                "    qdiff explain mybug.qdcase --target ort@1.31.1[opt=all]",
    .run = run,
};
