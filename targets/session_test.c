/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions against targets that behave and targets that do not: each wrong deed is told apart, costs one case, and
 * the session goes on.
 * Alone: <build>/tests/targets/session_test */
#define _GNU_SOURCE /* flock, mkstemp, usleep */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "qdiff/build.h"
#include "qdiff/evaluate.h"
#include "targets_testlib.h"

#define PLUGIN(name) QD_TEST_PLUGINS_DIR "/" name ".so"

/* One run of the identity case on misbehave_plugin[do=what]. */
static enum qd_status run_once(struct qd_session *session, int64_t count, struct qd_run *run,
                               struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, count);
    enum qd_status status = qd_session_run(session, &kase, kase.inputs, &arena, run, error);
    if (status == QD_OK && run->outcome == QD_OUTCOME_OUTPUTS)
        assert_memory_equal(run->outputs[0].data, kase.inputs[0].data, (size_t)count);
    run->outputs = NULL;
    qd_arena_clear(&arena);
    return status;
}

static const struct deed {
    const char *what;
    enum qd_outcome outcome;
    enum qd_stage stage;
    int signal;
    const char *words;
    bool fatal, skip_asan;
} deeds[] = {
    {"nothing", QD_OUTCOME_OUTPUTS, QD_STAGE_RUN, 0, "", false, false},
    {"babble", QD_OUTCOME_OUTPUTS, QD_STAGE_RUN, 0, "", false, false},
    {"leak", QD_OUTCOME_OUTPUTS, QD_STAGE_RUN, 0, "", false, false},
    {"reject-prepare", QD_OUTCOME_REJECTED, QD_STAGE_LOAD, 0, "not today", false, false},
    {"status-17", QD_OUTCOME_REJECTED, QD_STAGE_RUN, 0, "answered 17, which is no status", false,
     false},
    {"endless-message", QD_OUTCOME_REJECTED, QD_STAGE_RUN, 0, "????????", false, false},
    {"no-memory", QD_OUTCOME_OOM, QD_STAGE_RUN, 0, "", false, false},
    {"lie-type", QD_OUTCOME_WRONG_TYPE, QD_STAGE_RUN, 0, "output 0 is s8[100], should be u8[100]",
     false, false},
    {"lie-unknown-type", QD_OUTCOME_WRONG_TYPE, QD_STAGE_RUN, 0, "type -77[100]", false, false},
    {"lie-shape", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "u8[101], should be u8[100]", false,
     false},
    {"lie-negative", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "u8[-5]", false, false},
    {"lie-rank", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "rank 4000000000", false, false},
    {"unwritten-all", QD_OUTCOME_UNWRITTEN, QD_STAGE_RUN, 0, "byte 0 of 100", false, false},
    {"unwritten-last", QD_OUTCOME_UNWRITTEN, QD_STAGE_RUN, 0, "byte 99 of 100", false, false},
    {"nondeterministic", QD_OUTCOME_NONDETERMINISTIC, QD_STAGE_RUN, 0, "byte 99 of 100", false,
     false},
    {"write-after", QD_OUTCOME_OUT_OF_BOUNDS, QD_STAGE_RUN, 0, "0 bytes after the end", false,
     false},
    {"write-before", QD_OUTCOME_OUT_OF_BOUNDS, QD_STAGE_RUN, 0, "1 bytes before output 0", false,
     false},
    {"modify-input", QD_OUTCOME_INPUT_MODIFIED, QD_STAGE_RUN, 0, "input 0 'x'", false, false},
    {"modify-model", QD_OUTCOME_INPUT_MODIFIED, QD_STAGE_RUN, 0, "model", false, false},
    {"crash-prepare", QD_OUTCOME_CRASH, QD_STAGE_LOAD, 11, "Segmentation fault", true, false},
    {"crash", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault", true, false},
    {"crash-second-run", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault", true, false},
    {"crash-release", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault", true, false},
    {"write-far", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault", true, false},
    {"overflow-stack", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault", true, false},
    {"abort", QD_OUTCOME_CRASH, QD_STAGE_RUN, 6, "the sky fell", true, false},
    {"panic", QD_OUTCOME_CRASH, QD_STAGE_RUN, 6, "panicked at the first line\n", true, false},
    {"panic", QD_OUTCOME_CRASH, QD_STAGE_RUN, 6, "[...]\n", true, false},
    {"panic", QD_OUTCOME_CRASH, QD_STAGE_RUN, 6, "the last line says why", true, false},
    {"abort-behind-child", QD_OUTCOME_CRASH, QD_STAGE_RUN, 6, "Aborted", true, false},
    {"exit", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "exit status 0", true,
     true}, /* LeakSanitizer's exit code */
    {"close-descriptors", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "closed its channel", true, false},
    {"hang", QD_OUTCOME_HANG, QD_STAGE_RUN, 0, "no answer within 0.4 s", true, false},
    {"kill-parent", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0,
     "was killed, by the target or by somebody else", true, false},
    {"stop-parent", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "the target stopped its parent process",
     true, false},
    {"write-channel", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "wrote to the channel", true, false},
    {"grow-file", QD_OUTCOME_CRASH, QD_STAGE_RUN, 25, "wrote a file of more than 256 MiB", true,
     false},
    /* ASan's allocator ends the process itself when it gets no memory. */
    {"eat-memory", QD_OUTCOME_OOM, QD_STAGE_RUN, 0, "limit 256 MiB", true, true},
};

/* Each deed twice on one session: what it costs is one case. */
static void test_every_deed_is_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        const struct deed *deed = &deeds[i];
        if (QD_UNDER_ASAN && deed->skip_asan)
            continue;
        char text[512];
        snprintf(text, sizeof text, "%s[do=%s]", PLUGIN("misbehave_plugin"), deed->what);
        struct qd_session_options options = {.time_limit =
                                                 deed->outcome == QD_OUTCOME_HANG ? 0.4 : 30,
                                             .memory_limit = (uint64_t)256 << 20};
        struct qd_session *session = qd_open(text, &options);
        for (int again = 0; again < 2; again++) {
            struct qd_run run;
            struct qd_error error = {.status = QD_OK};
            if (run_once(session, 100, &run, &error) != QD_OK)
                fail_msg("%s: %s", deed->what, error.text);
            if (run.outcome != deed->outcome || run.stage != deed->stage ||
                run.signal != deed->signal || !strstr(run.message, deed->words))
                fail_msg("%s: have %s in stage %d, signal %d, \"%s\"", deed->what,
                         qd_outcome_word(run.outcome), (int)run.stage, run.signal, run.message);
            assert_true(run.seconds_target >= 0 && run.seconds_transfer >= 0);
        }
        qd_session_close(session);
    }
}

/* The same checks hold without a worker, but for deeds that would take us with them. */
static void test_in_process(void **state)
{
    (void)state;
    int ran = 0;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        const struct deed *deed = &deeds[i];
        if (deed->fatal || strcmp(deed->what, "babble") == 0 || strcmp(deed->what, "leak") == 0)
            continue;
        char text[512];
        snprintf(text, sizeof text, "%s[do=%s]", PLUGIN("misbehave_plugin"), deed->what);
        struct qd_session_options options = {.in_process = true};
        struct qd_session *session = qd_open(text, &options);
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        assert_int_equal(run_once(session, 100, &run, &error), QD_OK);
        if (run.outcome != deed->outcome || !strstr(run.message, deed->words))
            fail_msg("%s: have %s, \"%s\"", deed->what, qd_outcome_word(run.outcome), run.message);
        qd_session_close(session);
        ran++;
    }
    assert_int_equal(ran, 17);
}

/* In the second run, inputs of the same numbers are one buffer, and others are not. */
static void test_inputs_are_one_buffer(void **state)
{
    static const float x[] = {2};
    static const struct qd_session_options alone = {.in_process = true};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=one-buffer]", &alone);
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, x, 1, 2, 0);
    qd_run_and_compare(session, &kase, &run);
    assert_int_equal(run.outcome, QD_OUTCOME_NONDETERMINISTIC);
    assert_non_null(strstr(run.message, "inputs of the same numbers are one buffer"));
    qd_quantize_case(&kase, &arena, x, 1, 3, 0);
    qd_run_and_compare(session, &kase, &run);
    assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    qd_arena_clear(&arena);
    qd_session_close(session);
}

