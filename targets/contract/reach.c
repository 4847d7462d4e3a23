/* SPDX-License-Identifier: Apache-2.0 */
/* Which mutants some valid node would tell: nodes of cases are varied, and what the reference takes of them is
 * compared with what the mutant makes of it. A mutant that no case kills and some variation tells is a hole in
 * the suite; the variation says what is missing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/trial.h"
#include "qdiff/compare.h"
#include "qdiff/features.h"

/* Elements of all operands of a node that is varied; of a varied one; beyond the second only rules about long
 * tensors are asked. */
enum { MOST_AT_FIRST = 2000, MOST_VARIED = 70000, LONG = 4000 };

struct search {
    const struct qd_contract *contract;
    struct qd_contract_tally *tallies;
    size_t op; /* its number in the list */
    const struct qd_site *site;
    struct qd_arena made;    /* of one variation */
    struct qd_arena scratch; /* of one mutant */
    struct qd_variation variation;
};

/* A node to be: the site's, varied. */
struct draft {
    struct qd_edit edit;
    struct qd_semantics semantics;
    struct qd_error error;
    int same_as[QD_MAX_OPERANDS]; /* the operand whose value this one is too; else itself */
    size_t input_count;
    bool initializers, computed, shown_twice;
};

/* --- A graph of the draft ------------------------------------------------------------------------ */

struct small_graph {
    struct qd_graph graph;
    struct qd_graph_value values[4 * QD_MAX_OPERANDS];
    struct qd_node nodes[QD_MAX_OPERANDS + 2];
    int node_inputs[QD_MAX_OPERANDS], node_outputs[QD_MAX_OPERANDS];
    int edges[QD_MAX_OPERANDS + 2][2]; /* of Identity nodes */
    int inputs[QD_MAX_OPERANDS], outputs[QD_MAX_OPERANDS];
    struct qd_tensor tensors[QD_MAX_OPERANDS];
};

static int new_value(struct small_graph *g)
{
    int i = (int)g->graph.value_count++;
    g->values[i] = (struct qd_graph_value){.name = "v", .declared_rank = -1};
    return i;
}

static void add_identity(struct small_graph *g, int from, int to)
{
    size_t n = g->graph.node_count++;
    g->edges[n][0] = from;
    g->edges[n][1] = to;
    g->nodes[n] = (struct qd_node){.name = "",
                                   .domain = "",
                                   .op_type = "Identity",
                                   .opset = 21,
                                   .op = qd_op_find("", "Identity"),
                                   .input_count = 1,
                                   .output_count = 1,
                                   .inputs = &g->edges[n][0],
                                   .outputs = &g->edges[n][1]};
}

static int bind(struct small_graph *g, const struct draft *draft, size_t operand)
{
    int value = new_value(g);
    const struct qd_tensor *tensor = &draft->edit.in[operand]->want;
    if (draft->initializers) {
        g->values[value].initializer = tensor;
        return value;
    }
    g->tensors[g->graph.input_count] = *tensor;
    g->inputs[g->graph.input_count++] = value;
    if (!draft->computed)
        return value;
    int copy = new_value(g);
    add_identity(g, value, copy);
    return copy;
}

static void assemble(struct small_graph *g, const struct draft *draft)
{
    memset(g, 0, sizeof *g);
    struct qd_node node = draft->edit.node;
    g->graph.values = g->values;
    g->graph.nodes = g->nodes;
    g->graph.inputs = g->inputs;
    g->graph.outputs = g->outputs;
    for (size_t i = 0; i < draft->input_count; i++) {
        size_t same = (size_t)draft->same_as[i];
        g->node_inputs[i] = !draft->edit.in[i] ? QD_NO_VALUE
                            : same < i         ? g->node_inputs[same]
                                               : bind(g, draft, i);
    }
    for (size_t i = 0; i < node.output_count; i++) {
        g->node_outputs[i] = node.outputs[i] == QD_NO_VALUE ? QD_NO_VALUE : new_value(g);
        if (g->node_outputs[i] != QD_NO_VALUE)
            g->outputs[g->graph.output_count++] = g->node_outputs[i];
    }
    node.input_count = draft->input_count;
    node.inputs = g->node_inputs;
    node.outputs = g->node_outputs;
    g->nodes[g->graph.node_count++] = node;
    if (draft->shown_twice)
        add_identity(g, g->node_outputs[0], new_value(g));
}

