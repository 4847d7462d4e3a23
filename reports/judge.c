#include <math.h>
#include <string.h>

#include "describe.h"
#include "evaluated.h"

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
    const struct qd_value *value;
    char text[40];
    double real;

    if (values == NULL) {
        return NULL;
    }
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, arena, values, NULL) != QD_OK) {
        return "";
    }
    value = &values[comparison->output];
    real = value->real != NULL ? value->real[comparison->element] : (double)NAN;
    if (isnan(real)) {
        return "";
    }
    return qd_arena_printf(arena, "%s%s", qd_describe_number(QD_F64, real, text, sizeof text),
                           qd_value_flags(value, comparison->element) & QD_TIE
                               ? ", exactly half-way between two codes"
                               : "");
}

/* Where and how the first mismatching element differs. */
static void describe_element(const struct qd_evaluated *evaluated, struct qd_arena *arena,
                             struct qd_result *result)
{
    const struct qd_comparison *comparison = &result->comparison;
    const struct qd_graph *graph = evaluated->selected->kase->graph;
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
    result->real = exact_number(evaluated->selected->kase, comparison, arena);
}

/* The node that gives the case its operator. */
static const struct qd_node *principal_node(const struct qd_case *kase)
{
    const char *op = qd_case_op(kase);

    for (size_t i = 0; i < kase->graph->node_count; i++) {
        const struct qd_node *node = &kase->graph->nodes[i];
        size_t domain = strlen(node->domain);

        if (strcmp(node->op_type, op) == 0 ||
            (strncmp(op, node->domain, domain) == 0 && op[domain] == ':' &&
             strcmp(op + domain + 1, node->op_type) == 0)) {
            return node;
        }
    }
    return NULL;
}

static struct qd_parameter input_parameter(const struct qd_case *kase, int value,
                                           struct qd_arena *arena)
{
    const struct qd_tensor *tensor = qd_case_tensor(kase, value);

    return (struct qd_parameter){kase->graph->values[value].name,
                                 tensor == NULL
                                     ? "(computed by another node)"
                                     : qd_describe_tensor(tensor, SHOWN_ELEMENTS, arena)};
}

static void describe_node(const struct qd_case *kase, struct qd_arena *arena,
                          struct qd_result *result)
{
    const struct qd_node *node = principal_node(kase);
    struct qd_parameter *parameters;
    size_t count = 0;

    if (node == NULL) {
        return;
    }
    parameters = qd_arena_array(arena, node->attr_count + node->input_count, sizeof *parameters);
    for (size_t i = 0; parameters != NULL && i < node->attr_count; i++) {
        parameters[count++] =
            (struct qd_parameter){node->attrs[i].name, qd_describe_attr(&node->attrs[i], arena)};
    }
    for (size_t i = 0; parameters != NULL && i < node->input_count; i++) {
        if (node->inputs[i] != QD_NO_VALUE) {
            parameters[count++] = input_parameter(kase, node->inputs[i], arena);
        }
    }
    result->parameters = parameters;
    result->parameter_count = count;
}

static bool complete(const struct qd_result *result)
{
    for (size_t i = 0; i < result->parameter_count; i++) {
        if (result->parameters[i].value == NULL) {
            return false;
        }
    }
    return result->parameters != NULL && result->message != NULL && result->features != NULL &&
           result->output != NULL && result->element != NULL && result->want != NULL &&
           result->have != NULL && result->lo != NULL && result->hi != NULL && result->real != NULL;
}

/* The target's words without the line ends that many put behind them. */
static const char *words_of(const struct qd_run *run, struct qd_arena *arena)
{
    char *words = qd_arena_string(arena, run->message);

    for (size_t length = words == NULL ? 0 : strlen(words);
         length > 0 && strchr(" \r\n", words[length - 1]) != NULL; length--) {
        words[length - 1] = '\0';
    }
    return words;
}

static enum qd_status describe_divergence(const struct qd_evaluated *evaluated,
                                          const struct qd_run *run, struct qd_arena *arena,
                                          struct qd_result *result, struct qd_error *error)
{
    char features[2048];

    result->message = words_of(run, arena);
    result->signal = run->signal;
    result->features = qd_arena_string(
        arena, qd_features_describe(&evaluated->selected->features, features, sizeof features));
    if (result->comparison.mismatched > 0 && evaluated->shapes != NULL) {
        describe_element(evaluated, arena, result);
    }
    describe_node(evaluated->selected->kase, arena, result);
    return complete(result) ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory to say what differs");
}

static const char *join_tags(const struct qd_case *kase, struct qd_arena *arena)
{
    const char *joined = "";

    for (size_t i = 0; i < kase->tag_count && joined != NULL; i++) {
        joined = i == 0 ? kase->tags[0] : qd_arena_printf(arena, "%s,%s", joined, kase->tags[i]);
    }
    return joined;
}

static void take_row(const struct qd_expectation *row, enum qd_result_kind kind,
                     struct qd_result *result)
{
    if (row != NULL) {
        result->kind = kind;
        result->row = row->row;
        result->issue = row->issue;
        result->reason = row->reason;
    }
}

static void expect(const struct qd_evaluated *evaluated, const struct qd_run *run,
                   struct qd_expectations *expectations, struct qd_result *result)
{
    const struct qd_expectation *unexpected = NULL, *row = NULL;

    if (expectations != NULL) {
        const struct qd_evidence evidence = {evaluated->selected->kase,
                                             &evaluated->selected->features,
                                             result->comparison.verdict, evaluated->values, run};
        row = qd_expectations_match(expectations, &evidence, &unexpected);
    }
    if (qd_verdict_is_divergence(result->comparison.verdict)) {
        result->kind = QD_RESULT_FAIL;
        take_row(row, QD_RESULT_KNOWN, result);
    } else {
        take_row(unexpected, QD_RESULT_FIXED, result);
    }
}

enum qd_status qd_judge(const struct qd_evaluated *evaluated, const char *target,
                        const struct qd_run *run, struct qd_expectations *expectations,
                        struct qd_arena *arena, struct qd_result *result, struct qd_error *error)
{
    const struct qd_case *kase = evaluated->selected->kase;
    struct qd_result judged = qd_result_init(kase->id, qd_case_op(kase), target, QD_RESULT_PASS);
    enum qd_status status = QD_OK;

    qd_compare(kase, evaluated->values, run, &judged.comparison);
    if (run->outcome == QD_OUTCOME_REJECTED || run->outcome == QD_OUTCOME_CRASH ||
        run->outcome == QD_OUTCOME_HANG || run->outcome == QD_OUTCOME_OOM) {
        judged.stage = run->stage == QD_STAGE_LOAD ? "load" : "run";
    }
    judged.tags = join_tags(kase, arena);
    if (judged.tags == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for the tags");
    }
    expect(evaluated, run, expectations, &judged);
    if (qd_verdict_is_divergence(judged.comparison.verdict)) {
        status = describe_divergence(evaluated, run, arena, &judged, error);
    }
    if (status == QD_OK) {
        *result = judged;
    }
    return status;
}
