/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of one bug are one cause, those of two bugs are two, in whatever order the results come.
 * Alone: <build>/tests/reports/causes/causes_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causes/causes_print.h"
#include "text/capture_testlib.h"

static const char target[] = "lib@1.0[opt=all]";

static struct qd_result passing(const char *id, const char *op, const char *features)
{
    struct qd_result result = qd_result_init(id, op, target, QD_RESULT_PASS);

    result.comparison.verdict = QD_VERDICT_EXACT;
    result.features = features;
    return result;
}

static struct qd_result failing(const char *id, const char *op, enum qd_verdict verdict)
{
    struct qd_result result = qd_result_init(id, op, target, QD_RESULT_FAIL);

    result.comparison.verdict = verdict;
    return result;
}

static struct qd_result refused(const char *id, const char *op, const char *message)
{
    struct qd_result result = failing(id, op, QD_VERDICT_REJECTS_VALID);

    result.message = message;
    return result;
}

static struct qd_result diagnosed(const char *id, const char *op, const char *diagnosis)
{
    struct qd_result result = failing(id, op, QD_VERDICT_WRONG_VALUE);

    result.diagnosis = diagnosis;
    result.effect = "an equation";
    result.seen = "lib #7";
    return result;
}

static struct qd_result unexplained(const char *id, const char *features, const char *have)
{
    struct qd_result result = diagnosed(id, "Conv", "unexplained");

    result.features = features;
    result.output = "y u8[4]";
    result.want = result.lo = result.hi = "10";
    result.have = have;
    return result;
}

static void find(struct qd_causes *causes, const struct qd_result *results, size_t count)
{
    qd_causes_init(causes);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(qd_causes_add(causes, &results[i], NULL), QD_OK);
    assert_int_equal(qd_causes_find(causes, NULL), QD_OK);
}

#define COUNT(items) (sizeof(items) / sizeof *(items))

static void nothing_fails(void **state)
{
    const struct qd_result results[] = {passing("a", "Conv", ""),
                                        qd_result_init("b", "Conv", target, QD_RESULT_SKIP)};
    struct qd_causes causes;

    (void)state;
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 0);
    qd_causes_clear(&causes);
}

static void one_diagnosis_is_one_cause(void **state)
{
    const struct qd_result results[] = {
        diagnosed("a", "Conv", "round-down"),
        diagnosed("b", "Gemm", "round-down"),
        diagnosed("c", "Conv", "round-down"),
        diagnosed("d", "Conv", "bias-dropped"),
    };
    struct qd_causes causes;

    (void)state;
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_string_equal(causes.items[0].name, "round-down");
    assert_int_equal(causes.items[0].results, 3);
    assert_string_equal(causes.items[0].ops, "Conv, Gemm");
    assert_string_equal(causes.items[0].issue, "lib #7");
    assert_string_equal(causes.items[1].name, "bias-dropped");
    qd_causes_clear(&causes);
}

/* What two quirks explain belongs to the one that is seen alone. */
static void several_quirks_join_the_one_that_is_sure(void **state)
{
    const struct qd_result results[] = {diagnosed("a", "Conv", "bias-dropped|round-down"),
                                        diagnosed("b", "Conv", "round-down"),
                                        diagnosed("c", "Conv", "bias-unscaled|bias-dropped")};
    struct qd_causes causes;

    (void)state;
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_string_equal(causes.items[0].name, "round-down");
    assert_int_equal(causes.items[0].results, 2);
    assert_string_equal(causes.items[1].name, "bias-unscaled|bias-dropped");
    qd_causes_clear(&causes);
}

static void messages_that_differ_in_names_are_one_cause(void **state)
{
    const struct qd_result results[] = {
        refused("a", "Conv", "node 'n1': the scale of input 3 must be a scalar"),
        refused("b", "Gemm", "node 'n2': the scale of input 4 must be a scalar"),
        refused("c", "Conv", "node 'n1': the zero point of input 3 must be a scalar"),
        refused("f", "Conv",
                "node 'n1': the zero point of input 7 must be a scalar; standard error: noise"),
        refused("d", "Conv", "not supported"),
        refused("e", "Gemm", "not supported"),
    };
    struct qd_causes causes;

    (void)state;
    find(&causes, results, COUNT(results));
    /* A wrong grouping would mix scale with zero point, or join operators by two words that say nothing. */
    assert_int_equal(causes.count, 4);
    assert_int_equal(causes.items[0].results, 2);
    assert_int_equal(causes.items[1].results, 2);
    assert_string_equal(causes.items[0].ops, "Conv, Gemm");
    assert_string_equal(causes.items[0].smallest->id, "a");
    assert_string_equal(causes.items[0].command, "qdiff repro 'a' --target 'lib@1.0[opt=all]'");
    qd_causes_clear(&causes);
}

