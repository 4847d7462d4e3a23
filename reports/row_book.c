#include "row_book.h"

#include <stdlib.h>
#include <string.h>

static struct qd_row_entry *find(const struct qd_row_book *book, const char *target, size_t row)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->entries[i].row.row == row && strcmp(book->entries[i].row.target, target) == 0)
            return &book->entries[i];
    return NULL;
}

static bool grow(struct qd_row_book *book)
{
    size_t capacity = book->capacity == 0 ? 64 : book->capacity * 2;
    struct qd_row_entry *entries = qd_arena_array(book->arena, capacity, sizeof *entries);

    if (!entries)
        return false;
    if (book->count > 0)
        memcpy(entries, book->entries, book->count * sizeof *entries);
    book->entries = entries;
    book->capacity = capacity;
    return true;
}

/* The entry of a row, made if need be; NULL when out of memory. */
static struct qd_row_entry *entry_of(struct qd_row_book *book, const char *target, size_t row)
{
    struct qd_row_entry *entry = find(book, target, row);

    if (entry)
        return entry;
    char *copy = qd_arena_string(book->arena, target);
    if (!copy || (book->count == book->capacity && !grow(book)))
        return NULL;
    entry = &book->entries[book->count++];
    *entry = (struct qd_row_entry){.row = {.target = copy, .row = row}};
    return entry;
}

enum qd_status qd_row_book_result(struct qd_row_book *book, const struct qd_result *result,
                                  struct qd_error *error)
{
    const char *at = result->covering;
    for (char *end; *at != '\0'; at = end + (*end == ',')) {
        size_t line = strtoul(at, &end, 10);
        struct qd_row_entry *entry = entry_of(book, result->target, line);
        if (!entry)
            return qd_fail(error, QD_NO_MEMORY, "no memory for expectation rows");
        if (end == at)
            return qd_fail(error, QD_MALFORMED, "covering '%.40s': want line numbers", at);
        entry->covered = true;
        entry->matched = entry->matched || (result->kind == QD_RESULT_KNOWN && line == result->row);
    }
    return QD_OK;
}

enum qd_status qd_row_book_unmatched(struct qd_row_book *book, const struct qd_unmatched_row *row,
                                     struct qd_error *error)
{
    struct qd_row_entry *entry = entry_of(book, row->target, row->row);

    if (entry && !entry->row.text) {
        entry->row.issue = qd_arena_string(book->arena, row->issue);
        entry->row.text = qd_arena_string(book->arena, row->text);
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

void qd_row_book_sort(struct qd_row_book *book)
{
    if (book->count > 0)
        qsort(book->entries, book->count, sizeof *book->entries, by_place);
}

/* Whether the row was the first for a divergence on some target. */
static bool matched_anywhere(const struct qd_row_book *book, size_t row)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->entries[i].row.row == row && book->entries[i].matched)
            return true;
    return false;
}

bool qd_row_book_is_unmatched(const struct qd_row_book *book, size_t i)
{
    return book->entries[i].row.text && !book->entries[i].matched;
}

enum qd_row_state qd_row_book_state(const struct qd_row_book *book, size_t i)
{
    const struct qd_row_entry *entry = &book->entries[i];
    if (!qd_row_book_is_unmatched(book, i))
        return QD_ROW_USED;
    if (!entry->covered)
        return QD_ROW_STALE;
    return matched_anywhere(book, entry->row.row) ? QD_ROW_USED : QD_ROW_SHADOWED;
}

const char *qd_row_book_describe(const struct qd_row_book *book, size_t i, char *text, size_t size)
{
    const struct qd_unmatched_row *row = &book->entries[i].row;
    if (qd_row_book_state(book, i) == QD_ROW_SHADOWED)
        snprintf(text, size,
                 "expectation row %zu is shadowed: an earlier row expects each divergence that it "
                 "expects, so it can go: %s",
                 row->row, row->text);
    else
        snprintf(text, size, "expectation row %zu is stale: no case it selects diverges so: %s",
                 row->row, row->text);
    return text;
}
