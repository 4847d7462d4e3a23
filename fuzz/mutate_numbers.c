/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mutate_parts.h"
#include "qdiff/mutate_case.h"

/* How codes are drawn. */
enum code_plan { KEEP, NEAR_OLD, NEAR_ZERO_POINT, ANYWHERE, ENDS, SPARSE, SOME_LARGE, CODE_PLANS };

/* Where the output's real numbers are put by choosing its scale. */
enum aim {
    AIM_FIT,    /* the greatest one inside the type's range */
    AIM_TIE,    /* one of them at k + 1/2, or as near as the scale's type allows */
    AIM_BESIDE, /* one of them a step, or a few, beside k + 1/2 */
    AIM_SATURATE,
    AIM_BEYOND, /* beyond int32 */
    AIMS
};

struct painter {
    struct qd_case_edit *edit;
    struct qd_random *random;
    enum qd_numbers numbers;
    enum code_plan codes;
    bool simple_scales; /* powers of two: sums of products become ties */
    bool keep_scales, keep_zero_points;
    bool failed;
};

static int64_t draw(struct painter *p, int64_t min, int64_t max)
{
    return qd_random_range(p->random, min, max);
}

static bool one_in(struct painter *p, int64_t n)
{
    return draw(p, 1, n) == 1;
}

static int64_t clamp(int64_t x, int64_t min, int64_t max)
{
    return x < min ? min : x > max ? max : x;
}

static bool is_code(enum qd_dtype dtype)
{
    return qd_dtype_is_integer(dtype) && dtype != QD_BOOL && qd_dtype_info(dtype)->bits <= 16;
}

static void set_float(struct qd_tensor *tensor, int64_t i, double x)
{
    double rounded = qd_float_round(tensor->dtype, QD_NEAREST_EVEN, x);
    qd_tensor_set(tensor, i, (int64_t)qd_float_encode(tensor->dtype, rounded, true));
}

/* --- Roles ------------------------------------------------------------------------------------ */

struct use {
    const struct qd_case_edit_node *node; /* NULL: nobody reads it */
    size_t input;
    enum qd_role role;
};

/* How a value is read first. An int32 tensor that is dequantized counts as a sum. */
static struct use use_of(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_case_edit_node *node = &edit->nodes[i];
        for (size_t j = 0; j < node->input_count; j++)
            if (node->inputs[j] == value)
                return (struct use){node, j,
                                    qd_op_role(qd_op_find(node->domain, node->op_type), j)};
    }
    return (struct use){.role = QD_ROLE_DATA};
}

/* The first element of the zero point that belongs to operand `input`: the next operand that is one. */
static int64_t zero_point_of(const struct qd_case_edit *edit, const struct use *use)
{
    if (!use->node)
        return 0;
    const struct qd_op *op = qd_op_find(use->node->domain, use->node->op_type);
    for (size_t j = use->input + 1; j < use->node->input_count; j++) {
        int value = use->node->inputs[j];
        if (qd_op_role(op, j) != QD_ROLE_ZERO_POINT || value == QD_NO_VALUE)
            continue;
        const struct qd_tensor *tensor = edit->values[value].tensor;
        return tensor && tensor->count > 0 && is_code(tensor->dtype) ? qd_tensor_get(tensor, 0) : 0;
    }
    return 0;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

static int64_t other_code(struct painter *p, const struct qd_dtype_info *info, int64_t old,
                          int64_t zero_point)
{
    int64_t ends[] = {info->min, info->min + 1, info->max - 1, info->max};
    int64_t far = zero_point - info->min > info->max - zero_point ? info->min : info->max;
    int64_t span = 1 + (info->max - info->min) / 32;
    switch (p->codes) {
    case NEAR_OLD: return clamp(old + draw(p, -2, 2), info->min, info->max);
    case NEAR_ZERO_POINT: return clamp(zero_point + draw(p, -span, span), info->min, info->max);
    case ENDS: return QD_RANDOM_PICK(p->random, ends);
    case SPARSE: return one_in(p, 4) ? draw(p, info->min, info->max) : zero_point;
    case SOME_LARGE: /* so few small ones that 271 products pass 2^24 */
        return one_in(p, 32) ? clamp(zero_point + draw(p, -3, 3), info->min, info->max) : far;
    default: return draw(p, info->min, info->max);
    }
}

/* A bias, or an int32 tensor that is quantized or dequantized. */
static int64_t other_sum(struct painter *p, int64_t old)
{
    int64_t sizes[] = {0, 8, 300, 5000, 70000, (int64_t)1 << 24};
    int64_t span = QD_RANDOM_PICK(p->random, sizes);
    if (p->numbers == QD_NUMBERS_UNIFORM)
        return draw(p, INT32_MIN, INT32_MAX);
    if (p->codes == NEAR_OLD)
        return clamp(old + draw(p, -9, 9), INT32_MIN, INT32_MAX);
    return draw(p, -span, span);
}

static double other_float(struct painter *p, double old)
{
    double sizes[] = {1, 4, 200, 70000}, ends[] = {-INFINITY, -INFINITY, 0, INFINITY};
    double size = QD_RANDOM_PICK(p->random, sizes);
    if (p->numbers == QD_NUMBERS_UNIFORM)
        return (double)draw(p, -1000000, 1000000) / 1e4;
    if (p->codes == ENDS)
        return QD_RANDOM_PICK(p->random, ends);
    if (p->codes == NEAR_OLD && isfinite(old))
        return old * (1 + (double)draw(p, -4, 4) / 8);
    if (one_in(p, 3))
        return size * (double)draw(p, -1000000, 1000000) / 1e6;
    return (double)draw(p, -300, 300) / 2;
}

static void draw_data(struct painter *p, struct qd_tensor *tensor, const struct use *use)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    int64_t zero_point = clamp(zero_point_of(p->edit, use), info->min, info->max);
    bool sum = tensor->dtype == QD_S32 && use->node &&
               (use->role == QD_ROLE_BIAS || strstr(use->node->op_type, "uantizeLinear"));
    for (int64_t i = 0; i < tensor->count; i++) {
        if (is_code(tensor->dtype))
            qd_tensor_set(tensor, i, other_code(p, info, qd_tensor_get(tensor, i), zero_point));
        else if (qd_dtype_is_float(tensor->dtype))
            set_float(tensor, i, other_float(p, qd_tensor_value(tensor, i)));
        else if (sum)
            qd_tensor_set(tensor, i, other_sum(p, qd_tensor_get(tensor, i)));
    }
}