static void one_message_of_two_classes_is_two_causes(void **state)
{
    struct qd_result results[] = {
        refused("a", "Conv", "it broke in the third pass of the compiler"),
        refused("b", "Conv", "it broke in the third pass of the compiler")};
    struct qd_causes causes;

    (void)state;
    results[1].comparison.verdict = QD_VERDICT_CRASH;
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    qd_causes_clear(&causes);
}

static void rules_are_causes(void **state)
{
    struct qd_result results[] = {failing("a", "Conv", QD_VERDICT_ACCEPTS_INVALID),
                                  failing("b", "Conv", QD_VERDICT_ACCEPTS_INVALID),
                                  failing("c", "Conv", QD_VERDICT_ACCEPTS_INVALID)};
    struct qd_causes causes;

    (void)state;
    results[0].rule = results[2].rule = "Conv/bias-shape";
    results[1].rule = "Conv/pads-negative";
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_string_equal(causes.items[0].name, "accepts-invalid: Conv/bias-shape");
    qd_causes_clear(&causes);
}

/* Invalid cases of several rules that die at one place of a file are one cause, and of another cause what
 * dies there by other words; a death without words is its rule's. */
static void deaths_at_one_place_are_one_cause(void **state)
{
    static const char *const messages[] = {
        "signal 6 (Aborted); standard error: \nthread 't' (17) panicked at "
        "core/src/padding.rs:75:21:"
        "\nindex out of bounds: the len is 1 but the index is 1\nnote: run it again",
        "signal 6 (Aborted); standard error: a warning\nthread 't' (18) panicked at "
        "core/src/padding.rs:77:21:\nindex out of bounds: the len is 2 but the index is 2\nnote: x",
        "signal 6 (Aborted); standard error: \nthread 't' (19) panicked at "
        "core/src/padding.rs:99:1:"
        "\nattempt to divide by zero\nnote: run it again",
        "signal 11 (Segmentation fault)"};
    static const char *const rules[] = {"Conv/pads-length", "Pool/strides-length",
                                        "Conv/strides-zero", "Conv/x-rank"};
    struct qd_result results[4];
    struct qd_causes causes;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        results[i] = failing(rules[i], "Conv", QD_VERDICT_CRASH);
        results[i].rule = rules[i];
        results[i].message = messages[i];
        results[i].signal = i < 3 ? 6 : 11;
    }
    find(&causes, results, 4);
    assert_int_equal(causes.count, 3);
    assert_int_equal(causes.items[0].results, 2);
    assert_string_equal(causes.items[0].name, "crash: panicked at #padding.rs:#:#: index out of "
                                              "bounds: the len is # but the index is #");
    assert_int_equal(causes.items[1].results + causes.items[2].results, 2);
    assert_true(causes.items[1].basis == QD_CAUSE_RULE || causes.items[2].basis == QD_CAUSE_RULE);
    qd_causes_clear(&causes);
}

/* "node Quant: ..." of a Conv case and of a Quant case is one cause, and another than what is said of
 * Conv's own node. */
static void a_node_of_several_operators_is_one_cause(void **state)
{
    const struct qd_result results[] = {
        refused("a", "Conv", "node 1 Quant: the type is one that it cannot be at all"),
        refused("b", "Quant", "node 7 Quant: the type is one that it cannot be at all"),
        refused("c", "Gemm", "node 7 Gemm: the type is one that it cannot be at all")};
    struct qd_causes causes;

    (void)state;
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_int_equal(causes.items[0].results, 2);
    assert_string_equal(causes.items[0].ops, "Conv, Quant");
    qd_causes_clear(&causes);
}

/* A check that no operator has is one cause; where another operator has it, each that lacks it is its own. */
static void a_check_that_is_nowhere_is_one_cause(void **state)
{
    static const char *const rules[] = {"Conv/pads-negative", "Gemm/pads-negative",
                                        "Pool/pads-negative", "Relu/pads-negative"};
    struct qd_result results[5];
    struct qd_causes causes;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        results[i] = failing(rules[i], "Conv", QD_VERDICT_ACCEPTS_INVALID);
        results[i].rule = rules[i];
    }
    find(&causes, results, 4);
    assert_int_equal(causes.count, 1);
    assert_string_equal(causes.items[0].name, "accepts-invalid: *-negative");
    qd_causes_clear(&causes);
    results[4] = passing("x", "Conv", "");
    results[4].comparison.verdict = QD_VERDICT_REJECTED;
    results[4].rule = "Sum/strides-negative";
    find(&causes, results, 5);
    assert_int_equal(causes.count, 1);
    assert_string_equal(causes.items[0].name, "accepts-invalid: */pads-negative");
    qd_causes_clear(&causes);
    results[4].rule = "Sum/pads-negative";
    find(&causes, results, 5);
    assert_int_equal(causes.count, 4);
    qd_causes_clear(&causes);
}

