/* The story of an element: products, fraction, orders and the mistakes that would show, on numbers worked out by hand.
 * Alone: <build>/tests/reports/story_test */
#include "story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "capture_testlib.h"
#include "qdiff/build.h"

static struct qd_tensor tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                               const int64_t *dims, const double *values)
{
    struct qd_tensor made;

    assert_int_equal(qd_tensor_init(&made, arena, dtype, rank, dims, NULL), QD_OK);
    for (int64_t i = 0; i < made.count; i++) {
        qd_tensor_set(&made, i,
                      qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, values[i], true)
                                               : (int64_t)values[i]);
    }
    return made;
}

static void put(struct qd_builder *builder, struct qd_arena *arena, const char *name,
                enum qd_dtype dtype, double value)
{
    struct qd_tensor made = tensor(arena, dtype, 0, NULL, &value);

    qd_build_initializer(builder, name, &made);
}

/* x = (3, 5), z = 1; w = (7, 2), z = 4: acc = 2·3 + 4·(−2) = −2; −2 · 0.5 · 0.5 / 0.25, plus 10. */
static struct qd_case product(struct qd_arena *arena)
{
    struct qd_builder *builder = qd_build_begin(arena, 10);
    struct qd_tensor a = tensor(arena, QD_U8, 2, (const int64_t[]){1, 2}, (const double[]){3, 5});
    struct qd_tensor b = tensor(arena, QD_U8, 2, (const int64_t[]){2, 1}, (const double[]){7, 2});
    struct qd_case kase;
    struct qd_error error = {0};

    qd_build_input(builder, "a", &a);
    qd_build_initializer(builder, "b", &b);
    put(builder, arena, "sa", QD_F32, 0.5);
    put(builder, arena, "za", QD_U8, 1);
    put(builder, arena, "sb", QD_F32, 0.5);
    put(builder, arena, "zb", QD_U8, 4);
    put(builder, arena, "sy", QD_F32, 0.25);
    put(builder, arena, "zy", QD_U8, 10);
    qd_build_node(builder, "", "QLinearMatMul", "a,sa,za,b,sb,zb,sy,zy", "y");
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    if (qd_build_finish(builder, "product", false, &kase, &error) != QD_OK) {
        fail_msg("%s", error.text);
    }
    return kase;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static void test_a_product_is_told(void **state)
{
    struct qd_arena arena;
    struct qd_capture capture;
    struct qd_story story;
    struct qd_error error = {0};
    const double have = 8;

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_capture_begin(&capture);
    struct qd_case kase = product(&arena);
    if (qd_story_begin(&story, capture.out, &kase, &arena, &error) != QD_OK) {
        fail_msg("%s", error.text);
    }
    qd_story_tell(&story, 0, 0);
    qd_story_tell_quirks(&story, 0, 0, &have);
    const char *text = qd_capture_text(&capture);
    expect(text, "a[0, 0] 3 -> 2   b[0, 0] 7 -> 3   product 6");
    expect(text, "a[0, 1] 5 -> 4   b[1, 0] 2 -> -2   product -8");
    expect(text, "acc = -2\n");
    expect(text, "= -2 * 0.5 * 0.5 / 0.25");
    expect(text, "       = -2\n");
    expect(text, "plus y_zero_point 10 = 8, saturated to u8: 8");
    expect(text, "nothing else is admissible");
    /* 3·7 + 5·2 = 31, plus 10 */
    expect(text, "zero-points-ignored                      41");
    qd_capture_end(&capture);
    qd_arena_clear(&arena);
}

static void test_fractions(void **state)
{
    struct qd_arena arena;
    struct qd_story story = {.arena = &arena};

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_ratio eighth = qd_ratio_of_double(-6.875);
    assert_string_equal(qd_story_ratio(&story, eighth), "-55/8 = -6.875");
    struct qd_ratio third = qd_ratio_divide(qd_ratio_of_integer(2), qd_ratio_of_integer(6));
    expect(qd_story_ratio(&story, third), "1/3 = 0.33333");
    assert_string_equal(qd_story_ratio(&story, qd_ratio_of_integer(-12)), "-12");
    assert_string_equal(qd_story_ratio(&story, qd_ratio_of_integer(0)), "0");
    expect(qd_story_ratio(&story, qd_ratio_of_double(0x1p-200)), "about ");
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_product_is_told),
                                       cmocka_unit_test(test_fractions)};

    return cmocka_run_group_tests_name("story", tests, NULL, NULL);
}
