/* SPDX-License-Identifier: Apache-2.0 */
/* Which case is rewritten in which way: each way meets each feature of each operator, as long as there are cases. */
#include "rewritten.h"

#include "qdiff/features.h"
#include "rewritten_ways.h"
#include "twin.h"

#define MOST_WAYS 32
/* Cases of an operator and output type that a way did not fit, one after another: it is given up. */
#define MOST_VAIN 16
#define PLACES ((size_t)1 << 17)

/* --- What has been met ---------------------------------------------------------------------------- */

struct qd_rewritings {
    uint64_t keys[PLACES]; /* an open hash table; 0: free */
    uint8_t counts[PLACES];
    size_t used;
};

struct qd_rewritings *qd_rewritings_begin(struct qd_arena *arena)
{
    return qd_arena_alloc(arena, sizeof(struct qd_rewritings));
}

static uint64_t key_of(const char *text, uint64_t number)
{
    struct qd_random random = qd_random_seed(text, number);
    return qd_random_next(&random) | 1;
}

/* How often the key was counted. NULL: the table is full. */
static uint8_t *count_of(struct qd_rewritings *met, uint64_t key)
{
    size_t place = (key >> 1) % PLACES;
    while (met->keys[place] != key && met->keys[place] != 0)
        place = (place + 1) % PLACES;
    if (met->keys[place] == 0 && met->used == PLACES / 2)
        return NULL;
    met->used += met->keys[place] == 0;
    met->keys[place] = key;
    return &met->counts[place];
}

/* --- What a case is ------------------------------------------------------------------------------- */

struct facts {
    uint64_t op;         /* a hash */
    enum qd_dtype dtype; /* of the first output */
    uint16_t at[QD_FEATURE_COUNT + 2];
    size_t count;
};

static unsigned rank_of(const struct qd_case *kase)
{
    const struct qd_node *node = qd_graph_principal(kase->graph);
    const struct qd_tensor *tensor =
        node && node->input_count > 0 ? qd_case_tensor(kase, node->inputs[0]) : NULL;
    return tensor ? tensor->rank : QD_MAX_RANK + 1;
}

/* Its features, the type of the first output and the rank of what the operator reads first. */
static void find_facts(const struct qd_case *kase, struct facts *facts)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    facts->op = key_of(kase->op, 0);
    facts->dtype = qd_case_dtype(kase, kase->graph->outputs[0]);
    facts->count = 0;
    for (int f = 0; f < QD_FEATURE_COUNT; f++)
        if (qd_features_has(&features, (enum qd_feature)f))
            facts->at[facts->count++] = (uint16_t)f;
    facts->at[facts->count++] = (uint16_t)(QD_FEATURE_COUNT + facts->dtype);
    facts->at[facts->count++] = (uint16_t)(QD_FEATURE_COUNT + QD_DTYPE_COUNT + rank_of(kase));
}

static uint64_t key_of_fact(const struct facts *facts, size_t way, size_t fact)
{
    struct qd_random random = {facts->op + (way << 16 | fact)};
    return qd_random_next(&random) | 1;
}

/* Where a way's cases in vain are counted, for each type of output; no fact is as large. */
static size_t vain_of(const struct facts *facts)
{
    return 0x8000u + facts->dtype;
}

static size_t gain_of(struct qd_rewritings *met, const struct facts *facts, size_t way)
{
    size_t gain = 0;
    const uint8_t *vain = count_of(met, key_of_fact(facts, way, vain_of(facts)));
    if (!vain || *vain == MOST_VAIN)
        return 0;
    for (size_t i = 0; i < facts->count; i++) {
        const uint8_t *count = count_of(met, key_of_fact(facts, way, facts->at[i]));
        gain += count && *count == 0;
    }
    return gain;
}

static void note(struct qd_rewritings *met, const struct facts *facts, size_t way, bool made)
{
    uint8_t *vain = count_of(met, key_of_fact(facts, way, vain_of(facts)));
    if (vain)
        *vain = made ? 0 : (uint8_t)(*vain + 1);
    for (size_t i = 0; made && i < facts->count; i++) {
        uint8_t *count = count_of(met, key_of_fact(facts, way, facts->at[i]));
        if (count)
            *count = 1;
    }
}

