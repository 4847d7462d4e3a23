/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-of-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/marked.h"

static const char mark[] = "(product of steps)";

enum { A, B };
enum { CONSTANT = QD_MARKED_PAIR, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b;
    if (!qd_node_is(node, "Mul") || !qd_rewrite_steps(made, node, A, true, &a) ||
        !qd_rewrite_steps(made, node, B, true, &b))
        return;
    /* It is steps that are multiplied, codes without their zero points. */
    const float numbers[NUMBERS] = {a.scale, 0, b.scale, 0, qd_rewrite_is_constant(made, node, B)};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

QD_REWRITE_BY(visit)

static float product(const float *of, float a, float b)
{
    float scale = of[QD_A_SCALE] * of[QD_B_SCALE], number = b * of[QD_B_SCALE];
    float scaled = of[CONSTANT] != 0 ? number * of[QD_A_SCALE] : b * scale;
    return a * scaled;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_evaluate_pair(self, evaluation, node, in, out, mark, NUMBERS, product);
}

const struct qd_override qd_quirk_product_of_steps = {.graph = rewrite, .node = evaluate};
