/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of com.microsoft as what they say: dequantize, the operator in float32, quantize. */
#include <string.h>

#include "quirk/in_floats.h"

/* `terms` is how many tensors come with a scale and a zero point each before y's; 0: any number, after y's. */
static const struct layer {
    const char *name, *real;
    int terms;
} LAYERS[] = {
    {"QLinearAdd", "Add", 2},       {"QLinearAveragePool", "AveragePool", 1},
    {"QLinearConcat", "Concat", 0}, {"QLinearLeakyRelu", "LeakyRelu", 1},
    {"QLinearMul", "Mul", 2},
};

enum { SCALE = 1, ZERO_POINT, TRIPLE };

static const struct layer *layer_find(const struct qd_node *node)
{
    const struct qd_attr *last = qd_node_attr(node, "channels_last");
    for (size_t i = 0; (!last || !last->i) && i < sizeof LAYERS / sizeof *LAYERS; i++)
        if (strcmp(LAYERS[i].name, node->op_type) == 0)
            return &LAYERS[i];
    return NULL;
}

/* The scale and zero point that come after operand `at`, as scalars; an absent zero point has the type `type`. */
static void make_scalars(struct qd_edit *edit, int at, enum qd_dtype type)
{
    qd_in_floats_spread(edit, at + SCALE, 0);
    if (edit->in[at + ZERO_POINT])
        qd_in_floats_spread(edit, at + ZERO_POINT, 0);
    else
        qd_edit_new(edit, at + ZERO_POINT, type, 0, NULL);
}

static enum qd_status in_floats(const struct qd_override *self, struct qd_edit *edit,
                                const struct layer *layer, struct qd_value *reals,
                                struct qd_value *out)
{
    const struct qd_attr axis = {.name = "axis", .kind = QD_ATTR_INT};
    const struct qd_value *const *in = edit->in, *terms[QD_MAX_OPERANDS] = {NULL};
    const int first = layer->terms > 0 ? 0 : TRIPLE - 1, before_y = layer->terms * TRIPLE - 1;
    const int count =
        layer->terms > 0 ? layer->terms : ((int)edit->node.input_count - first + 1) / TRIPLE;
    const enum qd_dtype type = in[first]->want.dtype;
    struct qd_value y;
    enum qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < count; i++) {
        const int at = first + i * TRIPLE;
        make_scalars(edit, at, type);
        const struct qd_value *x[QD_MAX_OPERANDS] = {in[at], in[at + SCALE], in[at + ZERO_POINT]};
        terms[i] = &reals[i];
        status = qd_in_floats_call(self, edit, "DequantizeLinear", &axis, x, &reals[i]);
    }
    edit->node.input_count = (size_t)count;
    if (status == QD_OK)
        status = qd_in_floats_call(self, edit, layer->real, NULL, terms, &y);
    make_scalars(edit, before_y, type);
    const struct qd_value *quantized[QD_MAX_OPERANDS] = {&y, in[before_y + SCALE],
                                                         in[before_y + ZERO_POINT]};
    return status == QD_OK ? qd_in_floats_call(self, edit, "QuantizeLinear", &axis, quantized, out)
                           : status;
}

enum qd_status qd_quirk_vendor_in_floats(const struct qd_override *self,
                                         struct qd_evaluation *evaluation,
                                         const struct qd_node *node,
                                         const struct qd_value *const *in, struct qd_value *out)
{
    const struct layer *layer = layer_find(node);
    struct qd_value *reals = qd_arena_alloc(evaluation->arena, QD_MAX_OPERANDS * sizeof *reals);
    struct qd_edit edit;
    if (!reals)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for the operands");
    /* What is wrong with the node is for its operator to say. */
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || !layer)
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    return in_floats(self, &edit, layer, reals, out);
}
