/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a network while its units run. */
#include "locate/kept_values.h"

#include <stdlib.h>
#include <string.h>

/* Everything that the unit's nodes read or give. */
static void note_uses(struct qd_kept_values *kept, const struct qd_network *network,
                      const struct qd_unit *unit, size_t number)
{
    for (size_t i = 0; i < unit->input_count; i++)
        kept->items[unit->inputs[i]].last_unit = number;
    for (size_t i = 0; i < unit->node_count; i++) {
        const struct qd_network_node *node = &network->nodes[unit->nodes[i]];

        for (size_t j = 0; j < node->output_count; j++)
            if (node->outputs[j] != QD_NO_VALUE)
                kept->items[node->outputs[j]].last_unit = number;
    }
}

enum qd_status qd_kept_values_init(struct qd_kept_values *kept, const struct qd_network *network,
                                   const struct qd_unit *units, size_t unit_count,
                                   struct qd_arena *arena, struct qd_error *error)
{
    struct qd_kept_values made = {.count = network->value_count};

    made.items = qd_arena_array(arena, made.count, sizeof *made.items);
    if (!made.items)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu values", made.count);
    for (size_t i = 0; i < unit_count; i++)
        note_uses(&made, network, &units[i], i);
    *kept = made;
    return QD_OK;
}

static void drop(struct qd_kept_values *kept, int value)
{
    struct qd_kept_value *item = &kept->items[value];

    if (item->source == QD_SOURCE_NONE)
        return;
    kept->bytes -= qd_tensor_bytes(&item->tensor);
    free(item->tensor.data);
    item->tensor.data = NULL;
    item->source = QD_SOURCE_NONE;
}

void qd_kept_values_clear(struct qd_kept_values *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        drop(kept, (int)i);
    kept->count = 0;
}

enum qd_status qd_kept_values_put(struct qd_kept_values *kept, int value,
                                  const struct qd_tensor *tensor, enum qd_source source,
                                  bool from_target, bool folded, struct qd_error *error)
{
    size_t size = qd_tensor_bytes(tensor);
    void *data = malloc(size > 0 ? size : 1);

    if (!data)
        return qd_fail(error, QD_NO_MEMORY, "no room for a value of %zu bytes", size);
    if (size > 0)
        memcpy(data, tensor->data, size);
    drop(kept, value);
    struct qd_kept_value *item = &kept->items[value];
    item->tensor = *tensor;
    item->tensor.data = data;
    item->source = source;
    item->from_target = from_target;
    item->folded = folded;
    kept->bytes += size;
    kept->most_bytes = kept->bytes > kept->most_bytes ? kept->bytes : kept->most_bytes;
    return QD_OK;
}

static void forget(struct qd_kept_values *kept, int value, size_t number)
{
    if (value != QD_NO_VALUE && kept->items[value].last_unit <= number)
        drop(kept, value);
}

void qd_kept_values_forget(struct qd_kept_values *kept, const struct qd_network *network,
                           const struct qd_unit *unit, size_t number)
{
    for (size_t i = 0; i < unit->input_count; i++)
        forget(kept, unit->inputs[i], number);
    for (size_t i = 0; i < unit->node_count; i++) {
        const struct qd_network_node *node = &network->nodes[unit->nodes[i]];

        for (size_t j = 0; j < node->output_count; j++)
            forget(kept, node->outputs[j], number);
    }
}
