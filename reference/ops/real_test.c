/* SPDX-License-Identifier: Apache-2.0 */
/* Sub, Mul, Div, Clip, LeakyRelu, HardSigmoid, Tanh, Sigmoid, Softmax, Exp, Sqrt, Reciprocal, Max, Min, Pow,
 * ReduceSum, Erf: rows by hand; the transcendental ones against digits from
 * tables. Alone: <build>/tests/reference/ops/real_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"
#include "qdiff/evaluate.h"

static void sub(void **state)
{
    (void)state;
    row("Sub", 13, "f32[2] 1.5 -0.25; f32[] 1", "", "f32[2] 0.5 -1.25");
    row("Sub", 7, "f16[1] 1; f16[2] 2 inf", "", "f16[2] -1 -inf");
    row("Sub", 13, "f32[2] 1..2 *; f32[1] 0.5..1", "", "f32[2] 0..0.5..1.5 *");
    /* 2^24 + 1 is a tie between 2^24 and 2^24 + 2 */
    row("Sub", 7, "f32[1] 16777216; f32[1] -1", "", "f32[1] 16777216..16777217");
    row("Sub", 14, "u8[2] 5 3; u8[2] 3 5", "", "u8[2] 2 *");
    row("Sub", 7, "s32[1] -2147483648; s32[1] 1", "", "s32[1] *");
    row("Sub", 13, "f32[1] inf; f32[1] inf", "", "f32[1] nan");
    row("Sub", 19, "f16[2] 65536..inf..inf 65536..inf..inf; f16[2] 65536..inf..inf 0.5..1", "",
        "f16[2] * 65535..inf..inf");
    row("Sub", 13, "f32[1] 1; f16[1] 1", "", "!b-type");
    row("Sub", 13, "f32[2] 1 1; f32[3] 1 1 1", "", "!broadcast");
    row("Sub", 13, "u8[1] 1; u8[1] 1", "", "!a-type");
    row("Sub", 6, "f32[2] 1 1; f32[1] 1", "", "?before opset 7");
}

static void mul(void **state)
{
    (void)state;
    row("Mul", 13, "f32[3] 1.5 -1 3; f32[] 2", "", "f32[3] 3 -2 6");
    row("Mul", 13, "f32[4] 0 0 -2 inf; f32[4] inf -inf inf nan", "", "f32[4] nan nan -inf nan");
    row("Mul", 13, "f32[3] -1..2 0..1 1..2; f32[3] -3 inf -inf", "", "f32[3] -6..3..3 * -inf");
}

static void div_floats(void **state)
{
    (void)state;
    row("Div", 13, "f32[3] 1.5 -1 3; f32[] 2", "", "f32[3] 0.75 -0.5 1.5");
    row("Div", 13, "f32[4] 1 -1 0 inf; f32[4] 0 0 0 2", "", "f32[4] inf -inf nan inf");
    row("Div", 13, "f32[2] 1 1; f32[2] -inf -0.0", "", "f32[2] 0 -inf");
    row("Div", 13, "f32[2] 1..2 1; f32[2] 4 -1..2", "", "f32[2] 0.25..0.5 *");
    row("Div", 13, "f32[1] -3..6; f32[1] -2..-1", "", "f32[1] -6..1.5..3");
    row("Div", 7, "f16[1] 65504; f16[1] 0.5", "", "f16[1] 131008..inf..inf");
    /* 1/3: the hull holds the quotient in double, one step either way, and its rounding up to
     * f32 */
    row("Div", 13, "f32[1] 1; f32[1] 3", "",
        "f32[1] "
        "0.333333333333333314829616256247..0.3333333432674407958984375..0."
        "3333333432674407958984375");
}

