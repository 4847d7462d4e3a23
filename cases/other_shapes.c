/* SPDX-License-Identifier: Apache-2.0 */
#include "other_shapes.h"

#include <string.h>

#include "twin.h"

#define WORD "after_other_shapes"
#define MAX_INPUTS 32

/* Which axis of which inputs is left open. */
struct choice {
    unsigned axis;
    bool inputs[MAX_INPUTS];
};

struct making {
    const struct qd_case *kase;
    struct qd_arena *arena;
    struct choice choice;
    struct qd_case_step steps[2];
    size_t count;
    struct qd_error *error;
};

/* --- Other shapes --------------------------------------------------------------------------------- */

/* The tensor with another extent along the axis, its elements over and over; false: out of memory. */
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

/* Whether the reference takes these inputs, and no node computes a tensor without elements of them:
 * what a target makes of those is another question. The outputs' shapes come first in *shapes. */
static bool is_right(const struct making *m, const struct qd_graph *graph,
                     const struct qd_tensor *inputs, const struct qd_tensor **shapes)
{
    struct qd_graph whole = *graph;
    size_t most = graph->output_count + graph->node_count * QD_MAX_OPERANDS;
    int *computed = qd_arena_array(m->arena, most, sizeof *computed);
    if (!inputs || !computed)
        return false;
    memcpy(computed, graph->outputs, graph->output_count * sizeof *computed);
    whole.outputs = computed;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            if (graph->nodes[n].outputs[i] != QD_NO_VALUE)
                computed[whole.output_count++] = graph->nodes[n].outputs[i];
    bool right = qd_twin_takes(&whole, inputs, m->arena, shapes);
    for (size_t i = 0; right && i < whole.output_count; i++)
        right = (*shapes)[i].count > 0;
    return right;
}

/* A run of the twin's model with that extent; false where it is not right for it. */
static bool add_step(struct making *m, const struct qd_case *twin, int64_t extent)
{
    struct qd_tensor *inputs = qd_arena_array(m->arena, twin->input_count, sizeof *inputs);
    for (size_t i = 0; inputs && i < twin->input_count; i++) {
        inputs[i] = twin->inputs[i];
        if (m->choice.inputs[i] &&
            !stretch(&twin->inputs[i], m->choice.axis, extent, m->arena, &inputs[i]))
            return false;
    }
    const struct qd_tensor *shapes;
    if (!is_right(m, twin->graph, inputs, &shapes))
        return false;
    m->steps[m->count++] =
        (struct qd_case_step){.graph = twin->graph, .inputs = inputs, .runs = 1, .shapes = shapes};
    return true;
}

/* --- The twin ------------------------------------------------------------------------------------- */

/* The case with that choice, and its steps; *made says whether it is right. */
static enum qd_status try_choice(struct making *m, int64_t extent, bool *made, struct qd_case *twin)
{
    struct qd_case_edit edit;
    enum qd_status status = qd_case_edit_begin(m->kase, m->arena, &edit, m->error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < m->kase->input_count; i++)
        if (m->choice.inputs[i])
            edit.values[m->kase->graph->inputs[i]].open_axes = UINT32_C(1) << m->choice.axis;
    edit.opens = true;
    status = qd_twin_finish(&edit, m->kase, WORD, QD_TWIN_NOTE_SHAPES, twin, m->error);
    m->count = 0;
    *made = status == QD_OK && qd_twin_is_valid(twin) && add_step(m, twin, 2 * extent + 1);
    if (*made && extent > 1)
        add_step(m, twin, 1);
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
            qd_is_read_as_numbers(kase->graph, kase->graph->inputs[i]))
            choice->inputs[i] = true;
}

/* Its id ends as the case's does: a row that names that case holds for the twin. */
static enum qd_status finish(const struct making *m, struct qd_case *twin)
{
    const char *slug = qd_twin_slug(m->kase, WORD, m->arena), *hash = strrchr(m->kase->id, '/');
    twin->id = slug ? qd_arena_printf(m->arena, "%s%s", slug, hash ? hash : "") : NULL;
    twin->steps = qd_arena_copy(m->arena, m->steps, m->count * sizeof *m->steps);
    twin->step_count = m->count;
    return twin->id && twin->steps ? QD_OK : qd_fail(m->error, QD_NO_MEMORY, "no room for steps");
}

const char *qd_other_shapes_word(size_t i)
{
    return i == 0 ? WORD : NULL;
}

enum qd_status qd_other_shapes_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                    struct qd_case *twin, struct qd_error *error)
{
    struct qd_random random = qd_random_seed(kase->id, 2);
    struct making m = {.kase = kase, .arena = arena, .error = error};
    size_t first = first_input(kase);
    enum qd_status status = QD_OK;
    *made = false;
    if (!qd_twin_is_picked(kase, &random) || first == kase->input_count)
        return QD_OK;
    const struct qd_tensor *x = &kase->inputs[first];
    unsigned start = (unsigned)(qd_random_next(&random) % (2 * x->rank));
    for (unsigned i = 0; i < 2 * x->rank && !*made && status == QD_OK; i++) {
        unsigned way = (start + i) % (2 * x->rank);
        m.choice = (struct choice){.axis = way / 2};
        m.choice.inputs[first] = true;
        if (way % 2)
            choose_more(kase, first, &m.choice);
        status = try_choice(&m, x->dims[m.choice.axis], made, twin);
    }
    return *made ? finish(&m, twin) : status;
}
