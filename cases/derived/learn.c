/* SPDX-License-Identifier: Apache-2.0 */
/* Which levels go together, learned from the reference's refusals; and rows that hold every pair of those that do. */
#include <string.h>

#include "derived/learn.h"

#define MOST_ROUNDS 40
#define MOST_DRAWS 4000

/* The sentence of a refusal, without the numbers of one case where there is a rule. */
static const char *excuse_of(struct qd_arena *arena, const struct qd_error *error)
{
    return qd_arena_string(arena, *error->rule ? error->rule : error->text);
}

bool qd_learn_is_refusal(enum qd_status status)
{
    return status == QD_INVALID || status == QD_UNSUPPORTED || status == QD_LIMIT;
}

/* Whether some output has an element that the specification determines. Of the level that asks for none the shape is
 * all there is. */
static bool compares(const struct qd_learner *l, const uint8_t *row, const struct qd_case *kase,
                     const struct qd_value *values)
{
    unsigned alone = l->outline.count - 1;
    if (strcmp(l->outline.factors[alone].words[row[alone]], "no_elements") == 0)
        return values[0].want.count == 0;
    for (size_t o = 0; o < kase->graph->output_count; o++)
        for (int64_t i = 0; i < values[o].want.count; i++)
            if (!values[o].flags || !(values[o].flags[i] & QD_UNSPECIFIED))
                return true;
    return false;
}

static bool is_at_an_end(const struct qd_tensor *tensor, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    int64_t code = qd_tensor_get(tensor, i);
    return qd_dtype_is_integer(tensor->dtype) && (code == info->min || code == info->max);
}

/* Whether some element is not at an end of its type: else most of what goes wrong before it goes unseen. */
static bool sees(const struct qd_case *kase, const struct qd_value *values)
{
    for (size_t o = 0; o < kase->graph->output_count; o++)
        for (int64_t i = 0; i < values[o].want.count; i++)
            if (!is_at_an_end(&values[o].want, i))
                return true;
    return false;
}

/* Makes the case, of small extents if `outputs` is NULL, and evaluates it. INVALID, UNSUPPORTED or
 * LIMIT: it is refused, `error` says why. */
static enum qd_status try_row(struct qd_learner *l, const uint8_t *row,
                              const struct qd_derived_output *outputs)
{
    struct qd_case kase;
    qd_arena_reset(&l->scratch);
    *l->error = (struct qd_error){0};
    l->probes++;
    enum qd_status status =
        qd_derived_make(&l->outline, row, l->base, outputs, &l->scratch, &kase, l->error);
    if (status != QD_OK)
        return status;
    struct qd_value *values = qd_arena_array(&l->scratch, kase.graph->output_count, sizeof *values);
    if (!values)
        return qd_fail(l->error, QD_NO_MEMORY, "no room for outputs");
    status = qd_graph_evaluate(kase.graph, kase.inputs, NULL, &l->scratch, values, l->error);
    for (size_t o = 0;
         status == QD_OK && !outputs && o < kase.graph->output_count && o < QD_DERIVED_MAX_OUTPUTS;
         o++)
        l->outputs[o] = (struct qd_derived_output){values[o].want.dtype, values[o].want.rank};
    if (status == QD_OK && !compares(l, row, &kase, values))
        return qd_fail(l->error, QD_UNSUPPORTED, "no element of the output is specified");
    if (status == QD_OK && l->sees && values[0].want.count > 0 && !sees(&kase, values))
        return qd_fail(l->error, QD_UNSUPPORTED, "every element is at an end of its type");
    for (size_t o = 0; status == QD_OK && o < kase.graph->output_count; o++)
        if ((double)values[o].want.count > QD_DERIVED_MOST_OUTPUTS &&
            row[l->outline.count - 1] == 0)
            return qd_fail(l->error, QD_UNSUPPORTED, "too large for one of many cases");
    return status;
}

enum qd_status qd_learn_probe(struct qd_learner *l, const uint8_t *row)
{
    memset(l->outputs, 0, sizeof l->outputs);
    return try_row(l, row, NULL);
}