static void expect_failure(const char *text, enum qd_status want, const char *words)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session *session = NULL;
    struct qd_session_options options = {.time_limit = 1};
    assert_int_equal(qd_target_name_parse(text, &name, &error), QD_OK);
    enum qd_status status = qd_session_open(&name, &options, &session, &error);
    if (status != want || !strstr(error.text, words))
        fail_msg("%s: have %s: %s", text, qd_status_word(status), error.text);
}

static void expect_unusable(const char *text, const char *words)
{
    expect_failure(text, QD_UNUSABLE, words);
}

static void test_unusable_plugins(void **state)
{
    (void)state;
    expect_unusable(PLUGIN("wrong_abi_plugin"), "ABI 4711; this qdiff has ABI 1");
    expect_unusable(PLUGIN("null_function_plugin"), "no function 'open'");
    expect_unusable(PLUGIN("null_table_plugin"), "gave NULL");
    expect_unusable(PLUGIN("no_entry_plugin"), "no qd_target_entry");
    expect_unusable("./there-is-none.so", "cannot open shared object");
    expect_unusable(PLUGIN("misbehave_plugin"), "unknown setting");
    expect_unusable(PLUGIN("misbehave_plugin") "[do=crash-open]", "crash: signal 11");
    expect_unusable(PLUGIN("misbehave_plugin") "[do=crash-describe]", "crash: signal 11");
    expect_unusable(PLUGIN("misbehave_plugin") "[do=many-capabilities]", "1000000000 capabilities");
    expect_unusable(PLUGIN("misbehave_plugin") "[do=null-capabilities]", "capabilities at NULL");
    expect_unusable(PLUGIN("misbehave_plugin") "[do=odd-feature]", "unknown feature 'teleports'");
    expect_unusable("ort@0.0.1", "scripts/setup");
}

