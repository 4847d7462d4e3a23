/* SPDX-License-Identifier: Apache-2.0 */
/* Reads results files for a report. */
#include "report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "digest/array.h"
#include "result/results_file.h"

#define BUDGET ((size_t)16 << 30)

static enum qd_status no_memory(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "no memory for a report");
}

/* --- Runs and columns ---------------------------------------------------------------------------- */

/* Reading under way. */
struct reading {
    struct qd_report *report;
    size_t run_capacity, column_capacity;
    const char *file;
    size_t run; /* of the file being read */
};

/* A member of a header, "" when it is absent. NULL when out of memory. */
static const char *member(struct qd_report *report, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return qd_names_keep(&report->names, text ? text : "");
}

/* "level smoke, op Conv, shard 1 of 4": what the header says of the choice of cases. NULL when out of memory. */
static const char *describe_selection(struct qd_report *report, const json_t *header)
{
    static const char *const lists[] = {"filter", "op", "feature", "tag", "files"};
    const char *text = qd_arena_printf(&report->arena, "level %s", member(report, header, "level"));
    const json_t *item;
    size_t index;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_array_foreach(json_object_get(header, lists[i]), index,
                           item) if (text && json_is_string(item)) text =
            qd_arena_printf(&report->arena, "%s, %s %s", text, lists[i], json_string_value(item));
    json_int_t shard = json_integer_value(json_object_get(header, "shard"));
    if (text && shard > 0)
        text = qd_arena_printf(&report->arena,
                               "%s, shard %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT, text,
                               shard, json_integer_value(json_object_get(header, "shards")));
    return text;
}

static bool add_run(struct reading *reading, const json_t *header, const struct qd_header *facts)
{
    struct qd_report *report = reading->report;
    struct qd_report_run *runs =
        qd_array_grow(report->runs, report->run_count, &reading->run_capacity, sizeof *runs);

    if (!runs)
        return false;
    report->runs = runs;
    struct qd_report_run run = {
        .file = qd_names_keep(&report->names, reading->file),
        .suite = member(report, header, "suite"),
        .commit = member(report, header, "commit"),
        .started = member(report, header, "started"),
        .cpu = member(report, json_object_get(header, "machine"), "cpu"),
        .selection = describe_selection(report, header),
        .likeness = qd_names_keep(&report->names, facts->likeness),
        .shards = facts->shard.count,
    };
    const char *level = member(report, header, "level");
    if (!run.file || !run.suite || !run.commit || !run.started || !run.cpu || !run.selection ||
        !run.likeness || !level)
        return false;
    if (!qd_level_find(level, &run.level))
        run.level = QD_LEVEL_FULL;
    runs[report->run_count++] = run;
    return true;
}

static bool is_taken(const struct qd_report *report, const char *label)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(report->columns[i].label, label) == 0)
            return true;
    return false;
}

/* The id; where another run has it too, with the machine, then with the time, then with the file. */
static const char *label_of(struct qd_report *report, const char *id,
                            const struct qd_report_run *run)
{
    struct qd_arena *arena = &report->arena;
    const char *label = id;

    for (int i = 0; i < 3 && label && is_taken(report, label); i++)
        label = i == 0   ? qd_arena_printf(arena, "%s on %s", id, run->cpu)
                : i == 1 ? qd_arena_printf(arena, "%s on %s of %s", id, run->cpu, run->started)
                         : qd_arena_printf(arena, "%s in %s", id, run->file);
    return label;
}

/* Shards of one run fill one column. */
static bool is_shard_of(const struct qd_report *report, const struct qd_report_column *column,
                        const char *target, const struct qd_report_run *run)
{
    const struct qd_report_run *other = &report->runs[column->run];

    return strcmp(column->target, target) == 0 && run->shards > 0 &&
           other->likeness == run->likeness && other->shards == run->shards &&
           strcmp(other->selection, run->selection) != 0;
}