/* --- The base ------------------------------------------------------------------------------------- */

/* Tries the levels of a factor in the base: the first that is valid or, with `nearly`, that is
 * refused for another reason. */
static enum qd_status try_levels(struct qd_learner *l, unsigned f, bool nearly, bool *valid,
                                 bool *moved)
{
    struct qd_error before = *l->error;
    uint8_t level = l->base[f];
    for (unsigned v = level + 1; v < l->outline.factors[f].levels; v++) {
        l->base[f] = (uint8_t)v;
        enum qd_status status = qd_learn_probe(l, l->base);
        *valid = status == QD_OK;
        *moved = *valid || (nearly && strcmp(before.text, l->error->text) != 0);
        if (*moved || !qd_learn_is_refusal(status))
            return *moved ? QD_OK : status;
    }
    l->base[f] = level;
    *l->error = before;
    return QD_OK;
}

/* Changes one level: to what is valid, or else what the refusal names to what is refused for another reason. */
static enum qd_status step_to_base(struct qd_learner *l, bool *valid, bool *moved)
{
    enum qd_status status = QD_OK;
    *valid = *moved = false;
    for (int nearly = 0; nearly < 2; nearly++)
        for (unsigned f = 0; f < l->table.factor_count && status == QD_OK && !*moved; f++)
            if (!nearly || strstr(l->error->text, l->outline.factors[f].name))
                status = try_levels(l, f, nearly, valid, moved);
    return status;
}

/* Two levels that make the base valid. */
static enum qd_status try_pairs(struct qd_learner *l, bool *valid)
{
    enum qd_status status = QD_OK;
    bool moved;
    for (unsigned f = 0; f < l->table.factor_count; f++) {
        uint8_t level = l->base[f];
        for (unsigned v = 0; v < l->outline.factors[f].levels; v++) {
            l->base[f] = (uint8_t)v;
            for (unsigned g = f + 1; g < l->table.factor_count && status == QD_OK && !*valid; g++)
                status = try_levels(l, g, false, valid, &moved);
            if (*valid || status != QD_OK)
                return status;
        }
        l->base[f] = level;
    }
    return status;
}

enum qd_status qd_learn_base(struct qd_learner *l)
{
    bool valid = false, moved = true;
    enum qd_status first = qd_learn_probe(l, l->base), status = QD_OK;
    valid = first == QD_OK;
    while (!valid && moved && status == QD_OK)
        status = step_to_base(l, &valid, &moved);
    if (!valid && status == QD_OK)
        status = try_pairs(l, &valid);
    return valid || status != QD_OK ? status : first;
}

/* --- Refusals ------------------------------------------------------------------------------------- */

static enum qd_status exclude(struct qd_learner *l, unsigned f, uint32_t mask, unsigned g,
                              uint32_t other)
{
    if (l->exclusion_count == QD_LEARN_MAX_EXCLUSIONS)
        return qd_fail(l->error, QD_LIMIT, "more than %d exclusions", QD_LEARN_MAX_EXCLUSIONS);
    l->exclusions[l->exclusion_count++] = (struct qd_exclusion){{f, g}, {mask, other}};
    return QD_OK;
}

static enum qd_status note_hole(struct qd_learner *l, const unsigned *factors, size_t count,
                                const uint8_t *row)
{
    if (l->hole_count == QD_LEARN_MAX_HOLES)
        return qd_fail(l->error, QD_LIMIT, "more than %d holes", QD_LEARN_MAX_HOLES);
    struct qd_derived_hole *hole = &l->holes[l->hole_count++];
    *hole = (struct qd_derived_hole){.count = count, .excuse = excuse_of(l->arena, l->error)};
    for (size_t i = 0; i < count; i++)
        hole->choices[i] =
            (struct qd_derived_choice){l->outline.factors[factors[i]].name,
                                       l->outline.factors[factors[i]].words[row[factors[i]]]};
    return hole->excuse ? QD_OK : qd_fail(l->error, QD_NO_MEMORY, "no room for an excuse");
}

