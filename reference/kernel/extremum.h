/* SPDX-License-Identifier: Apache-2.0 */
/* Max and Min: one of the elements that stand at one place of several operands. */
#ifndef QDIFF_REFERENCE_EXTREMUM_H
#define QDIFF_REFERENCE_EXTREMUM_H

#include "kernel/elementwise.h"

#define QD_EXTREMUM_INPUTS 32

/* y = choose(…choose(in[0], in[1])…), shapes broadcast; `choose` gives one of its operands, of intervals that of the
 * lower and of the upper ends. Rules a-type, b-type, broadcast; UNSUPPORTED: f64. */
enum qd_status qd_extremum(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           const struct qd_value *const *in, qd_binary_exact *choose,
                           qd_binary_codes *choose_code, struct qd_value *out);

#endif
