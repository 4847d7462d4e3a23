/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that change a number, an element's index or an operand: contract_rules.def says what each is. */
#include <math.h>
#include <string.h>

#include "contract/confusion.h"

/* A rule made of one function of an element's index, or of its code. */
#define INDEX_RULE(name)                                \
    static qd_part_source name;                         \
    void qd_rule_##name(struct qd_confusion *confusion) \
    {                                                   \
        qd_confuse_index(confusion, name);              \
    }                                                   \
    static int64_t name(const struct qd_part *part, int64_t i)
#define CODE_RULE(name)                                 \
    static qd_part_code name;                           \
    void qd_rule_##name(struct qd_confusion *confusion) \
    {                                                   \
        qd_confuse_code(confusion, name);               \
    }                                                   \
    static int64_t name(const struct qd_part *part, int64_t i, int64_t code)

/* --- Operands ------------------------------------------------------------------------------------ */

static bool same_numbers(const struct qd_tensor *a, const struct qd_tensor *b)
{
    return qd_tensor_same_shape(a, b) && memcmp(a->data, b->data, qd_tensor_bytes(a)) == 0;
}

static const struct qd_value *operand(const struct qd_confusion *confusion, int i)
{
    return i < 0 ? NULL : confusion->edit.in[i];
}

void qd_rule_read_for(struct qd_confusion *confusion)
{
    const struct qd_value *a = operand(confusion, confusion->mutant->place);
    const struct qd_value *b = operand(confusion, confusion->mutant->other);
    if (a && b && a->want.dtype == b->want.dtype && a->want.rank == b->want.rank &&
        !same_numbers(&a->want, &b->want))
        qd_confuse_operand(confusion, confusion->mutant->place, b);
}

void qd_rule_exchanged(struct qd_confusion *confusion)
{
    const struct qd_value *a = operand(confusion, confusion->mutant->place);
    const struct qd_value *b = operand(confusion, confusion->mutant->other);
    if (!a || !b || a->want.dtype != b->want.dtype || same_numbers(&a->want, &b->want))
        return;
    qd_confuse_operand(confusion, confusion->mutant->place, b);
    qd_confuse_operand(confusion, confusion->mutant->other, a);
}

void qd_rule_ignored(struct qd_confusion *confusion)
{
    const struct qd_contract_mutant *mutant = confusion->mutant;
    if (mutant->attribute && qd_node_attr(&confusion->edit.node, mutant->attribute)) {
        qd_edit_drop(&confusion->edit, mutant->attribute);
        confusion->changed = true;
    } else if (operand(confusion, mutant->place)) {
        qd_confuse_operand(confusion, mutant->place, NULL);
    }
}

/* --- Index for index ----------------------------------------------------------------------------- */

INDEX_RULE(first)
{
    (void)part, (void)i;
    return 0;
}

INDEX_RULE(last)
{
    (void)i;
    return part->tensor->count - 1;
}

INDEX_RULE(next)
{
    return (i + 1) % part->tensor->count;
}

INDEX_RULE(reversed)
{
    return part->tensor->count - 1 - i;
}

INDEX_RULE(below)
{
    return i < part->n ? i : part->n - 1;
}

INDEX_RULE(modulo)
{
    return i % part->n;
}

INDEX_RULE(halves_swapped)
{
    int64_t count = part->tensor->count;
    return count % 2 != 0 ? i : (i + count / 2) % count;
}

INDEX_RULE(first_half_twice)
{
    int64_t count = part->tensor->count;
    return count % 2 != 0 ? i : i % (count / 2);
}

INDEX_RULE(last_half_twice)
{
    int64_t count = part->tensor->count;
    return count % 2 != 0 ? i : count / 2 + i % (count / 2);
}

/* --- Axes ---------------------------------------------------------------------------------------- */

/* Where an element stands on one axis: its coordinate, the axis's size, and how far apart two neighbours on it
 * are. Size 0: the tensor has no such axis. */
struct spot {
    int64_t at, size, stride;
};

static struct spot spot_on(const struct qd_part *part, int64_t axis, int64_t i)
{
    const struct qd_tensor *t = part->tensor;
    if (axis < 0 || axis >= t->rank)
        return (struct spot){0};
    int64_t stride = 1;
    for (unsigned k = (unsigned)axis + 1; k < t->rank; k++)
        stride *= t->dims[k];
    return (struct spot){i / stride % t->dims[axis], t->dims[axis], stride};
}

