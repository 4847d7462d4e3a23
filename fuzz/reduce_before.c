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

/* --- Steps with the case's own model ------------------------------------------------------------ */

static bool is_own_run(const struct qd_case_step *step)
{
    return step->model_size == 0 && step->runs > 0;
}

/* The steps, and what those with the case's own model feed, with room for one input more: to be
 * changed. */
static struct qd_case_step *copy_steps(struct qd_case_edit *edit, struct qd_tensor **inputs)
{
    size_t count = edit->metadata.step_count;
    struct qd_case_step *steps =
        qd_arena_copy(edit->arena, edit->metadata.steps, count * sizeof *steps);
    for (size_t i = 0; steps && i < count; i++) {
        if (!is_own_run(&steps[i]))
            continue;
        size_t of_step = steps[i].graph->input_count;
        inputs[i] = qd_arena_array(edit->arena, of_step + 1, sizeof **inputs);
        if (!inputs[i])
            return NULL;
        memcpy(inputs[i], steps[i].inputs, of_step * sizeof **inputs);
        steps[i].inputs = inputs[i];
    }
    if (steps)
        edit->metadata.steps = steps;
    return steps;
}

bool qd_reduce_slice_steps(struct qd_case_edit *edit, const struct qd_case_edit_value *value,
                           struct qd_part part)
{
    struct qd_tensor *inputs[QD_CASE_MAX_STEPS] = {NULL};
    if (value->of_steps < 0 || !value->is_input)
        return true;
    if (!copy_steps(edit, inputs))
        return false;
    for (size_t i = 0; i < edit->metadata.step_count; i++) {
        const struct qd_tensor *cut =
            inputs[i] ? qd_reduce_slice(&inputs[i][value->of_steps], part, edit->arena) : NULL;
        if (inputs[i] && !cut)
            return false;
        if (cut)
            inputs[i][value->of_steps] = *cut;
    }
    return true;
}

bool qd_reduce_feed_steps(struct qd_case_edit *edit, struct qd_case_edit_value *value,
                          const struct qd_tensor *tensors)
{
    struct qd_tensor *inputs[QD_CASE_MAX_STEPS] = {NULL};
    struct qd_case_step *steps = copy_steps(edit, inputs);
    for (size_t i = 0; steps && i < edit->metadata.step_count; i++)
        if (inputs[i]) {
            value->of_steps = (int)steps[i].graph->input_count;
            inputs[i][value->of_steps] = tensors[i];
        }
    return steps != NULL;
}

/* What a target dies of, or refuses, in a step shows by itself. */
enum qd_step qd_reduce_to_step(struct qd_reduce_view *view, struct qd_case_edit *edit,
                               size_t number)
{
    if (number >= view->kase->step_count)
        return QD_STEP_END;
    const struct qd_case_step *step = &view->kase->steps[number];
    struct qd_case run = *view->kase, other;
    struct qd_error error;
    if (step->runs == 0)
        return QD_STEP_SKIP;
    if (step->model_size > 0) {
        if (qd_case_from_model(step->model, step->model_size, edit->arena, &other, &error) != QD_OK)
            return QD_STEP_SKIP;
        run.graph = other.graph;
        run.opset = other.opset;
        run.input_count = other.input_count;
    }
    run.inputs = step->inputs;
    run.step_count = 0;
    struct qd_case_edit made;
    if (qd_case_edit_begin(&run, edit->arena, &made, &error) != QD_OK)
        return QD_STEP_SKIP;
    made.infers = edit->infers;
    *edit = made;
    return QD_STEP_TRY;
}

/* --- Open axes ---------------------------------------------------------------------------------- */

static bool has_shapes_of(const struct qd_case *kase, const struct qd_case_step *step)
{
    bool same = true;
    for (size_t i = 0; same && i < kase->input_count; i++)
        same = qd_tensor_same_shape(&kase->inputs[i], &step->inputs[i]);
    return same;
}

enum qd_step qd_reduce_closed(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    const struct qd_case *kase = view->kase;
    struct qd_case_step *steps =
        qd_arena_copy(edit->arena, kase->steps, kase->step_count * sizeof *steps);
    uint32_t open = 0;
    for (size_t i = 0; i < edit->value_count; i++) {
        open |= edit->values[i].open_axes;
        edit->values[i].open_axes = 0;
    }
    if (number > 0 || !open || !steps)
        return QD_STEP_END;
    edit->metadata.steps = steps;
    edit->metadata.step_count = 0;
    for (size_t i = 0; i < kase->step_count; i++)
        if (!is_own_run(&kase->steps[i]) || has_shapes_of(kase, &kase->steps[i]))
            steps[edit->metadata.step_count++] = kase->steps[i];
    return QD_STEP_TRY;
}

#define LENGTHS 4

/* Way `way` of being shorter than `length`; as long: none. */
static int64_t shorter(int64_t length, size_t way)
{
    const int64_t ways[LENGTHS] = {1, 2, (length + 1) / 2, length - 1};
    return ways[way] >= 1 && ways[way] < length ? ways[way] : length;
}

/* Cuts the open axes of what the step has for an input; *changed says whether there are any. */
static bool shorten(const struct qd_case_edit *edit, const struct qd_case_edit_value *value,
                    struct qd_tensor *inputs, size_t way, bool *changed)
{
    for (unsigned axis = 0; axis < value->tensor->rank; axis++) {
        struct qd_tensor *input = &inputs[value->of_steps];
        int64_t length = input->dims[axis], less = shorter(length, way);
        if (!(value->open_axes >> axis & 1) || less == length)
            continue;
        const struct qd_tensor *cut =
            qd_reduce_slice(input, (struct qd_part){axis, length, 0, less}, edit->arena);
        if (!cut)
            return false;
        *input = *cut;
        *changed = true;
    }
    return true;
}

enum qd_step qd_reduce_lengths(struct qd_reduce_view *view, struct qd_case_edit *edit,
                               size_t number)
{
    struct qd_tensor *inputs[QD_CASE_MAX_STEPS] = {NULL};
    size_t at = number / LENGTHS;
    bool changed = false;
    if (at >= view->kase->step_count || !copy_steps(edit, inputs))
        return QD_STEP_END;
    for (size_t i = 0; inputs[at] && i < edit->value_count; i++)
        if (edit->values[i].is_input && edit->values[i].of_steps >= 0 &&
            !shorten(edit, &edit->values[i], inputs[at], number % LENGTHS, &changed))
            return QD_STEP_END;
    return changed ? QD_STEP_TRY : QD_STEP_SKIP;
}
