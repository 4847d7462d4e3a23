/* SPDX-License-Identifier: Apache-2.0 */
/* A trial as a result: what TAP, results files and tables print of it. */
#include "result/trial_result.h"

#include <math.h>
#include <string.h>

#include "result/answers.h"
#include "text/describe.h"

enum { SHOWN_ELEMENTS = 16 };

static const char *number(enum qd_dtype dtype, double value, struct qd_arena *arena)
{
    char text[40];

    return qd_arena_string(arena, qd_describe_number(dtype, value, text, sizeof text));
}

/* The exact number that was rounded to what is wanted; "" where the reference has none. NULL when out of memory. */
static const char *exact_number(const struct qd_case *kase, const struct qd_comparison *comparison,
                                struct qd_arena *arena)
{
    size_t count = kase->graph->output_count;
    struct qd_value *values = qd_arena_array(arena, count, sizeof *values);

    if (!values)
        return NULL;
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, arena, values, NULL) != QD_OK)
        return "";
    const struct qd_value *value = &values[comparison->output];
    double real = value->real ? value->real[comparison->element] : (double)NAN;
    if (isnan(real))
        return "";
    char text[40];
    return qd_arena_printf(arena, "%s%s", qd_describe_number(QD_F64, real, text, sizeof text),
                           qd_value_flags(value, comparison->element) & QD_TIE
                               ? ", exactly half-way between two codes"
                               : "");
}

/* The same, of an answer that another target may have given before. */
static const char *known_number(const struct qd_case *kase, const struct qd_trial *trial,
                                struct qd_arena *arena)
{
    struct qd_answer_memo *memo = trial->memo;
    const char *real =
        memo && memo->real ? memo->real : exact_number(kase, &trial->comparison, arena);

    if (memo)
        memo->real = real;
    return real;
}

/* Where and how the first mismatching element differs. */
static void describe_element(const struct qd_evaluated *evaluated, const struct qd_trial *trial,
                             struct qd_arena *arena, struct qd_result *result)
{
    const struct qd_comparison *comparison = &result->comparison;
    const struct qd_graph *graph = evaluated->kase->graph;
    const struct qd_tensor *wanted = &evaluated->shapes[comparison->output];
    char shape[160];

    result->output =
        qd_arena_printf(arena, "%s %s", graph->values[graph->outputs[comparison->output]].name,
                        qd_tensor_describe(wanted, shape, sizeof shape));
    result->element = qd_describe_place(wanted, comparison->element, arena);
    result->want = number(wanted->dtype, comparison->want, arena);
    result->have = number(wanted->dtype, comparison->have, arena);
    result->lo = number(wanted->dtype, comparison->lo, arena);
    result->hi = number(wanted->dtype, comparison->hi, arena);
    result->real = known_number(evaluated->kase, trial, arena);
    result->answers = qd_answers_describe(evaluated, &trial->run, arena);
}

static struct qd_parameter input_parameter(const struct qd_case *kase, int value,
                                           struct qd_arena *arena)
{
    const struct qd_tensor *tensor = qd_case_tensor(kase, value);

    return (struct qd_parameter){kase->graph->values[value].name,
                                 !tensor ? "(computed by another node)"
                                         : qd_describe_tensor(tensor, SHOWN_ELEMENTS, arena)};
}

static void describe_node(const struct qd_case *kase, struct qd_arena *arena,
                          struct qd_result *result)
{
    const struct qd_node *node = qd_graph_principal(kase->graph);
    size_t count = 0;

    if (!node)
        return;
    struct qd_parameter *parameters =
        qd_arena_array(arena, node->attr_count + node->input_count, sizeof *parameters);
    for (size_t i = 0; parameters && i < node->attr_count; i++) {
        parameters[count++] =
            (struct qd_parameter){node->attrs[i].name, qd_describe_attr(&node->attrs[i], arena)};
    }
    for (size_t i = 0; parameters && i < node->input_count; i++)
        if (node->inputs[i] != QD_NO_VALUE)
            parameters[count++] = input_parameter(kase, node->inputs[i], arena);
    result->parameters = parameters;
    result->parameter_count = count;
}

