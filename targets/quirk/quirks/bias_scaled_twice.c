/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-scaled-twice": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X_SCALE = 1, W_SCALE = 4, BIAS = 8 };

QD_QUIRK_EDIT(bias_scaled_twice, edit)
{
    struct qd_tensor *bias = qd_edit_copy(edit, BIAS);
    double x_scale = qd_parameter_at(edit->in[X_SCALE], 0);
    for (int64_t m = 0; bias && m < bias->count; m++) {
        double scale = x_scale * qd_parameter_at(edit->in[W_SCALE], m);
        qd_tensor_set(bias, m, qd_round_to_s32((double)qd_tensor_get(bias, m) * scale));
    }
}
