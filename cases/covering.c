/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/covering.h"

#include <stdio.h>
#include <string.h>

#define OPEN 0xff /* a factor of a row under construction that has no level yet */

/* One choice of `strength` factors; its tuples have the numbers first .. first + product of
 * levels − 1. */
struct combination {
    uint8_t factors[QD_COVERING_MAX_STRENGTH];
    size_t first;
};

struct builder {
    const struct qd_factor_table *table;
    unsigned strength;
    struct combination *combinations;
    size_t combination_count, tuple_count, left;
    uint8_t *done; /* per tuple: covered or impossible */
};

static bool excluded(const struct qd_factor_table *table, const uint8_t *row)
{
    for (unsigned i = 0; i < table->exclusion_count; i++) {
        const struct qd_exclusion *e = &table->exclusions[i];
        uint8_t a = row[e->factors[0]], b = row[e->factors[1]];
        if (a != OPEN && b != OPEN && e->masks[0] >> a & 1 && e->masks[1] >> b & 1)
            return true;
    }
    return false;
}

bool qd_covering_row_valid(const struct qd_factor_table *table, const uint8_t *row)
{
    return !excluded(table, row);
}

static uint32_t all_levels(unsigned levels)
{
    return UINT32_MAX >> (QD_COVERING_MAX_LEVELS - levels);
}

/* What the exclusion leaves of the levels of its factor `side`, where all levels of the other one are in its mask. */
static uint32_t left_by(const struct qd_exclusion *e, unsigned side, const uint32_t *allowed)
{
    bool applies = (allowed[e->factors[!side]] & ~e->masks[!side]) == 0;
    return allowed[e->factors[side]] & ~(applies ? e->masks[side] : 0);
}

/* The levels that each factor may still have, by one exclusion at a time; false: one has none. Without it a search in
 * vain tries every row. */
static bool narrow(const struct qd_factor_table *table, const uint8_t *row, uint32_t *allowed)
{
    for (unsigned f = 0; f < table->factor_count; f++)
        allowed[f] = row[f] == OPEN ? all_levels(table->factors[f].levels) : UINT32_C(1) << row[f];
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < table->exclusion_count; i++)
            for (unsigned side = 0; side < 2; side++) {
                const struct qd_exclusion *e = &table->exclusions[i];
                uint32_t left = left_by(e, side, allowed);
                changed = changed || left != allowed[e->factors[side]];
                allowed[e->factors[side]] = left;
                if (!left)
                    return false;
            }
    }
    return true;
}

/* Whether the open factors from `factor` on can be filled; leaves the row as it was. */
static bool completable(const struct qd_factor_table *table, const uint32_t *allowed, uint8_t *row,
                        unsigned factor)
{
    while (factor < table->factor_count && row[factor] != OPEN)
        factor++;
    if (factor == table->factor_count)
        return true;
    bool found = false;
    for (unsigned l = 0; l < table->factors[factor].levels && !found; l++) {
        row[factor] = (uint8_t)l;
        found = allowed[factor] >> l & 1 && !excluded(table, row) &&
                completable(table, allowed, row, factor + 1);
    }
    row[factor] = OPEN;
    return found;
}

static bool possible(const struct qd_factor_table *table, uint8_t *row)
{
    uint32_t allowed[QD_COVERING_MAX_FACTORS];
    return !excluded(table, row) && narrow(table, row, allowed) &&
           completable(table, allowed, row, 0);
}

/* The number of the row's tuple of a combination; false while one of its factors is open. */
static bool tuple_of(const struct builder *b, const struct combination *c, const uint8_t *row,
                     size_t *tuple)
{
    size_t index = 0;
    for (unsigned i = 0; i < b->strength; i++) {
        unsigned f = c->factors[i];
        if (row[f] == OPEN)
            return false;
        index = index * b->table->factors[f].levels + row[f];
    }
    *tuple = c->first + index;
    return true;
}

/* How many uncovered tuples the row completes; counts those with factor `with` only, or all for
 * OPEN. */
static size_t gain(const struct builder *b, const uint8_t *row, unsigned with)
{
    size_t fresh = 0, tuple;
    for (size_t i = 0; i < b->combination_count; i++) {
        const struct combination *c = &b->combinations[i];
        if (with != OPEN && !memchr(c->factors, (int)with, b->strength))
            continue;
        if (tuple_of(b, c, row, &tuple))
            fresh += !b->done[tuple];
    }
    return fresh;
}

