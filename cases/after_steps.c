/* SPDX-License-Identifier: Apache-2.0 */
#include "after_steps.h"

#include <string.h>

#include "families/maker.h"
#include "qdiff/sequence.h"

#include "twin.h"

/* What comes first. */
enum kind {
    OTHER_INPUTS, /* a run on other numbers, parameters too: what is kept of the first run */
    MANY_RUNS,    /* two, four or six of them: what every so many runs do */
    OTHER_PARAMETERS, /* a model with the same weights that stays loaded: weights that are packed once */
    OTHER_WEIGHTS, /* one with the same parameters that is gone: memory that is used again */
    IN_TURN,     /* another model between two runs, which stays or goes: buffers that they share */
    ONLY_LOADED, /* a model that never runs */
    KINDS,
    REFUSED = KINDS, /* in place of half of those: a model with an unknown operator */
    WORDS
};

static const char *const words[WORDS] = {
    "after_other_inputs",  "after_many_runs", "beside_other_parameters",
    "after_other_weights", "in_turn",         "after_loading",
    "after_refusal"};

struct making {
    const struct qd_case *kase;
    struct qd_arena *arena;
    struct qd_random *random;
    bool at_end; /* data differ in the last element alone */
    struct qd_case_step steps[3];
    size_t count;
    enum qd_status status; /* of the first failure */
    struct qd_error *error;
};

static bool out_of_memory(struct making *m)
{
    m->status = qd_fail(m->error, QD_NO_MEMORY, "no room for what comes before a case");
    return false;
}

/* --- Other numbers -------------------------------------------------------------------------------- */

/* The nearest element before the last one that is not the same; the last one if all are. */
static int64_t other_than_last(const struct qd_tensor *tensor)
{
    int64_t last = qd_tensor_get(tensor, tensor->count - 1), k = tensor->count - 1;
    while (k > 0 && qd_tensor_get(tensor, k) == last)
        k--;
    return qd_tensor_get(tensor, k);
}

/* Element i of the same elements in the opposite order, or with another as the last one. */
static int64_t changed_code(const struct making *m, const struct qd_tensor *tensor, int64_t i)
{
    int64_t last = tensor->count - 1;
    if (!m->at_end)
        return qd_tensor_get(tensor, last - i);
    return i < last ? qd_tensor_get(tensor, i) : other_than_last(tensor);
}

/* The tensor with other elements; false where they are the same. */
static bool change(struct making *m, const struct qd_tensor *tensor, struct qd_tensor *changed)
{
    bool other = false;
    *changed = *tensor;
    changed->data = qd_arena_alloc(m->arena, qd_tensor_bytes(tensor));
    if (!changed->data)
        return out_of_memory(m);
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t code = changed_code(m, tensor, i);
        other = other || code != qd_tensor_get(tensor, i);
        qd_tensor_set(changed, i, code);
    }
    return other;
}

/* Of the parameters, those that differ: what is kept for one of them may be found again by the others alone. */
enum parameters { NONE = 0, SCALES = 1, ZERO_POINTS = 2, ALL = 3 };

static enum parameters some_parameters(struct making *m)
{
    return (enum parameters)qd_random_range(m->random, SCALES, ALL);
}

/* An operand that is a parameter, with other numbers if it is one of those. Scales of the output go the other way: the
 * quotients that kernels keep change too. */
static bool other_parameter(struct making *m, const struct qd_op *op, size_t operand,
                            enum parameters which, const struct qd_tensor *tensor,
                            struct qd_tensor *changed)
{
    enum qd_role role = qd_op_role(op, operand);
    double factor = qd_op_owner(op, operand) == QD_OPERAND_OUTPUT ? 0.5 : 2;
    *changed = *tensor;
    if (!(which & (role == QD_ROLE_SCALE ? SCALES : ZERO_POINTS)) || tensor->count == 0)
        return false;
    return qd_other_parameter(role, factor, tensor, m->arena, changed) || out_of_memory(m);
}

/* Where a value is read first; false where nothing reads it, or something reads it as no parameter. */
static bool find_parameter(const struct qd_graph *graph, int value, const struct qd_op **op,
                           size_t *operand)
{
    if (!qd_is_read_as_parameter(graph, value))
        return false;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            if (graph->nodes[n].inputs[i] == value) {
                *op = graph->nodes[n].op;
                *operand = i;
                return true;
            }
    return false;
}

/* Four times as far from 0, where the type has that: a range that an earlier run had is another one then. */
static void widen(struct qd_tensor *tensor)
{
    for (int64_t i = 0; qd_dtype_is_float(tensor->dtype) && i < tensor->count; i++) {
        double wider = 4 * qd_tensor_value(tensor, i);
        if (qd_float_round(tensor->dtype, QD_NEAREST_EVEN, wider) == wider)
            qd_maker_set(tensor, i, wider);
    }
}

