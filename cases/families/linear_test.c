/* SPDX-License-Identifier: Apache-2.0 */
/* The generated QuantizeLinear and DequantizeLinear cases: as many as promised, the same every
 * time, covering every triple of features, and doing what their tags say, by exact computation
 * with GMP.
 * Alone: <build>/tests/cases/families/linear_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>
#include <cmocka.h>

#include "families/census_testlib.h"
#include "families/linear_draft.h"
#include "qdiff/evaluate.h"

extern const struct qd_family qd_family_quantize_linear, qd_family_dequantize_linear;

static const struct {
    const struct qd_family *family;
    size_t least[QD_LEVEL_COUNT], most[QD_LEVEL_COUNT];
    /* The same numbers from every compiler. Whoever changes the generator on purpose changes
     * these with it. */
    uint64_t smoke_numbers;
} families[] = {
    {&qd_family_quantize_linear, {100, 5000, 30000}, {250, 8000, 60000}, 0xb7bb1d9fa7373e85},
    {&qd_family_dequantize_linear, {100, 2000, 4000}, {250, 4000, 30000}, 0x7d2c7c841ac7aebc},
};
#define FAMILIES (sizeof families / sizeof *families)

static void counts_and_unique_ids(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_counts(families[f].family, QD_LEVEL_COUNT, families[f].least,
                               families[f].most);
}

static void same_cases_every_time(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_repeats(families[f].family);
}

static void same_numbers_on_every_machine(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_census census = qd_census_take(families[f].family, QD_LEVEL_SMOKE);
        assert_int_equal(families[f].smoke_numbers, census.numbers);
        qd_census_release(&census);
    }
}

static void every_triple_of_features_occurs(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_coverage(families[f].family->table, 3);
}

static void features_occur(void **state)
{
    (void)state;
    static const enum qd_feature wanted[] = {
        QD_FEATURE_PER_CHANNEL_SCALE,
        QD_FEATURE_DISTINCT_ZERO_POINTS,
        QD_FEATURE_NO_ZERO_POINT,
        QD_FEATURE_INT16,
        QD_FEATURE_INT4,
        QD_FEATURE_INT2,
        QD_FEATURE_INT32_INPUT,
        QD_FEATURE_FLOAT16,
        QD_FEATURE_BFLOAT16,
        QD_FEATURE_FLOAT8,
        QD_FEATURE_FLOAT4,
        QD_FEATURE_BLOCKED,
        QD_FEATURE_NEGATIVE_AXIS,
        QD_FEATURE_RUNTIME_PARAMETERS,
        QD_FEATURE_SUBNORMAL_SCALE,
        QD_FEATURE_RANK0,
        QD_FEATURE_RANK1,
    };
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_census census = qd_census_take(families[f].family, QD_LEVEL_SMOKE);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (census.features[wanted[i]] == 0)
                fail_msg("%s: no smoke case has the feature %s", families[f].family->name,
                         qd_feature_word(wanted[i]));
        qd_census_release(&census);
    }
}

/* ---- What the value families promise --------------------------------------------------------- */

static const struct qd_tensor *operand(const struct qd_case *kase, size_t i)
{
    const struct qd_node *node = &kase->graph->nodes[0];
    if (i >= node->input_count || node->inputs[i] == QD_NO_VALUE)
        return NULL;
    for (size_t k = 0; k < kase->input_count; k++)
        if (kase->graph->inputs[k] == node->inputs[i])
            return &kase->inputs[k];
    return kase->graph->values[node->inputs[i]].initializer;
}

static int64_t attr_of(const struct qd_case *kase, const char *name, int64_t otherwise)
{
    const struct qd_attr *attr = qd_node_attr(&kase->graph->nodes[0], name);
    return attr ? attr->i : otherwise;
}

