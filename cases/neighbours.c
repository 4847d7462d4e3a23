/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/neighbours.h"

#include <math.h>

#include "qdiff/case_edit.h"
#include "qdiff/random.h"

/* What changes. The plan is the number modulo PLAN_COUNT, so that a few neighbours in a row see all of them. */
enum plan {
    NEAR,
    ANYWHERE,
    ENDS,
    OTHER_ZERO_POINTS,
    TIES,
    NUDGED_SCALES, /* and nothing else: what was a tie is next to one */
    OTHER_SCALES,
    EVERYTHING,
    SMALL_SCALES, /* sums leave the range of their codes */
    PLAN_COUNT
};

struct painter {
    struct qd_case_edit edit;
    enum plan plan;
    struct qd_random random;
    /* Before and after: what float data are made multiples of halves of. Both NULL: there are none. */
    const struct qd_tensor *old_scales, *scales;
    bool failed; /* out of memory */
};

static bool chance(struct painter *p, int64_t one_in)
{
    return qd_random_range(&p->random, 1, one_in) == 1;
}

/* --- Integer codes ---------------------------------------------------------------------------- */

static int64_t clamp(int64_t x, int64_t min, int64_t max)
{
    return x < min ? min : x > max ? max : x;
}

static int64_t other_code(struct painter *p, const struct qd_dtype_info *info, int64_t old)
{
    int64_t ends[] = {info->min, info->min + 1, info->max - 1, info->max, old};
    switch (p->plan) {
    case NEAR: return clamp(old + qd_random_range(&p->random, -2, 2), info->min, info->max);
    case ENDS: return QD_RANDOM_PICK(&p->random, ends);
    default: return qd_random_range(&p->random, info->min, info->max);
    }
}

static bool is_code(enum qd_dtype dtype)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    return qd_dtype_is_integer(dtype) && dtype != QD_BOOL && info->bits <= 16;
}

/* A bias, or an int32 tensor that is dequantized: about as large as it was. */
static int64_t other_sum(struct painter *p, int64_t old)
{
    int64_t size = old < 0 ? -old : old;
    int64_t span = clamp(size + size / 4 + 8, 8, INT32_MAX / 2);
    int64_t near = old + qd_random_range(&p->random, -9, 9);
    int64_t drawn = p->plan == NEAR ? near : qd_random_range(&p->random, -span, span);
    return clamp(drawn, INT32_MIN, INT32_MAX);
}

/* --- Floats ----------------------------------------------------------------------------------- */

static double greatest(const struct qd_tensor *tensor)
{
    double most = 0;
    for (int64_t i = 0; i < tensor->count; i++) {
        double x = fabs(qd_tensor_value(tensor, i));
        if (isfinite(x) && x > most)
            most = x;
    }
    return most;
}

/* Halves of the step lie on rounding edges; the rest anywhere within a quarter more than the old range. */
static double other_float(struct painter *p, double old, double most, double step)
{
    double whole = (double)qd_random_range(&p->random, -300, 300);
    if (p->plan == NEAR && isfinite(old))
        return old + step * (double)qd_random_range(&p->random, -4, 4) / 2;
    if (!chance(p, 3))
        return step * (whole + 0.5 * (double)qd_random_range(&p->random, 0, 1));
    return most * 1.25 * (double)qd_random_range(&p->random, -1000000, 1000000) / 1e6;
}

static bool is_step(double scale)
{
    return isfinite(scale) && scale > 0;
}

/* The scale of element i of so many, or the old one, as blocks in a row have theirs: of other axes some scale of the
 * case. */
static double step_of(struct painter *p, int64_t i, int64_t count)
{
    if (!p->scales)
        return 1;
    const struct qd_tensor *scales = chance(p, 2) ? p->scales : p->old_scales;
    int64_t each = (count + scales->count - 1) / scales->count;
    double scale = qd_tensor_value(scales, i / each);
    return is_step(scale) ? scale : 1;
}

static void set_float(struct qd_tensor *tensor, int64_t i, double x)
{
    double rounded = qd_float_round(tensor->dtype, QD_NEAREST_EVEN, x);
    qd_tensor_set(tensor, i, (int64_t)qd_float_encode(tensor->dtype, rounded, true));
}

/* --- Tensors ---------------------------------------------------------------------------------- */

static void paint_data(struct painter *p, struct qd_tensor *tensor, enum qd_role role)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    double most = qd_dtype_is_float(tensor->dtype) ? greatest(tensor) : 0;
    for (int64_t i = 0; i < tensor->count; i++) {
        if (is_code(tensor->dtype))
            qd_tensor_set(tensor, i, other_code(p, info, qd_tensor_get(tensor, i)));
        else if (qd_dtype_is_float(tensor->dtype))
            set_float(
                tensor, i,
                other_float(p, qd_tensor_value(tensor, i), most, step_of(p, i, tensor->count)));
        else if (role == QD_ROLE_BIAS && tensor->dtype == QD_S32)
            qd_tensor_set(tensor, i, other_sum(p, qd_tensor_get(tensor, i)));
    }
}

static void paint_zero_points(struct painter *p, struct qd_tensor *tensor)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    int64_t middle = info->min + (info->max - info->min + 1) / 2;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t choices[] = {info->min, info->max, middle, middle + 1,
                             qd_random_range(&p->random, info->min, info->max)};
        qd_tensor_set(tensor, i, QD_RANDOM_PICK(&p->random, choices));
    }
}

