/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "constant-summed-by-fma": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/constant_sum.h"

static const char mark[] = "(constant summed by fma)";

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    qd_mark_constant_sum(made, node, mark, false);
}

QD_REWRITE_BY(visit)

static float sum(float code, float z, float s, float c)
{
    float offset = z * s, number = c - offset;
    return fmaf(code, s, number);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_evaluate_constant_sum(self, evaluation, node, in, out, mark, sum);
}

const struct qd_override qd_quirk_constant_summed_by_fma = {.graph = rewrite, .node = evaluate};
