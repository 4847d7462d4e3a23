#include "qdiff/signature.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "qdiff/evaluate.h"
#include "qdiff/features.h"

/* --- Text that is cut at its end ---------------------------------------------------------------- */

struct text {
    char *at;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->at + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    size_t left = text->size - text->used - 1;
    text->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left;
}

/* --- Types -------------------------------------------------------------------------------------- */

static const struct qd_node *producer_of(const struct qd_graph *graph, int value)
{
    for (size_t i = 0; i < graph->node_count; i++)
        for (size_t j = 0; j < graph->nodes[i].output_count; j++)
            if (graph->nodes[i].outputs[j] == value)
                return &graph->nodes[i];
    return NULL;
}

static const struct qd_node *reader_of(const struct qd_graph *graph, int value, const char *op_type)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].input_count > 0 && graph->nodes[i].inputs[0] == value &&
            strcmp(graph->nodes[i].op_type, op_type) == 0)
            return &graph->nodes[i];
    return NULL;
}

static int input_of(const struct qd_node *node, size_t i)
{
    return i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

static bool is_op(const struct qd_node *node, const char *op_type)
{
    return node && strcmp(node->op_type, op_type) == 0;
}

/* An attribute that is a number of a type; NONE without it. */
static enum qd_dtype attr_dtype(const struct qd_node *node, const char *name)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    return attr && attr->kind == QD_ATTR_INT ? qd_dtype_of_onnx((int32_t)attr->i) : QD_DTYPE_NONE;
}

/* The operand whose type the node's output has. */
static int model_operand(const struct qd_node *node)
{
    int found = input_of(node, 0);
    if (is_op(node, "Where"))
        return input_of(node, 1);
    if (is_op(node, "DequantizeLinear") || is_op(node, "MatMulIntegerToFloat"))
        return input_of(node, is_op(node, "DequantizeLinear") ? 1 : 2);
    if (is_op(node, "QuantizeLinear"))
        return input_of(node, 2);
    if (is_op(node, "QGemm")) /* float without y_zero_point, like a_scale */
        return input_of(node, 8) != QD_NO_VALUE ? input_of(node, 8) : input_of(node, 1);
    for (size_t i = 1; i < node->input_count; i++) /* the output's own zero point comes last */
        if (qd_op_role(node->op, i) == QD_ROLE_ZERO_POINT && node->inputs[i] != QD_NO_VALUE &&
            strncmp(node->op_type, "QLinear", 7) == 0)
            found = node->inputs[i];
    return found;
}

/* The type of a value, by what the model says alone: it holds for graphs that do not evaluate too. */
static enum qd_dtype dtype_of(const struct qd_case *kase, int value, int depth)
{
    const struct qd_graph *graph = kase->graph;
    if (value == QD_NO_VALUE || depth > 64)
        return QD_DTYPE_NONE;
    if (graph->values[value].initializer)
        return graph->values[value].initializer->dtype;
    for (size_t i = 0; i < graph->input_count; i++)
        if (graph->inputs[i] == value)
            return kase->inputs[i].dtype;
    const struct qd_node *node = producer_of(graph, value);
    if (!node)
        return QD_DTYPE_NONE;
    enum qd_dtype said = attr_dtype(node, is_op(node, "Cast") ? "to" : "output_dtype");
    if (said != QD_DTYPE_NONE)
        return said;
    if (is_op(node, "MatMulInteger") || is_op(node, "ConvInteger"))
        return QD_S32;
    if (is_op(node, "DynamicQuantizeLinear"))
        return node->outputs[1] == value ? QD_F32 : QD_U8;
    enum qd_dtype like = dtype_of(kase, model_operand(node), depth + 1);
    return like == QD_DTYPE_NONE && is_op(node, "QuantizeLinear") ? QD_U8 : like;
}

static bool is_quantizer(const struct qd_node *node)
{
    return is_op(node, "QuantizeLinear") || is_op(node, "DequantizeLinear");
}

