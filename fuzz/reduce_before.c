/* SPDX-License-Identifier: Apache-2.0 */
/* What comes before a case, made less. */
#include "reduce_steps.h"

#include <string.h>

/* Step `at` with half of its runs; false where that is none or all of them. */
static bool halve(struct qd_case_step *step)
{
    unsigned before = step->runs;
    step->runs /= 2;
    return step->runs > 0 && step->runs < before;
}

/* Numbers: first every step is left out, then every step runs half as often. */
enum qd_step qd_reduce_before(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    size_t count = view->kase->step_count, at = number % (count + !count);
    if (number >= 2 * count)
        return QD_STEP_END;
    struct qd_case_step *steps =
        qd_arena_copy(edit->arena, view->kase->steps, count * sizeof *steps);
    if (!steps || (number >= count && !halve(&steps[at])))
        return QD_STEP_SKIP;
    if (number < count)
        memmove(steps + at, steps + at + 1, (--count - at) * sizeof *steps);
    edit->metadata.steps = steps;
    edit->metadata.step_count = count;
    return QD_STEP_TRY;
}