/* Of the old size, so that outputs stay inside their range, but for one plan: a power of two, a unit in the last place
 * of a float32 more or less, or up to twice as much. */
static double other_scale(struct painter *p, double old)
{
    double power = exp2(floor(log2(old)) + (double)qd_random_range(&p->random, 0, 1));
    double other = old * (1 + (double)qd_random_range(&p->random, 0, 1000) / 1000);
    if (p->plan == SMALL_SCALES)
        return old * exp2((double)qd_random_range(&p->random, -6, 0));
    if (p->plan == NUDGED_SCALES)
        return old * (1 + 0x1p-23 * (double)qd_random_range(&p->random, -1, 1));
    return p->plan == TIES ? power : other;
}

static void paint_scales(struct painter *p, struct qd_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++) {
        double old = qd_tensor_value(tensor, i);
        if (!isfinite(old) || old <= 0)
            continue;
        double scale = other_scale(p, old);
        if (isfinite(qd_float_round(tensor->dtype, QD_NEAREST_EVEN, scale)) &&
            qd_float_round(tensor->dtype, QD_NEAREST_EVEN, scale) > 0)
            set_float(tensor, i, scale);
    }
}

static bool changes(const struct painter *p, const struct qd_tensor *tensor, enum qd_role role)
{
    switch (role) {
    case QD_ROLE_SCALE:
        return qd_dtype_is_float(tensor->dtype) && tensor->dtype != QD_F8E8M0 &&
               (p->plan == TIES || p->plan == NUDGED_SCALES || p->plan == OTHER_SCALES ||
                p->plan == EVERYTHING || p->plan == SMALL_SCALES);
    case QD_ROLE_ZERO_POINT:
        return is_code(tensor->dtype) &&
               (p->plan == OTHER_ZERO_POINTS || p->plan == TIES || p->plan == EVERYTHING);
    default: return p->plan != NUDGED_SCALES;
    }
}

static void paint(struct painter *p, struct qd_case_edit_value *value, enum qd_role role)
{
    bool scalar = value->tensor->count == 1 && !value->is_input;
    bool parameter = role == QD_ROLE_SCALE || role == QD_ROLE_ZERO_POINT;
    if (role == QD_ROLE_CONTROL || (scalar && !parameter) || !changes(p, value->tensor, role))
        return;
    struct qd_tensor *copy = qd_case_edit_copy_tensor(&p->edit, value->tensor);
    p->failed = p->failed || !copy;
    if (!copy)
        return;
    if (role == QD_ROLE_SCALE)
        paint_scales(p, copy);
    else if (role == QD_ROLE_ZERO_POINT)
        paint_zero_points(p, copy);
    else
        paint_data(p, copy, role);
    value->tensor = copy;
}

/* The role under which a value is read first; an int32 tensor that is dequantized counts as a sum. */
static enum qd_role role_of(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_case_edit_node *node = &edit->nodes[i];
        const struct qd_op *op = qd_op_find(node->domain, node->op_type);
        for (size_t j = 0; j < node->input_count; j++)
            if (node->inputs[j] == value)
                return j == 0 && qd_op_operand(op, QD_ROLE_SCALE) > 0 ? QD_ROLE_BIAS
                                                                      : qd_op_role(op, j);
    }
    return QD_ROLE_DATA;
}

/* The first scale of the graph that is a number above 0; NULL if there is none. */
static const struct qd_tensor *find_scales(const struct qd_case_edit *edit)
{
    for (size_t i = 0; i < edit->value_count; i++) {
        const struct qd_tensor *tensor = edit->values[i].tensor;
        if (tensor && tensor->count > 0 && role_of(edit, (int)i) == QD_ROLE_SCALE &&
            is_step(qd_tensor_value(tensor, 0)))
            return tensor;
    }
    return NULL;
}

/* The scales, or all the rest: data lie on edges of the scales that they get. */
static void paint_all(struct painter *p, bool scales)
{
    for (size_t i = 0; i < p->edit.value_count; i++) {
        enum qd_role role = role_of(&p->edit, (int)i);
        if (p->edit.values[i].tensor && (role == QD_ROLE_SCALE) == scales)
            paint(p, &p->edit.values[i], role);
    }
}

enum qd_status qd_neighbour(const struct qd_case *kase, uint64_t number, struct qd_arena *arena,
                            struct qd_case *neighbour, struct qd_error *error)
{
    struct painter p = {.plan = (enum plan)(number % PLAN_COUNT),
                        .random = qd_random_seed(kase->id, number)};
    enum qd_status status = qd_case_edit_begin(kase, arena, &p.edit, error);
    if (status != QD_OK)
        return status;
    p.edit.infers = true;
    p.edit.metadata.step_count = 0; /* their inputs would not fit */
    p.old_scales = find_scales(&p.edit);
    paint_all(&p, true);
    p.scales = find_scales(&p.edit);
    paint_all(&p, false);
    const char *id = qd_arena_printf(arena, "%s~%llu", kase->id, (unsigned long long)number);
    if (p.failed || !id)
        return qd_fail(error, QD_NO_MEMORY, "no room for a neighbour of '%.80s'", kase->id);
    return qd_case_edit_finish(&p.edit, id, false, neighbour, error);
}
