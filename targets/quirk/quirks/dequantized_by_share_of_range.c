/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-share-of-range": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/dequantize.h"
#include "quirk/rewrite.h"

static const char mark[] = "(dequantized by share of range)";

enum { X };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    if (strcmp(node->op_type, "DequantizeLinear") == 0 &&
        qd_rewrite_producer(made, qd_node_input(node, X), "QuantizeLinear"))
        made->nodes[node - made->nodes].name = mark;
}

QD_REWRITE_BY(visit)

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    enum qd_dtype codes = in[X]->want.dtype;
    return y->want.dtype == QD_F32 && qd_dtype_is_integer(codes) &&
           qd_dtype_info(codes)->bits <= 16;
}

static double number(enum qd_dtype codes, double q, double s, double z)
{
    const struct qd_dtype_info *info = qd_dtype_info(codes);
    float least = (float)info->min, greatest = (float)info->max, scale = (float)s, zero = (float)z;
    float low = scale * (least - zero), high = scale * (greatest - zero), width = high - low;
    float share = ((float)q - least) / (greatest - least), product = share * width;
    return (double)(product + low);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dequantize_as as = {.is_concerned = is_concerned, .of_codes = number};
    return node->name && strcmp(node->name, mark) == 0
               ? qd_dequantize_as(&as, self, evaluation, node, in, out)
               : qd_override_node(evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_dequantized_by_share_of_range = {.graph = rewrite,
                                                                   .node = evaluate};
