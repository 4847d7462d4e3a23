/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, attributes and numbers as text for people. */
#ifndef QDIFF_REPORTS_DESCRIBE_H
#define QDIFF_REPORTS_DESCRIBE_H

#include "qdiff/case.h"
#include "qdiff/diagnose.h"

/* A number of the given type so that it reads back: an integer, or enough digits, "nan", "inf". Returns text. */
const char *qd_describe_number(enum qd_dtype dtype, double value, char *text, size_t size);

/* "u8[3] {1, 2, 3}": type, shape and at most `most` leading elements ("..." when there are more).
 * NULL when the arena is out of memory. */
const char *qd_describe_tensor(const struct qd_tensor *tensor, int64_t most,
                               struct qd_arena *arena);

/* "[1, 1, 0, 0]", "2", "0.5", "SAME_UPPER". NULL when the arena is out of memory. */
const char *qd_describe_attr(const struct qd_attr *attr, struct qd_arena *arena);

/* "[0, 1, 2]": where element i of a tensor is. NULL when the arena is out of memory. */
const char *qd_describe_place(const struct qd_tensor *tensor, int64_t i, struct qd_arena *arena);

/* "28 neighbours run; the target is wrong on 8 of them, as the quirk says": what a diagnosis rests on. NULL when the
 * arena is out of memory. */
const char *qd_describe_evidence(const struct qd_diagnosis *diagnosis, struct qd_arena *arena);

#endif
