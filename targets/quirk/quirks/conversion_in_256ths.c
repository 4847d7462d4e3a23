/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "conversion-in-256ths": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"
#include "quirk/rewrite.h"

enum { X, SCALE };

/* How a QuantizeLinear of codes is marked. Its scale then holds the step of these codes, and the factor in 256ths. */
static const char converts[] = "(converts)";

static const struct qd_tensor *scale_of(const struct qd_rewrite *made, const struct qd_node *node)
{
    const struct qd_tensor *scale = qd_rewrite_constant(made, qd_node_input(node, SCALE));
    return scale && scale->count == 1 && scale->dtype == QD_F32 ? scale : NULL;
}

static int put_pair(struct qd_rewrite *made, double step, double factor)
{
    struct qd_tensor pair;
    if (qd_tensor_init(&pair, made->arena, QD_F32, 1, (const int64_t[]){2}, made->error) != QD_OK)
        return QD_NO_VALUE;
    qd_tensor_set(&pair, 0, (int64_t)qd_float_encode(QD_F32, step, false));
    qd_tensor_set(&pair, 1, (int64_t)qd_float_encode(QD_F32, factor, false));
    return qd_rewrite_initializer(made, &pair);
}

/* A factor that the kernel has no place for is left to others. */
static void mark(struct qd_rewrite *made, struct qd_node *quantize)
{
    const struct qd_node *dequantize =
        qd_node_is(quantize, "QuantizeLinear")
            ? qd_rewrite_producer(made, qd_node_input(quantize, X), "DequantizeLinear")
            : NULL;
    const struct qd_tensor *from = dequantize ? scale_of(made, dequantize) : NULL;
    const struct qd_tensor *to = scale_of(made, quantize);
    if (!from || !to)
        return;
    float ratio = (float)qd_tensor_value(from, 0) / (float)qd_tensor_value(to, 0);
    if (!(ratio >= 0x1p-8F && ratio <= 0x1p7F))
        return;
    int pair = put_pair(made, qd_tensor_value(from, 0), rint(256.0 * ratio));
    if (pair == QD_NO_VALUE)
        return;
    qd_rewrite_operand(made, quantize, SCALE, pair);
    quantize->name = converts;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        mark(&made, &made.nodes[i]);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

/* Numbers of steps become whole numbers of the other steps, which quantize by a scale of 1. */
static void convert(struct qd_edit *edit)
{
    double step = qd_parameter_at(edit->in[SCALE], 0), factor = qd_parameter_at(edit->in[SCALE], 1);
    struct qd_tensor *x = qd_edit_copy(edit, X);
    for (int64_t i = 0; x && i < x->count; i++) {
        double code = rint(qd_tensor_value(x, i) / step);
        double whole = floor((code * factor + 128) / 256);
        qd_tensor_set(x, i, (int64_t)qd_float_encode(x->dtype, whole, false));
    }
    struct qd_tensor *one = qd_edit_new(edit, SCALE, QD_F32, 0, NULL);
    qd_tensor_fill(one, (int64_t)qd_float_encode(QD_F32, 1, false));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    if (qd_is_marked(node, converts))
        convert(&edit);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_conversion_in_256ths = {.graph = rewrite, .node = evaluate};
