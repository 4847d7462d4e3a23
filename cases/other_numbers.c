/* SPDX-License-Identifier: Apache-2.0 */
#include "other_numbers.h"

#include <string.h>

#include "families/maker.h"

bool qd_role_is_number(enum qd_role role)
{
    return role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT;
}

bool qd_is_read_as_numbers(const struct qd_graph *graph, int value)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct qd_node *node = &graph->nodes[n];
        bool passes = strcmp(node->op_type, "Identity") == 0 && node->output_count == 1;
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] == value &&
                (!qd_role_is_number(qd_op_role(node->op, i)) ||
                 (passes && !qd_is_read_as_numbers(graph, node->outputs[0]))))
                return false;
    }
    return true;
}

bool qd_other_parameter(enum qd_role role, const struct qd_tensor *tensor, struct qd_arena *arena,
                        struct qd_tensor *changed)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    *changed = *tensor;
    changed->data = qd_arena_alloc(arena, qd_tensor_bytes(tensor));
    if (!changed->data)
        return false;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t code = qd_tensor_get(tensor, i);
        if (role == QD_ROLE_SCALE)
            qd_maker_set(changed, i, 2 * qd_tensor_value(tensor, i));
        else
            qd_tensor_set(changed, i, code + (code < info->max ? 1 : -1));
    }
    return true;
}