static struct spot on_last(const struct qd_part *part, int64_t i)
{
    return spot_on(part, (int64_t)part->tensor->rank - 1, i);
}

static struct spot on_flat(const struct qd_part *part, int64_t i)
{
    return (struct spot){i, part->tensor->count, 1};
}

INDEX_RULE(axis_modulo)
{
    struct spot s = on_last(part, i);
    return i - s.at + s.at % part->n;
}

/* The number 13 names the axes 1 and 3. */
INDEX_RULE(axes_swapped)
{
    struct spot a = spot_on(part, part->n / 10, i), b = spot_on(part, part->n % 10, i);
    return a.size != b.size ? i : i + (b.at - a.at) * a.stride + (a.at - b.at) * b.stride;
}

INDEX_RULE(axis_first)
{
    struct spot s = spot_on(part, part->n, i);
    return i - s.at * s.stride;
}

INDEX_RULE(axis_reversed)
{
    struct spot s = spot_on(part, part->n, i);
    return s.size == 0 ? i : i + (s.size - 1 - 2 * s.at) * s.stride;
}

INDEX_RULE(group_first)
{
    struct spot s = spot_on(part, 0, i);
    if (part->groups < 2 || s.size == 0 || s.size % part->groups != 0)
        return i;
    return i + (s.at % (s.size / part->groups) - s.at) * s.stride;
}

/* --- Remainders of tiles ------------------------------------------------------------------------- */

static bool is_in_tail(const struct qd_part *part, struct spot s)
{
    return s.size > part->n && s.at >= s.size - s.size % part->n;
}

static int64_t a_tile_before(const struct qd_part *part, struct spot s, int64_t i)
{
    return is_in_tail(part, s) ? i - part->n * s.stride : i;
}

INDEX_RULE(tail_last)
{
    return a_tile_before(part, on_last(part, i), i);
}

INDEX_RULE(tail_channel)
{
    return a_tile_before(part, spot_on(part, 1, i), i);
}

INDEX_RULE(tail_flat)
{
    return a_tile_before(part, on_flat(part, i), i);
}

static int64_t nothing_if_short(const struct qd_part *part, struct spot s, int64_t code)
{
    return s.size > 0 && s.size < part->n ? part->nothing : code;
}

CODE_RULE(short_last)
{
    return nothing_if_short(part, on_last(part, i), code);
}

CODE_RULE(short_channel)
{
    return nothing_if_short(part, spot_on(part, 1, i), code);
}

CODE_RULE(short_flat)
{
    return nothing_if_short(part, on_flat(part, i), code);
}

static int64_t nothing_in_tail(const struct qd_part *part, struct spot s, int64_t code)
{
    return is_in_tail(part, s) ? part->nothing : code;
}

CODE_RULE(zero_tail_last)
{
    return nothing_in_tail(part, on_last(part, i), code);
}

CODE_RULE(zero_tail_before_last)
{
    return nothing_in_tail(part, spot_on(part, (int64_t)part->tensor->rank - 2, i), code);
}

CODE_RULE(zero_tail_channel)
{
    return nothing_in_tail(part, spot_on(part, 1, i), code);
}

CODE_RULE(zero_tail_flat)
{
    return nothing_in_tail(part, on_flat(part, i), code);
}

/* --- Code for code ------------------------------------------------------------------------------- */

static const struct qd_dtype_info *type_of(const struct qd_part *part)
{
    return qd_dtype_info(part->tensor->dtype);
}

static bool is_float(const struct qd_part *part)
{
    return type_of(part)->kind == QD_CLASS_FLOAT;
}

static bool is_integer(const struct qd_part *part)
{
    return !is_float(part) && part->tensor->dtype != QD_BOOL;
}

static int64_t code_of(const struct qd_part *part, double x)
{
    enum qd_dtype dtype = part->tensor->dtype;
    return (int64_t)qd_float_encode(dtype, qd_float_round(dtype, QD_NEAREST_EVEN, x), true);
}

CODE_RULE(zero)
{
    (void)i, (void)code;
    return is_float(part) ? code_of(part, 0) : 0;
}

