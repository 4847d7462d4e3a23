/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what the front page and the pages of causes show. */
#include <string.h>

#include "qdiff/quirk.h"
#include "qdiff_version.h"
#include "report/matrix.h"
#include "report/pages.h"
#include "report/tally.h"
#include "text/json_write.h"

/* --- Words ---------------------------------------------------------------------------------------- */

static void write_words(struct qd_json *json)
{
    qd_json_string(json, "version", QD_VERSION);
    qd_json_string(json, "commit", QD_COMMIT);
    qd_json_open(json, "kinds", '[');
    for (int i = 0; i < QD_RESULT_COUNT; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, qd_result_word((enum qd_result_kind)i));
        qd_json_string(json, NULL, qd_result_meaning((enum qd_result_kind)i));
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
    qd_json_open(json, "verdicts", '[');
    for (int i = 0; i < QD_VERDICT_COUNT; i++) {
        enum qd_verdict verdict = (enum qd_verdict)i;

        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, qd_verdict_word(verdict));
        qd_json_string(json, NULL, qd_severity_word(qd_verdict_severity(verdict)));
        qd_json_string(json, NULL, qd_verdict_meaning(verdict));
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

/* --- What was run --------------------------------------------------------------------------------- */

static void write_runs(struct qd_json *json, const struct qd_report *report)
{
    qd_json_open(json, "runs", '[');
    for (size_t i = 0; i < report->run_count; i++) {
        const struct qd_report_run *run = &report->runs[i];

        qd_json_open(json, NULL, '{');
        qd_json_string(json, "file", run->file);
        qd_json_string(json, "suite", run->suite);
        qd_json_string(json, "commit", run->commit);
        qd_json_string(json, "started", run->started);
        qd_json_string(json, "cpu", run->cpu);
        qd_json_string(json, "selection", run->selection);
        qd_json_bool(json, "complete", run->complete);
        qd_json_close(json, '}');
    }
    qd_json_close(json, ']');
    qd_json_open(json, "columns", '[');
    for (size_t i = 0; i < report->column_count; i++) {
        const struct qd_report_column *column = &report->columns[i];

        qd_json_open(json, NULL, '{');
        qd_json_string(json, "label", column->label);
        qd_json_string(json, "target", column->target);
        qd_json_string(json, "name", column->name);
        qd_json_string(json, "version", column->version);
        qd_json_string(json, "settings", column->settings);
        qd_json_int(json, "run", (int64_t)column->run);
        qd_json_bool(json, "rows", column->has_rows);
        qd_json_close(json, '}');
    }
    qd_json_close(json, ']');
}

/* --- The matrix ------------------------------------------------------------------------------------ */

/* [[kind, verdict, count], ...] of what is not 0. */
static void write_cell(struct qd_json *json, const struct qd_matrix_cell *cell)
{
    qd_json_open(json, NULL, '[');
    for (int kind = 0; kind < QD_RESULT_COUNT; kind++) {
        for (int verdict = 0; verdict < QD_VERDICT_COUNT; verdict++) {
            if (cell->counts[kind][verdict] == 0)
                continue;
            qd_json_open(json, NULL, '[');
            qd_json_int(json, NULL, kind);
            qd_json_int(json, NULL, verdict);
            qd_json_int(json, NULL, cell->counts[kind][verdict]);
            qd_json_close(json, ']');
        }
    }
    qd_json_close(json, ']');
}

static enum qd_status write_matrix(struct qd_json *json, struct qd_report *report,
                                   enum qd_matrix_by by, struct qd_error *error)
{
    struct qd_matrix matrix;
    enum qd_status status = qd_matrix_count(report, by, &matrix, error);

    qd_json_open(json, qd_matrix_word(by), '[');
    for (size_t i = 0; i < matrix.count; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, matrix.rows[i].name);
        for (size_t j = 0; j < report->column_count; j++)
            write_cell(json, &matrix.rows[i].cells[j]);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
    qd_matrix_clear(&matrix);
    return status;
}

static enum qd_status write_matrices(struct qd_json *json, struct qd_report *report,
                                     struct qd_error *error)
{
    enum qd_status status = QD_OK;

    qd_json_open(json, "matrix", '{');
    for (int by = 0; by < QD_MATRIX_COUNT && status == QD_OK; by++)
        status = write_matrix(json, report, (enum qd_matrix_by)by, error);
    qd_json_close(json, '}');
    return status;
}

/* --- Causes ---------------------------------------------------------------------------------------- */

static int64_t column_number(const struct qd_report_result *result)
{
    return result->column == QD_REPORT_NOWHERE ? -1 : (int64_t)result->column;
}

/* The result that a member of a cause is. */
static const struct qd_report_result *result_of(const struct qd_report *report,
                                                const struct qd_cause_member *member,
                                                const struct qd_report_case *kase)
{
    size_t i = kase->first;

    while (i + 1 < kase->first + kase->count &&
           strcmp(report->results[i].result.target, member->target) != 0)
        i++;
    return &report->results[i];
}

/* [case, column, verdict, element, want, have, how many elements differ, of how many] */
static void write_member(struct qd_json *json, const struct qd_report *report,
                         const struct qd_cause_member *member)
{
    const struct qd_report_case *kase = qd_report_find(report, member->id);
    const struct qd_report_result *found = result_of(report, member, kase);
    const struct qd_result *result = &found->result;

    qd_json_open(json, NULL, '[');
    qd_json_int(json, NULL, (int64_t)kase->number);
    qd_json_int(json, NULL, column_number(found));
    qd_json_int(json, NULL,
                qd_result_has_comparison(result) ? (int64_t)result->comparison.verdict : -1);
    qd_json_string(json, NULL, result->element);
    qd_json_string(json, NULL, result->want);
    qd_json_string(json, NULL, result->have);
    qd_json_int(json, NULL, result->comparison.mismatched);
    qd_json_int(json, NULL, result->comparison.compared);
    qd_json_close(json, ']');
}

/* [[column, bad, good, other, skipped], ...] of the columns that saw a case of the cause: in which release it
 * came, and went. */
static enum qd_status write_tallies(struct qd_json *json, struct qd_report *report, size_t cause,
                                    struct qd_error *error)
{
    const struct qd_tally *tallies = qd_report_tally(report, cause);

    if (!tallies)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the causes");
    qd_json_open(json, "columns", '[');
    for (size_t i = 0; i < report->column_count; i++) {
        if (tallies[i].bad + tallies[i].good + tallies[i].other + tallies[i].skipped == 0)
            continue;
        qd_json_open(json, NULL, '[');
        qd_json_int(json, NULL, (int64_t)i);
        qd_json_int(json, NULL, tallies[i].bad);
        qd_json_int(json, NULL, tallies[i].good);
        qd_json_int(json, NULL, tallies[i].other);
        qd_json_int(json, NULL, tallies[i].skipped);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
    return QD_OK;
}

static enum qd_status write_cause(struct qd_json *json, struct qd_report *report, size_t i,
                                  struct qd_error *error)
{
    const struct qd_cause *cause = &report->causes.items[i];

    qd_json_open(json, NULL, '{');
    qd_json_string(json, "name", cause->name);
    qd_json_string(json, "sentence", cause->sentence);
    qd_json_int(json, "kind", cause->kind);
    qd_json_string(json, "basis", qd_cause_basis_word(cause->basis));
    qd_json_string(json, "target", cause->target);
    qd_json_string(json, "operators", cause->ops);
    qd_json_string(json, "issue", cause->issue);
    qd_json_int(json, "results", (int64_t)cause->results);
    qd_json_int(json, "cases", (int64_t)cause->cases);
    qd_json_int(json, "smallest", (int64_t)qd_report_find(report, cause->smallest->id)->number);
    qd_json_string(json, "command", cause->command);
    enum qd_status status = write_tallies(json, report, i, error);
    qd_json_open(json, "members", '[');
    for (size_t j = 0; j < cause->results; j++)
        write_member(json, report, &report->causes.members[cause->first + j]);
    qd_json_close(json, ']');
    qd_json_close(json, '}');
    return status;
}

static enum qd_status write_causes(struct qd_json *json, struct qd_report *report,
                                   struct qd_error *error)
{
    enum qd_status status = QD_OK;

    qd_json_open(json, "causes", '[');
    for (size_t i = 0; i < report->causes.count && status == QD_OK; i++)
        status = write_cause(json, report, i, error);
    qd_json_close(json, ']');
    return status;
}

/* [[id, operator, page], ...] of what diverges. */
static void write_cases(struct qd_json *json, const struct qd_report *report)
{
    qd_json_open(json, "cases", '[');
    for (size_t i = 0; i < report->case_count; i++) {
        if (!report->cases[i].diverges)
            continue;
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, report->cases[i].id);
        qd_json_string(json, NULL, report->cases[i].op);
        qd_json_int(json, NULL, (int64_t)report->cases[i].page);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

/* --- Quirks ---------------------------------------------------------------------------------------- */

static void write_quirks(struct qd_json *json)
{
    const struct qd_quirk *quirk;

    qd_json_open(json, "quirks", '[');
    for (size_t i = 0; (quirk = qd_quirk_at(i)) != NULL; i++) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, quirk->name);
        qd_json_string(json, NULL, qd_quirk_family_word(quirk->family));
        qd_json_string(json, NULL, quirk->ops);
        qd_json_string(json, NULL, quirk->effect);
        qd_json_string(json, NULL, quirk->seen);
        qd_json_string(json, NULL, quirk->witness);
        qd_json_close(json, ']');
    }
    qd_json_close(json, ']');
}

enum qd_status qd_report_write_front(struct qd_report *report, FILE *out, struct qd_error *error)
{
    struct qd_json json;

    fputs("qdiff.take('front', ", out);
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    write_words(&json);
    write_runs(&json, report);
    enum qd_status status = write_matrices(&json, report, error);
    if (status == QD_OK)
        status = write_causes(&json, report, error);
    write_cases(&json, report);
    write_quirks(&json);
    qd_json_close(&json, '}');
    fputs(");\n", out);
    return status;
}