/* --- Does a mutant differ there? ----------------------------------------------------------------- */

/* Wrong, and more than what is advisory (citation.h). */
static bool differs(const struct qd_op *op, const struct qd_value *want,
                    const struct qd_tensor *have)
{
    struct qd_comparison c = {0};
    if (want->want.dtype != have->dtype || !qd_tensor_same_shape(&want->want, have))
        return true;
    qd_compare_tensor(want, have, &c);
    return c.mismatched > c.flushed && !(op->approximate && c.close == c.mismatched);
}

static bool tells(struct search *search, const struct small_graph *g,
                  const struct qd_contract_mutant *mutant, const struct qd_site *sites,
                  const struct qd_value *want)
{
    struct qd_value have[QD_MAX_OPERANDS];
    struct qd_error error = {.status = QD_OK};
    if (!qd_mutant_applies(mutant, &g->graph, sites, &search->scratch) ||
        qd_mutant_evaluate(mutant, &g->graph, g->tensors, &search->scratch, have, &error) != QD_OK)
        return false;
    bool found = false;
    for (size_t i = 0; !found && i < g->graph.output_count; i++)
        found = differs(mutant->op, &want[i], &have[i].want);
    return found;
}

static bool is_open(const struct qd_contract_tally *tally)
{
    return !qd_contract_is_dead(tally) && tally->variation.kind == QD_VARIATION_NONE;
}

static void ask_mutants(struct search *search, const struct small_graph *g, bool is_long,
                        const struct qd_site *sites, const struct qd_value *want)
{
    const struct qd_contract *contract = search->contract;
    for (size_t i = contract->first[search->op]; i < contract->first[search->op + 1]; i++) {
        const struct qd_contract_mutant *mutant = &contract->mutants[i];
        if (mutant->equals || !is_open(&search->tallies[i]) || (is_long && mutant->n < 256))
            continue;
        if (tells(search, g, mutant, sites, want))
            search->tallies[i].variation = search->variation;
        qd_arena_reset(&search->scratch);
    }
}

/* No target has to take a vector of one element where the page says scalar: what differs there kills no mutant of
 * a case either (qd_contract_try). */
static bool is_advisory(const struct small_graph *g)
{
    const struct qd_case kase = {
        .id = "", .graph = &g->graph, .inputs = g->tensors, .input_count = g->graph.input_count};
    struct qd_features features;
    qd_case_features(&kase, &features);
    return qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR);
}

/* Evaluates the draft and asks every open mutant. */
static void attempt(struct search *search, struct draft *draft)
{
    struct small_graph *g = qd_arena_alloc(&search->made, sizeof *g);
    struct qd_value want[QD_MAX_OPERANDS];
    struct qd_site *sites;
    int64_t elements = 0;
    for (size_t i = 0; i < draft->input_count; i++)
        elements += draft->edit.in[i] ? draft->edit.in[i]->want.count : 0;
    if (g && draft->edit.status == QD_OK && elements <= MOST_VARIED) {
        assemble(g, draft);
        if (qd_graph_check(&g->graph, &draft->error) == QD_OK && !is_advisory(g) &&
            qd_sites_record(&g->graph, g->tensors, &search->made, want, &sites, &draft->error) ==
                QD_OK)
            ask_mutants(search, g, elements > LONG, sites, want);
    }
}

/* The site as it is, to be varied. */
static void begin(struct search *search, struct draft *draft, enum qd_variation_kind kind,
                  int operand, int64_t a, int64_t b)
{
    qd_arena_reset(&search->made);
    memset(draft, 0, sizeof *draft);
    search->variation = (struct qd_variation){kind, operand, a, b};
    const struct qd_evaluation evaluation = {
        .semantics = &draft->semantics, .arena = &search->made, .error = &draft->error};
    qd_edit_begin(&draft->edit, &evaluation, search->site->node, search->site->in);
    draft->input_count = search->site->node->input_count;
    for (int i = 0; i < QD_MAX_OPERANDS; i++)
        draft->same_as[i] = i;
}

