/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-of-steps": targets/include/qdiff/quirks.def says what it is. */
#include "qdiff/broadcast.h"
#include "quirk/marked.h"

static const char mark[] = "(product of steps)";

enum { A, B };
enum { A_SCALE, A_ZERO, B_SCALE, B_ZERO, CONSTANT, NUMBERS };

static bool is_constant(const struct qd_rewrite *made, const struct qd_node *node)
{
    const struct qd_node *dequantize =
        qd_rewrite_producer(made, qd_node_input(node, B), "DequantizeLinear");
    return dequantize && qd_rewrite_constant(made, qd_node_input(dequantize, 0)) != NULL;
}

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b;
    if (!qd_node_is(node, "Mul") || !qd_rewrite_steps(made, node, A, true, &a) ||
        !qd_rewrite_steps(made, node, B, true, &b))
        return;
    const float numbers[NUMBERS] = {a.scale, a.zero, b.scale, b.zero, is_constant(made, node)};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

/* Of steps: codes without their zero points. */
static float product(const float *of, float a, float b)
{
    float scale = of[A_SCALE] * of[B_SCALE], number = b * of[B_SCALE];
    float scaled = of[CONSTANT] != 0 ? number * of[A_SCALE] : b * scale;
    return a * scaled;
}

static int64_t index_in(const struct qd_tensor *operand, const struct qd_tensor *y, int64_t i)
{
    return qd_broadcast_index(operand->rank, operand->dims, y->rank, y->dims, i);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float of[NUMBERS];
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || y->want.dtype != QD_F32 || !qd_marked_numbers(node, mark, of, NUMBERS))
        return status;
    const struct qd_tensor *a = &in[A]->want, *b = &in[B]->want;
    const struct qd_steps a_steps = {of[A_SCALE], 0}, b_steps = {of[B_SCALE], 0};
    for (int64_t i = 0; i < y->want.count; i++) {
        float first = qd_code_before(a, index_in(a, &y->want, i), a_steps);
        float second = qd_code_before(b, index_in(b, &y->want, i), b_steps);
        qd_set_float(y, i, product(of, first, second));
    }
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_product_of_steps = {.graph = rewrite, .node = evaluate};
