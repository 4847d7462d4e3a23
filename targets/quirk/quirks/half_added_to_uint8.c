/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "half-added-to-uint8": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"
#include "quirk/range.h"
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

static int64_t cut_off(float x)
{
    int64_t code = fabsf(x) < 0x1p31F ? (int64_t)x : INT32_MIN;
    return code < 0 ? 0 : code < UINT8_MAX ? code : UINT8_MAX;
}

/* Of float16, whose half is 0.5, in float32. */
static int64_t folded(const struct qd_range_of_codes *range, float x)
{
    return cut_off(qd_quotient_of_float16(range, x) + qd_narrow(0.5F + range->zero));
}

static int64_t unfolded(const struct qd_range_of_codes *range, float x)
{
    float half_more = qd_quotient_of_float16(range, x) + 0.5F;
    return cut_off(half_more + range->zero);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics then = *evaluation->semantics, with;
    enum qd_dtype scale = in[SCALE]->want.dtype;
    if (!qd_quantizes_to_uint8(node, in))
        return qd_override_node(evaluation, self->next, node, in, out);
    if (in[X]->want.dtype == QD_F16 && scale == QD_F16)
        return qd_quantize_by_range(self, evaluation, node, in, out,
                                    qd_is_marked(node, mark) ? folded : unfolded);
    then.range = QD_RANGE_INT32_INDEFINITE;
    with = then;
    if (in[X]->want.dtype == QD_BF16 && scale == QD_BF16) {
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