static void div_integers(void **state)
{
    (void)state;
    row("Div", 14, "s8[6] 7 -7 7 -7 -128 1; s8[6] 2 2 -2 -2 -1 0", "", "s8[6] 3 -3 -3 3 * *");
    row("Div", 14, "u8[2] 255 3; u8[2] 2 4", "", "u8[2] 127 0");
    row("Div", 7, "s64[2] 9007199254740990 9007199254740993; s64[] 9007199254740991", "",
        "s64[2] 0 1");
    row("Div", 7, "s64[2] -9223372036854775808 9223372036854775807; s64[2] -1 2", "",
        "s64[2] * 4611686018427387903");
    row("Div", 7, "s32[1] -2147483648; s32[1] -1", "", "s32[1] *");
    row("Div", 14, "s8[2] -7..8 5; s8[2] 2..3 -1..1", "", "s8[2] -3..4 *");
    row("Div", 13, "s8[1] 1; s8[1] 1", "", "!a-type");
}

static void leaky_relu(void **state)
{
    (void)state;
    row("LeakyRelu", 6, "f32[4] -8 2 0 nan", "alpha=0.125f", "f32[4] -1 2 0 nan");
    row("LeakyRelu", 16, "bf16[2] -8 2", "alpha=-0.5f", "bf16[2] 4 2");
    row("LeakyRelu", 6, "f32[3] -8..4 -4..-2 1..3", "alpha=0.25f", "f32[3] -2..4 -1..-0.5 1..3");
    row("LeakyRelu", 6, "f32[1] -8..4", "alpha=-1f", "f32[1] 0..8..8");
    row("LeakyRelu", 6, "f32[2] -inf inf", "alpha=0f", "f32[2] 0 inf");
    /* 0.01 is 0.00999999977648258209228515625 in f32, 0.01000213623046875 in f16 */
    row("LeakyRelu", 6, "f32[1] -1", "", "f32[1] -0.00999999977648258209228515625");
    row("LeakyRelu", 6, "f16[1] -1", "",
        "f16[1] -0.01000213623046875..-0.01000213623046875..-0.00999999977648258209228515625");
    row("LeakyRelu", 6, "f64[1] -1", "", "?f64");
    row("LeakyRelu", 6, "s32[1] -1", "", "!X-type");
    row("LeakyRelu", 15, "bf16[1] -1", "", "!X-type");
    row("LeakyRelu", 6, "f32[1] -1", "alpha=inff", "!attribute-type");
}

static void exact_points(void **state)
{
    (void)state;
    row("Tanh", 13, "f32[4] 0 inf -inf nan", "", "f32[4] 0 1 -1 nan");
    row("Sigmoid", 13, "f32[4] 0 inf -inf nan", "", "f32[4] 0.5 1 0 nan");
    row("Sigmoid", 6, "f16[2] 0 *", "", "f16[2] 0.5 *");
    row("Softmax", 13, "f32[2,1] 3 -1", "", "f32[2,1] 1 1");
    row("Softmax", 13, "f32[0,2] ", "", "f32[0,2]");
    row("Softmax", 13, "f32[2] -inf -inf", "", "f32[2] * *");
    row("Softmax", 13, "f32[2] 1 inf", "", "f32[2] * *");
    row("Softmax", 13, "f32[2] 1 nan", "", "f32[2] * *");
    row("Softmax", 13, "f32[2] 1 *", "", "f32[2] * *");
}

static void hard_sigmoid(void **state)
{
    (void)state;
    row("HardSigmoid", 6, "f32[5] -8 8 0 inf nan", "", "f32[5] 0 1 0.5 1 nan");
    row("HardSigmoid", 22, "f32[3] 1 -2 -1..2", "alpha=0.25f beta=0.5f", "f32[3] 0.75 0 0.25..1");
    row("HardSigmoid", 6, "f32[2] 1 -1", "alpha=-2f beta=0.125f", "f32[2] 0 1");
    /* 0.2 is 0.20000000298023223876953125 in f32; times 3 it is 0.60000000894069671630859375, a tie
     * between multiples of 2^-24, of which 0.60000002384185791015625 is the even one */
    row("HardSigmoid", 6, "f32[1] 3", "beta=0f",
        "f32[1] "
        "0.60000000894069671630859375..0.60000002384185791015625..0.60000002384185791015625");
    row("HardSigmoid", 6, "f32[1] 0", "alpha=0f", "?alpha is 0");
    row("HardSigmoid", 6, "f16[1] 0", "", "?f16");
    row("HardSigmoid", 6, "s32[1] 0", "", "!X-type");
}

