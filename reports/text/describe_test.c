/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, attributes and numbers as text.
 * Alone: <build>/tests/reports/text/describe_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "text/describe.h"

static void check_number(enum qd_dtype dtype, double value, const char *want)
{
    char text[40];

    assert_string_equal(qd_describe_number(dtype, value, text, sizeof text), want);
}

static void numbers_read_back(void **state)
{
    (void)state;
    check_number(QD_U8, 255, "255");
    check_number(QD_S32, -2147483648.0, "-2147483648");
    check_number(QD_F32, 0.1f, "0.100000001"); /* nine digits tell float32 values apart */
    check_number(QD_F64, 0.1, "0.10000000000000001");
    check_number(QD_F32, (double)NAN, "nan");
    check_number(QD_F32, -(double)INFINITY, "-inf");
}

struct fixture {
    struct qd_arena arena;
    struct qd_tensor tensor;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    static const int64_t dims[] = {2, 3};

    qd_arena_init(&fixture.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_tensor_init(&fixture.tensor, &fixture.arena, QD_S8, 2, dims, NULL);
    for (int64_t i = 0; i < 6; i++)
        qd_tensor_set(&fixture.tensor, i, i - 3);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    qd_arena_clear(&f->arena);
    return 0;
}

static void tensors_show_their_head(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(qd_describe_tensor(&f->tensor, 6, &f->arena),
                        "s8[2,3] {-3, -2, -1, 0, 1, 2}");
    assert_string_equal(qd_describe_tensor(&f->tensor, 2, &f->arena), "s8[2,3] {-3, -2, ...}");
    assert_string_equal(qd_describe_tensor(&f->tensor, 0, &f->arena), "s8[2,3]");
}

static void long_tensors_are_cut(void **state)
{
    struct fixture *f = *state;
    struct qd_tensor tensor;
    int64_t count = 100000;

    assert_int_equal(qd_tensor_init(&tensor, &f->arena, QD_U8, 1, &count, NULL), QD_OK);
    assert_true(strlen(qd_describe_tensor(&tensor, count, &f->arena)) < 5000);
}

static void places_are_coordinates(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(qd_describe_place(&f->tensor, 0, &f->arena), "[0, 0]");
    assert_string_equal(qd_describe_place(&f->tensor, 5, &f->arena), "[1, 2]");
    struct qd_tensor scalar;
    assert_int_equal(qd_tensor_init(&scalar, &f->arena, QD_U8, 0, NULL, NULL), QD_OK);
    assert_string_equal(qd_describe_place(&scalar, 0, &f->arena), "[]");
}

static void attributes_of_every_kind(void **state)
{
    struct fixture *f = *state;
    static const int64_t ints[] = {1, -2};
    static const float floats[] = {0.5f};
    const struct {
        struct qd_attr attr;
        const char *want;
    } rows[] = {
        {{.kind = QD_ATTR_INT, .i = -7}, "-7"},
        {{.kind = QD_ATTR_FLOAT, .f = 0.25f}, "0.25"},
        {{.kind = QD_ATTR_STRING, .s = "SAME_UPPER"}, "SAME_UPPER"},
        {{.kind = QD_ATTR_INTS, .count = 2, .ints = ints}, "[1, -2]"},
        {{.kind = QD_ATTR_FLOATS, .count = 1, .floats = floats}, "[0.5]"},
        {{.kind = QD_ATTR_INTS}, "[]"},
        {{.kind = QD_ATTR_TENSOR, .tensor = &f->tensor}, "s8[2,3] {-3, -2, -1, 0, 1, 2}"},
        {{.kind = QD_ATTR_OTHER}, "(an attribute of another kind)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(qd_describe_attr(&rows[i].attr, &f->arena), rows[i].want);
}

/* Of nine eight are named. */
static void second_faults_are_all_told(void **state)
{
    struct fixture *f = *state;
    struct qd_quirk quirks[9] = {{.name = "a"}, {.name = "b"}, {.name = "c"},
                                 {.name = "d"}, {.name = "e"}, {.name = "f"},
                                 {.name = "g"}, {.name = "h"}, {.name = "i"}};
    struct qd_diagnosis diagnosis = {
        .quirk_count = 1, .neighbours = 16, .divergent = 9, .excused = 3, .other_count = 1};

    for (size_t i = 0; i < QD_DIAGNOSIS_MAX_QUIRKS; i++)
        diagnosis.others[i] = &quirks[i];
    assert_string_equal(qd_describe_evidence(&diagnosis, &f->arena),
                        "16 neighbours run; the target is wrong on 9 of them, as the quirk says, "
                        "on 3 of them together with a");
    diagnosis.other_count = 2;
    assert_non_null(strstr(qd_describe_evidence(&diagnosis, &f->arena), "together with a|b"));
    diagnosis.other_count = 9;
    assert_non_null(strstr(qd_describe_evidence(&diagnosis, &f->arena),
                           "together with a|b|c|d|e|f|g|h or one of 1 more"));
}

/* What no neighbour refuted, and none spoke for. */
static void what_is_no_name_is_told(void **state)
{
    struct fixture *f = *state;
    struct qd_quirk quirk = {.name = "a"};
    struct qd_diagnosis diagnosis = {
        .neighbours = 5, .out_of_time = true, .near = {.quirk = &quirk, .elements = 144}};

    assert_string_equal(qd_describe_evidence(&diagnosis, &f->arena),
                        "5 neighbours run; the target is wrong on 0 of them; out of time; a "
                        "explains all 144 elements of this case, as others may");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_read_back),          TEST(tensors_show_their_head),
        TEST(long_tensors_are_cut),       TEST(places_are_coordinates),
        TEST(attributes_of_every_kind),   TEST(what_is_no_name_is_told),
        TEST(second_faults_are_all_told),
    };

    return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
