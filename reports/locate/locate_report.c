/* SPDX-License-Identifier: Apache-2.0 */
/* The table of units, the counts, the first wrong unit, causes, results file and cases of a walk over a network. */
#include "locate/locate_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bundle/bundle.h"
#include "causes/causes_print.h"
#include "locate/helpers.h"
#include "qdiff/clock.h"
#include "result/header.h"
#include "result/result_json.h"
#include "text/id_path.h"
#include "text/overwrite.h"

static enum qd_status open_file(struct qd_locate_report *report, struct qd_error *error)
{
    const struct qd_options *options = report->locate->options;
    struct qd_selection selection;

    if (!options->results)
        return QD_OK;
    if (!qd_may_overwrite(options->results, "{\"record\""))
        return qd_fail(error, QD_USAGE, "--results %s: the file exists and holds no results",
                       options->results);
    enum qd_status status = qd_selection_init(options, report->locate->arena, &selection, error);
    if (status != QD_OK)
        return status;
    report->file = fopen(options->results, "we");
    if (!report->file)
        return qd_fail(error, QD_USAGE, "--results %s: %s", options->results, strerror(errno));
    qd_header_write(report->file, &selection, report->locate->targets, report->locate->arena);
    return QD_OK;
}

enum qd_status qd_locate_report_begin(struct qd_locate_report *report,
                                      const struct qd_locate *locate, FILE *out, FILE *err,
                                      struct qd_error *error)
{
    *report = (struct qd_locate_report){.locate = locate, .out = out, .err = err};
    report->progress = locate->options->progress;
    report->started = qd_clock_seconds();
    qd_causes_init(&report->causes);
    enum qd_status status = open_file(report, error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < locate->targets->count; i++)
        fprintf(out, "target    %s\n", locate->targets->items[i].id);
    fprintf(out, "\n%-7s  %-36s  %-13s  %-18s  %s\n", "unit", "operators", "verdict", "differ",
            "gives");
    return QD_OK;
}

/* --- The table ---------------------------------------------------------------------------------- */

static bool is_wrong(const struct qd_result *result)
{
    return result->kind == QD_RESULT_FAIL || result->kind == QD_RESULT_KNOWN ||
           result->kind == QD_RESULT_BROKEN;
}

static bool differs(const struct qd_result *result)
{
    return is_wrong(result) || result->kind == QD_RESULT_ADVISORY;
}

static const char *word_of(const struct qd_result *result)
{
    return qd_result_has_comparison(result) ? qd_verdict_word(result->comparison.verdict)
                                            : qd_result_word(result->kind);
}

static bool same_answer(const struct qd_result *a, const struct qd_result *b)
{
    return a->kind == b->kind && strcmp(word_of(a), word_of(b)) == 0 &&
           a->comparison.mismatched == b->comparison.mismatched &&
           strcmp(a->diagnosis, b->diagnosis) == 0;
}

static void print_number(FILE *out, const struct qd_located_unit *unit)
{
    char text[32];

    if (unit->part > 0)
        snprintf(text, sizeof text, "%04zu.%zu", unit->number, unit->part);
    else
        snprintf(text, sizeof text, "%04zu", unit->number);
    fprintf(out, "%-7s  %-36.36s  ", text, unit->ops);
}

/* "  why: ...": one line below a row. */
static void print_below(FILE *out, const char *what, const char *text)
{
    if (text[0] != '\0')
        fprintf(out, "         %s %s\n", what, text);
}

/* One row for targets that gave the same answer; of `all` their names are not needed. */
static void print_answer(FILE *out, const struct qd_located_unit *unit, size_t first, size_t count)
{
    const struct qd_result *result = &unit->results[first];
    char differ[64] = "";
    size_t same = 0;

    if (result->comparison.mismatched > 0)
        snprintf(differ, sizeof differ, "%" PRId64 " of %" PRId64, result->comparison.mismatched,
                 result->comparison.compared);
    print_number(out, unit);
    fprintf(out, "%-13s  %-18s  %s\n", word_of(result), differ, unit->name);
    for (size_t i = first; i < count; i++)
        same += same_answer(result, &unit->results[i]);
    for (size_t i = first; i < count && same < count; i++)
        if (same_answer(result, &unit->results[i]))
            print_below(out, "on", unit->results[i].target);
    print_below(out, "sample:", unit->sample);
    if (!differs(result))
        return;
    print_below(out, "diagnosis:", result->diagnosis);
    print_below(out, "place:", result->place);
    print_below(out, "facts:", result->facts);
    print_below(out, "known:", result->issue);
    print_below(out, "message:", result->message);
}