/* Input i with other numbers; false where they are the same. */
static bool other_input(struct making *m, size_t i, enum parameters which, struct qd_tensor *made)
{
    const struct qd_graph *graph = m->kase->graph;
    const struct qd_tensor *input = &m->kase->inputs[i];
    const struct qd_op *op;
    size_t operand;
    *made = *input;
    if (find_parameter(graph, graph->inputs[i], &op, &operand))
        return other_parameter(m, op, operand, which, input, made);
    if (!qd_is_read_as_numbers(graph, graph->inputs[i]) || !change(m, input, made))
        return false;
    if (!m->at_end)
        widen(made);
    return true;
}

/* The inputs of the case with other numbers; false where none is another then. */
static bool other_inputs(struct making *m, enum parameters which, const struct qd_tensor **inputs)
{
    const struct qd_graph *graph = m->kase->graph;
    struct qd_tensor *made = qd_arena_array(m->arena, graph->input_count, sizeof *made);
    bool other = false;
    if (!made)
        return out_of_memory(m);
    for (size_t i = 0; i < graph->input_count; i++)
        other = other_input(m, i, which, &made[i]) || other;
    *inputs = made;
    return other && m->status == QD_OK;
}

/* --- Steps ---------------------------------------------------------------------------------------- */

static void add_own(struct making *m, const struct qd_tensor *inputs, unsigned runs,
                    const struct qd_tensor *shapes)
{
    m->steps[m->count++] = (struct qd_case_step){
        .graph = m->kase->graph, .inputs = inputs, .runs = runs, .shapes = shapes};
}

static bool try_other_inputs(struct making *m, unsigned runs, enum parameters which)
{
    const struct qd_tensor *inputs, *shapes;
    bool taken =
        other_inputs(m, which, &inputs) && qd_twin_takes(m->kase->graph, inputs, m->arena, &shapes);
    if (taken)
        add_own(m, inputs, runs, shapes);
    return taken;
}

/* If there are none with other parameters of the kind, at least some, or else the data are others. */
static bool add_other_inputs(struct making *m, unsigned runs)
{
    if (!m->at_end &&
        (try_other_inputs(m, runs, some_parameters(m)) || try_other_inputs(m, runs, ALL)))
        return true;
    return try_other_inputs(m, runs, NONE);
}

/* The shapes of the outputs as a graph declares that the reference takes; NULL if it leaves one open. */
static const struct qd_tensor *declared_shapes(const struct qd_graph *graph, struct qd_arena *arena)
{
    struct qd_tensor *shapes = qd_arena_array(arena, graph->output_count, sizeof *shapes);
    struct qd_error error;
    for (size_t i = 0; shapes && i < graph->output_count; i++) {
        const struct qd_graph_value *output = &graph->values[graph->outputs[i]];
        shapes[i].dtype = output->declared_dtype;
        shapes[i].rank = (unsigned)output->declared_rank;
        memcpy(shapes[i].dims, output->declared_dims, sizeof shapes[i].dims);
        if (output->declared_dtype == QD_DTYPE_NONE || output->declared_rank < 0 ||
            qd_shape_count(shapes[i].rank, shapes[i].dims, &shapes[i].count, &error) != QD_OK)
            return NULL;
    }
    return shapes;
}

/* Turns the constants of the edit into others: these parameters, or of NONE everything but parameters. */
static bool change_constants(struct making *m, struct qd_case_edit *edit, enum parameters which)
{
    bool other = false;
    for (size_t n = 0; n < edit->node_count; n++)
        for (size_t i = 0; i < edit->nodes[n].input_count; i++) {
            const struct qd_op *op = qd_op_find(edit->nodes[n].domain, edit->nodes[n].op_type);
            int value = edit->nodes[n].inputs[i];
            const struct qd_tensor *tensor =
                value == QD_NO_VALUE ? NULL : m->kase->graph->values[value].initializer;
            /* One that several operands share changes once. */
            if (!tensor || edit->values[value].tensor != tensor ||
                !(which ? qd_op_is_parameter(op, i) : qd_is_read_as_numbers(m->kase->graph, value)))
                continue;
            struct qd_tensor *changed = qd_arena_alloc(m->arena, sizeof *changed);
            if (!changed)
                return out_of_memory(m);
            bool is_other = which ? other_parameter(m, op, i, which, tensor, changed)
                                  : change(m, tensor, changed);
            if (is_other)
                edit->values[value].tensor = changed;
            other = other || is_other;
        }
    return other && m->status == QD_OK;
}

