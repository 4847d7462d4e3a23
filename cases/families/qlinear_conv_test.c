/* SPDX-License-Identifier: Apache-2.0 */
/* The generated QLinearConv cases: as many as promised, the same every time, covering every
 * triple of features, and doing what their tags say, by exact computation with GMP.
 * Alone: <build>/tests/cases/families/qlinear_conv_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "families/census_testlib.h"
#include "families/conv_facts_testlib.h"
#include "families/qlinear_conv.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"
#include "qdiff/suite.h"

extern const struct qd_family qd_family_qlinear_conv;

static void generate(enum qd_level level, qd_case_visitor *visit, void *context)
{
    struct qd_error error;
    if (qd_family_generate(&qd_family_qlinear_conv, level, visit, context, &error) != QD_OK)
        fail_msg("%s", error.text);
}

static void counts_and_unique_ids(void **state)
{
    (void)state;
    static const size_t least[] = {120, 4000, 16000}, most[] = {200, 6000, 24000};
    for (int level = 0; level < QD_LEVEL_COUNT; level++) {
        struct qd_census census = qd_census_take(&qd_family_qlinear_conv, (enum qd_level)level);
        print_message("# %s: %zu cases\n", qd_level_word((enum qd_level)level), census.count);
        qd_census_check_ids(&census, least[level], most[level]);
        qd_census_release(&census);
    }
}

static void same_cases_every_time(void **state)
{
    (void)state;
    qd_census_check_repeats(&qd_family_qlinear_conv);
}

/* The same numbers from every compiler. Whoever changes the generator on purpose changes this
 * number with it. */
static void same_numbers_on_every_machine(void **state)
{
    (void)state;
    struct qd_census census = qd_census_take(&qd_family_qlinear_conv, QD_LEVEL_SMOKE);
    assert_int_equal(0xa6a7198da5ba35c8, census.numbers);
    qd_census_release(&census);
}