static void print_unit(FILE *out, const struct qd_located_unit *unit)
{
    if (unit->result_count == 0) {
        print_number(out, unit);
        fprintf(out, "%-13s  %-18s  %s\n", qd_unit_state_word(unit->state), "", unit->name);
        print_below(out, "why:", unit->why);
        return;
    }
    for (size_t i = 0; i < unit->result_count; i++) {
        bool seen = false;

        for (size_t j = 0; j < i; j++)
            seen = seen || same_answer(&unit->results[i], &unit->results[j]);
        if (!seen)
            print_answer(out, unit, i, unit->result_count);
    }
}

/* At most ten times a second. */
static void show_progress(struct qd_locate_report *report, size_t number)
{
    double now = qd_clock_seconds(), spent = now - report->started;
    size_t all = report->locate->unit_count;

    if (!report->progress || now - report->shown < 0.1)
        return;
    report->shown = now;
    fprintf(report->err, "\r%zu of %zu units, %zu wrong, about %.0f s to go   ", number, all,
            report->wrong, spent / (double)number * (double)(all - number));
    fflush(report->err);
}

/* --- Results and cases -------------------------------------------------------------------------- */

static enum qd_status add_result(struct qd_locate_report *report, const struct qd_result *result,
                                 struct qd_error *error)
{
    if (report->file) {
        qd_result_write(report->file, result);
        if (fflush(report->file) != 0)
            return qd_fail(error, QD_INTERNAL, "cannot write to %s: %s",
                           report->locate->options->results, strerror(errno));
    }
    enum qd_status status = qd_summary_add(&report->summary, result, error);
    return status == QD_OK ? qd_causes_add(&report->causes, result, error) : status;
}

/* Counts why units were not judged; the first few reasons are enough. */
static enum qd_status count_reason(struct qd_locate_report *report, const char *why,
                                   struct qd_error *error)
{
    for (size_t i = 0; i < report->reason_count; i++)
        if (strcmp(report->reasons[i].text, why) == 0) {
            report->reasons[i].count++;
            return QD_OK;
        }
    if (report->reason_count == QD_LOCATE_MOST_REASONS)
        return QD_OK;
    char *text = qd_arena_string(report->locate->arena, why);
    if (!text)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a reason");
    report->reasons[report->reason_count].text = text;
    report->reasons[report->reason_count++].count = 1;
    return QD_OK;
}

/* A unit that was not judged is skipped on each target, and why. */
static enum qd_status add_unjudged(struct qd_locate_report *report,
                                   const struct qd_located_unit *unit, struct qd_error *error)
{
    const struct qd_gate_targets *targets = report->locate->targets;
    const char *op = report->locate->network->nodes[unit->unit->root].op_type;
    enum qd_status status = count_reason(report, unit->why, error);

    for (size_t i = 0; i < targets->count && status == QD_OK; i++) {
        struct qd_result result =
            qd_result_init(unit->id, op, targets->items[i].id, QD_RESULT_SKIP);

        result.why = unit->why;
        status = add_result(report, &result, error);
    }
    return status;
}

/* The unit as a case below --output, of one that is wrong with a script. One that
 * is judged in part is none that others could run. */
static enum qd_status export_unit(struct qd_locate_report *report,
                                  const struct qd_located_unit *unit, const struct qd_result *wrong,
                                  struct qd_error *error)
{
    const char *directory = report->locate->options->output;
    struct qd_arena *arena = report->locate->arena;
    struct qd_error ignored;
    char *path;

    if (!directory || !unit->evaluated || unit->sample[0] != '\0')
        return QD_OK;
    enum qd_status status = qd_id_path(directory, unit->id, "", arena, &path, error);
    if (status == QD_OK)
        status = qd_case_export(unit->evaluated->kase, path, unit->evaluated->shapes, error);
    if (status == QD_OK && wrong) /* types that NumPy lacks have none */
        qd_bundle_write(unit->evaluated, wrong->target, path, arena, &ignored);
    return status;
}

static enum qd_status copy_text(struct qd_arena *arena, const char *text, const char **copy,
                                struct qd_error *error)
{
    *copy = qd_arena_string(arena, text);
    return *copy ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for the first wrong unit");
}

