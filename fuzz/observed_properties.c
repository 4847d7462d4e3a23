/* SPDX-License-Identifier: Apache-2.0 */
#include "observed_properties.h"

#include <math.h>

static bool is_range(double rmin, double rmax)
{
    return isfinite(rmin) && isfinite(rmax) && rmin <= rmax;
}

/* Ends of the range at which scales neither underflow nor overflow, twice as far neither. */
static bool is_moderate(double rmin, double rmax)
{
    double most = fmax(fabs(rmin), fabs(rmax));
    return most >= 0x1p-4 && most <= 0x1p12;
}

static const char *check_form(const struct qd_observed_rule *rule,
                              const struct qd_observed_parameters *p)
{
    int64_t middle = (rule->qmin + rule->qmax + 1) / 2;
    if (!(p->scale.lo > 0) || !isfinite(p->scale.hi) || !(p->scale.lo <= p->scale.hi))
        return "scale-is-no-positive-number";
    if (p->zero_point_lo > p->zero_point_hi || p->zero_point_lo < rule->qmin ||
        p->zero_point_hi > rule->qmax)
        return "zero-point-outside-type";
    if (rule->scheme == QD_OBSERVED_SYMMETRIC &&
        (p->zero_point_lo != middle || p->zero_point_hi != middle))
        return "symmetric-off-middle";
    if (rule->scheme == QD_OBSERVED_RESTRICTED &&
        (p->zero_point_lo != p->zero_point_hi ||
         (p->zero_point_lo != rule->qmin && p->zero_point_lo != middle)))
        return "restricted-not-snapped";
    return NULL;
}

/* At both ends of what is admissible: the range is represented, and nothing is clipped where the zero point snaps. */
static const char *check_cover(double rmin, double rmax, const struct qd_observed_rule *rule,
                               const struct qd_observed_parameters *p)
{
    double slack = rule->qmax - rule->qmin > 255 || rule->scale_type != QD_F32 ? 1 : 0x1p-7;
    const double scales[] = {p->scale.lo, p->scale.hi};
    const int64_t zeros[] = {p->zero_point_lo, p->zero_point_hi};
    for (int i = 0; i < 4; i++) {
        if (!qd_observed_is_covered(rmin, rmax, scales[i / 2], zeros[i % 2], rule, slack))
            return "range-not-covered";
        if (rule->scheme == QD_OBSERVED_RESTRICTED &&
            !qd_observed_is_unclipped(rmin, rmax, scales[i / 2], zeros[i % 2], rule))
            return "restricted-clips";
    }
    return NULL;
}

/* Twice the range is twice the scale and the same zero point: multiplying by two is exact in every format. */
static const char *check_doubled(double rmin, double rmax, const struct qd_observed_rule *rule,
                                 const struct qd_observed_parameters *p)
{
    struct qd_observed_parameters twice;
    if (qd_observed_to_parameters(2 * rmin, 2 * rmax, rule, &twice, NULL) != QD_OK)
        return "twice-the-range-is-none";
    return twice.scale.lo == 2 * p->scale.lo && twice.scale.hi == 2 * p->scale.hi &&
                   twice.zero_point_lo == p->zero_point_lo &&
                   twice.zero_point_hi == p->zero_point_hi
               ? NULL
               : "twice-the-range-is-not-twice-the-scale";
}

/* The range seen in a mirror has the same scale, and the zero point counted
 * from the other end, but for how ties round. */
static const char *check_mirrored(double rmin, double rmax, const struct qd_observed_rule *rule,
                                  const struct qd_observed_parameters *p)
{
    struct qd_observed_parameters other;
    if (rule->scheme != QD_OBSERVED_ASYMMETRIC)
        return NULL;
    if (qd_observed_to_parameters(-rmax, -rmin, rule, &other, NULL) != QD_OK)
        return "the-mirrored-range-is-none";
    int64_t lo = rule->qmin + rule->qmax - other.zero_point_hi;
    int64_t hi = rule->qmin + rule->qmax - other.zero_point_lo;
    bool same = other.scale.lo == p->scale.lo && other.scale.hi == p->scale.hi;
    return same && lo <= p->zero_point_hi + 1 && hi >= p->zero_point_lo - 1
               ? NULL
               : "the-mirrored-range-differs";
}

const char *qd_observed_broken(double rmin, double rmax, const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters p;
    if (rule->scale_type == QD_F16 && fmax(fabs(rmin), fabs(rmax)) > 65504 && is_range(rmin, rmax))
        return NULL; /* no float16 tensor has such numbers */
    enum qd_status status = qd_observed_to_parameters(rmin, rmax, rule, &p, NULL);
    if ((status == QD_OK) != is_range(rmin, rmax))
        return "a-range-that-is-none";
    if (status != QD_OK)
        return NULL;
    const char *broken = check_form(rule, &p);
    bool subnormal =
        p.scale.lo <
        qd_float_format(rule->scale_type)->least_normal; /* rounds by up to half of it */
    if (!broken && !subnormal && (rmin != 0 || rmax != 0))
        broken = check_cover(rmin, rmax, rule, &p);
    if (!broken && is_moderate(rmin, rmax))
        broken = check_doubled(rmin, rmax, rule, &p);
    if (!broken && is_moderate(rmin, rmax))
        broken = check_mirrored(rmin, rmax, rule, &p);
    return broken;
}
