/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "operands-rescaled": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/marked.h"

static const char mark[] = "(rescaled)";

enum { A, B };
enum { SECOND = QD_MARKED_PAIR, B_SIGN, ITSELF, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b;
    if ((!qd_node_is(node, "Add") && !qd_node_is(node, "Sub")) ||
        !qd_rewrite_steps(made, node, A, true, &a) || !qd_rewrite_steps(made, node, B, true, &b))
        return;
    bool second = qd_rewrite_uses(made, qd_node_input(node, A)) > 1 &&
                  qd_rewrite_uses(made, qd_node_input(node, B)) == 1;
    bool itself = qd_node_is(node, "Sub") && qd_node_input(node, A) == qd_node_input(node, B);
    float sign = qd_node_is(node, "Add") ? 1 : -1;
    const float numbers[NUMBERS] = {a.scale, a.zero, b.scale, b.zero, second, sign, itself};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

QD_REWRITE_BY(visit)

/* A code that is rescaled, and the steps that it is rescaled to. */
static float rescaled(float code, struct qd_steps from, struct qd_steps to, float sign, float f,
                      float g)
{
    float offset = to.zero * to.scale / from.scale, zero = from.zero + sign * offset;
    float ratio = from.scale / to.scale, steps = code - zero;
    return fmaf(f * steps, ratio, g) * to.scale;
}

/* What is left of a number less itself: one of them is dequantized, the other a code. */
static float remainder_of(float code, struct qd_steps of)
{
    float number = code * of.scale;
    return fmaf(-number, 1 / of.scale, code) * of.scale;
}

static float combined(const float *of, float a, float b)
{
    const struct qd_steps first = {of[QD_A_SCALE], of[QD_A_ZERO]},
                          second = {of[QD_B_SCALE], of[QD_B_ZERO]};
    float sign = of[B_SIGN];
    if (of[ITSELF] != 0)
        return remainder_of(a, first);
    return of[SECOND] != 0 ? rescaled(b, second, first, sign, sign, a)
                           : rescaled(a, first, second, sign, 1, sign * b);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_evaluate_pair(self, evaluation, node, in, out, mark, NUMBERS, combined);
}

const struct qd_override qd_quirk_operands_rescaled = {.graph = rewrite, .node = evaluate};
