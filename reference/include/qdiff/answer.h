/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's answer to a graph, as targets are asked for theirs. */
#ifndef QDIFF_ANSWER_H
#define QDIFF_ANSWER_H

#include "qdiff/graph.h"
#include "qdiff/value.h"

/* The canonical tensor of each value: the type and shape that is wanted of a target. NO_MEMORY. */
enum qd_status qd_values_shapes(const struct qd_value *values, size_t count, struct qd_arena *arena,
                                const struct qd_tensor **shapes, struct qd_error *error);

struct qd_sample;

/* qd_graph_evaluate_sample within `work` (QD_MAX_WORK is the usual limit), with the outputs' shapes:
 * graph->output_count of both, in the arena. Statuses as there. */
enum qd_status qd_graph_answer_within(double work, struct qd_sample *sample,
                                      const struct qd_graph *graph, const struct qd_tensor *inputs,
                                      struct qd_arena *arena, struct qd_value **values,
                                      const struct qd_tensor **shapes, struct qd_error *error);
/* The same within QD_MAX_WORK, without a sample. */
enum qd_status qd_graph_answer(const struct qd_graph *graph, const struct qd_tensor *inputs,
                               struct qd_arena *arena, struct qd_value **values,
                               const struct qd_tensor **shapes, struct qd_error *error);

/* The shapes alone, and the same status: floats and codes are computed only where a check asks for them. */
enum qd_status qd_graph_shapes(double work, const struct qd_graph *graph,
                               const struct qd_tensor *inputs, struct qd_arena *arena,
                               const struct qd_tensor **shapes, struct qd_error *error);

#endif