/* Takes the row back to the base as far as it stays refused, and says which factors are left.
 * What another level needs, by an exclusion that is known, stays without being counted. `error`
 * is the last refusal's. */
static enum qd_status shrink(struct qd_learner *l, uint8_t *row, unsigned *factors, size_t *count,
                             bool *needs)
{
    bool needed[QD_COVERING_MAX_FACTORS] = {false};
    l->table.exclusion_count = l->exclusion_count;
    for (unsigned f = 0; f < l->table.factor_count; f++) {
        uint8_t level = row[f];
        if (level == l->base[f])
            continue;
        row[f] = l->base[f];
        needed[f] = !qd_covering_row_valid(&l->table, row);
        enum qd_status status = needed[f] ? QD_OK : qd_learn_probe(l, row);
        if (status != QD_OK && !qd_learn_is_refusal(status))
            return status;
        if (status == QD_OK)
            row[f] = level;
    }
    *count = 0;
    for (unsigned f = 0; f < l->table.factor_count; f++)
        if (row[f] != l->base[f] && !needed[f])
            factors[(*count)++] = f;
        else if (row[f] != l->base[f])
            *needs = true;
    enum qd_status status = qd_learn_probe(l, row); /* its own reason again */
    return qd_learn_is_refusal(status) || status == QD_OK ? QD_OK : status;
}

/* A level that is refused beside the base may go with another level of one more factor: then
 * those that it does not go with are excluded, else the level is. */
static enum qd_status learn_level(struct qd_learner *l, unsigned f, uint8_t level)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    memcpy(row, l->base, sizeof row);
    row[f] = level;
    for (unsigned g = 0; g < l->table.factor_count; g++) {
        uint32_t refused = 0, all = (UINT32_C(1) << l->outline.factors[g].levels) - 1;
        if (g == f)
            continue;
        for (unsigned v = 0; v < l->outline.factors[g].levels; v++) {
            row[g] = (uint8_t)v;
            enum qd_status status = qd_learn_probe(l, row);
            if (status != QD_OK && !qd_learn_is_refusal(status))
                return status;
            refused |= (uint32_t)(status != QD_OK) << v;
        }
        row[g] = l->base[g];
        if (refused != all)
            return exclude(l, f, UINT32_C(1) << level, g, refused);
    }
    return exclude(l, f, UINT32_C(1) << level, f ? 0 : 1, UINT32_MAX);
}

enum qd_status qd_learn_refusal(struct qd_learner *l, const uint8_t *refused, size_t *size)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    unsigned f[QD_COVERING_MAX_FACTORS];
    memcpy(row, refused, l->outline.count);
    bool needs = false;
    enum qd_status status = shrink(l, row, f, size, &needs);
    if (status == QD_OK)
        status = note_hole(l, f, *size, row);
    if (status == QD_OK && *size == 1 && needs)
        *size = 3; /* that level and what it needs */
    else if (status == QD_OK && *size == 1)
        status = learn_level(l, f[0], row[f[0]]);
    if (status == QD_OK && *size == 2)
        status = exclude(l, f[0], UINT32_C(1) << row[f[0]], f[1], UINT32_C(1) << row[f[1]]);
    return status;
}

/* Each level by itself. */
static enum qd_status learn_levels(struct qd_learner *l)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    size_t size = 0;
    enum qd_status status = QD_OK;
    for (unsigned f = 0; f < l->table.factor_count && status == QD_OK; f++)
        for (unsigned v = 0; v < l->outline.factors[f].levels && status == QD_OK; v++) {
            memcpy(row, l->base, sizeof row);
            row[f] = (uint8_t)v;
            status = v == l->base[f] ? QD_OK : qd_learn_probe(l, row);
            if (qd_learn_is_refusal(status))
                status = qd_learn_refusal(l, row, &size);
        }
    return status;
}

/* --- Rows ----------------------------------------------------------------------------------------- */

