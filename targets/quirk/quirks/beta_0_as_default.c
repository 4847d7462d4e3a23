/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "beta-0-as-default": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(beta_0_as_default, edit)
{
    const struct qd_attr *beta = qd_node_attr(&edit->node, "beta");
    if (beta && beta->f == 0)
        qd_edit_drop(edit, "beta");
}
