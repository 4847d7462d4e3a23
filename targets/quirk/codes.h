/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on codes computed anew, as kernels without floats do it. */
#ifndef QDIFF_TARGETS_QUIRK_CODES_H
#define QDIFF_TARGETS_QUIRK_CODES_H

#include "qdiff/override.h"

/* Of codes less their zero points; b is 0 where there is one operand. */
typedef int64_t qd_code_function(const void *context, int64_t a, int64_t b);

/* Puts f(a, b), plus the zero point and saturated, in the place of each code of y. The node's operands are `count`
 * triples of codes, scale and zero point, one or two; then the scale and zero point of y. */
enum qd_status qd_codes_set(struct qd_evaluation *evaluation, const struct qd_value *const *in,
                            int count, qd_code_function *f, const void *context,
                            struct qd_value *y);

/* The same for one code, of which f is known. */
enum qd_status qd_code_set(struct qd_evaluation *evaluation, struct qd_value *y, int64_t i,
                           int64_t code);

#endif
