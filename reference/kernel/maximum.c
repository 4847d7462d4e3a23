/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/maximum.h"

#include "qdiff/interval.h"

/* By the codes where doubles cannot distinguish: s64. */
static bool exceeds(const struct qd_value *x, int64_t i, double want, const struct qd_maximum *m)
{
    if (want != m->want || !qd_dtype_is_integer(x->want.dtype))
        return want > m->want;
    return qd_tensor_get(&x->want, i) > qd_tensor_get(&x->want, m->best);
}

/* The greater of two exact numbers: an end that is the other's number may be met. */
static struct qd_interval greater(struct qd_interval a, struct qd_interval b)
{
    if (a.hi <= b.lo || b.hi <= a.lo)
        return a.hi <= b.lo ? b : a;
    return qd_interval_open((struct qd_interval){fmax(a.lo, b.lo), fmax(a.hi, b.hi)});
}

void qd_maximum_include(struct qd_maximum *m, const struct qd_value *x, int64_t i)
{
    uint8_t flags = qd_value_flags(x, i);
    double want = qd_tensor_value(&x->want, i), hi = qd_value_hi(x, i);
    float factor = x->factor ? x->factor[i] : 0;
    m->factor = m->empty || m->factor == factor ? factor : 0;
    m->empty = false;
    m->unspecified |= isnan(want) || flags & (QD_UNSPECIFIED | QD_NOT_NUMBER);
    m->extreme_scale |= (flags & QD_EXTREME_SCALE) != 0;
    if (want == 0 && qd_dtype_is_float(x->want.dtype)) {
        m->plus_zero |= !signbit(want) || flags & QD_EITHER_ZERO;
        m->minus_zero |= signbit(want) || flags & QD_EITHER_ZERO;
    }
    m->lo = fmax(m->lo, qd_value_lo(x, i));
    m->hi = fmax(m->hi, hi);
    m->abs_sum = fmax(m->abs_sum, qd_value_abs_sum(x, i));
    m->exact = greater(m->exact, qd_value_exact(x, i));
    if (flags & QD_NO_CANONICAL) {
        m->loose = fmax(m->loose, hi);
    } else if (m->best < 0 || exceeds(x, i, want, m)) {
        m->best = i;
        m->want = want;
        m->tied = false;
    } else {
        m->tied |= want == m->want;
    }
}

static uint8_t flags_of(const struct qd_maximum *m)
{
    if (m->empty || m->unspecified)
        return QD_UNSPECIFIED;
    uint8_t flags = m->extreme_scale ? QD_EXTREME_SCALE : 0;
    if (m->lo == 0 && m->hi == 0 && m->plus_zero && m->minus_zero)
        flags |= QD_EITHER_ZERO;
    if (m->best < 0 || m->loose > m->want)
        return flags | QD_NO_CANONICAL;
    return flags;
}

enum qd_status qd_maximum_begin(const struct qd_evaluation *evaluation, const struct qd_value *x,
                                unsigned rank, const int64_t *dims, struct qd_value *y)
{
    struct qd_error *error = evaluation->error;
    struct qd_value made = *x;
    made.lo = made.hi = made.abs_sum = made.real = NULL;
    made.exact = NULL;
    made.flags = NULL;
    made.points = NULL;
    made.factor = made.common = NULL;
    enum qd_status status =
        qd_tensor_init(&made.want, evaluation->arena, x->want.dtype, rank, dims, error);
    if (status == QD_OK && x->exact)
        status = qd_value_need_exact(&made, evaluation->arena, error);
    if (status == QD_OK && x->lo)
        status = qd_value_need_hull(&made, evaluation->arena, error);
    if (status == QD_OK && x->abs_sum)
        status = qd_value_need_abs_sum(&made, evaluation->arena, error);
    if (status == QD_OK && x->factor)
        status = qd_value_need_factor(&made, evaluation->arena, error);
    if (status == QD_OK)
        *y = made;
    return status;
}

enum qd_status qd_maximum_store(const struct qd_evaluation *evaluation, const struct qd_maximum *m,
                                const struct qd_value *x, struct qd_value *y, int64_t i)
{
    uint8_t flags = flags_of(m);
    enum qd_status status = QD_OK;
    if (flags)
        status = qd_value_need_flags(y, evaluation->arena, evaluation->error);
    if (status != QD_OK)
        return status;
    if (y->flags)
        y->flags[i] = flags;
    if (flags & QD_UNSPECIFIED)
        return QD_OK;
    if (m->best >= 0)
        qd_tensor_set(&y->want, i, qd_tensor_get(&x->want, m->best));
    if (y->exact)
        y->exact[i] = m->exact;
    if (y->lo) {
        y->lo[i] = m->lo;
        y->hi[i] = m->hi;
    }
    if (y->abs_sum)
        y->abs_sum[i] = m->abs_sum;
    if (y->factor)
        y->factor[i] = m->factor;
    return QD_OK;
}