/* Keeps the row that was probed last, unless the reference refuses it as large as it is. */
static enum qd_status keep(struct qd_learner *l, const uint8_t *row)
{
    for (size_t r = 0; r < l->row_count; r++)
        if (memcmp(l->rows + r * QD_COVERING_MAX_FACTORS, row, l->outline.count) == 0)
            return QD_OK;
    if (l->row_count == QD_LEARN_MAX_ROWS)
        return qd_fail(l->error, QD_LIMIT, "more than %d rows", QD_LEARN_MAX_ROWS);
    struct qd_derived_output outputs[QD_DERIVED_MAX_OUTPUTS];
    memcpy(outputs, l->outputs, sizeof outputs);
    enum qd_status status = try_row(l, row, outputs);
    if (status != QD_OK)
        return status;
    memcpy(l->row_outputs + l->row_count * QD_DERIVED_MAX_OUTPUTS, outputs, sizeof outputs);
    memcpy(l->rows + l->row_count++ * QD_COVERING_MAX_FACTORS, row, l->outline.count);
    return QD_OK;
}

enum qd_status qd_learn_offer(struct qd_learner *l, const uint8_t *row)
{
    enum qd_status status = qd_learn_probe(l, row);
    return status == QD_OK ? keep(l, row) : status;
}

/* Sets back what is too much, one by one, until the row is taken; keeps it then. */
static enum qd_status repair(struct qd_learner *l, const uint8_t *refused)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    enum qd_status status = QD_INVALID;
    memcpy(row, refused, l->outline.count);
    for (unsigned f = l->table.factor_count; f-- > 0 && qd_learn_is_refusal(status);)
        if (row[f] != l->base[f]) {
            row[f] = l->base[f];
            status = qd_covering_row_valid(&l->table, row) ? qd_learn_probe(l, row) : QD_INVALID;
        }
    status = status == QD_OK ? keep(l, row) : status;
    return qd_learn_is_refusal(status) ? QD_OK : status;
}

/* One array under the exclusions so far; *settled: it held nothing that an exclusion could say. */
static enum qd_status try_array(struct qd_learner *l, unsigned strength, size_t first,
                                bool *settled)
{
    struct qd_covering array;
    size_t size = 0;
    l->table.exclusion_count = l->exclusion_count;
    qd_arena_reset(&l->array);
    enum qd_status status = qd_covering_make(&l->table, strength, &l->array, &array, l->error);
    *settled = true;
    l->row_count = first;
    for (size_t r = 0; status == QD_OK && r < array.row_count; r++) {
        uint8_t row[QD_COVERING_MAX_FACTORS] = {0};
        memcpy(row, array.rows + r * l->table.factor_count, l->table.factor_count);
        l->table.exclusion_count = l->exclusion_count;
        if (!qd_covering_row_valid(&l->table, row))
            continue; /* by what an earlier row of this array taught */
        status = qd_learn_probe(l, row);
        if (status == QD_OK) {
            status = keep(l, row);
            status = qd_learn_is_refusal(status) ? QD_OK : status;
        } else if (qd_learn_is_refusal(status)) {
            status = qd_learn_refusal(l, row, &size);
            *settled = *settled && size > 2;
            status = status == QD_OK && size > 2 ? repair(l, row) : status;
        }
    }
    return status;
}

static bool says(const struct qd_exclusion *e, unsigned f, unsigned v, unsigned g, unsigned w)
{
    return e->factors[0] == f && e->masks[0] >> v & 1 &&
           (e->masks[1] == UINT32_MAX || (e->factors[1] == g && e->masks[1] >> w & 1));
}

bool qd_learn_excludes(const struct qd_learner *l, unsigned f, unsigned v, unsigned g, unsigned w)
{
    for (unsigned i = 0; i < l->exclusion_count; i++)
        if (says(&l->exclusions[i], f, v, g, w) || says(&l->exclusions[i], g, w, f, v))
            return true;
    return false;
}

/* Whether some row has both levels; with `valid` one that breaks no exclusion. */
static bool has_row(const struct qd_learner *l, unsigned f, unsigned v, unsigned g, unsigned w,
                    bool valid)
{
    for (size_t r = 0; r < l->row_count; r++) {
        const uint8_t *row = l->rows + r * QD_COVERING_MAX_FACTORS;
        if (row[f] == v && row[g] == w && (!valid || qd_covering_row_valid(&l->table, row)))
            return true;
    }
    return false;
}

