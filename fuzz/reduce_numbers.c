/* SPDX-License-Identifier: Apache-2.0 */
/* Simpler attributes, parameters and data. A step is offered only when it makes what it changes simpler by the measure
 * below, so that steps cannot go round in a circle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "qdiff/exact.h"
#include "reduce_steps.h"

/* --- Attributes --------------------------------------------------------------------------------- */

enum { SIMPLER = 4, ELEMENTS = 16 };
#define PER_ATTRIBUTE (1 + SIMPLER * ELEMENTS)

/* Way `way` of a number that is nearer to zero; false: it is none. */
static bool simpler_int(int64_t value, size_t way, int64_t *simpler)
{
    const int64_t ways[SIMPLER] = {0, 1, value / 2, value > 0 ? value - 1 : value + 1};
    *simpler = ways[way];
    return value != INT64_MIN && llabs(*simpler) < llabs(value);
}

/* *simpler: the attribute with one number nearer to zero. */
static bool simplify_attr(const struct qd_attr *attr, size_t element, size_t way,
                          struct qd_arena *arena, struct qd_attr *simpler)
{
    *simpler = *attr;
    if (attr->kind == QD_ATTR_INT)
        return element == 0 && simpler_int(attr->i, way, &simpler->i);
    if (attr->kind == QD_ATTR_FLOAT) {
        const float ways[SIMPLER] = {0, 1, truncf(attr->f), truncf(attr->f) / 2};
        simpler->f = ways[way];
        return element == 0 && fabsf(simpler->f) < fabsf(attr->f);
    }
    if (attr->kind != QD_ATTR_INTS || element >= attr->count)
        return false;
    int64_t *ints = qd_arena_copy(arena, attr->ints, attr->count * sizeof *ints);
    simpler->ints = ints;
    return ints && simpler_int(ints[element], way, &ints[element]);
}

enum qd_step qd_reduce_attributes(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                  size_t number)
{
    (void)view;
    size_t place = number / PER_ATTRIBUTE, way = number % PER_ATTRIBUTE;
    size_t at = place / QD_CASE_EDIT_MAX_ATTRS, index = place % QD_CASE_EDIT_MAX_ATTRS;
    if (at >= edit->node_count)
        return QD_STEP_END;
    struct qd_case_edit_node *node = &edit->nodes[at];
    if (index >= node->attr_count)
        return QD_STEP_SKIP;
    if (way == 0) {
        qd_case_edit_remove_attr(node, node->attrs[index].name);
        return QD_STEP_TRY;
    }
    struct qd_attr simpler;
    if (!simplify_attr(&node->attrs[index], (way - 1) / SIMPLER, (way - 1) % SIMPLER, edit->arena,
                       &simpler))
        return QD_STEP_SKIP;
    node->attrs[index] = simpler;
    return QD_STEP_TRY;
}

/* --- Operands ----------------------------------------------------------------------------------- */

static const struct qd_op *op_of(const struct qd_case_edit_node *node)
{
    return qd_op_find(node->domain, node->op_type);
}

/* The value that is the zero point of operand `owner` (or of the output), QD_NO_VALUE if there is none. */
static int zero_point_of(const struct qd_case_edit_node *node, int owner)
{
    int i = qd_op_parameter(op_of(node), owner, QD_ROLE_ZERO_POINT);
    return i >= 0 && (size_t)i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

/* How a value is read first. */
struct use {
    enum qd_role role;
    int zero_point; /* the value that is its zero point, or QD_NO_VALUE */
};

static struct use use_of(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_case_edit_node *node = &edit->nodes[i];
        const struct qd_op *op = op_of(node);
        for (size_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != value)
                continue;
            return (struct use){qd_op_role(op, j), zero_point_of(node, (int)j)};
        }
    }
    return (struct use){QD_ROLE_DATA, QD_NO_VALUE};
}

/* --- Granularity -------------------------------------------------------------------------------- */

/* A scalar with element `i`. */
static const struct qd_tensor *scalar_of(const struct qd_tensor *tensor, int64_t i,
                                         struct qd_arena *arena)
{
    struct qd_tensor *scalar = qd_arena_alloc(arena, sizeof *scalar);
    if (!scalar || qd_tensor_init(scalar, arena, tensor->dtype, 0, NULL, NULL) != QD_OK)
        return NULL;
    qd_tensor_set(scalar, 0, qd_tensor_get(tensor, i));
    return scalar;
}

