/* SPDX-License-Identifier: Apache-2.0 */
/* What generators share. */
#ifndef QDIFF_FUZZ_GENERATE_PARTS_H
#define QDIFF_FUZZ_GENERATE_PARTS_H

#include "qdiff/mutate_case.h"

/* A case of the stock to start from. */
const struct qd_case *qd_stock_pick(const struct qd_mutation *mutation, struct qd_random *random);

/* A float graph of one to six operators with one run-time input; few of them break a rule. */
enum qd_status qd_generate_float(struct qd_random *random, struct qd_arena *arena,
                                 struct qd_case *kase, struct qd_error *error);

/* Other numbers for a float tensor. */
void qd_draw_floats(const struct qd_tensor *tensor, struct qd_random *random);

#endif
