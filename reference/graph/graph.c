/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct qd_attr *qd_node_attr(const struct qd_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

/* The attribute, NULL when absent; fails when it is of another kind. */
static enum qd_status find_kind(const struct qd_node *node, const char *name,
                                enum qd_attr_kind kind, const struct qd_attr **attr,
                                struct qd_error *error)
{
    *attr = qd_node_attr(node, name);
    if (!*attr || (*attr)->kind == kind)
        return QD_OK;
    char rule[64];
    snprintf(rule, sizeof rule, "%.40s/attribute-type", node->op_type);
    return qd_fail_rule(error, rule, "%s: attribute '%s' is of the wrong kind", node->op_type,
                        name);
}

enum qd_status qd_node_int(const struct qd_node *node, const char *name, int64_t otherwise,
                           int64_t *value, struct qd_error *error)
{
    const struct qd_attr *attr;
    enum qd_status status = find_kind(node, name, QD_ATTR_INT, &attr, error);
    if (status == QD_OK)
        *value = attr ? attr->i : otherwise;
    return status;
}

enum qd_status qd_node_float(const struct qd_node *node, const char *name, float otherwise,
                             float *value, struct qd_error *error)
{
    const struct qd_attr *attr;
    enum qd_status status = find_kind(node, name, QD_ATTR_FLOAT, &attr, error);
    if (status == QD_OK)
        *value = attr ? attr->f : otherwise;
    return status;
}

enum qd_status qd_node_string(const struct qd_node *node, const char *name, const char *otherwise,
                              const char **value, struct qd_error *error)
{
    const struct qd_attr *attr;
    enum qd_status status = find_kind(node, name, QD_ATTR_STRING, &attr, error);
    if (status == QD_OK)
        *value = attr ? attr->s : otherwise;
    return status;
}

enum qd_status qd_node_ints(const struct qd_node *node, const char *name, const int64_t **values,
                            size_t *count, struct qd_error *error)
{
    const struct qd_attr *attr;
    enum qd_status status = find_kind(node, name, QD_ATTR_INTS, &attr, error);
    if (status == QD_OK) {
        *values = attr ? attr->ints : NULL;
        *count = attr ? attr->count : 0;
    }
    return status;
}

static enum qd_status check_inputs(const struct qd_graph *graph, const struct qd_node *node,
                                   const bool *known, struct qd_error *error)
{
    for (size_t i = 0; i < node->input_count; i++) {
        int v = node->inputs[i];
        if (v == QD_NO_VALUE)
            continue;
        if (v < 0 || (size_t)v >= graph->value_count)
            return qd_fail(error, QD_INTERNAL, "node '%s' reads value %d", node->name, v);
        if (!known[v])
            return qd_fail_rule(
                error, "graph/unsorted",
                "node '%s' (%s) reads '%s' before any node, input or initializer gives it",
                node->name, node->op_type, graph->values[v].name);
    }
    return QD_OK;
}

static enum qd_status check_outputs(const struct qd_graph *graph, const struct qd_node *node,
                                    bool *known, struct qd_error *error)
{
    for (size_t i = 0; i < node->output_count; i++) {
        int v = node->outputs[i];
        if (v == QD_NO_VALUE)
            continue;
        if (v < 0 || (size_t)v >= graph->value_count)
            return qd_fail(error, QD_INTERNAL, "node '%s' gives value %d", node->name, v);
        if (known[v])
            return qd_fail_rule(error, "graph/two-producers",
                                "node '%s' (%s) gives '%s', which something else gives already",
                                node->name, node->op_type, graph->values[v].name);
        known[v] = true;
    }
    return QD_OK;
}

static enum qd_status check_with(const struct qd_graph *graph, bool *known, struct qd_error *error)
{
    for (size_t i = 0; i < graph->value_count; i++)
        known[i] = graph->values[i].initializer != NULL;
    for (size_t i = 0; i < graph->input_count; i++)
        known[graph->inputs[i]] = true;
    for (size_t i = 0; i < graph->node_count; i++) {
        enum qd_status status = check_inputs(graph, &graph->nodes[i], known, error);
        if (status == QD_OK)
            status = check_outputs(graph, &graph->nodes[i], known, error);
        if (status != QD_OK)
            return status;
    }
    for (size_t i = 0; i < graph->output_count; i++)
        if (!known[graph->outputs[i]])
            return qd_fail_rule(error, "graph/output-missing",
                                "nothing gives the graph output '%s'",
                                graph->values[graph->outputs[i]].name);
    return QD_OK;
}

enum qd_status qd_graph_check(const struct qd_graph *graph, struct qd_error *error)
{
    if (graph->output_count == 0)
        return qd_fail_rule(error, "graph/no-output", "the graph has no output");
    bool *known = calloc(graph->value_count ? graph->value_count : 1, sizeof *known);
    if (!known)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu values", graph->value_count);
    enum qd_status status = check_with(graph, known, error);
    free(known);
    return status;
}

/* --- Questions ---------------------------------------------------------------------------------- */

uint32_t qd_graph_open_axes(const struct qd_graph_value *value)
{
    uint32_t open = 0;
    for (int i = 0; i < value->declared_rank; i++)
        open |= value->declared_dims[i] < 0 ? UINT32_C(1) << i : 0;
    return open;
}

int qd_graph_producer(const struct qd_graph *graph, int value)
{
    for (size_t i = 0; value != QD_NO_VALUE && i < graph->node_count; i++)
        for (size_t j = 0; j < graph->nodes[i].output_count; j++)
            if (graph->nodes[i].outputs[j] == value)
                return (int)i;
    return -1;
}

static bool is_quantization(const struct qd_node *node)
{
    return strcmp(node->op_type, "QuantizeLinear") == 0 ||
           strcmp(node->op_type, "DequantizeLinear") == 0;
}

static bool is_identity(const struct qd_node *node)
{
    return strcmp(node->op_type, "Identity") == 0;
}

static bool reads(const struct qd_node *node, const struct qd_node *from)
{
    return node->input_count > 0 && from->output_count > 0 && node->inputs[0] == from->outputs[0];
}

/* In larger graphs pairs are not looked for: the search is quadratic. */
#define MOST_NODES_WITH_PAIRS 64

bool qd_transpose_undoes(const struct qd_node *second, const struct qd_node *first)
{
    const struct qd_attr *back = qd_node_attr(second, "perm"), *there = qd_node_attr(first, "perm");
    bool inverse = back && there && back->kind == QD_ATTR_INTS && there->kind == QD_ATTR_INTS &&
                   back->count == there->count;
    for (size_t i = 0; inverse && i < back->count; i++) {
        int64_t at = back->ints[i];
        inverse = at >= 0 && (size_t)at < there->count && there->ints[at] == (int64_t)i;
    }
    return inverse;
}

/* Whether it is one of two Transposes of which the second undoes the first, with a quantization between them. */
static bool is_of_coded_pair(const struct qd_graph *graph, const struct qd_node *node)
{
    for (size_t q = 0; q < graph->node_count; q++)
        for (size_t i = 0; i < graph->node_count; i++) {
            const struct qd_node *between = &graph->nodes[q], *other = &graph->nodes[i];
            if (!is_quantization(between) || strcmp(other->op_type, "Transpose") != 0)
                continue;
            if ((reads(between, node) && reads(other, between) &&
                 qd_transpose_undoes(other, node)) ||
                (reads(between, other) && reads(node, between) && qd_transpose_undoes(node, other)))
                return true;
        }
    return false;
}

/* Whether a node moves numbers and another next to it moves them back: two Reshape or Transpose, a Split and a
 * Concat. */
static bool is_of_pair(const struct qd_graph *graph, const struct qd_node *node)
{
    static const char *const pairs[][2] = {
        {"Reshape", "Reshape"}, {"Transpose", "Transpose"}, {"Split", "Concat"}};
    if (graph->node_count > MOST_NODES_WITH_PAIRS)
        return false;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t i = 0; i < graph->node_count; i++) {
            const struct qd_node *other = &graph->nodes[i];
            bool there = strcmp(node->op_type, pairs[p][0]) == 0 &&
                         strcmp(other->op_type, pairs[p][1]) == 0 && reads(other, node),
                 back = strcmp(node->op_type, pairs[p][1]) == 0 &&
                        strcmp(other->op_type, pairs[p][0]) == 0 && reads(node, other);
            if (there || back)
                return true;
        }
    return strcmp(node->op_type, "Transpose") == 0 && is_of_coded_pair(graph, node);
}

static bool is_read(const struct qd_graph *graph, const struct qd_node *from)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (reads(&graph->nodes[i], from))
            return true;
    return false;
}

/* Among Identity, QuantizeLinear and DequantizeLinear alone: an Identity of what no node computes only makes it such a
 * value, and one that no node reads only makes it an output once more. */
static const struct qd_node *principal_of_few(const struct qd_graph *graph)
{
    const struct qd_node *quantization = NULL, *last = NULL;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];
        if (is_quantization(node))
            quantization = quantization ? quantization : node;
        else if (is_identity(node) && node->input_count > 0 &&
                 qd_graph_producer(graph, node->inputs[0]) >= 0) {
            if (is_read(graph, node))
                return node;
            last = last ? last : node;
        }
    }
    const struct qd_node *first = graph->node_count > 0 ? &graph->nodes[0] : NULL;
    return quantization ? quantization : last ? last : first;
}

const struct qd_node *qd_graph_principal(const struct qd_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];
        if (!is_quantization(node) && !is_identity(node) && !is_of_pair(graph, node))
            return node;
    }
    return principal_of_few(graph);
}