static void test_what_no_target_has_is_a_usage_error(void **state)
{
    (void)state;
    expect_failure("orrt", QD_USAGE, "there are ort, ");
    expect_failure("ort[opt=most]", QD_USAGE, "none, basic, extended and all");
    expect_failure("ort@1.31.1[speed=11]", QD_USAGE, "unknown setting 'speed'");
    expect_failure("ort[opt]", QD_USAGE, "is not key=value");
    expect_failure("reference@1", QD_USAGE, "no versions");
    expect_failure("quirk:rounding=sideways", QD_USAGE, "half-even");
    expect_failure("quirk:bias", QD_USAGE, "did you mean 'bias-");
}

static void test_target_that_gives_up_is_an_error(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=unusable]", &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(run_once(session, 10, &run, &error), QD_UNUSABLE);
    assert_non_null(strstr(error.text, "licence expired"));
    qd_session_close(session);
}

/* A crash that depends on earlier cases is reported as such, and the session goes on. */
static void test_crash_after_other_cases(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session =
        qd_open(PLUGIN("misbehave_plugin") "[do=crash-third-case]", &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
        assert_int_equal(run.outcome, i == 3 ? QD_OUTCOME_CRASH : QD_OUTCOME_OUTPUTS);
        if (i == 3)
            assert_non_null(strstr(run.message, "not in a fresh process"));
    }
    qd_session_close(session);
}

/* A must-reject case comes after other invalid models, which may have caused it: what it answers in a fresh process
 * counts. */
static void test_crash_after_invalid_models(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session =
        qd_open(PLUGIN("misbehave_plugin") "[do=crash-third-case]", &options);
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 10);
    kase.expect = QD_EXPECT_MUST_REJECT;
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    }
    qd_arena_clear(&arena);
    qd_session_close(session);
}

/* A leaking target is replaced before its leak becomes some case's fault. */
static void test_leak_is_nobodys_fault(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5, .memory_limit = (uint64_t)300 << 20};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=leak]", &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    for (int i = 0; i < 600; i++) { /* 2 MiB each */
        assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    }
    qd_session_close(session);
}

/* 200 MB of tensors go through a block that starts at 64 MiB. */
static void test_block_grows(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 20};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=nothing]", &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    static const int64_t sizes[] = {10, 40000000, 10};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_once(session, sizes[i], &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    }
    qd_session_close(session);
}

/* The unused half of a packed tensor's last byte is nobody's. */
static void test_padding_bits_do_not_matter(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U4, 3);
    struct qd_session_options options = {.time_limit = 5};
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    /* the last byte is "unwritten": its low half is an element, its high half is none */
    struct qd_session *session =
        qd_open(PLUGIN("misbehave_plugin") "[do=unwritten-last]", &options);
    assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_UNWRITTEN);
    qd_session_close(session);
    session = qd_open(PLUGIN("misbehave_plugin") "[do=dirty-padding]", &options);
    assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(qd_tensor_get(&run.outputs[0], i), qd_tensor_get(&kase.inputs[0], i));
    qd_session_close(session);
    qd_arena_clear(&arena);
}

