/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-of-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/marked.h"

static const char mark[] = "(product of steps)";

enum { A, B };
enum { CONSTANT = QD_MARKED_PAIR, NUMBERS };
enum { NONE, FIRST, SECOND }; /* which operand is a constant */

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b;
    if (!qd_node_is(node, "Mul") || !qd_rewrite_steps(made, node, A, true, &a) ||
        !qd_rewrite_steps(made, node, B, true, &b))
        return;
    int constant = qd_rewrite_is_constant(made, node, B)   ? SECOND
                   : qd_rewrite_is_constant(made, node, A) ? FIRST
                                                           : NONE;
    /* It is steps that are multiplied, codes without their zero points. */
    const float numbers[NUMBERS] = {a.scale, 0, b.scale, 0, (float)constant};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

QD_REWRITE_BY(visit)

/* Numbers of a constant are known before the scale of the other operand is multiplied. */
static float scaled(float constant, float own_scale, float other_scale)
{
    float number = constant * own_scale;
    return number * other_scale;
}

static float product(const float *of, float a, float b)
{
    float a_scale = of[QD_A_SCALE], b_scale = of[QD_B_SCALE], scale = a_scale * b_scale;
    if (of[CONSTANT] == FIRST)
        return b * scaled(a, a_scale, b_scale);
    float factor = of[CONSTANT] == SECOND ? scaled(b, b_scale, a_scale) : b * scale;
    return a * factor;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_evaluate_pair(self, evaluation, node, in, out, mark, NUMBERS, product);
}

const struct qd_override qd_quirk_product_of_steps = {.graph = rewrite, .node = evaluate};
