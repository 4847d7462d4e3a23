/* Which rows of expectations were matched by a divergence and which were not, over everything that ran. */
#ifndef QDIFF_REPORTS_ROW_BOOK_H
#define QDIFF_REPORTS_ROW_BOOK_H

#include "result_json.h"

struct qd_row_entry {
    struct qd_unmatched_row row; /* text NULL: known only by a match */
    bool matched;
};

struct qd_row_book {
    struct qd_arena *arena; /* where the entries live */
    size_t count, capacity;
    struct qd_row_entry *entries;
};

/* Notes what a result says about rows: an expected divergence matches its row. NO_MEMORY only. */
enum qd_status qd_row_book_result(struct qd_row_book *book, const struct qd_result *result,
                                  struct qd_error *error);

/* Notes a row that matched nothing in a part of the run. NO_MEMORY only. */
enum qd_status qd_row_book_unmatched(struct qd_row_book *book, const struct qd_unmatched_row *row,
                                     struct qd_error *error);

/* Whether entry i matched nothing anywhere. */
bool qd_row_book_is_stale(const struct qd_row_book *book, size_t i);

#endif