static void draw_zero_points(struct painter *p, struct qd_tensor *tensor)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    int64_t middle = info->min + (info->max - info->min + 1) / 2;
    int64_t same[] = {info->min, info->max, middle, middle + 1, draw(p, info->min, info->max)};
    int64_t first = QD_RANDOM_PICK(p->random, same);
    bool distinct = p->numbers == QD_NUMBERS_UNIFORM || !one_in(p, 3);
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t other[] = {draw(p, info->min, info->max), draw(p, info->min, info->max), info->min,
                           info->max};
        int64_t next =
            p->numbers == QD_NUMBERS_UNIFORM ? other[0] : QD_RANDOM_PICK(p->random, other);
        qd_tensor_set(tensor, i,
                      distinct && (i > 0 || p->numbers == QD_NUMBERS_UNIFORM) ? next : first);
    }
}

/* Positive. */
static double other_scale(struct painter *p, double old)
{
    if (p->numbers == QD_NUMBERS_UNIFORM)
        return (double)draw(p, 1, 1 << 24) / (1 << 24);
    old = fabs(old);
    if (!isfinite(old) || old == 0 || one_in(p, 16))
        old = exp2((double)draw(p, -8, 4));
    if (p->simple_scales)
        return exp2(floor(log2(old)) + (double)draw(p, -1, 1));
    return old * (1 + (double)draw(p, 0, 1 << 20) / (1 << 20));
}

static void draw_scales(struct painter *p, struct qd_tensor *tensor)
{
    /* No text forbids them, and some optimizers forget them. */
    bool negative = p->numbers == QD_NUMBERS_SOLVED && one_in(p, 24);
    for (int64_t i = 0; i < tensor->count; i++) {
        double scale = other_scale(p, qd_tensor_value(tensor, i));
        double rounded = qd_float_round(tensor->dtype, QD_NEAREST_EVEN, scale);
        if (isfinite(rounded) && rounded > 0)
            set_float(tensor, i, negative ? -scale : scale);
    }
}

static bool keeps(const struct painter *p, const struct qd_case_edit_value *value,
                  const struct use *use)
{
    bool constant = value->tensor->count == 1 && !value->is_input;
    switch (use->role) {
    case QD_ROLE_SCALE: return p->keep_scales || !qd_dtype_is_float(value->tensor->dtype);
    case QD_ROLE_ZERO_POINT: return p->keep_zero_points || !is_code(value->tensor->dtype);
    /* A constant scalar that is no parameter is a bound or an index. */
    default: return p->codes == KEEP || (constant && !qd_dtype_is_float(value->tensor->dtype));
    }
}