/* --- Numbers ------------------------------------------------------------------------------------- */

static enum qd_role role_of(const struct search *search, size_t i)
{
    return qd_op_role(qd_op_at(search->op), i);
}

static int64_t spread(enum qd_dtype dtype, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    int64_t h = (i * 2654435761 + 40503) % 1000003;
    if (info->kind == QD_CLASS_FLOAT) {
        double x = (double)(h % 2001 - 1000) / 37;
        x = qd_float_format(dtype)->is_signed ? x : fabs(x);
        return (int64_t)qd_float_encode(dtype, qd_float_round(dtype, QD_NEAREST_EVEN, x), true);
    }
    if (info->bits >= 16)
        return info->bits == 16 ? h % 1001 - (info->min < 0 ? 500 : 0) : h % 200001 - 100000;
    return info->min + h % (info->max - info->min + 1);
}

/* Different numbers of an operand's kind. */
static int64_t number(const struct search *search, size_t operand, enum qd_dtype dtype, int64_t i)
{
    enum qd_role role = role_of(search, operand);
    if (role == QD_ROLE_SCALE && qd_dtype_is_float(dtype)) {
        double x = qd_float_round(dtype, QD_NEAREST_EVEN, 0.3 + 0.11 * (double)(i % 17));
        return (int64_t)qd_float_encode(dtype, x, true);
    }
    return spread(dtype, role == QD_ROLE_ZERO_POINT ? i * 3 + 1 : i);
}

/* Operand i becomes a tensor of different numbers. */
static void put_numbers(struct search *search, struct draft *draft, size_t i, enum qd_dtype dtype,
                        unsigned rank, const int64_t *dims)
{
    int64_t count = 1;
    for (unsigned k = 0; k < rank; k++)
        count *= dims[k] < MOST_VARIED ? dims[k] : MOST_VARIED;
    if (count > MOST_VARIED) {
        draft->edit.status = QD_LIMIT;
        return;
    }
    struct qd_tensor *tensor = qd_edit_new(&draft->edit, (int)i, dtype, rank, dims);
    for (int64_t k = 0; tensor && k < tensor->count; k++)
        qd_tensor_set(tensor, k, number(search, i, dtype, k));
}

/* Operand i has another type; its numbers as near as it can have them. */
static void retype(struct draft *draft, size_t i, enum qd_dtype dtype)
{
    struct qd_tensor old = draft->edit.in[i]->want;
    struct qd_tensor *tensor = qd_edit_new(&draft->edit, (int)i, dtype, old.rank, old.dims);
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    for (int64_t k = 0; tensor && k < tensor->count; k++) {
        double x = qd_tensor_value(&old, k);
        x = isnan(x) ? 0 : x;
        if (info->kind == QD_CLASS_FLOAT)
            x = (double)qd_float_encode(dtype, qd_float_round(dtype, QD_NEAREST_EVEN, x), true);
        else
            x = fmin(fmax(rint(x), (double)info->min / 2), (double)info->max / 2);
        qd_tensor_set(tensor, k, (int64_t)x);
    }
}

/* --- Variations ---------------------------------------------------------------------------------- */

static bool is_present(const struct search *search, size_t i)
{
    return i < search->site->node->input_count && search->site->in[i];
}

static bool is_computed_with(const struct search *search, size_t i)
{
    return is_present(search, i) && role_of(search, i) != QD_ROLE_CONTROL;
}

static void vary_bindings(struct search *search)
{
    struct draft draft;
    begin(search, &draft, QD_VARIATION_AS_IS, QD_NO_OPERAND, 0, 0);
    attempt(search, &draft);
    begin(search, &draft, QD_VARIATION_INITIALIZERS, QD_NO_OPERAND, 0, 0);
    draft.initializers = true;
    attempt(search, &draft);
    begin(search, &draft, QD_VARIATION_COMPUTED, QD_NO_OPERAND, 0, 0);
    draft.computed = true;
    attempt(search, &draft);
    begin(search, &draft, QD_VARIATION_SHOWN_TWICE, QD_NO_OPERAND, 0, 0);
    draft.shown_twice = true;
    attempt(search, &draft);
}