/* The node that gives the case its operator. */
static const struct qd_node *principal_node(const struct qd_case *kase)
{
    const struct qd_graph *graph = kase->graph;
    for (size_t i = 0; i < graph->node_count; i++)
        if (!is_quantizer(&graph->nodes[i]))
            return &graph->nodes[i];
    return graph->node_count > 0 ? &graph->nodes[0] : NULL;
}

static enum qd_dtype operand_codes(const struct qd_case *kase, const struct qd_node *node,
                                   int value)
{
    const struct qd_node *from = producer_of(kase->graph, value);
    bool through = !is_quantizer(node) && is_op(from, "DequantizeLinear");
    return dtype_of(kase, through ? input_of(from, 0) : value, 0);
}

static enum qd_dtype output_codes(const struct qd_case *kase, const struct qd_node *node, int value)
{
    const struct qd_node *to = reader_of(kase->graph, value, "QuantizeLinear");
    return dtype_of(kase, to && !is_quantizer(node) ? to->outputs[0] : value, 0);
}

static bool counts(const struct qd_node *node, size_t i)
{
    const struct qd_op *op = node->op;
    if (!op || i == 0)
        return true;
    return i < op->min_inputs && !(op->optional >> i & 1) && !op->variadic &&
           qd_op_role(op, i) == QD_ROLE_DATA;
}

const char *qd_signature_types(const struct qd_case *kase, char *text, size_t size)
{
    const struct qd_node *node = principal_node(kase);
    struct text types = {text, size, 0};
    *text = '\0';
    for (size_t i = 0; node && i < node->input_count; i++) {
        enum qd_dtype dtype =
            counts(node, i) ? operand_codes(kase, node, node->inputs[i]) : QD_DTYPE_NONE;
        if (dtype != QD_DTYPE_NONE && (i == 0 || dtype != QD_S64))
            add(&types, "%s", qd_dtype_info(dtype)->word);
    }
    if (node && node->output_count > 0)
        add(&types, "%s", qd_dtype_info(output_codes(kase, node, node->outputs[0]))->word);
    if (types.used == 0)
        add(&types, "none");
    return text;
}

/* --- The shape of a difference ------------------------------------------------------------------ */

static bool differs(const struct qd_value *value, const struct qd_tensor *have, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    double h = qd_tensor_value(have, i);
    return !seen.unspecified && (isnan(h) ? !seen.nan : !(seen.lo <= h && h <= seen.hi));
}

/* A code such that neighbouring numbers of the type have neighbouring codes. */
static int64_t ordered_code(const struct qd_tensor *tensor, int64_t i)
{
    int64_t code = qd_tensor_get(tensor, i);
    if (!qd_dtype_is_float(tensor->dtype))
        return code;
    unsigned bits = qd_dtype_info(tensor->dtype)->bits;
    int64_t magnitude = code & (INT64_MAX >> (64 - bits));
    return qd_tensor_value(tensor, i) < 0 ? -magnitude : magnitude;
}

struct distances {
    int64_t count, one, few, ends;
    bool nan;
};

static void measure(const struct qd_tensor *want, const struct qd_tensor *have, int64_t i,
                    struct distances *d)
{
    const struct qd_dtype_info *info = qd_dtype_info(want->dtype);
    int64_t h = ordered_code(have, i), w = ordered_code(want, i);
    uint64_t far = h > w ? (uint64_t)h - (uint64_t)w : (uint64_t)w - (uint64_t)h;
    d->count++;
    d->nan = d->nan || isnan(qd_tensor_value(have, i)) != isnan(qd_tensor_value(want, i));
    d->one += far <= 1;
    d->few += far <= 16;
    d->ends += info->min < info->max && (h == info->min || h == info->max);
}

const char *qd_signature_shape(const struct qd_case *kase, const struct qd_value *values,
                               const struct qd_run *run)
{
    struct distances d = {0};
    for (size_t i = 0; i < kase->graph->output_count; i++)
        for (int64_t j = 0; j < values[i].want.count; j++)
            if (differs(&values[i], &run->outputs[i], j))
                measure(&values[i].want, &run->outputs[i], j, &d);
    if (d.nan)
        return "nan";
    if (d.one == d.count)
        return "one";
    if (d.ends == d.count)
        return "ends";
    return d.few == d.count ? "few" : "far";
}

