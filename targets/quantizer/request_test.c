/* SPDX-License-Identifier: Apache-2.0 */
/* A request in a case: it comes back whole, and hostile bytes are refused or are a request.
 * Alone: <build>/tests/targets/quantizer/request_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/quantizer.h"

static const struct qd_quantizer_range ranges[] = {{"x", -1.5F, 6}, {"y", 0, 1e-45F}};
static const char *const exclude[] = {"conv 1", "n2", NULL}, *const ops[] = {"MatMul", NULL};
static const char *const extra[] = {"What=echo", NULL};
static const struct qd_quantizer_request asked = {.range_count = 2,
                                                  .ranges = ranges,
                                                  .options = {.format = QD_QUANTIZER_QOPERATOR,
                                                              .activation_type = 2,
                                                              .weight_type = 22,
                                                              .reduce_range = true,
                                                              .restricted_asymmetric = true,
                                                              .exclude = exclude,
                                                              .ops = ops,
                                                              .extra = extra}};

static void enclose(const struct qd_quantizer_request *request, struct qd_arena *arena,
                    struct qd_case *kase)
{
    struct qd_error error;
    uint8_t *bytes;
    assert_int_equal(
        qd_quantizer_request_encode(request, arena, &bytes, &kase->request_size, &error), QD_OK);
    kase->request = bytes;
}

static void test_comes_back(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase = {.input_count = 1};
    struct qd_quantizer_request read;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enclose(&asked, &arena, &kase);
    assert_int_equal(qd_quantizer_request_of(&kase, &arena, &read, &error), QD_OK);
    assert_int_equal(read.range_count, 2);
    assert_string_equal(read.ranges[0].tensor, "x");
    assert_true(read.ranges[0].min == -1.5F && read.ranges[0].max == 6);
    assert_true(read.ranges[1].min == 0 && read.ranges[1].max == 1e-45F);
    const struct qd_quantizer_options *options = &read.options;
    assert_true(options->scheme == QD_QUANTIZER_STATIC &&
                options->format == QD_QUANTIZER_QOPERATOR);
    assert_true(options->activation_type == 2 && options->weight_type == 22);
    assert_true(options->reduce_range && options->restricted_asymmetric);
    assert_false(options->per_channel || options->symmetric_activations ||
                 options->symmetric_weights);
    assert_string_equal(options->exclude[1], "n2");
    assert_null(options->exclude[2]);
    assert_string_equal(options->ops[0], "MatMul");
    assert_string_equal(options->extra[0], "What=echo");
    assert_int_equal(read.calibration_count, 0);
    qd_arena_clear(&arena);
}

/* Without ranges the case's own inputs are what a static tool calibrates with. */
static void test_inputs_calibrate(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_tensor x;
    struct qd_case kase = {.input_count = 1, .inputs = &x};
    struct qd_quantizer_request request = {.range_count = 0}, read;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enclose(&request, &arena, &kase);
    assert_int_equal(qd_quantizer_request_of(&kase, &arena, &read, &error), QD_OK);
    assert_int_equal(read.calibration_count, 1);
    assert_ptr_equal(read.calibrations[0], &x);
    request.options.scheme = QD_QUANTIZER_DYNAMIC;
    enclose(&request, &arena, &kase);
    assert_int_equal(qd_quantizer_request_of(&kase, &arena, &read, &error), QD_OK);
    assert_int_equal(read.calibration_count, 0);
    qd_arena_clear(&arena);
}

static void test_ranges_that_are_none(void **state)
{
    (void)state;
    static const struct {
        float min, max;
        const char *why;
    } rows[] = {
        {-1, 1, NULL},   {2, 2, NULL},     {1, -1, "upside-down"}, {-1, INFINITY, "infinite"},
        {NAN, 1, "nan"}, {-1, NAN, "nan"}, {0, 0, NULL},           {-0.0F, 0.0F, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct qd_quantizer_range two[] = {{"x", 0, 1}, {"y", rows[i].min, rows[i].max}};
        const struct qd_quantizer_request request = {.range_count = 2, .ranges = two};
        const char *why = qd_quantizer_unfit_range(&request);
        assert_int_equal(qd_quantizer_must_refuse(&request), rows[i].why != NULL);
        assert_string_equal(why ? why : "", rows[i].why ? rows[i].why : "");
    }
    const struct qd_quantizer_range both[] = {{"x", -1, INFINITY}, {"y", NAN, 1}};
    const struct qd_quantizer_request request = {.range_count = 2, .ranges = both};
    assert_string_equal(qd_quantizer_unfit_range(&request), "nan");
}

/* Every prefix and every changed byte: a request or MALFORMED. */
static void test_hostile_bytes(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_case kase = {.request_size = 0};
    struct qd_quantizer_request read;
    struct qd_error error;
    uint8_t bytes[256];
    size_t good = 0, bad = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_quantizer_request_of(&kase, &arena, &read, &error), QD_USAGE);
    enclose(&asked, &arena, &kase);
    size_t size = kase.request_size;
    assert_true(size < sizeof bytes);
    memcpy(bytes, kase.request, size);
    for (size_t at = 0; at < size; at++)
        for (unsigned change = 0; change < 256; change++) {
            struct qd_case changed = {.request = bytes,
                                      .request_size = change == 0 ? at + 1 : size};
            struct qd_arena one;
            qd_arena_init(&one, QD_ARENA_DEFAULT_BUDGET);
            bytes[at] ^= (uint8_t)change;
            enum qd_status status = qd_quantizer_request_of(&changed, &one, &read, &error);
            bytes[at] ^= (uint8_t)change;
            assert_true(status == QD_OK || status == QD_MALFORMED);
            good += status == QD_OK;
            bad += status != QD_OK;
            qd_arena_clear(&one);
        }
    assert_true(good > 1000 && bad > 1000);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_inputs_calibrate),
        cmocka_unit_test(test_ranges_that_are_none),
        cmocka_unit_test(test_hostile_bytes),
    };
    return cmocka_run_group_tests_name("requests in cases", tests, NULL, NULL);
}