CODE_RULE(one)
{
    (void)i, (void)code;
    return is_float(part) ? code_of(part, 1) : 1;
}

static int64_t within(const struct qd_part *part, int64_t code)
{
    const struct qd_dtype_info *info = type_of(part);
    return code < info->min ? info->min : code > info->max ? info->max : code;
}

CODE_RULE(plus_one)
{
    if (is_float(part))
        return code_of(part, qd_tensor_value(part->tensor, i) + 1);
    return code == INT64_MAX ? code : within(part, code + 1);
}

CODE_RULE(minus_one)
{
    if (is_float(part))
        return code_of(part, qd_tensor_value(part->tensor, i) - 1);
    return code == INT64_MIN ? code : within(part, code - 1);
}

CODE_RULE(negative_from_first_rank)
{
    (void)i;
    return is_integer(part) && code < 0 ? code + 1 : code;
}

CODE_RULE(negative_as_zero)
{
    if (is_float(part))
        return qd_tensor_value(part->tensor, i) < 0 ? code_of(part, 0) : code;
    return code < 0 ? 0 : code;
}

CODE_RULE(sign_dropped)
{
    if (!is_float(part))
        return code < 0 && code != INT64_MIN ? within(part, -code) : code;
    double x = qd_tensor_value(part->tensor, i);
    return x < 0 ? code_of(part, -x) : code;
}

CODE_RULE(top_bit)
{
    (void)i;
    const struct qd_dtype_info *info = type_of(part);
    if (!is_integer(part) || info->bits > 32)
        return code;
    int64_t half = (int64_t)1 << (info->bits - 1);
    return code >= info->min + half ? code - half : code + half;
}

/* The low n bits, with the sign that they have then. */
CODE_RULE(low_bits)
{
    (void)i;
    const struct qd_dtype_info *info = type_of(part);
    if (!is_integer(part) || (int64_t)info->bits <= part->n)
        return code;
    int64_t low = code & (((int64_t)1 << part->n) - 1), top = (int64_t)1 << (part->n - 1);
    return info->min < 0 && (low & top) != 0 ? low - 2 * top : low;
}

CODE_RULE(half_range)
{
    (void)i;
    const struct qd_dtype_info *info = type_of(part);
    if (!is_integer(part))
        return code;
    int64_t least = info->min / 2, most = info->max / 2;
    return code < least ? least : code > most ? most : code;
}

CODE_RULE(both_ranges)
{
    (void)i;
    const struct qd_dtype_info *info = type_of(part);
    const struct qd_dtype_info *other = qd_dtype_info(qd_other_sign(part->tensor->dtype));
    if (!is_integer(part) || other->bits == 0)
        return code;
    int64_t most = info->max < other->max ? info->max : other->max;
    return code < 0 ? 0 : code > most ? most : code;
}

static int64_t through(const struct qd_part *part, enum qd_dtype narrow, int64_t i, int64_t code)
{
    double x = is_float(part) ? qd_tensor_value(part->tensor, i) : 0;
    if (!is_float(part) || !isfinite(x))
        return code;
    return code_of(part, qd_float_round(narrow, QD_NEAREST_EVEN, x));
}

CODE_RULE(through_f16)
{
    return through(part, QD_F16, i, code);
}

CODE_RULE(through_bf16)
{
    return through(part, QD_BF16, i, code);
}

CODE_RULE(through_integer)
{
    double x = is_float(part) ? qd_tensor_value(part->tensor, i) : 0;
    return is_float(part) && isfinite(x) ? code_of(part, trunc(x)) : code;
}

void qd_rule_other_sign(struct qd_confusion *confusion)
{
    const struct qd_contract_mutant *mutant = confusion->mutant;
    const struct qd_value *codes = operand(confusion, mutant->place);
    if (!codes || qd_other_sign(codes->want.dtype) == QD_DTYPE_NONE)
        return;
    enum qd_dtype other = qd_other_sign(codes->want.dtype);
    int zero_point = qd_op_parameter(mutant->op, mutant->place, QD_ROLE_ZERO_POINT);
    qd_edit_reinterpret(&confusion->edit, mutant->place, other);
    if (zero_point >= 0 && operand(confusion, zero_point))
        qd_edit_reinterpret(&confusion->edit, zero_point, other);
    confusion->changed = true;
}
