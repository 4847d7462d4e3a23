/* The quirk "auto-pad-lower-for-upper": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    const char *word;
    if (qd_node_string(node, "auto_pad", "", &word, evaluation->error) != QD_OK)
        return QD_INVALID;
    if (strcmp(word, "SAME_UPPER") == 0)
        qd_edit_word(&edit, "auto_pad", "SAME_LOWER");
    if (strcmp(word, "SAME_LOWER") == 0)
        qd_edit_word(&edit, "auto_pad", "SAME_UPPER");
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_auto_pad_lower_for_upper = {.node = evaluate};
