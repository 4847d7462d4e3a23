/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/evaluate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/override.h"

#define QD_OP(file) extern const struct qd_op qd_op_##file;
#include "qdiff/ops.def"
#undef QD_OP

static const struct qd_op *const ops[] = {
#define QD_OP(file) &qd_op_##file,
#include "qdiff/ops.def"
#undef QD_OP
};
#define OP_COUNT (sizeof ops / sizeof *ops)

const struct qd_op *qd_op_at(size_t i)
{
    return i < OP_COUNT ? ops[i] : NULL;
}

const struct qd_op *qd_op_find(const char *domain, const char *name)
{
    if (!domain || strcmp(domain, "ai.onnx") == 0)
        domain = "";
    for (size_t i = 0; i < OP_COUNT; i++)
        if (*ops[i]->name == *name && strcmp(ops[i]->name, name) == 0 &&
            strcmp(ops[i]->domain, domain) == 0)
            return ops[i];
    return NULL;
}

enum qd_status qd_spend(const struct qd_evaluation *evaluation, double units)
{
    if (!evaluation->work)
        return QD_OK;
    *evaluation->work -= units;
    if (*evaluation->work >= 0)
        return QD_OK;
    return qd_fail(evaluation->error, QD_LIMIT,
                   "evaluating the case costs more multiply-accumulates than it may");
}

/* The word of a comma-separated list that begins with `name` and ends there or at a ':', NULL if
 * none does. */
static const char *find_word(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (*list) {
        size_t word = strcspn(list, ","), bare = strcspn(list, ":,");
        if (bare == length && memcmp(list, name, length) == 0)
            return list;
        list += word + (list[word] == ',');
    }
    return NULL;
}

bool qd_op_is_flag(const struct qd_op *op, const char *attribute)
{
    return op->flags && find_word(op->flags, attribute);
}

static size_t count_words(const char *list)
{
    size_t count = *list != '\0';
    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* "name", "name:13-", "name:-12" or "name:8-12": whether the word covers the opset. */
static bool covers(const char *word, int64_t opset)
{
    word += strcspn(word, ":,");
    if (*word != ':')
        return true;
    char *end;
    int64_t since = *++word == '-' ? 1 : strtoll(word, &end, 10);
    word = strchr(word, '-') + 1;
    int64_t last = *word >= '0' && *word <= '9' ? strtoll(word, &end, 10) : INT64_MAX;
    return since <= opset && opset <= last;
}

/* The rules that evaluate_node breaks for the operator. */
static size_t general_rules(const struct qd_op *op, const char **slugs)
{
    size_t count = 0;
    if (op->since > 1)
        slugs[count++] = "opset";
    slugs[count++] = "input-count";
    if (op->max_inputs > 1)
        slugs[count++] = "input-missing";
    slugs[count++] = "output-count";
    slugs[count++] = "attribute-unknown";
    if (op->attributes && *op->attributes)
        slugs[count++] = "attribute-type";
    return count;
}

bool qd_op_rule(const struct qd_op *op, size_t i, char *rule, size_t size)
{
    const char *general[6];
    size_t count = general_rules(op, general);
    if (!op->rules || i >= count + count_words(op->rules))
        return false;
    const char *slug = i < count ? general[i] : op->rules;
    for (size_t skip = i < count ? 0 : i - count; skip > 0; skip--)
        slug = strchr(slug, ',') + 1;
    snprintf(rule, size, "%s/%.*s", op->name, (int)strcspn(slug, ","), slug);
    return true;
}

static bool lists_rule(const struct qd_op *op, const char *slug)
{
    const char *general[6];
    size_t count = general_rules(op, general);
    for (size_t i = 0; i < count; i++)
        if (strcmp(general[i], slug) == 0)
            return true;
    return find_word(op->rules, slug) != NULL;
}

enum qd_status qd_node_rule(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *slug, const char *format, ...)
{
    char rule[64], text[256];
    if (node->op && node->op->rules && !lists_rule(node->op, slug))
        return qd_fail(evaluation->error, QD_INTERNAL, "%s breaks rule %s, which it does not list",
                       node->op_type, slug);
    snprintf(rule, sizeof rule, "%.24s/%.38s", node->op_type, slug);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return qd_fail_rule(evaluation->error, rule, "%.48s: %s", node->op_type, text);
}

/* Number of operands without the absent ones at the end. */
static size_t present(const int *operands, size_t count)
{
    while (count > 0 && operands[count - 1] == QD_NO_VALUE)
        count--;
    return count;
}

static enum qd_status check_arity(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node)
{
    const struct qd_op *op = node->op;
    size_t inputs = present(node->inputs, node->input_count);
    size_t outputs = present(node->outputs, node->output_count);
    if (*op->domain == '\0' && node->opset > QD_MAX_OPSET)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "opset %lld is newer than %d, the newest one the reference knows",
                       (long long)node->opset, QD_MAX_OPSET);
    if (node->opset < op->since)
        return qd_node_rule(evaluation, node, "opset",
                            "exists since opset %lld, the model imports %lld", (long long)op->since,
                            (long long)node->opset);
    bool many_inputs = op->variadic && op->max_inputs > op->outputs;
    bool many_outputs = op->variadic && !many_inputs;
    if ((many_inputs && inputs > op->max_inputs) || (many_outputs && outputs > op->outputs))
        return qd_fail(evaluation->error, QD_LIMIT, "%s: more than %u inputs or %u outputs",
                       op->name, op->max_inputs, op->outputs);
    if (inputs < op->min_inputs || inputs > op->max_inputs)
        return qd_node_rule(evaluation, node, "input-count",
                            "takes %u to %u inputs, the node has %zu", op->min_inputs,
                            op->max_inputs, inputs);
    /* None of a row of any length is optional. */
    for (size_t i = 0; i < (many_inputs ? node->input_count : op->min_inputs); i++)
        if (node->inputs[i] == QD_NO_VALUE && !(op->optional >> i & 1))
            return qd_node_rule(evaluation, node, "input-missing",
                                "input %zu is required and absent", i);
    if (outputs == 0 || outputs > op->outputs)
        return qd_node_rule(evaluation, node, "output-count",
                            "gives 1 to %u outputs, the node has %zu", op->outputs, outputs);
    return QD_OK;
}