/* Gives every open factor, in order, the level that completes the most uncovered tuples; the
 * first such level counted from `turn`, so that levels that do not matter are spread evenly. */
static void fill(const struct builder *b, uint8_t *row, size_t turn)
{
    for (unsigned f = 0; f < b->table->factor_count; f++) {
        unsigned levels = b->table->factors[f].levels;
        size_t best = 0;
        int choice = -1;
        if (row[f] != OPEN)
            continue;
        for (unsigned i = 0; i < levels; i++) {
            unsigned l = (unsigned)((turn + f + i) % levels);
            row[f] = (uint8_t)l;
            size_t fresh = possible(b->table, row) ? gain(b, row, f) + 1 : 0;
            if (fresh > best) {
                best = fresh;
                choice = (int)l;
            }
        }
        row[f] = (uint8_t)choice; /* one exists: the row was completable */
    }
}

static void mark(struct builder *b, const uint8_t *row)
{
    size_t tuple;
    for (size_t i = 0; i < b->combination_count; i++)
        if (tuple_of(b, &b->combinations[i], row, &tuple) && !b->done[tuple]) {
            b->done[tuple] = 1;
            b->left--;
        }
}

/* Starts a row with the tuple number `tuple` of a combination. */
static void seed(const struct builder *b, const struct combination *c, size_t tuple, uint8_t *row)
{
    size_t index = tuple - c->first;
    memset(row, OPEN, b->table->factor_count);
    for (unsigned i = b->strength; i-- > 0;) {
        unsigned levels = b->table->factors[c->factors[i]].levels;
        row[c->factors[i]] = (uint8_t)(index % levels);
        index /= levels;
    }
}

static size_t tuples_of(const struct builder *b, const struct combination *c)
{
    size_t n = 1;
    for (unsigned i = 0; i < b->strength; i++)
        n *= b->table->factors[c->factors[i]].levels;
    return n;
}