bool qd_learn_has(const struct qd_learner *l, unsigned f, unsigned v, unsigned g, unsigned w)
{
    return has_row(l, f, v, g, w, false);
}

/* An exclusion that the row breaks, NULL if there is none. */
static const struct qd_exclusion *broken(const struct qd_learner *l, const uint8_t *row)
{
    for (unsigned i = 0; i < l->exclusion_count; i++) {
        const struct qd_exclusion *e = &l->exclusions[i];
        if (e->masks[0] >> row[e->factors[0]] & 1 && e->masks[1] >> row[e->factors[1]] & 1)
            return e;
    }
    return NULL;
}

/* Whether up to `more` further levels make the exclusions agree with a row that has those of f and g; sets them. */
static bool complete(const struct qd_learner *l, uint8_t *row, unsigned f, unsigned g, int more)
{
    const struct qd_exclusion *e = broken(l, row);
    for (int i = 0; e && i < 2 && more > 0; i++) {
        unsigned h = e->factors[i];
        uint8_t level = row[h];
        for (unsigned v = 0; v < l->outline.factors[h].levels && h != f && h != g; v++) {
            row[h] = (uint8_t)v;
            if (v != level && complete(l, row, f, g, more - 1))
                return true;
        }
        row[h] = level;
    }
    return !e;
}

enum qd_status qd_learn_hole(struct qd_learner *l, unsigned f, unsigned g, const uint8_t *row)
{
    enum qd_status status = note_hole(l, (const unsigned[]){f, g}, f == g ? 1 : 2, row);
    return status != QD_OK || f == g
               ? status
               : exclude(l, f, UINT32_C(1) << row[f], g, UINT32_C(1) << row[g]);
}

/* The base with two levels and what they need, if no row has them; what is refused then is a hole. */
static enum qd_status add_pair(struct qd_learner *l, unsigned f, unsigned v, unsigned g, unsigned w)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    memcpy(row, l->base, sizeof row);
    row[f] = (uint8_t)v;
    row[g] = (uint8_t)w;
    l->table.exclusion_count = l->exclusion_count;
    if (qd_learn_has(l, f, v, g, w) || !complete(l, row, f, g, 3))
        return QD_OK;
    enum qd_status status = qd_learn_offer(l, row);
    return qd_learn_is_refusal(status) ? qd_learn_hole(l, f, g, row) : status;
}

typedef enum qd_status adder(struct qd_learner *, unsigned, unsigned, unsigned, unsigned);

/* Adds each pair of levels of two factors, or of `single` each level. */
static enum qd_status add_pairs(struct qd_learner *l, bool single, adder *add)
{
    enum qd_status status = QD_OK;
    for (unsigned f = 0; f < l->table.factor_count; f++)
        for (unsigned g = single ? f : f + 1; g < (single ? f + 1 : l->table.factor_count); g++)
            for (unsigned v = 0; v < l->outline.factors[f].levels; v++)
                for (unsigned w = single ? v : 0;
                     w < (single ? v + 1 : l->outline.factors[g].levels); w++) {
                    status = add(l, f, v, g, w);
                    if (status != QD_OK)
                        return status;
                }
    return status;
}

enum qd_status qd_learn_rows(struct qd_learner *l, unsigned strength)
{
    bool settled = false;
    size_t first = l->row_count;
    enum qd_status status = strength == 1 ? learn_levels(l) : QD_OK;
    for (int round = 0; round < MOST_ROUNDS && status == QD_OK && !settled; round++)
        status = try_array(l, strength, first, &settled);
    return status == QD_OK ? add_pairs(l, strength == 1, add_pair) : status;
}

