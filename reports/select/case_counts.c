/* SPDX-License-Identifier: Apache-2.0 */
/* Counts cases by operator, family and level, for `qdiff list --count`. */
#include "select/case_counts.h"

#include <stdlib.h>
#include <string.h>

#include "qdiff/features.h"
#include "text/json_write.h"

static int compare_names(const void *a, const void *b)
{
    const struct qd_case_counts_row *left = a, *right = b;

    return strcmp(left->name, right->name);
}

/* The row of a name, made when there is none; rows stay sorted. NULL when out of memory. */
static struct qd_case_counts_row *row_of(struct qd_case_counts_table *table, const char *name,
                                         size_t length)
{
    char *copy = strndup(name, length);
    struct qd_case_counts_row key = {.name = copy}, *rows;
    struct qd_case_counts_row *found =
        !copy || table->count == 0
            ? NULL
            : bsearch(&key, table->rows, table->count, sizeof key, compare_names);

    if (!copy || found) {
        free(copy);
        return found;
    }
    rows = realloc(table->rows, (table->count + 1) * sizeof *rows);
    if (!rows) {
        free(copy);
        return NULL;
    }
    table->rows = rows;
    rows[table->count++] = key;
    qsort(rows, table->count, sizeof *rows, compare_names);
    return bsearch(&key, rows, table->count, sizeof key, compare_names);
}

/* Whether a text of a kind is new; the kinds share one map. */
static enum qd_status note(struct qd_case_counts *counts, char kind, const char *text, bool *fresh,
                           struct qd_error *error)
{
    char joined[512];
    enum qd_status status = QD_OK;

    snprintf(joined, sizeof joined, "%c%s", kind, text);
    struct qd_digest digest = qd_digest_of_text(joined);
    *fresh = qd_digest_map_get(&counts->seen, &digest) == NULL;
    if (*fresh)
        status = qd_digest_map_put(&counts->seen, &digest, 0, error);
    return status;
}

static enum qd_status count_regression(struct qd_case_counts *counts, const struct qd_case *kase,
                                       struct qd_error *error)
{
    bool fresh;
    enum qd_status status = note(counts, 'i', kase->issue, &fresh, error);

    if (status == QD_OK) {
        counts->regressions++;
        counts->issues += fresh && kase->issue[0] != '\0';
    }
    return status;
}

static enum qd_status count_in(struct qd_case_counts *counts, const struct qd_case *kase,
                               enum qd_level level, bool fresh, struct qd_error *error)
{
    const char *op = kase->request_size > 0 ? "(quantizers)" : kase->op;
    struct qd_case_counts_row *of_op, *of_family, *rows[3];

    of_op = row_of(&counts->ops, op, strlen(op));
    of_family = row_of(&counts->families, kase->id, strcspn(kase->id, "/"));
    if (!of_op || !of_family)
        return qd_fail(error, QD_NO_MEMORY, "no memory for counts");
    rows[0] = of_op;
    rows[1] = of_family;
    rows[2] = &counts->total;
    for (int i = 0; fresh && i < 3; i++)
        if (kase->expect == QD_EXPECT_MUST_REJECT)
            rows[i]->rules++;
        else
            rows[i]->valid[level]++;
    return QD_OK;
}

enum qd_status qd_case_counts_add(struct qd_case_counts *counts, const struct qd_case *kase,
                                  enum qd_level level, struct qd_error *error)
{
    bool rejected = kase->expect == QD_EXPECT_MUST_REJECT, fresh;
    struct qd_digest digest = qd_digest_of_case(kase);
    char text[QD_DIGEST_TEXT];
    enum qd_status status = rejected
                                ? note(counts, 'r', kase->rule, &fresh, error)
                                : note(counts, 'c', qd_digest_write(&digest, text), &fresh, error);