static size_t choose(size_t n, size_t k)
{
    size_t c = 1;
    for (size_t i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

/* The next t-subset of n factors in lexicographic order; the last one stays as it is. */
static void next_combination(uint8_t at[QD_COVERING_MAX_STRENGTH], unsigned t, unsigned n)
{
    for (unsigned last = t; last-- > 0;) {
        if (at[last] == n - t + last)
            continue;
        uint8_t factor = ++at[last];
        for (unsigned i = last + 1; i < QD_COVERING_MAX_STRENGTH; i++)
            at[i] = ++factor;
        return;
    }
}

/* Lists the combinations in lexicographic order and numbers their tuples. */
static enum qd_status begin(struct builder *b, struct qd_arena *arena, struct qd_error *error)
{
    unsigned n = b->table->factor_count, t = b->strength;
    b->combination_count = choose(n, t);
    b->combinations = qd_arena_array(arena, b->combination_count, sizeof *b->combinations);
    if (!b->combinations)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu combinations of factors",
                       b->combination_count);
    uint8_t at[QD_COVERING_MAX_STRENGTH];
    for (unsigned i = 0; i < t; i++)
        at[i] = (uint8_t)i;
    for (size_t c = 0; c < b->combination_count; c++) {
        memcpy(b->combinations[c].factors, at, t);
        b->combinations[c].first = b->tuple_count;
        b->tuple_count += tuples_of(b, &b->combinations[c]);
        next_combination(at, t, n);
    }
    b->left = b->tuple_count;
    b->done = qd_arena_alloc(arena, b->tuple_count);
    if (!b->done)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu tuples", b->tuple_count);
    return QD_OK;
}

static enum qd_status check(const struct qd_factor_table *table, unsigned strength,
                            struct qd_error *error)
{
    if (table->factor_count < 1 || table->factor_count > QD_COVERING_MAX_FACTORS)
        return qd_fail(error, QD_USAGE, "a factor table of %u factors, want 1 to %d",
                       table->factor_count, QD_COVERING_MAX_FACTORS);
    if (strength < 1 || strength > QD_COVERING_MAX_STRENGTH || strength > table->factor_count)
        return qd_fail(error, QD_USAGE, "strength %u of a covering array of %u factors", strength,
                       table->factor_count);
    for (unsigned f = 0; f < table->factor_count; f++)
        if (table->factors[f].levels < 1 || table->factors[f].levels > QD_COVERING_MAX_LEVELS)
            return qd_fail(error, QD_USAGE, "factor %s has %u levels, want 1 to %d",
                           table->factors[f].name, table->factors[f].levels,
                           QD_COVERING_MAX_LEVELS);
    uint8_t row[QD_COVERING_MAX_FACTORS];
    memset(row, OPEN, sizeof row);
    if (!possible(table, row))
        return qd_fail(error, QD_USAGE, "no row satisfies the exclusions of the factor table");
    return QD_OK;
}

/* Appends rows until every tuple is covered; rows has room for one row per tuple. */
static void cover(struct builder *b, uint8_t *rows, struct qd_covering *made)
{
    unsigned n = b->table->factor_count;
    for (size_t c = 0; c < b->combination_count; c++) {
        const struct combination *combination = &b->combinations[c];
        size_t end = combination->first + tuples_of(b, combination);
        for (size_t tuple = combination->first; tuple < end; tuple++) {
            uint8_t *row = rows + made->row_count * n;
            if (b->done[tuple])
                continue;
            seed(b, combination, tuple, row);
            if (!possible(b->table, row)) {
                b->done[tuple] = 1;
                b->left--;
                made->impossible++;
                continue;
            }
            fill(b, row, made->row_count);
            mark(b, row);
            made->row_count++;
        }
    }
}

enum qd_status qd_covering_make(const struct qd_factor_table *table, unsigned strength,
                                struct qd_arena *arena, struct qd_covering *covering,
                                struct qd_error *error)
{
    struct builder b = {.table = table, .strength = strength};
    enum qd_status status = check(table, strength, error);
    if (status == QD_OK)
        status = begin(&b, arena, error);
    if (status != QD_OK)
        return status;
    uint8_t *rows = qd_arena_array(arena, b.tuple_count + 1, table->factor_count);
    if (!rows)
        return qd_fail(error, QD_NO_MEMORY, "no room for the rows of a covering array");
    struct qd_covering made = {.strength = strength, .rows = rows, .tuples = b.tuple_count};
    cover(&b, rows, &made);
    if (b.left != 0)
        return qd_fail(error, QD_INTERNAL, "%zu tuples left uncovered", b.left);
    *covering = made;
    return QD_OK;
}

char *qd_covering_describe(const struct qd_factor_table *table, const uint8_t *row, char *text,
                           size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (unsigned f = 0; f < table->factor_count; f++) {
        const char *word = table->factors[f].words[row[f]];
        if (!word || used >= size)
            continue;
        int n = snprintf(text + used, size - used, "%s%s", used ? "-" : "", word);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* The combination of factors that is being counted. */
struct counting {
    const struct qd_factor_table *table;
    const struct qd_covering *covering;
    unsigned factors[QD_COVERING_MAX_STRENGTH];
    uint8_t *seen; /* per combination of their levels */
    size_t covered;
};

static size_t count_levels(const struct counting *c)
{
    size_t levels = 1;
    for (unsigned i = 0; i < c->covering->strength; i++)
        levels *= c->table->factors[c->factors[i]].levels;
    return levels;
}

static void count_combination(struct counting *c)
{
    size_t levels = count_levels(c);
    memset(c->seen, 0, levels);
    for (size_t r = 0; r < c->covering->row_count; r++) {
        const uint8_t *row = c->covering->rows + r * c->table->factor_count;
        size_t index = 0;
        for (unsigned i = 0; i < c->covering->strength; i++)
            index = index * c->table->factors[c->factors[i]].levels + row[c->factors[i]];
        c->covered += !c->seen[index];
        c->seen[index] = 1;
    }
}

static void count_from(struct counting *c, unsigned depth, unsigned first)
{
    if (depth == c->covering->strength || depth == QD_COVERING_MAX_STRENGTH) {
        count_combination(c);
        return;
    }
    for (unsigned f = first; f < c->table->factor_count; f++) {
        c->factors[depth] = f;
        count_from(c, depth + 1, f + 1);
    }
}

enum qd_status qd_covering_count(const struct qd_factor_table *table,
                                 const struct qd_covering *covering, struct qd_arena *arena,
                                 size_t *covered, struct qd_error *error)
{
    size_t room = 1;
    for (unsigned i = 0; i < covering->strength; i++)
        room *= QD_COVERING_MAX_LEVELS;
    struct counting counting = {
        .table = table, .covering = covering, .seen = qd_arena_alloc(arena, room)};
    if (!counting.seen)
        return qd_fail(error, QD_NO_MEMORY, "no room to count a covering array");
    count_from(&counting, 0, 0);
    *covered = counting.covered;
    return QD_OK;
}