/* Adds what fills no column of another shard; the label is made here. */
static bool add_column(struct reading *reading, struct qd_report_column column)
{
    struct qd_report *report = reading->report;
    const struct qd_report_run *run = &report->runs[reading->run];
    struct qd_error ignored;

    for (size_t i = 0; i < report->column_count; i++)
        if (is_shard_of(report, &report->columns[i], column.target, run))
            return true;
    column.label = label_of(report, column.target, run);
    column.run = reading->run;
    struct qd_report_column *columns = qd_array_grow(report->columns, report->column_count,
                                                     &reading->column_capacity, sizeof *columns);
    if (columns)
        report->columns = columns;
    if (!columns || !column.label)
        return false;
    columns[report->column_count++] = column;
    return strcmp(column.label, column.target) == 0 ||
           qd_causes_spell(&report->causes, column.label, column.target, &ignored) == QD_OK;
}

static bool add_columns(struct reading *reading, const json_t *header)
{
    struct qd_report *report = reading->report;
    const json_t *target;
    size_t index;

    json_array_foreach(json_object_get(header, "targets"), index, target)
    {
        const struct qd_report_column column = {
            .target = member(report, target, "id"),
            .name = member(report, target, "name"),
            .version = member(report, target, "version"),
            .settings = member(report, target, "settings"),
            .has_rows = json_object_get(target, "expectations") != NULL,
        };

        if (!column.target || !column.name || !column.version || !column.settings ||
            !add_column(reading, column))
            return false;
    }
    return true;
}

static enum qd_status take_header(void *context, const char *line, const struct qd_header *header,
                                  struct qd_error *error)
{
    struct reading *reading = context;
    json_t *object = json_loads(line, 0, NULL); /* which qd_header_decode has read before */

    reading->run = reading->report->run_count;
    bool taken = object && add_run(reading, object, header) && add_columns(reading, object);
    json_decref(object);
    return taken ? QD_OK : no_memory(error);
}

/* --- Results -------------------------------------------------------------------------------------- */

/* The column of a target of the file being read; of one that its header does not name, a new one. NOWHERE
 * when out of memory. */
static size_t column_of(struct reading *reading, const char *target)
{
    const struct qd_report *report = reading->report;
    const struct qd_report_run *run = &report->runs[reading->run];

    for (size_t i = 0; i < report->column_count; i++) {
        const struct qd_report_column *column = &report->columns[i];

        if (strcmp(column->target, target) == 0 &&
            (column->run == reading->run || is_shard_of(report, column, target, run)))
            return i;
    }
    const struct qd_report_column unnamed = {
        .target = target, .name = target, .version = "", .settings = ""};
    return add_column(reading, unnamed) ? report->column_count - 1 : QD_REPORT_NOWHERE;
}

static bool keep_parameters(struct qd_report *report, struct qd_result *result)
{
    struct qd_parameter *kept =
        qd_arena_array(&report->arena, result->parameter_count, sizeof *kept);

    for (size_t i = 0; kept && i < result->parameter_count; i++) {
        kept[i].name = qd_names_keep(&report->names, result->parameters[i].name);
        kept[i].value = qd_names_keep(&report->names, result->parameters[i].value);
        if (!kept[i].name || !kept[i].value)
            return false;
    }
    result->parameters = kept;
    return kept != NULL;
}

/* A copy that lives as long as the report. */
static bool keep(struct qd_report *report, struct qd_result *result)
{
    bool kept = true;

#define KEEP(field) kept = (result->field = qd_names_keep(&report->names, result->field)) && kept;
    KEEP(id)
    KEEP(op)
    QD_RESULT_STRINGS(KEEP)
#undef KEEP
    return kept && (result->parameter_count == 0 || keep_parameters(report, result));
}

static enum qd_status take_result(void *context, const struct qd_result *result,
                                  struct qd_error *error)
{
    struct reading *reading = context;
    struct qd_report *report = reading->report;
    struct qd_report_result made = {*result, QD_REPORT_NOWHERE, QD_REPORT_NOWHERE};
    struct qd_report_result *results = qd_array_grow(report->results, report->result_count,
                                                     &report->result_capacity, sizeof *results);

