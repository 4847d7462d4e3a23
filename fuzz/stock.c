/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "generate_parts.h"
#include "qdiff/features.h"

/* --- Collecting ------------------------------------------------------------------------------- */

#define STOCK_CAPACITY 65536
#define STOCK_MAX_BYTES ((size_t)1 << 19) /* of one case: a sum that leaves int32 needs 150 KB */

struct collector {
    struct qd_stock stock;
    struct qd_arena *arena;
    enum qd_status status;
    struct qd_error *error;
};

/* What the case takes, constants included. */
static int64_t elements_of(const struct qd_case *kase)
{
    int64_t elements = 0;
    for (size_t i = 0; i < kase->graph->input_count; i++)
        elements += kase->inputs[i].count;
    for (size_t v = 0; v < kase->graph->value_count; v++)
        if (kase->graph->values[v].initializer)
            elements += kase->graph->values[v].initializer->count;
    return elements;
}

/* Cases live only while they are visited: each is decoded again, into the stock's arena. */
static enum qd_visit collect(void *context, const struct qd_case *kase)
{
    struct collector *c = context;
    struct qd_arena arena;
    uint8_t *bytes;
    size_t size;
    if (kase->expect != QD_EXPECT_VALID || c->stock.count == STOCK_CAPACITY)
        return QD_VISIT_GO_ON;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    c->status = qd_case_encode(kase, &arena, &bytes, &size, c->error);
    if (c->status == QD_OK && size <= STOCK_MAX_BYTES) {
        c->status =
            qd_case_decode(bytes, size, c->arena, &c->stock.cases[c->stock.count], c->error);
        if (c->status == QD_OK)
            c->stock.elements[c->stock.count] = elements_of(&c->stock.cases[c->stock.count]);
        c->stock.count += c->status == QD_OK;
    }
    qd_arena_clear(&arena);
    return c->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

/* --- Strata ----------------------------------------------------------------------------------- */

/* The cases that `belongs` marks become one stratum, unless there are none. */
static bool add_stratum(struct qd_stock *stock, struct qd_arena *arena, const bool *belongs)
{
    size_t count = 0;
    for (size_t i = 0; i < stock->count; i++)
        count += belongs[i];
    if (count == 0)
        return true;
    struct qd_stratum *made = &stock->strata[stock->stratum_count++];
    made->members = qd_arena_array(arena, count, sizeof *made->members);
    for (size_t i = 0; made->members && i < stock->count; i++)
        if (belongs[i])
            made->members[made->count++] = (uint32_t)i;
    return made->members;
}

/* One for each feature and each operator. `marks` and `taken` have an entry for each case. */
static bool add_strata(struct qd_stock *stock, struct qd_arena *arena,
                       const struct qd_features *features, bool *marks, bool *taken)
{
    bool good = true;
    for (int f = 0; good && f < QD_FEATURE_COUNT; f++) {
        for (size_t i = 0; i < stock->count; i++)
            marks[i] = qd_features_has(&features[i], (enum qd_feature)f);
        good = add_stratum(stock, arena, marks);
    }
    for (size_t first = 0; good && first < stock->count; first++) {
        if (taken[first])
            continue;
        for (size_t i = 0; i < stock->count; i++) {
            marks[i] = strcmp(stock->cases[i].op, stock->cases[first].op) == 0;
            taken[i] = taken[i] || marks[i];
        }
        good = add_stratum(stock, arena, marks);
    }
    return good;
}

static bool make_strata(struct qd_stock *stock, struct qd_arena *arena)
{
    struct qd_features *features = qd_arena_array(arena, stock->count, sizeof *features);
    bool *marks = qd_arena_array(arena, stock->count, sizeof *marks);
    bool *taken = qd_arena_array(arena, stock->count, sizeof *taken);
    stock->strata = qd_arena_array(arena, QD_FEATURE_COUNT + stock->count, sizeof *stock->strata);
    if (!features || !marks || !taken || !stock->strata)
        return false;
    for (size_t i = 0; i < stock->count; i++)
        qd_case_features(&stock->cases[i], &features[i]);
    return add_strata(stock, arena, features, marks, taken);
}

enum qd_status qd_stock_make(enum qd_level level, struct qd_arena *arena, struct qd_stock *stock,
                             struct qd_error *error)
{
    struct collector c = {.arena = arena, .error = error};
    const struct qd_suite_options options = {.level = level, .cases_dir = NULL};
    c.stock.cases = qd_arena_array(arena, STOCK_CAPACITY, sizeof *c.stock.cases);
    c.stock.elements = qd_arena_array(arena, STOCK_CAPACITY, sizeof *c.stock.elements);
    if (!c.stock.cases || !c.stock.elements)
        return qd_fail(error, QD_NO_MEMORY, "no room for the stock");
    enum qd_status status = qd_suite_visit(&options, collect, &c, error);
    status = c.status == QD_OK ? status : c.status;
    if (status == QD_OK && !make_strata(&c.stock, arena))
        status = qd_fail(error, QD_NO_MEMORY, "no room for the stock");
    if (status == QD_OK)
        *stock = c.stock;
    return status;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

/* The index of a case of the families that this run keeps to; of one stratum, unless that is NULL. */
static size_t draw(const struct qd_mutation *mutation, const struct qd_stratum *stratum,
                   struct qd_random *random)
{
    const struct qd_stock *stock = mutation->stock;
    size_t i = 0;
    for (int attempt = 0; attempt < 64; attempt++) {
        i = (size_t)qd_random_range(random, 0,
                                    (int64_t)(stratum ? stratum->count : stock->count) - 1);
        i = stratum ? stratum->members[i] : i;
        struct qd_random swarm = qd_random_seed(stock->cases[i].op, mutation->swarm);
        if (mutation->swarm == 0 || qd_random_next(&swarm) % 2 == 0)
            break;
    }
    return i;
}

#define SMALL_ELEMENTS 260 /* that a case takes: of what is made so, half gives more than 64 */

/* Each third case is of a feature or an operator that is drawn first, so that
 * rare ones come often. A fuzzer's case is small as a
 * rule: if the first one drawn is not, it is the smaller of two. One in 64 is the largest of up to 64: only long sums
 * leave a type. */
const struct qd_case *qd_stock_pick(const struct qd_mutation *mutation, struct qd_random *random)
{
    const struct qd_stock *stock = mutation->stock;
    const struct qd_stratum *stratum = NULL;
    bool large = qd_random_range(random, 1, 64) == 1;
    if (!large && stock->stratum_count > 0 && qd_random_range(random, 1, 3) == 1)
        stratum = &stock->strata[qd_random_range(random, 0, (int64_t)stock->stratum_count - 1)];
    size_t best = draw(mutation, stratum, random);
    int64_t more = (int64_t)1 << qd_random_range(random, 1, 6);
    if (!large)
        more = stock->elements[best] > SMALL_ELEMENTS ? (stratum ? 3 : 1) : 0;
    for (; more > 0; more--) {
        size_t other = draw(mutation, stratum, random);
        if (large ? stock->elements[other] > stock->elements[best]
                  : stock->elements[other] < stock->elements[best])
            best = other;
    }
    return &stock->cases[best];
}
