/* The generated cases of the vendor's matrix products: counts, ids, repeats, coverage; every one defined; ties exact.
 * Alone: tests/cases/families/vendor_matmul_test */
#include "case_testlib.h"

#include <string.h>

#include "families/census_testlib.h"
#include "families/vendor_matmul.h"
#include "qdiff/evaluate.h"

extern const struct qd_family qd_family_qgemm, qd_family_matmul_nbits,
    qd_family_matmul_integer_to_float;

static const struct {
    const struct qd_family *family;
    const struct qd_factor_table *table;
    size_t least[2], most[2]; /* cases at smoke and full level */
    size_t tie_cases;         /* at least, at full level */
} families[] = {
    {&qd_family_qgemm, &qd_qgemm_table, {40, 400}, {60, 700}, 20},
    {&qd_family_matmul_nbits, &qd_matmul_nbits_table, {20, 200}, {60, 700}, 0},
    {&qd_family_matmul_integer_to_float,
     &qd_matmul_integer_to_float_table,
     {15, 100},
     {60, 500},
     0},
};
#define FAMILIES (sizeof families / sizeof *families)

static void counts_repeats_and_coverage(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        for (int level = QD_LEVEL_SMOKE; level <= QD_LEVEL_FULL; level++) {
            struct qd_census census = qd_census_take(families[f].family, (enum qd_level)level);
            print_message("# %s %s: %zu cases\n", families[f].family->name,
                          qd_level_word((enum qd_level)level), census.count);
            qd_census_check_ids(&census, families[f].least[level], families[f].most[level]);
            qd_census_release(&census);
        }
        qd_census_check_repeats(families[f].family);
        qd_census_check_coverage(families[f].table, 2);
        qd_census_check_coverage(families[f].table, 3);
    }
}

struct survey {
    size_t cases, tie_cases, elements, unspecified;
};

static enum qd_visit survey_case(void *context, const struct qd_case *kase)
{
    struct survey *survey = context;
    struct qd_arena arena;
    struct qd_value out;
    struct qd_error error;
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &out, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (int64_t i = 0; i < out.want.count; i++) {
        struct qd_observation seen = qd_value_observe(&out, i);
        survey->unspecified += seen.unspecified;
        if (tie && seen.lo != seen.hi)
            fail_msg("%s: a tie with latitude", kase->id);
    }
    survey->elements += (size_t)out.want.count;
    survey->tie_cases += tie;
    survey->cases++;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void cases_are_what_they_are_called(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct survey survey = {0};
        struct qd_error error;
        if (families[f].family->generate(QD_LEVEL_FULL, survey_case, &survey, &error) != QD_OK)
            fail_msg("%s", error.text);
        print_message("# %s: %zu elements of %zu cases, %zu of them ties\n",
                      families[f].family->name, survey.elements, survey.cases, survey.tie_cases);
        assert_true(survey.tie_cases >= families[f].tie_cases);
        assert_int_equal(0, survey.unspecified);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_repeats_and_coverage),
        cmocka_unit_test(cases_are_what_they_are_called),
    };
    return cmocka_run_group_tests_name("the vendor's matrix products' cases", tests, NULL, NULL);
}