    if (!results)
        return no_memory(error);
    report->results = results;
    if (result->target[0] != '\0') {
        const char *target = qd_names_keep(&report->names, result->target);

        made.column = !target ? QD_REPORT_NOWHERE : column_of(reading, target);
        if (made.column == QD_REPORT_NOWHERE)
            return no_memory(error);
        made.result.target = report->columns[made.column].label;
    } else {
        made.result.target = "";
    }
    if (!keep(report, &made.result))
        return no_memory(error);
    results[report->result_count++] = made;
    return qd_causes_add(&report->causes, &made.result, error);
}

static enum qd_status take_row(void *context, const struct qd_unmatched_row *row,
                               struct qd_error *error)
{
    (void)context, (void)row, (void)error;
    return QD_OK;
}

static enum qd_status read_all(const struct qd_words *paths, struct qd_report *report,
                               struct qd_error *error)
{
    struct reading reading = {.report = report};
    struct qd_results_reader reader = {take_header, take_result, take_row, &reading};
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < paths->count && status == QD_OK; i++) {
        bool complete = false;

        reading.file = paths->items[i];
        status = qd_results_read(reading.file, &reader, &complete, error);
        if (status == QD_OK)
            report->runs[reading.run].complete = complete;
    }
    return status == QD_OK ? qd_causes_find(&report->causes, error) : status;
}

/* --- By case -------------------------------------------------------------------------------------- */

static int by_case(const void *a, const void *b)
{
    const struct qd_report_result *x = a, *y = b;
    int order = strcmp(x->result.id, y->result.id);

    return order != 0 ? order : (x->column > y->column) - (x->column < y->column);
}

static bool group(struct qd_report *report)
{
    report->cases = qd_arena_array(&report->arena, report->result_count, sizeof *report->cases);
    if (!report->cases)
        return false;
    if (report->result_count > 0)
        qsort(report->results, report->result_count, sizeof *report->results, by_case);
    for (size_t i = 0; i < report->result_count; i++) {
        const struct qd_result *result = &report->results[i].result;

        if (i == 0 || result->id != report->results[i - 1].result.id)
            report->cases[report->case_count++] =
                (struct qd_report_case){.id = result->id, .op = result->op, .first = i};
        report->cases[report->case_count - 1].count++;
    }
    return true;
}

static int by_id(const void *id, const void *kase)
{
    return strcmp(id, ((const struct qd_report_case *)kase)->id);
}

struct qd_report_case *qd_report_find(const struct qd_report *report, const char *id)
{
    return report->case_count == 0
               ? NULL
               : bsearch(id, report->cases, report->case_count, sizeof *report->cases, by_id);
}

static void note_cause(struct qd_report *report, const struct qd_cause_member *member, size_t cause)
{
    struct qd_report_case *kase = qd_report_find(report, member->id);

    for (size_t i = kase->first; i < kase->first + kase->count; i++)
        if (strcmp(report->results[i].result.target, member->target) == 0)
            report->results[i].cause = cause;
    kase->diverges = true;
}

static void note_causes(struct qd_report *report)
{
    for (size_t i = 0; i < report->causes.count; i++) {
        const struct qd_cause *cause = &report->causes.items[i];

        for (size_t j = 0; j < cause->results; j++)
            note_cause(report, &report->causes.members[cause->first + j], i);
    }
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].diverges)
            report->cases[i].number = report->diverging++;
}

enum qd_status qd_report_read(const struct qd_words *paths, struct qd_report *report,
                              struct qd_error *error)
{
    *report = (struct qd_report){0};
    qd_arena_init(&report->arena, BUDGET);
    report->names.arena = &report->arena;
    qd_causes_init(&report->causes);
    enum qd_status status = read_all(paths, report, error);
    if (status != QD_OK)
        return status;
    if (!group(report))
        return no_memory(error);
    note_causes(report);
    return QD_OK;
}

void qd_report_clear(struct qd_report *report)
{
    qd_causes_clear(&report->causes);
    qd_names_clear(&report->names);
    free(report->runs);
    free(report->columns);
    free(report->results);
    qd_arena_clear(&report->arena);
    *report = (struct qd_report){0};
}
