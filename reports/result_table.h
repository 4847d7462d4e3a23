/* Results by case and target. */
#ifndef QDIFF_REPORTS_RESULT_TABLE_H
#define QDIFF_REPORTS_RESULT_TABLE_H

#include "result.h"

/* What is kept of a result. */
struct qd_table_entry {
    const char *key; /* "id [target]" */
    enum qd_result_kind kind;
    enum qd_verdict verdict;
    uint64_t digest;  /* of everything the record says */
    const char *what; /* for people: "value at [0, 1]: want 3, have 4", or the message */
    bool seen;        /* for the caller */
};

/* Entries in order of insertion, found by a hash of their keys. */
struct qd_result_table {
    struct qd_arena arena;
    size_t count, capacity, slot_count;
    struct qd_table_entry *entries;
    size_t *slots; /* entry + 1, 0: free */
};

void qd_result_table_init(struct qd_result_table *table);
void qd_result_table_clear(struct qd_result_table *table);

/* With ignore_version, "ort@1.26.0[opt=all]" and "ort@1.31.1[opt=all]" are the same target: what a comparison of
 * releases needs. *added tells whether the key was new; if not, *entry is the one that was there. NO_MEMORY only. */
enum qd_status qd_result_table_add(struct qd_result_table *table, const struct qd_result *result,
                                   bool ignore_version, bool *added, struct qd_table_entry **entry,
                                   struct qd_error *error);

/* NULL if there is none. */
struct qd_table_entry *qd_result_table_find(const struct qd_result_table *table, const char *key);

#endif
