/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a target's outputs with the reference's values and gives the verdict. */
#include "qdiff/compare.h"

#include <math.h>
#include <string.h>

#include "qdiff/element.h"

struct verdict_row {
    const char *word, *meaning;
    enum qd_severity severity;
};

static const struct verdict_row verdicts[] = {
#define QD_VERDICT_ROW(name, word, severity, meaning) {word, meaning, QD_SEVERITY_##severity},
    QD_VERDICT_LIST(QD_VERDICT_ROW)
#undef QD_VERDICT_ROW
};

const char *qd_verdict_word(enum qd_verdict verdict)
{
    return (unsigned)verdict < QD_VERDICT_COUNT ? verdicts[verdict].word : "unknown";
}

const char *qd_verdict_meaning(enum qd_verdict verdict)
{
    return (unsigned)verdict < QD_VERDICT_COUNT ? verdicts[verdict].meaning : "unknown";
}

enum qd_severity qd_verdict_severity(enum qd_verdict verdict)
{
    return (unsigned)verdict < QD_VERDICT_COUNT ? verdicts[verdict].severity : QD_SEVERITY_WRONG;
}

bool qd_verdict_is_divergence(enum qd_verdict verdict)
{
    return qd_verdict_severity(verdict) != QD_SEVERITY_NONE;
}

bool qd_verdict_find(const char *word, enum qd_verdict *verdict)
{
    for (int i = 0; i < QD_VERDICT_COUNT; i++)
        if (strcmp(verdicts[i].word, word) == 0) {
            *verdict = (enum qd_verdict)i;
            return true;
        }
    return false;
}

static const struct {
    const char *word, *meaning;
} severities[] = {
#define QD_SEVERITY_ROW(name, word, meaning) {word, meaning},
    QD_SEVERITY_LIST(QD_SEVERITY_ROW)
#undef QD_SEVERITY_ROW
};

const char *qd_severity_word(enum qd_severity severity)
{
    return (unsigned)severity < QD_SEVERITY_COUNT ? severities[severity].word : "unknown";
}

const char *qd_severity_meaning(enum qd_severity severity)
{
    return (unsigned)severity < QD_SEVERITY_COUNT ? severities[severity].meaning : "unknown";
}

bool qd_severity_find(const char *word, enum qd_severity *severity)
{
    for (int i = 0; i < QD_SEVERITY_COUNT; i++)
        if (strcmp(severities[i].word, word) == 0) {
            *severity = (enum qd_severity)i;
            return true;
        }
    return false;
}

/* What a run that gave no outputs to look at means. How much the other nodes
 * of a graph that is to be refused need nobody has
 * computed: it may be more than there is. */
static enum qd_verdict verdict_of_outcome(enum qd_outcome outcome, const struct qd_case *kase)
{
    const bool invalid = kase->expect == QD_EXPECT_MUST_REJECT;
    switch (outcome) {
    case QD_OUTCOME_REJECTED: return invalid ? QD_VERDICT_REJECTED : QD_VERDICT_REJECTS_VALID;
    case QD_OUTCOME_WRONG_SHAPE: return QD_VERDICT_WRONG_SHAPE;
    case QD_OUTCOME_WRONG_TYPE: return QD_VERDICT_WRONG_TYPE;
    case QD_OUTCOME_HANG: return QD_VERDICT_HANG;
    case QD_OUTCOME_OOM:
        return invalid && kase->graph->node_count > 1 ? QD_VERDICT_UNSPECIFIED : QD_VERDICT_OOM;
    case QD_OUTCOME_NONDETERMINISTIC: return QD_VERDICT_NONDETERMINISTIC;
    case QD_OUTCOME_UNWRITTEN: return QD_VERDICT_UNWRITTEN;
    case QD_OUTCOME_OUT_OF_BOUNDS: return QD_VERDICT_OUT_OF_BOUNDS;
    case QD_OUTCOME_INPUT_MODIFIED: return QD_VERDICT_INPUT_MODIFIED;
    case QD_OUTCOME_OUTPUTS: return QD_VERDICT_ACCEPTS_INVALID;
    case QD_OUTCOME_SKIPPED: return QD_VERDICT_UNSPECIFIED;
    case QD_OUTCOME_CRASH:
    case QD_OUTCOME_COUNT: break;
    }
    return QD_VERDICT_CRASH;
}

/* Codes, not doubles, decide for integers: a 64-bit code need not be a double. */
static bool is_canonical(const struct qd_tensor *want, const struct qd_tensor *have, int64_t i)
{
    if (qd_tensor_get(want, i) == qd_tensor_get(have, i))
        return true;
    if (qd_dtype_is_integer(want->dtype))
        return false;
    double w = qd_tensor_value(want, i), h = qd_tensor_value(have, i);
    return w == h || (isnan(w) && isnan(h));
}

static bool is_admissible(const struct qd_observation *seen, const struct qd_tensor *have,
                          int64_t i)
{
    if (qd_dtype_info(have->dtype)->bits == 64 && qd_dtype_is_integer(have->dtype) &&
        seen->lo == seen->hi)
        return false; /* the code differs from the only admissible one, whatever the doubles say */
    return qd_observation_admits(seen, qd_tensor_value(have, i));
}

