/* SPDX-License-Identifier: Apache-2.0 */
/* Large cases on which quirks show, reduced: small, valid, and the same finding by the diagnosis.
 * Alone: <build>/tests/fuzz/reduce_test
 * QDIFF_REDUCE_QUIRKS='*' takes every quirk, QDIFF_REDUCE_LEVEL=full larger cases. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case_testlib.h"
#include "qdiff/features.h"
#include "qdiff/reducer.h"
#include "qdiff/suite.h"
#include "reduce_steps.h"
#include "targets_testlib.h"

#define MAX_QUIRKS 256
/* Mismatching cases that are looked at to find a large one. */
#define LOOKED_AT 40
#define MAX_OUTPUT_ELEMENTS 16
/* Sums of 65 000 products take a minute each. */
#define LARGEST 20000

/* Of each family of quirks one or two, on convolution, products,
 * Quantize/DequantizeLinear, pools, elementwise and graphs. */
static const char *const sample[] = {"zero-point-before-rounding",
                                     "zero-points-ignored",
                                     "w-zero-point-of-group-0",
                                     "axis-default",
                                     "pad-code-0",
                                     "auto-pad-lower-for-upper",
                                     "round-half-away",
                                     "requantize-fixed-point",
                                     "accumulator-int16-pair-saturation",
                                     "range-before-zero-point",
                                     "int4-nibbles-swapped",
                                     "bias-dropped",
                                     "kernel-flipped",
                                     "concat-first-input-parameters",
                                     "double-quantize-collapsed"};

struct large {
    const struct qd_quirk *quirk;
    struct qd_session *session;
    size_t seen;
    uint8_t *bytes;
    size_t size;
    int64_t elements;
    char id[256];
};

struct search {
    struct large at[MAX_QUIRKS];
    size_t count;
};

static int64_t elements_of(const struct qd_case *kase)
{
    int64_t elements = 0;
    for (size_t i = 0; i < kase->input_count; i++)
        elements += kase->inputs[i].count;
    for (size_t i = 0; i < kase->graph->value_count; i++)
        if (kase->graph->values[i].initializer)
            elements += kase->graph->values[i].initializer->count;
    return elements;
}

static void keep(struct large *large, const struct qd_case *kase)
{
    struct qd_arena arena;
    struct qd_error error;
    uint8_t *bytes;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_encode(kase, &arena, &bytes, &large->size, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    free(large->bytes);
    large->bytes = malloc(large->size);
    assert_non_null(large->bytes);
    memcpy(large->bytes, bytes, large->size);
    large->elements = elements_of(kase);
    snprintf(large->id, sizeof large->id, "%s", kase->id);
    qd_arena_clear(&arena);
}

static void look(struct large *large, const struct qd_case *kase)
{
    struct qd_run run;
    if (large->seen >= LOOKED_AT || elements_of(kase) <= large->elements ||
        elements_of(kase) > LARGEST || !qd_quirk_concerns(large->quirk, kase->graph))
        return;
    if (qd_run_and_compare(large->session, kase, &run).verdict == QD_VERDICT_WRONG_VALUE) {
        large->seen++;
        keep(large, kase);
    }
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct search *search = context;
    for (size_t i = 0; kase->expect == QD_EXPECT_VALID && i < search->count; i++)
        look(&search->at[i], kase);
    return QD_VISIT_GO_ON;
}

static bool is_wanted(const char *name)
{
    const char *pattern = getenv("QDIFF_REDUCE_QUIRKS");
    bool wanted = pattern && fnmatch(pattern, name, 0) == 0;
    for (size_t i = 0; !pattern && i < sizeof sample / sizeof *sample; i++)
        wanted = wanted || strcmp(sample[i], name) == 0;
    return wanted;
}

static void open_wanted(struct search *search)
{
    const struct qd_quirk *quirk;
    char name[128];
    for (size_t i = 0; (quirk = qd_quirk_at(i)); i++) {
        assert_true(i < MAX_QUIRKS);
        if (!is_wanted(quirk->name))
            continue;
        snprintf(name, sizeof name, "quirk:%s", quirk->name);
        search->at[search->count++] = (struct large){
            .quirk = quirk,
            .session = qd_open(name, &(struct qd_session_options){.in_process = true})};
    }
}

static bool names(const struct qd_diagnosis *diagnosis, const struct qd_quirk *quirk)
{
    for (size_t i = 0; i < diagnosis->quirk_count; i++)
        if (diagnosis->quirks[i] == quirk)
            return true;
    return false;
}

/* The reduced case by itself, as a file would give it: it diverges, and by this quirk. */
static void check_alone(const struct large *large, const struct qd_reduced *reduced,
                        struct qd_arena *arena)
{
    uint8_t *bytes;
    size_t size;
    struct qd_error error;
    struct qd_case again;
    struct qd_run run;
    assert_int_equal(qd_case_encode(&reduced->kase, arena, &bytes, &size, &error), QD_OK);
    assert_int_equal(qd_case_decode(bytes, size, arena, &again, &error), QD_OK);
    struct qd_comparison comparison = qd_run_and_compare(large->session, &again, &run);
    assert_int_equal(comparison.verdict, QD_VERDICT_WRONG_VALUE);
}

static void print(const struct large *large, const struct qd_reduced *reduced)
{
    const struct qd_case_size *before = &reduced->size_before, *after = &reduced->size_after;
    printf("# %-40s nodes %zu->%zu attributes %zu->%zu elements %lld->%lld output %lld->%lld, "
           "%zu of %zu kept, %.2f s%s: %s (%s)\n",
           large->quirk->name, before->nodes, after->nodes, before->attributes, after->attributes,
           (long long)before->elements, (long long)after->elements,
           (long long)before->output_elements, (long long)after->output_elements, reduced->kept,
           reduced->tried, reduced->seconds, reduced->out_of_time ? " out of time" : "",
           reduced->after.signature, large->id);
}

static bool is_literal(const struct qd_case *kase)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    return !qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR);
}

