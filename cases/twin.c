/* SPDX-License-Identifier: Apache-2.0 */
#include "twin.h"

#include <string.h>

#include "families/maker.h"
#include "qdiff/answer.h"
#include "qdiff/derived.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

#define ONE_IN 8
#define MOST_BYTES ((size_t)64 << 10) /* of a model and its inputs */

static size_t bytes_of(const struct qd_case *kase)
{
    size_t bytes = kase->model_size;
    for (size_t i = 0; i < kase->input_count; i++)
        bytes += qd_tensor_bytes(&kase->inputs[i]);
    return bytes;
}

bool qd_twin_is_possible(const struct qd_case *kase)
{
    return kase->request_size == 0 && kase->expect == QD_EXPECT_VALID &&
           bytes_of(kase) <= MOST_BYTES && !qd_derived_meets_none(kase);
}

bool qd_twin_is_picked(const struct qd_case *kase, struct qd_random *random)
{
    return qd_twin_is_possible(kase) && qd_random_next(random) % ONE_IN == 0;
}

const char *qd_twin_slug(const struct qd_case *kase, const char *word, struct qd_arena *arena)
{
    const char *hash = strrchr(kase->id, '/');
    return qd_arena_printf(arena, "%.*s-%s", hash ? (int)(hash - kase->id) : (int)strlen(kase->id),
                           kase->id, word);
}

enum qd_status qd_twin_finish(struct qd_case_edit *edit, const struct qd_case *kase,
                              const char *word, const char *note, struct qd_case *twin,
                              struct qd_error *error)
{
    const char *slug = qd_twin_slug(kase, word, edit->arena);
    edit->metadata.note = qd_arena_printf(edit->arena, "%s%s", note, kase->id);
    edit->infers = true; /* a checker wants the outputs' ranks, whatever the parameters */
    if (!slug || !edit->metadata.note)
        return qd_fail(error, QD_NO_MEMORY, "no room for a twin's id");
    return qd_case_edit_finish(edit, slug, true, twin, error);
}

enum qd_status qd_twin_name(const struct qd_case *kase, const char *word, const char *note,
                            struct qd_arena *arena, struct qd_case *twin, struct qd_error *error)
{
    const char *slug = qd_twin_slug(kase, word, arena), *hash = strrchr(kase->id, '/');
    twin->id = slug ? qd_arena_printf(arena, "%s%s", slug, hash ? hash : "") : NULL;
    twin->note = qd_arena_printf(arena, "%s%s", note, kase->id);
    return twin->id && twin->note ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no room for a twin's id");
}

const char *qd_case_base(const struct qd_case *kase)
{
    static const char *const notes[] = {QD_TWIN_NOTE_SCALARS, QD_TWIN_NOTE_STEPS,
                                        QD_TWIN_NOTE_REWRITING, QD_TWIN_NOTE_SHAPES};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strncmp(kase->note, notes[i], strlen(notes[i])) == 0)
            return kase->note + strlen(notes[i]);
    return NULL;
}

bool qd_twin_is_valid(const struct qd_case *twin)
{
    const struct qd_graph *graph = twin->graph;
    for (size_t i = 0; i < graph->output_count; i++)
        if (graph->values[graph->outputs[i]].declared_rank < 0)
            return false;
    return true;
}

bool qd_twin_takes(const struct qd_graph *graph, const struct qd_tensor *inputs,
                   struct qd_arena *arena, const struct qd_tensor **shapes)
{
    struct qd_error error;
    return qd_graph_shapes(QD_MAX_WORK, graph, inputs, arena, shapes, &error) == QD_OK;
}

static bool is_number(enum qd_role role)
{
    return role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT;
}

bool qd_is_read_as_numbers(const struct qd_graph *graph, int value)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct qd_node *node = &graph->nodes[n];
        bool passes = strcmp(node->op_type, "Identity") == 0 && node->output_count == 1;
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] == value &&
                (!is_number(qd_op_role(node->op, i)) ||
                 (passes && !qd_is_read_as_numbers(graph, node->outputs[0]))))
                return false;
    }
    return true;
}

bool qd_is_read_as_parameter(const struct qd_graph *graph, int value)
{
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            if (graph->nodes[n].inputs[i] == value && !qd_op_is_parameter(graph->nodes[n].op, i))
                return false;
    return true;
}

bool qd_other_parameter(enum qd_role role, double factor, const struct qd_tensor *tensor,
                        struct qd_arena *arena, struct qd_tensor *changed)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    *changed = *tensor;
    changed->data = qd_arena_alloc(arena, qd_tensor_bytes(tensor));
    if (!changed->data)
        return false;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t code = qd_tensor_get(tensor, i);
        if (role == QD_ROLE_SCALE)
            qd_maker_set(changed, i, factor * qd_tensor_value(tensor, i));
        else
            qd_tensor_set(changed, i, code + (code < info->max ? 1 : -1));
    }
    return true;
}
