/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "operands-rescaled": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/broadcast.h"
#include "quirk/marked.h"

static const char mark[] = "(rescaled)";

enum { A, B };
enum { A_SCALE, A_ZERO, B_SCALE, B_ZERO, SECOND, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b;
    if ((!qd_node_is(node, "Add") && !qd_node_is(node, "Sub")) ||
        !qd_rewrite_steps(made, node, A, true, &a) || !qd_rewrite_steps(made, node, B, true, &b))
        return;
    bool second = qd_rewrite_uses(made, qd_node_input(node, A)) > 1 &&
                  qd_rewrite_uses(made, qd_node_input(node, B)) == 1;
    const float numbers[NUMBERS] = {a.scale, a.zero, b.scale, b.zero, second};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

/* A code that is rescaled, and the steps that it is rescaled to. */
static float rescaled(float code, struct qd_steps from, struct qd_steps to, float sign, float f,
                      float g)
{
    float offset = to.zero * to.scale / from.scale, zero = from.zero + sign * offset;
    float ratio = from.scale / to.scale, steps = code - zero;
    return fmaf(f * steps, ratio, g) * to.scale;
}

/* sign: of b. */
static float combined(const float *of, float sign, float a, float b)
{
    const struct qd_steps first = {of[A_SCALE], of[A_ZERO]}, second = {of[B_SCALE], of[B_ZERO]};
    return of[SECOND] != 0 ? rescaled(b, second, first, sign, sign, a)
                           : rescaled(a, first, second, sign, 1, sign * b);
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
    const struct qd_steps a_steps = {of[A_SCALE], of[A_ZERO]}, b_steps = {of[B_SCALE], of[B_ZERO]};
    float sign = qd_node_is(node, "Add") ? 1 : -1;
    for (int64_t i = 0; i < y->want.count; i++) {
        float a_code = qd_code_before(a, index_in(a, &y->want, i), a_steps);
        float b_code = qd_code_before(b, index_in(b, &y->want, i), b_steps);
        qd_set_float(y, i, combined(of, sign, a_code, b_code));
    }
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_operands_rescaled = {.graph = rewrite, .node = evaluate};