/* A second reduction may find less, but no other name. */
static bool keeps_its_name(const struct qd_subject *subject, const struct qd_reduced *reduced,
                           struct qd_arena *arena)
{
    struct qd_error error;
    struct qd_reduced again;
    const struct qd_reduce_options options = {.seconds = 60, .diagnose = {.seconds = 5}};
    if (qd_case_reduce(subject, &reduced->kase, &options, arena, &again, &error) != QD_OK)
        fail_msg("%s: %s", reduced->kase.id, error.text);
    if (strcmp(again.after.signature, reduced->after.signature) == 0)
        return true;
    printf("# %s became %s\n", reduced->after.signature, again.after.signature);
    return false;
}

/* False: it could not be shown smaller, which is told. */
static bool reduce(struct large *large)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    struct qd_reduced reduced;
    const struct qd_reduce_options options = {.seconds = 60, .diagnose = {.seconds = 5}};
    const struct qd_subject subject = qd_subject_of_session(large->session);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_decode(large->bytes, large->size, &arena, &kase, &error) != QD_OK ||
        qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error) != QD_OK)
        fail_msg("%s on %s: %s", large->quirk->name, large->id, error.text);
    print(large, &reduced);
    bool right = reduced.size_after.output_elements <= MAX_OUTPUT_ELEMENTS &&
                 reduced.size_after.elements <= reduced.size_before.elements;
    if (names(&reduced.before.diagnosis, large->quirk))
        right = right && names(&reduced.after.diagnosis, large->quirk);
    right = right && keeps_its_name(&subject, &reduced, &arena);
    check_alone(large, &reduced, &arena);
    assert_true(is_literal(&reduced.kase) || !is_literal(&kase));
    qd_arena_clear(&arena);
    return right;
}

static void test_quirks_are_reduced(void **state)
{
    (void)state;
    static struct search search;
    struct qd_error error;
    const char *level = getenv("QDIFF_REDUCE_LEVEL");
    const struct qd_suite_options options = {
        .level = level && strcmp(level, "full") == 0 ? QD_LEVEL_FULL : QD_LEVEL_SMOKE,
        .cases_dir = QD_TEST_CASES_DIR};
    open_wanted(&search);
    assert_true(search.count > 0);
    assert_int_equal(qd_suite_visit(&options, visit, &search, &error), QD_OK);
    size_t reduced = 0, wrong = 0;
    for (size_t i = 0; i < search.count; i++) {
        if (search.at[i].bytes) {
            reduced++;
            wrong += !reduce(&search.at[i]);
        } else {
            printf("# %s does not show on a case of at most %d elements\n",
                   search.at[i].quirk->name, LARGEST);
        }
        free(search.at[i].bytes);
        qd_session_close(search.at[i].session);
    }
    printf("# %zu reduced, %zu of them not as they should be\n", reduced, wrong);
    assert_true(10 * reduced >= 9 * search.count);
    assert_int_equal(wrong, 0);
}

/* y = QuantizeLinear(x), which differs on the tie 1/2, and beside it same = Identity(q). */
static void two_operators(struct qd_arena *arena, struct qd_case *kase)
{
    const int64_t three[] = {3}, two[] = {2};
    const float halves[] = {0.5f, 1.25f};
    struct qd_error error;
    struct qd_tensor q, x, scale;
    assert_int_equal(qd_tensor_init(&q, arena, QD_U8, 1, three, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&x, arena, QD_F32, 1, two, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, 0, NULL, &error), QD_OK);
    memcpy(x.data, halves, sizeof halves);
    *(float *)scale.data = 1;
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_input(builder, "q", &q);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &scale);
    qd_build_node(builder, "", "Identity", "q", "same");
    qd_build_node(builder, "", "QuantizeLinear", "x,s", "y");
    qd_build_output(builder, "same", QD_U8, 1, three);
    qd_build_output(builder, "y", QD_U8, 1, two);
    assert_int_equal(qd_build_finish(builder, "two", false, kase, &error), QD_OK);
}

