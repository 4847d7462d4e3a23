/* SPDX-License-Identifier: Apache-2.0 */
/* Notes which rows of expectations a run used, and says which are stale or shadowed. */
#include "result/expectation_usage.h"

#include <stdlib.h>
#include <string.h>

static struct qd_row_entry *find(const struct qd_expectation_usage *usage, const char *target,
                                 size_t row)
{
    for (size_t i = 0; i < usage->count; i++)
        if (usage->entries[i].row.row == row && strcmp(usage->entries[i].row.target, target) == 0)
            return &usage->entries[i];
    return NULL;
}

static bool grow(struct qd_expectation_usage *usage)
{
    size_t capacity = usage->capacity == 0 ? 64 : usage->capacity * 2;
    struct qd_row_entry *entries = qd_arena_array(usage->arena, capacity, sizeof *entries);

    if (!entries)
        return false;
    if (usage->count > 0)
        memcpy(entries, usage->entries, usage->count * sizeof *entries);
    usage->entries = entries;
    usage->capacity = capacity;
    return true;
}

/* The entry of a row, made if need be; NULL when out of memory. */
static struct qd_row_entry *entry_of(struct qd_expectation_usage *usage, const char *target,
                                     size_t row)
{
    struct qd_row_entry *entry = find(usage, target, row);

    if (entry)
        return entry;
    char *copy = qd_arena_string(usage->arena, target);
    if (!copy || (usage->count == usage->capacity && !grow(usage)))
        return NULL;
    entry = &usage->entries[usage->count++];
    *entry = (struct qd_row_entry){.row = {.target = copy, .row = row}};
    return entry;
}

/* Notes each line of "12,40". */
static enum qd_status take_lines(struct qd_expectation_usage *usage, const char *target,
                                 const char *lines, bool matched, struct qd_error *error)
{
    const char *at = lines;
    for (char *end; *at != '\0'; at = end + (*end == ',')) {
        size_t line = strtoul(at, &end, 10);
        struct qd_row_entry *entry = entry_of(usage, target, line);
        if (!entry)
            return qd_fail(error, QD_NO_MEMORY, "no memory for expectation rows");
        if (end == at)
            return qd_fail(error, QD_MALFORMED, "'%.40s': want line numbers", at);
        entry->covered = true;
        entry->matched = entry->matched || matched;
    }
    return QD_OK;
}

enum qd_status qd_expectation_usage_result(struct qd_expectation_usage *usage,
                                           const struct qd_result *result, struct qd_error *error)
{
    enum qd_status status = take_lines(usage, result->target, result->matched, true, error);
    return status == QD_OK ? take_lines(usage, result->target, result->covering, false, error)
                           : status;
}

enum qd_status qd_expectation_usage_unmatched(struct qd_expectation_usage *usage,
                                              const struct qd_unmatched_row *row,
                                              struct qd_error *error)
{
    struct qd_row_entry *entry = entry_of(usage, row->target, row->row);

    if (entry && !entry->row.text) {
        entry->row.issue = qd_arena_string(usage->arena, row->issue);
        entry->row.text = qd_arena_string(usage->arena, row->text);
    }
    if (!entry || !entry->row.text || !entry->row.issue)
        return qd_fail(error, QD_NO_MEMORY, "no memory for expectation rows");
    return QD_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct qd_unmatched_row *x = &((const struct qd_row_entry *)a)->row;
    const struct qd_unmatched_row *y = &((const struct qd_row_entry *)b)->row;
    int order = strcmp(x->target, y->target);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

void qd_expectation_usage_sort(struct qd_expectation_usage *usage)
{
    if (usage->count > 0)
        qsort(usage->entries, usage->count, sizeof *usage->entries, by_place);
}

/* Whether the row was the first for a divergence on some target. */
static bool matched_anywhere(const struct qd_expectation_usage *usage, size_t row)
{
    for (size_t i = 0; i < usage->count; i++)
        if (usage->entries[i].row.row == row && usage->entries[i].matched)
            return true;
    return false;
}

bool qd_expectation_usage_is_unmatched(const struct qd_expectation_usage *usage, size_t i)
{
    return usage->entries[i].row.text && !usage->entries[i].matched;
}

enum qd_row_state qd_expectation_usage_state(const struct qd_expectation_usage *usage, size_t i)
{
    const struct qd_row_entry *entry = &usage->entries[i];
    if (!qd_expectation_usage_is_unmatched(usage, i))
        return QD_ROW_USED;
    if (!entry->covered)
        return QD_ROW_STALE;
    return matched_anywhere(usage, entry->row.row) ? QD_ROW_USED : QD_ROW_SHADOWED;
}

const char *qd_expectation_usage_describe(const struct qd_expectation_usage *usage, size_t i,
                                          char *text, size_t size)
{
    const struct qd_unmatched_row *row = &usage->entries[i].row;
    if (qd_expectation_usage_state(usage, i) == QD_ROW_SHADOWED)
        snprintf(text, size,
                 "expectation row %zu is shadowed: an earlier row expects each divergence that it "
                 "expects, so it can go: %s",
                 row->row, row->text);
    else
        snprintf(text, size, "expectation row %zu is stale: no case it selects diverges so: %s",
                 row->row, row->text);
    return text;
}