static void vary_numbers(struct search *search)
{
    struct draft draft;
    for (size_t one = 0; one <= search->site->node->input_count; one++) {
        bool all = one == search->site->node->input_count;
        begin(search, &draft, QD_VARIATION_NUMBERS, all ? QD_NO_OPERAND : (int)one, 0, 0);
        for (size_t i = 0; i < search->site->node->input_count; i++) {
            if (!is_computed_with(search, i) || (!all && i != one))
                continue;
            const struct qd_tensor t = search->site->in[i]->want;
            put_numbers(search, &draft, i, t.dtype, t.rank, t.dims);
        }
        attempt(search, &draft);
    }
}

/* What takes the type of operand i too: nothing, its zero point, all operands of its type, the same with other
 * numbers. */
enum { ALONE, WITH_ZERO_POINT, ALL_OF_TYPE, ALL_RENUMBERED, TIES };

static void vary_type(struct search *search, size_t i, enum qd_dtype type, int tie)
{
    struct draft draft;
    enum qd_dtype old = search->site->in[i]->want.dtype;
    int zero = qd_op_parameter(qd_op_at(search->op), (int)i, QD_ROLE_ZERO_POINT);
    begin(search, &draft, QD_VARIATION_TYPE, (int)i, type, tie);
    for (size_t k = 0; k < search->site->node->input_count; k++) {
        if (!is_present(search, k))
            continue;
        const struct qd_tensor *t = &search->site->in[k]->want;
        bool same = tie >= ALL_OF_TYPE && t->dtype == old;
        if (!same && k != i && !(tie == WITH_ZERO_POINT && (int)k == zero))
            continue;
        if (tie == ALL_RENUMBERED && role_of(search, k) != QD_ROLE_CONTROL)
            put_numbers(search, &draft, k, type, t->rank, t->dims);
        else
            retype(&draft, k, type);
    }
    attempt(search, &draft);
}

static void vary_types(struct search *search)
{
    static const enum qd_dtype types[] = {QD_F32, QD_F16, QD_BF16, QD_U8, QD_S8, QD_U16,
                                          QD_S16, QD_S32, QD_S64,  QD_U4, QD_S4, QD_BOOL};
    for (size_t i = 0; i < search->site->node->input_count; i++)
        for (size_t t = 0; is_present(search, i) && t < sizeof types / sizeof *types; t++)
            for (int tie = 0; tie < TIES; tie++)
                vary_type(search, i, types[t], tie);
}

/* Every axis of size `from` becomes `to`; axis >= 0: of one operand's axis alone. */
static void resize(struct search *search, int operand, int axis, int64_t from, int64_t to)
{
    struct draft draft;
    begin(search, &draft, QD_VARIATION_SIZE, operand, operand < 0 ? from : axis, to);
    for (size_t i = 0; i < search->site->node->input_count; i++) {
        if (!is_computed_with(search, i) || (operand >= 0 && (int)i != operand))
            continue;
        struct qd_tensor t = search->site->in[i]->want;
        bool changed = false;
        for (unsigned k = 0; k < t.rank; k++)
            if (axis >= 0 ? (int)k == axis : t.dims[k] == from) {
                t.dims[k] = to;
                changed = true;
            }
        if (changed)
            put_numbers(search, &draft, i, t.dtype, t.rank, t.dims);
    }
    attempt(search, &draft);
}

static size_t sizes_of(const struct search *search, int64_t *sizes, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < search->site->node->input_count; i++)
        for (unsigned k = 0; is_computed_with(search, i) && k < search->site->in[i]->want.rank;
             k++) {
            int64_t size = search->site->in[i]->want.dims[k];
            bool known = false;
            for (size_t n = 0; n < count; n++)
                known = known || sizes[n] == size;
            if (!known && count < most)
                sizes[count++] = size;
        }
    return count;
}