static void hard_swish(void **state)
{
    (void)state;
    row("HardSwish", 14, "f32[5] -8 -3 0 inf nan", "", "f32[5] 0 0 0 inf nan");
    /* 3, or 3 · 6 · 11184811 · 2^-26, with the float32 of 1/6 */
    row("HardSwish", 14, "f32[1] 3", "", "f32[1] 3..3..3.0000000894069671630859375");
    row("HardSwish", 14, "f32[2] -inf *", "", "f32[2] * *");
    /* -1.5 · ¼, or with that float32 -1.5 · 1.5 · 11184811 · 2^-26 and -1.5 · (½ - 1.5 · 11184811 · 2^-26) */
    row("HardSwish", 22, "f32[1] -1.5", "",
        "f32[1] -0.3750000111758708953857421875..-0.375..-0.3749999888241291046142578125");
    /* 2/3, or rounded */
    row("HardSwish", 22, "f32[1] 1", "",
        "f32[1] "
        "0.66666666666666662966..0.666666686534881591796875..0.666666686534881591796875");
    row("HardSwish", 14, "f16[1] 0", "", "?f16");
    row("HardSwish", 14, "s32[1] 0", "", "!X-type");
}

static void roots_and_reciprocals(void **state)
{
    (void)state;
    row("Sqrt", 13, "f32[6] 0 4 0.25 inf -1 nan", "", "f32[6] 0 2 0.5 inf nan nan");
    row("Sqrt", 13, "f32[3] -1..4 * -2..-1", "", "f32[3] * * nan");
    row("Sqrt", 6, "f16[1] 2.25", "", "f16[1] 1.5");
    row("Sqrt", 12, "bf16[1] 4", "", "!X-type");
    row("Exp", 13, "f32[4] 0 inf -inf nan", "", "f32[4] 1 inf 0 nan");
    row("Exp", 6, "u8[1] 0", "", "!X-type");
    row("Reciprocal", 13, "f32[6] 2 -4 0 -0.0 inf nan", "", "f32[6] 0.5 -0.25 inf -inf 0 nan");
    row("Reciprocal", 13, "f32[3] 2..4 -1..1 *", "", "f32[3] 0.25..0.5..0.5 -inf..-1..inf *");
    row("Reciprocal", 6, "s32[1] 1", "", "!X-type");
}

