/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what makes a value that differs one that no sentence forbids. */
#include "judge/excuse.h"

#include <math.h>
#include <string.h>

#include "qdiff/broadcast.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"
#include "qdiff/override.h"
#include "qdiff/quirk.h"

static bool some_op(const struct qd_case *kase, bool (*is)(const struct qd_op *op))
{
    bool found = false;
    for (size_t i = 0; i < kase->graph->node_count && !found; i++) {
        const struct qd_node *node = &kase->graph->nodes[i];
        const struct qd_op *op = qd_op_find(node->domain, node->op_type);
        found = op && is(op);
    }
    return found;
}

static bool is_approximate(const struct qd_op *op)
{
    return op->approximate;
}

/* Whether it is a product of integers by its name alone. */
static bool is_unwritten_product(const struct qd_op *op)
{
    return strcmp(op->name, "MatMulIntegerToFloat") == 0 ||
           strcmp(op->name, "DynamicQuantizeMatMul") == 0;
}

/* Nor has QLinearConv's page an accumulator, as those of the other products of codes have. */
static bool is_unwritten_layer(const struct qd_op *op)
{
    return strcmp(op->name, "QLinearConv") == 0;
}

/* QuantizeLinear-23: precision is that "of the division operation between x and y_scale". */
static bool has_precision(const struct qd_op *op)
{
    return strcmp(op->name, "QuantizeLinear") == 0;
}

/* Their pages have no formula: only that the result is quantized with three scales. */
static bool has_open_order(const struct qd_op *op)
{
    return strcmp(op->name, "QLinearConv") == 0 || strcmp(op->name, "QLinearMatMul") == 0;
}

static bool has_open_rounding(const struct qd_op *op)
{
    return op->rounding_open;
}

/* The run with what the graph has under these semantics; false: it cannot be evaluated so. */
static bool compare_under(const struct qd_evaluated *evaluated, const struct qd_run *run,
                          const struct qd_semantics *semantics, struct qd_arena *owner,
                          struct qd_comparison *comparison)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_value values[QD_MAX_OPERANDS];
    struct qd_arena arena;
    struct qd_error error;
    if (!run || kase->graph->output_count > QD_MAX_OPERANDS)
        return false;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    bool evaluates =
        qd_graph_evaluate(kase->graph, kase->inputs, semantics, &arena, values, &error) == QD_OK;
    if (evaluates)
        qd_compare(kase, values, run, comparison);
    qd_arena_clear_for(&arena, owner);
    return evaluates;
}

/* Whether the answer is one that the graph has under these semantics. */
static bool is_answer(const struct qd_evaluated *evaluated, const struct qd_run *run,
                      const struct qd_semantics *semantics, struct qd_arena *owner)
{
    struct qd_comparison comparison;
    return compare_under(evaluated, run, semantics, owner, &comparison) &&
           comparison.mismatched == 0;
}

static bool has_narrow_floats(const struct qd_case *kase)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    return qd_features_has(&features, QD_FEATURE_FLOAT16) ||
           qd_features_has(&features, QD_FEATURE_BFLOAT16);
}

/* --- How to round ------------------------------------------------------------------------------- */

/* Another rounding of the operators that leave it open. */
struct other_rounding {
    struct qd_override override;
    enum qd_rounding rounding;
    enum qd_zero_point_order order;
};

static enum qd_status read_node(const struct qd_override *self, struct qd_evaluation *evaluation,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out)
{
    const struct other_rounding *other = (const struct other_rounding *)self;
    struct qd_semantics semantics = *evaluation->semantics;
    struct qd_evaluation as_read = *evaluation;
    semantics.rounding = other->rounding;
    semantics.zero_point_order = other->order;
    as_read.semantics = &semantics;
    return qd_override_node(node->op->rounding_open ? &as_read : evaluation, self->next, node, in,
                            out);
}

/* To the nearest code: of the quotient, or of the whole formula, its zero point in it. */
static bool rounds_otherwise(const struct qd_evaluated *evaluated, const struct qd_run *run,
                             struct qd_arena *arena)
{
    static const struct other_rounding roundings[] = {
        {{.node = read_node}, QD_ROUND_HALF_AWAY, QD_ZERO_POINT_AFTER},
        {{.node = read_node}, QD_ROUND_HALF_UP, QD_ZERO_POINT_AFTER},
        {{.node = read_node}, QD_ROUND_HALF_TO_ZERO, QD_ZERO_POINT_AFTER},
        {{.node = read_node}, QD_ROUND_HALF_EVEN, QD_ZERO_POINT_BEFORE_EXACT},
        {{.node = read_node}, QD_ROUND_HALF_EVEN, QD_ZERO_POINT_BEFORE_F32},
        {{.node = read_node}, QD_ROUND_HALF_EVEN, QD_ZERO_POINT_BEFORE_FUSED},
    };
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        const struct qd_semantics semantics = {.override = &roundings[i].override};
        if (is_answer(evaluated, run, &semantics, arena))
            return true;
    }
    return false;
}

