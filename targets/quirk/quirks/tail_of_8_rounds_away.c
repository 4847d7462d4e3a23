/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "tail-of-8-rounds-away": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/tail.h"

enum { WIDTH = 8 };

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_round_tail_away(self, evaluation, node, in, WIDTH, out);
}

const struct qd_override qd_quirk_tail_of_8_rounds_away = {.node = evaluate};
