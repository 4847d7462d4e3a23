/* SPDX-License-Identifier: Apache-2.0 */
/* Results by case and target. */
#ifndef QDIFF_REPORTS_RESULTS_BY_KEY_H
#define QDIFF_REPORTS_RESULTS_BY_KEY_H

#include "result/result.h"

/* What is kept of a result. */
struct qd_keyed_result {
    const char *key; /* "id [target]" */
    enum qd_result_kind kind;
    enum qd_verdict verdict;
    uint64_t digest;  /* of everything the record says */
    const char *what; /* for people: "value at [0, 1]: want 3, have 4", or the message */
};

/* Entries in order of insertion, found by a hash of their keys. */
struct qd_results_by_key {
    struct qd_arena arena;
    size_t count, capacity, slot_count;
    struct qd_keyed_result *entries;
    size_t *slots; /* entry + 1, 0: free */
};

void qd_results_by_key_init(struct qd_results_by_key *table);
void qd_results_by_key_clear(struct qd_results_by_key *table);

/* "id [target]"; with ignore_version the target has none. NULL when out of memory. */
const char *qd_result_key(const char *id, const char *target, bool ignore_version,
                          struct qd_arena *arena);

/* With ignore_version, "ort@1.26.0[opt=all]" and "ort@1.31.1[opt=all]" are the same target: what a comparison of
 * releases needs. *added tells whether the key was new; if not, *entry is the one that was there. NO_MEMORY only. */
enum qd_status qd_results_by_key_add(struct qd_results_by_key *table,
                                     const struct qd_result *result, bool ignore_version,
                                     bool *added, struct qd_keyed_result **entry,
                                     struct qd_error *error);

/* NULL if there is none. */
struct qd_keyed_result *qd_results_by_key_find(const struct qd_results_by_key *table,
                                               const char *key);

#endif
