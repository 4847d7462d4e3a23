#include "row_book.h"

#include <string.h>

static struct qd_row_entry *find(const struct qd_row_book *book, const char *target, size_t row)
{
    for (size_t i = 0; i < book->count; i++) {
        if (book->entries[i].row.row == row && strcmp(book->entries[i].row.target, target) == 0) {
            return &book->entries[i];
        }
    }
    return NULL;
}

static bool grow(struct qd_row_book *book)
{
    size_t capacity = book->capacity == 0 ? 64 : book->capacity * 2;
    struct qd_row_entry *entries = qd_arena_array(book->arena, capacity, sizeof *entries);

    if (entries == NULL) {
        return false;
    }
    if (book->count > 0) {
        memcpy(entries, book->entries, book->count * sizeof *entries);
    }
    book->entries = entries;
    book->capacity = capacity;
    return true;
}

/* The entry of a row, made if need be; NULL when out of memory. */
static struct qd_row_entry *entry_of(struct qd_row_book *book, const char *target, size_t row)
{
    struct qd_row_entry *entry = find(book, target, row);
    char *copy;

    if (entry != NULL) {
        return entry;
    }
    copy = qd_arena_string(book->arena, target);
    if (copy == NULL || (book->count == book->capacity && !grow(book))) {
        return NULL;
    }
    entry = &book->entries[book->count++];
    *entry = (struct qd_row_entry){.row = {.target = copy, .row = row}};
    return entry;
}

enum qd_status qd_row_book_result(struct qd_row_book *book, const struct qd_result *result,
                                  struct qd_error *error)
{
    struct qd_row_entry *entry;

    if (result->kind != QD_RESULT_KNOWN) {
        return QD_OK;
    }
    entry = entry_of(book, result->target, result->row);
    if (entry == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for expectation rows");
    }
    entry->matched = true;
    return QD_OK;
}

enum qd_status qd_row_book_unmatched(struct qd_row_book *book, const struct qd_unmatched_row *row,
                                     struct qd_error *error)
{
    struct qd_row_entry *entry = entry_of(book, row->target, row->row);

    if (entry != NULL && entry->row.text == NULL) {
        entry->row.issue = qd_arena_string(book->arena, row->issue);
        entry->row.text = qd_arena_string(book->arena, row->text);
    }
    if (entry == NULL || entry->row.text == NULL || entry->row.issue == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for expectation rows");
    }
    return QD_OK;
}

bool qd_row_book_is_stale(const struct qd_row_book *book, size_t i)
{
    return book->entries[i].row.text != NULL && !book->entries[i].matched;
}