/* The finding is sought without the operator that is right: only y's two elements are compared. */
static void test_what_is_right_goes_first(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    struct qd_reduced reduced;
    const struct qd_reduce_options options = {.seconds = 60, .diagnose = {.seconds = 5}};
    struct qd_subject subject = qd_subject_of_session(
        qd_open("quirk:round-half-away", &(struct qd_session_options){.in_process = true}));
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    two_operators(&arena, &kase);
    assert_int_equal(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), QD_OK);
    assert_int_equal(reduced.size_before.output_elements, 5);
    assert_int_equal(reduced.before.comparison.compared, 2);
    assert_int_equal(reduced.size_after.nodes, 1);
    assert_string_equal(reduced.after.signature,
                        "QuantizeLinear-quirk-wrong-value-round-half-away");
    /* For targets that ask for it, ONNX's checker first of all, the output is declared as it is now. */
    const struct qd_graph *graph = reduced.kase.graph;
    assert_int_equal(graph->values[graph->outputs[0]].declared_rank,
                     reduced.evaluated.values[0].want.rank);
    qd_arena_clear(&arena);
    qd_subject_close(&subject);
}

/* A target that is wrong once it has loaded another model: one step of three, and one run of its four, are enough. */
static void test_steps_that_do_not_matter_go(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase, other;
    struct qd_reduced reduced;
    const struct qd_reduce_options options = {.seconds = 60};
    struct qd_subject subject =
        qd_subject_of_session(qd_open(QD_TEST_PLUGINS_DIR "/misbehave_plugin.so[do=wrong-later]",
                                      &(struct qd_session_options){.in_process = false}));
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&other, &arena, QD_U8, 3);
    qd_identity_case(&kase, &arena, QD_U8, 10);
    const struct qd_case_step own = {.graph = kase.graph, .inputs = kase.inputs, .runs = 2};
    const struct qd_case_step steps[] = {own,
                                         {.model = other.model,
                                          .model_size = other.model_size,
                                          .graph = other.graph,
                                          .inputs = other.inputs,
                                          .runs = 4},
                                         own};
    kase.steps = steps;
    kase.step_count = 3;
    assert_int_equal(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), QD_OK);
    assert_int_equal(reduced.trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
    assert_int_equal(reduced.kase.step_count, 1);
    assert_int_equal(reduced.kase.steps[0].runs, 1);
    assert_true(reduced.kase.steps[0].model_size > 0);
    assert_int_equal(reduced.size_after.output_elements, 1);
    qd_arena_clear(&arena);
    qd_subject_close(&subject);
}

/* y = QuantizeLinear(x), which is refused, x being u8, and same = Identity(x). */
static void broken_neighbour(struct qd_arena *arena, struct qd_case *kase)
{
    const int64_t three[] = {3};
    struct qd_error error;
    struct qd_tensor x, scale;
    assert_int_equal(qd_tensor_init(&x, arena, QD_U8, 1, three, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, 0, NULL, &error), QD_OK);
    *(float *)scale.data = 1;
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &scale);
    qd_build_node(builder, "", "Identity", "x", "same");
    qd_build_node(builder, "", "QuantizeLinear", "x,s", "y");
    qd_build_output(builder, "y", QD_U8, 1, three);
    qd_build_output(builder, "same", QD_U8, 1, three);
    qd_build_must_reject(builder, "QuantizeLinear/x-type", "");
    assert_int_equal(qd_build_finish(builder, "broken", false, kase, &error), QD_OK);
}

/* A target that dies of every model: the rule that this one breaks has nothing to do with it. */
static void test_a_death_needs_no_rule(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    struct qd_reduced reduced;
    const struct qd_reduce_options options = {.seconds = 60};
    struct qd_subject subject =
        qd_subject_of_session(qd_open(QD_TEST_PLUGINS_DIR "/misbehave_plugin.so[do=crash]",
                                      &(struct qd_session_options){.in_process = false}));
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    broken_neighbour(&arena, &kase);
    assert_ok(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), error);
    assert_int_equal(reduced.trial.comparison.verdict, QD_VERDICT_CRASH);
    assert_int_equal(reduced.size_after.nodes, 1);
    assert_int_equal(reduced.kase.expect, QD_EXPECT_VALID);
    assert_string_equal(reduced.kase.rule, "");
    assert_string_equal(reduced.kase.op, "Identity");
    qd_arena_clear(&arena);
    qd_subject_close(&subject);
}