/* --- Words of a target -------------------------------------------------------------------------- */

uint32_t qd_signature_words(const char *message)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *at = message; *at; at++) {
        if ((*at == '\'' || *at == '"') && strchr(at + 1, *at))
            at = strchr(at + 1, *at);
        if (isalpha((unsigned char)*at))
            hash = (hash ^ (uint32_t)(unsigned char)*at) * 16777619u;
    }
    return hash;
}

/* --- The signature ------------------------------------------------------------------------------ */

static void add_label(struct text *text, const struct qd_diagnosis *diagnosis, const char *shape)
{
    if (diagnosis->quirk_count == 0) {
        add(text, "unexplained-%s", shape);
        return;
    }
    add(text, "%s", diagnosis->quirks[0]->name);
    if (diagnosis->kind == QD_DIAGNOSIS_PAIR)
        add(text, "+%s", diagnosis->quirks[1]->name);
    else if (diagnosis->quirk_count == 2)
        add(text, "-or-%s", diagnosis->quirks[1]->name);
    else if (diagnosis->quirk_count > 2)
        add(text, "-or-%zu-others", diagnosis->quirk_count - 1);
}

static void add_way(struct text *text, const struct qd_run *run)
{
    add(text, "%s", run->stage == QD_STAGE_LOAD ? "load" : "run");
    if (run->outcome == QD_OUTCOME_CRASH)
        add(text, "-signal-%d", run->signal);
    else if (run->message[0] && run->outcome != QD_OUTCOME_HANG && run->outcome != QD_OUTCOME_OOM)
        add(text, "-%08" PRIx32, qd_signature_words(run->message));
}

/* What no file name should hold becomes '.'. */
static void make_safe(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("+_-", *text))
            *text = '.';
}

void qd_signature_make(const struct qd_case *kase, const struct qd_value *values,
                       const char *target, const struct qd_run *run,
                       const struct qd_comparison *comparison, const struct qd_diagnosis *diagnosis,
                       char *signature)
{
    struct text text = {signature, QD_SIGNATURE_SIZE, 0};
    char types[64];
    *signature = '\0';
    const char *op = qd_case_op(kase);
    add(&text, "%s-%s-%s-%s-", *op ? op : "none", qd_signature_types(kase, types, sizeof types),
        target, qd_verdict_word(comparison->verdict));
    const char *slash = strrchr(kase->rule, '/');
    if (comparison->verdict == QD_VERDICT_VALUE)
        add_label(&text, diagnosis, qd_signature_shape(kase, values, run));
    else if (comparison->verdict == QD_VERDICT_ACCEPTS_INVALID)
        add(&text, "%s", slash ? slash + 1 : kase->rule);
    else
        add_way(&text, run);
    make_safe(signature);
    if (*signature == '.' || *signature == '-') /* no hidden file, and no option of a command */
        *signature = '_';
}

enum qd_status qd_finding_identify(struct qd_session *session, const struct qd_case *kase,
                                   const struct qd_value *values, const struct qd_run *run,
                                   const struct qd_diagnose_options *options,
                                   struct qd_arena *arena, struct qd_finding *finding,
                                   struct qd_error *error)
{
    struct qd_finding found = {
        .diagnosis = {.kind = QD_DIAGNOSIS_UNEXPLAINED, .label = "", .place = "", .facts = ""}};
    qd_compare(kase, values, run, &found.comparison);
    if (found.comparison.verdict == QD_VERDICT_VALUE) {
        enum qd_status status =
            qd_diagnose(session, kase, values, run, options, arena, &found.diagnosis, error);
        if (status != QD_OK)
            return status;
    }
    if (qd_verdict_is_divergence(found.comparison.verdict))
        qd_signature_make(kase, values, qd_session_info(session)->name, run, &found.comparison,
                          &found.diagnosis, found.signature);
    *finding = found;
    return QD_OK;
}

void qd_signature_print(FILE *out, const char *signature)
{
    fprintf(out, "Assertion failure: %s\nDEDUP_TOKEN: %s\n", signature, signature);
}
