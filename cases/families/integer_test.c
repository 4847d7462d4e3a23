/* SPDX-License-Identifier: Apache-2.0 */
/* The generated cases of QLinearMatMul, MatMulInteger, ConvInteger and DynamicQuantizeLinear: as many as
 * promised, the same every time, covering every triple of features; taken by the reference; and doing
 * what their tags say, by sums and quotients that are exact in integers and doubles.
 * Alone: <build>/tests/cases/families/integer_test */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "families/census_testlib.h"
#include "families/conv_integer.h"
#include "families/matmul_draft.h"
#include "qdiff/evaluate.h"

extern const struct qd_family qd_family_qlinear_matmul, qd_family_matmul_integer,
    qd_family_conv_integer, qd_family_dynamic_quantize_linear;

enum { QLINEAR_MATMUL, MATMUL_INTEGER, CONV_INTEGER, DYNAMIC, FAMILIES };

static const struct {
    const struct qd_family *family;
    size_t least[2], most[2]; /* smoke, full */
    /* The same numbers from every compiler. Whoever changes the generator on purpose changes
     * these with it. */
    uint64_t smoke_numbers;
} families[FAMILIES] = {
    {&qd_family_qlinear_matmul, {50, 700}, {90, 1100}, 0x621f6473e60776a3},
    {&qd_family_matmul_integer, {40, 600}, {80, 1000}, 0xeec8a0a4e6375fcb},
    {&qd_family_conv_integer, {30, 400}, {60, 800}, 0xc22c8d061816d5f2},
    {&qd_family_dynamic_quantize_linear, {20, 200}, {50, 500}, 0xf36bb6831a75c617},
};

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
    (void)state;
    size_t different = 0;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_census census = qd_census_take(families[f].family, QD_LEVEL_SMOKE);
        print_message("# %s: 0x%llx\n", families[f].family->name,
                      (unsigned long long)census.numbers);
        different += families[f].smoke_numbers != census.numbers;
        qd_census_release(&census);
    }
    assert_int_equal(0, different);
}

static void every_triple_of_features_occurs(void **state)
{
    (void)state;
    struct qd_factor factors[QD_CONV_FACTORS];
    struct qd_factor_table conv = qd_conv_integer_table(factors);
    qd_census_check_coverage(qd_family_qlinear_matmul.table, 3);
    qd_census_check_coverage(qd_family_matmul_integer.table, 3);
    qd_census_check_coverage(&conv, 3);
    qd_census_check_coverage(qd_family_dynamic_quantize_linear.table, 3);
}

/* ---- The numbers ----------------------------------------------------------------------------- */

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

/* Where entry y[i] of a·b comes from. */
struct place {
    int64_t k, a0, b0, b_step; /* terms; a's first element, b's first and the step to its next */
    int64_t a_line, b_line;    /* entries of parameters that have more than one */
};

static struct place place_of(const struct qd_tensor *a, const struct qd_tensor *b, int64_t i)
{
    int64_t k = a->dims[a->rank - 1], n = b->rank == 1 ? 1 : b->dims[b->rank - 1];
    int64_t m = a->rank == 1 ? 1 : a->dims[a->rank - 2];
    int64_t row = i / n % m, column = i % n, batch = i / (m * n);
    /* In this suite the operand of fewer matrices repeats whole. */
    int64_t a_matrix = batch % (a->count / (m * k)), b_matrix = batch % (b->count / (k * n));
    return (struct place){k, (a_matrix * m + row) * k, b_matrix * k * n + column,
                          n, a_matrix * m + row,       b_matrix * n + column};
}

static int64_t entry(const struct qd_tensor *t, int64_t line)
{
    return t ? qd_tensor_get(t, t->count == 1 ? 0 : line) : 0;
}

static double number(const struct qd_tensor *t, int64_t line)
{
    return qd_tensor_value(t, t->count == 1 ? 0 : line);
}

static int64_t sum(const struct qd_tensor *a, const struct qd_tensor *b, const struct qd_tensor *az,
                   const struct qd_tensor *bz, int64_t i)
{
    struct place p = place_of(a, b, i);
    int64_t total = 0;
    for (int64_t k = 0; k < p.k; k++)
        total += (qd_tensor_get(a, p.a0 + k) - entry(az, p.a_line)) *
                 (qd_tensor_get(b, p.b0 + k * p.b_step) - entry(bz, p.b_line));
    return total;
}

struct facts {
    size_t cases, elements, slack, ties, tie_cases, beyond_float;
};

static void check_matmul_integer(const struct qd_case *kase, const struct qd_value *out,
                                 struct facts *f)
{
    for (int64_t i = 0; i < out->want.count; i++) {
        int64_t want =
            sum(operand(kase, 0), operand(kase, 1), operand(kase, 2), operand(kase, 3), i);
        if (qd_tensor_get(&out->want, i) != want)
            fail_msg("%s: element %lld", kase->id, (long long)i);
        f->beyond_float += want > 1 << 24 && want % 2 != 0;
    }
}

