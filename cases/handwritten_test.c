/* The hand-written cases: regressions evaluate to what GMP computes; every must-reject case is
 * rejected by the rule it names, has a valid twin, and differs from it in one thing.
 * Alone: <build>/tests/cases/handwritten_test */
#include "case_testlib.h"

#include "families/conv_facts_testlib.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

#define MAX_CASES 512

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
    if (strncmp(kase->id, "regressions/", 12) != 0 && strncmp(kase->id, "reject/", 7) != 0)
        return QD_VISIT_STOP; /* hand-written cases come first */
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
        struct qd_value y;
        struct qd_error error;
        if (kase->expect != QD_EXPECT_VALID)
            continue;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error) != QD_OK)
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

/* ---- Must-reject cases
 * ------------------------------------------------------------------------ */

static void rejects_break_the_rule_they_name(void **state)
{
    const struct cases *cases = *state;
    size_t rejects = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        struct qd_arena arena;
        struct qd_value y;
        struct qd_error error = {0};
        if (kase->expect != QD_EXPECT_MUST_REJECT)
            continue;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        enum qd_status status =
            qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &y, &error);
        if (status != QD_INVALID || strcmp(error.rule, kase->rule) != 0)
            fail_msg("%s: %s, rule '%s' (%s), want rule '%s'", kase->id, qd_status_word(status),
                     error.rule, error.text, kase->rule);
        qd_arena_clear(&arena);
        rejects++;
    }
    print_message("# %zu must-reject cases\n", rejects);
    assert_true(rejects >= 210);
}

static const struct qd_tensor *tensor_of(const struct qd_case *kase, const char *name)
{
    const struct qd_graph *graph = kase->graph;
    for (size_t v = 0; v < graph->value_count; v++) {
        if (strcmp(graph->values[v].name, name) != 0)
            continue;
        for (size_t i = 0; i < kase->input_count; i++)
            if (graph->inputs[i] == (int)v)
                return &kase->inputs[i];
        return graph->values[v].initializer;
    }
    return NULL;
}

static bool same_tensor(const struct qd_tensor *a, const struct qd_tensor *b)
{
    return a && b && a->dtype == b->dtype && qd_tensor_same_shape(a, b) &&
           memcmp(a->data, b->data, qd_tensor_bytes(a)) == 0;
}

static bool same_attr(const struct qd_attr *a, const struct qd_attr *b)
{
    if (!a || !b || a->kind != b->kind || a->count != b->count || a->i != b->i)
        return false;
    if (a->kind == QD_ATTR_STRING)
        return strcmp(a->s, b->s) == 0;
    return a->kind != QD_ATTR_INTS || memcmp(a->ints, b->ints, a->count * sizeof *a->ints) == 0;
}

static const char *input_name(const struct qd_case *kase, size_t i)
{
    const struct qd_node *node = &kase->graph->nodes[0];
    if (i >= node->input_count)
        return NULL;
    return node->inputs[i] == QD_NO_VALUE ? "" : kase->graph->values[node->inputs[i]].name;
}

/* Attributes that `a` has and `b` has not, or has differently; `both` counts the latter too. */
static int attr_edits(const struct qd_node *a, const struct qd_node *b, bool both)
{
    int edits = 0;
    for (size_t i = 0; i < a->attr_count; i++) {
        const struct qd_attr *other = qd_node_attr(b, a->attrs[i].name);
        edits += other ? both && !same_attr(&a->attrs[i], other) : 1;
    }
    return edits;
}

/* How many inputs, tensors, attributes and versions differ. */
static int edits_between(const struct qd_case *a, const struct qd_case *b)
{
    int edits = a->opset != b->opset;
    for (size_t i = 0; i < 10; i++) {
        const char *have = input_name(a, i), *want = input_name(b, i);
        if (!have && !want)
            break;
        if (!have || !want || strcmp(have, want) != 0)
            edits++;
        else if (*have && !same_tensor(tensor_of(a, have), tensor_of(b, want)))
            edits++;
    }
    edits += attr_edits(&a->graph->nodes[0], &b->graph->nodes[0], true);
    edits += attr_edits(&b->graph->nodes[0], &a->graph->nodes[0], false);
    return edits;
}