static void draw_value(struct painter *p, int v, enum qd_role role)
{
    struct qd_case_edit_value *value = &p->edit->values[v];
    struct use use = use_of(p->edit, v);
    if (!value->tensor || value->tensor->count == 0 || keeps(p, value, &use))
        return;
    bool data = use.role != QD_ROLE_SCALE && use.role != QD_ROLE_ZERO_POINT;
    if (data ? role != QD_ROLE_DATA : role != use.role)
        return;
    struct qd_tensor *copy = qd_case_edit_copy_tensor(p->edit, value->tensor);
    p->failed = p->failed || !copy;
    if (!copy)
        return;
    if (role == QD_ROLE_SCALE)
        draw_scales(p, copy);
    else if (role == QD_ROLE_ZERO_POINT)
        draw_zero_points(p, copy);
    else
        draw_data(p, copy, &use);
    value->tensor = copy;
}

/* Zero points first: data are drawn around them. */
static void draw_all(struct painter *p)
{
    static const enum qd_role order[] = {QD_ROLE_ZERO_POINT, QD_ROLE_SCALE, QD_ROLE_DATA};
    for (size_t r = 0; r < sizeof order / sizeof *order; r++)
        for (size_t v = 0; v < p->edit->value_count; v++)
            draw_value(p, (int)v, order[r]);
}

/* --- Solving ---------------------------------------------------------------------------------- */

static double greatest(const struct qd_value *value)
{
    double most = 0;
    for (int64_t i = 0; i < value->want.count; i++)
        if (isfinite(value->real[i]) && fabs(value->real[i]) > most)
            most = fabs(value->real[i]);
    return most;
}

/* A real number that is not 0, from a few tries; 0 if none was found. */
static double some_real(struct painter *p, const struct qd_value *value)
{
    for (int attempt = 0; attempt < 8; attempt++) {
        double real = value->real[draw(p, 0, value->want.count - 1)];
        if (isfinite(real) && real != 0)
            return fabs(real);
    }
    return 0;
}

/* The power of two that takes the real number r = odd·2^e to odd/2, so that it and many others are ties; 1 if that is
 * too large for a code. */
static double halving(double r, double range)
{
    int exponent;
    double odd = frexp(r, &exponent);
    while (odd != floor(odd)) {
        odd *= 2;
        exponent--;
    }
    return odd / 2 <= range ? exp2(exponent + 1) : 1;
}

/* A factor one step, a few, or a 2^-11th beside 1. */
static double beside(struct painter *p)
{
    double steps[] = {0x1p-23, 0x1p-23, 0x1p-22, 0x1p-20, 0x1p-16, 0x1p-12, 0x1p-10};
    double step = QD_RANDOM_PICK(p->random, steps);
    return one_in(p, 2) ? 1 + step : 1 - step / 2;
}

/* By what the output's scale has to be multiplied. */
static double solve_scale(struct painter *p, enum aim aim, const struct qd_value *value)
{
    const struct qd_dtype_info *info = qd_dtype_info(value->want.dtype);
    double range = (double)(info->max - info->min), most = greatest(value);
    double some = some_real(p, value), half = (double)draw(p, 0, (int64_t)range / 2) + 0.5;
    if (most == 0 || some == 0)
        return 1;
    double fit = exp2(ceil(log2(2 * most / range)));
    switch (aim) {
    case AIM_FIT: return p->simple_scales ? fit : most / (range / 2);
    case AIM_TIE: return p->simple_scales ? halving(some, range) : some / half;
    case AIM_BESIDE: return some / half * beside(p);
    case AIM_SATURATE: return fit / (double)draw(p, 2, 8);
    default: return most / exp2((double)draw(p, 31, 34));
    }
}

static void scale_by(struct painter *p, int v, double factor)
{
    struct qd_case_edit_value *value = &p->edit->values[v];
    struct qd_tensor *copy = qd_case_edit_copy_tensor(p->edit, value->tensor);
    p->failed = p->failed || !copy;
    for (int64_t i = 0; copy && i < copy->count; i++) {
        double scale =
            qd_float_round(copy->dtype, QD_NEAREST_EVEN, qd_tensor_value(copy, i) * factor);
        if (isfinite(scale) && scale != 0)
            set_float(copy, i, scale);
    }
    if (copy)
        value->tensor = copy;
}

/* A float operand with as many elements as the codes made of it: each moved to a rounding edge, one step beside it, or
 * the type's end. */
