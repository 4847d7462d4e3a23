/* The quirk "bias-scaled-twice": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X_SCALE = 1, W_SCALE = 4, BIAS = 8 };

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *bias = qd_edit_copy(&edit, BIAS);
    double x_scale = qd_parameter_at(in[X_SCALE], 0);
    for (int64_t m = 0; bias && m < bias->count; m++) {
        double scale = x_scale * qd_parameter_at(in[W_SCALE], m);
        qd_tensor_set(bias, m, qd_round_to_s32((double)qd_tensor_get(bias, m) * scale));
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_bias_scaled_twice = {.node = evaluate};
