/* SPDX-License-Identifier: Apache-2.0 */
#include "families/census_testlib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FNV_OFFSET 0xcbf29ce484222325u

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static void note_numbers(struct qd_census *census, const struct qd_case *kase)
{
    uint64_t hash = mix(census->numbers, kase->id, strlen(kase->id) - 8); /* less the hash */
    for (size_t i = 0; i < kase->input_count; i++)
        hash = mix(hash, kase->inputs[i].data, qd_tensor_bytes(&kase->inputs[i]));
    for (size_t i = 0; i < kase->graph->value_count; i++) {
        const struct qd_tensor *t = kase->graph->values[i].initializer;
        if (t)
            hash = mix(hash, t->data, qd_tensor_bytes(t));
    }
    census->numbers = hash;
}

static void note_bytes(struct qd_census *census, const struct qd_case *kase)
{
    struct qd_arena arena;
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_encode(kase, &arena, &bytes, &size, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    census->bytes = mix(census->bytes, bytes, size);
    qd_arena_clear(&arena);
}

static enum qd_visit note(void *context, const struct qd_case *kase)
{
    struct qd_census *census = context;
    struct qd_features features;
    if (census->count == census->capacity) {
        census->capacity = 2 * census->capacity + 64;
        census->ids = realloc(census->ids, census->capacity * sizeof *census->ids);
        assert_non_null(census->ids);
    }
    census->ids[census->count++] = strdup(kase->id);
    note_numbers(census, kase);
    note_bytes(census, kase);
    qd_case_features(kase, &features);
    for (int f = 0; f < QD_FEATURE_COUNT; f++)
        census->features[f] += qd_features_has(&features, (enum qd_feature)f);
    return QD_VISIT_GO_ON;
}

struct qd_census qd_census_take(const struct qd_family *family, enum qd_level level)
{
    struct qd_census census = {.numbers = FNV_OFFSET, .bytes = FNV_OFFSET};
    struct qd_error error;
    if (qd_family_generate(family, level, note, &census, &error) != QD_OK)
        fail_msg("%s", error.text);
    return census;
}

void qd_census_release(struct qd_census *census)
{
    for (size_t i = 0; i < census->count; i++)
        free(census->ids[i]);
    free(census->ids);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void qd_census_check_ids(struct qd_census *census, size_t least, size_t most)
{
    assert_in_range(census->count, least, most);
    qsort(census->ids, census->count, sizeof *census->ids, compare);
    for (size_t i = 1; i < census->count; i++)
        if (strcmp(census->ids[i - 1], census->ids[i]) == 0)
            fail_msg("twice: %s", census->ids[i]);
}

void qd_census_check_counts(const struct qd_family *family, int levels, const size_t *least,
                            const size_t *most)
{
    for (int level = 0; level < levels; level++) {
        struct qd_census census = qd_census_take(family, (enum qd_level)level);
        print_message("# %s %s: %zu cases\n", family->name, qd_level_word((enum qd_level)level),
                      census.count);
        qd_census_check_ids(&census, least[level], most[level]);
        qd_census_release(&census);
    }
}

void qd_census_check_repeats(const struct qd_family *family)
{
    struct qd_census smoke = qd_census_take(family, QD_LEVEL_SMOKE);
    struct qd_census first = qd_census_take(family, QD_LEVEL_FULL);
    struct qd_census second = qd_census_take(family, QD_LEVEL_FULL);
    assert_int_equal(first.count, second.count);
    assert_int_equal(first.bytes, second.bytes);
    assert_int_equal(first.numbers, second.numbers);
    for (size_t i = 0; i < first.count; i++)
        assert_string_equal(first.ids[i], second.ids[i]);
    for (size_t i = 0; i < smoke.count; i++)
        assert_string_equal(smoke.ids[i], first.ids[i]);
    qd_census_release(&smoke);
    qd_census_release(&first);
    qd_census_release(&second);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

static bool together(const struct qd_factor_table *table, unsigned f, unsigned l, unsigned g,
                     unsigned k)
{
    for (unsigned i = 0; i < table->exclusion_count; i++) {
        const struct qd_exclusion *e = &table->exclusions[i];
        for (int swap = 0; swap < 2; swap++)
            if (e->factors[swap] == f && e->factors[1 - swap] == g && (e->masks[swap] >> l & 1) &&
                (e->masks[1 - swap] >> k & 1))
                return false;
    }
    return true;
}

/* Whether levels (−1: open) can be completed, factor by factor; on success they are. */
static bool complete(const struct qd_factor_table *table, int *levels, unsigned factor)
{
    if (factor == table->factor_count)
        return true;
    bool given = levels[factor] >= 0;
    for (int l = given ? levels[factor] : 0; l < (int)table->factors[factor].levels; l++) {
        bool fits = true;
        for (unsigned f = 0; fits && f < table->factor_count; f++)
            fits = f == factor || levels[f] < 0 ||
                   together(table, factor, (unsigned)l, f, (unsigned)levels[f]);
        levels[factor] = l;
        if (fits && complete(table, levels, factor + 1))
            return true;
        if (given)
            return false;
        levels[factor] = -1;
    }
    return false;
}

static bool occurs(const struct qd_covering *c, unsigned width, const unsigned *factors,
                   const unsigned *levels, unsigned strength)
{
    for (size_t r = 0; r < c->row_count; r++) {
        unsigned same = 0;
        while (same < strength && c->rows[r * width + factors[same]] == levels[same])
            same++;
        if (same == strength)
            return true;
    }
    return false;
}

struct share {
    size_t possible, covered;
};

/* All levels of the chosen factors. */
static void count_levels(const struct qd_factor_table *table, const struct qd_covering *c,
                         const unsigned *factors, unsigned *levels, unsigned depth,
                         struct share *share)
{
    if (depth < c->strength && depth < QD_COVERING_MAX_STRENGTH) {
        for (levels[depth] = 0; levels[depth] < table->factors[factors[depth]].levels;
             levels[depth]++)
            count_levels(table, c, factors, levels, depth + 1, share);
        return;
    }
    int row[QD_COVERING_MAX_FACTORS];
    for (unsigned f = 0; f < QD_COVERING_MAX_FACTORS; f++)
        row[f] = -1;
    for (unsigned i = 0; i < c->strength; i++)
        row[factors[i]] = (int)levels[i];
    bool possible = complete(table, row, 0);
    bool covered = occurs(c, table->factor_count, factors, levels, c->strength);
    if (covered && !possible)
        fail_msg("a row holds what the table excludes");
    share->possible += possible;
    share->covered += covered;
}

static void count_factors(const struct qd_factor_table *table, const struct qd_covering *c,
                          unsigned *factors, unsigned depth, struct share *share)
{
    unsigned levels[QD_COVERING_MAX_STRENGTH];
    if (depth == c->strength || depth == QD_COVERING_MAX_STRENGTH) {
        count_levels(table, c, factors, levels, 0, share);
        return;
    }
    for (factors[depth] = depth ? factors[depth - 1] + 1 : 0; factors[depth] < table->factor_count;
         factors[depth]++)
        count_factors(table, c, factors, depth + 1, share);
}

void qd_census_check_coverage(const struct qd_factor_table *table, unsigned strength)
{
    struct qd_arena arena;
    struct qd_covering c;
    struct qd_error error;
    struct share share = {0};
    unsigned factors[QD_COVERING_MAX_STRENGTH];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_covering_make(table, strength, &arena, &c, &error) != QD_OK)
        fail_msg("%s", error.text);
    count_factors(table, &c, factors, 0, &share);
    print_message("# %zu rows cover %zu of %zu possible combinations of %u features\n", c.row_count,
                  share.covered, share.possible, strength);
    assert_int_equal(share.possible, share.covered);
    assert_int_equal(c.tuples - c.impossible, share.possible);
    qd_arena_clear(&arena);
}