/* The parameter index of element i, by coordinates. */
static int64_t slot(const struct qd_case *kase, const struct qd_tensor *x,
                    const struct qd_tensor *scale, int64_t i)
{
    int64_t at[QD_MAX_RANK], block = attr_of(kase, "block_size", 0), index = 0;
    int64_t axis = attr_of(kase, "axis", 1);
    if (scale->count == 1)
        return 0;
    axis += axis < 0 ? x->rank : 0;
    qd_tensor_coordinates(x, i, at);
    if (block == 0)
        return at[axis];
    for (unsigned k = 0; k < x->rank; k++)
        index = index * scale->dims[k] + (k == axis ? at[k] / block : at[k]);
    return index;
}

/* The two neighbours of |q| on y's grid (integers, or the finite values of a float type). */
static void neighbours(const mpq_t q, enum qd_dtype y, mpq_t lower, mpq_t upper)
{
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, q);
    if (qd_dtype_is_integer(y)) {
        mpq_set_ui(upper, 1, 1);
        mpz_fdiv_q(mpq_numref(lower), mpq_numref(size), mpq_denref(size));
        mpz_set_ui(mpq_denref(lower), 1);
        mpq_add(upper, upper, lower);
    } else {
        uint64_t code = 0;
        double largest = qd_float_format(y)->largest;
        do {
            mpq_set_d(lower, qd_float_decode(y, code));
            mpq_set_d(upper, qd_float_decode(y, ++code));
        } while (mpq_cmp(upper, size) < 0 && qd_float_decode(y, code) < largest);
    }
    mpq_clear(size);
}

/* |2|q| - lower - upper|: 0 for a tie. */
static void distance_to_tie(const mpq_t q, enum qd_dtype y, mpq_t distance)
{
    mpq_t lower, upper;
    mpq_inits(lower, upper, NULL);
    neighbours(q, y, lower, upper);
    mpq_abs(distance, q);
    mpq_mul_2exp(distance, distance, 1);
    mpq_sub(distance, distance, lower);
    mpq_sub(distance, distance, upper);
    mpq_abs(distance, distance);
    mpq_clears(lower, upper, NULL);
}

struct promises {
    size_t tie_cases, tie_elements, ties, near_cases, near_elements, near_ties;
};

/* The exact quotient of element i; false if it is not finite. */
static bool quotient(const struct qd_case *kase, int64_t i, mpq_t q)
{
    const struct qd_tensor *x = operand(kase, 0), *scale = operand(kase, 1);
    double value = qd_tensor_value(x, i), s = qd_tensor_value(scale, slot(kase, x, scale, i));
    mpq_t divisor;
    if (!isfinite(value))
        return false;
    mpq_init(divisor);
    mpq_set_d(q, value);
    mpq_set_d(divisor, s);
    mpq_div(q, q, divisor);
    mpq_clear(divisor);
    return true;
}

static enum qd_visit check_quantize(void *context, const struct qd_case *kase)
{
    struct promises *p = context;
    const struct qd_tensor *x = operand(kase, 0);
    enum qd_dtype y = kase->graph->values[kase->graph->outputs[0]].declared_dtype;
    bool is_tie = strcmp(kase->tags[0], "tie") == 0, is_near = !strcmp(kase->tags[0], "near-tie");
    size_t ties = 0, near = 0;
    mpq_t q, distance, limit;
    if (!is_tie && !is_near)
        return QD_VISIT_GO_ON;
    mpq_inits(q, distance, limit, NULL);
    for (int64_t i = 0; i < x->count && i < 4096; i++) {
        if (!quotient(kase, i, q))
            continue;
        distance_to_tie(q, y, distance);
        bool tie = mpq_sgn(distance) == 0;
        mpq_abs(limit, q); /* two units of x in the last place, doubled */
        if (is_near)
            mpq_div_2exp(limit, limit, qd_linear_precision(x->dtype) - 3);
        ties += tie;
        near += !tie && mpq_cmp(distance, limit) <= 0;
    }
    mpq_clears(q, distance, limit, NULL);
    if (is_tie && ties == 0)
        fail_msg("%s: no tie", kase->id);
    p->tie_cases += is_tie;
    p->ties += is_tie ? ties : 0;
    p->tie_elements += is_tie ? (size_t)x->count : 0;
    p->near_cases += is_near;
    p->near_ties += is_near ? near : 0;
    p->near_elements += is_near ? (size_t)x->count : 0;
    return QD_VISIT_GO_ON;
}

