/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "qdiff/open_axis.h"

#include "qdiff/answer.h"
#include "qdiff/case_edit.h"
#include "twin.h"

#define MAX_INPUTS 32

/* Which axis of which inputs is left open: the next one too where the two change places. */
struct choice {
    unsigned axis;
    bool turned;
    bool inputs[MAX_INPUTS];
};

static bool is_chosen(const struct choice *choice, size_t input)
{
    return input < MAX_INPUTS && choice->inputs[input];
}

struct making {
    const struct qd_case *kase;
    const struct qd_other_lengths *lengths;
    struct qd_graph graph; /* the case's, whose values have no declared shapes */
    struct qd_arena *arena;
    struct choice choice;
    struct qd_case_step steps[QD_MAX_OTHER_LENGTHS];
    size_t count;
    struct qd_error *error;
};

/* --- Other shapes --------------------------------------------------------------------------------- */

/* The tensor with another extent along the axis, its elements over and over; false: out of
 * memory. */
static bool stretch(const struct qd_tensor *tensor, unsigned axis, int64_t extent,
                    struct qd_arena *arena, struct qd_tensor *made)
{
    struct qd_error error;
    int64_t dims[QD_MAX_RANK], stride = 1, of = tensor->dims[axis];
    for (unsigned i = 0; i < tensor->rank; i++)
        dims[i] = i == axis ? extent : tensor->dims[i];
    for (unsigned i = axis + 1; i < tensor->rank; i++)
        stride *= tensor->dims[i];
    if (qd_tensor_init(made, arena, tensor->dtype, tensor->rank, dims, &error) != QD_OK)
        return false;
    for (int64_t i = 0; i < made->count; i++) {
        int64_t at = i / stride % extent % of, row = i / stride / extent;
        qd_tensor_set(made, i, qd_tensor_get(tensor, (row * of + at) * stride + i % stride));
    }
    return true;
}

/* The same elements in as many rows as columns before. */
static struct qd_tensor turn(const struct qd_tensor *tensor, unsigned axis)
{
    struct qd_tensor made = *tensor;
    made.dims[axis] = tensor->dims[axis + 1];
    made.dims[axis + 1] = tensor->dims[axis];
    return made;
}

/* Whether the reference takes these inputs, and no node computes a tensor without elements of
 * them: or some may. The outputs' shapes come first in *shapes. */
static bool is_right(const struct qd_graph *graph, const struct qd_tensor *inputs, bool some,
                     double work, struct qd_arena *arena, const struct qd_tensor **shapes)
{
    struct qd_graph whole = *graph;
    struct qd_error error;
    size_t most = graph->output_count + graph->node_count * QD_MAX_OPERANDS;
    int *computed = qd_arena_array(arena, most, sizeof *computed);
    if (!computed)
        return false;
    memcpy(computed, graph->outputs, graph->output_count * sizeof *computed);
    whole.outputs = computed;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            if (graph->nodes[n].outputs[i] != QD_NO_VALUE)
                computed[whole.output_count++] = graph->nodes[n].outputs[i];
    bool right = qd_graph_shapes(work, &whole, inputs, arena, shapes, &error) == QD_OK;
    for (size_t i = 0; right && !some && i < whole.output_count; i++)
        right = (*shapes)[i].count > 0;
    return right;
}

bool qd_case_steps_are_right(const struct qd_case *kase, double work, struct qd_arena *arena)
{
    const struct qd_tensor *shapes;
    bool some =
        kase->step_count > 0 && !is_right(kase->graph, kase->inputs, false, work, arena, &shapes);
    bool right = true;
    for (size_t i = 0; right && i < kase->step_count; i++)
        right = kase->steps[i].runs == 0 ||
                is_right(kase->steps[i].graph, kase->steps[i].inputs, some, work, arena, &shapes);
    return right;
}

/* A run with that extent; false where it is not right for it. */
static bool add_step(struct making *m, int64_t extent)
{
    const struct qd_case *kase = m->kase;
    struct qd_tensor *inputs = qd_arena_array(m->arena, kase->input_count, sizeof *inputs);
    for (size_t i = 0; inputs && i < kase->input_count; i++) {
        inputs[i] = kase->inputs[i];
        if (is_chosen(&m->choice, i) && m->choice.turned)
            inputs[i] = turn(&kase->inputs[i], m->choice.axis);
        else if (is_chosen(&m->choice, i) &&
                 !stretch(&kase->inputs[i], m->choice.axis, extent, m->arena, &inputs[i]))
            return false;
    }
    const struct qd_tensor *shapes;
    if (!inputs || !is_right(&m->graph, inputs, false, m->lengths->work, m->arena, &shapes))
        return false;
    m->steps[m->count++] = (struct qd_case_step){.inputs = inputs, .runs = 1, .shapes = shapes};
    return true;
}

/* A run with each of the lengths, as far as that is right; false where it is not with the first. */
static bool add_steps(struct making *m, int64_t extent)
{
    m->count = 0;
    if (m->choice.turned)
        return add_step(m, extent);
    for (size_t i = 0; i < m->lengths->count; i++) {
        int64_t other = m->lengths->at[i].times * extent + m->lengths->at[i].plus;
        bool added = other >= 1 && other != extent && add_step(m, other);
        if (i == 0 && !added)
            return false;
    }
    if (m->lengths->backwards && m->count == 2) {
        struct qd_case_step first = m->steps[0];
        m->steps[0] = m->steps[1];
        m->steps[1] = first;
    }
    return true;
}

/* --- The case ------------------------------------------------------------------------------------- */