static void vary_sizes(struct search *search)
{
    static const int64_t to[] = {0, 1, 2, 3, 5, 6, 12, 101, 300, 66000};
    int64_t sizes[8];
    size_t count = sizes_of(search, sizes, 8);
    for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
        for (size_t n = 0; n < count; n++)
            resize(search, QD_NO_OPERAND, -1, sizes[n], to[t]);
        for (size_t i = 0; i < search->site->node->input_count; i++)
            for (unsigned k = 0; is_computed_with(search, i) && k < search->site->in[i]->want.rank;
                 k++)
                resize(search, (int)i, (int)k, 0, to[t]);
    }
    for (size_t a = 0; a < count; a++) /* two sizes equal */
        for (size_t b = 0; b < count; b++)
            resize(search, QD_NO_OPERAND, -1, sizes[a], sizes[b]);
}

/* --- Ranks */

enum { LEADING_1, LEADING_2, TRAILING_1, TRAILING_2, NO_LEADING, NO_TRAILING, SCALAR, RESHAPES };

static void rank_changed(struct qd_tensor *t, int how, int times)
{
    for (int n = 0; n < times && t->rank < QD_MAX_RANK - 1; n++) {
        int64_t size = how == LEADING_2 || how == TRAILING_2 ? 2 : 1;
        if (how == LEADING_1 || how == LEADING_2) {
            memmove(t->dims + 1, t->dims, t->rank * sizeof *t->dims);
            t->dims[0] = size;
            t->rank++;
        } else if (how == TRAILING_1 || how == TRAILING_2) {
            t->dims[t->rank++] = size;
        } else if (t->rank > 0) {
            t->rank = how == SCALAR ? 0 : t->rank - 1;
            if (how == NO_LEADING)
                memmove(t->dims, t->dims + 1, t->rank * sizeof *t->dims);
        }
    }
}

static void drop_lists(struct draft *draft)
{
    for (size_t i = 0; i < draft->edit.node.attr_count; i++)
        if (draft->edit.attrs[i].kind == QD_ATTR_INTS)
            qd_edit_drop(&draft->edit, draft->edit.attrs[i--].name);
}

static void vary_rank(struct search *search, int one, int how, int times, bool no_lists)
{
    struct draft draft;
    begin(search, &draft, QD_VARIATION_RANK, one, how, times);
    if (no_lists)
        drop_lists(&draft);
    for (size_t i = 0; i < search->site->node->input_count; i++) {
        enum qd_role role = role_of(search, i);
        bool with = one < 0 ? role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT : (int)i == one;
        if (!with || !is_computed_with(search, i))
            continue;
        struct qd_tensor t = search->site->in[i]->want;
        rank_changed(&t, how, times);
        put_numbers(search, &draft, i, t.dtype, t.rank, t.dims);
    }
    attempt(search, &draft);
}

static void vary_ranks(struct search *search)
{
    for (int i = QD_NO_OPERAND; i < (int)search->site->node->input_count; i++)
        for (int how = 0; how < RESHAPES; how++)
            for (int times = 1; times <= (how == SCALAR ? 1 : 4); times++)
                for (int lists = 0; lists < 2; lists++)
                    vary_rank(search, i, how, times, lists == 1);
}

/* --- Parameters */

/* Of one operand, and with it of the other parameter of the same owner; `like` is an operand whose rank it
 * gets, the size on one axis; −1: a vector. */
static void vector(struct search *search, size_t i, bool both, int64_t size, int axis,
                   unsigned rank)
{
    const struct qd_op *op = qd_op_at(search->op);
    struct draft draft;
    int64_t dims[QD_MAX_RANK] = {size};
    begin(search, &draft, QD_VARIATION_VECTOR, (int)i, size, axis);
    for (unsigned k = 0; axis >= 0 && k < rank; k++)
        dims[k] = (int)k == axis ? size : 1;
    for (size_t k = 0; k < search->site->node->input_count; k++)
        if (is_present(search, k) && (k == i || (both && qd_op_is_parameter(op, k) &&
                                                 qd_op_owner(op, k) == qd_op_owner(op, i))))
            put_numbers(search, &draft, k, search->site->in[k]->want.dtype, axis < 0 ? 1 : rank,
                        dims);
    attempt(search, &draft);
}