static void maxima_and_squares(void **state)
{
    (void)state;
    row("Max", 13, "f32[3] 1 -2 nan; f32[] 0.5", "", "f32[3] 1 0.5 nan");
    row("Max", 8, "f32[2] -1..3 1; f32[2] 0..1 *; f32[1] -4", "", "f32[2] 0..0..3 *");
    row("Max", 13, "f32[1] -inf", "", "f32[1] -inf");
    row("Max", 13, "f32[1] 1; f16[1] 1", "", "!b-type");
    row("Max", 13, "bool[1] 1", "", "!a-type");
    row("Max", 11, "s8[1] 1", "", "!a-type");
    row("Max", 7, "f32[2] 1 2; f32[1] 1", "", "!broadcast");
    row("Max", 12, "s32[2] 1 -2147483648; s32[1] -5", "", "s32[2] 1 -5");
    row("Max", 13, "s64[2] 9007199254740993 1; s64[2] 9007199254740992 2; s64[1] 0", "",
        "s64[2] 9007199254740993 2");
    row("Max", 13, "u8[3] 1..3 200 *; u8[] 2", "", "u8[3] 2..2..3 200 *");
    row("Max", 13, "s4[1] 1; s4[1] 1", "", "!a-type");
    row("Max", 13, "f64[1] 1; f64[1] 1", "", "?f64");
    row("Pow", 13, "f32[4] 3 -0.5 0 nan; f32[] 2", "", "f32[4] 9 0.25 0 nan");
    row("Pow", 13, "f32[1] 3; s64[1] 2", "", "f32[1] 9");
    row("Pow", 13, "f32[1] 3; f32[] 3", "", "?another exponent");
    row("Pow", 11, "f32[1] 3; s64[1] 2", "", "!Y-type");
    row("Pow", 12, "s32[3] -3 46340 46341; f32[] 2", "", "s32[3] 9 2147395600 *");
    row("Pow", 15, "s64[1] 3000000000; s64[] 2", "", "s64[1] 9000000000000000000");
    row("Pow", 11, "s32[1] 3; s32[] 2", "", "!X-type");
    row("ReduceSum", 13, "f32[2,2] 1 2 3 4; s64[1] 1", "keepdims=0", "f32[2] 3 7");
    row("ReduceSum", 11, "f32[2,2] 1 2 3 4", "", "f32[1,1] 10");
    row("Shape", 13, "f32[1,3] 1 2 3", "", "s64[2] 1 3");
    row("Shape", 15, "u8[1,3,1] 1 2 3", "start=-2 end=9", "s64[2] 3 1");
    row("Shape", 15, "u8[1,3,1] 1 2 3", "start=2 end=-2", "s64[0]");
    row("Shape", 7, "bf16[1] 1", "", "!data-type");
    row("Shape", 13, "f8e5m2[1] 1", "", "!data-type");
    row("Shape", 20, "s4[1] 1", "", "!data-type");
    row("Shape", 21, "s4[2,1] 1 2", "", "s64[2] 2 1");
    row("GlobalMaxPool", 13, "f32[1,2,2] 1 -3..4 -2 nan", "", "f32[1,2,1] 1..1..4 *");
    row("GlobalMaxPool", 13, "f32[1,2] 1 2", "", "!x-rank");
    row("ReduceSum", 13, "f32[0] ", "", "f32[1] 0");
    row("ReduceSum", 1, "s32[2,2] 1 -2 2147483646 1", "axes=[1]", "s32[2,1] -1 2147483647");
    row("ReduceSum", 13, "s32[2] 2147483647 1", "", "s32[1] *");
    row("ReduceSum", 13, "s64[3] 9007199254740993 1 -2", "", "s64[1] 9007199254740992");
    row("ReduceSum", 13, "s64[0] ", "", "s64[1] 0");
    row("ReduceSum", 13, "u8[1] 1", "", "!data-type");
}

static void minima(void **state)
{
    (void)state;
    row("Min", 13, "f32[3] 1 -2 3; f32[1] 0.5; f32[3] 4 -3 -1", "", "f32[3] 0.5 -3 -1");
    row("Min", 13, "f32[3] 1..2 nan *; f32[3] 1.5..3 1 1", "", "f32[3] 1..2 nan *");
    row("Min", 8, "f32[2] inf 1; f32[2] 1 -inf", "", "f32[2] 1 -inf");
    row("Min", 12, "u16[2] 1 65535; u16[1] 2", "", "u16[2] 1 2");
    row("Min", 13, "s64[1] -9223372036854775807; s64[1] -9223372036854775808", "",
        "s64[1] -9223372036854775808");
    row("Min", 13, "bool[1] 1; bool[1] 0", "", "!a-type");
    row("Min", 13, "f32[2] 1 1; f32[3] 1 1 1", "", "!broadcast");
}