/* Without shapes nothing is compared: the target accepts or refuses. */
static void test_must_reject(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        enum qd_outcome outcome;
    } rows[] = {{"nothing", QD_OUTCOME_OUTPUTS},
                {"lie-shape", QD_OUTCOME_OUTPUTS},
                {"reject-prepare", QD_OUTCOME_REJECTED},
                {"crash", QD_OUTCOME_CRASH}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_case kase;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_identity_case(&kase, &arena, QD_U8, 8);
        char text[512];
        snprintf(text, sizeof text, "%s[do=%s]", PLUGIN("misbehave_plugin"), rows[i].what);
        struct qd_session_options options = {.time_limit = 5};
        struct qd_session *session = qd_open(text, &options);
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        assert_int_equal(qd_session_run(session, &kase, NULL, &arena, &run, &error), QD_OK);
        assert_int_equal(run.outcome, rows[i].outcome);
        assert_null(run.outputs);
        qd_session_close(session);
        qd_arena_clear(&arena);
    }
}

static void test_capabilities(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase;
    const char *reason = NULL;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 8);
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=nothing]", &options);
    assert_true(qd_can(session, &kase, &reason));
    assert_string_equal(qd_session_id(session), "misbehave@1[nothing]");
    qd_session_close(session);
    session = qd_open(PLUGIN("picky_plugin"), &options);
    assert_false(qd_can(session, &kase, &reason));
    assert_string_equal(reason, "no uint8 here");
    qd_identity_case(&kase, &arena, QD_S8, 8);
    assert_true(qd_can(session, &kase, &reason));
    qd_session_close(session);
    qd_arena_clear(&arena);
}

/* DequantizeLinear, Neg and, where asked, QuantizeLinear. */
static void build_chain(struct qd_case *kase, struct qd_arena *arena, enum qd_dtype codes,
                        bool quantizes)
{
    const int64_t dims[] = {4};
    struct qd_builder *b = qd_build_begin(arena, 13);
    struct qd_tensor x, scale, zero;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_tensor_init(&x, arena, codes, 1, dims, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, 0, NULL, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&zero, arena, codes, 0, NULL, &error), QD_OK);
    qd_tensor_set(&scale, 0, (int64_t)qd_float_encode(QD_F32, 0.5, false));
    qd_build_input(b, "x", &x);
    qd_build_initializer(b, "s", &scale);
    qd_build_initializer(b, "z", &zero);
    qd_build_node(b, "", "DequantizeLinear", "x,s,z", "a");
    qd_build_node(b, "", "Neg", "a", quantizes ? "r" : "y");
    if (quantizes)
        qd_build_node(b, "", "QuantizeLinear", "r,s,z", "y");
    qd_build_output(b, "y", quantizes ? codes : QD_F32, -1, NULL);
    if (qd_build_finish(b, "chain", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* Rows hold for a node in its graph: what they need of the graph is there for each of its nodes, and what its
 * neighbours are made of excludes nothing. */
static void test_capabilities_in_company(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("picky_plugin"), &options);
    struct qd_arena arena;
    struct qd_case kase;
    const char *reason = NULL;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build_chain(&kase, &arena, QD_S8, true);
    assert_true(qd_can(session, &kase, &reason));
    build_chain(&kase, &arena, QD_S16, true);
    assert_true(qd_can(session, &kase, &reason));
    build_chain(&kase, &arena, QD_S8, false);
    assert_false(qd_can(session, &kase, &reason));
    build_chain(&kase, &arena, QD_U8, true);
    assert_false(qd_can(session, &kase, &reason));
    assert_string_equal(reason, "only in company");
    qd_session_close(session);
    qd_arena_clear(&arena);
}

/* A row names an operator together with its domain; the reference need not know it. */
static void test_capabilities_of_domains(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *op;
        bool can;
    } rows[] = {{"", "Relu", true},
                {"", "Tanh", false},
                {"com.microsoft", "Relu", false},
                {"com.microsoft", "QLinearSigmoid", true},
                {"", "QLinearSigmoid", false},
                {"com.microsoft", "QLinearLeakyRelu", false},
                {"example.org", "Wobble", true},
                {"example.org", "Warble", false},
                {"", "Wobble", false}};
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("picky_plugin"), &options);
    const char *reason;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_node node = {.domain = rows[i].domain,
                               .op_type = rows[i].op,
                               .op = qd_op_find(rows[i].domain, rows[i].op)};
        struct qd_graph graph = {.node_count = 1, .nodes = &node};
        struct qd_case kase = {.id = "domain", .graph = &graph};
        if (qd_can(session, &kase, &reason) != rows[i].can)
            fail_msg("row %zu, %s:%s: want %d", i, rows[i].domain, rows[i].op, rows[i].can);
    }
    assert_true(qd_session_owns(session, "example.org"));
    assert_false(qd_session_owns(session, "example"));
    assert_false(qd_session_owns(session, "com.microsoft"));
    qd_session_close(session);
}

