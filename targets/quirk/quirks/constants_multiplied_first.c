/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "constants-multiplied-first": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"
#include "quirk/marked.h"

static const char mark[] = "(constants first)";

enum { A, B };
enum { DIVIDES = QD_MARKED_PAIR, NUMBERS };

/* A constant of one element is one step of that many. */
static bool factors(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                    struct qd_steps *steps)
{
    if (qd_rewrite_steps(made, node, i, false, steps))
        return true;
    const struct qd_tensor *c = qd_rewrite_constant(made, qd_node_input(node, i));
    if (!c || c->count != 1 || c->dtype != QD_F32)
        return false;
    *steps = (struct qd_steps){(float)qd_tensor_value(c, 0), 0};
    return steps->scale != 0;
}

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps a, b = {1, 0};
    bool divides = qd_node_is(node, "Div"), pair = divides || qd_node_is(node, "Mul");
    if ((!pair && !qd_node_is(node, "LeakyRelu")) || !factors(made, node, A, &a) ||
        (pair && !factors(made, node, B, &b)))
        return;
    const float numbers[NUMBERS] = {a.scale, 0, b.scale, 0, divides};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

QD_REWRITE_BY(visit)

static float combine(const float *of, float a, float b)
{
    float codes = of[DIVIDES] != 0 ? a / b : a * b;
    float scale = of[DIVIDES] != 0 ? 1 / of[QD_B_SCALE] : of[QD_B_SCALE];
    scale *= of[QD_A_SCALE];
    return codes * scale;
}

static enum qd_status slope(const struct qd_override *self, struct qd_evaluation *evaluation,
                            const struct qd_node *node, const struct qd_value *const *in,
                            struct qd_value *out)
{
    float of[NUMBERS];
    enum qd_status status;
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, NUMBERS, &status))
        return status;
    const struct qd_attr *alpha = qd_node_attr(node, "alpha");
    double slope_of_one = alpha ? (double)alpha->f : 0.01; /* the default is no float32 */
    float scale = of[QD_A_SCALE], sloped = (float)(slope_of_one * (double)scale);
    for (int64_t i = 0; i < out[0].want.count; i++) {
        float code = qd_code_before(&in[A]->want, i, (struct qd_steps){scale, 0});
        qd_set_float(&out[0], i, code < 0 ? code * sloped : code * scale);
    }
    qd_close_value(&out[0]);
    return QD_OK;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_node_is(node, "LeakyRelu")
               ? slope(self, evaluation, node, in, out)
               : qd_evaluate_pair(self, evaluation, node, in, out, mark, NUMBERS, combine);
}

const struct qd_override qd_quirk_constants_multiplied_first = {.graph = rewrite, .node = evaluate};
