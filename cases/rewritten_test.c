/* SPDX-License-Identifier: Apache-2.0 */
/* The twins with rewritten graphs: what the reference computes from them is what it computes from the case, moved or
 * once more as the word says; and each is the first in which its way meets something.
 * Alone: <build>/tests/cases/rewritten_test */
#include "case_testlib.h"

#include "qdiff/answer.h"
#include "qdiff/features.h"
#include "qdiff/random.h"
#include "qdiff/suite.h"
#include "rewritten.h"

#define MOST_WORDS 32
#define MOST_MET 65536

struct census {
    struct qd_arena base; /* of the last case that is no twin */
    struct qd_case kase;
    size_t cases, twins, of_word[MOST_WORDS], shifted, shifted_to_the_same;
    uint64_t met[MOST_MET]; /* hashes of a family, an operator, a way and a feature */
    size_t met_count;
};

static size_t word_of(const char *id)
{
    char ending[64];
    for (size_t i = 0; qd_rewritten_word(i); i++) {
        snprintf(ending, sizeof ending, "-%s/", qd_rewritten_word(i));
        if (strstr(id, ending))
            return i;
    }
    return MOST_WORDS;
}

static const struct qd_value *answer(const struct qd_case *kase, struct qd_arena *arena)
{
    struct qd_value *values;
    const struct qd_tensor *shapes;
    struct qd_error error;
    assert_ok(qd_graph_answer(kase->graph, kase->inputs, arena, &values, &shapes, &error), error);
    return values;
}

/* Whether `moved` is `tensor` with its axes one further. */
static void assert_rotated(const struct qd_tensor *moved, const struct qd_tensor *tensor)
{
    int64_t first = tensor->dims[0], rest = first > 0 ? tensor->count / first : 0;
    assert_int_equal(moved->rank, tensor->rank);
    assert_int_equal(moved->dims[moved->rank - 1], first);
    for (int64_t i = 0; i < first; i++)
        for (int64_t k = 0; k < rest; k++)
            assert_int_equal(qd_tensor_get(moved, k * first + i),
                             qd_tensor_get(tensor, i * rest + k));
}

static bool is_word(size_t word, const char *text)
{
    return strcmp(qd_rewritten_word(word), text) == 0;
}

/* Notes it; whether it is new. */
static bool meet(struct census *census, size_t word, const char *what, unsigned n)
{
    char text[256];
    const char *id = census->kase.id;
    snprintf(text, sizeof text, "%.*s %s %zu %s %u", (int)strcspn(id, "/"), id, census->kase.op,
             word, what, n);
    struct qd_random random = qd_random_seed(text, 0);
    uint64_t hash = qd_random_next(&random);
    for (size_t i = 0; i < census->met_count; i++)
        if (census->met[i] == hash)
            return false;
    assert_true(census->met_count < MOST_MET);
    census->met[census->met_count++] = hash;
    return true;
}

/* A feature of the case, its output's type or its operand's rank is new to the way and the operator. */
static void check_gain(size_t word, struct census *census)
{
    const struct qd_case *base = &census->kase;
    const struct qd_node *node = qd_graph_principal(base->graph);
    const struct qd_tensor *operand =
        node->input_count > 0 ? qd_case_tensor(base, node->inputs[0]) : NULL;
    struct qd_features features;
    qd_case_features(base, &features);
    bool gain = meet(census, word, "rank", operand ? operand->rank : 99);
    gain |= meet(census, word, "type", qd_case_dtype(base, base->graph->outputs[0]));
    for (int f = 0; f < QD_FEATURE_COUNT; f++)
        if (qd_features_has(&features, (enum qd_feature)f))
            gain |= meet(census, word, qd_feature_word((enum qd_feature)f), 0);
    assert_true(gain);
}

/* Between codes the numbers are others; the shape is the same. */
static void assert_same_shape(const struct qd_tensor *have, const struct qd_tensor *want)
{
    assert_int_equal(have->dtype, want->dtype);
    assert_int_equal(have->rank, want->rank);
    assert_memory_equal(have->dims, want->dims, want->rank * sizeof *want->dims);
}

static bool is_equal(const struct qd_tensor *have, const struct qd_tensor *want)
{
    return memcmp(have->data, want->data, qd_tensor_bytes(want)) == 0;
}

/* Codes at an end of their type are others after a shift. */
static void check_shifted(const struct qd_tensor *have, const struct qd_tensor *want,
                          struct census *census)
{
    assert_same_shape(have, want);
    census->shifted++;
    census->shifted_to_the_same += is_equal(have, want);
}

static void check_output(size_t word, const struct qd_tensor *have, const struct qd_tensor *want,
                         bool first, struct census *census)
{
    if (first && is_word(word, "output_transposed"))
        assert_rotated(have, want);
    else if (first && (is_word(word, "coded_around") || is_word(word, "output_reshaped_first")))
        assert_same_shape(have, want);
    else if (is_word(word, "shifted_codes") || is_word(word, "shifted_codes_moved"))
        check_shifted(have, want, census);
    else
        assert_same_tensor(have, want);
}