/* What was computed for the steps of a case that has just been decoded, so that nobody computes it again. */
static void keep_shapes(const struct making *m, struct qd_case *opened)
{
    struct qd_case_step *steps = qd_arena_copy(m->arena, opened->steps, m->count * sizeof *steps);
    for (size_t i = 0; steps && i < m->count; i++)
        steps[i].shapes = m->steps[i].shapes;
    opened->steps = steps ? steps : opened->steps;
}

/* Whether the outputs have the ranks in every step that the opened model declares: of a Squeeze without axes they
 * depend on the extents. */
static bool keeps_ranks(const struct making *m, const struct qd_case *opened)
{
    const struct qd_graph *graph = opened->graph;
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < graph->output_count; k++) {
            int declared = graph->values[graph->outputs[k]].declared_rank;
            if (declared >= 0 && m->steps[i].shapes[k].rank != (unsigned)declared)
                return false;
        }
    return true;
}

static uint32_t open_axes(const struct choice *choice)
{
    return (choice->turned ? UINT32_C(3) : UINT32_C(1)) << choice->axis % QD_MAX_RANK;
}

/* The case with that choice, and its steps; *made says whether it is right. */
static enum qd_status try_choice(struct making *m, int64_t extent, bool *made,
                                 struct qd_case *opened)
{
    struct qd_case_edit edit;
    if (!add_steps(m, extent))
        return QD_OK;
    enum qd_status status = qd_case_edit_begin(m->kase, m->arena, &edit, m->error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < m->kase->input_count; i++)
        edit.values[m->kase->graph->inputs[i]].open_axes =
            is_chosen(&m->choice, i) ? open_axes(&m->choice) : 0;
    edit.metadata.steps = m->steps;
    edit.metadata.step_count = m->count;
    edit.opens = true;
    edit.infers = true; /* a checker wants the outputs' ranks, whatever the parameters */
    status = qd_case_edit_finish(&edit, m->kase->id, false, opened, m->error);
    *made = status == QD_OK && keeps_ranks(m, opened) && qd_twin_is_valid(opened);
    if (*made)
        keep_shapes(m, opened);
    return status;
}

/* The first input that is read as numbers and has axes; input_count if there is none. */
static size_t first_input(const struct qd_case *kase)
{
    size_t i = 0;
    while (i < kase->input_count && i < MAX_INPUTS &&
           (kase->inputs[i].rank == 0 || kase->inputs[i].count == 0 ||
            !qd_is_read_as_numbers(kase->graph, kase->graph->inputs[i])))
        i++;
    return i < MAX_INPUTS ? i : kase->input_count;
}

/* The others that are as long along the axis. */
static void choose_more(const struct qd_case *kase, size_t first, struct choice *choice)
{
    const struct qd_tensor *x = &kase->inputs[first];
    for (size_t i = 0; i < kase->input_count && i < MAX_INPUTS; i++)
        if (kase->inputs[i].rank == x->rank &&
            kase->inputs[i].dims[choice->axis] == x->dims[choice->axis] &&
            (!choice->turned ||
             kase->inputs[i].dims[choice->axis + 1] == x->dims[choice->axis + 1]) &&
            qd_is_read_as_numbers(kase->graph, kase->graph->inputs[i]))
            choice->inputs[i] = true;
}

/* Way 2a: axis a of the first input that is read as numbers; way 2a + 1: of all that are as long there. */
static enum qd_status try_way(struct making *m, size_t first, unsigned way, bool turned, bool *made,
                              struct qd_case *opened)
{
    const struct qd_tensor *x = &m->kase->inputs[first];
    unsigned axis = way / 2;
    if (turned && (axis + 1 >= x->rank || x->dims[axis] == x->dims[axis + 1]))
        return QD_OK;
    m->choice = (struct choice){.axis = axis, .turned = turned};
    m->choice.inputs[first] = true;
    if (way % 2)
        choose_more(m->kase, first, &m->choice);
    return try_choice(m, x->dims[axis], made, opened);
}

/* Ranks stay: of a Squeeze without axes they depend on the extents, and the model declares them. */
static bool forget_extents(struct making *m)
{
    const struct qd_graph *graph = m->kase->graph;
    struct qd_graph_value *values =
        qd_arena_copy(m->arena, graph->values, graph->value_count * sizeof *values);
    m->graph = *graph;
    m->graph.values = values;
    for (size_t i = 0; values && i < graph->value_count; i++)
        for (int k = 0; k < values[i].declared_rank; k++)
            values[i].declared_dims[k] = -1;
    return values;
}

enum qd_status qd_case_open_axis(const struct qd_case *kase, const struct qd_other_lengths *lengths,
                                 struct qd_random *random, struct qd_arena *arena, bool *made,
                                 struct qd_case *opened, struct qd_error *error)
{
    struct making m = {.kase = kase, .lengths = lengths, .arena = arena, .error = error};
    size_t first = first_input(kase);
    enum qd_status status = QD_OK;
    *made = false;
    if (first == kase->input_count)
        return QD_OK;
    if (!forget_extents(&m))
        return qd_fail(error, QD_NO_MEMORY, "no room for a graph's values");
    const struct qd_tensor *x = &kase->inputs[first];
    unsigned start = (unsigned)(qd_random_next(random) % (2 * x->rank));
    for (unsigned i = 0; lengths->turned && i < 2 * x->rank && !*made && status == QD_OK; i++)
        status = try_way(&m, first, (start + i) % (2 * x->rank), true, made, opened);
    for (unsigned i = 0; i < 2 * x->rank && !*made && status == QD_OK; i++)
        status = try_way(&m, first, (start + i) % (2 * x->rank), false, made, opened);
    return status;
}