/* Level v of the last factor in the base, or else with the first level of another factor that it is taken with. */
static enum qd_status add_alone(struct qd_learner *l, uint8_t v)
{
    unsigned last = l->outline.count - 1;
    uint8_t row[QD_COVERING_MAX_FACTORS];
    memcpy(row, l->base, sizeof row);
    row[last] = v;
    enum qd_status status = qd_learn_search(l, row, last, last, 1);
    return qd_learn_is_refusal(status) ? note_hole(l, &last, 1, row) : status;
}

enum qd_status qd_learn_alone(struct qd_learner *l)
{
    enum qd_status status = QD_OK;
    for (unsigned v = 1; v < l->outline.factors[l->outline.count - 1].levels; v++)
        if (status == QD_OK)
            status = add_alone(l, (uint8_t)v);
    return status;
}

/* One of the rows with other levels of a few factors, which meets no others' levels. */
static void draw(const struct qd_learner *l, struct qd_random *random, uint8_t *row)
{
    int64_t from = qd_random_range(random, 0, (int64_t)l->row_count - 1);
    unsigned last = l->table.factor_count;
    memcpy(row, l->rows + from * QD_COVERING_MAX_FACTORS, QD_COVERING_MAX_FACTORS);
    row[last] = l->base[last];
    for (int64_t more = qd_random_range(random, 1, 4); more > 0; more--) {
        int64_t f = qd_random_range(random, 0, last - 1);
        row[f] = (uint8_t)qd_random_range(random, 0, l->outline.factors[f].levels - 1);
    }
}

enum qd_status qd_learn_more(struct qd_learner *l)
{
    struct qd_random random = qd_random_seed(l->outline.op->name, 0);
    uint8_t row[QD_COVERING_MAX_FACTORS];
    enum qd_status status = QD_OK;
    l->needed = l->row_count;
    for (int i = 0; i < MOST_DRAWS && l->row_count < QD_LEARN_LEAST_ROWS && status == QD_OK; i++) {
        draw(l, &random, row);
        status = qd_learn_offer(l, row);
        status = qd_learn_is_refusal(status) ? QD_OK : status;
    }
    return status;
}

/* --- Plain types ---------------------------------------------------------------------------------- */

