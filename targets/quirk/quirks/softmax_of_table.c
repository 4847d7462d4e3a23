/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "softmax-of-table": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quirk/edit.h"
#include "quirk/rewrite.h"

enum { X, SCALE, ZERO_POINT, CODES = 256, ROOM = 120 };

/* How a QuantizeLinear is marked that reads such a Softmax: the axis, and the greatest number and the sum of all
 * exponentials of the table. It reads the Softmax's operand instead. */
static const char mark[] = "(softmax of a table) ";

/* Whether nothing that a node gives is used. */
static bool is_dead(const struct qd_rewrite *made, const struct qd_node *node)
{
    for (size_t o = 0; o < node->output_count; o++)
        if (node->outputs[o] != QD_NO_VALUE && qd_rewrite_uses(made, node->outputs[o]) > 0)
            return false;
    return true;
}

/* How many operands are that value, of nodes that stay when identities and what is dead are removed. That the graph
 * gives it, too, does not keep the nodes from becoming a table. */
static size_t readers(const struct qd_rewrite *made, int value)
{
    size_t count = 0;
    for (size_t i = 0; value != QD_NO_VALUE && i < made->made.node_count; i++)
        for (size_t k = 0; k < made->nodes[i].input_count; k++)
            if (made->nodes[i].inputs[k] != value || is_dead(made, &made->nodes[i]))
                continue;
            else if (qd_node_is(&made->nodes[i], "Identity"))
                count += readers(made, qd_node_output(&made->nodes[i], 0));
            else
                count++;
    return count;
}

/* The value that identities only hand on. */
static int origin(const struct qd_rewrite *made, int value)
{
    const struct qd_node *identity;
    while ((identity = qd_rewrite_producer(made, value, "Identity")))
        value = qd_node_input(identity, X);
    return value;
}

/* The node before operand X of `node` if it is of that operator and read by nothing else. */
static const struct qd_node *before(const struct qd_rewrite *made, const struct qd_node *node,
                                    const char *op_type)
{
    int value = origin(made, qd_node_input(node, X));
    return readers(made, value) == 1 ? qd_rewrite_producer(made, value, op_type) : NULL;
}

/* The constant that a value is, perhaps in another shape. */
static const struct qd_tensor *constant(const struct qd_rewrite *made, int value)
{
    const struct qd_node *reshape;
    while ((reshape = qd_rewrite_producer(made, origin(made, value), "Reshape")))
        value = qd_node_input(reshape, X);
    return qd_rewrite_constant(made, origin(made, value));
}

/* A finite constant of one element; `absent` where there is none. */
static bool read_constant(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                          double absent, double *number)
{
    int value = qd_node_input(node, i);
    const struct qd_tensor *t = constant(made, value);
    if (value != QD_NO_VALUE && (!t || t->count != 1))
        return false;
    *number = t ? qd_tensor_value(t, 0) : absent;
    return isfinite(*number);
}

/* The type of the codes; NONE for another than those of 8 bits. */
static enum qd_dtype code_type(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    int value = qd_node_input(quantize, ZERO_POINT);
    const struct qd_tensor *zero = constant(made, value);
    enum qd_dtype type = value == QD_NO_VALUE ? QD_U8 : zero ? zero->dtype : QD_DTYPE_NONE;
    return type == QD_U8 || type == QD_S8 ? type : QD_DTYPE_NONE;
}

/* The greatest number of the table and the sum of the exponentials, of each less it. */
static void sum_table(double scale, double zero, enum qd_dtype type, float *most, double *sum)
{
    int64_t first = qd_dtype_info(type)->min;
    *most = -INFINITY;
    *sum = 0;
    for (int64_t q = first; q < first + CODES; q++)
        *most = fmaxf(*most, (float)(((double)q - zero) * scale));
    for (int64_t q = first; q < first + CODES; q++)
        *sum += exp((double)((float)(((double)q - zero) * scale) - *most));
}

static void visit(struct qd_rewrite *made, const struct qd_node *quantize)
{
    double scale, zero, ignored, sum;
    float most;
    enum qd_dtype type = code_type(made, quantize);
    const struct qd_node *softmax =
        qd_node_is(quantize, "QuantizeLinear") ? before(made, quantize, "Softmax") : NULL;
    const struct qd_node *dequantize = softmax ? before(made, softmax, "DequantizeLinear") : NULL;
    int64_t axis = softmax && softmax->opset < 13 ? 1 : -1;
    if (!dequantize || type == QD_DTYPE_NONE ||
        !read_constant(made, dequantize, SCALE, 1, &scale) ||
        !read_constant(made, dequantize, ZERO_POINT, 0, &zero) ||
        !read_constant(made, quantize, SCALE, 1, &ignored) ||
        qd_node_int(softmax, "axis", axis, &axis, made->error) != QD_OK)
        return;
    char *name = qd_arena_array(made->arena, ROOM, 1);
    sum_table(scale, zero, type, &most, &sum);
    if (!name)
        return;
    snprintf(name, ROOM, "%s%lld %a %a", mark, (long long)axis, (double)most, sum);
    made->nodes[quantize - made->nodes].name = name;
    qd_rewrite_operand(made, quantize, X, qd_node_input(softmax, X));
}

QD_REWRITE_BY(visit)

/* The table's number for x: of axis 0 its share of all codes, of another one that of itself. */
static double probability(const char *found, double x, unsigned rank)
{
    char *rest;
    long long axis = strtoll(found, &rest, 10);
    float most = strtof(rest, &rest);
    float sum = (float)strtod(rest, NULL);
    bool is_first = axis == 0 || axis == -(long long)rank;
    return is_first ? (double)((float)exp(x - (double)most) * (1 / sum)) : 1;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    size_t length = strlen(mark);
    bool is_marked = node->name && strncmp(node->name, mark, length) == 0;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *x = is_marked && in[X]->want.dtype == QD_F32 ? qd_edit_copy(&edit, X) : NULL;
    for (int64_t i = 0; x && i < x->count; i++) {
        double p = probability(node->name + length, qd_tensor_value(x, i), x->rank);
        qd_tensor_set(x, i, (int64_t)qd_float_encode(QD_F32, p, false));
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_softmax_of_table = {.graph = rewrite, .node = evaluate};
