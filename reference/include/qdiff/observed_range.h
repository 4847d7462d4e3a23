/* SPDX-License-Identifier: Apache-2.0 */
/* From an observed range of real numbers to a scale and a zero point: the mathematics of tools that
 * quantize models.
 *
 * Given rmin ≤ rmax and codes qmin … qmax, widened to hold 0 (rmin = min(rmin, 0), rmax = max(rmax,
 * 0)):
 *   ASYMMETRIC   s = (rmax − rmin)/(qmax − qmin),  z = sat(rne(qmin − rmin/s))
 *   SYMMETRIC    s = 2·max(−rmin, rmax)/(qmax − qmin),  z = the middle: 0 for signed codes, ⌈(qmin
 *                + qmax)/2⌉ else
 *   RESTRICTED   rmin = 0: z = qmin, s = rmax/(qmax − qmin); else z = mid = (qmin + qmax + 1) div 2
 *                and s = max(−rmin/(mid − qmin), rmax/(qmax − mid)): no value of the range is
 *                clipped
 *
 * Where the tool has a floor of scales, s is no less than it, and z follows from that s.
 *
 * Latitude: s by any bracketing, in float32, or in float64 rounded to the scale's type; z from s
 * before or after that rounding, the quotient and the difference in float32, float64 or exactly. A
 * scale is at least the least number of its type, subnormal ones among them: float16 weights around 1e-3
 * have scales around 1e-5. Where the whole range is subnormal in float32, so that a processor may
 * flush it, the scale may be 1 instead, with any zero point that holds 0.
 *
 * Source: ONNX Runtime's quantization tool (compute_scale_zp, onnxruntime #21398, PR #28237), ONNX
 * DynamicQuantizeLinear, the affine scheme of Jacob et al. 2018, equations 1 to 3; the floor:
 * torchao's observers, their parameter eps. */
#ifndef QDIFF_OBSERVED_RANGE_H
#define QDIFF_OBSERVED_RANGE_H

#include "qdiff/dtype.h"
#include "qdiff/interval.h"
#include "qdiff/status.h"

enum qd_observed_scheme { QD_OBSERVED_ASYMMETRIC, QD_OBSERVED_SYMMETRIC, QD_OBSERVED_RESTRICTED };

struct qd_observed_rule {
    enum qd_observed_scheme scheme;
    int64_t qmin, qmax;       /* qmin < qmax, both within ±2^16 */
    enum qd_dtype scale_type; /* QD_F32, QD_F16 or QD_BF16 */
    double scale_floor;       /* a number of that type, 0: none */
};

struct qd_observed_parameters {
    struct qd_interval scale;             /* admissible scales, values of the scale's type */
    int64_t zero_point_lo, zero_point_hi; /* admissible zero points */
    bool tiny;                            /* a scale of 1 is admissible, too, with any zero point */
};

/* INVALID: an end that is not finite, rmin > rmax, or no scale of its type is large enough. */
enum qd_status qd_observed_to_parameters(double rmin, double rmax,
                                         const struct qd_observed_rule *rule,
                                         struct qd_observed_parameters *parameters,
                                         struct qd_error *error);

/* Whether the parameters represent the whole range: |dequantize(quantize(r)) − r| ≤ (½ +
 * slack)·scale at both ends, after widening. Scale positive and finite. slack is 2^−15 for 8-bit
 * and 2^−7 for 16-bit codes by convention; 0 for none. */
bool qd_observed_is_covered(double rmin, double rmax, double scale, int64_t zero_point,
                            const struct qd_observed_rule *rule, double slack);

/* Whether no number of the range is clipped: qmin ≤ r/scale + zero_point ≤ qmax at both ends, but
 * for what rounding the scale to its type costs (one unit in its last place). */
bool qd_observed_is_unclipped(double rmin, double rmax, double scale, int64_t zero_point,
                              const struct qd_observed_rule *rule);

#endif
