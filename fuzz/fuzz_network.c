/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the bytes, a network opens or is refused with a status and a text, within its memory budget;
 * it is cut into units that hold every node that is no constant; each unit, given tensors of one element, becomes a
 * case that evaluates or is refused with a status and a text, and a model that a target could be asked. The bytes
 * are a model, or a case that holds one. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "qdiff/evaluate.h"
#include "qdiff/units.h"
#include "qdiff/wire.h"

#define BUDGET ((size_t)256 << 20)
#define WORK 1e6

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, a network is cut into cases or refused",
    .hostile = true,
};

/* Every input gets one float32. */
static void exercise(const struct qd_network *network, const struct qd_unit *unit,
                     struct qd_arena *arena)
{
    float one = 1;
    struct qd_network_feed *feeds = qd_arena_array(arena, unit->input_count, sizeof *feeds);
    struct qd_value *values = qd_arena_array(arena, unit->output_count, sizeof *values);
    struct qd_network_cut cut = {.id = "unit",
                                 .node_count = unit->node_count,
                                 .nodes = unit->nodes,
                                 .feed_count = unit->input_count,
                                 .feeds = feeds,
                                 .output_count = unit->output_count,
                                 .outputs = unit->outputs};
    struct qd_error error = {.status = QD_STATUS_COUNT};
    struct qd_case kase;
    if (!feeds || !values)
        return;
    for (size_t i = 0; i < unit->input_count; i++)
        feeds[i] = (struct qd_network_feed){
            unit->inputs[i], {.dtype = QD_F32, .count = 1, .data = &one}, i % 2 != 0};
    enum qd_status status = qd_network_cut_case(network, &cut, NULL, arena, &kase, &error);
    if (status == QD_OK)
        status = qd_graph_evaluate_within(WORK, false, kase.graph, kase.inputs, NULL, arena, values,
                                          &error);
    qd_engine_require_told(status, &error);
    status = qd_network_cut_blind(network, &cut, arena, &kase, &error);
    qd_engine_require(status != QD_OK || kase.model_size > 0, "a cut without a model", &error);
}

static void check_network(const struct qd_network *network, struct qd_arena *arena)
{
    const struct qd_unit *units;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    size_t count;
    if (qd_units_find(network, arena, &units, &count, &error) != QD_OK)
        return;
    uint8_t *held = qd_arena_array(arena, network->node_count, sizeof *held);
    for (size_t i = 0; held && i < count; i++)
        for (size_t j = 0; j < units[i].node_count; j++)
            held[units[i].nodes[j]] = 1;
    for (size_t i = 0; held && i < network->node_count; i++) {
        const struct qd_network_node *node = &network->nodes[i];
        int constant = node->output_count == 1 && node->outputs[0] != QD_NO_VALUE &&
                       network->values[node->outputs[0]].is_constant;
        qd_engine_require(held[i] || constant, "a node in no unit", &error);
    }
    struct qd_arena piece;
    qd_arena_init(&piece, BUDGET);
    for (size_t i = 0; i < count && i < 64; i++) {
        exercise(network, &units[i], &piece);
        qd_arena_reset(&piece);
    }
    qd_arena_clear(&piece);
}

enum { CASE_MODEL = 3, MODEL_GRAPH = 7 };

/* The message's first field of that number, as far as it can be read. */
static bool find_field(const uint8_t *bytes, size_t size, uint32_t number,
                       struct qd_wire_field *field)
{
    struct qd_wire wire = {.bytes = bytes, .size = size};
    while (qd_wire_next(&wire, field))
        if (field->type == QD_WIRE_BYTES && field->number == number)
            return true;
    return false;
}

/* Of a serialised case, which the corpus holds, its model. A model has a field of that number too, a text. */
static void unwrap(const uint8_t **data, size_t *size)
{
    struct qd_wire_field field, graph;
    if (!find_field(*data, *size, CASE_MODEL, &field) ||
        !find_field(field.bytes, field.size, MODEL_GRAPH, &graph))
        return;
    *data = field.bytes;
    *size = field.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unwrap(&data, &size);
    struct qd_arena arena;
    struct qd_network network;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    qd_arena_init(&arena, BUDGET);
    enum qd_status status =
        qd_network_read("/nowhere/m.onnx", data, size, &arena, &network, &error);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    if (status == QD_OK) {
        check_network(&network, &arena);
        qd_network_close(&network);
    } else {
        qd_engine_require_told(status, &error);
    }
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
