/* SPDX-License-Identifier: Apache-2.0 */
/* What the mutations share. */
#ifndef QDIFF_FUZZ_MUTATE_PARTS_H
#define QDIFF_FUZZ_MUTATE_PARTS_H

#include "qdiff/mutate_case.h"

/* The value that is the SCALE or ZERO_POINT of a node's output, QD_NO_VALUE if there is none. */
int qd_output_parameter(const struct qd_case_edit_node *node, enum qd_role role);

#endif
