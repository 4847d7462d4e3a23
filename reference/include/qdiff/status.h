/* SPDX-License-Identifier: Apache-2.0 */
/* Status values and errors.
 *
 * A status says whether *we* could do the work; a verdict (compare.h) says what was learned about a
 * target. Every fallible function of qdiff returns enum qd_status; its outputs come last, before
 * the error only, and are untouched on failure. */
#ifndef QDIFF_STATUS_H
#define QDIFF_STATUS_H

#include <stdbool.h>

/* QD_STATUS(name, word, meaning). The word is what reports print. */
#define QD_STATUS_LIST(QD_STATUS)                                                         \
    QD_STATUS(OK, "ok", "done")                                                           \
    QD_STATUS(INVALID, "invalid", "the model or its inputs break a rule of the operator") \
    QD_STATUS(UNSUPPORTED, "unsupported", "valid as far as we know, but not implemented") \
    QD_STATUS(MALFORMED, "malformed", "bytes that do not decode")                         \
    QD_STATUS(LIMIT, "limit", "larger than a documented limit")                           \
    QD_STATUS(NO_MEMORY, "no-memory", "the memory budget is used up")                     \
    QD_STATUS(IO, "io", "the operating system refused a file or process operation")       \
    QD_STATUS(NO_SPACE, "no-space", "a disk, quota or size limit is full")                \
    QD_STATUS(USAGE, "usage", "a wrong argument, option or name given by the user")       \
    QD_STATUS(UNUSABLE, "unusable", "a target that cannot be opened or does not work")    \
    QD_STATUS(INTERNAL, "internal", "a broken invariant of qdiff itself")

#define QD_STATUS_ENUM(name, word, meaning) QD_##name,
enum qd_status { QD_STATUS_LIST(QD_STATUS_ENUM) QD_STATUS_COUNT };
#undef QD_STATUS_ENUM

/* What went wrong, for people (text) and, where a rule of an operator was broken, for machines
 * (rule). rule is "" or the stable id "<Op>/<rule-slug>", e.g. "QLinearConv/w_zero_point-shape". */
struct qd_error {
    enum qd_status status;
    char rule[64];
    char text[320];
};

/* Of an operation on a file that failed with this errno: NO_SPACE, NO_MEMORY or IO. */
enum qd_status qd_status_of_errno(int number);

/* The word of a status ("ok", "invalid", ...). Never NULL. */
const char *qd_status_word(enum qd_status status);

/* Fills *error (may be NULL) with a formatted text and no rule; returns `status`, so that a caller
 * can write `return qd_fail(...)`. The text names file, field and value, without a final
 * newline. */
enum qd_status qd_fail(struct qd_error *error, enum qd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a broken rule of an operator; the status is QD_INVALID. */
enum qd_status qd_fail_rule(struct qd_error *error, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text of *error (may be NULL), truncating at its end, and stores the
 * status in it. Returns `status`. */
enum qd_status qd_fail_context(struct qd_error *error, enum qd_status status, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));

#endif