/* The differing element's place along an axis of this size, 0 if there is none. */
static int64_t wanted_place(const struct qd_reduce_view *view, int64_t size)
{
    int64_t place[QD_MAX_RANK];
    if (!view->differs)
        return 0;
    const struct qd_tensor *want = &view->values[view->output].want;
    qd_tensor_coordinates(want, view->element, place);
    for (unsigned i = 0; i < want->rank; i++)
        if (want->dims[i] == size)
            return place[i];
    return 0;
}

static bool has_data(const struct qd_case_edit *edit, int value)
{
    return value != QD_NO_VALUE && edit->values[value].tensor &&
           edit->values[value].tensor->count > 0;
}

static bool make_scalar(struct qd_case_edit *edit, int value, int64_t at)
{
    const struct qd_tensor *tensor = edit->values[value].tensor;
    const struct qd_tensor *scalar = scalar_of(tensor, at < tensor->count ? at : 0, edit->arena);
    if (scalar)
        edit->values[value].tensor = scalar;
    return scalar != NULL;
}

/* A scale or zero point becomes a scalar of one channel, the one that differs or the first; a scale alone or with its
 * zero point. */
enum qd_step qd_reduce_granularity(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                   size_t number)
{
    enum { FIRST = 1, ALONE = 2, WAYS = 4 };
    size_t at = number / WAYS / QD_MAX_OPERANDS, i = number / WAYS % QD_MAX_OPERANDS;
    if (at >= edit->node_count)
        return QD_STEP_END;
    struct qd_case_edit_node *node = &edit->nodes[at];
    const struct qd_op *op = op_of(node);
    enum qd_role role = op && i < node->input_count ? qd_op_role(op, i) : QD_ROLE_DATA;
    int value = i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
    if (!qd_op_is_parameter(op, i) || !has_data(edit, value) ||
        edit->values[value].tensor->rank == 0)
        return QD_STEP_SKIP;
    int zero = role == QD_ROLE_SCALE && !(number & ALONE) ? zero_point_of(node, qd_op_owner(op, i))
                                                          : QD_NO_VALUE;
    int64_t place = number & FIRST ? 0 : wanted_place(view, edit->values[value].tensor->count);
    bool paired = zero != QD_NO_VALUE;
    if (paired && !has_data(edit, zero))
        return QD_STEP_SKIP;
    qd_case_edit_remove_attr(node, "block_size");
    if ((paired && !make_scalar(edit, zero, place)) || !make_scalar(edit, value, place))
        return QD_STEP_END; /* out of memory */
    return QD_STEP_TRY;
}

/* --- How simple a number is --------------------------------------------------------------------- */

/* Significant bits of a finite number that is not 0. */
static int significant_bits(double value)
{
    int exponent, bits = 0;
    double fraction = frexp(fabs(value), &exponent);
    for (; fraction > 0 && bits < 60; bits++) {
        fraction *= 2;
        fraction -= floor(fraction);
    }
    return bits;
}

static double complexity(const struct qd_tensor *tensor, int64_t i, int64_t neutral)
{
    if (!qd_dtype_is_float(tensor->dtype)) {
        int64_t code = qd_tensor_get(tensor, i);
        return code == 0 ? 0 : code == neutral ? 0.5 : 1 + log2(1 + fabs((double)code));
    }
    double value = qd_tensor_value(tensor, i);
    if (!isfinite(value))
        return 1000;
    return value == 0 ? 0
                      : 1 + 2.0 * significant_bits(value) + fabs(log2(fabs(value))) / 8 +
                            (value < 0) / 16.0;
}

enum { TARGETS = 6 };

static double round_bits(double value, int bits)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

static double float_target(double value, size_t way)
{
    switch (way) {
    case 0: return 0;
    case 1: return 1;
    case 2: return round_bits(value, 1);
    case 3: return nearbyint(value);
    case 4: return round_bits(value, significant_bits(value) / 2);
    default: return value / 2;
    }
}

static int64_t int_target(int64_t code, int64_t neutral, size_t way)
{
    switch (way) {
    case 0: return 0;
    case 1: return neutral;
    case 2:
        return code == 0 ? 0
                         : (int64_t)copysign(exp2(floor(log2(fabs((double)code)))), (double)code);
    case 3: return code / 2;
    case 4: return code > 0 ? 1 : -1;
    default: /* slowly near zero, faster far away */
        return llabs(code) > 16 ? code - code / 4 : code > 0 ? code - 1 : code + 1;
    }
}

