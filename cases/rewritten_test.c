/* SPDX-License-Identifier: Apache-2.0 */
/* The twins with rewritten graphs: what the reference computes from them is what it computes from the case, moved or
 * once more as the word says.
 * Alone: <build>/tests/cases/rewritten_test */
#include "case_testlib.h"

#include "qdiff/answer.h"
#include "qdiff/suite.h"
#include "rewritten.h"

#define MOST_WORDS 16

struct census {
    struct qd_arena base; /* of the last case that is no twin */
    struct qd_case kase;
    size_t cases, twins, of_word[MOST_WORDS];
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

static void check_outputs(const char *word, const struct qd_case *twin, const struct qd_case *base)
{
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *want = answer(base, &arena), *have = answer(twin, &arena);
    size_t more = twin->graph->output_count - base->graph->output_count;
    bool again = strcmp(word, "node_twice") == 0 || strcmp(word, "output_read_too") == 0;
    assert_true(more <= 1);
    if (strcmp(word, "output_transposed") == 0)
        assert_rotated(&have[0].want, &want[0].want);
    else
        assert_same_tensor(&have[0].want, &want[0].want);
    for (size_t i = 1; i < base->graph->output_count; i++)
        assert_same_tensor(&have[i].want, &want[i].want);
    if (again)
        assert_same_tensor(&have[base->graph->output_count].want, &want[0].want);
    assert_int_equal(more, again || strcmp(word, "node_twice_otherwise") == 0 ||
                               strcmp(word, "middle_is_output") == 0);
    qd_arena_clear(&arena);
}

static bool is_there_and_back(const char *word)
{
    return strcmp(word, "transposed_twice") == 0 || strcmp(word, "reshaped_twice") == 0 ||
           strcmp(word, "split_and_joined") == 0;
}

static void check_twin(size_t word, const struct qd_case *twin, struct census *census)
{
    char base[1024];
    size_t slug = (size_t)(strrchr(census->kase.id, '/') - census->kase.id);
    assert_true(qd_case_id_of_base(twin->id, base, sizeof base));
    assert_memory_equal(base, census->kase.id, slug + 1);
    assert_int_not_equal(twin->graph->node_count + twin->graph->output_count,
                         census->kase.graph->node_count + census->kase.graph->output_count);
    if (is_there_and_back(qd_rewritten_word(word)))
        assert_string_equal(twin->op, census->kase.op);
    check_outputs(qd_rewritten_word(word), twin, &census->kase);
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

static bool is_wanted(const void *context, const char *family)
{
    static const char *const families[] = {"QLinearConv", "QuantizeLinear", "QDQ", "QDQReal",
                                           "GraphBranches"};
    (void)context;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(family, families[i]) == 0)
            return true;
    return false;
}

static void visit_level(enum qd_level level, struct census *census)
{
    struct qd_suite_options options = {.level = level, .wanted = is_wanted};
    struct qd_error error;
    *census = (struct census){.cases = 0};
    qd_arena_init(&census->base, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_suite_visit(&options, visit, census, &error), error);
    qd_arena_clear(&census->base);
}

static void twins_compute_what_their_case_does(void **state)
{
    (void)state;
    struct census census;
    visit_level(QD_LEVEL_FULL, &census);
    print_message("%zu cases, %zu twins:", census.cases, census.twins);
    for (size_t i = 0; qd_rewritten_word(i); i++)
        print_message(" %zu %s", census.of_word[i], qd_rewritten_word(i));
    print_message("\n");
    assert_true(census.twins > census.cases / 50 && census.twins < census.cases / 8);
    for (size_t i = 0; qd_rewritten_word(i); i++)
        assert_true(census.of_word[i] > 5);
}

static void the_smoke_level_has_none(void **state)
{
    (void)state;
    struct census census;
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