    if (status == QD_OK && strncmp(kase->id, "regressions/", 12) == 0)
        status = count_regression(counts, kase, error);
    if (status == QD_OK)
        status = count_in(counts, kase, level, fresh, error);
    if (status == QD_OK) {
        counts->cases++;
        counts->must_reject += rejected;
        counts->duplicates += !rejected && !fresh;
    }
    return status;
}

static size_t sum_of(const struct qd_case_counts_row *row)
{
    size_t sum = 0;

    for (int i = 0; i < QD_LEVEL_COUNT; i++)
        sum += row->valid[i];
    return sum;
}

static void print_row(const struct qd_case_counts_row *row, const char *name, enum qd_level top,
                      FILE *out)
{
    fprintf(out, "%-36s", name);
    for (int i = 0; i <= (int)top; i++)
        fprintf(out, " %10zu", row->valid[i]);
    fprintf(out, " %8zu %6zu\n", sum_of(row), row->rules);
}

static void print_table(const struct qd_case_counts_table *table, const char *title,
                        enum qd_level top, FILE *out)
{
    fprintf(out, "%-36s", title);
    for (int i = 0; i <= (int)top; i++)
        fprintf(out, " %10s", qd_level_word((enum qd_level)i));
    fprintf(out, " %8s %6s\n", "valid", "rules");
    for (size_t i = 0; i < table->count; i++)
        print_row(&table->rows[i], table->rows[i].name, top, out);
}

void qd_case_counts_print(const struct qd_case_counts *counts, enum qd_level top, FILE *out)
{
    print_table(&counts->ops, "operator", top, out);
    fputc('\n', out);
    print_table(&counts->families, "family", top, out);
    fputc('\n', out);
    print_row(&counts->total, "total", top, out);
    fprintf(out,
            "\n%zu cases: %zu valid ones that differ in model or inputs, %zu duplicates of those,\n"
            "%zu must-reject by %zu distinct rules; %zu of them regressions of %zu issues.\n"
            "A case counts in the lowest level that has it.\n",
            counts->cases, sum_of(&counts->total), counts->duplicates, counts->must_reject,
            counts->total.rules, counts->regressions, counts->issues);
}

static void write_row(struct qd_json *json, const char *key, const struct qd_case_counts_row *row,
                      enum qd_level top)
{
    qd_json_open(json, key, '{');
    for (int i = 0; i <= (int)top; i++)
        qd_json_int(json, qd_level_word((enum qd_level)i), (int64_t)row->valid[i]);
    qd_json_int(json, "valid", (int64_t)sum_of(row));
    qd_json_int(json, "rules", (int64_t)row->rules);
    qd_json_close(json, '}');
}

static void write_table(struct qd_json *json, const char *key,
                        const struct qd_case_counts_table *table, enum qd_level top)
{
    qd_json_open(json, key, '{');
    for (size_t i = 0; i < table->count; i++)
        write_row(json, table->rows[i].name, &table->rows[i], top);
    qd_json_close(json, '}');
}

void qd_case_counts_write(const struct qd_case_counts *counts, enum qd_level top, FILE *out)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_int(&json, "cases", (int64_t)counts->cases);
    qd_json_int(&json, "duplicates", (int64_t)counts->duplicates);
    qd_json_int(&json, "must_reject", (int64_t)counts->must_reject);
    qd_json_int(&json, "regressions", (int64_t)counts->regressions);
    qd_json_int(&json, "issues", (int64_t)counts->issues);
    write_row(&json, "total", &counts->total, top);
    write_table(&json, "by_op", &counts->ops, top);
    write_table(&json, "by_family", &counts->families, top);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static void clear_table(struct qd_case_counts_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->rows[i].name);
    free(table->rows);
}

void qd_case_counts_clear(struct qd_case_counts *counts)
{
    clear_table(&counts->ops);
    clear_table(&counts->families);
    qd_digest_map_clear(&counts->seen);
    *counts = (struct qd_case_counts){0};
}