static void vary_parameters(struct search *search)
{
    int64_t sizes[9];
    size_t count = sizes_of(search, sizes, 8);
    unsigned rank = search->site->in[0] ? search->site->in[0]->want.rank : 0;
    sizes[count++] = 1;
    for (size_t i = 0; i < search->site->node->input_count; i++) {
        enum qd_role role = role_of(search, i);
        if (!is_present(search, i) || role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT ||
            role == QD_ROLE_CONTROL)
            continue;
        for (size_t n = 0; n < count; n++)
            for (int axis = -1; axis < (int)rank; axis++)
                for (int both = 0; both < 2; both++)
                    vector(search, i, both == 1, sizes[n], axis, rank);
    }
}

/* --- Lists: attributes and control operands */

enum { COUNTED, ZEROS, ONES, MINUS_ONES, FIRST_PLUS_1, BACKWARDS, BIG, HALF, LIST_CHANGES };

static int64_t list_number(const int64_t *old, int64_t count, int64_t i, int how)
{
    switch (how) {
    case COUNTED: return i;
    case ZEROS: return 0;
    case ONES: return 1;
    case MINUS_ONES: return -1;
    case FIRST_PLUS_1: return old[i] + (i == 0);
    case BACKWARDS: return old[count - 1 - i];
    case BIG: return 300;
    default: return old[i] / 2;
    }
}

static void vary_attribute(struct search *search, const struct qd_attr *attr, int which)
{
    struct draft draft;
    begin(search, &draft, QD_VARIATION_ATTRIBUTE, which, QD_NO_OPERAND, 0);
    qd_edit_drop(&draft.edit, attr->name);
    attempt(search, &draft);
    for (int how = 0; how < LIST_CHANGES; how++) {
        int64_t numbers[16];
        if (qd_op_is_flag(qd_op_at(search->op), attr->name) && how != ZEROS && how != ONES)
            continue;
        begin(search, &draft, QD_VARIATION_ATTRIBUTE, which, how, 0);
        if (attr->kind == QD_ATTR_INT)
            qd_edit_int(&draft.edit, attr->name, list_number(&attr->i, 1, 0, how));
        else if (attr->kind == QD_ATTR_INTS && attr->count <= 16) {
            for (size_t i = 0; i < attr->count; i++)
                numbers[i] = list_number(attr->ints, (int64_t)attr->count, (int64_t)i, how);
            qd_edit_ints(&draft.edit, attr->name, numbers, attr->count);
        } else if (attr->kind == QD_ATTR_FLOAT) {
            for (size_t i = 0; i < draft.edit.node.attr_count; i++)
                if (strcmp(draft.edit.attrs[i].name, attr->name) == 0)
                    draft.edit.attrs[i].f = how % 2 != 0 ? -0.37F * (float)how : 1.3F * (float)how;
        } else {
            continue;
        }
        attempt(search, &draft);
    }
}

static void vary_control(struct search *search, size_t operand, int how)
{
    struct draft draft;
    const struct qd_tensor *old = &search->site->in[operand]->want;
    int64_t numbers[16];
    if (old->count < 1 || old->count > 16 || !qd_dtype_is_integer(old->dtype))
        return;
    for (int64_t i = 0; i < old->count; i++)
        numbers[i] = qd_tensor_get(old, i);
    begin(search, &draft, QD_VARIATION_CONTROL, (int)operand, how, 0);
    struct qd_tensor *tensor = qd_edit_copy(&draft.edit, (int)operand);
    for (int64_t i = 0; tensor && i < old->count; i++)
        qd_tensor_set(tensor, i, list_number(numbers, old->count, i, how));
    attempt(search, &draft);
}

static void vary_lists(struct search *search)
{
    for (size_t i = 0; i < search->site->node->attr_count; i++)
        vary_attribute(search, &search->site->node->attrs[i], (int)i);
    for (size_t i = 0; i < search->site->node->input_count; i++)
        for (int how = 0; how < LIST_CHANGES; how++)
            if (is_present(search, i) && role_of(search, i) == QD_ROLE_CONTROL)
                vary_control(search, i, how);
}

/* --- What is there, and when */

