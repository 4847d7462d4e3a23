/* SPDX-License-Identifier: Apache-2.0 */
/* The quantizer role over a worker: the request arrives whole, each kind of answer is told apart, hostile ones cost one
 * request.
 * Alone: <build>/tests/targets/process/quantizer_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/quantized.h"
#include "qdiff/quantizer.h"
#include "targets_testlib.h"

#define WORKER QD_SOURCE_DIR "/targets/process/tests/quantizer.py"

static int find_share(void **state)
{
    (void)state;
    return setenv("QDIFF_SHARE", QD_TEST_CASES_DIR "/..", 1);
}

static struct qd_quantizer *open_worker(double seconds)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session_options options = {.time_limit = seconds};
    struct qd_quantizer *quantizer = NULL;
    if (qd_target_name_parse(WORKER, &name, &error) != QD_OK ||
        qd_quantizer_open(&name, &options, &quantizer, &error) != QD_OK)
        fail_msg("%s", error.text);
    return quantizer;
}

static void ask(struct qd_quantizer *quantizer, const char *what, struct qd_arena *arena,
                struct qd_quantizer_answer *answer)
{
    const char *const extra[] = {what, NULL};
    struct qd_quantizer_request request = {.model = (const uint8_t *)"model", .model_size = 5};
    request.options.extra = extra;
    struct qd_error error = {.status = QD_OK};
    if (qd_quantizer_run(quantizer, &request, arena, answer, &error) != QD_OK)
        fail_msg("%s: %s", what, error.text);
}

static void test_request_arrives_whole(void **state)
{
    (void)state;
    struct qd_quantizer *quantizer = open_worker(30);
    assert_string_equal(qd_quantizer_id(quantizer), "quantizer@1");
    assert_string_equal(qd_quantizer_words(quantizer)[2], "per_channel");
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const int64_t two = 2;
    struct qd_tensor x;
    assert_int_equal(qd_tensor_init(&x, &arena, QD_U8, 1, &two, NULL), QD_OK);
    qd_tensor_set(&x, 0, 1);
    qd_tensor_set(&x, 1, 255);
    const struct qd_tensor *const runs[] = {&x, &x};
    const struct qd_quantizer_range ranges[] = {{"x", -1.5F, 6}, {"y", 0, 1e-45F}};
    const char *const exclude[] = {"conv 1", "n2", NULL}, *const ops[] = {"MatMul", NULL};
    const char *const extra[] = {"What=echo", "Minimum=1", NULL};
    const struct qd_quantizer_request request = {.model = (const uint8_t *)"bytes",
                                                 .model_size = 5,
                                                 .range_count = 2,
                                                 .ranges = ranges,
                                                 .calibration_count = 2,
                                                 .input_count = 1,
                                                 .calibrations = runs,
                                                 .options = {.scheme = QD_QUANTIZER_DYNAMIC,
                                                             .format = QD_QUANTIZER_QOPERATOR,
                                                             .activation_type = 2,
                                                             .weight_type = 22,
                                                             .reduce_range = true,
                                                             .symmetric_weights = true,
                                                             .exclude = exclude,
                                                             .ops = ops,
                                                             .extra = extra}};
    struct qd_quantizer_answer answer;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_quantizer_run(quantizer, &request, &arena, &answer, &error), QD_OK);
    assert_int_equal(answer.outcome, QD_QUANTIZED_MODEL);
    const char *text = qd_arena_printf(&arena, "%.*s", (int)answer.model_size, answer.model);
    assert_string_equal(
        text, "bytes\nx -1.5 6\ny 0 1.4013e-45\n[(2, (2,), '01ff')]\n[(2, (2,), '01ff')]\n"
              "activation_type=2\nexclude=['conv 1', 'n2']\nextra=['What=echo', 'Minimum=1']\n"
              "format=qoperator\nop=['MatMul']\nper_channel=False\nreduce_range=True\n"
              "restricted_asymmetric=False\nscheme=dynamic\nsymmetric_activations=False\n"
              "symmetric_weights=True\nweight_type=22");
    assert_string_equal(answer.ignored[0], "reduce_range");
    assert_null(answer.ignored[1]);
    qd_arena_clear(&arena);
    qd_quantizer_close(quantizer);
}

static void test_edges(void **state)
{
    (void)state;
    struct qd_quantizer *quantizer = open_worker(30);
    struct qd_arena arena;
    struct qd_quantizer_answer answer;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    ask(quantizer, "What=edges", &arena, &answer);
    assert_int_equal(answer.outcome, QD_QUANTIZED_EDGES);
    assert_int_equal(answer.edge_count, 2);
    const struct qd_quantizer_edge *edge = answer.edges;
    assert_string_equal(edge->tensor, "x");
    assert_string_equal(edge->consumer, "conv");
    assert_true(edge->input == 1 && edge->data_type == 3 && edge->quant_min == -127);
    assert_true(edge->quant_max == 127 && edge->count == 2 && edge->axis == -1);
    assert_true(edge->scales[0] == 0.5F && edge->scales[1] == 0.25F && edge->group == 7);
    assert_true(edge->zero_points[0] == 0 && edge->zero_points[1] == -3);
    assert_true(edge[1].count == 0 && edge[1].data_type == 0);
    qd_arena_clear(&arena);
    qd_quantizer_close(quantizer);
}

static void test_answers_are_told_apart(void **state)
{
    static const struct {
        const char *what;
        enum qd_quantized outcome;
        int signal;
        const char *words;
    } rows[] = {
        {"What=refuse", QD_QUANTIZED_REJECTED, 0, "ranges: rmin above rmax"},
        {"What=fall", QD_QUANTIZED_CRASHED, 0, "AssertionError at tool.py:7"},
        {"What=skip", QD_QUANTIZED_SKIPPED, 0, "slow (https://example.org/1)"},
        {"What=memory", QD_QUANTIZED_OOM, 0, "out of memory"},
        {"What=segv", QD_QUANTIZED_CRASHED, 11, "Segmentation fault"},
        {"What=uneven", QD_QUANTIZED_CRASHED, 0, "differ in number"},
        {"What=nameless", QD_QUANTIZED_CRASHED, 0, "an edge without a tensor"},
        {"What=nothing", QD_QUANTIZED_CRASHED, 0, "neither a model nor edges"},
        {"What=both", QD_QUANTIZED_CRASHED, 0, "a model and edges"},
        {"What=hang", QD_QUANTIZED_HANG, 0, "no answer within"},
    };
    (void)state;
    struct qd_quantizer *patient = open_worker(60), *hasty = open_worker(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_quantizer_answer answer;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        ask(rows[i].outcome == QD_QUANTIZED_HANG ? hasty : patient, rows[i].what, &arena, &answer);
        if (answer.outcome != rows[i].outcome || answer.signal != rows[i].signal ||
            !strstr(answer.message, rows[i].words))
            fail_msg("%s: have %s, signal %d, \"%s\"", rows[i].what,
                     qd_quantized_word(answer.outcome), answer.signal, answer.message);
        qd_arena_clear(&arena);
    }
    qd_quantizer_close(patient);
    qd_quantizer_close(hasty);
}

static void expect_refused(const char *text, enum qd_status want, const char *words)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session_options options = {.time_limit = 5};
    struct qd_quantizer *quantizer = NULL;
    assert_int_equal(qd_target_name_parse(text, &name, &error), QD_OK);
    assert_int_equal(qd_quantizer_open(&name, &options, &quantizer, &error), want);
    assert_non_null(strstr(error.text, words));
}

static void test_what_is_no_quantizer(void **state)
{
    (void)state;
    expect_refused("reference", QD_USAGE, "is no worker");
    expect_refused(WORKER "[none=1]", QD_UNUSABLE, "it is no quantizer");
    expect_refused("ort-quant@0.1", QD_UNUSABLE, "scripts/setup --target ort-quant@0.1");
}

/* Every prefix and every changed byte of a right message: an answer or a problem. */
static void test_hostile_messages(void **state)
{
    (void)state;
    static const uint8_t right[] = {0x12, 0x1a, 0x0a, 1, 'x',  0x12, 1,    'n', 0x18, 1,    0x20,
                                    3,    0x3d, 0,    0, 0,    0x3f, 0x3d, 0,   0,    0x80, 0x3e,
                                    0x42, 2,    0,    5, 0x50, 7,    0x1a, 2,   'a',  'b'};
    struct qd_arena arena;
    struct qd_error error = {.status = QD_OK};
    size_t answers = 0, problems = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t at = 0; at <= sizeof right; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint8_t bytes[sizeof right];
            memcpy(bytes, right, sizeof right);
            size_t size = byte == 0 ? at : sizeof right;
            if (at < sizeof right)
                bytes[at] ^= (uint8_t)byte;
            struct qd_wire wire = {.bytes = bytes, .size = size};
            struct qd_quantizer_answer answer;
            const char *problem = NULL;
            qd_arena_reset(&arena);
            assert_int_equal(qd_quantized_read(wire, &arena, &answer, &problem, &error), QD_OK);
            answers += !problem;
            problems += problem != NULL;
        }
    assert_true(answers > 100 && problems > 1000);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_arrives_whole),  cmocka_unit_test(test_edges),
        cmocka_unit_test(test_answers_are_told_apart), cmocka_unit_test(test_what_is_no_quantizer),
        cmocka_unit_test(test_hostile_messages),
    };
    return cmocka_run_group_tests_name("quantizers", tests, find_share, NULL);
}