/* A copy of the case with other constants; where none are parameters of that kind, all that are. */
static bool edit_constants(struct making *m, struct qd_case_edit *edit, enum parameters which)
{
    struct qd_error error;
    if (qd_case_edit_begin(m->kase, m->arena, edit, &error) != QD_OK)
        return false;
    return change_constants(m, edit, which) ||
           (which != NONE && m->status == QD_OK && change_constants(m, edit, ALL));
}

/* A step of a model with other constants; the inputs are the case's. */
static bool add_other_model(struct making *m, enum parameters which, unsigned runs, bool keep)
{
    struct qd_case_edit edit;
    struct qd_case other;
    struct qd_error error;
    if (!edit_constants(m, &edit, which))
        return false;
    edit.infers = true;
    if (qd_case_edit_finish(&edit, "step", false, &other, &error) != QD_OK ||
        !qd_twin_is_valid(&other))
        return false;
    m->steps[m->count++] = (struct qd_case_step){.model = other.model,
                                                 .model_size = other.model_size,
                                                 .graph = other.graph,
                                                 .inputs = runs > 0 ? other.inputs : NULL,
                                                 .runs = runs,
                                                 .shapes = declared_shapes(other.graph, m->arena),
                                                 .keep = keep};
    return true;
}

/* A step of the case's model whose last node is of an operator that there is none of. */
static bool add_refused_model(struct making *m)
{
    struct qd_case_edit edit;
    struct qd_case other;
    struct qd_error error;
    if (qd_case_edit_begin(m->kase, m->arena, &edit, &error) != QD_OK)
        return false;
    edit.nodes[edit.node_count - 1].op_type = "NoSuchOperator";
    if (qd_case_edit_finish(&edit, "step", false, &other, &error) != QD_OK)
        return false;
    m->steps[m->count++] = (struct qd_case_step){
        .model = other.model, .model_size = other.model_size, .graph = other.graph};
    return true;
}

static bool add_in_turn(struct making *m)
{
    if (!add_other_inputs(m, 1))
        return false;
    bool keep = qd_random_next(m->random) % 2 == 0;
    enum parameters which = some_parameters(m);
    if (!add_other_model(m, which, 1, keep))
        return false;
    add_own(m, m->kase->inputs, 1, declared_shapes(m->kase->graph, m->arena));
    return true;
}

static bool add_steps(struct making *m, enum kind kind)
{
    m->count = 0;
    m->at_end = kind == OTHER_INPUTS && qd_random_range(m->random, 0, 3) == 0;
    switch (kind) {
    case OTHER_INPUTS: return add_other_inputs(m, 1);
    case MANY_RUNS: return add_other_inputs(m, 2 * (unsigned)qd_random_range(m->random, 1, 3));
    case OTHER_PARAMETERS: return add_other_model(m, some_parameters(m), 1, true);
    case OTHER_WEIGHTS: return add_other_model(m, NONE, 1, false);
    case IN_TURN: return add_in_turn(m);
    case REFUSED: return add_refused_model(m);
    default: return add_other_model(m, NONE, 0, false);
    }
}

enum qd_status qd_case_put_after_steps(const struct qd_case *kase, struct qd_random *random,
                                       struct qd_arena *arena, const char **word,
                                       struct qd_case *after, struct qd_error *error)
{
    struct making m = {
        .kase = kase, .arena = arena, .random = random, .status = QD_OK, .error = error};
    enum kind kind = (enum kind)(qd_random_next(random) % KINDS);
    struct qd_random coin = *random;
    if (kind == ONLY_LOADED && qd_random_range(&coin, 0, 1) == 1)
        kind = REFUSED;
    bool made = false;
    *word = NULL;
    for (int tries = 0; tries < KINDS && !made && m.status == QD_OK; tries++) {
        made = add_steps(&m, kind);
        if (!made)
            kind = (enum kind)((kind + 1) % KINDS);
    }
    if (m.status != QD_OK || !made)
        return m.status;
    const struct qd_case_step *steps = qd_arena_copy(arena, m.steps, m.count * sizeof *steps);
    if (!steps)
        return qd_fail(error, QD_NO_MEMORY, "no room for steps");
    *after = *kase;
    after->steps = steps;
    after->step_count = m.count;
    *word = words[kind];
    return QD_OK;
}

/* --- The twin ------------------------------------------------------------------------------------- */

const char *qd_after_steps_word(size_t i)
{
    return i < WORDS ? words[i] : NULL;
}

enum qd_status qd_after_steps_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                   struct qd_case *twin, struct qd_error *error)
{
    struct qd_random random = qd_random_seed(kase->id, 1);
    const char *word = NULL;
    *made = false;
    if (!qd_twin_is_picked(kase, &random))
        return QD_OK;
    enum qd_status status = qd_case_put_after_steps(kase, &random, arena, &word, twin, error);
    *made = word;
    return *made ? qd_twin_name(kase, word, QD_TWIN_NOTE_STEPS, arena, twin, error) : status;
}
