/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/value.h"

#include <math.h>
#include <string.h>

#include "number/float_bits.h"

enum qd_status qd_value_init(struct qd_value *value, struct qd_arena *arena, enum qd_dtype dtype,
                             unsigned rank, const int64_t *dims, struct qd_error *error)
{
    struct qd_value made = {.lo = NULL};
    enum qd_status status = qd_tensor_init(&made.want, arena, dtype, rank, dims, error);
    if (status == QD_OK)
        *value = made;
    return status;
}

struct qd_value qd_value_of_tensor(const struct qd_tensor *tensor)
{
    return (struct qd_value){.want = *tensor};
}

static unsigned steps_of(const struct qd_fusion *fusion)
{
    return fusion->steps + (fusion->averaged ? 2 : 0);
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

void qd_fusion_multiply(struct qd_fusion *fusion, const struct qd_fusion *operand)
{
    unsigned scales = larger(fusion->scales, 1) + larger(operand->scales, 1);
    unsigned steps = steps_of(fusion) + steps_of(operand);
    qd_fusion_join(fusion, operand);
    fusion->scales = scales;
    fusion->steps = steps;
}

void qd_fusion_add(struct qd_fusion *fusion, const struct qd_fusion *operand)
{
    qd_fusion_join(fusion, operand);
    fusion->steps++;
}

unsigned qd_fusion_roundings(const struct qd_fusion *fusion, bool rough)
{
    unsigned roundings = fusion->scales + 1 + steps_of(fusion) + (rough ? 1 : 0);
    return roundings < QD_MOST_ROUNDINGS ? roundings : QD_MOST_ROUNDINGS;
}

static bool is_rough(const struct qd_fusion *fusion)
{
    return fusion->rough_scales || fusion->averaged || fusion->factored;
}

void qd_fusion_join(struct qd_fusion *fusion, const struct qd_fusion *operand)
{
    fusion->scales = larger(fusion->scales, operand->scales);
    fusion->steps = larger(steps_of(fusion), steps_of(operand));
    fusion->rough_scales = is_rough(fusion) || is_rough(operand);
    fusion->averaged = fusion->factored = false;
    fusion->dequantized = fusion->dequantized || operand->dequantized;
    fusion->negative_scales = fusion->negative_scales || operand->negative_scales;
    fusion->sum_terms += operand->sum_terms;
    if (operand->sum_quantum < fusion->sum_quantum)
        fusion->sum_quantum = operand->sum_quantum;
}

enum qd_status qd_value_need_exact(struct qd_value *value, struct qd_arena *arena,
                                   struct qd_error *error)
{
    if (value->exact)
        return QD_OK;
    struct qd_interval *exact = qd_arena_array(arena, (size_t)value->want.count, sizeof *exact);
    if (!exact)
        return qd_fail(error, QD_NO_MEMORY, "no room for the exact numbers of %lld elements",
                       (long long)value->want.count);
    for (int64_t i = 0; i < value->want.count; i++)
        exact[i] = qd_value_exact(value, i);
    value->exact = exact;
    return QD_OK;
}

enum qd_status qd_value_need_hull(struct qd_value *value, struct qd_arena *arena,
                                  struct qd_error *error)
{
    if (value->lo)
        return QD_OK;
    size_t count = (size_t)value->want.count;
    double *lo = qd_arena_array(arena, count, sizeof *lo);
    double *hi = qd_arena_array(arena, count, sizeof *hi);
    if (!lo || !hi)
        return qd_fail(error, QD_NO_MEMORY, "no room for the hull of %zu elements", count);
    for (size_t i = 0; i < count; i++)
        lo[i] = hi[i] = qd_tensor_value(&value->want, (int64_t)i);
    value->lo = lo;
    value->hi = hi;
    return QD_OK;
}

enum qd_status qd_value_need_abs_sum(struct qd_value *value, struct qd_arena *arena,
                                     struct qd_error *error)
{
    if (value->abs_sum)
        return QD_OK;
    double *abs_sum = qd_arena_array(arena, (size_t)value->want.count, sizeof *abs_sum);
    if (!abs_sum)
        return qd_fail(error, QD_NO_MEMORY, "no room for the sums of %lld elements",
                       (long long)value->want.count);
    for (int64_t i = 0; i < value->want.count; i++)
        abs_sum[i] = qd_value_abs_sum(value, i);
    value->abs_sum = abs_sum;
    return QD_OK;
}

enum qd_status qd_value_need_flags(struct qd_value *value, struct qd_arena *arena,
                                   struct qd_error *error)
{
    if (value->flags)
        return QD_OK;
    uint8_t *flags = qd_arena_alloc(arena, (size_t)value->want.count);
    if (!flags)
        return qd_fail(error, QD_NO_MEMORY, "no room for the flags of %lld elements",
                       (long long)value->want.count);
    value->flags = flags;
    return QD_OK;
}

static enum qd_status need_scales(const struct qd_value *value, float **scales,
                                  struct qd_arena *arena, struct qd_error *error)
{
    size_t count = (size_t)value->want.count;
    if (*scales)
        return QD_OK;
    *scales = qd_arena_array(arena, count, sizeof **scales);
    return *scales ? QD_OK
                   : qd_fail(error, QD_NO_MEMORY, "no room for the factors of %zu elements", count);
}

enum qd_status qd_value_need_factor(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error)
{
    return need_scales(value, &value->factor, arena, error);
}

enum qd_status qd_value_need_common(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error)
{
    return need_scales(value, &value->common, arena, error);
}

enum qd_status qd_value_need_points(struct qd_value *value, struct qd_arena *arena,
                                    struct qd_error *error)
{
    size_t count = (size_t)value->want.count;
    if (value->points)
        return QD_OK;
    struct qd_points *points = qd_arena_array(arena, count, sizeof *points);
    if (!points)
        return qd_fail(error, QD_NO_MEMORY, "no room for the points of %zu elements", count);
    memset(points, 0, count * sizeof *points);
    value->points = points;
    return QD_OK;
}

static bool contains(const struct qd_points *points, double x)
{
    for (unsigned k = 0; k < points->count; k++)
        if (points->at[k] == x || (isnan(x) && isnan(points->at[k])))
            return true;
    return false;
}

enum qd_status qd_value_set_plain(struct qd_value *value, int64_t i, struct qd_arena *arena,
                                  struct qd_error *error)
{
    if (!value->fusion.dequantized)
        return QD_OK;
    enum qd_status status = qd_value_need_flags(value, arena, error);
    if (status == QD_OK)
        value->flags[i] |= QD_PLAIN;
    return status;
}

enum qd_status qd_value_limit(struct qd_value *value, int64_t i, const double *points, size_t count,
                              struct qd_arena *arena, struct qd_error *error)
{
    struct qd_points set = {0};
    for (size_t k = 0; k < count; k++)
        if (!contains(&set, points[k]))
            set.at[set.count++] = points[k];
    double lo = qd_value_lo(value, i), hi = qd_value_hi(value, i);
    bool full = qd_dtype_is_integer(value->want.dtype) && set.count == hi - lo + 1;
    for (size_t k = 0; k < count; k++) /* of dropped orders some lie outside */
        full = full && lo <= points[k] && points[k] <= hi;
    struct qd_observation seen = qd_value_observe(value, i);
    if (full || (set.count == 1 && !(seen.lo < seen.hi)))
        return QD_OK;
    enum qd_status status = qd_value_need_points(value, arena, error);
    if (status == QD_OK)
        value->points[i] = set;
    return status;
}

enum qd_status qd_value_admit(struct qd_value *value, int64_t i, const double *points, size_t count,
                              struct qd_arena *arena, struct qd_error *error)
{
    struct qd_observation seen = qd_value_observe(value, i);
    struct qd_points set = {.besides = true};
    for (size_t k = 0; k < count; k++)
        if (!qd_observation_admits(&seen, points[k]) && !contains(&set, points[k]))
            set.at[set.count++] = points[k];
    if (set.count == 0)
        return QD_OK;
    enum qd_status status = qd_value_need_points(value, arena, error);
    if (status == QD_OK)
        value->points[i] = set;
    return status;
}

void qd_code_include(struct qd_code *code, int64_t c)
{
    code->lo = c < code->lo ? c : code->lo;
    code->hi = c > code->hi ? c : code->hi;
}

void qd_code_drop(struct qd_code *code, int64_t c)
{
    for (unsigned k = 0; k < code->dropped_count; k++)
        if (code->dropped[k] == c)
            return;
    if (code->dropped_count < QD_MAX_DROPPED && c >= INT32_MIN && c <= INT32_MAX)
        code->dropped[code->dropped_count++] = (int32_t)c;
}

static bool code_has_point(const struct qd_code *code, int64_t c)
{
    for (unsigned k = 0; k < code->point_count; k++)
        if (code->points[k] == c)
            return true;
    return false;
}

void qd_code_limit(struct qd_code *code, const int64_t *points, size_t count)
{
    bool fit = true;
    code->lo = code->hi = points[0];
    code->point_count = 0;
    for (size_t k = 0; k < count; k++) {
        qd_code_include(code, points[k]);
        if (code_has_point(code, points[k]))
            continue;
        fit = fit && code->point_count < QD_MAX_POINTS && points[k] >= INT32_MIN &&
              points[k] <= INT32_MAX;
        if (fit)
            code->points[code->point_count++] = (int32_t)points[k];
    }
    if (!fit)
        code->point_count = 0;
}

/* Codes of finitely many orders, and of dropped ones, which may lie outside of the hull. */
static enum qd_status set_points(struct qd_value *value, int64_t i, const struct qd_code *code,
                                 struct qd_arena *arena, struct qd_error *error)
{
    double points[QD_MAX_POINTS + QD_MAX_DROPPED];
    size_t count = code->point_count;
    for (size_t k = 0; k < count; k++)
        points[k] = code->points[k];
    for (unsigned k = 0; k < code->dropped_count; k++)
        if (!code_has_point(code, code->dropped[k]))
            points[count++] = code->dropped[k];
    if (code->point_count > 0 && count <= QD_MAX_POINTS)
        return qd_value_limit(value, i, points, count, arena, error);
    return code->dropped_count > 0 ? qd_value_admit(value, i, points + code->point_count,
                                                    count - code->point_count, arena, error)
                                   : QD_OK;
}

enum qd_status qd_value_set_code(struct qd_value *value, int64_t i, struct qd_code code,
                                 struct qd_arena *arena, struct qd_error *error)
{
    enum qd_status status = QD_OK;
    if (code.not_number)
        code = (struct qd_code){.want = code.want,
                                .lo = code.want,
                                .hi = code.want,
                                .flags = code.flags | QD_UNSPECIFIED};
    qd_tensor_set(&value->want, i, code.want);
    if (code.lo != code.hi || code.lo != code.want)
        status = qd_value_need_hull(value, arena, error);
    if (status == QD_OK && code.flags)
        status = qd_value_need_flags(value, arena, error);
    if (status != QD_OK)
        return status;
    if (value->lo) {
        value->lo[i] = (double)code.lo;
        value->hi[i] = (double)code.hi;
    }
    if (value->flags)
        value->flags[i] = code.flags;
    return set_points(value, i, &code, arena, error);
}

enum qd_status qd_value_set_real(struct qd_value *value, int64_t i, double real, bool tie,
                                 struct qd_arena *arena, struct qd_error *error)
{
    if (!value->real) {
        size_t count = (size_t)value->want.count;
        double *reals = qd_arena_array(arena, count, sizeof *reals);
        if (!reals)
            return qd_fail(error, QD_NO_MEMORY, "no room for %zu numbers", count);
        for (size_t j = 0; j < count; j++)
            reals[j] = (double)NAN;
        value->real = reals;
    }
    value->real[i] = real;
    enum qd_status status = tie ? qd_value_need_flags(value, arena, error) : QD_OK;
    if (status == QD_OK && tie)
        value->flags[i] |= QD_TIE;
    return status;
}

double qd_value_lo(const struct qd_value *value, int64_t i)
{
    return value->lo ? value->lo[i] : qd_tensor_value(&value->want, i);
}

double qd_value_hi(const struct qd_value *value, int64_t i)
{
    return value->hi ? value->hi[i] : qd_tensor_value(&value->want, i);
}

struct qd_interval qd_value_exact(const struct qd_value *value, int64_t i)
{
    if (value->exact)
        return value->exact[i];
    if (qd_value_flags(value, i) & QD_NO_CANONICAL)
        return (struct qd_interval){qd_next_down(qd_value_lo(value, i)),
                                    qd_next_up(qd_value_hi(value, i))};
    double want = qd_tensor_value(&value->want, i);
    return (struct qd_interval){want, want};
}

double qd_value_abs_sum(const struct qd_value *value, int64_t i)
{
    if (value->abs_sum)
        return value->abs_sum[i];
    return fmax(fabs(qd_value_lo(value, i)), fabs(qd_value_hi(value, i)));
}

bool qd_value_is_code(const struct qd_value *value, int64_t i, double *code, double *factor)
{
    struct qd_interval exact = qd_value_exact(value, i);
    if (!value->factor || value->factor[i] == 0 || exact.lo != exact.hi)
        return false;
    *factor = (double)value->factor[i];
    *code = exact.lo / *factor;
    return *code == floor(*code) && *code * *factor == exact.lo;
}

bool qd_value_is_sum(const struct qd_value *value, int64_t i, double *sum, double *factor)
{
    struct qd_interval exact = qd_value_exact(value, i);
    if (!value->common || value->common[i] == 0 || exact.lo != exact.hi)
        return false;
    *factor = (double)value->common[i];
    *sum = exact.lo / *factor;
    return isfinite(*sum) && fma(*sum, *factor, -exact.lo) == 0;
}

uint8_t qd_value_flags(const struct qd_value *value, int64_t i)
{
    return value->flags ? value->flags[i] : 0;
}

bool qd_value_is_point(const struct qd_value *value, int64_t i)
{
    return !value->lo || value->lo[i] == value->hi[i] || isnan(value->lo[i]);
}

enum qd_status qd_value_open_zero(struct qd_value *value, int64_t i, struct qd_arena *arena,
                                  struct qd_error *error)
{
    bool zero = qd_dtype_is_float(value->want.dtype) && qd_value_is_point(value, i) &&
                qd_tensor_value(&value->want, i) == 0 &&
                !(qd_value_flags(value, i) & QD_UNSPECIFIED);
    enum qd_status status = zero ? qd_value_need_flags(value, arena, error) : QD_OK;
    if (status == QD_OK && zero)
        value->flags[i] |= QD_EITHER_ZERO;
    return status;
}

struct qd_observation qd_value_observe(const struct qd_value *value, int64_t i)
{
    uint8_t flags = qd_value_flags(value, i);
    enum qd_dtype dtype = value->want.dtype;
    struct qd_observation seen = {.unspecified = (flags & QD_UNSPECIFIED) != 0,
                                  .canonical = (flags & (QD_NO_CANONICAL | QD_UNSPECIFIED)) == 0};
    double want = qd_tensor_value(&value->want, i);
    if (flags & QD_NOT_NUMBER || isnan(want)) {
        seen.nan = true;
        seen.lo = INFINITY; /* an empty range: nothing but NaN */
        seen.hi = -INFINITY;
        return seen;
    }
    seen.lo = value->lo ? value->lo[i] : want;
    seen.hi = value->lo ? value->hi[i] : want;
    if (value->points && value->points[i].count > 0)
        seen.points = &value->points[i];
    if (value->lo && qd_dtype_is_float(dtype)) {
        seen.lo = qd_float_round(dtype, QD_NEAREST_EVEN, seen.lo);
        seen.hi = qd_float_round(dtype, QD_NEAREST_EVEN, seen.hi);
    }
    if (seen.points && seen.points->count == 1 && !seen.points->besides) {
        seen.lo = seen.hi = seen.points->at[0];
        seen.points = NULL;
    }
    return seen;
}

bool qd_observation_admits(const struct qd_observation *seen, double have)
{
    if (isnan(have))
        return seen->nan || (seen->points && contains(seen->points, have));
    bool inside = seen->lo <= have && have <= seen->hi;
    if (!seen->points)
        return inside;
    return (seen->points->besides && inside) || contains(seen->points, have);
}
