/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/counted.h"

static int64_t flag(const struct qd_node *node, const char *name)
{
    struct qd_error ignored;
    int64_t value = 0;
    return qd_node_int(node, name, 0, &value, &ignored) == QD_OK ? value : 0;
}

bool qd_average_shape_read(struct qd_edit *edit, struct qd_conv_shape *shape)
{
    struct qd_error ignored;
    struct qd_evaluation evaluation = edit->evaluation;
    evaluation.error = &ignored;
    return edit->status == QD_OK && edit->in[0] && !flag(&edit->node, "channels_last") &&
           qd_pool_shape_read(&evaluation, &edit->node, &edit->in[0]->want,
                              flag(&edit->node, "ceil_mode") != 0, shape) == QD_OK;
}

static bool same_output(const struct qd_edit *edit, const struct qd_conv_shape *s,
                        const int64_t *begin, const int64_t *end, const int64_t *rest)
{
    for (unsigned i = 0; i < s->spatial; i++) {
        int64_t room =
            s->in[i] + begin[i] + end[i] + rest[i] - ((s->kernel[i] - 1) * s->dilation[i] + 1);
        int64_t up =
            flag(&edit->node, "ceil_mode") && !qd_pads_to_same(&edit->node) ? s->stride[i] - 1 : 0;
        if (room < 0 || (room + up) / s->stride[i] + 1 != s->out[i])
            return false;
    }
    return true;
}

void qd_edit_count_padding(struct qd_edit *edit, const struct qd_conv_shape *s,
                           const int64_t *begin, const int64_t *end, const int64_t *rest)
{
    int64_t sizes[QD_MAX_SPATIAL] = {0}, pads[2 * QD_MAX_SPATIAL] = {0};
    int zero_point = qd_operand_find(edit, QD_X_ZERO_POINT);
    int64_t code = zero_point < 0 ? 0 : (int64_t)qd_parameter_at(edit->in[zero_point], 0);
    if (!same_output(edit, s, begin, end, rest))
        return;
    for (unsigned i = 0; i < s->spatial; i++) {
        sizes[i] = begin[i] + s->in[i] + end[i];
        pads[s->spatial + i] = rest[i];
    }
    if (qd_pads_to_same(&edit->node))
        qd_edit_drop(edit, "ceil_mode");
    qd_edit_surround(edit, 0, sizes, begin, code, false);
    if (edit->status != QD_OK)
        return;
    qd_edit_drop(edit, "auto_pad");
    qd_edit_drop(edit, "count_include_pad");
    qd_edit_ints(edit, "pads", pads, 2 * (size_t)s->spatial);
}