static enum qd_status keep_first(struct qd_locate_report *report,
                                 const struct qd_located_unit *unit, size_t target,
                                 struct qd_error *error)
{
    const struct qd_result *result = &unit->results[target];
    struct qd_arena *arena = report->locate->arena;
    struct qd_first_wrong made = {.number = unit->number,
                                  .part = unit->part,
                                  .target = unit->first_target + target,
                                  .wrong = is_wrong(result),
                                  .from_target = unit->from_target};
    const struct {
        const char *from, **to;
    } texts[] = {{unit->id, &made.id},
                 {unit->ops, &made.ops},
                 {unit->name, &made.name},
                 {word_of(result), &made.verdict},
                 {result->diagnosis, &made.diagnosis},
                 {result->effect, &made.effect},
                 {result->place, &made.place},
                 {result->facts, &made.facts},
                 {result->message, &made.message},
                 {result->clause, &made.clause},
                 {unit->sample, &made.sample}};
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == QD_OK; i++)
        status = copy_text(arena, texts[i].from, texts[i].to, error);
    if (status == QD_OK)
        status = qd_case_encode(unit->evaluated->kase, arena, &made.bytes, &made.size, error);
    if (status == QD_OK)
        report->first = made;
    return status;
}

/* The first result that is wrong, else the first that no sentence forbids; NULL if none differs. */
static const struct qd_result *gravest(const struct qd_located_unit *unit)
{
    for (size_t i = 0; i < unit->result_count; i++)
        if (is_wrong(&unit->results[i]))
            return &unit->results[i];
    for (size_t i = 0; i < unit->result_count; i++)
        if (differs(&unit->results[i]))
            return &unit->results[i];
    return NULL;
}

static enum qd_status take_results(struct qd_locate_report *report,
                                   const struct qd_located_unit *unit, struct qd_error *error)
{
    const struct qd_result *found = gravest(unit);
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < unit->result_count && status == QD_OK; i++)
        status = add_result(report, &unit->results[i], error);
    bool wrong = found && is_wrong(found);
    report->wrong += wrong;
    report->advisory += found && !wrong;
    if (status == QD_OK && found && (report->first.number == 0 || (wrong && !report->first.wrong)))
        status = keep_first(report, unit, (size_t)(found - unit->results), error);
    return status == QD_OK ? export_unit(report, unit, found, error) : status;
}

static enum qd_status take_unit(void *context, const struct qd_located_unit *unit,
                                struct qd_error *error)
{
    struct qd_locate_report *report = context;

    report->states[unit->state]++;
    report->sampled += unit->sample[0] != '\0';
    report->taken_apart += unit->part > 0 && report->last != unit->number;
    report->last = unit->number;
    print_unit(report->out, unit);
    enum qd_status status = unit->result_count > 0 ? take_results(report, unit, error)
                                                   : add_unjudged(report, unit, error);
    show_progress(report, unit->number);
    fflush(report->out);
    return status;
}

struct qd_locate_listener qd_locate_report_listener(struct qd_locate_report *report)
{
    return (struct qd_locate_listener){take_unit, report};
}

enum qd_status qd_locate_report_region(struct qd_locate_report *report,
                                       const struct qd_located_unit *region, struct qd_error *error)
{
    fprintf(report->out, "\nunits %zu to %zu differ together, and none of them alone:\n",
            region->number, region->last);
    print_unit(report->out, region);
    return take_results(report, region, error);
}

/* --- The end ------------------------------------------------------------------------------------ */

static void print_share(FILE *out, const struct qd_locate *locate)
{
    size_t quantized = 0, judged = 0;

    for (size_t i = 0; i < locate->network->node_count; i++) {
        quantized += locate->quantized[i];
        judged += locate->quantized[i] && locate->judged[i];
    }
    fprintf(out, "nodes     %zu; %zu of the %zu quantized ones are judged",
            locate->network->node_count, judged, quantized);
    size_t tenths =
        quantized > 0 ? judged * 1000 / quantized : 0; /* rounded down: 100 % means all */
    if (quantized > 0)
        fprintf(out, ", %zu.%zu %%", tenths / 10, tenths % 10);
    fputc('\n', out);
}

