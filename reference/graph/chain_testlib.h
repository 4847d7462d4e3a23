/* SPDX-License-Identifier: Apache-2.0 */
/* Operators applied one after another by hand, for tests of what a value carries along a chain. */
#ifndef QDIFF_REFERENCE_CHAIN_TESTLIB_H
#define QDIFF_REFERENCE_CHAIN_TESTLIB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"

struct chain {
    struct qd_arena arena; /* everything's */
    struct qd_error error;
    struct qd_semantics semantics;
};

/* For cmocka, before and after each test: *state is a new chain. */
int chain_begin(void **state);
int chain_end(void **state);

/* Constants: `numbers` are values of a float type, codes of any other. */
struct qd_value chain_vector(struct chain *chain, enum qd_dtype dtype, unsigned rank,
                             const int64_t *dims, const double *numbers);
struct qd_value chain_scalar(struct chain *chain, enum qd_dtype dtype, double number);

/* One node of opset 13 with QD_MAX_OPERANDS operands, NULL those that are absent. Fails the test unless the operator
 * can. */
struct qd_value chain_apply_all(struct chain *chain, const char *op, const struct qd_attr *attrs,
                                size_t attr_count, const struct qd_value *const *in);

/* The same of up to three operands; the attribute and operands may be NULL. */
struct qd_value chain_apply(struct chain *chain, const char *op, const struct qd_attr *attr,
                            const struct qd_value *a, const struct qd_value *b,
                            const struct qd_value *c);

#endif