/* Features as they are derived from the models, not as the generator meant them. */
static void features_occur(void **state)
{
    (void)state;
    static const enum qd_feature wanted[] = {
        QD_FEATURE_PER_CHANNEL_SCALE,
        QD_FEATURE_DISTINCT_W_ZERO_POINTS,
        QD_FEATURE_BIAS,
        QD_FEATURE_GROUPS,
        QD_FEATURE_DEPTHWISE,
        QD_FEATURE_PADS,
        QD_FEATURE_ASYMMETRIC_PADS,
        QD_FEATURE_AUTO_PAD,
        QD_FEATURE_STRIDES,
        QD_FEATURE_DILATIONS,
        QD_FEATURE_SPATIAL_1D,
        QD_FEATURE_SPATIAL_2D,
        QD_FEATURE_SPATIAL_3D,
        QD_FEATURE_MIXED_SIGN,
        QD_FEATURE_X_U8,
        QD_FEATURE_X_S8,
        QD_FEATURE_W_U8,
        QD_FEATURE_W_S8,
        QD_FEATURE_Y_U8,
        QD_FEATURE_Y_S8,
        QD_FEATURE_RUNTIME_PARAMETERS,
        QD_FEATURE_RUNTIME_WEIGHTS,
        QD_FEATURE_SUBNORMAL_SCALE,
        QD_FEATURE_BATCH,
    };
    struct qd_census census = qd_census_take(&qd_family_qlinear_conv, QD_LEVEL_SMOKE);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (census.features[wanted[i]] == 0)
            fail_msg("no smoke case has the feature %s", qd_feature_word(wanted[i]));
    qd_census_release(&census);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

static void every_triple_of_features_occurs(void **state)
{
    (void)state;
    qd_census_check_coverage(&qd_qlinear_conv_table, 3);
}

/* ---- What the value families promise --------------------------------------------------------- */

struct promises {
    size_t cases, compared, tie_cases, tie_elements, tie_slack, ties, ties_in_range, near_ties;
    size_t pair_cases, full_pair_cases; /* int16-pairs with at least two products per element */
};

static void check_promise(const char *id, const char *tag, const struct qd_conv_facts *facts)
{
    bool kept = true;
    if (strcmp(tag, "tie") == 0)
        kept = facts->ties > 0 && facts->powers_of_two;
    else if (strcmp(tag, "near-tie") == 0)
        kept = facts->near_ties > 0;
    else if (strcmp(tag, "saturation") == 0)
        kept = facts->at_edges > 0;
    else if (strcmp(tag, "deep-sum") == 0)
        kept = facts->deep == facts->elements && facts->ties > 0;
    else if (strcmp(tag, "large-accumulator") == 0)
        kept = facts->beyond_float > 0;
    if (!kept)
        fail_msg("%s: no element is what the tag %s promises", id, tag);
    if (facts->beyond_int32 > 0)
        fail_msg("%s: an accumulator leaves int32", id);
}

/* The canonical codes are GMP's. */
#define MAX_ELEMENTS 65536

static void compare_with_reference(struct promises *p, const struct qd_case *kase,
                                   const int64_t *codes, int64_t count)
{
    struct qd_arena arena;
    struct qd_value y;
    struct qd_error error;
    size_t before = p->compared;
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    assert_int_equal(count, y.want.count);
    for (int64_t i = 0; i < count; i++) {
        if (qd_value_flags(&y, i) & (QD_UNSPECIFIED | QD_NO_CANONICAL))
            continue;
        if (qd_tensor_get(&y.want, i) != codes[i])
            fail_msg("%s: element %lld is %lld, by GMP %lld", kase->id, (long long)i,
                     (long long)qd_tensor_get(&y.want, i), (long long)codes[i]);
        p->compared++;
        p->tie_elements += tie;
        p->tie_slack += tie && !qd_value_is_point(&y, i);
    }
    if (p->compared == before)
        fail_msg("%s: every element is unspecified", kase->id);
    qd_arena_clear(&arena);
}

static enum qd_visit check_case(void *context, const struct qd_case *kase)
{
    static int64_t codes[MAX_ELEMENTS];
    struct promises *p = context;
    struct qd_conv_facts facts;
    qd_conv_facts_of(kase, &facts, codes, MAX_ELEMENTS);
    assert_in_range(facts.elements, 1, MAX_ELEMENTS);
    assert_int_equal(1, kase->tag_count);
    check_promise(kase->id, kase->tags[0], &facts);
    compare_with_reference(p, kase, codes, facts.elements);
    p->cases++;
    if (strcmp(kase->tags[0], "tie") == 0) {
        p->tie_cases++;
        p->ties += (size_t)facts.ties;
        p->ties_in_range += (size_t)facts.ties_in_range;
    } else if (strcmp(kase->tags[0], "near-tie") == 0) {
        p->near_ties += (size_t)facts.near_ties;
    } else if (strcmp(kase->tags[0], "int16-pairs") == 0 && facts.terms > 1) {
        p->pair_cases++;
        p->full_pair_cases += facts.full_pairs > 0;
    }
    return QD_VISIT_GO_ON;
}

/* And the power-of-two scales of the tie cases leave one admissible code each. */
static void values_are_what_they_are_called(void **state)
{
    (void)state;
    struct promises p = {0};
    generate(QD_LEVEL_FULL, check_case, &p);
    print_message("# %zu cases, %zu elements compared: %zu exact ties (%zu in range) in %zu tie "
                  "cases, %zu near-ties in near-tie cases\n",
                  p.cases, p.compared, p.ties, p.ties_in_range, p.tie_cases, p.near_ties);
    print_message("# tie cases: slack %zu of %zu elements\n", p.tie_slack, p.tie_elements);
    print_message("# %zu of %zu int16-pairs cases hold a pair beyond int16\n", p.full_pair_cases,
                  p.pair_cases);
    assert_true(p.compared > 1000000);
    assert_true(p.ties_in_range > 50000);
    assert_int_equal(0, p.tie_slack);
    assert_true(p.near_ties > 10000);
    assert_true(20 * p.full_pair_cases > 19 * p.pair_cases); /* random: not every one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(same_numbers_on_every_machine),
        cmocka_unit_test(features_occur),
        cmocka_unit_test(every_triple_of_features_occurs),
        cmocka_unit_test(values_are_what_they_are_called),
    };
    return cmocka_run_group_tests_name("QLinearConv cases", tests, NULL, NULL);
}
