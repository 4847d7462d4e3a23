/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of the quantizer role: counts, distinct ids, order, ranges that hold every number of
 * their tensor, and every valid pair of levels for each graph.
 * Alone: <build>/tests/targets/quantizer/suite_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/quantizer_suite.h"
#include "quantizer/choices.h"
#include "quantizer/graphs.h"

enum { MOST = 20000 };

struct census {
    size_t count, refusals;
    uint64_t *hashes;
};

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static enum qd_visit take(void *context, const struct qd_quantizer_case *kase)
{
    struct census *census = context;
    assert_true(census->count < MOST);
    census->hashes[census->count++] = hash(kase->kase.id);
    census->refusals += kase->must_refuse;
    for (size_t i = 0; i < kase->request.range_count; i++) {
        const struct qd_quantizer_range *range = &kase->request.ranges[i];
        bool spoilt = kase->must_refuse && strcmp(range->tensor, "x") == 0;
        bool sane = isfinite(range->min) && isfinite(range->max) && range->min <= range->max;
        if (sane == spoilt)
            fail_msg("%s: range of %s is %g to %g", kase->kase.id, range->tensor,
                     (double)range->min, (double)range->max);
    }
    return QD_VISIT_GO_ON;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct census count(enum qd_level level)
{
    struct census census = {.hashes = calloc(MOST, sizeof *census.hashes)};
    struct qd_error error = {.status = QD_OK};
    assert_non_null(census.hashes);
    if (qd_quantizer_suite_visit(level, take, &census, &error) != QD_OK)
        fail_msg("%s", error.text);
    qsort(census.hashes, census.count, sizeof *census.hashes, by_number);
    for (size_t i = 1; i < census.count; i++)
        assert_true(census.hashes[i] != census.hashes[i - 1]);
    free(census.hashes);
    return census;
}

static void test_counts(void **state)
{
    (void)state;
    struct census smoke = count(QD_LEVEL_SMOKE), full = count(QD_LEVEL_FULL);
    print_message("smoke %zu (%zu to refuse), full %zu (%zu)\n", smoke.count, smoke.refusals,
                  full.count, full.refusals);
    assert_true(smoke.count >= 250 && smoke.count <= 400 && smoke.refusals == 3);
    assert_true(full.count >= 9000 && full.count <= 14003 && full.refusals >= 900);
}

/* --- Pairs --------------------------------------------------------------------------------------- */

enum { GRAPHS = 128, FIRST_OPSET = 10, OPSETS = 12, FACTORS = QD_CHOICE_FACTORS };

/* Bit l of [f][k][g] : level k of factor f occurs with level l of factor g. */
struct pairs {
    uint32_t bits[FACTORS][QD_COVERING_MAX_LEVELS][FACTORS];
};

static void note_row(struct pairs *pairs, const uint8_t *row)
{
    for (unsigned f = 0; f < FACTORS; f++)
        for (unsigned g = 0; g < FACTORS; g++)
            pairs->bits[f][row[f]][g] |= UINT32_C(1) << row[g];
}

/* All pairs that some valid row has, by trying every row. */
static void find_possible(bool half, struct pairs *pairs)
{
    const struct qd_factor_table *table = qd_quantizer_choices(half);
    uint8_t row[FACTORS] = {0};
    for (unsigned f = 0; f < FACTORS;) {
        if (qd_covering_row_valid(table, row))
            note_row(pairs, row);
        for (f = 0; f < FACTORS && ++row[f] == table->factors[f].levels; f++)
            row[f] = 0;
    }
}

struct tally {
    struct pairs graphs[GRAPHS];
    uint32_t opsets[GRAPHS];              /* that a graph was asked at */
    uint32_t with_opset[OPSETS][FACTORS]; /* levels that an opset occurs with */
};

static size_t graph_of(const char *id)
{
    const struct qd_quantizer_graph *graph;
    const char *name = id + strlen("quantizer/");
    for (size_t i = 0; (graph = qd_quantizer_graph_at(i)) != NULL; i++)
        if (strncmp(name, graph->name, strlen(graph->name)) == 0 &&
            name[strlen(graph->name)] == '/')
            return i;
    fail_msg("%s: no such graph", id);
    return 0;
}

static bool says(const char *id, const uint8_t *row)
{
    char words[128], want[256];
    snprintf(want, sizeof want, "/%s/%s/opset", qd_quantizer_family_of(row)->word,
             qd_quantizer_words_of(row, words, sizeof words));
    bool half = strcmp(id + strlen(id) - 4, "-f16") == 0;
    return strstr(id, want) && half == (qd_quantizer_float_of(row) == QD_F16);
}

/* The levels of a case, from its id and options. */
static void levels_of(const struct qd_quantizer_case *kase, uint8_t *row)
{
    const struct qd_quantizer_options *options = &kase->request.options;
    const char *id = kase->kase.id;
    const struct qd_factor_table *table = qd_quantizer_choices(true);
    memset(row, 0, FACTORS);
    row[QD_CHOICE_PER_CHANNEL] = options->per_channel;
    row[QD_CHOICE_RESTRICTED] = options->restricted_asymmetric;
    row[QD_CHOICE_SYMMETRIC_ACTIVATIONS] = options->symmetric_activations;
    row[QD_CHOICE_SYMMETRIC_WEIGHTS] = options->symmetric_weights;
    row[QD_CHOICE_REDUCED] = options->reduce_range;
    row[QD_CHOICE_EXCLUDE] = options->exclude != NULL;
    row[QD_CHOICE_FLOAT] = strcmp(id + strlen(id) - 4, "-f16") == 0;
    static const enum qd_quantizer_factor unsaid[] = {QD_CHOICE_FAMILY, QD_CHOICE_FORM,
                                                      QD_CHOICE_ACTIVATION, QD_CHOICE_WEIGHT};
    for (unsigned i = 0; i < 4;) {
        if (says(id, row))
            return;
        for (i = 0; i < 4 && ++row[unsaid[i]] == table->factors[unsaid[i]].levels; i++)
            row[unsaid[i]] = 0;
    }
    fail_msg("%s says something else than its options", id);
}

static enum qd_visit tally_case(void *context, const struct qd_quantizer_case *kase)
{
    struct tally *tally = context;
    uint8_t row[FACTORS];
    size_t graph = graph_of(kase->kase.id);
    long opset = strtol(strstr(kase->kase.id, "/opset") + 6, NULL, 10) - FIRST_OPSET;
    levels_of(kase, row);
    note_row(&tally->graphs[graph], row);
    tally->opsets[graph] |= UINT32_C(1) << opset;
    for (unsigned f = 0; f < FACTORS; f++)
        tally->with_opset[opset][f] |= UINT32_C(1) << row[f];
    return QD_VISIT_GO_ON;
}

static void every_pair_occurs(const struct tally *tally, const struct pairs *possible, size_t i)
{
    const struct qd_quantizer_graph *graph = qd_quantizer_graph_at(i);
    const struct qd_factor *factors = qd_quantizer_choices(true)->factors;
    for (unsigned f = 0; f < FACTORS; f++)
        for (unsigned k = 0; k < factors[f].levels; k++)
            for (unsigned g = 0; g < FACTORS; g++)
                if (tally->graphs[i].bits[f][k][g] != possible->bits[f][k][g])
                    fail_msg("%s: level %u of %s with %s: want %x, have %x", graph->name, k,
                             factors[f].name, factors[g].name, possible->bits[f][k][g],
                             tally->graphs[i].bits[f][k][g]);
    for (int64_t opset = graph->opset_min; opset <= graph->opset_max; opset++)
        if (!(tally->opsets[i] >> (opset - FIRST_OPSET) & 1))
            fail_msg("%s is not asked at opset %d", graph->name, (int)opset);
}

/* Each graph with each valid pair of the other factors, each graph at each of its opsets, each
 * opset with each level. */
static void test_pairs(void **state)
{
    (void)state;
    struct tally *tally = calloc(1, sizeof *tally);
    struct pairs *possible = calloc(2, sizeof *possible);
    const struct qd_quantizer_graph *graph;
    struct qd_error error = {.status = QD_OK};
    assert_true(tally && possible);
    for (int half = 0; half < 2; half++)
        find_possible(half, &possible[half]);
    assert_int_equal(QD_OK, qd_quantizer_suite_visit(QD_LEVEL_FULL, tally_case, tally, &error));
    for (size_t i = 0; (graph = qd_quantizer_graph_at(i)) != NULL; i++) {
        assert_true(i < GRAPHS);
        bool half = graph->opset_max >= 13 && qd_quantizer_graph_has_half(graph);
        every_pair_occurs(tally, &possible[half], i);
    }
    for (int opset = 0; opset < OPSETS; opset++)
        for (unsigned f = 0; f < FACTORS; f++) {
            uint32_t all = 0;
            for (unsigned k = 0; k < 2; k++) /* float16 begins with opset 13 */
                all |= possible[opset >= 3].bits[QD_CHOICE_FLOAT][k][f];
            if (tally->with_opset[opset][f] != all)
                fail_msg("opset %d, factor %u: want levels %x, have %x", opset + FIRST_OPSET, f,
                         all, tally->with_opset[opset][f]);
        }
    free(tally);
    free(possible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests_name("quantizer suite", tests, NULL, NULL);
}
