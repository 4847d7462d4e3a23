/* SPDX-License-Identifier: Apache-2.0 */
/* The hand-written cases: regressions evaluate to what GMP computes. Must-reject cases: reject_test.c.
 * Alone: <build>/tests/cases/handwritten_test */
#include "case_testlib.h"

#include "families/conv_facts_testlib.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

#define MAX_CASES 1024

struct cases {
    struct qd_arena arena;
    size_t count;
    struct qd_case at[MAX_CASES]; /* decoded again, so that they outlive the visit */
};

static enum qd_visit keep(void *context, const struct qd_case *kase)
{
    struct cases *cases = context;
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    if (strncmp(kase->id, "regressions/", 12) != 0)
        return QD_VISIT_STOP; /* they come first */
    assert_true(cases->count < MAX_CASES);
    assert_ok(qd_case_encode(kase, &cases->arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, &cases->arena, &cases->at[cases->count++], &error),
              error);
    return QD_VISIT_GO_ON;
}

static int load(void **state)
{
    static struct cases cases;
    struct qd_error error;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    qd_arena_init(&cases.arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_suite_visit(&options, keep, &cases, &error) != QD_OK) {
        print_error("%s\n", error.text);
        return -1;
    }
    *state = &cases;
    return 0;
}

static int unload(void **state)
{
    struct cases *cases = *state;
    qd_arena_clear(&cases->arena);
    return 0;
}

static const struct qd_case *find(const struct cases *cases, const char *id)
{
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->at[i].id, id) == 0)
            return &cases->at[i];
    return NULL;
}

static void valid_cases_evaluate(void **state)
{
    const struct cases *cases = *state;
    size_t valid = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        struct qd_arena arena;
        struct qd_value y[QD_MAX_OPERANDS];
        struct qd_error error;
        if (kase->expect != QD_EXPECT_VALID)
            continue;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, y, &error) != QD_OK)
            fail_msg("%s: %s", kase->id, error.text);
        qd_arena_clear(&arena);
        valid++;
    }
    print_message("# %zu valid cases\n", valid);
    assert_true(valid >= 24);
}

/* ---- Regressions ----------------------------------------------------------------------------- */

/* One output element that the comment of its case computes by hand. */
static const struct {
    const char *slug;
    int64_t element, value;
} by_hand[] = {
    {"1d", 3, 63},
    {"bias", 2, 62},
    {"control-equal", 8, 170},
    {"depthwise", 10, 19},
    {"grouped", 6, 74},
    {"pads", 4, 13},
    {"runtime-zero-points", 2, 60},
    {"s8", 2, 12},
    {"s8u8", 3, 34},
    {"strided-dilated", 2, 68},
    {"u8", 8, 105},
    {"u8s8", 0, 40},
};

static void regressions_give_the_hand_computed_values(void **state)
{
    const struct cases *cases = *state;
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        char id[80];
        int64_t codes[64];
        struct qd_conv_facts facts;
        struct qd_value y;
        struct qd_arena arena;
        struct qd_error error;
        snprintf(id, sizeof id, "regressions/ort-28456-%s", by_hand[i].slug);
        const struct qd_case *kase = find(cases, id);
        assert_non_null(kase);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_conv_facts_of(kase, &facts, codes, 64);
        assert_ok(qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error), error);
        assert_int_equal(facts.elements, y.want.count);
        assert_int_equal(by_hand[i].value, qd_tensor_get(&y.want, by_hand[i].element));
        for (int64_t k = 0; k < facts.elements; k++)
            assert_int_equal(codes[k], qd_tensor_get(&y.want, k));
        qd_arena_clear(&arena);
    }
}

/* Every element by hand: (10−5)(3−1), (20−5)(3−1), (30−5)(210−200), (40−5)(210−200). */
static void grouped_conv_integer_uses_each_filters_zero_point(void **state)
{
    static const int64_t want[] = {10, 30, 250, 350};
    struct qd_value y;
    struct qd_arena arena;
    struct qd_error error;
    const struct qd_case *kase = find(*state, "regressions/rten-1192-grouped");
    assert_non_null(kase);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error), error);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(qd_tensor_get(&y.want, i), want[i]);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_cases_evaluate),
        cmocka_unit_test(regressions_give_the_hand_computed_values),
        cmocka_unit_test(grouped_conv_integer_uses_each_filters_zero_point),
    };
    return cmocka_run_group_tests_name("hand-written cases", tests, load, unload);
}