static void move_floats(struct painter *p, int v, const struct qd_value *value)
{
    struct qd_case_edit_value *moved = &p->edit->values[v];
    const struct qd_dtype_info *info = qd_dtype_info(value->want.dtype);
    struct qd_tensor *copy = qd_case_edit_copy_tensor(p->edit, moved->tensor);
    p->failed = p->failed || !copy;
    for (int64_t i = 0; copy && i < copy->count; i++) {
        double x = qd_tensor_value(copy, i), real = value->real[i];
        double span = (double)(info->max - info->min + 2);
        double half = (double)draw(p, -(int64_t)span, (int64_t)span) + 0.5;
        if (one_in(p, 4) || !isfinite(real) || real == 0 || !isfinite(x))
            continue;
        if (one_in(p, 16))
            half *= exp2((double)draw(p, 8, 34));
        set_float(copy, i, x / real * half * (one_in(p, 2) ? 1 : beside(p)));
    }
    if (copy)
        moved->tensor = copy;
}

/* Solves one output: by the floats that it is made of, or by its scale. */
static void solve_output(struct painter *p, enum aim aim, int output, const struct qd_value *value)
{
    const struct qd_case_edit_node *node = qd_case_edit_producer(p->edit, output);
    if (!node || !value->real || value->want.count == 0)
        return;
    int scale = qd_output_parameter(node, QD_ROLE_SCALE);
    int data = node->input_count > 0 ? node->inputs[0] : QD_NO_VALUE;
    const struct qd_tensor *x = data == QD_NO_VALUE ? NULL : p->edit->values[data].tensor;
    if (x && qd_dtype_is_float(x->dtype) && x->count == value->want.count && !one_in(p, 4))
        move_floats(p, data, value);
    else if (scale != QD_NO_VALUE && p->edit->values[scale].tensor &&
             qd_dtype_is_float(p->edit->values[scale].tensor->dtype))
        scale_by(p, scale, solve_scale(p, aim, value));
}

static enum aim choose_aim(struct painter *p)
{
    static const enum aim likely[] = {AIM_FIT,    AIM_FIT,      AIM_TIE,      AIM_TIE,
                                      AIM_BESIDE, AIM_SATURATE, AIM_SATURATE, AIM_BEYOND};
    return QD_RANDOM_PICK(p->random, likely);
}

static enum qd_status solve(struct painter *p, struct qd_error *error)
{
    struct qd_case kase;
    struct qd_value outputs[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error ignored;
    enum aim aim = choose_aim(p);
    enum qd_status status = qd_case_edit_finish(p->edit, "solve", false, &kase, error);
    if (status != QD_OK)
        return status;
    if (qd_graph_evaluate_within(QD_FUZZ_WORK, true, kase.graph, kase.inputs, NULL, p->edit->arena,
                                 outputs, &ignored) != QD_OK)
        return QD_OK;
    for (size_t i = 0; i < p->edit->output_count; i++)
        solve_output(p, aim, p->edit->outputs[i], &outputs[i]);
    return QD_OK;
}

/* A tensor so long that its sums may leave int32: its numbers were made for that, and others hardly ever do. */
static bool is_long(const struct qd_case_edit *edit)
{
    for (size_t v = 0; v < edit->value_count; v++)
        if (edit->values[v].tensor && edit->values[v].tensor->count >= 1 << 15)
            return true;
    return false;
}

enum qd_status qd_mutate_numbers(enum qd_numbers numbers, struct qd_case_edit *edit,
                                 struct qd_random *random, struct qd_error *error)
{
    static const enum code_plan likely[] = {
        KEEP,     NEAR_OLD, NEAR_ZERO_POINT, NEAR_ZERO_POINT, ANYWHERE,
        ANYWHERE, ENDS,     SPARSE,          SOME_LARGE};
    struct painter p = {.edit = edit, .random = random, .numbers = numbers, .codes = ANYWHERE};
    if (numbers == QD_NUMBERS_SOLVED) {
        p.codes = QD_RANDOM_PICK(random, likely);
        if (is_long(edit) && one_in(&p, 2))
            p.codes = KEEP;
        p.simple_scales = one_in(&p, 2);
        p.keep_scales = one_in(&p, 4);
        /* Codes that were made for their zero points keep them, mostly. */
        p.keep_zero_points = p.codes == KEEP ? !one_in(&p, 4) : one_in(&p, 4);
    }
    draw_all(&p);
    enum qd_status status = numbers == QD_NUMBERS_SOLVED ? solve(&p, error) : QD_OK;
    return p.failed ? qd_fail(error, QD_NO_MEMORY, "no room for other numbers") : status;
}