/* Scales of ties are powers of two times 1 to 15: the real number is exact in doubles. */
static void check_qlinear_matmul(const struct qd_case *kase, const struct qd_value *out,
                                 struct facts *f)
{
    const struct qd_tensor *a = operand(kase, 0), *b = operand(kase, 3);
    const struct qd_dtype_info *type = qd_dtype_info(out->want.dtype);
    size_t ties = 0;
    for (int64_t i = 0; i < out->want.count; i++) {
        struct place p = place_of(a, b, i);
        int64_t acc = sum(a, b, operand(kase, 2), operand(kase, 5), i);
        f->beyond_float += acc > 1 << 24 && acc % 2 != 0;
        if (strcmp(kase->tags[0], "tie") != 0)
            continue;
        double real = (double)acc * number(operand(kase, 1), p.a_line) *
                      number(operand(kase, 4), p.b_line) / number(operand(kase, 6), 0);
        double code = nearbyint(real) + (double)qd_tensor_get(operand(kase, 7), 0);
        code = fmin(fmax(code, (double)type->min), (double)type->max);
        if ((double)qd_tensor_get(&out->want, i) != code)
            fail_msg("%s: element %lld", kase->id, (long long)i);
        ties += fabs(real) - floor(fabs(real)) == 0.5;
    }
    if (strcmp(kase->tags[0], "tie") == 0 && ties == 0)
        fail_msg("%s: no tie", kase->id);
    f->ties += ties;
}

static void check_conv_integer(const struct qd_case *kase, const struct qd_value *out,
                               struct facts *f)
{
    size_t before = f->beyond_float;
    for (int64_t i = 0; i < out->want.count; i++) {
        int64_t y = qd_tensor_get(&out->want, i);
        f->beyond_float += y > 1 << 24 && y % 2 != 0;
    }
    if (strcmp(kase->tags[0], "large-sum") == 0 && f->beyond_float == before)
        fail_msg("%s: float32 holds every sum", kase->id);
}

static void check_dynamic(const struct qd_case *kase, const struct qd_value *out, struct facts *f)
{
    const struct qd_tensor *x = operand(kase, 0);
    double min = 0, max = 0, scale = qd_tensor_value(&out[1].want, 0);
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    size_t ties = 0;
    for (int64_t i = 0; i < x->count; i++) {
        min = fmin(min, qd_tensor_value(x, i));
        max = fmax(max, qd_tensor_value(x, i));
    }
    assert_true(max > min && max - min <= (double)FLT_MAX);
    float width = (float)(max - min);
    assert_true((double)(width / 255) == scale);
    for (int64_t i = 0; i < x->count; i++) {
        double twice = 2 * qd_tensor_value(x, i) / scale;
        ties += tie && fmod(fabs(twice), 2) == 1;
    }
    f->ties += ties;
    f->tie_cases += ties > 0;
}

static void (*const checks[FAMILIES])(const struct qd_case *, const struct qd_value *,
                                      struct facts *) = {
    [QLINEAR_MATMUL] = check_qlinear_matmul,
    [MATMUL_INTEGER] = check_matmul_integer,
    [CONV_INTEGER] = check_conv_integer,
    [DYNAMIC] = check_dynamic,
};

struct survey {
    size_t family;
    struct facts facts;
};

static enum qd_visit survey_case(void *context, const struct qd_case *kase)
{
    struct survey *survey = context;
    struct qd_arena arena;
    struct qd_value out[3];
    struct qd_error error;
    bool tie = strcmp(kase->tags[0], "tie") == 0;
    assert_in_range(kase->graph->output_count, 1, 3);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, out, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (size_t o = 0; o < kase->graph->output_count; o++)
        for (int64_t i = 0; i < out[o].want.count; i++) {
            struct qd_observation seen = qd_value_observe(&out[o], i);
            if (seen.unspecified)
                fail_msg("%s: element %lld is unspecified", kase->id, (long long)i);
            survey->facts.elements++;
            survey->facts.slack += seen.lo != seen.hi;
            if (tie && seen.lo != seen.hi)
                fail_msg("%s: a tie with latitude", kase->id);
        }
    checks[survey->family](kase, out, &survey->facts);
    survey->facts.cases++;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

/* Every case is one the reference takes and defines; exact ties leave one admissible value. */
static void cases_are_what_they_are_called(void **state)
{
    (void)state;
    struct survey surveys[FAMILIES] = {{0}};
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_error error;
        surveys[f].family = f;
        if (qd_family_generate(families[f].family, QD_LEVEL_FULL, survey_case, &surveys[f],
                               &error) != QD_OK)
            fail_msg("%s", error.text);
        const struct facts *facts = &surveys[f].facts;
        print_message(
            "# %s: %zu elements of %zu cases, %zu with latitude; %zu exact ties; %zu sums "
            "that float32 does not hold\n",
            families[f].family->name, facts->elements, facts->cases, facts->slack, facts->ties,
            facts->beyond_float);
    }
    assert_true(surveys[QLINEAR_MATMUL].facts.ties > 1000);
    assert_true(surveys[DYNAMIC].facts.ties > 1000);
    assert_true(surveys[DYNAMIC].facts.tie_cases > 50);
    for (size_t f = QLINEAR_MATMUL; f <= CONV_INTEGER; f++)
        assert_true(surveys[f].facts.beyond_float > 50);
    assert_int_equal(0, surveys[MATMUL_INTEGER].facts.slack + surveys[CONV_INTEGER].facts.slack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(same_numbers_on_every_machine),
        cmocka_unit_test(every_triple_of_features_occurs),
        cmocka_unit_test(cases_are_what_they_are_called),
    };
    return cmocka_run_group_tests_name("integer operators' cases", tests, NULL, NULL);
}