/* CPU of all processes, memory of the largest. */
static void print_cost(const struct qd_locate_report *report)
{
    const struct qd_locate *locate = report->locate;
    const struct qd_locate_cost cost = qd_locate_cost(locate);
    double seconds = fmax(qd_clock_seconds() - report->started, 1e-3);

    if (locate->jobs > 1)
        seconds *= (double)locate->jobs;
    fprintf(report->out,
            "cost      %.1f s of CPU, %ld MB; of that %.1f MB of values at most; %.0f %% of %.1f s "
            "inside the targets\n",
            cost.cpu_seconds, cost.megabytes, (double)locate->kept.most_bytes / 1e6,
            100 * fmin(cost.target_seconds / seconds, 1), seconds);
}

static void print_counts(const struct qd_locate_report *report, size_t done)
{
    const struct qd_locate *locate = report->locate;
    FILE *out = report->out;

    fprintf(out, "\nunits     %zu of %zu", done, locate->unit_count);
    if (report->taken_apart > 0)
        fprintf(out, ", %zu of them node by node", report->taken_apart);
    for (int i = 0; i < QD_UNIT_STATE_COUNT; i++)
        if (report->states[i] > 0)
            fprintf(out, "; %zu %s", report->states[i], qd_unit_state_word((enum qd_unit_state)i));
    if (report->sampled > 0)
        fprintf(out, "; %zu judged in part", report->sampled);
    fprintf(out, "; %zu wrong", report->wrong);
    if (report->advisory > 0)
        fprintf(out, ", %zu advisory", report->advisory);
    fputc('\n', out);
    for (size_t i = 0; i < report->reason_count; i++)
        fprintf(out, "          %zu: %s\n", report->reasons[i].count, report->reasons[i].text);
    print_share(out, locate);
    if (locate->values_used > 0)
        fprintf(
            out, "values    of %zu unit%s, which the reference does not compute, are those of %s\n",
            locate->values_used, locate->values_used == 1 ? "" : "s", qd_locate_values_id(locate));
    print_cost(report);
}

static void print_if(FILE *out, const char *what, const char *text)
{
    if (text[0] != '\0')
        fprintf(out, "  %-9s %s\n", what, text);
}

static void print_first(const struct qd_locate_report *report)
{
    const struct qd_first_wrong *first = &report->first;
    const struct qd_options *options = report->locate->options;

    if (first->number == 0)
        return;
    fprintf(report->out, "\nthe first %s unit is %s\n", first->wrong ? "wrong" : "advisory",
            first->id);
    print_if(report->out, "operators", first->ops);
    print_if(report->out, "gives", first->name);
    print_if(report->out, "target", report->locate->targets->items[first->target].id);
    print_if(report->out, "verdict", first->verdict);
    print_if(report->out, "clause", first->clause);
    print_if(report->out, "diagnosis", first->diagnosis);
    print_if(report->out, "effect", first->effect);
    print_if(report->out, "place", first->place);
    print_if(report->out, "facts", first->facts);
    print_if(report->out, "message", first->message);
    print_if(report->out, "sample", first->sample);
    if (first->from_target)
        print_if(report->out, "inputs",
                 "some come from a target: the reference cannot compute all before");
    if (first->sample[0] != '\0')
        print_if(report->out, "next", "a greater --work judges it whole");
    else if (options->output)
        fprintf(report->out, "  %-9s qdiff repro %s/%s --target '%s'\n", "see", options->output,
                first->id, report->locate->targets->items[first->target].id);
    else
        print_if(report->out, "next",
                 "--output DIR keeps the units as cases, and the first one reduced");
}

enum qd_exit qd_locate_report_end(struct qd_locate_report *report, size_t done,
                                  struct qd_error *error)
{
    enum qd_exit code = qd_summary_exit(&report->summary);
    bool complete = done == report->locate->unit_count;

    if (report->progress)
        fputc('\n', report->err);
    print_counts(report, done);
    print_first(report);
    if (qd_causes_find(&report->causes, error) == QD_OK)
        qd_causes_print(&report->causes, QD_CAUSES_SHOWN, report->err);
    if (report->file) {
        qd_summary_write(&report->summary, complete, qd_clock_seconds() - report->started,
                         report->file);
        if (fclose(report->file) != 0)
            code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    }
    if (report->summary.comparisons == 0)
        fputs("qdiff locate: nothing was compared\n", report->err);
    qd_summary_clear(&report->summary);
    qd_causes_clear(&report->causes);
    return code;
}
