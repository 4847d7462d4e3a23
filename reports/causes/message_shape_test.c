/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of one bug have one shape, those of two bugs have two, and the pattern of a shape matches its messages
 * only. Alone: <build>/tests/reports/causes/message_shape_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <fnmatch.h>

#include "causes/message_shape.h"

static const char *shape_of(const char *message, const char *op, char text[512])
{
    return qd_message_shape(message, op, text, 512);
}

static void numbers_names_and_places_are_left_out(void **state)
{
    static const struct {
        const char *message, *op, *shape;
    } rows[] = {
        {"input 3 of node 'conv_a' is bad", "Conv", "input # of node # is bad"},
        {"Conv: kernel {1,3,8} does not fit", "Conv", "#: kernel # does not fit"},
        {"failed for: com.microsoft.QGemm, not MyQGemm", "com.microsoft:QGemm",
         "failed for: #, not MyQGemm"},
        {"QGemm refused\n  by rule", "com.microsoft:QGemm", "# refused by rule"},
        {"/src/lib/conv.cc:83 void f() [with T = float] failed", "Conv",
         "#conv.cc:# void f() # failed"},
        {"it doesn't fit, nor does 'x'", "Conv", "it doesn't fit, nor does #"},
        {"n1, n2, n3 and uint8", "Conv", "# and #"},
        {"'lib.mm' of (x<3>, none) -> y<4>", "Conv", "'lib.mm' of # -> y#"},
        {"failed [TypeError] in (part) of (n0)", "Conv", "failed [TypeError] in (part) of #"},
        {"cut in the list (1, 2, mo", "Conv", "cut in the list #"},
        {"1 < 2 is not 3 > 2", "Conv", "# < # is not # > #"},
        {"is U16, accessed as I32", "Conv", "is #, accessed as #~"},
        {"want F32, not F16 for F32", "Conv", "want #, not #~ for #"},
        {"signal 6: `n > 0' failed. qemu: uncaught target signal 6 (Aborted)", "Conv",
         "signal #: `n > #' failed."},
        {"qemu: uncaught target signal 6", "Conv", "qemu: uncaught target signal #"},
        {"", "Conv", ""},
        {"\xff\x01 bad bytes", "Conv", "bad bytes"},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(shape_of(rows[i].message, rows[i].op, text), rows[i].shape);
}

static void two_reasons_are_two_shapes(void **state)
{
    char a[512], b[512];

    (void)state;
    assert_string_not_equal(shape_of("scale of 'a' must be a scalar", "Conv", a),
                            shape_of("zero point of 'a' must be a scalar", "Conv", b));
    assert_string_not_equal(shape_of("want 5,F16 got 5,F32", "Conv", a),
                            shape_of("want 3,I8 got 3,1,I8", "Conv", b));
    assert_string_not_equal(shape_of("/src/a/conv.cc:1 failed", "Conv", a),
                            shape_of("/src/a/pool.cc:1 failed", "Conv", b));
}

static void a_long_message_is_cut(void **state)
{
    char text[16];

    (void)state;
    qd_message_shape("some words that do not fit into so few bytes", "Conv", text, sizeof text);
    assert_true(strlen(text) < sizeof text && strncmp(text, "some words", 10) == 0);
}

static void few_words_tell_nothing(void **state)
{
    (void)state;
    assert_false(qd_message_shape_is_telling(""));
    assert_false(qd_message_shape_is_telling("signal # (Floating point exception)"));
    assert_true(qd_message_shape_is_telling("Could not find an implementation for #(#)"));
}

static void a_pattern_matches_its_shape(void **state)
{
    static const char *const messages[] = {
        "input 3 of node 'conv_a' is [bad] and *cannot* be read",
        "/src/lib/conv.cc:83 void f() [with T = float] failed in part of it",
        "a\\b is what it said, 17 times",
    };
    char shape[512], pattern[512];

    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        for (size_t most = 1; most < 4; most++) {
            qd_message_shape_pattern(shape_of(messages[i], "Conv", shape), most, pattern, 512);
            assert_string_not_equal(pattern, "");
            assert_int_equal(fnmatch(pattern, messages[i], 0), 0);
            assert_int_equal(fnmatch(pattern, "another message about the same node", 0),
                             FNM_NOMATCH);
        }
    }
    assert_string_equal(qd_message_shape_pattern("# # ab", 3, pattern, 512), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_names_and_places_are_left_out),
        cmocka_unit_test(two_reasons_are_two_shapes),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(few_words_tell_nothing),
        cmocka_unit_test(a_pattern_matches_its_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
