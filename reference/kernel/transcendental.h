/* SPDX-License-Identifier: Apache-2.0 */
/* Transcendental float operators: enclosures of the exact values, and what a kernel in float32 may
 * give.
 *
 * Kernels differ. Their bound is that of the OpenCL C specification's table of relative errors
 * (full profile, single precision), which vendors' vector libraries state as well: exp and sqrt
 * 3 ulp, tanh 5 ulp, erf 16 ulp, division 2½ ulp; addition is correctly rounded. One ulp is at most 2^−23 of the value,
 * or 2^−149. Not admitted are polynomials that are accurate absolutely only, as where tanh or a
 * rational function of a clamped argument stands for the logistic function of a negative number: a
 * dialect. */
#ifndef QDIFF_REFERENCE_TRANSCENDENTAL_H
#define QDIFF_REFERENCE_TRANSCENDENTAL_H

#include "qdiff/interval.h"

/* Enclosures over an interval whose ends may be infinite, of relative width below 2^−38. Points
 * where the value is one: e^0 = 1, tanh(0) = 0, erf(0) = 0, the logistic function of 0 is ½, and the limits at
 * ±Inf. */
struct qd_interval qd_enclose_exp(struct qd_interval x);
struct qd_interval qd_enclose_tanh(struct qd_interval x);
struct qd_interval qd_enclose_erf(struct qd_interval x);
struct qd_interval qd_enclose_logistic(struct qd_interval x); /* 1/(1 + e^−x) */

/* What a kernel may give whose error is at most `ulps` (and half a one where its ends are rounded)
 * where the exact value lies in `exact`. An exact point stays one. */
struct qd_interval qd_interval_ulps(struct qd_interval exact, double ulps);

#define QD_ULPS_TANH 5.0
#define QD_ULPS_EXP 3.0
#define QD_ULPS_ERF 16.0
#define QD_ULPS_ROOT 3.0
#define QD_ULPS_POW 16.0
#define QD_ULPS_LOGISTIC 6.0 /* exp 3, addition ½, division 2½ */

#endif