static void clip(void **state)
{
    (void)state;
    row("Clip", 13, "f32[4] -3 0.5 9 nan; f32[] -1; f32[] 2", "", "f32[4] -1 0.5 2 nan");
    row("Clip", 13, "f32[2] -3 9; f32[] 2; f32[] 1", "", "f32[2] 1 1");
    row("Clip", 6, "f32[3] -3 0.5 9", "min=-1f max=2f", "f32[3] -1 0.5 2");
    /* Bounds that are absent: the greatest finite number, by the text, or none, by ONNX's function. */
    row("Clip", 11, "f16[3] -inf 65504 inf", "", "f16[3] -inf..-65504..-65504 65504 65504..inf");
    row("Clip", 13, "f32[2] -inf inf; -; f32[] 2", "",
        "f32[2] -inf..-3.4028234663852886e38..-3.4028234663852886e38 2");
    row("Clip", 6, "f32[2] -inf inf", "min=0f", "f32[2] 0 3.4028234663852886e38..inf");
    row("Clip", 13, "f32[2] -inf inf; f32[] -inf; f32[] inf", "", "f32[2] -inf inf");
    row("Clip", 13, "u8[2] 0 255", "", "u8[2] 0 255");
    row("Clip", 12, "s64[3] -9007199254740993 9007199254740993 0; s64[] -9007199254740992; s64[] 5",
        "", "s64[3] -9007199254740992 5 0");
    row("Clip", 13, "s64[1] 9007199254740993; -; s64[] 9007199254740994", "",
        "s64[1] 9007199254740993");
    row("Clip", 13, "s64[1] -9223372036854775808; s64[] 2; s64[] 1", "", "s64[1] 1");
}

static void error_function(void **state)
{
    (void)state;
    row("Erf", 13, "f32[4] 0 inf -inf nan", "", "f32[4] 0 1 -1 nan");
    row("Erf", 12, "s32[1] 0", "", "?s32");
    row("Erf", 13, "s32[1] 0", "", "!input-type");
    row("Erf", 9, "bf16[1] 0", "", "!input-type");
    row("Erf", 9, "bool[1] 0", "", "!input-type");
}

static void rules(void **state)
{
    (void)state;
    row("Tanh", 12, "bf16[1] 0", "", "!input-type");
    row("Tanh", 13, "f64[1] 0", "", "?f64");
    row("Sigmoid", 13, "s32[1] 0", "", "!X-type");
    row("Softmax", 12, "bf16[1,1] 0", "", "!input-type");
    row("Softmax", 13, "f64[1] 0", "", "?f64");
    row("Softmax", 13, "f32[2] 0 0", "axis=1", "!axis-range");
    row("Softmax", 11, "f32[2] 0 0", "axis=-2", "!axis-range");
    row("Softmax", 1, "f32[1,2] 0 0", "axis=-1", "?negative axis");
    row("Softmax", 13, "f32[] 0", "", "!axis-range");
}

/* ---- Against tables -------------------------------------------------------------------------- */

struct table {
    const char *op;
    double x[3];
    size_t count;
    double y[3]; /* 17 digits */
    double ulps; /* half of the hull's width, in 2^−23 of y, at most */
};

static const struct table tables[] = {
    {"Tanh", {1}, 1, {0.76159415595576488}, 5.6},
    {"Tanh", {-0.5}, 1, {-0.46211715726000975}, 5.6},
    {"Tanh", {0x1p-10}, 1, {9.7656218955914490e-4}, 5.6},
    {"Sigmoid", {1}, 1, {0.73105857863000488}, 6.6},
    {"Sigmoid", {-20}, 1, {2.0611536181902036e-9}, 6.6},
    {"Exp", {1}, 1, {2.7182818284590452}, 3.6},
    {"Exp", {-10}, 1, {4.5399929762484852e-5}, 3.6},
    {"Erf", {1}, 1, {0.84270079294971487}, 16.6},
    {"Erf", {-0.5}, 1, {-0.52049987781304654}, 16.6},
    {"Erf", {0x1p-20}, 1, {1.0761062308265405e-6}, 16.6},
    {"Erf", {3}, 1, {0.99997790950300141}, 16.6},
    {"Sqrt", {2}, 1, {1.4142135623730950}, 3.6},
    {"Sqrt", {1e-8}, 1, {9.9999999696126450e-5}, 3.6},
    {"Softmax",
     {1, 2, 3},
     3,
     {0.090030573170380458, 0.24472847105479765, 0.66524095577482189},
     13.1},
    {"Softmax", {10001, 10000}, 2, {0.73105857863000488, 0.26894142136999512}, 11.6},
};

