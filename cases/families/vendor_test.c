/* SPDX-License-Identifier: Apache-2.0 */
/* The generated cases of the vendor's operators and of QDQWeights: counts, ids, repeats, numbers, coverage; every
 * element defined but under scales near the ends of float32; ties with one answer.
 * Alone: <build>/tests/cases/families/vendor_test */
#include "case_testlib.h"

#include <string.h>

#include "families/census_testlib.h"
#include "qdiff/evaluate.h"

extern const struct qd_family qd_family_qgemm, qd_family_matmul_nbits,
    qd_family_matmul_integer_to_float, qd_family_dynamic_quantize_matmul, qd_family_qlinear_add,
    qd_family_qlinear_mul, qd_family_qlinear_concat, qd_family_qlinear_where,
    qd_family_qlinear_leaky_relu, qd_family_qlinear_sigmoid, qd_family_qlinear_softmax,
    qd_family_qlinear_average_pool, qd_family_qlinear_global_average_pool,
    qd_family_qlinear_reduce_mean, qd_family_vendor_quantize_linear,
    qd_family_vendor_dequantize_linear, qd_family_qdq_weights;

/* Counts and ties from 7/8 of what there is now; hashes: whoever changes a generator on purpose changes these. */
static const struct {
    const struct qd_family *family;
    size_t least[2], most[2]; /* cases at smoke and full level */
    size_t ties;              /* elements on a tie with one answer, at full level */
    uint64_t numbers;         /* of the full level */
} families[] = {
    {&qd_family_qgemm, {43, 426}, {62, 608}, 419, 0x33ce89d0a35fabc5},
    {&qd_family_matmul_nbits, {21, 228}, {31, 326}, 0, 0xb4204ef57ce3e12d},
    {&qd_family_matmul_integer_to_float, {34, 229}, {48, 327}, 0, 0xf2ace00169011ff7},
    {&qd_family_dynamic_quantize_matmul, {26, 273}, {37, 390}, 0, 0xb739bc540e4e8adf},
    {&qd_family_qlinear_add, {40, 439}, {57, 627}, 60745, 0x731762327a51406b},
    {&qd_family_qlinear_mul, {40, 439}, {57, 627}, 5029, 0x1c9e5827dc5710e2},
    {&qd_family_qlinear_concat, {26, 247}, {37, 353}, 2883, 0xef3b957d1e32e3d3},
    {&qd_family_qlinear_where, {23, 208}, {33, 297}, 2257, 0x227452ef0764e74a},
    {&qd_family_qlinear_leaky_relu, {39, 399}, {56, 571}, 2924, 0xc7091ed9c64af077},
    {&qd_family_qlinear_sigmoid, {31, 266}, {45, 381}, 0, 0x9c9b866aab9d5874},
    {&qd_family_qlinear_softmax, {26, 214}, {37, 306}, 0, 0x226eeffb906a6b9a},
    {&qd_family_qlinear_average_pool, {40, 569}, {57, 813}, 734, 0x7092a0ae4ba61d05},
    {&qd_family_qlinear_global_average_pool, {26, 364}, {37, 521}, 281, 0x93f3e70e5bc45a82},
    {&qd_family_qlinear_reduce_mean, {38, 388}, {55, 555}, 205, 0x72f649fce34115f2},
    {&qd_family_vendor_quantize_linear, {35, 353}, {50, 505}, 26005, 0x1f838935f876790b},
    {&qd_family_vendor_dequantize_linear, {35, 291}, {51, 416}, 0, 0x158cc321d5567d46},
    {&qd_family_qdq_weights, {21, 263}, {31, 376}, 692, 0x58bf6715bf42cb12},
};
#define FAMILIES (sizeof families / sizeof *families)

static void counts_and_unique_ids(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_counts(families[f].family, 2, families[f].least, families[f].most);
}

static void same_cases_every_time(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_repeats(families[f].family);
}

static void same_numbers_on_every_machine(void **state)
{
    size_t different = 0;
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_census census = qd_census_take(families[f].family, QD_LEVEL_FULL);
        if (census.numbers != families[f].numbers) {
            print_error("%s: 0x%llx\n", families[f].family->name,
                        (unsigned long long)census.numbers);
            different++;
        }
        qd_census_release(&census);
    }
    assert_int_equal(0, different);
}

static void combinations_of_features_occur(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        for (unsigned strength = 2; strength <= families[f].family->strength; strength++)
            qd_census_check_coverage(families[f].family->table, strength);
}

struct survey {
    size_t cases, elements, ties, loose; /* loose: elements of tie cases with latitude */
};

/* Whether scales that are powers of two make the operator exact; then a case of ties has no latitude. */
static bool exact_on_ties(const char *id)
{
    static const struct {
        const char *op, *type;
    } rounding[] = {
        {"QLinearSigmoid", ""},
        {"QLinearSoftmax", ""},
        {"QDQWeights/batch-normalization", ""}, /* may be folded into what is before it */
        {"QDQWeights/conv-transpose", "16-z"},  /* sums of products of 16 bits pass 24 bits */
    };
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++)
        if (strstr(id, rounding[i].op) && strstr(id, rounding[i].type))
            return false;
    return true;
}

static enum qd_visit survey_case(void *context, const struct qd_case *kase)
{
    struct survey *survey = context;
    struct qd_arena arena;
    struct qd_value outputs[2];
    struct qd_error error;
    bool tie = strcmp(kase->tags[0], "tie") == 0 && exact_on_ties(kase->id), loose = false;
    bool extreme = strcmp(kase->tags[0], "extreme-scale") == 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(kase->graph->output_count <= 2);
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, &arena, outputs, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (int64_t i = 0; i < outputs[0].want.count; i++) {
        struct qd_observation seen = qd_value_observe(&outputs[0], i);
        if (seen.unspecified && !extreme)
            fail_msg("%s: element %lld is unspecified", kase->id, (long long)i);
        loose = loose || (tie && seen.lo != seen.hi);
        survey->loose += tie && seen.lo != seen.hi;
        survey->ties += tie && qd_value_flags(&outputs[0], i) & QD_TIE;
    }
    if (loose)
        print_error("%s: a tie with latitude\n", kase->id);
    survey->elements += (size_t)outputs[0].want.count;
    survey->cases++;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void ties_have_one_answer(void **state)
{
    size_t loose = 0;
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct survey survey = {0};
        struct qd_error error;
        if (qd_family_generate(families[f].family, QD_LEVEL_FULL, survey_case, &survey, &error) !=
            QD_OK)
            fail_msg("%s", error.text);
        print_message("# %s: %zu elements of %zu cases, %zu of them ties\n",
                      families[f].family->name, survey.elements, survey.cases, survey.ties);
        if (survey.ties < families[f].ties)
            fail_msg("%s: %zu ties, want %zu", families[f].family->name, survey.ties,
                     families[f].ties);
        loose += survey.loose;
    }
    assert_int_equal(0, loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(same_numbers_on_every_machine),
        cmocka_unit_test(combinations_of_features_occur),
        cmocka_unit_test(ties_have_one_answer),
    };
    return cmocka_run_group_tests_name("cases of the vendor's operators", tests, NULL, NULL);
}
