/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff repro`: one case on several targets, side by side. */
#include <inttypes.h>
#include <string.h>

#include "command/command.h"
#include "qdiff/valid_twin.h"
#include "result/trial_result.h"
#include "run/gate_targets.h"
#include "select/visit.h"
#include "text/case_show.h"
#include "text/describe.h"

enum { COLUMNS = 9, LONGEST_CELL = 64 };

static const char *const headings[COLUMNS] = {"target", "verdict",    "differ", "first at", "want",
                                              "have",   "admissible", "real",   "known"};

/* A row of the table, as text. */
struct row {
    char cells[COLUMNS][LONGEST_CELL];
};

static void set(struct row *row, int column, const char *text)
{
    snprintf(row->cells[column], LONGEST_CELL, "%s", text);
}

static struct row row_of(const struct qd_result *result)
{
    const struct qd_comparison *comparison = &result->comparison;
    struct row row = {0};

    set(&row, 0, result->target);
    if (!qd_result_has_comparison(result)) {
        set(&row, 1, qd_result_word(result->kind));
        return row;
    }
    set(&row, 1, qd_verdict_word(comparison->verdict));
    if (comparison->compared > 0) {
        snprintf(row.cells[2], LONGEST_CELL, "%" PRId64 " of %" PRId64, comparison->mismatched,
                 comparison->compared);
    }
    set(&row, 3, result->element);
    set(&row, 4, result->want);
    set(&row, 5, result->have);
    if (comparison->mismatched > 0)
        snprintf(row.cells[6], LONGEST_CELL, "%.28s to %.28s", result->lo, result->hi);
    set(&row, 7, result->real);
    set(&row, 8, result->kind == QD_RESULT_KNOWN ? result->issue : "");
    return row;
}

static void print_row(FILE *out, const struct row *row, const size_t *widths)
{
    char line[COLUMNS * (LONGEST_CELL + 2) + 1] = "";
    size_t length = 0, end = 0;

    for (int column = 0; column < COLUMNS; column++) {
        if (widths[column] > 0) {
            length +=
                (size_t)snprintf(line + length, sizeof line - length, "%s%-*s",
                                 column == 0 ? "" : "  ", (int)widths[column], row->cells[column]);
            end = row->cells[column][0] != '\0' ? length : end;
        }
    }
    fprintf(out, "%.*s\n", (int)end, line);
}

/* Columns that say nothing for any target are left out. */
static void print_table(FILE *out, const struct qd_result *results, size_t count)
{
    size_t widths[COLUMNS] = {0};
    struct row heading = {0};

    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(&results[i]);

        for (int column = 0; column < COLUMNS; column++) {
            size_t length = strlen(row.cells[column]);

            widths[column] = length > widths[column] ? length : widths[column];
        }
    }
    for (int column = 0; column < COLUMNS; column++) {
        size_t length = strlen(headings[column]);

        set(&heading, column, headings[column]);
        widths[column] = widths[column] > 0 && length > widths[column] ? length : widths[column];
    }
    print_row(out, &heading, widths);
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(&results[i]);

        print_row(out, &row, widths);
    }
}

static void print_case(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    fprintf(out, "case      %s\nop        %s\nopset     %" PRId64 "\n", kase->id, kase->op,
            kase->opset);
    if (kase->expect == QD_EXPECT_MUST_REJECT)
        fprintf(out, "expect    must be rejected, rule %s\n", kase->rule);
    if (kase->issue[0] != '\0')
        fprintf(out, "issue     %s\n", kase->issue);
    qd_case_show_request(out, kase, arena);
    qd_case_show_steps(out, kase);
}

static void print_wanted(FILE *out, const struct qd_evaluated *evaluated, struct qd_arena *arena)
{
    const struct qd_graph *graph = evaluated->kase->graph;

    /* What a quantized model has to give, only the checks of its parameters can say. */
    bool known = evaluated->shapes && evaluated->kase->request_size == 0;

    for (size_t i = 0; known && i < graph->output_count; i++) {
        const char *text = qd_describe_tensor(&evaluated->shapes[i], 16, arena);

        fprintf(out, "want      %s = %s\n", graph->values[graph->outputs[i]].name,
                text ? text : "(out of memory)");
    }
    fputc('\n', out);
}

/* What the target said; told once for targets in a row that say the same. */
static void print_words(FILE *out, const struct qd_result *result, const struct qd_result *before)
{
    if (result->why[0] != '\0')
        fprintf(out, "\n%s: %s\n", result->target, result->why);
    if (result->message[0] != '\0') {
        bool same = before && strcmp(before->message, result->message) == 0;

        fprintf(out, "%s%s%s%s: %s\n", same ? "" : "\n", result->target,
                result->stage[0] != '\0' ? " at " : "", result->stage,
                same ? "the same" : result->message);
    }
    if (result->signal != 0)
        fprintf(out, "\n%s: killed by signal %d\n", result->target, result->signal);
}

/* What the divergence breaks; told once for targets in a row that break the same. */
static void print_clause(FILE *out, const struct qd_result *result, const struct qd_result *before)
{
    if (result->severity == QD_SEVERITY_NONE ||
        (before && strcmp(before->clause, result->clause) == 0))
        return;
    fprintf(out, "\n%s: %s, by %s\n", result->target, qd_severity_word(result->severity),
            result->clause);
}

static void print_if(FILE *out, const char *what, const char *text)
{
    if (text[0] != '\0')
        fprintf(out, "  %-9s  %s\n", what, text);
}

/* Told once for targets in a row of which the same is said. */
static void print_diagnosis(FILE *out, const struct qd_result *result,
                            const struct qd_result *before)
{
    if (result->diagnosis[0] == '\0')
        return;
    bool same = before && strcmp(before->diagnosis, result->diagnosis) == 0 &&
                strcmp(before->evidence, result->evidence) == 0 &&
                strcmp(before->facts, result->facts) == 0;
    fprintf(out, "\n%s: %s\n", result->target, same ? "the same diagnosis" : result->diagnosis);
    if (same)
        return;
    print_if(out, "effect", result->effect);
    print_if(out, "seen", result->seen);
    print_if(out, "evidence", result->evidence);
    print_if(out, "place", result->place);
    print_if(out, "facts", result->facts);
}

static void print_parameters(FILE *out, const struct qd_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct qd_result *result = &results[i];

        if (result->parameter_count > 0) { /* the same for every target that differs */
            fprintf(out, "\nparameters of %s\n", result->op);
            for (size_t j = 0; j < result->parameter_count; j++) {
                fprintf(out, "  %s = %s\n", result->parameters[j].name,
                        result->parameters[j].value);
            }
            return;
        }
    }
}

/* Of a twin that a target has wrong, what the target makes of the case that it was made of: whether what was changed is
 * what it trips over. A case that is no longer in the suite is passed over. */
static void print_base(struct qd_command *command, const struct qd_case *twin,
                       struct qd_gate_targets *targets, const struct qd_result *results)
{
    static const struct qd_trial_options how = {.twins = NULL};
    const char *id = qd_case_base(twin);
    struct qd_case base;
    struct qd_evaluated evaluated;
    struct qd_error error;

    if (!id || qd_find_case(id, &command->options, command->arena, &base, &error) != QD_OK ||
        qd_case_evaluate(&base, command->arena, &evaluated, &error) != QD_OK)
        return;
    fprintf(command->out, "\nmade of %s\n", id);
    for (size_t i = 0; i < targets->count; i++) {
        struct qd_result result;
        if (results[i].severity == QD_SEVERITY_NONE)
            continue;
        qd_trial_judge(&targets->items[i], &evaluated, &how, command->arena, &result, &error);
        struct row row = row_of(&result);
        fprintf(command->out, "  %s: %s\n", row.cells[0], row.cells[1]);
    }
}

static bool any_diverges(const struct qd_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].severity != QD_SEVERITY_NONE)
            return true;
    return false;
}

static enum qd_exit exit_of(const struct qd_result *result, const struct qd_error *error)
{
    switch (result->kind) {
    case QD_RESULT_FAIL:
    case QD_RESULT_FIXED: return QD_EXIT_DIVERGENCE;
    case QD_RESULT_BROKEN:
        return error->status == QD_UNUSABLE ? QD_EXIT_UNUSABLE : QD_EXIT_OWN_FAILURE;
    default: return QD_EXIT_OK;
    }
}

static enum qd_exit run_all(struct qd_command *command, const struct qd_evaluated *evaluated,
                            struct qd_gate_targets *targets)
{
    const struct qd_options *options = &command->options;
    const struct qd_diagnose_options diagnose = {.seconds = options->diagnosis_time};
    struct qd_result *results = qd_arena_array(command->arena, targets->count, sizeof *results);
    struct qd_error *errors = qd_arena_array(command->arena, targets->count, sizeof *errors);
    enum qd_exit code = QD_EXIT_OK;
    bool compared = false;

    if (!results || !errors)
        return QD_EXIT_OWN_FAILURE;
    struct qd_twins twins;
    qd_twins_init(&twins, options->cases);
    const struct qd_trial_options how = {.twins = &twins,
                                         .diagnose = options->no_diagnosis ? NULL : &diagnose,
                                         .strict = options->strict};
    for (size_t i = 0; i < targets->count; i++) {
        qd_trial_judge(&targets->items[i], evaluated, &how, command->arena, &results[i],
                       &errors[i]);
        code = qd_exit_worse(code, exit_of(&results[i], &errors[i]));
        compared = compared || qd_result_is_comparison(&results[i]);
    }
    qd_twins_clear(&twins);
    print_case(command->out, evaluated->kase, command->arena);
    print_wanted(command->out, evaluated, command->arena);
    print_table(command->out, results, targets->count);
    for (size_t i = 0; i < targets->count; i++) {
        const struct qd_result *before = i > 0 ? &results[i - 1] : NULL;
        print_words(command->out, &results[i], before);
        print_clause(command->out, &results[i], before);
        print_diagnosis(command->out, &results[i], before);
    }
    if (any_diverges(results, targets->count))
        print_base(command, evaluated->kase, targets, results);
    print_parameters(command->out, results, targets->count);
    if (!compared && code == QD_EXIT_OK) {
        fputs("qdiff repro: nothing was compared\n", command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    return code;
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    const char *name = command->options.arguments.items[0];
    struct qd_target_plan plan;
    struct qd_case kase;
    struct qd_error error = {0};

    if (qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_find_case(name, &command->options, command->arena, &kase, &error) != QD_OK)
        return qd_command_failed(command, &error);
    struct qd_evaluated evaluated;
    if (qd_case_evaluate(&kase, command->arena, &evaluated, &error) != QD_OK) {
        fprintf(command->err, "qdiff: the reference on %s: %s\n", kase.id, error.text);
        return qd_exit_of_status(error.status);
    }
    struct qd_gate_targets targets;
    if (qd_gate_targets_open_any(&plan, &options, command->arena, &targets, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = run_all(command, &evaluated, &targets);
    qd_gate_targets_close(&targets);
    return code;
}

const struct qd_verb qd_verb_repro = {
    .arguments = "ID|FILE|DIR",
    .at_least = 1,
    .at_most = 1,
    .options = "target expectations no-expectations cases pack time-limit memory-limit in-process "
               "no-diagnosis strict diagnosis-time",
    .text = "Runs one case on the targets given and prints a table: the verdict, the first\n"
            "element that differs, the value wanted there, the target's value, and the\n"
            "admissible values, and `real`, the exact number before it is rounded and the zero\n"
            "point added; then the clause that is broken, the diagnosis (of what no row\n"
            "covers: --no-expectations for the rest), the target's own message and the\n"
            "operator's parameters. Of a case that was made of another, by steps before it or\n"
            "by rewriting its graph, the verdicts on that one follow.\n"
            "`ort` alone is four targets, one for each optimization level; quote a name with\n"
            "settings in the shell. A directory in ONNX's backend-test layout (qdiff export)\n"
            "is enough to reproduce a finding. The words are explained by qdiff help verdicts.",
    .examples = "    qdiff repro regressions/ort-28456-u8 -t ort@1.26.0 -t 'ort@1.31.1[opt=all]'\n"
                "    qdiff repro ./mycase -t ./libmine.so",
    .run = run,
};
