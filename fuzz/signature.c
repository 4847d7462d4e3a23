/* SPDX-License-Identifier: Apache-2.0 */
/* Names of findings: what a divergence is, apart from the numbers that showed it. */
#include "qdiff/signature.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "qdiff/evaluate.h"
#include "qdiff/features.h"

const struct qd_diagnosis qd_undiagnosed = {
    .kind = QD_DIAGNOSIS_UNEXPLAINED, .label = "unexplained", .place = "", .facts = ""};

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

static bool is_quantizer(const struct qd_node *node)
{
    return is_op(node, "QuantizeLinear") || is_op(node, "DequantizeLinear");
}

static enum qd_dtype operand_codes(const struct qd_case *kase, const struct qd_node *node,
                                   int value)
{
    int producer = qd_graph_producer(kase->graph, value);
    const struct qd_node *from = producer < 0 ? NULL : &kase->graph->nodes[producer];
    bool through = !is_quantizer(node) && is_op(from, "DequantizeLinear");
    return qd_case_dtype(kase, through ? input_of(from, 0) : value);
}

static enum qd_dtype output_codes(const struct qd_case *kase, const struct qd_node *node, int value)
{
    const struct qd_node *to = reader_of(kase->graph, value, "QuantizeLinear");
    return qd_case_dtype(kase, to && !is_quantizer(node) ? to->outputs[0] : value);
}

static bool counts(const struct qd_node *node, size_t i)
{
    const struct qd_op *op = node->op;
    if (!op || i == 0)
        return true;
    return i < op->min_inputs && !(op->optional >> i & 1) && !op->variadic &&
           !qd_op_is_parameter(op, i) && qd_op_role(op, i) != QD_ROLE_BIAS;
}

const char *qd_signature_types(const struct qd_case *kase, char *text, size_t size)
{
    const struct qd_node *node = qd_graph_principal(kase->graph);
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
    return !seen.unspecified && !qd_observation_admits(&seen, qd_tensor_value(have, i));
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

const char *qd_signature_shape(const struct qd_evaluated *evaluated, const struct qd_run *run)
{
    const struct qd_value *values = evaluated->values;
    struct distances d = {0};
    for (size_t i = 0; i < evaluated->kase->graph->output_count; i++)
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

/* Past a part that names or lists something, "'n1'", "(13)", "{1,3,8}", "[with
 * T = float]"; `at` itself if none begins there. */
static const char *past_part(const char *at)
{
    static const char opening[] = "'\"([{<", closing[] = "'\")]}>";
    const char *kind = strchr(opening, *at);
    const char *end = *at && kind ? strchr(at + 1, closing[kind - opening]) : NULL;
    return end ? end + 1 : at;
}

/* A word that changes from case to case or from release to release: a number, a path, a qualified name. */
static bool is_incidental(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)word[i]) || word[i] == '/' || word[i] == '_' ||
            (word[i] == ':' && i + 1 < length && word[i + 1] == ':'))
            return true;
    return false;
}

static uint32_t hash_words(uint32_t hash, const char *at, const char *end)
{
    while (at < end) {
        const char *past = past_part(at);
        size_t length = strcspn(at, " \t\r\n'\"([{<");
        if (past == at && length == 0)
            past++;
        for (size_t i = 0; past == at && i < length && !is_incidental(at, length); i++)
            if (isalpha((unsigned char)at[i]))
                hash = (hash ^ (uint32_t)(unsigned char)at[i]) * 16777619u;
        at = past > at ? past : at + length;
    }
    return hash;
}

/* Where a message was shortened (qd_text_shorten). Next to it a word may be half of one. */
#define GAP "[...]\n"

static const char *first_line_end(const char *message)
{
    const char *end = message + strcspn(message, "\n");
    if (*end && strncmp(end + 1, GAP, strlen(GAP)) == 0)
        while (end > message && !isspace((unsigned char)*--end)) {
        }
    return end;
}

/* Not before `least`. */
static const char *last_line(const char *least, const char *end)
{
    const char *begin = end;
    while (begin > least && begin[-1] != '\n')
        begin--;
    if (begin - least >= (ptrdiff_t)strlen(GAP) &&
        strncmp(begin - strlen(GAP), GAP, strlen(GAP)) == 0)
        begin += strcspn(begin, " \t");
    return begin < end ? begin : end;
}

/* The first line and the last: what lies between grows with the case. */
uint32_t qd_signature_words(const char *message)
{
    const char *first = first_line_end(message), *end = message + strlen(message);
    while (end > first && isspace((unsigned char)end[-1]))
        end--;
    uint32_t hash = hash_words(2166136261u /* FNV-1a */, message, first);
    return hash_words(hash, last_line(first, end), end);
}

/* --- Causes of death ---------------------------------------------------------------------------- */

#define INNERMOST 3 /* frames that count */

