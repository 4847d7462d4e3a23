/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-origin": targets/include/qdiff/quirks.def says what it is. */

#include "quirk/dequantize.h"
#include "quirk/rewrite.h"

static const char made_mark[] = "(codes that are made)", given_mark[] = "(codes that are given)";

enum { CODES };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    int codes = qd_rewrite_source(made, qd_node_input(node, CODES));
    if (!qd_node_is(node, "DequantizeLinear") || qd_rewrite_constant(made, codes))
        return;
    bool is_made = qd_rewrite_producer(made, codes, "QuantizeLinear") != NULL;
    made->nodes[node - made->nodes].name = is_made ? made_mark : given_mark;
}

QD_REWRITE_BY(visit)

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    enum qd_dtype codes = in[CODES]->want.dtype;
    return y->want.dtype == QD_F32 && qd_dtype_is_integer(codes) &&
           qd_dtype_info(codes)->bits <= 16;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as made = {is_concerned, .number = qd_from_two_products},
                                         given = {is_concerned, .number = qd_by_fma};
    if (qd_is_marked(node, made_mark))
        return qd_dequantize_as(&made, self, evaluation, node, in, out);
    if (qd_is_marked(node, given_mark))
        return qd_dequantize_as(&given, self, evaluation, node, in, out);
    return qd_override_node(evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_dequantized_by_origin = {.graph = rewrite, .node = evaluate};
