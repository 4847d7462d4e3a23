/* SPDX-License-Identifier: Apache-2.0 */
/* Counts results, and prints the counts as TAP, JSON and lines for people. */
#include "result/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "digest/array.h"
#include "result/tap.h"
#include "text/json_write.h"

/* The element counts of struct qd_counts, with the words of the reports. */
#define COUNTS(COUNT)  \
    COUNT(elements)    \
    COUNT(compared)    \
    COUNT(exact)       \
    COUNT(admissible)  \
    COUNT(mismatched)  \
    COUNT(unspecified) \
    COUNT(slack)       \
    COUNT(extreme_scale)

static void count(struct qd_counts *counts, const struct qd_result *result)
{
    counts->results[result->kind]++;
    if (qd_result_has_comparison(result)) {
        counts->verdicts[result->comparison.verdict]++;
#define COUNT(field) counts->field += result->comparison.field;
        COUNTS(COUNT)
#undef COUNT
    }
}

/* The row of a name of `length` bytes, made if need be; NULL when out of memory. */
static struct qd_counts *row_of(struct qd_count_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++)
        if (strncmp(table->rows[i].name, name, length) == 0 && table->rows[i].name[length] == '\0')
            return &table->rows[i].counts;
    struct qd_count_row *rows =
        qd_array_grow(table->rows, table->count, &table->capacity, sizeof *rows);
    if (!rows)
        return NULL;
    table->rows = rows;
    struct qd_count_row *row = &table->rows[table->count];
    *row = (struct qd_count_row){.name = strndup(name, length)};
    if (!row->name)
        return NULL;
    table->count++;
    return &row->counts;
}

static bool count_named(struct qd_count_table *table, const char *name,
                        const struct qd_result *result)
{
    struct qd_counts *counts = row_of(table, name, strlen(name));

    if (counts)
        count(counts, result);
    return counts != NULL;
}

static bool count_tags(struct qd_count_table *table, const struct qd_result *result)
{
    const char *tag = result->tags;

    while (*tag != '\0') {
        size_t span = strcspn(tag, ",");
        struct qd_counts *counts = span == 0 ? NULL : row_of(table, tag, span);

        if (span > 0 && !counts)
            return false;
        if (counts)
            count(counts, result);
        tag += span;
        tag += *tag == ',';
    }
    return true;
}

static bool count_case(struct qd_summary *summary, const char *id)
{
    if (summary->last_id && strcmp(summary->last_id, id) == 0)
        return true;
    char *copy = strdup(id);
    if (!copy)
        return false;
    free(summary->last_id);
    summary->last_id = copy;
    summary->cases++;
    return true;
}

enum qd_status qd_summary_add(struct qd_summary *summary, const struct qd_result *result,
                              struct qd_error *error)
{
    bool counted =
        count_case(summary, result->id) &&
        (result->target[0] == '\0' || count_named(&summary->targets, result->target, result));

    if (qd_result_has_comparison(result)) {
        counted = counted && count_named(&summary->ops, result->op, result) &&
                  count_tags(&summary->tags, result);
    }
    if (result->kind == QD_RESULT_SKIP)
        counted = counted && count_named(&summary->skips, result->why, result);
    if (!counted)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the summary");
    count(&summary->total, result);
    summary->comparisons += qd_result_is_comparison(result);
    return QD_OK;
}

static void clear_table(struct qd_count_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->rows[i].name);
    free(table->rows);
}

void qd_summary_clear(struct qd_summary *summary)
{
    clear_table(&summary->targets);
    clear_table(&summary->ops);
    clear_table(&summary->tags);
    clear_table(&summary->skips);
    free(summary->last_id);
    *summary = (struct qd_summary){0};
}

enum qd_exit qd_summary_exit(const struct qd_summary *summary)
{
    const int64_t *results = summary->total.results;
    enum qd_exit code = QD_EXIT_OK;

    if (results[QD_RESULT_FAIL] + results[QD_RESULT_FIXED] + summary->stale > 0)
        code = QD_EXIT_DIVERGENCE;
    if (results[QD_RESULT_BAD_INPUT] > 0)
        code = qd_exit_worse(code, QD_EXIT_USAGE);
    if (results[QD_RESULT_BROKEN] > 0)
        code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    /* With bad input alone that is the reason why nothing was compared. */
    if (summary->comparisons == 0 && code != QD_EXIT_USAGE)
        code = QD_EXIT_OWN_FAILURE;
    return code;
}

static double percent(int64_t part, int64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void tap_verdicts(const struct qd_summary *summary, struct qd_tap *tap)
{
    for (int i = 0; i < QD_VERDICT_COUNT; i++) {
        if (summary->total.verdicts[i] > 0) {
            qd_tap_comment(tap, "verdict %s: %" PRId64, qd_verdict_word((enum qd_verdict)i),
                           summary->total.verdicts[i]);
        }
    }
}

static void tap_slack(const struct qd_count_table *table, const char *what, struct qd_tap *tap)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct qd_counts *counts = &table->rows[i].counts;

        qd_tap_comment(tap, "%s %s: %" PRId64 " compared, slack %" PRId64 " (%.3f %%)", what,
                       table->rows[i].name, counts->compared, counts->slack,
                       percent(counts->slack, counts->compared));
    }
}

static void tap_targets(const struct qd_count_table *table, struct qd_tap *tap)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct qd_counts *counts = &table->rows[i].counts;
        const int64_t *results = counts->results;

        qd_tap_comment(tap,
                       "target %s: %" PRId64 " passed, %" PRId64 " failed, %" PRId64
                       " known, %" PRId64 " advisory, %" PRId64 " fixed, %" PRId64
                       " skipped, %" PRId64 " broken; %" PRId64 " elements compared",
                       table->rows[i].name, results[QD_RESULT_PASS], results[QD_RESULT_FAIL],
                       results[QD_RESULT_KNOWN], results[QD_RESULT_ADVISORY],
                       results[QD_RESULT_FIXED], results[QD_RESULT_SKIP], results[QD_RESULT_BROKEN],
                       counts->compared);
    }
}