/* The rows of a file with one, which names a class or a quirk of QuantizeLinear alone. */
static struct qd_expectations *rows_of(const char *what, const struct qd_subject *subject,
                                       struct qd_arena *arena)
{
    struct qd_error error;
    struct qd_expectations *rows;
    const char *scratch = make_scratch(arena);
    const char *path = qd_arena_printf(arena, "%s/rows.tsv", scratch);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "fuzz:QuantizeLinear\t*\t*\t%s\t*\t*\t-\tsome reason\n", what);
    assert_int_equal(fclose(file), 0);
    assert_ok(qd_expectations_read(path, arena, &rows, &error), error);
    assert_ok(qd_expectations_activate(rows, subject->info, &error), error);
    remove_scratch(scratch);
    return rows;
}

/* A row need not know the graph that a fuzzer made: what is left of it is looked up. */
static void test_what_is_known_when_small_is_known(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    struct qd_reduced reduced;
    struct qd_reduce_options options = {.seconds = 60, .diagnose = {.seconds = 5}};
    struct qd_subject subject = qd_subject_of_session(
        qd_open("quirk:round-half-away", &(struct qd_session_options){.in_process = true}));
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    two_operators(&arena, &kase);
    kase.id = "fuzz";
    options.rows = rows_of("quirk:w-zero-point-of-group-0", &subject, &arena);
    assert_ok(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), error);
    assert_null(reduced.known);
    size_t all = reduced.tried;
    /* A row without a quirk is for what was reduced all the way. */
    options.rows = rows_of("wrong-value", &subject, &arena);
    assert_ok(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), error);
    assert_non_null(reduced.known);
    assert_string_equal(reduced.known->reason, "some reason");
    assert_int_equal(reduced.tried, all);
    /* One with the quirk holds as soon as the other operator is gone. */
    options.rows = rows_of("quirk:round-half-away", &subject, &arena);
    assert_ok(qd_case_reduce(&subject, &kase, &options, &arena, &reduced, &error), error);
    assert_non_null(reduced.known);
    assert_true(reduced.tried < all);
    qd_arena_clear(&arena);
    qd_subject_close(&subject);
}

/* y = Reshape(x [2, 3], shape {3, 2}). */
static void build_reshape(struct qd_arena *arena, struct qd_case *kase)
{
    const int64_t from[] = {2, 3}, to[] = {3, 2}, two = 2;
    struct qd_error error;
    struct qd_tensor x, shape;
    assert_int_equal(qd_tensor_init(&x, arena, QD_U8, 2, from, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&shape, arena, QD_S64, 1, &two, &error), QD_OK);
    for (int i = 0; i < 2; i++)
        qd_tensor_set(&shape, i, to[i]);
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "shape", &shape);
    qd_build_node(builder, "", "Reshape", "x,shape", "y");
    qd_build_output(builder, "y", QD_U8, 2, to);
    assert_int_equal(qd_build_finish(builder, "reshape", false, kase, &error), QD_OK);
}

/* A shape that counts elements would tie the axes of what is reshaped. */
static void test_a_reshape_takes_what_there_is(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase, made;
    struct qd_case_edit edit;
    struct qd_value y;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build_reshape(&arena, &kase);
    struct qd_reduce_view view = {.kase = &kase, .arena = &arena};
    assert_int_equal(qd_case_edit_begin(&kase, &arena, &edit, &error), QD_OK);
    assert_int_equal(qd_reduce_reshape(&view, &edit, 1), QD_STEP_END);
    assert_int_equal(qd_reduce_reshape(&view, &edit, 0), QD_STEP_TRY);
    assert_int_equal(qd_reduce_reshape(&view, &edit, 0), QD_STEP_SKIP);
    assert_int_equal(qd_case_edit_finish(&edit, "made", false, &made, &error), QD_OK);
    assert_int_equal(qd_graph_evaluate(made.graph, made.inputs, NULL, &arena, &y, &error), QD_OK);
    assert_int_equal(y.want.rank, 2);
    assert_int_equal(y.want.dims[0], 6);
    assert_int_equal(y.want.dims[1], 1);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quirks_are_reduced),
                                       cmocka_unit_test(test_a_death_needs_no_rule),
                                       cmocka_unit_test(test_a_reshape_takes_what_there_is),
                                       cmocka_unit_test(test_what_is_right_goes_first),
                                       cmocka_unit_test(test_steps_that_do_not_matter_go),
                                       cmocka_unit_test(test_what_is_known_when_small_is_known)};
    return cmocka_run_group_tests_name("reducer", tests, NULL, NULL);
}
