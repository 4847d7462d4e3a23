/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float16-quotient-to-int32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X, SCALE };

QD_QUIRK_EDIT(float16_quotient_to_int32, edit)
{
    int64_t given = 0;
    bool is_narrow = edit->in[X]->want.dtype == QD_F16 && edit->in[SCALE]->want.dtype == QD_F16;
    if (!is_narrow ||
        qd_node_int(&edit->node, "precision", 0, &given, edit->evaluation.error) != QD_OK ||
        (given != 0 && given != qd_dtype_info(QD_F16)->onnx))
        return;
    edit->semantics.division = QD_DIVISION_F16;
    edit->semantics.range = QD_RANGE_INT32_INDEFINITE;
}
