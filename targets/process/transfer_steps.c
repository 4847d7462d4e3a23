/* SPDX-License-Identifier: Apache-2.0 */
#include "process/transfer_steps.h"

#include <string.h>

#include "qdiff/answer.h"
#include "qdiff/evaluate.h"

/* Where the parts of one step are. */
struct place {
    const struct qd_tensor *shapes; /* NULL: the reference does not take it */
    struct qd_transfer_buffer model, *inputs, *outputs, tables, names;
};

struct qd_transfer_steps {
    struct qd_transfer_buffer steps; /* struct qd_transfer_step each */
    struct place places[QD_CASE_MAX_STEPS];
};

/* --- This side ---------------------------------------------------------------------------------- */

static size_t names_bytes(const struct qd_graph *graph)
{
    size_t bytes = 0;
    for (size_t i = 0; i < graph->input_count; i++)
        bytes += strlen(graph->values[graph->inputs[i]].name) + 1;
    for (size_t i = 0; i < graph->output_count; i++)
        bytes += strlen(graph->values[graph->outputs[i]].name) + 1;
    return bytes;
}

/* What the outputs will be: targets are told. */
static const struct qd_tensor *ask_shapes(const struct qd_case_step *step, struct qd_arena *arena)
{
    const struct qd_tensor *shapes;
    struct qd_error error;
    if (step->runs == 0 || step->shapes)
        return step->shapes;
    return qd_graph_shapes(QD_MAX_WORK, step->graph, step->inputs, arena, &shapes, &error) == QD_OK
               ? shapes
               : NULL;
}

static enum qd_status plan_step(struct qd_transfer *transfer, const struct qd_case_step *step,
                                struct place *place, struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_graph *graph = step->graph;
    size_t inputs = step->runs > 0 ? graph->input_count : 0,
           outputs = step->runs > 0 ? graph->output_count : 0;
    place->shapes = ask_shapes(step, arena);
    place->inputs = qd_arena_array(arena, inputs, sizeof *place->inputs);
    place->outputs = qd_arena_array(arena, outputs, sizeof *place->outputs);
    if (!place->inputs || !place->outputs)
        return qd_fail(error, QD_NO_MEMORY, "case %s: no room for the layout of a step",
                       transfer->kase->id);
    place->tables =
        qd_transfer_take(transfer, (inputs + 2 * outputs) * sizeof(struct qd_target_tensor));
    place->names = qd_transfer_take(transfer, names_bytes(graph));
    place->model = qd_transfer_take(transfer, step->model_size);
    for (size_t i = 0; i < inputs; i++)
        place->inputs[i] = qd_transfer_take(transfer, qd_tensor_bytes(&step->inputs[i]));
    for (size_t i = 0; i < outputs; i++) {
        place->outputs[i] =
            qd_transfer_take(transfer, place->shapes ? qd_tensor_bytes(&place->shapes[i]) : 0);
        qd_transfer_take(transfer, QD_TRANSFER_ZONE);
    }
    return QD_OK;
}

enum qd_status qd_transfer_plan_steps(struct qd_transfer *transfer, struct qd_arena *arena,
                                      struct qd_error *error)
{
    const struct qd_case *kase = transfer->kase;
    enum qd_status status = QD_OK;
    if (kase->step_count == 0)
        return QD_OK;
    struct qd_transfer_steps *steps = qd_arena_alloc(arena, sizeof *steps);
    if (!steps)
        return qd_fail(error, QD_NO_MEMORY, "case %s: no room for %zu steps", kase->id,
                       kase->step_count);
    steps->steps = qd_transfer_take(transfer, kase->step_count * sizeof(struct qd_transfer_step));
    for (size_t i = 0; i < kase->step_count && status == QD_OK; i++)
        status = plan_step(transfer, &kase->steps[i], &steps->places[i], arena, error);
    transfer->steps = steps;
    return status;
}

/* The name of a value, copied to *names, which moves on. */
static const char *put_name(const struct qd_graph *graph, int value, char **names)
{
    const char *name = graph->values[value].name;
    size_t size = strlen(name) + 1;
    char *copy = memcpy(*names, name, size);
    *names += size;
    return copy;
}