static enum qd_status check_attributes(const struct qd_evaluation *evaluation,
                                       const struct qd_node *node)
{
    for (size_t i = 0; node->op->attributes && i < node->attr_count; i++) {
        const char *name = node->attrs[i].name, *word = find_word(node->op->attributes, name);
        if (!word || !covers(word, node->opset))
            return qd_node_rule(evaluation, node, "attribute-unknown",
                                "has no attribute %.40s at opset %lld", name,
                                (long long)node->opset);
    }
    return QD_OK;
}

static enum qd_status evaluate_node(struct qd_evaluation *evaluation, const struct qd_node *node,
                                    struct qd_value *values)
{
    struct qd_error *error = evaluation->error;
    if (!node->op)
        return qd_fail(error, QD_UNSUPPORTED, "operator %s%s%s is not in the reference",
                       node->domain, *node->domain ? "." : "", node->op_type);
    enum qd_status status = check_arity(evaluation, node);
    if (status == QD_OK)
        status = check_attributes(evaluation, node);
    if (status != QD_OK)
        return status;
    const struct qd_value *in[QD_MAX_OPERANDS] = {NULL};
    struct qd_value out[QD_MAX_OPERANDS];
    if (node->op->max_inputs > QD_MAX_OPERANDS || node->op->outputs > QD_MAX_OPERANDS)
        return qd_fail(error, QD_INTERNAL, "%s has more than %d operands", node->op_type,
                       QD_MAX_OPERANDS);
    for (size_t i = 0; i < present(node->inputs, node->input_count); i++)
        in[i] = node->inputs[i] == QD_NO_VALUE ? NULL : &values[node->inputs[i]];
    for (size_t i = 0; status == QD_OK && i < QD_MAX_OPERANDS; i++)
        status = in[i] ? qd_spend(evaluation, QD_WORK_ELEMENT * (double)in[i]->want.count) : QD_OK;
    if (status == QD_OK)
        status = qd_override_node(evaluation, evaluation->semantics->override, node, in, out);
    if (status == QD_OK)
        status = qd_sample_end(evaluation, node, &out[0]);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < present(node->outputs, node->output_count); i++)
        if (node->outputs[i] != QD_NO_VALUE)
            values[node->outputs[i]] = out[i];
    return QD_OK;
}

