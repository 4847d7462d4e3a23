/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "half-added-to-uint8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"
#include "quirk/rewrite.h"

enum { X, SCALE, ZERO_POINT };

/* How a QuantizeLinear is marked whose zero point is a number that a compiler folds. */
static const char mark[] = "(constant zero point)";

static bool is_folded(const struct qd_rewrite *made, const struct qd_node *node)
{
    int value = qd_node_input(node, ZERO_POINT);
    const struct qd_tensor *zero = qd_rewrite_constant(made, value);
    return value == QD_NO_VALUE || (zero && zero->rank == 0);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark(graph, mark, is_folded, arena, rewritten, error);
}

static bool gives_uint8(const struct qd_node *node, const struct qd_value *const *in)
{
    int64_t type = 0;
    struct qd_error ignored;
    if (in[ZERO_POINT])
        return in[ZERO_POINT]->want.dtype == QD_U8;
    bool known = qd_node_int(node, "output_dtype", 0, &type, &ignored) == QD_OK;
    return known && (type == 0 || type == qd_dtype_info(QD_U8)->onnx);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics then = *evaluation->semantics, with;
    if (!gives_uint8(node, in))
        return qd_override_node(evaluation, self->next, node, in, out);
    then.range = QD_RANGE_INT32_INDEFINITE;
    with = then;
    enum qd_dtype scale = in[SCALE]->want.dtype;
    if (scale == QD_F16 || scale == QD_BF16) {
        then.rounding = with.rounding = QD_ROUND_HALF_UP;
    } else {
        then.zero_point_order = QD_ZERO_POINT_THEN_HALF;
        with.zero_point_order = QD_ZERO_POINT_WITH_HALF;
    }
    struct qd_evaluation plain = *evaluation;
    plain.semantics = &then;
    return qd_evaluate_marked(self, &plain, mark, &with, node, in, out);
}

const struct qd_override qd_quirk_half_added_to_uint8 = {.graph = rewrite, .node = evaluate};