/* Text as it stands but for numbers, addresses and blanks. */
static uint32_t hash_cause(uint32_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '0' && i + 1 < length && text[i + 1] == 'x')
            for (i += 2; i < length && isxdigit((unsigned char)text[i]);)
                i++;
        if (i < length && !isdigit((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            hash = (hash ^ (uint32_t)(unsigned char)text[i]) * 16777619u;
    }
    return hash;
}

/* Where a line with "dir/file.cc:12: " before `at` has its file's name; `at` itself if it has none. */
static const char *file_before(const char *words, const char *at)
{
    const char *begin = at, *found = at;
    while (begin > words && begin[-1] != '\n')
        begin--;
    for (const char *colon = begin; found == at && colon < at; colon++) {
        size_t digits = *colon == ':' ? strspn(colon + 1, "0123456789") : 0;
        if (digits == 0 || colon[digits + 1] != ':')
            continue;
        for (found = colon; found > begin && !strchr("/ \t", found[-1]);)
            found--;
    }
    return found;
}

/* "file.cc:12: function: Assertion `what' failed", of glibc or of libstdc++, which puts it in other quotation marks. */
static uint32_t hash_assertion(const char *words)
{
    static const char *const openings[] = {"Assertion `", "Assertion '"};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        const char *at = strstr(words, openings[i]);
        const char *end = at ? strstr(at, "' failed") : NULL;
        const char *begin = end ? file_before(words, at) : NULL;
        if (begin)
            return hash_cause(2166136261u, begin, (size_t)(end - begin));
    }
    return 0;
}

/* "terminate called after throwing an instance of 'type'", and what it says. */
static uint32_t hash_termination(const char *words)
{
    const char *at = strstr(words, "terminate called");
    if (!at)
        return 0;
    uint32_t hash = hash_cause(2166136261u, at, strcspn(at, "\n"));
    const char *what = strstr(at, "what():");
    return what ? hash ^ qd_signature_words(what) : hash;
}

/* Handlers and the library's way to end itself are in every trace. */
static bool is_of_the_end(const char *name, size_t length)
{
    static const char *const ends[] = {"StackTrace",   "SignalHandler", "abort",      "raise",
                                       "pthread_kill", "assert_fail",   "libc_start", "sigaction"};
    bool found = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *at = strstr(name, ends[i]);
        found = found || (at && at < name + length);
    }
    return found;
}

/* The function of a line "#3 0x7f12 in name(arguments) (library+0x12)"; its length 0: there is none. */
static const char *function_of(const char *line, size_t *length)
{
    const char *at = line + 1 + strspn(line + 1, "0123456789");
    at += strspn(at, " ");
    if (strncmp(at, "0x", 2) == 0)
        at += strcspn(at, " \n");
    at += strspn(at, " ");
    if (strncmp(at, "in ", 3) == 0)
        at += 3;
    *length = strcspn(at, "(\n");
    return at;
}

/* The innermost frames, of a trace that begins with #0. */
static uint32_t hash_frames(const char *words)
{
    uint32_t hash = 2166136261u;
    const char *line = strstr(words, "#0 ");
    size_t counted = 0;
    while (line && counted < INNERMOST) {
        size_t length;
        const char *name = function_of(line, &length);
        if (length > 0 && !is_of_the_end(name, length)) {
            hash = hash_cause(hash, name, length);
            counted++;
        }
        line = strstr(name, "\n");
        line = line ? line + 1 + strspn(line + 1, " ") : NULL;
        if (line && *line != '#')
            line = NULL;
    }
    return counted > 0 ? hash : 0;
}

uint32_t qd_signature_cause(const char *words, const char **kind)
{
    static const struct {
        const char *word;
        uint32_t (*hash)(const char *words);
    } kinds[] = {
        {"assertion", hash_assertion}, {"terminate", hash_termination}, {"frames", hash_frames}};
    uint32_t hash = 0;
    for (size_t i = 0; hash == 0 && i < sizeof kinds / sizeof *kinds; i++) {
        *kind = kinds[i].word;
        hash = kinds[i].hash(words);
    }
    return hash;
}

static bool is_word_at(const char *text, const char *at, size_t length)
{
    return (at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]);
}