static void test_close_is_bounded(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    qd_session_close(qd_open(PLUGIN("misbehave_plugin") "[do=hang-close]", &options));
    qd_session_close(qd_open(PLUGIN("misbehave_plugin") "[do=crash-close]", &options));
}

static void test_null_name(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=null-name]", &options);
    assert_string_equal(qd_session_info(session)->name, "");
    qd_session_close(session);
}

static void test_many_deaths_leave_no_process(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 5};
    struct qd_session *session = qd_open(PLUGIN("misbehave_plugin") "[do=crash]", &options);
    for (int i = 0; i < 20; i++) {
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_CRASH);
    }
    qd_session_close(session);
}

/* --- What targets leave running ------------------------------------------------------------------ */

/* A file that the processes of misbehave_plugin's `leave` lock, in the environment. */
struct left {
    char path[64];
    int file;
};

static void open_left(struct left *left)
{
    strcpy(left->path, "/tmp/qdiff-left-XXXXXX");
    left->file = mkstemp(left->path);
    assert_true(left->file >= 0);
    assert_int_equal(setenv("QDIFF_TEST_LEFT", left->path, 1), 0);
}

static bool is_held(const struct left *left)
{
    if (flock(left->file, LOCK_EX | LOCK_NB) != 0)
        return true;
    flock(left->file, LOCK_UN);
    return false;
}

/* At most 5 seconds, as promised. */
static void expect_none_left(struct left *left, const char *what)
{
    for (int i = 0; i < 500 && is_held(left); i++)
        usleep(10000);
    if (is_held(left))
        fail_msg("%s: a process is left", what);
    close(left->file);
    unlink(left->path);
}

static void test_what_a_target_leaves_ends_with_its_session(void **state)
{
    (void)state;
    static const char *const whats[] = {"leave", "leave-and-crash", "leave-and-hang",
                                        "leave-and-kill-parent"};
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        struct left left;
        char text[512];
        open_left(&left);
        snprintf(text, sizeof text, "%s[do=%s]", PLUGIN("misbehave_plugin"), whats[i]);
        struct qd_session_options options = {.time_limit = i == 2 ? 0.4 : 30};
        struct qd_session *session = qd_open(text, &options);
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
        if (i == 0)
            assert_true(is_held(&left));
        qd_session_close(session);
        expect_none_left(&left, whats[i]);
    }
}

static void test_what_a_target_leaves_ends_with_a_killed_qdiff(void **state)
{
    (void)state;
    struct left left;
    open_left(&left);
    pid_t pid = fork();
    if (pid == 0) {
        struct qd_session_options options = {.time_limit = 60};
        struct qd_run run;
        struct qd_error error;
        run_once(qd_open(PLUGIN("misbehave_plugin") "[do=leave-and-hang]", &options), 10, &run,
                 &error);
        _exit(0);
    }
    for (int i = 0; i < 3000 && !is_held(&left); i++)
        usleep(10000);
    assert_true(is_held(&left));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    expect_none_left(&left, "killed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_target_leaves_ends_with_its_session),
        cmocka_unit_test(test_what_a_target_leaves_ends_with_a_killed_qdiff),
        cmocka_unit_test(test_every_deed_is_told_apart),
        cmocka_unit_test(test_in_process),
        cmocka_unit_test(test_inputs_are_one_buffer),
        cmocka_unit_test(test_unusable_plugins),
        cmocka_unit_test(test_what_no_target_has_is_a_usage_error),
        cmocka_unit_test(test_target_that_gives_up_is_an_error),
        cmocka_unit_test(test_crash_after_other_cases),
        cmocka_unit_test(test_crash_after_invalid_models),
        cmocka_unit_test(test_leak_is_nobodys_fault),
        cmocka_unit_test(test_block_grows),
        cmocka_unit_test(test_padding_bits_do_not_matter),
        cmocka_unit_test(test_must_reject),
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_capabilities_in_company),
        cmocka_unit_test(test_capabilities_of_domains),
        cmocka_unit_test(test_close_is_bounded),
        cmocka_unit_test(test_null_name),
        cmocka_unit_test(test_many_deaths_leave_no_process),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
