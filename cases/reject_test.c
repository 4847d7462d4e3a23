/* SPDX-License-Identifier: Apache-2.0 */
/* The must-reject cases: each is refused by exactly the rule it names, says in words what the rule is, and has a valid
 * twin that the reference takes; every rule that an operator of the reference lists has a case.
 * Alone: <build>/tests/cases/reject_test */
#include "case_testlib.h"

#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

enum { MAX_CASES = 2048, MAX_RULES = 1024, LEAST_RULES = 800 };

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
    assert_true(cases->count < MAX_CASES);
    assert_ok(qd_case_encode(kase, &cases->arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, &cases->arena, &cases->at[cases->count++], &error),
              error);
    return QD_VISIT_GO_ON;
}

static bool none(const void *context, const char *part)
{
    (void)context;
    (void)part;
    return false;
}

static int load(void **state)
{
    static struct cases cases;
    struct qd_error error;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE,
                                       .cases_dir = QD_TEST_CASES_DIR "/reject",
                                       .wanted = none}; /* of the generated ones */
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
    if (cases)
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

static enum qd_status evaluate(const struct qd_case *kase, struct qd_error *error)
{
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_value *outputs = qd_arena_array(&arena, kase->graph->output_count, sizeof *outputs);
    assert_non_null(outputs);
    enum qd_status status =
        qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, outputs, error);
    qd_arena_clear(&arena);
    return status;
}

static void each_breaks_the_rule_it_names(void **state)
{
    const struct cases *cases = *state;
    size_t rejects = 0, wrong = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        struct qd_error error = {0};
        if (kase->expect != QD_EXPECT_MUST_REJECT)
            continue;
        rejects++;
        enum qd_status status = evaluate(kase, &error);
        if (status == QD_INVALID && strcmp(error.rule, kase->rule) == 0)
            continue;
        print_error("%s: %s, rule '%s' (%s), want rule '%s'\n", kase->id, qd_status_word(status),
                    error.rule, error.text, kase->rule);
        wrong++;
    }
    print_message("# %zu must-reject cases\n", rejects);
    assert_int_equal(wrong, 0);
}

/* "Op-13, inputs: the rule": by section of the operator's text. */
static void each_says_its_rule_in_words(void **state)
{
    const struct cases *cases = *state;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        size_t op = strcspn(kase->rule, "/");
        if (kase->expect != QD_EXPECT_MUST_REJECT)
            continue;
        if (strncmp(kase->spec, kase->rule, op) != 0 || kase->spec[op] != '-' ||
            !strstr(kase->spec, ": "))
            fail_msg("%s: origin.spec is '%s'", kase->id, kase->spec);
    }
}

static void twins_are_valid(void **state)
{
    const struct cases *cases = *state;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        struct qd_error error = {0};
        if (kase->expect == QD_EXPECT_VALID) {
            assert_ok(evaluate(kase, &error), error);
            continue;
        }
        const struct qd_case *twin = find(cases, kase->twin);
        if (!twin || twin->expect != QD_EXPECT_VALID)
            fail_msg("%s: no valid twin '%s'", kase->id, kase->twin);
    }
}

/* --- Rules --------------------------------------------------------------------------------------- */

/* Rules that no case can break. */
static const struct {
    const char *rule, *reason;
} without_case[] = {
    {"Split/output-count", "without an output of the node a graph has none of its own to give"},
    {"Add/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Sub/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Mul/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Div/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Relu/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Sigmoid/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Tanh/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Abs/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Pow/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Max/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Equal/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Less/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Greater/attribute-type", "its attributes, of opsets before 7, are not read"},
    {"Min/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Sqrt/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Exp/attribute-type", "its attribute, of opsets before 6, is not read"},
    {"Reciprocal/attribute-type", "its attribute, of opsets before 6, is not read"},
};

static bool has_case(const struct cases *cases, const struct qd_op *op, const char *rule)
{
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->at[i].rule, rule) == 0 &&
            strcmp(cases->at[i].graph->nodes[0].domain, op->domain) == 0)
            return true;
    for (size_t i = 0; i < sizeof without_case / sizeof *without_case; i++)
        if (strcmp(without_case[i].rule, rule) == 0)
            return true;
    return false;
}

static void every_rule_of_every_operator_has_a_case(void **state)
{
    size_t rules = 0, missing = 0;
    const struct qd_op *op;
    for (size_t i = 0; (op = qd_op_at(i)) != NULL; i++) {
        char rule[64];
        if (!op->rules)
            print_message("# %s lists no rules yet\n", op->name);
        for (size_t r = 0; qd_op_rule(op, r, rule, sizeof rule); r++) {
            rules++;
            if (has_case(*state, op, rule))
                continue;
            print_error("no must-reject case for the rule %s\n", rule);
            missing++;
        }
    }
    print_message("# %zu rules\n", rules);
    assert_int_equal(missing, 0);
    assert_true(rules >= LEAST_RULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_breaks_the_rule_it_names),
        cmocka_unit_test(each_says_its_rule_in_words),
        cmocka_unit_test(twins_are_valid),
        cmocka_unit_test(every_rule_of_every_operator_has_a_case),
    };
    return cmocka_run_group_tests_name("must-reject cases", tests, load, unload);
}