static bool is_plain_type(const char *word)
{
    static const char *const words[] = {"",    "u8",   "s8",   "qdq_u8", "qdq_s8",
                                        "f32", "w_u8", "w_s8", "y_u8",   "y_s8"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* The levels of factor f that a plain row does not have: types that few backends have, and other opsets. */
static uint32_t exotic_levels(const struct qd_learner *l, unsigned f)
{
    uint32_t exotic = 0;
    for (unsigned v = 0; v < l->outline.factors[f].levels; v++)
        switch (l->outline.about[f].kind) {
        case QD_DERIVED_TYPE:
        case QD_DERIVED_WEIGHT_TYPE:
        case QD_DERIVED_OUTPUT_TYPE:
        case QD_DERIVED_SCALE_TYPE:
            exotic |= (uint32_t)!is_plain_type(l->outline.factors[f].words[v]) << v;
            break;
        case QD_DERIVED_OPSET: exotic |= (uint32_t)(v != l->base[f]) << v; break;
        default: break;
        }
    return exotic;
}

static uint32_t held_levels(const struct qd_learner *l, unsigned f)
{
    return ((UINT32_C(1) << l->held[f]) - 1) << (l->outline.factors[f].levels - l->held[f]);
}

/* Where all extents are the second one's, the levels of the others say nothing: a pair with them would be none. */
static enum qd_status keep_extents(struct qd_learner *l, unsigned f)
{
    int equal = qd_derived_factor(&l->outline, QD_DERIVED_EQUAL, 0);
    bool void_then = l->outline.about[f].kind == QD_DERIVED_EXTENT &&
                     l->outline.about[f].which != 1 && l->outline.about[f].which != 4;
    uint32_t all = (UINT32_C(1) << l->outline.factors[f].levels) - 1;
    return equal >= 0 && void_then
               ? exclude(l, f, all & ~(UINT32_C(1) << l->base[f]), (unsigned)equal, 0x2)
               : QD_OK;
}

/* A level of a factor, 0 where it has none of that word or is not there. */
static uint32_t level_named(const struct qd_learner *l, int f, const char *word)
{
    uint32_t found = 0;
    for (unsigned v = 0; f >= 0 && v < l->outline.factors[f].levels; v++)
        found |= (uint32_t)(strcmp(l->outline.factors[f].words[v], word) == 0) << v;
    return found;
}

static uint32_t all_but(const struct qd_learner *l, int f, uint32_t levels)
{
    return f < 0 ? 0 : ((UINT32_C(1) << l->outline.factors[f].levels) - 1) & ~levels;
}

/* Parameters of one channel, row or column are no vector, and extents that are all 1 are not equal by that. */
static enum qd_status keep_vectors(struct qd_learner *l)
{
    const struct qd_derived *o = &l->outline;
    int rows = qd_derived_factor(o, QD_DERIVED_GRANULARITY, QD_DERIVED_X),
        channels = qd_derived_factor(o, QD_DERIVED_GRANULARITY, QD_DERIVED_W),
        rank = qd_derived_factor(o, QD_DERIVED_RANK, 0),
        shapes = qd_derived_factor(o, QD_DERIVED_SHAPES, 0),
        equal = qd_derived_factor(o, QD_DERIVED_EQUAL, 0),
        of_all = qd_derived_factor(o, QD_DERIVED_EXTENT, 1),
        outputs = qd_derived_factor(o, QD_DERIVED_EXTENT, 2);
    bool matrices = o->layout == QD_LAYOUT_MATMUL;
    const struct {
        int f, g;
        uint32_t levels, others;
    } apart[] = {
        {rows, rank, all_but(l, rows, 1),
         matrices ? all_but(l, rank, level_named(l, rank, "2d")) : 0},
        {channels, outputs, all_but(l, channels, 1), level_named(l, outputs, "1")},
        {channels, shapes, all_but(l, channels, 1), level_named(l, shapes, "w_vector")},
        {equal, of_all, all_but(l, equal, 1), level_named(l, of_all, "1")},
    };
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < sizeof apart / sizeof *apart && status == QD_OK; i++)
        if (apart[i].levels && apart[i].others)
            status = exclude(l, (unsigned)apart[i].f, apart[i].levels, (unsigned)apart[i].g,
                             apart[i].others);
    return status;
}

/* Excludes them; false where the base has one. */
static bool narrow(struct qd_learner *l, enum qd_status *status)
{
    for (unsigned f = 0; f < l->table.factor_count && *status == QD_OK; f++) {
        uint32_t exotic = exotic_levels(l, f);
        if (exotic >> l->base[f] & 1)
            return false;
        if (exotic)
            *status = exclude(l, f, exotic, f ? 0 : 1, UINT32_MAX);
        if (*status == QD_OK)
            *status = keep_extents(l, f);
    }
    if (*status == QD_OK)
        *status = keep_vectors(l);
    l->table.exclusion_count = l->exclusion_count;
    return *status == QD_OK;
}

/* Offers a row; after a refusal with one level set back or, if that is not enough, as many as it takes. */
static enum qd_status offer_or_repair(struct qd_learner *l, uint8_t *row)
{
    enum qd_status status = qd_learn_offer(l, row);
    for (unsigned f = 0; f < l->table.factor_count && qd_learn_is_refusal(status); f++) {
        uint8_t level = row[f];
        row[f] = l->base[f];
        if (level != l->base[f] && qd_covering_row_valid(&l->table, row))
            status = qd_learn_offer(l, row);
        row[f] = level;
    }
    return qd_learn_is_refusal(status) ? repair(l, row) : status;
}

/* The base with two levels and what they need, if no plain row has them. What is refused then is no hole, unless no
 * other row may have one of them. */
static enum qd_status add_plain_pair(struct qd_learner *l, unsigned f, unsigned v, unsigned g,
                                     unsigned w)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    bool held = (held_levels(l, f) >> v | held_levels(l, g) >> w) & 1;
    memcpy(row, l->base, sizeof row);
    row[f] = (uint8_t)v;
    row[g] = (uint8_t)w;
    if (has_row(l, f, v, g, w, true) || (!complete(l, row, f, g, 3) && !held))
        return QD_OK;
    enum qd_status status = qd_learn_offer(l, row);
    if (qd_learn_is_refusal(status))
        return held ? qd_learn_hole(l, f, g, row) : QD_OK;
    return status;
}

