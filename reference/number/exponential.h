/* SPDX-License-Identifier: Apache-2.0 */
/* The exponential function, enclosed: for operators whose definition is transcendental.
 *
 * Source: argument reduction with a two-part ln 2 (Cody and Waite 1980) and a Taylor polynomial;
 * the bound is derived in exponential.c and does not rely on the C library. */
#ifndef QDIFF_REFERENCE_EXPONENTIAL_H
#define QDIFF_REFERENCE_EXPONENTIAL_H

#include "qdiff/interval.h"

/* An interval that contains e^x for a finite x, of relative width below 2^−43 for |x| ≤ 700; [0,
 * e^−700] below, [e^700, largest double] above (e^700 < e^x is then possible beyond it: meant for
 * quotients 1/(1 + e^x)). e^0 is exactly 1. Of NaN, which a quirk can make, [0, largest double]. */
struct qd_interval qd_exponential(double x);

/* 1/(1 + e^−x), within (0, 1]; exactly ½ for x = 0. */
struct qd_interval qd_logistic(double x);

#endif
