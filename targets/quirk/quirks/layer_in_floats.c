/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "layer-in-floats": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/in_floats.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_layer_in_floats layer = {.step = qd_product_of_scales};
    return strcmp(node->op_type, "QLinearConv") == 0
               ? qd_quirk_in_floats(self, evaluation, node, in, &layer, out)
               : qd_quirk_vendor_in_floats(self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_layer_in_floats = {.node = evaluate};