static enum qd_status check_declared(const struct qd_graph_value *value,
                                     const struct qd_tensor *have, const char *what,
                                     struct qd_error *error)
{
    char text[128];
    if (value->declared_dtype != QD_DTYPE_NONE && value->declared_dtype != have->dtype)
        return qd_fail_rule(error, "graph/declared-type", "%s '%s' is declared as %s and is %s",
                            what, value->name, qd_dtype_info(value->declared_dtype)->word,
                            qd_tensor_describe(have, text, sizeof text));
    bool same = value->declared_rank < 0 || (unsigned)value->declared_rank == have->rank;
    for (int i = 0; same && i < value->declared_rank; i++)
        same = value->declared_dims[i] < 0 || value->declared_dims[i] == have->dims[i];
    if (!same)
        return qd_fail_rule(error, "graph/declared-shape",
                            "%s '%s' is %s, which is not its declared shape", what, value->name,
                            qd_tensor_describe(have, text, sizeof text));
    return QD_OK;
}

static enum qd_status bind(const struct qd_graph *graph, const struct qd_tensor *inputs,
                           struct qd_value *values, struct qd_error *error)
{
    for (size_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].initializer)
            values[i] = qd_value_of_tensor(graph->values[i].initializer);
    for (size_t i = 0; i < graph->input_count; i++) {
        int v = graph->inputs[i];
        enum qd_status status = check_declared(&graph->values[v], &inputs[i], "input", error);
        if (status != QD_OK)
            return status;
        values[v] = qd_value_of_tensor(&inputs[i]);
    }
    return QD_OK;
}

/* Whether an output, or what only moves the elements to one, shows more of the node's first output than its hull. */
static bool is_hidden(const struct qd_graph *graph, const struct qd_node *node)
{
    int v = node->output_count > 0 ? node->outputs[0] : QD_NO_VALUE;
    for (size_t i = 0; i < graph->output_count; i++)
        if (graph->outputs[i] == v)
            return false;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *next = &graph->nodes[i];
        for (size_t k = 0; k < next->input_count; k++)
            if (next->inputs[k] == v && next->op && next->op->form == QD_FORM_MOVES)
                return false;
    }
    return true;
}

static enum qd_status evaluate_graph(struct qd_evaluation *evaluation, const struct qd_graph *graph,
                                     const struct qd_tensor *inputs, struct qd_value *outputs)
{
    struct qd_error *error = evaluation->error;
    enum qd_status status =
        qd_override_graph(evaluation->semantics->override, graph, evaluation->arena, &graph, error);
    if (status != QD_OK)
        return status;
    struct qd_value *values = qd_arena_array(evaluation->arena, graph->value_count, sizeof *values);
    if (!values)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu values", graph->value_count);
    status = bind(graph, inputs, values, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        evaluation->hidden = is_hidden(graph, &graph->nodes[i]);
        status = evaluate_node(evaluation, &graph->nodes[i], values);
    }
    for (size_t i = 0; status == QD_OK && i < graph->output_count; i++) {
        int v = graph->outputs[i];
        status = check_declared(&graph->values[v], &values[v].want, "output", error);
    }
    for (size_t i = 0; status == QD_OK && i < graph->output_count; i++)
        outputs[i] = values[graph->outputs[i]];
    return status;
}

static const struct qd_semantics defaults = {0};

enum qd_status qd_graph_evaluate_within(double work, bool keep_reals, const struct qd_graph *graph,
                                        const struct qd_tensor *inputs,
                                        const struct qd_semantics *semantics,
                                        struct qd_arena *arena, struct qd_value *outputs,
                                        struct qd_error *error)
{
    struct qd_evaluation evaluation = {.semantics = semantics ? semantics : &defaults,
                                       .arena = arena,
                                       .error = error,
                                       .keep_reals = keep_reals,
                                       .work = &work};
    return evaluate_graph(&evaluation, graph, inputs, outputs);
}

enum qd_status qd_graph_evaluate_sample(double work, struct qd_sample *sample,
                                        const struct qd_graph *graph,
                                        const struct qd_tensor *inputs, struct qd_arena *arena,
                                        struct qd_value *outputs, struct qd_error *error)
{
    struct qd_evaluation evaluation = {
        .semantics = &defaults, .arena = arena, .error = error, .work = &work, .sample = sample};
    return evaluate_graph(&evaluation, graph, inputs, outputs);
}

enum qd_status qd_graph_evaluate(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                 const struct qd_semantics *semantics, struct qd_arena *arena,
                                 struct qd_value *outputs, struct qd_error *error)
{
    return qd_graph_evaluate_within(QD_MAX_WORK, false, graph, inputs, semantics, arena, outputs,
                                    error);
}

enum qd_status qd_graph_explain(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                const struct qd_semantics *semantics, struct qd_arena *arena,
                                struct qd_value *outputs, struct qd_error *error)
{
    return qd_graph_evaluate_within(QD_MAX_WORK, true, graph, inputs, semantics, arena, outputs,
                                    error);
}
