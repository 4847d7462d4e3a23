/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool is asked for instead of what it does not have, and what counts as not asked.
 * Alone: <build>/tests/targets/quantizer/options_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/quantizer.h"

static const char *const names[] = {"node", NULL};

static struct qd_quantizer_options all_set(void)
{
    return (struct qd_quantizer_options){.scheme = QD_QUANTIZER_DYNAMIC,
                                         .format = QD_QUANTIZER_QOPERATOR,
                                         .activation_type = 2,
                                         .weight_type = 5,
                                         .per_channel = true,
                                         .reduce_range = true,
                                         .symmetric_activations = true,
                                         .symmetric_weights = true,
                                         .restricted_asymmetric = true,
                                         .exclude = names,
                                         .ops = names,
                                         .extra = names};
}

static void test_what_is_declared_stays(void **state)
{
    (void)state;
    static const char *const words[] = {"scheme",
                                        "format=0,1",
                                        "activation_type=3,2",
                                        "weight_type",
                                        "per_channel",
                                        "reduce_range",
                                        "symmetric_activations",
                                        "symmetric_weights",
                                        "restricted_asymmetric",
                                        "exclude",
                                        "op",
                                        "extra",
                                        NULL};
    struct qd_quantizer_options options = all_set();
    assert_false(qd_quantizer_fit(words, &options));
    assert_int_equal(options.scheme, QD_QUANTIZER_DYNAMIC);
    assert_int_equal(options.format, QD_QUANTIZER_QOPERATOR);
    assert_int_equal(options.activation_type, 2);
    assert_int_equal(options.weight_type, 5);
    assert_true(options.per_channel && options.reduce_range && options.symmetric_activations &&
                options.symmetric_weights && options.restricted_asymmetric);
    assert_ptr_equal(options.exclude, names);
}

/* The first value that is declared; the default of what is not, even where a longer word begins like it. */
static void test_the_rest_is_replaced(void **state)
{
    (void)state;
    static const char *const words[] = {"scheme=0", "activation_type=3,0", "weight_type=33,4",
                                        "per_channels", NULL};
    struct qd_quantizer_options options = all_set();
    assert_true(qd_quantizer_fit(words, &options));
    assert_int_equal(options.scheme, QD_QUANTIZER_STATIC);
    assert_int_equal(options.format, QD_QUANTIZER_QDQ);
    assert_int_equal(options.activation_type, 3);
    assert_int_equal(options.weight_type, 33);
    assert_false(options.per_channel || options.reduce_range || options.symmetric_activations ||
                 options.symmetric_weights || options.restricted_asymmetric);
    assert_null(options.exclude);
    assert_null(options.ops);
    assert_null(options.extra);
    assert_false(qd_quantizer_fit(words, &options));
    options.extra = names;
    assert_true(qd_quantizer_fit(words, &options));
}

/* A worker may say anything. */
static void test_hostile_words(void **state)
{
    (void)state;
    static const char *const words[] = {"",
                                        "=",
                                        "scheme=",
                                        "format=x,1",
                                        "activation_type=3,,2",
                                        "weight_type=99999999999999999999,5,",
                                        NULL};
    struct qd_quantizer_options options = all_set();
    assert_true(qd_quantizer_fit(words, &options));
    assert_int_equal(options.scheme, QD_QUANTIZER_DYNAMIC);
    assert_int_equal(options.format, QD_QUANTIZER_QDQ);
    assert_int_equal(options.activation_type, 2);
    assert_int_equal(options.weight_type, 5);
}

static void test_what_is_declined(void **state)
{
    (void)state;
    static const struct {
        enum qd_quantized outcome;
        const char *words;
        bool declined;
    } rows[] = {
        {QD_QUANTIZED_REJECTED, "options: int8 only", true},
        {QD_QUANTIZED_REJECTED, "import: If 'n0': no translation to torch", true},
        {QD_QUANTIZED_REJECTED, "quantize: ValueError: options: none", false},
        {QD_QUANTIZED_REJECTED, "imported", false},
        {QD_QUANTIZED_CRASHED, "import: it fell over", false},
        {QD_QUANTIZED_EDGES, "options: ", false},
        {QD_QUANTIZED_SKIPPED, "", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_quantizer_answer answer = {.outcome = rows[i].outcome};
        snprintf(answer.message, sizeof answer.message, "%s", rows[i].words);
        assert_int_equal(qd_quantizer_declined(&answer), rows[i].declined);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_declared_stays),
        cmocka_unit_test(test_the_rest_is_replaced),
        cmocka_unit_test(test_hostile_words),
        cmocka_unit_test(test_what_is_declined),
    };
    return cmocka_run_group_tests_name("options of quantizers", tests, NULL, NULL);
}
