/* SPDX-License-Identifier: Apache-2.0 */
/* The generated QDQ cases: as many as promised, the same every time, covering every triple of
 * features; the reference has an answer to each, a single one to exact ties; and they notice the
 * mistakes that fused kernels make.
 * Alone: <build>/tests/cases/families/qdq_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "families/census_testlib.h"
#include "qdiff/evaluate.h"

#define MAX_OUTPUTS 3

extern const struct qd_family qd_family_qdq;

static void counts_and_unique_ids(void **state)
{
    (void)state;
    static const size_t least[] = {55, 450, 3000}, most[] = {70, 550, 4500};
    for (int level = 0; level < QD_LEVEL_COUNT; level++) {
        struct qd_census census = qd_census_take(&qd_family_qdq, (enum qd_level)level);
        print_message("# QDQ %s: %zu cases\n", qd_level_word((enum qd_level)level), census.count);
        qd_census_check_ids(&census, least[level], most[level]);
        qd_census_release(&census);
    }
}

static void same_cases_every_time(void **state)
{
    (void)state;
    qd_census_check_repeats(&qd_family_qdq);
}

/* The same numbers from every compiler. Whoever changes the generator on purpose changes this. */
static void same_numbers_on_every_machine(void **state)
{
    (void)state;
    struct qd_census census = qd_census_take(&qd_family_qdq, QD_LEVEL_FULL);
    assert_int_equal(0xa30ef8bb4e48569a, census.numbers);
    qd_census_release(&census);
}

static void every_triple_of_features_occurs(void **state)
{
    (void)state;
    qd_census_check_coverage(qd_family_qdq.table, 3);
}

static void features_occur(void **state)
{
    (void)state;
    static const enum qd_feature wanted[] = {
        QD_FEATURE_PER_CHANNEL_SCALE, QD_FEATURE_DISTINCT_ZERO_POINTS, QD_FEATURE_BIAS,
        QD_FEATURE_INT32_INPUT,       QD_FEATURE_MULTI_NODE,           QD_FEATURE_QDQ,
    };
    struct qd_census census = qd_census_take(&qd_family_qdq, QD_LEVEL_SMOKE);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (census.features[wanted[i]] == 0)
            fail_msg("no smoke case has the feature %s", qd_feature_word(wanted[i]));
    qd_census_release(&census);
}

/* ---- The reference --------------------------------------------------------------------------- */

static void evaluate(const struct qd_case *kase, const struct qd_semantics *semantics,
                     struct qd_arena *arena, struct qd_value *outputs)
{
    struct qd_error error;
    assert_true(kase->graph->output_count <= MAX_OUTPUTS);
    if (qd_graph_evaluate(kase->graph, kase->inputs, semantics, arena, outputs, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
}

struct agreement {
    size_t cases, tie_cases, elements, codes, ties, saturated;
};

static void look_at(struct agreement *a, const struct qd_case *kase, const struct qd_value *y)
{
    const struct qd_dtype_info *info = qd_dtype_info(y->want.dtype);
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    for (int64_t i = 0; i < y->want.count; i++) {
        struct qd_observation o = qd_value_observe(y, i);
        double value = qd_tensor_value(&y->want, i);
        bool is_code = qd_dtype_is_integer(y->want.dtype);
        if (o.unspecified)
            fail_msg("%s: element %lld is unspecified", kase->id, (long long)i);
        if (tie && (o.lo != o.hi || value != o.lo))
            fail_msg("%s: element %lld: [%g, %g]", kase->id, (long long)i, o.lo, o.hi);
        a->elements++;
        a->codes += is_code;
        a->saturated += is_code && (value == (double)info->min || value == (double)info->max);
        a->ties += tie && (qd_value_flags(y, i) & QD_TIE);
    }
}

static enum qd_visit check_reference(void *context, const struct qd_case *kase)
{
    struct agreement *a = context;
    struct qd_arena arena;
    struct qd_value outputs[MAX_OUTPUTS];
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(kase->graph->output_count <= MAX_OUTPUTS);
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, &arena, outputs, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (size_t k = 0; k < kase->graph->output_count; k++)
        look_at(a, kase, &outputs[k]);
    a->cases++;
    a->tie_cases += strcmp(kase->tags[0], "tie") == 0;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void reference_answers_all(void **state)
{
    (void)state;
    struct agreement a = {0};
    struct qd_error error;
    if (qd_family_generate(&qd_family_qdq, QD_LEVEL_FULL, check_reference, &a, &error) != QD_OK)
        fail_msg("%s", error.text);
    print_message("# %zu elements of %zu cases; %zu codes, %zu of them at an end; %zu ties in %zu "
                  "tie cases\n",
                  a.elements, a.cases, a.codes, a.saturated, a.ties, a.tie_cases);
    assert_true(a.tie_cases > 200);
    assert_true(a.ties > 60000);
    assert_true(a.saturated > a.codes / 100);
    assert_true(a.saturated < a.codes / 2);
}

/* ---- Quirks ---------------------------------------------------------------------------------- */

struct notice {
    struct qd_semantics semantics;
    size_t cases, noticed;
};

static bool differs(const struct qd_value *want, const struct qd_value *have)
{
    for (int64_t i = 0; i < want->want.count; i++) {
        struct qd_observation o = qd_value_observe(want, i);
        double value = qd_tensor_value(&have->want, i);
        if (!o.unspecified && (value < o.lo || value > o.hi))
            return true;
    }
    return false;
}

static enum qd_visit notice(void *context, const struct qd_case *kase)
{
    struct notice *n = context;
    struct qd_arena arena;
    struct qd_value want[MAX_OUTPUTS], have[MAX_OUTPUTS];
    bool noticed = false;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    evaluate(kase, NULL, &arena, want);
    evaluate(kase, &n->semantics, &arena, have);
    for (size_t k = 0; k < kase->graph->output_count; k++)
        noticed = noticed || differs(&want[k], &have[k]);
    n->cases++;
    n->noticed += noticed;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void mistakes_are_noticed(void **state)
{
    (void)state;
    static const char *const quirks[] = {"zero-point-order=before-f32",
                                         "zero-point-order=before-exact",
                                         "rounding=half-away",
                                         "rounding=truncate",
                                         "rounding=floor",
                                         "range=wrap",
                                         "zero-points=ignored",
                                         "zero-points=channel0"};
    for (size_t q = 0; q < sizeof quirks / sizeof *quirks; q++) {
        struct notice n = {.cases = 0};
        struct qd_error error;
        if (qd_semantics_parse(quirks[q], true, &n.semantics, &error) != QD_OK)
            fail_msg("%s", error.text);
        if (qd_family_generate(&qd_family_qdq, QD_LEVEL_SMOKE, notice, &n, &error) != QD_OK)
            fail_msg("%s: %s", quirks[q], error.text);
        print_message("# %s: noticed by %zu of %zu smoke cases\n", quirks[q], n.noticed, n.cases);
        if (n.noticed == 0)
            fail_msg("%s is not noticed", quirks[q]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(same_numbers_on_every_machine),
        cmocka_unit_test(every_triple_of_features_occurs),
        cmocka_unit_test(features_occur),
        cmocka_unit_test(reference_answers_all),
        cmocka_unit_test(mistakes_are_noticed),
    };
    return cmocka_run_group_tests_name("QDQ cases", tests, NULL, NULL);
}
