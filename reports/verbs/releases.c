/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff releases`: which causes show in which releases of a target. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "qdiff/version_order.h"
#include "report/tally.h"

/* A release of a target: what its columns come to, settings and machines together. */
struct release {
    const char *name, *version;
};

struct table {
    struct qd_report *report;
    const struct release *releases; /* by name, the oldest first */
    size_t count;
};

static int by_name_and_version(const void *a, const void *b)
{
    const struct release *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : qd_version_order(x->version, y->version);
}

/* The releases that the files hold, each once. */
static bool find_releases(struct table *table)
{
    const struct qd_report *report = table->report;
    struct release *releases =
        qd_arena_array(&table->report->arena, report->column_count, sizeof *releases);
    size_t count = 0;

    if (!releases)
        return false;
    for (size_t i = 0; i < report->column_count; i++)
        releases[i] = (struct release){report->columns[i].name, report->columns[i].version};
    if (report->column_count > 0)
        qsort(releases, report->column_count, sizeof *releases, by_name_and_version);
    for (size_t i = 0; i < report->column_count; i++)
        if (count == 0 || by_name_and_version(&releases[count - 1], &releases[i]) != 0)
            releases[count++] = releases[i];
    table->releases = releases;
    table->count = count;
    return true;
}

static struct qd_tally tally_of(const struct table *table, const struct qd_tally *tallies,
                                const struct release *release)
{
    struct qd_tally sum = {0};

    for (size_t i = 0; i < table->report->column_count; i++) {
        const struct qd_report_column *column = &table->report->columns[i];

        if (strcmp(column->name, release->name) != 0 ||
            strcmp(column->version, release->version) != 0)
            continue;
        sum.bad += tallies[i].bad;
        sum.good += tallies[i].good;
        sum.other += tallies[i].other;
        sum.skipped += tallies[i].skipped;
    }
    return sum;
}

/* The cause, as a link where its name is a place: "[onnxruntime
 * #28456](https://...)", "[arm-float16](findings/...)". */
static void print_name(FILE *out, const char *name)
{
    static const char github[] = "https://github.com/", reports[] = "reports/findings/";
    const char *repository = strncmp(name, github, sizeof github - 1) == 0
                                 ? strchr(name + sizeof github - 1, '/')
                                 : NULL;
    const char *number = repository ? strrchr(repository, '/') : NULL;

    if (repository && number > repository)
        fprintf(out, "| [%.*s #%s](%s) |", (int)strcspn(repository + 1, "/"), repository + 1,
                number + 1, name);
    else if (strncmp(name, reports, sizeof reports - 1) == 0)
        fprintf(out, "| [%.*s](%s) |", (int)strcspn(name + sizeof reports - 1, "/"),
                name + sizeof reports - 1, name + strlen("reports/"));
    else
        fprintf(out, "| %s |", name);
}

/* "no" where all cases passed, "." where none was run, "?" where they fail for other reasons. */
static void print_cell(FILE *out, const struct qd_tally *tally)
{
    if (tally->bad > 0)
        fprintf(out, " %" PRId64 " |", tally->bad);
    else
        fprintf(out, " %s |", tally->good > 0 ? "no" : tally->other > 0 ? "?" : ".");
}

/* First and last release that have the cause, and the first one after it that has not. */
static void print_span(FILE *out, const struct table *table, const struct qd_tally *tallies,
                       size_t begin, size_t end)
{
    const char *first = "", *last = "", *fixed = "";

    for (size_t i = begin; i < end; i++) {
        struct qd_tally tally = tally_of(table, tallies, &table->releases[i]);

        if (tally.bad > 0) {
            first = *first ? first : table->releases[i].version;
            last = table->releases[i].version;
            fixed = "";
        } else if (*first && !*fixed && tally.good > 0) {
            fixed = table->releases[i].version;
        }
    }
    fprintf(out, " %s | %s | %s |\n", first, last, fixed);
}

static bool print_cause(FILE *out, struct table *table, size_t cause, size_t begin, size_t end)
{
    const struct qd_cause *item = &table->report->causes.items[cause];
    const struct qd_tally *tallies = qd_report_tally(table->report, cause);

    if (!tallies)
        return false;
    print_name(out, item->name);
    fprintf(out, " %s |", item->ops);
    for (size_t i = begin; i < end; i++) {
        struct qd_tally tally = tally_of(table, tallies, &table->releases[i]);

        print_cell(out, &tally);
    }
    print_span(out, table, tallies, begin, end);
    return true;
}

/* The releases begin to end are those of one target. */
static bool print_target(FILE *out, struct table *table, size_t begin, size_t end)
{
    const char *name = table->releases[begin].name;

    fprintf(out, "%s| cause in %s | operators |", begin > 0 ? "\n" : "", name);
    for (size_t i = begin; i < end; i++)
        fprintf(out, " %s |", table->releases[i].version);
    fputs(" first bad | last bad | fixed |\n|---|---|", out);
    for (size_t i = begin; i < end; i++)
        fputs("--:|", out);
    fputs("---|---|---|\n", out);
    for (size_t i = 0; i < table->report->causes.count; i++)
        if (strcmp(table->report->causes.items[i].target, name) == 0 &&
            !print_cause(out, table, i, begin, end))
            return false;
    return true;
}

static enum qd_exit print(struct qd_command *command, struct qd_report *report)
{
    struct table table = {.report = report};

    if (!find_releases(&table))
        return QD_EXIT_OWN_FAILURE;
    for (size_t begin = 0, end; begin < table.count; begin = end) {
        for (end = begin; end < table.count &&
                          strcmp(table.releases[begin].name, table.releases[end].name) == 0;)
            end++;
        if (!print_target(command->out, &table, begin, end))
            return QD_EXIT_OWN_FAILURE;
    }
    if (table.count == 0)
        fputs("no target was run\n", command->out);
    return QD_EXIT_OK;
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_report report = {0};
    struct qd_error error = {0};
    enum qd_exit code = qd_report_read(&command->options.arguments, &report, &error) == QD_OK
                            ? print(command, &report)
                            : qd_command_failed(command, &error);

    qd_report_clear(&report);
    return code;
}

const struct qd_verb qd_verb_releases = {
    .arguments = "FILE...",
    .at_least = 1,
    .at_most = SIZE_MAX,
    .options = "",
    .text = "Prints which causes (qdiff help causes) show in which releases of a target, from\n"
            "results files: a table in Markdown, one line for each cause, with the number of\n"
            "results that fail for it, the first and the last release that has it and the\n"
            "first one after it that has not. `no` means that all its cases pass, `.` that\n"
            "none of them was run (the release does not declare them), `?` that they fail for\n"
            "other reasons. qdiff report shows the same as a page.",
    .examples = "    scripts/setup --target ort@..\n"
                "    qdiff run -t ort@.. --jobs 4 -r all.jsonl\n"
                "    qdiff releases all.jsonl",
    .run = run,
};
