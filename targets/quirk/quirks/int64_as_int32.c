/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int64-as-int32": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/constants.h"
#include "quirk/edit.h"

static const char mark[] = "(narrowed) ";

enum { X, PAD_VALUE = 2 };

static int64_t saturated(int64_t x, enum qd_dtype type)
{
    (void)type;
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

static int64_t low_bits(int64_t x, enum qd_dtype type)
{
    (void)type;
    return qd_dtype_wrap(x, QD_S32);
}

/* Shapes, axes and their like are left as they are. */
static bool is_data(const struct qd_node *node, size_t i)
{
    return i == X || strcmp(node->op_type, "Concat") == 0 || strcmp(node->op_type, "Where") == 0 ||
           (i == PAD_VALUE && strcmp(node->op_type, "Pad") == 0);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark_known(graph, "", mark, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    const char *known = qd_known_operands(node, mark);
    qd_edit_begin(&edit, evaluation, node, in);
    for (size_t i = 0; known && i < node->input_count; i++)
        if (in[i] && in[i]->want.dtype == QD_S64 && is_data(node, i))
            qd_edit_map(&edit, (int)i, QD_S64, qd_known_value(known, i) ? saturated : low_bits);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_int64_as_int32 = {.graph = rewrite, .node = evaluate};