static enum qd_status add_plain_rows(struct qd_learner *l)
{
    struct qd_covering array;
    qd_arena_reset(&l->array);
    enum qd_status status = qd_covering_make(&l->table, 2, &l->array, &array, l->error);
    for (size_t r = 0; status == QD_OK && r < array.row_count; r++) {
        uint8_t row[QD_COVERING_MAX_FACTORS] = {0};
        memcpy(row, array.rows + r * l->table.factor_count, l->table.factor_count);
        status = offer_or_repair(l, row);
    }
    return status == QD_OK ? add_pairs(l, false, add_plain_pair) : status;
}

/* The exclusions of narrow(), which stand from `first` on, give way to what they say of the levels that are held. */
static enum qd_status widen(struct qd_learner *l, unsigned first, unsigned narrowed)
{
    enum qd_status status = QD_OK;
    l->exclusion_count -= narrowed;
    memmove(l->exclusions + first, l->exclusions + first + narrowed,
            (l->exclusion_count - first) * sizeof *l->exclusions);
    for (unsigned f = 0; f < l->table.factor_count; f++)
        for (unsigned g = 0; g < l->table.factor_count && status == QD_OK; g++) {
            uint32_t exotic = exotic_levels(l, g), held = held_levels(l, f);
            if (exotic && held)
                status = exclude(l, f, held, g, exotic);
        }
    l->table.exclusion_count = l->exclusion_count;
    return status;
}

/* The levels that are held are hidden until then. */
static void hold(struct qd_learner *l)
{
    for (unsigned f = 0; f < l->outline.count; f++)
        l->outline.factors[f].levels -= l->held[f] = (uint8_t)qd_derived_held(&l->outline, f);
}

static void release(struct qd_learner *l)
{
    for (unsigned f = 0; f < l->outline.count; f++)
        l->outline.factors[f].levels += l->held[f];
}

enum qd_status qd_learn_plain(struct qd_learner *l)
{
    unsigned first = l->exclusion_count;
    enum qd_status status = QD_OK;
    l->drawn = l->row_count;
    release(l);
    bool plain = qd_derived_has_plain(&l->outline) && narrow(l, &status);
    unsigned narrowed = l->exclusion_count - first;
    l->sees = true;
    if (plain)
        status = add_plain_rows(l);
    return status == QD_OK ? widen(l, first, narrowed) : status;
}

enum qd_status qd_learner_init(struct qd_learner *l, const struct qd_op *op, struct qd_arena *arena,
                               struct qd_error *error)
{
    *l = (struct qd_learner){.arena = arena, .error = error};
    enum qd_status status = qd_derived_read(op, &l->outline, error);
    l->exclusions = qd_arena_array(arena, QD_LEARN_MAX_EXCLUSIONS, sizeof *l->exclusions);
    l->holes = qd_arena_array(arena, QD_LEARN_MAX_HOLES, sizeof *l->holes);
    l->rows = qd_arena_array(arena, QD_LEARN_MAX_ROWS, QD_COVERING_MAX_FACTORS);
    l->row_outputs = qd_arena_array(arena, QD_LEARN_MAX_ROWS, sizeof l->outputs);
    if (status == QD_OK && (!l->exclusions || !l->holes || !l->rows || !l->row_outputs))
        status = qd_fail(error, QD_NO_MEMORY, "no room for rows");
    hold(l);
    l->table = (struct qd_factor_table){l->outline.factors, l->outline.count - 1, l->exclusions, 0};
    qd_arena_init(&l->scratch, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&l->array, QD_ARENA_DEFAULT_BUDGET);
    return status;
}

void qd_learner_clear(struct qd_learner *l)
{
    qd_arena_clear(&l->scratch);
    qd_arena_clear(&l->array);
}
