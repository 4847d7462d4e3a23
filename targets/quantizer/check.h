/* SPDX-License-Identifier: Apache-2.0 */
/* A check under way, and its parts. */
#ifndef QDIFF_QUANTIZER_CHECK_PARTS_H
#define QDIFF_QUANTIZER_CHECK_PARTS_H

#include "quantizer/edges.h"

struct qd_quant_check {
    const struct qd_quantizer_question *question;
    const struct qd_graph *graph; /* float */
    struct qd_quant_edges edges;
    int *
        group; /* for each value of the graph: the least value it shares parameters with, by the tool's promise */
    struct qd_arena *arena;
    struct qd_quantizer_report *report;
    size_t finding_capacity, fact_capacity;
    enum qd_status status; /* NO_MEMORY, once */
};

/* Adds a finding, or a fact. */
void qd_quant_find(struct qd_quant_check *check, enum qd_verdict class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void qd_quant_note(struct qd_quant_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "W, input 1 of 'conv'", in the arena. */
const char *qd_quant_place(struct qd_quant_check *check, const struct qd_quant_edge *edge);

/* Finds the groups that the profile promises (before the checks below), and
 * checks that each has one scale and zero point. */
enum qd_status qd_quant_group(struct qd_quant_check *check, struct qd_error *error);
void qd_quant_check_sharing(struct qd_quant_check *check);

/* Whether the value is computed by an operator that does not merely move codes. */
bool qd_quant_is_anchor(const struct qd_quant_check *check, int value);

/* The node that alone reads the value, which is no output of the graph; NULL when there is none. */
const struct qd_node *qd_quant_only_reader(const struct qd_quant_check *check, int value);

void qd_quant_check_parameters(struct qd_quant_check *check);
void qd_quant_check_bias(struct qd_quant_check *check);

/* Whether every vector of scales lies on the axis that its consumer wants. */
void qd_quant_check_axes(struct qd_quant_check *check);

#endif
