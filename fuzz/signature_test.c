/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: the same finding from different cases has the same one, different findings have not.
 * Alone: <build>/tests/fuzz/signature_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"
#include "qdiff/signature.h"
#include "targets_testlib.h"

/* The signature of a case on a target, run and diagnosed. */
static void identify(const char *target, const struct qd_case *kase, char *signature)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
    struct qd_finding finding = {.signature = ""};
    const struct qd_trial_options nothing_more = {.twins = NULL};
    const struct qd_diagnose_options options = {.seconds = 5};
    struct qd_subject subject =
        qd_subject_of_session(qd_open(target, &(struct qd_session_options){.in_process = true}));
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_case_evaluate(kase, &arena, &evaluated, &error), QD_OK);
    assert_int_equal(qd_trial_run(&subject, &evaluated, &nothing_more, &arena, &trial, &error),
                     QD_OK);
    if (trial.divergence_count > 0)
        assert_int_equal(qd_finding_identify(&subject, &evaluated, &trial, 0, &options, &arena,
                                             &finding, &error),
                         QD_OK);
    memcpy(signature, finding.signature, QD_SIGNATURE_SIZE);
    qd_arena_clear(&arena);
    qd_subject_close(&subject);
}

static void test_same_finding_of_different_cases(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case a, b;
    char of_a[QD_SIGNATURE_SIZE], of_b[QD_SIGNATURE_SIZE];
    const float few[] = {0.5f, 2.5f}, many[] = {4.5f, -1.5f, 3, 0.25f, 8.5f};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&a, &arena, few, 2, 1, 3);
    qd_quantize_case(&b, &arena, many, 5, 0.5f, 9);
    /* 0.5 to 1 for 0, and 0.25 / 0.5 to 1 for 0. */
    identify("quirk:round-half-away", &a, of_a);
    identify("quirk:round-half-away", &b, of_b);
    assert_string_equal(of_a, "QuantizeLinear-quirk-wrong-value-round-half-away");
    assert_string_equal(of_b, of_a);
    /* Another mistake on the same case is another finding, and none is none. */
    identify("quirk:y-zero-point-ignored", &a, of_b);
    assert_string_not_equal(of_b, of_a);
    identify("reference", &a, of_b);
    assert_string_equal(of_b, "");
    qd_arena_clear(&arena);
}

/* y = QuantizeLinear(Relu(DequantizeLinear(x))): u8 codes in, s8 codes out. */
static void test_types_are_those_of_codes(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    char types[64];
    const int64_t dims[] = {2};
    struct qd_tensor x, scale, zero;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_tensor_init(&x, &arena, QD_U8, 1, dims, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, &arena, QD_F32, 0, NULL, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&zero, &arena, QD_S8, 0, NULL, &error), QD_OK);
    *(float *)scale.data = 1;
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &scale);
    qd_build_initializer(builder, "z", &zero);
    qd_build_node(builder, "", "DequantizeLinear", "x,s", "d");
    qd_build_node(builder, "", "Relu", "d", "r");
    qd_build_node(builder, "", "QuantizeLinear", "r,s,z", "y");
    qd_build_output(builder, "y", QD_S8, -1, NULL);
    assert_int_equal(qd_build_finish(builder, "relu", false, &kase, &error), QD_OK);
    assert_string_equal(qd_signature_types(&kase, types, sizeof types), "u8s8");
    qd_arena_clear(&arena);
}

/* What differs by `have` where 100 is wanted, as a word. */
static const char *shape_of(enum qd_dtype dtype, const int64_t *want, const int64_t *have)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase;
    const int64_t dims[] = {2};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, dtype, 2);
    struct qd_tensor wanted, got;
    assert_int_equal(qd_tensor_init(&wanted, &arena, dtype, 1, dims, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&got, &arena, dtype, 1, dims, &error), QD_OK);
    for (int i = 0; i < 2; i++) {
        qd_tensor_set(&wanted, i, want[i]);
        qd_tensor_set(&got, i, have[i]);
    }
    struct qd_value value = qd_value_of_tensor(&wanted);
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &got};
    const struct qd_evaluated evaluated = {.kase = &kase, .values = &value};
    const char *shape = qd_signature_shape(&evaluated, &run);
    qd_arena_clear(&arena);
    return shape;
}