/* Gives element i of the copy the target of way `way`; false if that is not simpler or no number of the type, or a
 * scale that is not positive. */
static bool simplify(const struct qd_tensor *old, const struct qd_tensor *copy, int64_t i,
                     enum qd_role role, int64_t neutral, size_t way)
{
    bool scale = role == QD_ROLE_SCALE;
    if (qd_dtype_is_float(old->dtype)) {
        double value = qd_tensor_value(old, i);
        double target = isfinite(value) ? float_target(value, way) : (double)way;
        if (way > 1 && value == 0)
            return false;
        double rounded = qd_float_round(old->dtype, QD_NEAREST_EVEN, target);
        qd_tensor_set(copy, i, (int64_t)qd_float_encode(old->dtype, rounded, true));
    } else {
        const struct qd_dtype_info *info = qd_dtype_info(old->dtype);
        int64_t target = int_target(qd_tensor_get(old, i), neutral, way);
        if (target < info->min || target > info->max)
            return false;
        qd_tensor_set(copy, i, target);
    }
    if (complexity(copy, i, neutral) < complexity(old, i, neutral) &&
        !(scale && qd_tensor_value(copy, i) <= 0))
        return true;
    qd_tensor_set(copy, i, qd_tensor_get(old, i));
    return false;
}

/* --- Parts of a tensor -------------------------------------------------------------------------- */

/* A tensor is cut into 1, 2, 4 ... parts, at most 256: part `index` of all those. */
#define MAX_PARTS 511

static bool part_of(int64_t count, size_t index, int64_t *begin, int64_t *end)
{
    size_t parts = 1;
    while (index >= parts) {
        index -= parts;
        parts *= 2;
    }
    if (parts > 1 && (int64_t)(parts / 2) >= count)
        return false; /* single elements were offered before */
    *begin = count * (int64_t)index / (int64_t)parts;
    *end = count * (int64_t)(index + 1) / (int64_t)parts;
    return *begin < *end;
}

/* The zero point that a tensor's codes are seen from, 0 where there is none or several. */
static int64_t neutral_of(const struct qd_case_edit *edit, const struct use *use)
{
    const struct qd_tensor *zero =
        use->zero_point == QD_NO_VALUE ? NULL : edit->values[use->zero_point].tensor;
    return zero && zero->count == 1 && !qd_dtype_is_float(zero->dtype) ? qd_tensor_get(zero, 0) : 0;
}

static enum qd_step simplify_value(struct qd_case_edit *edit, int value, const struct use *use,
                                   size_t number)
{
    const struct qd_tensor *old = edit->values[value].tensor;
    size_t way = number % TARGETS;
    int64_t begin, end;
    if (!part_of(old->count, number / TARGETS, &begin, &end))
        return QD_STEP_SKIP;
    struct qd_tensor *copy = qd_case_edit_copy_tensor(edit, old);
    bool changed = false;
    for (int64_t i = begin; copy && i < end; i++)
        changed = simplify(old, copy, i, use->role, neutral_of(edit, use), way) || changed;
    if (!changed)
        return QD_STEP_SKIP;
    edit->values[value].tensor = copy;
    return QD_STEP_TRY;
}

static enum qd_step simplify_role(struct qd_case_edit *edit, size_t number, bool parameters)
{
    size_t value = number / (MAX_PARTS * TARGETS);
    if (value >= edit->value_count)
        return QD_STEP_END;
    const struct qd_tensor *tensor = edit->values[value].tensor;
    if (!tensor)
        return QD_STEP_SKIP;
    struct use use = use_of(edit, (int)value);
    bool parameter = use.role == QD_ROLE_SCALE || use.role == QD_ROLE_ZERO_POINT;
    return parameter == parameters
               ? simplify_value(edit, (int)value, &use, number % (MAX_PARTS * TARGETS))
               : QD_STEP_SKIP;
}

enum qd_step qd_reduce_parameters(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                  size_t number)
{
    (void)view;
    return simplify_role(edit, number, true);
}

enum qd_step qd_reduce_data(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    (void)view;
    return simplify_role(edit, number, false);
}
