/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/constants.h"

#include <string.h>

#include "quirk/rewrite.h"

static char of_graph_value(const struct qd_graph_value *value)
{
    bool open = !value->initializer && value->declared_rank < 0;
    for (int i = 0; i < value->declared_rank; i++)
        open = open || value->declared_dims[i] < 0;
    return value->initializer ? QD_KNOWN_VALUE : open ? QD_KNOWN_NOTHING : QD_KNOWN_SHAPE;
}

static char of_value(const char *known, int value)
{
    return value == QD_NO_VALUE ? QD_KNOWN_VALUE : known[value];
}

/* The node's name; NULL without room. */
static const char *describe(struct qd_arena *arena, const char *mark, const char *known,
                            const struct qd_node *node)
{
    size_t length = strlen(mark);
    char *name = qd_arena_array(arena, length + node->input_count + 1, 1);
    if (!name)
        return NULL;
    memcpy(name, mark, length);
    for (size_t i = 0; i < node->input_count; i++)
        name[length + i] = of_value(known, node->inputs[i]);
    name[length + node->input_count] = '\0';
    return name;
}

static char of_results(const char *operands)
{
    return strchr(operands, QD_KNOWN_NOTHING) ? QD_KNOWN_NOTHING
           : strchr(operands, QD_KNOWN_SHAPE) ? QD_KNOWN_SHAPE
                                              : QD_KNOWN_VALUE;
}

static enum qd_status mark_all(struct qd_rewrite *made, const char *domain, const char *mark,
                               char *known)
{
    for (size_t i = 0; i < made->made.node_count; i++) {
        struct qd_node *node = &made->nodes[i];
        const char *name = describe(made->arena, mark, known, node);
        if (!name)
            return qd_fail(made->error, QD_NO_MEMORY, "no room for a name");
        for (size_t o = 0; o < node->output_count; o++)
            if (node->outputs[o] != QD_NO_VALUE)
                known[node->outputs[o]] = of_results(name + strlen(mark));
        if (strcmp(node->domain, domain) == 0)
            node->name = name;
    }
    return QD_OK;
}

enum qd_status qd_rewrite_mark_known(const struct qd_graph *graph, const char *domain,
                                     const char *mark, struct qd_arena *arena,
                                     const struct qd_graph **rewritten, struct qd_error *error)
{
    struct qd_rewrite made;
    char *known = qd_arena_array(arena, graph->value_count + 1, 1);
    if (!known)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu values", graph->value_count);
    for (size_t v = 0; v < graph->value_count; v++)
        known[v] = of_graph_value(&graph->values[v]);
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    if (status == QD_OK)
        status = mark_all(&made, domain, mark, known);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const char *qd_known_operands(const struct qd_node *node, const char *mark)
{
    size_t length = strlen(mark);
    return node->name && strncmp(node->name, mark, length) == 0 ? node->name + length : NULL;
}
