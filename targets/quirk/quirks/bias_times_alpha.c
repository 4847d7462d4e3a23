/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-times-alpha": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(bias_times_alpha, edit)
{
    float alpha = 1, beta = 1;
    if (edit->status == QD_OK)
        edit->status = qd_node_float(&edit->node, "alpha", 1, &alpha, edit->evaluation.error);
    if (edit->status == QD_OK)
        edit->status = qd_node_float(&edit->node, "beta", 1, &beta, edit->evaluation.error);
    qd_edit_float(edit, "beta", alpha * beta);
}