static void check_outputs(size_t word, const struct qd_case *twin, struct census *census)
{
    const struct qd_case *base = &census->kase;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *want = answer(base, &arena), *have = answer(twin, &arena);
    size_t count = base->graph->output_count, more = twin->graph->output_count - count;
    bool again = is_word(word, "node_twice") || is_word(word, "output_read_too"),
         other = is_word(word, "node_twice_otherwise") || is_word(word, "middle_is_output") ||
                 is_word(word, "node_twice_turned") || is_word(word, "node_twice_joined") ||
                 is_word(word, "output_reshaped_first") || is_word(word, "constant_read_otherwise");
    assert_int_equal(more, again || other);
    for (size_t i = 0; i < count; i++)
        check_output(word, &have[i].want, &want[i].want, i == 0, census);
    if (again)
        assert_same_tensor(&have[count].want, &want[0].want);
    qd_arena_clear(&arena);
}

static bool is_there_and_back(size_t word)
{
    return is_word(word, "transposed_twice") || is_word(word, "rotated_thrice") ||
           is_word(word, "shifted_codes_moved") || is_word(word, "reshaped_twice") ||
           is_word(word, "split_and_joined");
}

/* What is said of a case is said of it with an operand that was moved there and back. */
static void check_features(size_t word, const struct qd_case *twin, const struct qd_case *base)
{
    struct qd_features of_twin, of_base;
    qd_case_features(twin, &of_twin);
    qd_case_features(base, &of_base);
    for (int f = 0;
         f < QD_FEATURE_COUNT && is_there_and_back(word) && !is_word(word, "shifted_codes_moved");
         f++)
        if (qd_features_has(&of_base, (enum qd_feature)f) &&
            !qd_features_has(&of_twin, (enum qd_feature)f))
            fail_msg("%s has not the feature %s", twin->id, qd_feature_word((enum qd_feature)f));
}

static void check_twin(size_t word, const struct qd_case *twin, struct census *census)
{
    char base[1024];
    size_t slug = (size_t)(strrchr(census->kase.id, '/') - census->kase.id);
    assert_true(qd_case_id_of_base(twin->id, base, sizeof base));
    assert_memory_equal(base, census->kase.id, slug + 1);
    assert_string_equal(qd_case_base(twin), census->kase.id);
    if (is_word(word, "newer_opset"))
        assert_true(twin->opset > census->kase.opset);
    else
        assert_int_not_equal(twin->graph->node_count + twin->graph->output_count,
                             census->kase.graph->node_count + census->kase.graph->output_count);
    if (is_there_and_back(word))
        assert_string_equal(twin->op, census->kase.op);
    check_gain(word, census);
    check_outputs(word, twin, census);
    check_features(word, twin, &census->kase);
    census->of_word[word]++;
    census->twins++;
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    size_t word = word_of(kase->id);
    census->cases++;
    if (word < MOST_WORDS) {
        check_twin(word, kase, census);
        return QD_VISIT_GO_ON;
    }
    if (strstr(kase->id, "-one_element/") || kase->step_count > 0)
        return QD_VISIT_GO_ON;
    copy_case(kase, &census->base, &census->kase);
    return QD_VISIT_GO_ON;
}

static bool is_wanted(const void *context, const char *part)
{
    static const char *const families[] = {
        "QLinearConv", "QuantizeLinear",        "QDQ",        "QDQReal", "GraphBranches",
        "MatMulNBits", "DynamicQuantizeMatMul", "ConvInteger"};
    (void)context;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(part, families[i]) == 0)
            return true;
    return false;
}

static void visit_level(enum qd_level level, struct census *census)
{
    struct qd_suite_options options = {.level = level, .wanted = is_wanted};
    struct qd_error error;
    memset(census, 0, sizeof *census);
    qd_arena_init(&census->base, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_suite_visit(&options, visit, census, &error), error);
    qd_arena_clear(&census->base);
}

static void twins_compute_what_their_case_does(void **state)
{
    (void)state;
    static struct census census;
    visit_level(QD_LEVEL_FULL, &census);
    print_message("%zu cases, %zu twins:", census.cases, census.twins);
    for (size_t i = 0; qd_rewritten_word(i); i++)
        print_message(" %zu %s", census.of_word[i], qd_rewritten_word(i));
    print_message("\n");
    assert_true(census.twins > census.cases / 50 && census.twins < census.cases / 8);
    for (size_t i = 0; qd_rewritten_word(i); i++)
        assert_true(census.of_word[i] > 5);
    print_message("%zu outputs of shifted codes, %zu the same\n", census.shifted,
                  census.shifted_to_the_same);
    assert_true(census.shifted_to_the_same > 5);
}

static void the_smoke_level_has_none(void **state)
{
    (void)state;
    static struct census census;
    visit_level(QD_LEVEL_SMOKE, &census);
    assert_true(census.cases > 0);
    assert_int_equal(census.twins, 0);
}

static void ids_lead_to_the_base(void **state)
{
    (void)state;
    char base[64];
    assert_true(qd_case_id_of_base("Add/a-b-node_twice/01234567", base, sizeof base));
    assert_string_equal(base, "Add/a-b/01234567");
    assert_false(qd_case_id_of_base("Add/node_twice/01234567", base, sizeof base));
    assert_false(qd_case_id_of_base("Add/a-node_thrice/01234567", base, sizeof base));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twins_compute_what_their_case_does),
                                       cmocka_unit_test(the_smoke_level_has_none),
                                       cmocka_unit_test(ids_lead_to_the_base)};
    return cmocka_run_group_tests_name("twins with rewritten graphs", tests, NULL, NULL);
}