void qd_summary_tap(const struct qd_summary *summary, struct qd_tap *tap)
{
    const struct qd_counts *total = &summary->total;

    qd_tap_comment(tap, "cases: %" PRId64 ", comparisons: %" PRId64, summary->cases,
                   summary->comparisons);
    for (int i = 0; i < QD_RESULT_COUNT; i++) {
        if (total->results[i] > 0) {
            qd_tap_comment(tap, "%s: %" PRId64, qd_result_word((enum qd_result_kind)i),
                           total->results[i]);
        }
    }
    tap_verdicts(summary, tap);
    qd_tap_comment(tap,
                   "elements: %" PRId64 " compared = %" PRId64 " exact + %" PRId64
                   " admissible + %" PRId64 " mismatched; %" PRId64 " unspecified, %" PRId64
                   " of extreme scale",
                   total->compared, total->exact, total->admissible, total->mismatched,
                   total->unspecified, total->extreme_scale);
    tap_slack(&summary->ops, "op", tap);
    tap_slack(&summary->tags, "tag", tap);
    for (size_t i = 0; i < summary->skips.count; i++) {
        qd_tap_comment(tap, "skipped %" PRId64 ": %s",
                       summary->skips.rows[i].counts.results[QD_RESULT_SKIP],
                       summary->skips.rows[i].name);
    }
    tap_targets(&summary->targets, tap);
    qd_tap_comment(tap, "expectation rows: %" PRId64 " stale, %" PRId64 " not judged",
                   summary->stale, summary->not_judged);
}

void qd_summary_print(const struct qd_summary *summary, FILE *out)
{
    const struct qd_counts *total = &summary->total;
    const int64_t *results = total->results;

    fprintf(out,
            "qdiff: %" PRId64 " case%s on %zu target%s: %" PRId64 " passed, %" PRId64
            " failed, %" PRId64 " known, %" PRId64 " advisory, %" PRId64 " fixed, %" PRId64
            " stale rows, %" PRId64 " skipped, %" PRId64 " bad inputs, %" PRId64 " broken\n",
            summary->cases, summary->cases == 1 ? "" : "s", summary->targets.count,
            summary->targets.count == 1 ? "" : "s", results[QD_RESULT_PASS],
            results[QD_RESULT_FAIL], results[QD_RESULT_KNOWN], results[QD_RESULT_ADVISORY],
            results[QD_RESULT_FIXED], summary->stale, results[QD_RESULT_SKIP],
            results[QD_RESULT_BAD_INPUT], results[QD_RESULT_BROKEN]);
    fprintf(out,
            "qdiff: %" PRId64 " elements compared: %" PRId64 " exact, %" PRId64
            " admissible, %" PRId64 " mismatched; %" PRId64 " unspecified; slack %.3f %%\n",
            total->compared, total->exact, total->admissible, total->mismatched, total->unspecified,
            percent(total->slack, total->compared));
    if (summary->comparisons == 0 && summary->cases == 0)
        fputs("qdiff: nothing was compared, which is a failure: no case was selected; qdiff list "
              "shows which ones "
              "--level, --filter, --op, --feature and --shard select\n",
              out);
    else if (summary->comparisons == 0)
        fputs("qdiff: nothing was compared, which is a failure\n", out);
}

static void write_counts(struct qd_json *json, const struct qd_counts *counts)
{
    for (int i = 0; i < QD_RESULT_COUNT; i++)
        qd_json_int_if(json, qd_result_word((enum qd_result_kind)i), counts->results[i]);
#define COUNT(field) qd_json_int(json, #field, counts->field);
    COUNTS(COUNT)
#undef COUNT
}

static void write_table(struct qd_json *json, const char *key, const struct qd_count_table *table)
{
    qd_json_open(json, key, '{');
    for (size_t i = 0; i < table->count; i++) {
        qd_json_open(json, table->rows[i].name, '{');
        write_counts(json, &table->rows[i].counts);
        qd_json_close(json, '}');
    }
    qd_json_close(json, '}');
}

static void write_verdicts(struct qd_json *json, const struct qd_counts *counts)
{
    qd_json_open(json, "verdicts", '{');
    for (int i = 0; i < QD_VERDICT_COUNT; i++)
        qd_json_int_if(json, qd_verdict_word((enum qd_verdict)i), counts->verdicts[i]);
    qd_json_close(json, '}');
}

void qd_summary_write(const struct qd_summary *summary, bool complete, double seconds, FILE *out)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "summary");
    qd_json_bool(&json, "complete", complete);
    qd_json_double(&json, "seconds", seconds);
    qd_json_int(&json, "cases", summary->cases);
    qd_json_int(&json, "comparisons", summary->comparisons);
    write_counts(&json, &summary->total);
    write_verdicts(&json, &summary->total);
    qd_json_int(&json, "stale_rows", summary->stale);
    qd_json_int(&json, "rows_not_judged", summary->not_judged);
    write_table(&json, "by_target", &summary->targets);
    write_table(&json, "by_op", &summary->ops);
    write_table(&json, "by_tag", &summary->tags);
    qd_json_open(&json, "skips", '{');
    for (size_t i = 0; i < summary->skips.count; i++) {
        qd_json_int(&json, summary->skips.rows[i].name,
                    summary->skips.rows[i].counts.results[QD_RESULT_SKIP]);
    }
    qd_json_close(&json, '}');
    qd_json_close(&json, '}');
    fputc('\n', out);
}
