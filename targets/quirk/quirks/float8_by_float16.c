/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float8-by-float16": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/float8.h"
#include "quirk/range.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_float8_by(self, evaluation, node, in, out, qd_narrow);
}

const struct qd_override qd_quirk_float8_by_float16 = {.graph = qd_float8_mark, .node = evaluate};
