/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/normalized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quirk/edit.h"
#include "quirk/rewrite.h"

static const char mark[] = "(normalized) ";

enum { X, SCALE, BIAS, MEAN, VARIANCE, OPERANDS, ROOM = 80 };
enum { CODES, CODE_SCALE, ZERO_POINT };

static const struct qd_tensor *constant(const struct qd_rewrite *made, const struct qd_node *node,
                                        size_t i)
{
    int value = qd_node_input(node, i);
    return value == QD_NO_VALUE ? NULL : made->graph->values[value].initializer;
}

/* The scale and the zero point, in the name. */
static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_node *dequantize =
        qd_node_is(node, "BatchNormalization")
            ? qd_rewrite_producer(made, qd_node_input(node, X), "DequantizeLinear")
            : NULL;
    const struct qd_tensor *s = dequantize ? constant(made, dequantize, CODE_SCALE) : NULL;
    const struct qd_tensor *z = dequantize ? constant(made, dequantize, ZERO_POINT) : NULL;
    bool absent = dequantize && qd_node_input(dequantize, ZERO_POINT) == QD_NO_VALUE;
    for (size_t i = SCALE; s && i < OPERANDS; i++)
        s = constant(made, node, i) ? s : NULL;
    if (!s || s->count != 1 || (!absent && (!z || z->count != 1)))
        return;
    char *name = qd_arena_array(made->arena, ROOM, 1);
    if (name)
        snprintf(name, ROOM, "%s%a %a", mark, qd_tensor_value(s, 0), z ? qd_tensor_value(z, 0) : 0);
    if (name)
        made->nodes[node - made->nodes].name = name;
}

enum qd_status qd_mark_normalized(const struct qd_override *self, const struct qd_graph *graph,
                                  struct qd_arena *arena, const struct qd_graph **rewritten,
                                  struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

static bool read_mark(const struct qd_node *node, struct qd_normalized *channel)
{
    size_t length = strlen(mark);
    char *rest;
    if (!node->name || strncmp(node->name, mark, length) != 0)
        return false;
    channel->x_scale = strtof(node->name + length, &rest);
    channel->zero = strtof(rest, NULL);
    return true;
}

enum qd_status qd_normalize_codes(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_normalize_code *code, struct qd_value *out)
{
    struct qd_normalized channel;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || !read_mark(node, &channel) || y->want.dtype != QD_F32)
        return status;
    const struct qd_tensor *x = &in[X]->want;
    const struct qd_attr *attr = qd_node_attr(node, "epsilon");
    float epsilon = attr ? attr->f : 1e-5F;
    int64_t channels = in[SCALE]->want.count, size = 1;
    for (unsigned i = 2; i < x->rank; i++)
        size *= x->dims[i];
    for (int64_t i = 0; i < x->count; i++) {
        int64_t c = i / size % channels;
        channel.scale = (float)qd_parameter_at(in[SCALE], c);
        channel.bias = (float)qd_parameter_at(in[BIAS], c);
        channel.mean = (float)qd_parameter_at(in[MEAN], c);
        channel.root = sqrtf((float)qd_parameter_at(in[VARIANCE], c) + epsilon);
        float q = rintf((float)qd_tensor_value(x, i) / channel.x_scale) + channel.zero;
        qd_set_float(y, i, code(&channel, q));
    }
    qd_close_value(y);
    return QD_OK;
}