static bool complete(const struct qd_result *result)
{
    for (size_t i = 0; i < result->parameter_count; i++)
        if (!result->parameters[i].value)
            return false;
    return result->parameters && result->message && result->output && result->element &&
           result->want && result->have && result->lo && result->hi && result->real &&
           result->answers;
}

/* The target's words without the line ends that many put after them. */
static const char *words_of(const struct qd_run *run, struct qd_arena *arena)
{
    char *words = qd_arena_string(arena, run->message);
    for (size_t length = words ? strlen(words) : 0;
         length > 0 && strchr(" \r\n", words[length - 1]); length--)
        words[length - 1] = '\0';
    return words;
}

static const char *join_tags(const struct qd_case *kase, struct qd_arena *arena)
{
    const char *joined = "";
    for (size_t i = 0; i < kase->tag_count && joined; i++)
        joined = i == 0 ? kase->tags[0] : qd_arena_printf(arena, "%s,%s", joined, kase->tags[i]);
    return joined;
}

/* --- Why it differs ----------------------------------------------------------------------------- */

static enum qd_status describe_diagnosis(const struct qd_diagnosis *diagnosis,
                                         struct qd_arena *arena, struct qd_result *result,
                                         struct qd_error *error)
{
    result->evidence = qd_describe_evidence(diagnosis, arena);
    result->seen = qd_diagnosis_seen(diagnosis, arena);
    result->effect = qd_diagnosis_effect(diagnosis, arena);
    if (!result->evidence || !result->seen || !result->effect)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a diagnosis");
    result->diagnosis = diagnosis->label;
    result->place = diagnosis->place;
    result->facts = diagnosis->facts;
    return QD_OK;
}

/* --- By role ------------------------------------------------------------------------------------ */

static const char *stage_of(const struct qd_run *run)
{
    bool stops = run->outcome == QD_OUTCOME_REJECTED || run->outcome == QD_OUTCOME_CRASH ||
                 run->outcome == QD_OUTCOME_HANG || run->outcome == QD_OUTCOME_OOM;
    return !stops ? "" : run->stage == QD_STAGE_LOAD ? "load" : "run";
}

static enum qd_status describe_kernel(const struct qd_evaluated *evaluated,
                                      const struct qd_trial *trial, struct qd_arena *arena,
                                      struct qd_result *result, struct qd_error *error)
{
    result->stage = stage_of(&trial->run);
    result->tags = join_tags(evaluated->kase, arena);
    if (!result->tags)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the tags");
    char features[2048];
    result->features = qd_arena_string(
        arena, qd_features_describe(&evaluated->features, features, sizeof features));
    if (!result->features)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the features");
    result->rule = evaluated->kase->rule ? evaluated->kase->rule : "";
    if (!qd_verdict_is_divergence(result->comparison.verdict))
        return QD_OK;
    result->message = words_of(&trial->run, arena);
    result->signal = trial->run.signal;
    if (result->comparison.mismatched > 0 && evaluated->shapes)
        describe_element(evaluated, trial, arena, result);
    describe_node(evaluated->kase, arena, result);
    if (!complete(result))
        return qd_fail(error, QD_NO_MEMORY, "no memory to say what differs");
    return trial->diagnosis ? describe_diagnosis(trial->diagnosis, arena, result, error) : QD_OK;
}

enum { SHOWN_FINDINGS = 6 };

/* The findings' texts, one after the other; NULL when out of memory. */
static const char *join_findings(const struct qd_quantizer_report *report, struct qd_arena *arena)
{
    const char *joined = "";
    for (size_t i = 0; i < report->finding_count && i < SHOWN_FINDINGS && joined; i++)
        joined =
            qd_arena_printf(arena, "%s%s%s: %s", joined, i > 0 ? "; " : "",
                            qd_verdict_word(report->findings[i].class), report->findings[i].text);
    if (joined && report->finding_count > SHOWN_FINDINGS)
        joined = qd_arena_printf(arena, "%s; and %zu more", joined,
                                 report->finding_count - SHOWN_FINDINGS);
    return joined;
}