enum qd_element qd_element_judge(const struct qd_value *value, const struct qd_observation *seen,
                                 const struct qd_tensor *have, int64_t i)
{
    if (seen->unspecified)
        return QD_ELEMENT_UNSPECIFIED;
    if (seen->canonical && is_canonical(&value->want, have, i))
        return QD_ELEMENT_EXACT;
    return is_admissible(seen, have, i) ? QD_ELEMENT_ADMISSIBLE : QD_ELEMENT_MISMATCHED;
}

enum qd_element qd_element_of(const struct qd_value *value, const struct qd_tensor *have, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    return qd_element_judge(value, &seen, have, i);
}

/* A subnormal number of the type that a target may have taken for 0. */
static bool is_flushed(enum qd_dtype dtype, double want, double have)
{
    const struct qd_float_format *format = qd_float_format(dtype);
    return format && have == 0 && want != 0 && fabs(want) < format->least_normal;
}

/* How far an approximation may be off to be called one: a hundredth of the range, or of a short type four roundings. A
 * convention of ours, for the severity alone. */
static bool is_close(enum qd_dtype dtype, double want, double have)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    const struct qd_float_format *format = qd_float_format(dtype);
    double range = qd_dtype_is_integer(dtype) ? (double)info->max - (double)info->min : 1;
    double roundings = format ? ldexp(4, -1 - (int)format->fraction_bits) : 0;
    return fabs(want - have) <= fmax(range / 100, roundings);
}

static void mismatch(struct qd_comparison *c, const struct qd_observation *seen, size_t output,
                     int64_t i, const struct qd_tensor *wanted, const struct qd_tensor *given)
{
    double want = qd_tensor_value(wanted, i), have = qd_tensor_value(given, i);
    c->flushed += is_flushed(wanted->dtype, want, have);
    c->close += is_close(wanted->dtype, want, have);
    if (c->mismatched++ > 0)
        return;
    c->output = output;
    c->element = i;
    c->have = have;
    c->want = want;
    c->lo = seen->lo;
    c->hi = seen->hi;
}

static void compare_element(struct qd_comparison *c, const struct qd_value *value,
                            const struct qd_tensor *have, size_t output, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    c->extreme_scale += (qd_value_flags(value, i) & QD_EXTREME_SCALE) != 0;
    enum qd_element element = qd_element_judge(value, &seen, have, i);
    if (element == QD_ELEMENT_UNSPECIFIED) {
        c->unspecified++;
        return;
    }
    c->compared++;
    c->slack += seen.lo < seen.hi || (seen.nan && seen.lo == seen.hi);
    c->exact += element == QD_ELEMENT_EXACT;
    c->admissible += element == QD_ELEMENT_ADMISSIBLE;
    if (element == QD_ELEMENT_MISMATCHED)
        mismatch(c, &seen, output, i, &value->want, have);
}

static void compare_output(struct qd_comparison *c, const struct qd_value *value,
                           const struct qd_tensor *have, size_t output)
{
    const struct qd_tensor *want = &value->want;
    c->elements += want->count;
    /* Most outputs are points and right: one look tells. */
    if (!value->lo && !value->flags && memcmp(want->data, have->data, qd_tensor_bytes(want)) == 0) {
        c->compared += want->count;
        c->exact += want->count;
        return;
    }
    for (int64_t i = 0; i < want->count; i++)
        compare_element(c, value, have, output, i);
}

static enum qd_verdict verdict_of_counts(const struct qd_comparison *c)
{
    if (c->mismatched > 0)
        return QD_VERDICT_WRONG_VALUE;
    if (c->compared == 0 && c->elements > 0) /* of none the shape and the type are all there is */
        return QD_VERDICT_UNSPECIFIED;
    return c->admissible > 0 ? QD_VERDICT_ADMISSIBLE : QD_VERDICT_EXACT;
}

void qd_compare(const struct qd_case *kase, const struct qd_value *values, const struct qd_run *run,
                struct qd_comparison *comparison)
{
    struct qd_comparison c = {.verdict = QD_VERDICT_EXACT};
    if (run->outcome != QD_OUTCOME_OUTPUTS || kase->expect == QD_EXPECT_MUST_REJECT) {
        c.verdict = verdict_of_outcome(run->outcome, kase);
        *comparison = c;
        return;
    }
    size_t count = kase->graph->output_count;
    for (size_t i = 0; i < count && c.verdict == QD_VERDICT_EXACT; i++) {
        c.output = i;
        if (run->outputs[i].dtype != values[i].want.dtype)
            c.verdict = QD_VERDICT_WRONG_TYPE;
        else if (!qd_tensor_same_shape(&run->outputs[i], &values[i].want))
            c.verdict = QD_VERDICT_WRONG_SHAPE;
    }
    if (c.verdict == QD_VERDICT_EXACT) {
        c.output = 0;
        for (size_t i = 0; i < count; i++)
            compare_output(&c, &values[i], &run->outputs[i], i);
        c.verdict = verdict_of_counts(&c);
    }
    *comparison = c;
}

void qd_compare_tensor(const struct qd_value *value, const struct qd_tensor *have,
                       struct qd_comparison *comparison)
{
    struct qd_comparison c = {.verdict = QD_VERDICT_EXACT};
    compare_output(&c, value, have, 0);
    c.verdict = verdict_of_counts(&c);
    *comparison = c;
}