static void ties_are_ties(void **state)
{
    (void)state;
    struct promises p = {0};
    struct qd_error error;
    if (qd_family_generate(&qd_family_quantize_linear, QD_LEVEL_FULL, check_quantize, &p, &error) !=
        QD_OK)
        fail_msg("%s", error.text);
    print_message(
        "# %zu exact ties among %zu elements of %zu tie cases; %zu near-ties among %zu of "
        "%zu\n",
        p.ties, p.tie_elements, p.tie_cases, p.near_ties, p.near_elements, p.near_cases);
    assert_true(p.ties > 200000);
    assert_true(p.near_ties > 50000);
}

/* Tensors of 256 elements hold every code of a type of at most 8 bits. */
static enum qd_visit check_dequantize(void *context, const struct qd_case *kase)
{
    const struct qd_tensor *x = operand(kase, 0);
    unsigned bits = qd_dtype_info(x->dtype)->bits;
    bool seen[256] = {false};
    if (bits > 8 || x->count < 256)
        return QD_VISIT_GO_ON;
    for (int64_t i = 0; i < x->count; i++)
        seen[qd_tensor_get(x, i) & ((1 << bits) - 1)] = true;
    for (int c = 0; c < 1 << bits; c++)
        if (!seen[c])
            fail_msg("%s: the code %d is missing", kase->id, c);
    ++*(size_t *)context;
    return QD_VISIT_GO_ON;
}

static void sweeps_are_complete(void **state)
{
    (void)state;
    size_t sweeps = 0;
    struct qd_error error;
    if (qd_family_generate(&qd_family_dequantize_linear, QD_LEVEL_FULL, check_dequantize, &sweeps,
                           &error))
        fail_msg("%s", error.text);
    print_message("# %zu cases hold all codes\n", sweeps);
    assert_true(sweeps > 1000);
}

/* ---- The reference --------------------------------------------------------------------------- */

struct agreement {
    size_t cases, elements, unspecified, slack, tie_elements, tie_slack, nothing_compared;
};

static enum qd_visit evaluate(void *context, const struct qd_case *kase)
{
    struct agreement *a = context;
    struct qd_arena arena;
    struct qd_value y;
    struct qd_error error;
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    size_t compared = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (int64_t i = 0; i < y.want.count; i++) {
        struct qd_observation o = qd_value_observe(&y, i);
        compared += !o.unspecified;
        a->unspecified += o.unspecified;
        a->slack += !o.unspecified && o.lo != o.hi;
        a->tie_slack += tie && !o.unspecified && o.lo != o.hi;
        a->tie_elements += tie;
    }
    a->cases++;
    a->elements += compared;
    a->nothing_compared += compared == 0;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

/* Every case is one the reference takes, and exact ties leave one admissible value. */
static void reference_evaluates_all(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct agreement a = {0};
        struct qd_error error;
        if (qd_family_generate(families[f].family, QD_LEVEL_FULL, evaluate, &a, &error) != QD_OK)
            fail_msg("%s", error.text);
        print_message("# %s: %zu elements of %zu cases; %zu unspecified, %zu with latitude; tie "
                      "cases: slack %zu of %zu; %zu cases are unspecified altogether\n",
                      families[f].family->name, a.elements, a.cases, a.unspecified, a.slack,
                      a.tie_slack, a.tie_elements, a.nothing_compared);
        assert_int_equal(0, a.tie_slack);
        assert_int_equal(0, a.nothing_compared);
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
        cmocka_unit_test(ties_are_ties),
        cmocka_unit_test(sweeps_are_complete),
        cmocka_unit_test(reference_evaluates_all),
    };
    return cmocka_run_group_tests_name("QuantizeLinear and DequantizeLinear cases", tests, NULL,
                                       NULL);
}
