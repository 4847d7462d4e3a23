/* SPDX-License-Identifier: Apache-2.0 */
#include "process/quantized.h"

#include <string.h>

#include "message.h"

#define MOST_EDGES 100000

/* Numbers of a repeated field, one or packed. */
struct numbers {
    size_t count, capacity;
    uint64_t *values; /* a float as its bits */
};

static const char out_of_memory[] = "no room";

static const char *push(struct numbers *numbers, uint64_t value, struct qd_arena *arena)
{
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity ? 2 * numbers->capacity : 8;
        uint64_t *values = qd_arena_array(arena, capacity, sizeof *values);
        if (!values)
            return out_of_memory;
        if (numbers->count > 0)
            memcpy(values, numbers->values, numbers->count * sizeof *values);
        numbers->values = values;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
    return NULL;
}

/* Adds a field's number(s) of the wire type `type`. */
static const char *push_field(struct numbers *numbers, const struct qd_wire_field *field,
                              enum qd_wire_type type, struct qd_arena *arena)
{
    if (field->type == type)
        return push(numbers, field->value, arena);
    if (field->type != QD_WIRE_BYTES || (type == QD_WIRE_32 && field->size % 4 != 0))
        return "a number of the wrong wire type";
    struct qd_wire packed = {.bytes = field->bytes, .size = field->size};
    const char *problem = NULL;
    while (packed.at < packed.size && !problem) {
        uint64_t value = 0;
        if (type == QD_WIRE_32) {
            for (unsigned i = 0; i < 4; i++)
                value |= (uint64_t)packed.bytes[packed.at++] << (8 * i);
        } else if (!qd_wire_varint(&packed, &value)) {
            return packed.problem;
        }
        problem = push(numbers, value, arena);
    }
    return problem;
}

const char *qd_quantized_text(const struct qd_wire_field *field, struct qd_arena *arena,
                              const char **text)
{
    if (field->type != QD_WIRE_BYTES)
        return "a number where text belongs";
    char *copy = qd_arena_alloc(arena, field->size + 1);
    if (!copy)
        return out_of_memory;
    memcpy(copy, field->bytes, field->size);
    qd_text_line(copy, (unsigned)field->size + 1);
    *text = copy;
    return NULL;
}

/* Puts a plain number where it belongs. */
static const char *take_number(const struct qd_wire_field *field, struct qd_quantizer_edge *edge)
{
    if (field->type != QD_WIRE_VARINT)
        return "a number of the wrong wire type";
    switch (field->number) {
    case 3: edge->input = (uint32_t)field->value; break;
    case 4: edge->data_type = (int32_t)field->value; break;
    case 5: edge->quant_min = (int64_t)field->value; break;
    case 6: edge->quant_max = (int64_t)field->value; break;
    case 9: edge->axis = (int64_t)field->value; break;
    default: edge->group = field->value; break;
    }
    return NULL;
}

static const char *finish_edge(const struct numbers *scales, const struct numbers *zeros,
                               struct qd_arena *arena, struct qd_quantizer_edge *edge)
{
    if (scales->count != zeros->count)
        return "an edge whose scales and zero points differ in number";
    if ((edge->data_type != 0) != (scales->count != 0))
        return "an edge with codes and no scale, or a scale and no codes";
    float *floats = qd_arena_array(arena, scales->count, sizeof *floats);
    int64_t *points = qd_arena_array(arena, zeros->count, sizeof *points);
    if (!floats || !points)
        return out_of_memory;
    for (size_t i = 0; i < scales->count; i++) {
        uint32_t bits = (uint32_t)scales->values[i];
        memcpy(&floats[i], &bits, sizeof bits);
        points[i] = (int64_t)zeros->values[i];
    }
    edge->count = scales->count;
    edge->scales = floats;
    edge->zero_points = points;
    return NULL;
}

static const char *read_edge(struct qd_wire wire, struct qd_arena *arena,
                             struct qd_quantizer_edge *edge)
{
    struct numbers scales = {.count = 0}, zeros = {.count = 0};
    struct qd_wire_field field;
    const char *problem = NULL;
    *edge = (struct qd_quantizer_edge){.tensor = "", .consumer = ""};
    while (!problem && qd_wire_next(&wire, &field)) {
        if (field.number == 1)
            problem = qd_quantized_text(&field, arena, &edge->tensor);
        else if (field.number == 2)
            problem = qd_quantized_text(&field, arena, &edge->consumer);
        else if (field.number == 7)
            problem = push_field(&scales, &field, QD_WIRE_32, arena);
        else if (field.number == 8)
            problem = push_field(&zeros, &field, QD_WIRE_VARINT, arena);
        else if (field.number <= 10)
            problem = take_number(&field, edge);
    }
    if (!problem)
        problem = wire.problem;
    if (!problem && !edge->tensor[0])
        problem = "an edge without a tensor";
    return problem ? problem : finish_edge(&scales, &zeros, arena, edge);
}

/* Everything of the message, into arrays of the right size. */
static const char *read_fields(struct qd_wire body, struct qd_arena *arena,
                               struct qd_quantizer_answer *answer, struct qd_quantizer_edge *edges,
                               const char **ignored)
{
    struct qd_wire_field field;
    const char *problem = NULL;
    size_t words = 0;
    while (!problem && qd_wire_next(&body, &field)) {
        if (field.number <= 3 && field.type != QD_WIRE_BYTES)
            return "a number where a message belongs";
        struct qd_wire inner = {.bytes = field.bytes, .size = field.size};
        if (field.number == 1 && answer->model)
            return "two models";
        if (field.number == 1) {
            answer->model = qd_arena_copy(arena, field.bytes, field.size);
            answer->model_size = field.size;
            problem = answer->model ? NULL : out_of_memory;
        } else if (field.number == 2) {
            problem = read_edge(inner, arena, &edges[answer->edge_count++]);
        } else if (field.number == 3) {
            problem = qd_quantized_text(&field, arena, &ignored[words++]);
        }
    }
    return problem ? problem : body.problem;
}

enum qd_status qd_quantized_read(struct qd_wire body, struct qd_arena *arena,
                                 struct qd_quantizer_answer *answer, const char **problem,
                                 struct qd_error *error)
{
    size_t edge_count = qd_wire_count(body, 2);
    *problem = edge_count > MOST_EDGES ? "more edges than any graph has" : NULL;
    if (*problem)
        return QD_OK;
    struct qd_quantizer_edge *edges = qd_arena_array(arena, edge_count, sizeof *edges);
    const char **ignored = qd_arena_array(arena, qd_wire_count(body, 3) + 1, sizeof *ignored);
    if (!edges || !ignored)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu edges", edge_count);
    struct qd_quantizer_answer made = {.edges = edges, .ignored = ignored};
    *problem = read_fields(body, arena, &made, edges, ignored);
    if (*problem == out_of_memory)
        return qd_fail(error, QD_NO_MEMORY, "no room for a quantizer's answer");
    if (!*problem && !made.model == (made.edge_count == 0))
        *problem = made.model ? "a model and edges" : "neither a model nor edges";
    made.outcome = made.model ? QD_QUANTIZED_MODEL : QD_QUANTIZED_EDGES;
    if (!*problem)
        *answer = made;
    return QD_OK;
}