/* --- How to divide -------------------------------------------------------------------------------- */

static bool is_division(const struct qd_op *op)
{
    return strcmp(op->name, "Div") == 0 || strcmp(op->name, "Reciprocal") == 0;
}

/* What element i of the output is of `x`. */
static double operand_of(const struct qd_value *x, const struct qd_tensor *y, int64_t i)
{
    return qd_tensor_value(&x->want, qd_broadcast_element(&x->want, y, i));
}

/* Quotients of float32 and float16 two units in the last place from the nearest (OpenCL C's table has 2 1/2 from the
 * exact one), but for those that are numbers of the type themselves. By 0 any number. */
static enum qd_status divide_roughly(const struct qd_override *self,
                                     struct qd_evaluation *evaluation, const struct qd_node *node,
                                     const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || !is_division(node->op) ||
        (out->want.dtype != QD_F32 && out->want.dtype != QD_F16))
        return status;
    int bits = (int)qd_float_format(out->want.dtype)->fraction_bits;
    bool of_two = node->input_count == 2;
    status = qd_value_need_hull(out, evaluation->arena, evaluation->error);
    if (status == QD_OK)
        status = qd_value_need_flags(out, evaluation->arena, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < out->want.count; i++) {
        double want = qd_tensor_value(&out->want, i);
        double dividend = of_two ? operand_of(in[0], &out->want, i) : 1;
        double divisor = operand_of(in[of_two], &out->want, i);
        out->flags[i] |= divisor == 0 ? QD_UNSPECIFIED : 0;
        if (!isfinite(want) || want == 0 || want * divisor == dividend) /* exact in double */
            continue;
        double reach = ldexp(2, ilogb(want) - bits);
        out->lo[i] -= reach;
        out->hi[i] += reach;
    }
    return status;
}

/* --- All ---------------------------------------------------------------------------------------- */

const char *qd_excuse_of(const struct qd_evaluated *evaluated, const struct qd_run *run,
                         const struct qd_comparison *comparison, struct qd_arena *arena)
{
    static const struct qd_semantics narrow = {.float_accumulator = QD_FLOAT_ACC_OWN},
                                     wide = {.division = QD_DIVISION_WIDE},
                                     any_order = {.requantize = QD_ANY_ORDER};
    static const struct qd_override roughly = {.node = divide_roughly};
    const struct qd_semantics rough = {.override = &roughly};
    const struct qd_semantics floats = {.override = qd_quirk_find("product-in-floats")->override};
    const struct qd_semantics layer = {.override = qd_quirk_find("layer-in-floats")->override};
    const struct qd_case *kase = evaluated->kase;
    if (comparison->flushed == comparison->mismatched)
        return "no sentence asks for subnormal numbers";
    if (comparison->close == comparison->mismatched && some_op(kase, is_approximate))
        return "no sentence says how accurate the function is";
    if (has_narrow_floats(kase) && is_answer(evaluated, run, &narrow, arena))
        return "no sentence says in how wide a type to sum";
    if (some_op(kase, is_unwritten_product) && is_answer(evaluated, run, &floats, arena))
        return "no sentence says that the product is one of integers";
    if (some_op(kase, is_unwritten_layer) && is_answer(evaluated, run, &layer, arena))
        return "no sentence says that the layer is one of integers";
    if (some_op(kase, is_division) && is_answer(evaluated, run, &rough, arena))
        return "no sentence says how accurate a quotient is, or what one by 0 is";
    if (some_op(kase, has_precision) && is_answer(evaluated, run, &wide, arena))
        return "no sentence says whether the operands of the division have its precision, or the "
               "quotient alone";
    if (some_op(kase, has_open_order) && is_answer(evaluated, run, &any_order, arena))
        return "no sentence says in which order to multiply and divide by the scales";
    if (some_op(kase, has_open_rounding) && rounds_otherwise(evaluated, run, arena))
        return "its page says neither how to round nor that the zero point is added afterwards";
    return NULL;
}

void qd_excuse_pass_over(const struct qd_evaluated *evaluated, const struct qd_run *run,
                         struct qd_arena *arena, struct qd_comparison *comparison)
{
    static const struct qd_semantics open = {.division = QD_DIVISION_WIDE,
                                             .requantize = QD_ANY_ORDER};
    struct qd_comparison rest;
    bool may = some_op(evaluated->kase, has_precision) || some_op(evaluated->kase, has_open_order);
    if (!may || !compare_under(evaluated, run, &open, arena, &rest) || rest.mismatched == 0)
        return;
    struct qd_observation seen = qd_value_observe(&evaluated->values[rest.output], rest.element);
    comparison->output = rest.output;
    comparison->element = rest.element;
    comparison->have = rest.have;
    comparison->want = rest.want;
    comparison->lo = seen.lo;
    comparison->hi = seen.hi;
}