static void vary_presence(struct search *search)
{
    static const enum qd_dtype types[] = {QD_F32, QD_U8, QD_S8, QD_S32, QD_S64};
    const struct qd_op *op = qd_op_at(search->op);
    struct draft draft;
    for (size_t i = 0; i < op->max_inputs && !op->variadic; i++) {
        if (is_present(search, i)) {
            begin(search, &draft, QD_VARIATION_ABSENT, (int)i, 0, 0);
            draft.edit.in[i] = NULL;
            attempt(search, &draft);
            continue;
        }
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            begin(search, &draft, QD_VARIATION_GIVEN, (int)i, types[t], 0);
            put_numbers(search, &draft, i, types[t], 0, NULL);
            draft.input_count = i + 1 > draft.input_count ? i + 1 : draft.input_count;
            attempt(search, &draft);
        }
    }
}

static void vary_the_rest(struct search *search)
{
    const struct qd_op *op = qd_op_at(search->op);
    const struct qd_node *node = search->site->node;
    struct draft draft;
    for (int64_t opset = op->since; *op->domain == '\0' && opset <= QD_MAX_OPSET; opset++) {
        begin(search, &draft, QD_VARIATION_OPSET, QD_NO_OPERAND, opset, 0);
        draft.edit.node.opset = opset;
        attempt(search, &draft);
    }
    for (size_t i = 0; i < node->input_count; i++)
        for (size_t k = i + 1; k < node->input_count; k++) {
            if (!is_present(search, i) || !is_present(search, k))
                continue;
            begin(search, &draft, QD_VARIATION_SAME, (int)i, (int64_t)k, 0);
            draft.edit.in[k] = draft.edit.in[i];
            draft.same_as[k] = (int)i;
            attempt(search, &draft);
        }
    for (size_t count = 1; op->variadic && count <= 9 && count <= op->max_inputs; count++) {
        begin(search, &draft, QD_VARIATION_OPERANDS, QD_NO_OPERAND, (int64_t)count, 0);
        for (size_t i = node->input_count; i < count; i++)
            draft.edit.in[i] = draft.edit.in[0];
        draft.input_count = count;
        attempt(search, &draft);
    }
}

/* --- All ----------------------------------------------------------------------------------------- */

static void search_site(struct search *search)
{
    vary_bindings(search);
    vary_numbers(search);
    vary_types(search);
    vary_sizes(search);
    vary_ranks(search);
    vary_parameters(search);
    vary_lists(search);
    vary_presence(search);
    vary_the_rest(search);
}

/* What makes nodes of an operator different enough to be varied each. */
static uint64_t kind_of(const struct qd_site *site)
{
    uint64_t kind = (uint64_t)site->node->attr_count;
    for (size_t i = 0; i < site->node->input_count && i < QD_MAX_OPERANDS; i++) {
        const struct qd_value *value = site->in[i];
        kind = kind * 1099511628211U +
               (value ? (uint64_t)value->want.rank * 64 + value->want.dtype : 7777U);
        kind = kind * 31 + (value && value->want.count > 1);
    }
    return kind;
}

static bool is_new_kind(struct qd_contract_kinds *kinds, const struct qd_site *site)
{
    uint64_t kind = kind_of(site);
    int64_t elements = 0;
    for (size_t i = 0; i < site->node->input_count; i++)
        elements += site->in[i] ? site->in[i]->want.count : 0;
    if (elements > MOST_AT_FIRST || kinds->count == QD_CONTRACT_KINDS)
        return false;
    for (size_t i = 0; i < kinds->count; i++)
        if (kinds->kinds[i] == kind)
            return false;
    kinds->kinds[kinds->count++] = kind;
    return true;
}

enum qd_status qd_contract_reach(const struct qd_contract *contract, size_t op,
                                 const struct qd_case *kase, struct qd_arena *arena,
                                 struct qd_contract_kinds *kinds, struct qd_contract_tally *tallies,
                                 struct qd_error *error)
{
    struct search search = {.contract = contract, .tallies = tallies, .op = op};
    struct qd_value outputs[QD_MAX_OPERANDS];
    struct qd_site *sites;
    if (kase->graph->output_count > QD_MAX_OPERANDS || kase->expect == QD_EXPECT_MUST_REJECT)
        return QD_OK;
    enum qd_status status =
        qd_sites_record(kase->graph, kase->inputs, arena, outputs, &sites, error);
    if (status != QD_OK)
        return status;
    qd_arena_init(&search.made, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&search.scratch, QD_ARENA_DEFAULT_BUDGET);
    for (search.site = sites; search.site; search.site = search.site->next)
        if (search.site->node->op == qd_op_at(op) && is_new_kind(kinds, search.site))
            search_site(&search);
    qd_arena_clear(&search.made);
    qd_arena_clear(&search.scratch);
    return QD_OK;
}

