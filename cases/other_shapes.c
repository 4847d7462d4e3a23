/* SPDX-License-Identifier: Apache-2.0 */
#include "other_shapes.h"

#include "qdiff/evaluate.h"
#include "qdiff/open_axis.h"
#include "twin.h"

#define WORD "after_other_shapes"

const char *qd_other_shapes_word(size_t i)
{
    return i == 0 ? WORD : NULL;
}

enum qd_status qd_other_shapes_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                    struct qd_case *twin, struct qd_error *error)
{
    struct qd_other_lengths lengths = {.work = QD_MAX_WORK, .count = 2, .at = {{2, 1}, {0, 1}}};
    struct qd_random random = qd_random_seed(kase->id, 2);
    *made = false;
    if (!qd_twin_is_picked(kase, &random))
        return QD_OK;
    lengths.backwards = qd_random_range(&random, 0, 1) == 0;
    lengths.turned = qd_random_range(&random, 0, 3) == 0;
    enum qd_status status = qd_case_open_axis(kase, &lengths, &random, arena, made, twin, error);
    return *made && status == QD_OK
               ? qd_twin_name(kase, WORD, QD_TWIN_NOTE_SHAPES, arena, twin, error)
               : status;
}