static void check(const struct table *t)
{
    struct qd_arena arena;
    struct qd_error error;
    struct qd_semantics semantics = {0};
    struct qd_value x, y;
    double work = QD_MAX_WORK;
    int64_t count = (int64_t)t->count;
    struct qd_node node = {.name = "", .domain = "", .op_type = t->op, .opset = 13};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_evaluation evaluation = {
        .semantics = &semantics, .arena = &arena, .error = &error, .work = &work};
    const struct qd_value *in[] = {&x};
    assert_int_equal(qd_value_init(&x, &arena, QD_F32, 1, &count, &error), QD_OK);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&x.want, i, (int64_t)qd_float_encode(QD_F32, t->x[i], false));
    assert_int_equal(qd_op_find("", t->op)->evaluate(&evaluation, &node, in, &y), QD_OK);
    for (int64_t i = 0; i < count; i++) {
        double lo = qd_value_lo(&y, i), hi = qd_value_hi(&y, i), want = t->y[i];
        if (!(lo < want && want < hi) || hi - lo > 2 * t->ulps * fabs(want) * 0x1p-23)
            fail_msg("%s(%g): [%.17g, %.17g] around %.17g", t->op, t->x[i], lo, hi, want);
        assert_true(qd_tensor_value(&y.want, i) == (double)(float)want);
    }
    qd_arena_clear(&arena);
}

static void digits_of_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        check(&tables[i]);
}

/* Before opset 13 the matrix of [2, 3·1] after axis 1; since then each line. All elements equal:
 * the same share. */
static void groups(void **state)
{
    (void)state;
    static const struct {
        int64_t opset, axis;
        double share;
    } rows[] = {{12, 1, 1.0 / 6}, {12, 0, 1.0 / 12}, {12, 2, 1.0 / 3},
                {13, 1, 1.0 / 2}, {13, 0, 1.0 / 2},  {13, -1, 1.0 / 3}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct qd_arena arena;
        struct qd_error error;
        struct qd_semantics semantics = {0};
        struct qd_value x, y;
        const int64_t dims[] = {2, 2, 3};
        double work = QD_MAX_WORK;
        const struct qd_attr axis = {.name = "axis", .kind = QD_ATTR_INT, .i = rows[r].axis};
        struct qd_node node = {.name = "",
                               .domain = "",
                               .op_type = "Softmax",
                               .opset = rows[r].opset,
                               .attrs = &axis,
                               .attr_count = 1};
        const struct qd_value *in[] = {&x};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_evaluation evaluation = {
            .semantics = &semantics, .arena = &arena, .error = &error, .work = &work};
        assert_int_equal(qd_value_init(&x, &arena, QD_F32, 3, dims, &error), QD_OK);
        assert_int_equal(qd_op_find("", "Softmax")->evaluate(&evaluation, &node, in, &y), QD_OK);
        for (int64_t i = 0; i < 12; i++)
            if (fabs(qd_tensor_value(&y.want, i) - rows[r].share) > 0x1p-20)
                fail_msg("opset %d axis %d: %g", (int)rows[r].opset, (int)rows[r].axis,
                         qd_tensor_value(&y.want, i));
        qd_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub),
        cmocka_unit_test(mul),
        cmocka_unit_test(div_floats),
        cmocka_unit_test(div_integers),
        cmocka_unit_test(leaky_relu),
        cmocka_unit_test(exact_points),
        cmocka_unit_test(hard_sigmoid),
        cmocka_unit_test(hard_swish),
        cmocka_unit_test(roots_and_reciprocals),
        cmocka_unit_test(maxima_and_squares),
        cmocka_unit_test(minima),
        cmocka_unit_test(clip),
        cmocka_unit_test(error_function),
        cmocka_unit_test(rules),
        cmocka_unit_test(digits_of_tables),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests_name("real", tests, NULL, NULL);
}
