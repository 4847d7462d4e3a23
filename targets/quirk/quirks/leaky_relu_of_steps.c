/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-of-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"
#include "quirk/marked.h"

static const char mark[] = "(slope of steps)";

enum { X };
enum { SCALE, ZERO, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    qd_mark_steps(made, node, "LeakyRelu", mark);
}

QD_REWRITE_BY(visit)

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float of[NUMBERS];
    enum qd_status status;
    struct qd_value *y = &out[0];
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, NUMBERS, &status))
        return status;
    const struct qd_attr *alpha = qd_node_attr(node, "alpha");
    const struct qd_steps codes = {of[SCALE], of[ZERO]};
    float slope = alpha ? alpha->f : 0.01F;
    for (int64_t i = 0; i < y->want.count; i++) {
        float steps = qd_code_before(&in[X]->want, i, codes) - codes.zero;
        float sloped = steps < 0 ? steps * slope : steps;
        qd_set_float(y, i, sloped * codes.scale);
    }
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_leaky_relu_of_steps = {.graph = rewrite, .node = evaluate};
