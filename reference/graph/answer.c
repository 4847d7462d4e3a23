/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/answer.h"

#include "qdiff/evaluate.h"

enum qd_status qd_values_shapes(const struct qd_value *values, size_t count, struct qd_arena *arena,
                                const struct qd_tensor **shapes, struct qd_error *error)
{
    struct qd_tensor *made = qd_arena_array(arena, count, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for the shapes of %zu outputs", count);
    for (size_t i = 0; i < count; i++)
        made[i] = values[i].want;
    *shapes = made;
    return QD_OK;
}

enum qd_status qd_graph_answer_within(double work, struct qd_sample *sample,
                                      const struct qd_graph *graph, const struct qd_tensor *inputs,
                                      struct qd_arena *arena, struct qd_value **values,
                                      const struct qd_tensor **shapes, struct qd_error *error)
{
    struct qd_value *made = qd_arena_array(arena, graph->output_count, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu outputs", graph->output_count);
    enum qd_status status =
        qd_graph_evaluate_sample(work, sample, graph, inputs, arena, made, error);
    if (status == QD_OK)
        status = qd_values_shapes(made, graph->output_count, arena, shapes, error);
    if (status == QD_OK)
        *values = made;
    return status;
}

enum qd_status qd_graph_answer(const struct qd_graph *graph, const struct qd_tensor *inputs,
                               struct qd_arena *arena, struct qd_value **values,
                               const struct qd_tensor **shapes, struct qd_error *error)
{
    return qd_graph_answer_within(QD_MAX_WORK, NULL, graph, inputs, arena, values, shapes, error);
}

enum qd_status qd_graph_shapes(double work, const struct qd_graph *graph,
                               const struct qd_tensor *inputs, struct qd_arena *arena,
                               const struct qd_tensor **shapes, struct qd_error *error)
{
    struct qd_sample sample = {.none = true};
    struct qd_value *values;
    enum qd_status status =
        qd_graph_answer_within(work, &sample, graph, inputs, arena, &values, shapes, error);
    return sample.doubted
               ? qd_graph_answer_within(work, NULL, graph, inputs, arena, &values, shapes, error)
               : status;
}