static void twins_are_one_edit_away(void **state)
{
    const struct cases *cases = *state;
    for (size_t i = 0; i < cases->count; i++) {
        const struct qd_case *kase = &cases->at[i];
        if (kase->expect != QD_EXPECT_MUST_REJECT)
            continue;
        const struct qd_case *twin = find(cases, kase->twin);
        if (!twin || twin->expect != QD_EXPECT_VALID)
            fail_msg("%s: no valid twin '%s'", kase->id, kase->twin);
        int edits = edits_between(kase, twin);
        if (edits != 1)
            fail_msg("%s: %d edits away from %s", kase->id, edits, twin->id);
    }
}

/* Every rule about parameters, types and attributes that the three operators' text states. */
static const char *const rules[] = {
    "QLinearConv/x-type",
    "QLinearConv/w-type",
    "QLinearConv/bias-type",
    "QLinearConv/x_scale-type",
    "QLinearConv/w_scale-type",
    "QLinearConv/y_scale-type",
    "QLinearConv/x_zero_point-type",
    "QLinearConv/w_zero_point-type",
    "QLinearConv/y_zero_point-type",
    "QLinearConv/x-rank",
    "QLinearConv/w-rank",
    "QLinearConv/x_scale-shape",
    "QLinearConv/x_zero_point-shape",
    "QLinearConv/w_scale-shape",
    "QLinearConv/w_zero_point-shape",
    "QLinearConv/y_scale-shape",
    "QLinearConv/y_zero_point-shape",
    "QLinearConv/bias-shape",
    "QLinearConv/group-positive",
    "QLinearConv/group-channels",
    "QLinearConv/group-outputs",
    "QLinearConv/kernel_shape-length",
    "QLinearConv/kernel_shape-mismatch",
    "QLinearConv/strides-length",
    "QLinearConv/strides-positive",
    "QLinearConv/dilations-length",
    "QLinearConv/dilations-positive",
    "QLinearConv/pads-length",
    "QLinearConv/pads-negative",
    "QLinearConv/auto_pad-value",
    "QLinearConv/auto_pad-with-pads",
    "QLinearConv/output-empty",
    "QLinearConv/input-missing",
    "QLinearConv/input-count",
    "QLinearConv/attribute-type",
    "QLinearConv/opset",
    "QuantizeLinear/x-type",
    "QuantizeLinear/y_scale-type",
    "QuantizeLinear/y_zero_point-type",
    "QuantizeLinear/y_scale-shape",
    "QuantizeLinear/y_zero_point-shape",
    "QuantizeLinear/axis-range",
    "QuantizeLinear/block_size-negative",
    "QuantizeLinear/block_size-range",
    "QuantizeLinear/output_dtype-mismatch",
    "QuantizeLinear/output_dtype-value",
    "QuantizeLinear/precision-value",
    "QuantizeLinear/attribute-unknown",
    "QuantizeLinear/input-missing",
    "DequantizeLinear/x-type",
    "DequantizeLinear/x_scale-type",
    "DequantizeLinear/x_zero_point-type",
    "DequantizeLinear/x_scale-shape",
    "DequantizeLinear/x_zero_point-shape",
    "DequantizeLinear/axis-range",
    "DequantizeLinear/block_size-negative",
    "DequantizeLinear/block_size-range",
    "DequantizeLinear/output_dtype-value",
    "DequantizeLinear/attribute-unknown",
    "DequantizeLinear/input-missing",
};

static void every_rule_has_a_case(void **state)
{
    const struct cases *cases = *state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        size_t i = 0;
        while (i < cases->count && strcmp(cases->at[i].rule, rules[r]) != 0)
            i++;
        if (i == cases->count)
            fail_msg("no must-reject case for the rule %s", rules[r]);
    }
    print_message("# %zu rules\n", sizeof rules / sizeof *rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_cases_evaluate),
        cmocka_unit_test(regressions_give_the_hand_computed_values),
        cmocka_unit_test(grouped_conv_integer_uses_each_filters_zero_point),
        cmocka_unit_test(rejects_break_the_rule_they_name),
        cmocka_unit_test(twins_are_one_edit_away),
        cmocka_unit_test(every_rule_has_a_case),
    };
    return cmocka_run_group_tests_name("hand-written cases", tests, load, unload);
}
