/* SPDX-License-Identifier: Apache-2.0 */
/* The stock and room for cases made from it, as a group's state (cmocka). */
#ifndef QDIFF_FUZZ_STOCK_TESTLIB_H
#define QDIFF_FUZZ_STOCK_TESTLIB_H

#include "case_testlib.h"
#include "qdiff/mutate_case.h"

#define CAPACITY QD_FUZZ_MAX_BYTES

struct fixture {
    struct qd_arena stock_arena, arena, other;
    struct qd_stock stock;
    struct qd_mutation mutation;
    uint8_t *first, *second; /* CAPACITY bytes each */
};

int stock_set_up(void **state);
int stock_tear_down(void **state);

#endif