/* --- Which cases ---------------------------------------------------------------------------------- */

/* What every backend moves and quantizes: others refuse the nodes that are added where they take the case. */
static bool is_common(enum qd_dtype dtype)
{
    return dtype == QD_F32 || dtype == QD_U8 || dtype == QD_S8;
}

/* Whether all numbers that the case computes with, and what comes out, are of such types. */
static bool is_of_common_types(const struct qd_case *kase)
{
    const struct qd_graph *graph = kase->graph;
    for (size_t v = 0; v < graph->value_count; v++) {
        const struct qd_tensor *tensor = qd_case_tensor(kase, (int)v);
        if (tensor && !is_common(tensor->dtype) && qd_is_read_as_numbers(graph, (int)v))
            return false;
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        enum qd_dtype dtype = qd_case_dtype(kase, graph->outputs[i]);
        if (!is_common(dtype) && dtype != QD_S32)
            return false;
    }
    return graph->output_count > 0;
}

/* Further draws of numbers have the slug of the first: what is rewritten does not depend on them. */
static bool is_first_of_slug(struct qd_rewritings *met, const struct qd_case *kase,
                             struct qd_arena *arena)
{
    const char *slug = qd_twin_slug(kase, "", arena);
    uint8_t *count = slug ? count_of(met, key_of(slug, 1)) : NULL;
    return count && (*count)++ == 0;
}

/* --- The twin ------------------------------------------------------------------------------------- */

const char *qd_rewritten_word(size_t i)
{
    const struct qd_rewriting_way *way = qd_rewriting_way_at(i);
    return way ? way->word : NULL;
}

/* The twin of one way; *made stays false where it does not fit. */
static enum qd_status try(struct qd_rewriting *r, const struct qd_rewriting_way *way, bool *made,
                          struct qd_case *twin, struct qd_error *error)
{
    struct qd_arena *arena = r->edit.arena;
    enum qd_status status = qd_case_edit_begin(r->kase, arena, &r->edit, error);
    r->random = qd_random_seed(r->kase->id, 2);
    if (status != QD_OK || !way->rewrite(r))
        return status;
    status = qd_twin_finish(&r->edit, r->kase, way->word, QD_TWIN_NOTE_REWRITING, twin, error);
    *made = status == QD_OK && qd_twin_is_valid(twin);
    return status == QD_INVALID || status == QD_UNSUPPORTED ? QD_OK : status;
}

/* Tries the ways, those that meet most that is new first. */
static enum qd_status try_ways(struct qd_rewriting *r, struct qd_rewritings *met,
                               const struct facts *facts, bool *made, struct qd_case *twin,
                               struct qd_error *error)
{
    size_t gains[MOST_WAYS] = {0}, best;
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < MOST_WAYS && qd_rewriting_way_at(i); i++)
        gains[i] = gain_of(met, facts, i);
    do {
        best = 0;
        for (size_t i = 0; i < MOST_WAYS && qd_rewriting_way_at(i); i++)
            best = gains[i] > gains[best] ? i : best;
        if (gains[best] == 0)
            break;
        gains[best] = 0;
        status = try(r, qd_rewriting_way_at(best), made, twin, error);
        note(met, facts, best, *made);
    } while (status == QD_OK && !*made);
    return status;
}

enum qd_status qd_rewritten_twin(const struct qd_case *kase, struct qd_rewritings *met,
                                 struct qd_arena *arena, bool *made, struct qd_case *twin,
                                 struct qd_error *error)
{
    struct qd_rewriting r = {.edit = {.arena = arena}, .kase = kase};
    struct facts facts;
    *made = false;
    if (!qd_twin_is_possible(kase) || !is_of_common_types(kase) ||
        !is_first_of_slug(met, kase, arena))
        return QD_OK;
    find_facts(kase, &facts);
    return try_ways(&r, met, &facts, made, twin, error);
}
