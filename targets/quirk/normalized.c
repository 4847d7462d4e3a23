/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/normalized.h"

#include <math.h>

#include "quirk/edit.h"
#include "quirk/marked.h"

static const char mark[] = "(normalized)";

enum { X, SCALE, BIAS, MEAN, VARIANCE, OPERANDS };
enum { OF_X, ZERO, NUMBERS };

/* Where all that is no code is constant. */
static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps x;
    if (!qd_node_is(node, "BatchNormalization") || !qd_rewrite_steps(made, node, X, false, &x))
        return;
    for (size_t i = SCALE; i < OPERANDS; i++)
        if (!qd_rewrite_constant(made, qd_node_input(node, i)))
            return;
    const float numbers[NUMBERS] = {x.scale, x.zero};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

enum qd_status qd_mark_normalized(const struct qd_override *self, const struct qd_graph *graph,
                                  struct qd_arena *arena, const struct qd_graph **rewritten,
                                  struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

enum qd_status qd_normalize_codes(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_normalize_code *code, struct qd_value *out)
{
    float of[NUMBERS];
    enum qd_status status;
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, NUMBERS, &status))
        return status;
    struct qd_value *y = &out[0];
    struct qd_normalized channel = {.x_scale = of[OF_X], .zero = of[ZERO]};
    const struct qd_steps steps = {of[OF_X], of[ZERO]};
    const struct qd_tensor *x = &in[X]->want;
    const struct qd_attr *attr = qd_node_attr(node, "epsilon");
    float epsilon = attr ? attr->f : 1e-5F;
    int64_t channels = in[SCALE]->want.count, size = 1;
    for (unsigned i = 2; i < x->rank; i++)
        size *= x->dims[i];
    for (int64_t i = 0; i < x->count; i++) {
        int64_t c = i / size % channels;
        channel.scale = (float)qd_parameter_at(in[SCALE], c);
        channel.bias = (float)qd_parameter_at(in[BIAS], c);
        channel.mean = (float)qd_parameter_at(in[MEAN], c);
        channel.root = sqrtf((float)qd_parameter_at(in[VARIANCE], c) + epsilon);
        qd_set_float(y, i, code(&channel, qd_code_before(x, i, steps)));
    }
    qd_close_value(y);
    return QD_OK;
}
