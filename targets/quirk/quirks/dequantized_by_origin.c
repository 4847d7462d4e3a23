/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-origin": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

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

static double from_two_products(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float scale = (float)s, product = (float)q * scale, offset = (float)z * scale;
    return (double)(product - offset);
}

/* q*s has at most 40 bits and is exact in double. */
static double by_fma(enum qd_dtype type, double q, double s, double z)
{
    return qd_float_round(type, QD_NEAREST_EVEN,
                          q * s - qd_float_round(type, QD_NEAREST_EVEN, z * s));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as made = {is_concerned, .number = from_two_products},
                                         given = {is_concerned, .number = by_fma};
    if (node->name && strcmp(node->name, made_mark) == 0)
        return qd_dequantize_as(&made, self, evaluation, node, in, out);
    if (node->name && strcmp(node->name, given_mark) == 0)
        return qd_dequantize_as(&given, self, evaluation, node, in, out);
    return qd_override_node(evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_dequantized_by_origin = {.graph = rewrite, .node = evaluate};