static void write_step(const struct qd_case_step *step, const struct place *place,
                       unsigned char *base, struct qd_transfer_step *to)
{
    const struct qd_graph *graph = step->graph;
    struct qd_target_tensor *tables =
        (struct qd_target_tensor *)(void *)(base + place->tables.offset);
    char *names = (char *)base + place->names.offset;
    *to = (struct qd_transfer_step){.runs = step->runs, .keep = step->keep, .inputs = tables};
    if (step->model_size > 0) {
        to->model = memcpy(base + place->model.offset, step->model, step->model_size);
        to->model_size = step->model_size;
    }
    if (step->runs == 0)
        return;
    to->input_count = graph->input_count;
    to->output_count = graph->output_count;
    struct qd_target_tensor *wanted = tables + graph->input_count;
    to->wanted = wanted;
    to->outputs = wanted + graph->output_count;
    for (size_t i = 0; i < graph->input_count; i++) {
        struct qd_transfer_buffer at = place->inputs[i];
        if (at.size > 0)
            memcpy(base + at.offset, step->inputs[i].data, at.size);
        qd_transfer_describe(&tables[i], &step->inputs[i],
                             put_name(graph, graph->inputs[i], &names), base + at.offset, at.size);
    }
    for (size_t i = 0; i < graph->output_count; i++)
        qd_transfer_describe(&wanted[i], place->shapes ? &place->shapes[i] : NULL,
                             put_name(graph, graph->outputs[i], &names),
                             base + place->outputs[i].offset, place->outputs[i].size);
}

void qd_transfer_write_steps(const struct qd_transfer *transfer, void *block)
{
    const struct qd_transfer_steps *steps = transfer->steps;
    struct qd_transfer_header *header = block;
    unsigned char *base = block;
    header->steps = (struct qd_transfer_step *)(void *)(base + steps->steps.offset);
    header->step_count = transfer->kase->step_count;
    for (size_t i = 0; i < header->step_count; i++)
        write_step(&transfer->kase->steps[i], &steps->places[i], base, &header->steps[i]);
}

/* --- The worker's side --------------------------------------------------------------------------- */

enum qd_target_status qd_transfer_load(struct qd_transfer_header *header,
                                       const struct qd_target *api, void *target, bool *loaded,
                                       void **prepared)
{
    header->stage = QD_STAGE_LOAD;
    enum qd_target_status status =
        api->prepare(target, header->model, header->model_size, prepared, &header->message);
    *loaded = status == QD_TARGET_OK;
    if (*loaded)
        header->stage = QD_STAGE_RUN;
    return status;
}

static enum qd_target_status run_step(struct qd_transfer_header *header,
                                      const struct qd_transfer_step *step,
                                      const struct qd_target *api, void *target, void *prepared)
{
    enum qd_target_status status = QD_TARGET_OK;
    for (unsigned r = 0; r < step->runs && status == QD_TARGET_OK; r++) {
        for (size_t i = 0; i < step->output_count; i++)
            step->outputs[i] = step->wanted[i];
        status = api->run(target, prepared, step->inputs, step->input_count, step->outputs,
                          step->output_count, &header->message);
    }
    return status;
}

/* What the step reads lies where the case's first run will read, as far as it is as large: callers fill their buffers
 * anew. Once more, and all is as it was. */
static void exchange_inputs(struct qd_transfer_header *header, struct qd_transfer_step *step)
{
    for (size_t i = 0; i < step->input_count && i < header->input_count; i++) {
        struct qd_target_tensor *mine = &step->inputs[i], *first = &header->inputs[0][i];
        unsigned char *a = mine->data, *b = first->data;
        if (mine->size != first->size)
            continue;
        for (size_t k = 0; k < mine->size; k++) {
            unsigned char byte = a[k];
            a[k] = b[k];
            b[k] = byte;
        }
        mine->data = b;
        first->data = a;
    }
}

/* A model of the step's own: what the target says of it is another case's business. */
static void take_model(struct qd_transfer_header *header, struct qd_transfer_step *step,
                       const struct qd_target *api, void *target)
{
    void *prepared = NULL;
    if (api->prepare(target, step->model, step->model_size, &prepared, &header->message) ==
        QD_TARGET_OK) {
        run_step(header, step, api, target, prepared);
        step->keep = step->keep && prepared;
        if (step->keep)
            step->prepared = prepared;
        else
            api->release(target, prepared);
    }
    header->message.text[0] = '\0';
}

enum qd_target_status qd_transfer_take_steps(struct qd_transfer_header *header,
                                             const struct qd_target *api, void *target,
                                             bool *loaded, void **prepared)
{
    enum qd_target_status status = QD_TARGET_OK;
    header->stage = QD_STAGE_LOAD;
    for (size_t i = 0; i < header->step_count && status == QD_TARGET_OK; i++) {
        struct qd_transfer_step *step = &header->steps[i];
        header->step = (uint32_t)i + 1;
        if (step->model) {
            take_model(header, step, api, target);
            continue;
        }
        if (!*loaded)
            status = qd_transfer_load(header, api, target, loaded, prepared);
        if (status != QD_TARGET_OK)
            break;
        exchange_inputs(header, step);
        status = run_step(header, step, api, target, *prepared);
        exchange_inputs(header, step);
    }
    header->step = 0;
    return status;
}

void qd_transfer_release_steps(struct qd_transfer_header *header, const struct qd_target *api,
                               void *target)
{
    for (size_t i = 0; i < header->step_count; i++)
        if (header->steps[i].prepared)
            api->release(target, header->steps[i].prepared);
}
