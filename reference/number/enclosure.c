/* SPDX-License-Identifier: Apache-2.0 */
#include "number/enclosure.h"

struct qd_enclosure qd_enclosure_corners(struct qd_arithmetic how, struct qd_enclosure a,
                                         struct qd_enclosure b)
{
    struct qd_enclosure r = {qd_arithmetic_multiply(how, false, a.lo, b.lo),
                             qd_arithmetic_multiply(how, true, a.lo, b.lo), false};
    for (int i = 1; i < 4; i++) {
        if ((i & 1 && a.lo == a.hi) || (i & 2 && b.lo == b.hi))
            continue; /* a corner that was looked at */
        double x = i & 1 ? a.hi : a.lo, y = i & 2 ? b.hi : b.lo;
        r.lo = fmin(r.lo, qd_arithmetic_multiply(how, false, x, y));
        r.hi = fmax(r.hi, qd_arithmetic_multiply(how, true, x, y));
    }
    return r;
}