static const struct qd_result *unexplained_results(size_t *count)
{
    static struct qd_result results[16];

    results[0] = unexplained("a1", "bias,groups", "11");
    results[1] = unexplained("a2", "bias,groups,2d", "11");
    results[2] = unexplained("a3", "bias,groups", "9");
    results[3] = unexplained("b1", "dilations", "9");
    results[4] = unexplained("b2", "dilations,bias", "11");
    results[5] = unexplained("b3", "dilations,2d", "11");
    results[6] = unexplained("c1", "bias,groups", "200");
    results[7] = passing("p1", "Conv", "bias");
    results[8] = passing("p2", "Conv", "groups");
    results[9] = passing("p3", "Conv", "2d,bias");
    results[10] = passing("p4", "Gemm", "dilations");
    *count = 11;
    return results;
}

/* Two bugs without quirk and words: grouped convolutions with bias, and dilated ones. What is far off is neither. */
static void features_separate_two_bugs(void **state)
{
    struct qd_causes causes;
    size_t count;
    const struct qd_result *results = unexplained_results(&count);

    (void)state;
    find(&causes, results, count);
    assert_int_equal(causes.count, 3);
    assert_string_equal(causes.items[0].name, "wrong-value: Conv, by one code: bias,groups");
    assert_string_equal(causes.items[1].name, "wrong-value: Conv, by one code: dilations");
    assert_int_equal(causes.items[0].results, 3);
    assert_int_equal(causes.items[1].results, 3);
    assert_string_equal(causes.items[2].name, "wrong-value: Conv, off, unexplained");
    qd_causes_clear(&causes);
}

/* Numbers of which the first is off by one code and others by more are no rounding; without a diagnosis the first
 * counts. */
static void distance_is_that_of_all_elements(void **state)
{
    static const struct {
        const char *have, *facts, *name;
    } rows[] = {
        {"11", "2 of 4 elements differ; by -1: 0, by +1: 2, by more: 0; from 1 to 1",
         "wrong-value: Conv, by one code, unexplained"},
        {"11", "2 of 4 elements differ; by -1: 0, by +1: 1, by more: 1; from 1 to 90",
         "wrong-value: Conv, off, unexplained"},
        {"11", "", "wrong-value: Conv, by one code, unexplained"},
        {"255", "", "wrong-value: Conv, off, unexplained"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct qd_result result = unexplained("a", "bias", rows[i].have);
        struct qd_causes causes;

        result.facts = rows[i].facts;
        find(&causes, &result, 1);
        assert_string_equal(causes.items[0].name, rows[i].name);
        qd_causes_clear(&causes);
    }
}

/* Which of two runs is right is chance. */
static void runs_that_differ_are_one_cause(void **state)
{
    struct qd_result results[] = {
        failing("a", "Conv", QD_VERDICT_NONDETERMINISTIC),
        failing("b", "Gemm", QD_VERDICT_NONDETERMINISTIC),
    };
    struct qd_causes causes;

    (void)state;
    results[0].message = "output 0: two runs differ first in byte 3 of 20; neither is right";
    results[1].message = "output 0: two runs differ first in byte 1 of 8; the first is right";
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 1);
    assert_string_equal(causes.items[0].ops, "Conv, Gemm");
    qd_causes_clear(&causes);
}

/* A case that passes elsewhere, without optimization, says nothing about where it fails. */
static void passes_count_where_the_failures_are(void **state)
{
    struct qd_result results[] = {unexplained("a", "bias", "11"), unexplained("b", "bias", "11"),
                                  unexplained("c", "bias", "11"), passing("d", "Conv", ""),
                                  passing("e", "Conv", "bias")};
    struct qd_causes causes;

    (void)state;
    results[4].target = "lib@1.0[opt=none]";
    find(&causes, results, COUNT(results));
    assert_string_equal(causes.items[0].name, "wrong-value: Conv, by one code: bias");
    qd_causes_clear(&causes);
    results[4].target = target;
    find(&causes, results, COUNT(results));
    assert_string_equal(causes.items[0].name, "wrong-value: Conv, by one code, unexplained");
    qd_causes_clear(&causes);
}

