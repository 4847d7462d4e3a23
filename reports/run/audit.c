/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what expectation rows select and match. */
#include "run/audit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "causes/message_shape.h"

/* --- Counting ------------------------------------------------------------------------------------ */

static size_t count_rows(const struct qd_expectations *expectations)
{
    struct qd_expectation_view view;
    size_t count = 0;

    while (qd_expectations_view(expectations, count, &view))
        count++;
    return count;
}

static enum qd_status no_memory(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "no memory to audit rows");
}

enum qd_status qd_audit_begin(struct qd_audit *audit, const struct qd_gate_targets *targets,
                              struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_expectations *first = targets->items[0].expectations;
    struct qd_audit made = {.arena = arena, .path = qd_expectations_path(first)};

    made.target_count = targets->count;
    made.targets = qd_arena_array(arena, targets->count, sizeof *made.targets);
    made.expectations = qd_arena_array(arena, targets->count, sizeof *made.expectations);
    made.row_count = count_rows(first);
    made.rows = qd_arena_array(arena, made.row_count, sizeof *made.rows);
    if (!made.targets || !made.expectations || !made.rows)
        return no_memory(error);
    for (size_t i = 0; i < targets->count; i++) {
        made.targets[i] = qd_arena_string(arena, targets->items[i].id);
        made.expectations[i] = targets->items[i].expectations;
        if (!made.targets[i])
            return no_memory(error);
    }
    for (size_t i = 0; i < made.row_count; i++)
        qd_expectations_view(first, i, &made.rows[i].view);
    *audit = made;
    return QD_OK;
}

static bool add_words(struct qd_audit_words *words, const char *text, struct qd_arena *arena)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    if (text[0] == '\0' || words->count == QD_AUDIT_SHOWN)
        return true;
    words->items[words->count] = qd_arena_string(arena, text);
    return words->items[words->count++] != NULL;
}

/* Whether "12,40" holds the line. */
static bool holds_line(const char *lines, size_t line)
{
    while (*lines != '\0') {
        char *end;

        if (strtoul(lines, &end, 10) == line)
            return true;
        lines = *end == ',' ? end + 1 : "";
    }
    return false;
}

static bool match_row(struct qd_audit *audit, struct qd_audit_row *row,
                      const struct qd_result *result)
{
    char shape[512];

    row->matched++;
    qd_message_shape(result->rule[0] != '\0' ? result->rule : result->message, result->op, shape,
                     sizeof shape);
    return add_words(&row->messages, shape, audit->arena) &&
           add_words(&row->diagnoses, result->diagnosis, audit->arena);
}

static size_t target_of(const struct qd_audit *audit, const struct qd_result *result)
{
    size_t i = 0;

    while (i < audit->target_count && strcmp(audit->targets[i], result->target) != 0)
        i++;
    return i;
}

static enum qd_visit take_result(void *context, const struct qd_result *result)
{
    struct qd_audit *audit = context;
    size_t target = target_of(audit, result);
    struct qd_features features = qd_features_parse(result->features);
    bool kept = true;

    audit->broken += result->kind == QD_RESULT_BROKEN || result->kind == QD_RESULT_BAD_INPUT;
    if (!qd_result_is_comparison(result) || target == audit->target_count)
        return QD_VISIT_GO_ON;
    audit->comparisons++;
    for (size_t i = 0; i < audit->row_count && kept; i++) {
        struct qd_audit_row *row = &audit->rows[i];

        if (!qd_expectations_selects(audit->expectations[target], i, result->id, result->op,
                                     &features))
            continue;
        row->selected++;
        row->elements += result->comparison.compared;
        if (holds_line(result->covering, row->view.line))
            kept = match_row(audit, row, result);
    }
    if (kept)
        return QD_VISIT_GO_ON;
    no_memory(&audit->error);
    return QD_VISIT_STOP;
}

static void take_row(void *context, const struct qd_unmatched_row *row)
{
    (void)context, (void)row; /* what matched nothing is counted here as well */
}

struct qd_sink qd_audit_sink(struct qd_audit *audit)
{
    return (struct qd_sink){take_result, take_row, audit};
}

/* --- Judging ------------------------------------------------------------------------------------- */

const char *qd_audit_offence(const struct qd_audit_row *row, char *text, size_t size)
{
    if (row->selected == 0 || row->view.quirks[0] != '\0' || row->view.names_words)
        return NULL;
    if (10 * row->matched < 9 * row->selected)
        snprintf(text, size, "matches %zu of the %zu comparisons that it selects", row->matched,
                 row->selected);
    else if (row->view.verdict == QD_VERDICT_WRONG_VALUE && row->matched > QD_AUDIT_MOST)
        snprintf(text, size, "covers %zu wrong values and names no quirk", row->matched);
    else
        return NULL;
    return text;
}

/* The first four fields. */
static int length_of_fields(const char *text)
{
    int length = 0;

    for (int tabs = 0; text[length] != '\0'; length++) {
        tabs += text[length] == '\t';
        if (tabs == 4)
            break;
    }
    return length;
}

static void print_row(const struct qd_audit *audit, const struct qd_audit_row *row, FILE *out)
{
    char text[128];
    const char *offence = qd_audit_offence(row, text, sizeof text);

    fprintf(out, "%6zu  %8zu  %7zu  %10" PRId64 "  %8zu  %9zu  ", row->view.line, row->selected,
            row->matched, row->elements, row->messages.count, row->diagnoses.count);
    for (int i = 0; i < length_of_fields(row->view.text); i++)
        fputc(row->view.text[i] == '\t' ? ' ' : row->view.text[i], out);
    fputc('\n', out);
    if (offence)
        fprintf(out, "        %s:%zu: %s\n", audit->path, row->view.line, offence);
}

size_t qd_audit_print(const struct qd_audit *audit, FILE *out)
{
    size_t selecting = 0, offending = 0;
    char text[128];

    fputs("  line  selected  matched    elements  messages  diagnoses  row\n", out);
    for (size_t i = 0; i < audit->row_count; i++) {
        const struct qd_audit_row *row = &audit->rows[i];

        selecting += row->selected > 0;
        offending += qd_audit_offence(row, text, sizeof text) != NULL;
        if (row->selected > 0)
            print_row(audit, row, out);
    }
    fprintf(out, "%s: %zu rows, %zu select something, %zu offend\n", audit->path, audit->row_count,
            selecting, offending);
    return offending;
}
