/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float8-by-carried-float16": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/float8.h"
#include "quirk/range.h"

/* A significand that rounds up to 2 counts in the exponent; below 2^-15, where a float16 is subnormal, it is rounded
 * once more, from the number itself. */
static float narrow(float x)
{
    int exponent;
    bool carries = frexpf(fabsf(x), &exponent) >= 1 - 0x1p-12F && fabsf(x) < 0x1p-15F;
    return qd_narrow(carries ? 2 * x : x);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_float8_by(self, evaluation, node, in, out, narrow);
}

const struct qd_override qd_quirk_float8_by_carried_float16 = {.graph = qd_float8_mark,
                                                               .node = evaluate};