static void test_shapes_of_differences(void **state)
{
    (void)state;
    const int64_t want[] = {100, 0}, one[] = {101, 0}, few[] = {116, 1}, far[] = {117, 1},
                  ends[] = {255, 255};
    assert_string_equal(shape_of(QD_U8, want, one), "one");
    assert_string_equal(shape_of(QD_U8, want, few), "few");
    assert_string_equal(shape_of(QD_U8, want, far), "far");
    assert_string_equal(shape_of(QD_U8, want, ends), "ends");
    /* Floats by units in the last place, across zero too: the least negative number and 0 are neighbours. */
    const int64_t f_want[] = {0x3f800000, 0}, f_one[] = {0x3f800001, (int64_t)0x80000001},
                  f_nan[] = {0x7fc00000, 0}, f_far[] = {0x3f900000, 0};
    assert_string_equal(shape_of(QD_F32, f_want, f_one), "one");
    assert_string_equal(shape_of(QD_F32, f_want, f_nan), "nan");
    assert_string_equal(shape_of(QD_F32, f_want, f_far), "far");
}

static void test_words(void **state)
{
    (void)state;
    uint32_t words = qd_signature_words("qconv.cc:41 Compute node 'a_1' has shape {1,3,8}");
    assert_int_equal(words, qd_signature_words("qconv.cc:57 Compute node 'b' has shape {2}\n"));
    assert_int_not_equal(words, qd_signature_words("qconv.cc:41 Compute node 'a_1' has type {1}"));
    assert_int_equal(qd_signature_words("it's 1"), qd_signature_words("it's 22"));
    assert_int_equal(qd_signature_words("/a/b/c.cc:1 f() [with T = float] Node (n4) was false."),
                     qd_signature_words("/d/c.h:22 f() [with T = int] Node (n17) was false."));
    assert_int_equal(qd_signature_words("a {1,2} b::c(int) d"),
                     qd_signature_words("a {3} e::f() d"));
    assert_int_not_equal(qd_signature_words("Op (Add) is no scalar"),
                         qd_signature_words("Op (Add) is no vector"));
}

/* However much of the middle there is, and wherever it was cut. */
static void test_words_of_many_lines(void **state)
{
    (void)state;
    uint32_t words = qd_signature_words("no lowering of this\nwhile at x\nthe compiler gave up");
    assert_int_equal(words, qd_signature_words("no lowering of this\nthe compiler gave up\n"));
    assert_int_equal(words, qd_signature_words("no lowering of this\nwhile at x, wh\n[...]\n"
                                               "oever\nthe compiler gave up\n"));
    assert_int_equal(qd_signature_words("no lowering of\nwhile\n[...]\nhe compiler gave up"),
                     qd_signature_words("no lowering of\nx\n[...]\n compiler gave up"));
    assert_int_equal(qd_signature_words("no lowering of th\n[...]\ncompiler gave up"),
                     qd_signature_words("no lowering of this\n[...]\n gave up"));
    assert_int_not_equal(words,
                         qd_signature_words("no lowering of this\nthe compiler was stopped"));
    assert_int_not_equal(words, qd_signature_words("no lowering of that\nthe compiler gave up"));
    assert_int_not_equal(qd_signature_words(""), qd_signature_words("\n[...]\nx y"));
}

static uint32_t cause_of(const char *words)
{
    const char *kind;
    return qd_signature_cause(words, &kind);
}