static void targets_do_not_share_causes(void **state)
{
    struct qd_result results[] = {diagnosed("a", "Conv", "round-down"),
                                  diagnosed("a", "Conv", "round-down"),
                                  diagnosed("a", "Conv", "round-down")};
    struct qd_causes causes;

    (void)state;
    results[1].target = "other@1.0";
    results[2].target = "lib@2.0[opt=none]";
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_string_equal(causes.items[0].target, "lib");
    assert_int_equal(causes.items[0].results, 2);
    assert_int_equal(causes.items[0].cases, 1);
    qd_causes_clear(&causes);
}

static void what_is_known_comes_last(void **state)
{
    struct qd_result results[] = {diagnosed("a", "Conv", ""), diagnosed("b", "Conv", ""),
                                  diagnosed("c", "Gemm", "round-down")};
    struct qd_causes causes;

    (void)state;
    results[0].kind = results[1].kind = QD_RESULT_KNOWN;
    results[0].issue = results[1].issue = "lib #8";
    results[0].reason = results[1].reason = "it rounds twice";
    find(&causes, results, COUNT(results));
    assert_int_equal(causes.count, 2);
    assert_string_equal(causes.items[0].name, "round-down");
    assert_true(qd_cause_is_red(&causes.items[0]) && !qd_cause_is_red(&causes.items[1]));
    assert_string_equal(causes.items[1].name, "lib #8");
    assert_string_equal(causes.items[1].sentence, "it rounds twice");
    struct qd_capture shown;
    qd_capture_begin(&shown);
    qd_causes_print(&causes, 10, shown.out);
    assert_string_equal(qd_capture_text(&shown), "qdiff: 1 failures have 1 cause:\n"
                                                 "       1  round-down  [Gemm]\n");
    qd_capture_end(&shown);
    qd_causes_clear(&causes);
}

/* The whole as JSON is the same whatever order results come in. */
static void order_does_not_count(void **state)
{
    size_t count;
    const struct qd_result *results = unexplained_results(&count);
    char *first = NULL;

    (void)state;
    for (size_t turn = 0; turn < count; turn++) {
        struct qd_result turned[16];
        struct qd_causes causes;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        for (size_t i = 0; i < count; i++)
            turned[i] = results[(turn % 2 == 0 ? i + turn : 2 * count - i - turn) % count];
        find(&causes, turned, count);
        qd_causes_write(&causes, out);
        fclose(out);
        qd_causes_clear(&causes);
        if (first)
            assert_string_equal(text, first);
        free(first);
        first = text;
    }
    assert_non_null(strstr(first, "bias,groups"));
    free(first);
}

static void a_plug_in_is_named_as_it_was_given(void **state)
{
    const struct qd_result result = diagnosed("a", "Conv", "round-down");
    struct qd_causes causes;

    (void)state;
    qd_causes_init(&causes);
    assert_int_equal(qd_causes_spell(&causes, target, "./libmine.so", NULL), QD_OK);
    assert_int_equal(qd_causes_add(&causes, &result, NULL), QD_OK);
    assert_int_equal(qd_causes_find(&causes, NULL), QD_OK);
    assert_string_equal(causes.items[0].command, "qdiff repro 'a' --target './libmine.so'");
    qd_causes_clear(&causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(one_diagnosis_is_one_cause),
        cmocka_unit_test(several_quirks_join_the_one_that_is_sure),
        cmocka_unit_test(messages_that_differ_in_names_are_one_cause),
        cmocka_unit_test(one_message_of_two_classes_is_two_causes),
        cmocka_unit_test(rules_are_causes),
        cmocka_unit_test(deaths_at_one_place_are_one_cause),
        cmocka_unit_test(a_node_of_several_operators_is_one_cause),
        cmocka_unit_test(a_check_that_is_nowhere_is_one_cause),
        cmocka_unit_test(features_separate_two_bugs),
        cmocka_unit_test(distance_is_that_of_all_elements),
        cmocka_unit_test(runs_that_differ_are_one_cause),
        cmocka_unit_test(passes_count_where_the_failures_are),
        cmocka_unit_test(targets_do_not_share_causes),
        cmocka_unit_test(what_is_known_comes_last),
        cmocka_unit_test(order_does_not_count),
        cmocka_unit_test(a_plug_in_is_named_as_it_was_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