static const char *join_facts(const struct qd_quantizer_report *report, struct qd_arena *arena)
{
    const char *joined = "";
    for (size_t i = 0; i < report->fact_count && joined; i++)
        joined = qd_arena_printf(arena, "%s%s%s", joined, i > 0 ? "; " : "", report->facts[i]);
    return joined;
}

static enum qd_status describe_quantizer(const struct qd_evaluated *evaluated,
                                         const struct qd_trial *trial, struct qd_arena *arena,
                                         struct qd_result *result, struct qd_error *error)
{
    const struct qd_quantizer_report *report = trial->report;
    result->tags = evaluated->kase->tag_count > 0 ? evaluated->kase->tags[0] : "";
    result->signal = trial->run.signal;
    result->message = report && report->finding_count > 0
                          ? join_findings(report, arena)
                          : qd_arena_string(arena, trial->run.message);
    if (report && report->finding_count > 0)
        result->facts = join_facts(report, arena);
    return result->message && result->facts
               ? QD_OK
               : qd_fail(error, QD_NO_MEMORY, "no memory for findings");
}

/* --- All ---------------------------------------------------------------------------------------- */

static void take_row(const struct qd_expectation *row, struct qd_result *result)
{
    if (!row)
        return;
    result->row = row->row;
    result->issue = row->issue;
    result->reason = row->reason;
}

/* "12,40"; NULL when out of memory. */
static const char *join_lines(const struct qd_row_lines *rows, struct qd_arena *arena)
{
    const char *joined = "";
    for (size_t i = 0; i < rows->count && joined; i++)
        joined = qd_arena_printf(arena, "%s%s%zu", joined, i > 0 ? "," : "", rows->lines[i]);
    return joined;
}

static enum qd_result_kind kind_of(const struct qd_trial *trial)
{
    if (trial->divergence_count > 0)
        return trial->known ? QD_RESULT_KNOWN : trial->fails ? QD_RESULT_FAIL : QD_RESULT_ADVISORY;
    return trial->unexpected ? QD_RESULT_FIXED : QD_RESULT_PASS;
}

enum qd_status qd_trial_result(const struct qd_subject *subject,
                               const struct qd_evaluated *evaluated, const struct qd_trial *trial,
                               struct qd_arena *arena, struct qd_result *result,
                               struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_result made = qd_result_init(kase->id, kase->op, subject->id, QD_RESULT_SKIP);
    if (trial->skip) {
        made.why = trial->skip;
        *result = made;
        return QD_OK;
    }
    made.kind = kind_of(trial);
    made.comparison = trial->comparison;
    made.severity = trial->citation.severity;
    made.clause = trial->citation.clause;
    take_row(trial->divergence_count > 0 ? trial->row : trial->unexpected, &made);
    made.matched = join_lines(&trial->matched, arena);
    made.covering = join_lines(&trial->covering, arena);
    if (!made.matched || !made.covering)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the lines of rows");
    enum qd_status status = (subject->role == &qd_role_quantizer
                                 ? describe_quantizer
                                 : describe_kernel)(evaluated, trial, arena, &made, error);
    if (status == QD_OK)
        *result = made;
    return status;
}

enum qd_status qd_trial_judge(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                              const struct qd_trial_options *options, struct qd_arena *arena,
                              struct qd_result *result, struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_trial trial;
    enum qd_status status = qd_trial_run(subject, evaluated, options, arena, &trial, error);
    if (status == QD_OK)
        status = qd_trial_result(subject, evaluated, &trial, arena, result, error);
    if (status != QD_OK) {
        *result = qd_result_init(kase->id, kase->op, subject->id, QD_RESULT_BROKEN);
        result->why = error->text;
    }
    return status;
}