/* The operator that the words name first, which need not be one of the graph: fusions make new ones. NULL: none. */
static const struct qd_op *op_in_words(const char *words)
{
    const struct qd_op *found = NULL, *op;
    const char *first = NULL;
    for (size_t i = 0; (op = qd_op_at(i)) != NULL; i++) {
        const char *at = strstr(words, op->name);
        if (at && is_word_at(words, at, strlen(op->name)) && (!first || at < first)) {
            first = at;
            found = op;
        }
    }
    return found;
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

/* Why a signal ended it, 0 if the words do not say. */
static uint32_t cause_of(const struct qd_trial *trial, const char *words, const char **kind)
{
    bool killed = trial->run.outcome == QD_OUTCOME_CRASH && trial->run.signal != 0;
    return killed ? qd_signature_cause(words, kind) : 0;
}

/* How it failed: the cause of a death; where that is not said the stage, with the signal or a hash of the words. */
static void add_way(struct text *text, const struct qd_trial *trial, const char *words)
{
    const struct qd_run *run = &trial->run;
    const char *kind;
    uint32_t cause = cause_of(trial, words, &kind);
    if (cause != 0) {
        add(text, "%s-%08" PRIx32, kind, cause);
        return;
    }
    add(text, "%s", run->stage == QD_STAGE_LOAD ? "load" : "run");
    if (run->outcome == QD_OUTCOME_CRASH && run->signal != 0)
        add(text, "-signal-%d", run->signal);
    else if (words[0] && run->outcome != QD_OUTCOME_HANG && run->outcome != QD_OUTCOME_OOM)
        add(text, "-%08" PRIx32, qd_signature_words(words));
}

/* What no file name should hold becomes '.'. */
static void make_safe(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("+_-", *text))
            *text = '.';
}

/* What the finding is about, as far as it says so itself: the operator of the rule that was broken, or the one that the
 * words complain of; else the case's. */
static void add_op(struct text *text, const struct qd_case *kase, const struct qd_trial *trial,
                   const struct qd_divergence *divergence)
{
    const char *op = kase->op, *slash = strrchr(divergence->words, '/');
    const char *kind;
    bool speaks = trial->run.outcome == QD_OUTCOME_REJECTED || kase->request_size > 0;
    const struct qd_op *said = speaks ? op_in_words(divergence->words) : NULL;
    if (divergence->class == QD_VERDICT_ACCEPTS_INVALID && slash)
        add(text, "%.*s", (int)(slash - divergence->words), divergence->words);
    else if (cause_of(trial, divergence->words, &kind) != 0)
        add(text, "any"); /* many operators reach the same place */
    else if (said)
        add(text, "%s%s%s", said->domain, *said->domain ? "." : "", said->name);
    else
        add(text, "%s", *op ? op : "none");
}

void qd_signature_make(const struct qd_evaluated *evaluated, const char *target,
                       const struct qd_trial *trial, size_t which,
                       const struct qd_diagnosis *diagnosis, char *signature)
{
    const struct qd_divergence *divergence = &trial->divergences[which];
    struct text text = {signature, QD_SIGNATURE_SIZE, 0};
    char types[64];
    bool value = divergence->class == QD_VERDICT_WRONG_VALUE;
    const char *slash = strrchr(divergence->words, '/');
    *signature = '\0';
    add_op(&text, evaluated->kase, trial, divergence);
    if (value && diagnosis->quirk_count == 0)
        add(&text, "-%s", qd_signature_types(evaluated->kase, types, sizeof types));
    add(&text, "-%s-%s-", target, qd_verdict_word(divergence->class));
    if (value)
        add_label(&text, diagnosis, qd_signature_shape(evaluated, &trial->run));
    else if (divergence->class == QD_VERDICT_ACCEPTS_INVALID)
        add(&text, "%s", slash ? slash + 1 : divergence->words);
    else
        add_way(&text, trial, divergence->words);
    make_safe(signature);
    if (*signature == '.' || *signature == '-') /* no hidden file, and no option of a command */
        *signature = '_';
}

enum qd_status qd_finding_identify(const struct qd_subject *subject,
                                   const struct qd_evaluated *evaluated,
                                   const struct qd_trial *trial, size_t which,
                                   const struct qd_diagnose_options *options,
                                   struct qd_arena *arena, struct qd_finding *finding,
                                   struct qd_error *error)
{
    struct qd_finding found = {
        .comparison = trial->comparison,
        .diagnosis = {.kind = QD_DIAGNOSIS_UNEXPLAINED, .label = "", .place = "", .facts = ""}};
    found.comparison.verdict = trial->divergences[which].class;
    if (found.comparison.verdict == QD_VERDICT_WRONG_VALUE) {
        enum qd_status status = qd_diagnose(subject->session, evaluated->kase, evaluated->values,
                                            &trial->run, options, arena, &found.diagnosis, error);
        if (status != QD_OK)
            return status;
    }
    qd_signature_make(evaluated, subject->info->name, trial, which, &found.diagnosis,
                      found.signature);
    *finding = found;
    return QD_OK;
}

void qd_signature_print(FILE *out, const char *signature)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    char letters[9] = "";
    for (const char *at = signature; *at; at++)
        hash = (hash ^ (uint32_t)(unsigned char)*at) * 16777619u;
    for (int i = 0; i < 8; i++)
        letters[i] = (char)('a' + (hash >> 4 * i & 15));
    fprintf(out, "Assertion failure: FuzzerHash=%s %s\nDEDUP_TOKEN: %s\n", letters, signature,
            signature);
}
