/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation half-way between codes.
 *
 * Source: reference/README.md, "Admissible sets": a coordinate of Resize. */
#ifndef QDIFF_REFERENCE_HALVES_H
#define QDIFF_REFERENCE_HALVES_H

#include "qdiff/interval.h"

enum { QD_HALVED_AXES = 2, QD_HALVED_CODES = 1 << QD_HALVED_AXES };

/* The least and the greatest that the mean of 2^axes codes of one scale may be in the middle of so many axes, code k at
 * the upper end of axis a where k has bit a; |code| ≤ 2^20. Each code times the scale, rounded to float32 or not; then
 * (a + b)/2, a + (b − a)/2 or b + (a − b)/2 along one axis after the other, or their sum in any order, each operation
 * rounded or not; and the mean of the codes times the scale. */
struct qd_interval qd_halves(const double *codes, unsigned axes, double scale);

#endif