/* --- In words ------------------------------------------------------------------------------------ */

static const char *operand_words(const struct qd_op *op, int operand, char *text, size_t size)
{
    size_t length = 0;
    const char *name = operand < 0 ? "" : qd_op_operand_name(op, (size_t)operand, &length);
    if (operand < 0)
        snprintf(text, size, "every operand");
    else
        snprintf(text, size, "%.*s", (int)length, name);
    return text;
}

static void describe_shape(const struct qd_variation *v, const char *who, char *text, size_t size)
{
    static const char *const shapes[] = {"leading axes of 1",
                                         "leading axes of 2",
                                         "trailing axes of 1",
                                         "trailing axes of 2",
                                         "fewer leading axes",
                                         "fewer trailing axes",
                                         "rank 0"};
    long long a = v->a, b = v->b;
    if (v->kind == QD_VARIATION_RANK)
        snprintf(text, size, "%s with %lld %s", v->operand < 0 ? "data and weight" : who, b,
                 shapes[a]);
    else if (v->kind == QD_VARIATION_SIZE && v->operand < 0)
        snprintf(text, size, "every axis of %lld made %lld", a, b);
    else if (v->kind == QD_VARIATION_SIZE)
        snprintf(text, size, "axis %lld of %s made %lld", a, who, b);
    else if (b < 0)
        snprintf(text, size, "%s a vector of %lld", who, a);
    else
        snprintf(text, size, "%s with %lld on axis %lld, 1 elsewhere", who, a, b);
}

const char *qd_variation_describe(const struct qd_op *op, const struct qd_variation *v, char *text,
                                  size_t size)
{
    static const char *const lists[] = {"0, 1, 2 ...",    "zeros",     "ones", "-1",
                                        "first one more", "backwards", "300",  "halves"};
    char who[64];
    long long a = v->a, b = v->b;
    operand_words(op, v->operand, who, sizeof who);
    switch (v->kind) {
    case QD_VARIATION_NONE: snprintf(text, size, "nothing"); break;
    case QD_VARIATION_AS_IS:
        snprintf(text, size, "its node alone in a graph, operands as inputs");
        break;
    case QD_VARIATION_INITIALIZERS: snprintf(text, size, "its operands as initializers"); break;
    case QD_VARIATION_COMPUTED: snprintf(text, size, "its operands computed by nodes"); break;
    case QD_VARIATION_SHOWN_TWICE:
        snprintf(text, size, "its output read by another node too");
        break;
    case QD_VARIATION_NUMBERS: snprintf(text, size, "other numbers in %s", who); break;
    case QD_VARIATION_TYPE:
        snprintf(text, size, "%s of type %s%s", who, qd_dtype_info((enum qd_dtype)a)->word,
                 b == 0   ? ""
                 : b == 1 ? ", its zero point too"
                          : ", and all operands of its type");
        break;
    case QD_VARIATION_SIZE:
    case QD_VARIATION_RANK:
    case QD_VARIATION_VECTOR: describe_shape(v, who, text, size); break;
    case QD_VARIATION_ATTRIBUTE:
        snprintf(text, size, "an attribute %s", a < 0 ? "dropped" : lists[a]);
        break;
    case QD_VARIATION_CONTROL: snprintf(text, size, "%s: %s", who, lists[a]); break;
    case QD_VARIATION_ABSENT: snprintf(text, size, "without %s", who); break;
    case QD_VARIATION_GIVEN:
        snprintf(text, size, "with %s, a scalar of type %s", who,
                 qd_dtype_info((enum qd_dtype)a)->word);
        break;
    case QD_VARIATION_OPSET: snprintf(text, size, "opset %lld", a); break;
    case QD_VARIATION_SAME: {
        char other[64];
        snprintf(text, size, "%s and %s one value", who,
                 operand_words(op, (int)a, other, sizeof other));
        break;
    }
    case QD_VARIATION_OPERANDS: snprintf(text, size, "%lld operands", a); break;
    }
    return text;
}
