/* SPDX-License-Identifier: Apache-2.0 */
/* A case as lines for people. */
#ifndef QDIFF_REPORTS_CASE_SHOW_H
#define QDIFF_REPORTS_CASE_SHOW_H

#include <stdio.h>

#include "qdiff/case.h"

/* What it expects and where it comes from, its features; then the graph. */
void qd_case_show(FILE *out, const struct qd_case *kase, struct qd_arena *arena);

/* What a case of the quantizer role asks, as `qdiff quantize` takes it; of the kernel role: nothing. */
void qd_case_show_request(FILE *out, const struct qd_case *kase, struct qd_arena *arena);

/* What comes before the case, a line a step; nothing for a case without. */
void qd_case_show_steps(FILE *out, const struct qd_case *kase);

/* Tensors with their leading elements, nodes with their attributes, outputs. */
void qd_case_show_graph(FILE *out, const struct qd_case *kase, struct qd_arena *arena);

#endif
