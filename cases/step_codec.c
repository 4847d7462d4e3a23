/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that come before a case: from qdiff.Case and back. */
#include "step_codec.h"

#include "model.h"

/* As of the case's own tensors: one per input of the step's model, of the declared type and shape. */
static enum qd_status check_inputs(const struct qd_case_step *step, size_t count,
                                   struct qd_error *error)
{
    size_t wanted = step->runs > 0 ? step->graph->input_count : 0;
    if (count != wanted)
        return qd_fail(error, QD_INVALID,
                       "%zu input tensors for %u runs of a model with %zu inputs", count,
                       step->runs, step->graph->input_count);
    for (size_t i = 0; i < count; i++) {
        const struct qd_graph_value *value = &step->graph->values[step->graph->inputs[i]];
        char text[160];
        if (!qd_case_fits(value, &step->inputs[i]))
            return qd_fail(error, QD_INVALID,
                           "input %zu is %s, which '%.80s' is not declared to take", i,
                           qd_tensor_describe(&step->inputs[i], text, sizeof text), value->name);
    }
    return QD_OK;
}

static enum qd_status read_step(const Qdiff__Step *proto, const struct qd_graph *own,
                                struct qd_arena *arena, struct qd_case_step *step,
                                struct qd_error *error)
{
    enum qd_status status = QD_OK;
    int64_t opset;
    *step = (struct qd_case_step){.graph = own, .runs = proto->runs, .keep = proto->keep};
    if (proto->runs > QD_CASE_MAX_STEP_RUNS)
        return qd_fail(error, QD_LIMIT, "%u runs, at most %d", (unsigned)proto->runs,
                       QD_CASE_MAX_STEP_RUNS);
    if (proto->model)
        status = qd_graph_of_model(proto->model, arena, &step->graph, &opset, error);
    if (status == QD_OK && proto->n_input > 0)
        status = qd_case_read_tensors(proto->n_input, proto->input, "input", arena, &step->inputs,
                                      error);
    return status == QD_OK ? check_inputs(step, proto->n_input, error) : status;
}

/* The model's own bytes, as those of the case's (case_codec.c). */
static enum qd_status slice_model(struct qd_wire wire, struct qd_arena *arena,
                                  struct qd_case_step *step, struct qd_error *error)
{
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field)) {
        if (field.number != STEP_MODEL)
            continue;
        step->model = qd_arena_copy(arena, field.bytes, field.size);
        step->model_size = field.size;
        if (!step->model)
            return qd_fail(error, QD_NO_MEMORY, "no room for a model of %zu bytes", field.size);
    }
    return QD_OK;
}

static enum qd_status slice_models(struct qd_wire wire, struct qd_arena *arena,
                                   struct qd_case_step *steps, struct qd_error *error)
{
    struct qd_wire_field field;
    enum qd_status status = QD_OK;
    size_t i = 0;
    while (status == QD_OK && qd_wire_next(&wire, &field))
        if (field.number == QD_CASE_FIELD_BEFORE)
            status = slice_model((struct qd_wire){.bytes = field.bytes, .size = field.size}, arena,
                                 &steps[i++], error);
    return status;
}

enum qd_status qd_case_read_steps(const Qdiff__Case *proto, struct qd_wire wire,
                                  struct qd_arena *arena, struct qd_case *kase,
                                  struct qd_error *error)
{
    size_t count = proto->n_before;
    if (count > QD_CASE_MAX_STEPS)
        return qd_fail(error, QD_LIMIT, "%zu steps before the case, at most %d", count,
                       QD_CASE_MAX_STEPS);
    struct qd_case_step *steps = qd_arena_array(arena, count, sizeof *steps);
    if (!steps)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu steps", count);
    for (size_t i = 0; i < count; i++) {
        enum qd_status status = read_step(proto->before[i], kase->graph, arena, &steps[i], error);
        if (status != QD_OK)
            return qd_fail_context(error, status, "step %zu before the case", i);
    }
    kase->step_count = count;
    kase->steps = steps;
    return slice_models(wire, arena, steps, error);
}

void qd_case_put_steps(struct qd_wire_out *out, const struct qd_case *kase)
{
    for (size_t i = 0; i < kase->step_count; i++) {
        const struct qd_case_step *step = &kase->steps[i];
        size_t mark = qd_wire_begin(out, QD_CASE_FIELD_BEFORE);
        if (step->model_size > 0)
            qd_wire_put_bytes(out, STEP_MODEL, step->model, step->model_size);
        if (step->runs > 0)
            qd_case_put_tensors(out, STEP_INPUT, step->inputs, step->graph->input_count);
        qd_wire_put_varint(out, STEP_RUNS, step->runs);
        if (step->keep)
            qd_wire_put_varint(out, STEP_KEEP, 1);
        qd_wire_end(out, mark);
    }
}