static void test_causes_of_death(void **state)
{
    (void)state;
    const char *kind;
#define VECTOR                                                                                     \
    "stl_vector.h:1149: std::vector::operator[](size_type) const [with _Tp = A*]: Assertion '__n " \
    "< this->size()' failed."
    uint32_t vector =
        qd_signature_cause("signal 6 (Aborted); standard error: /opt/c++/14/" VECTOR, &kind);
    assert_string_equal(kind, "assertion");
    assert_int_not_equal(vector, 0);
    assert_int_equal(
        vector, cause_of("signal 6 (Aborted); standard error: noise\n/usr/13/" VECTOR "\nmore"));
    assert_int_not_equal(vector,
                         cause_of("stl_algo.h:3625: clamp(): Assertion '!(__hi < __lo)' failed."));
    /* glibc; the program's name does not count, the expression does, whatever it quotes */
    uint32_t rank = cause_of(
        "python3: lib/a.cpp:31: void f(int): Assertion `rank > 0 && \"no 'rank'\"' failed.");
    assert_int_equal(
        rank,
        cause_of(
            "qdiff: ../lib/a.cpp:77: void f(int): Assertion `rank > 0 && \"no 'rank'\"' failed."));
    assert_int_not_equal(
        rank,
        cause_of("qdiff: a.cpp:31: void f(int): Assertion `rank > 1_ && \"no 'rank'\"' failed."));
    /* An exception that nobody caught: its type, and its words without numbers. */
    uint32_t range = qd_signature_cause(
        "terminate called after throwing an instance of 'std::out_of_range'\n  what():  at 5",
        &kind);
    assert_string_equal(kind, "terminate");
    assert_int_equal(range, cause_of("terminate called after throwing an instance of "
                                     "'std::out_of_range'\n  what():  at 17\n"));
    assert_int_not_equal(
        range,
        cause_of(
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  at 5"));
    /* Frames: the handler's are not the library's, and addresses say nothing. */
    uint32_t frames = qd_signature_cause("Stack dump:\n #0 0x7f01 llvm::sys::PrintStackTrace(int) "
                                         "(a.so+0x1)\n #1 0x7f02 lower(Op) (a.so+0x2)\n",
                                         &kind);
    assert_string_equal(kind, "frames");
    assert_int_equal(frames, cause_of("#0 0x55 in lower(Op) b.cc:3\n"));
    assert_int_not_equal(frames, cause_of("#0 0x55 in fold(Op) b.cc:3\n"));
    /* The innermost frames are cut off, or there is nothing. */
    assert_int_equal(cause_of("#7 0x7f02 main (a.so+0x2)\n"), 0);
    assert_int_equal(cause_of("signal 11 (Segmentation fault)"), 0);
}

/* The same place reached by another operator at another stage is the same finding. */
static void test_a_cause_is_the_name(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase;
    char first[QD_SIGNATURE_SIZE], second[QD_SIGNATURE_SIZE];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_S8, 3);
    const struct qd_evaluated evaluated = {.kase = &kase};
    struct qd_divergence divergence = {.class = QD_VERDICT_CRASH,
                                       .words = "a.cc:1: f(): Assertion `x' failed."};
    struct qd_trial trial = {
        .run = {.outcome = QD_OUTCOME_CRASH, .stage = QD_STAGE_LOAD, .signal = 6},
        .divergence_count = 1,
        .divergences = &divergence};
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, first);
    assert_memory_equal(first, "any-ort-crash-assertion-", strlen("any-ort-crash-assertion-"));
    kase.op = "Relu";
    trial.run.stage = QD_STAGE_RUN;
    divergence.words = "a.cc:2: f(): Assertion `x' failed.";
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, second);
    assert_string_equal(first, second);
    divergence.words = "a.cc:2: f(): Assertion `y' failed.";
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, second);
    assert_string_not_equal(first, second);
    qd_arena_clear(&arena);
}

/* Classes without numbers: by rule, by words, by signal; every character fits a file name. */
static void test_labels_of_other_classes(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase;
    char signature[QD_SIGNATURE_SIZE];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_S8, 3);
    const struct qd_evaluated evaluated = {.kase = &kase};
    struct qd_divergence divergence = {.class = QD_VERDICT_CRASH, .words = ""};
    struct qd_trial trial = {
        .run = {.outcome = QD_OUTCOME_CRASH, .stage = QD_STAGE_LOAD, .signal = 11},
        .divergence_count = 1,
        .divergences = &divergence};
    qd_signature_make(&evaluated, "../a b", &trial, 0, NULL, signature);
    assert_string_equal(signature, "Identity-...a.b-crash-load-signal-11");
    trial.run.outcome = QD_OUTCOME_OUTPUTS;
    divergence =
        (struct qd_divergence){.class = QD_VERDICT_ACCEPTS_INVALID, .words = "Relu/some-rule"};
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, signature);
    assert_string_equal(signature, "Relu-ort-accepts-invalid-some-rule");
    trial.run = (struct qd_run){.outcome = QD_OUTCOME_REJECTED, .stage = QD_STAGE_RUN};
    divergence = (struct qd_divergence){.class = QD_VERDICT_REJECTS_VALID, .words = "a"};
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, signature);
    /* FNV-1a of "a": (2166136261 ^ 97) * 16777619 mod 2^32 */
    assert_string_equal(signature, "Identity-ort-rejects-valid-run-e40c292c");
    /* The operator that the target complains of, and no part of another one's name. */
    divergence.words = "QLinearConvolution (QLinearAdd) a";
    qd_signature_make(&evaluated, "ort", &trial, 0, NULL, signature);
    assert_memory_equal(signature, "com.microsoft.QLinearAdd-ort-rejects-valid-run-",
                        strlen("com.microsoft.QLinearAdd-ort-rejects-valid-run-"));
    qd_arena_clear(&arena);
}

static void test_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    qd_signature_print(out, "a");
    assert_int_equal(fclose(out), 0);
    /* FNV-1a of "a": 0xe40c292c, the last digit first, from 'a' for 0 */
    assert_string_equal(text, "Assertion failure: FuzzerHash=mcjcmaeo a\nDEDUP_TOKEN: a\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_finding_of_different_cases),
        cmocka_unit_test(test_types_are_those_of_codes),
        cmocka_unit_test(test_shapes_of_differences),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_words_of_many_lines),
        cmocka_unit_test(test_causes_of_death),
        cmocka_unit_test(test_a_cause_is_the_name),
        cmocka_unit_test(test_labels_of_other_classes),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests_name("signatures", tests, NULL, NULL);
}
