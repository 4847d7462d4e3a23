/* SPDX-License-Identifier: Apache-2.0 */
/* The official ONNX fixtures: every one whose operators the reference has is evaluated, and the
 * output stored with it must be admissible. Two sources: Debian's libonnx-testdata and the node
 * fixtures of the onnx 1.21.0 wheel (scripts/setup).
 * Alone: <build>/tests/cases/fixtures_test */
#include "case_testlib.h"

#include <dirent.h>

#include "qdiff/evaluate.h"
#include "qdiff/features.h"

/* Least numbers of fixtures compared, by source: a set that shrinks, or an operator that stops
 * taking what it took, is a failure. An operator of the reference that has no row here fails
 * too, unless no fixture uses it. */
enum source { DEBIAN, WHEEL, SOURCES };

static const struct {
    const char *op;
    size_t least[SOURCES];
} ops[] = {
    {"QLinearConv", {1, 1}},
    {"QuantizeLinear", {2, 13}},
    {"DequantizeLinear", {2, 14}},
    {"QLinearMatMul", {2, 4}},
    {"ConvInteger", {3, 2}},
    {"MatMulInteger", {1, 1}},
    {"Conv", {6, 6}},
    {"MatMul", {3, 7}},
    {"Gemm", {11, 11}},
    {"Add", {3, 6}},
    {"Mul", {4, 7}},
    {"Relu", {1, 1}},
    {"Abs", {1, 1}},
    {"Clip", {11, 12}},
    {"DynamicQuantizeLinear", {3, 3}},
    {"Concat", {12, 12}},
    {"Transpose", {7, 7}},
    {"Reshape", {10, 10}},
    {"Flatten", {9, 9}},
    {"Squeeze", {2, 2}},
    {"Unsqueeze", {8, 7}},
    {"Slice", {8, 8}},
    {"Split", {7, 16}},
    {"Gather", {4, 4}},
    {"Expand", {2, 2}},
    {"Identity", {1, 3}},
    {"MaxPool", {13, 17}},
    {"ConvTranspose", {10, 11}},
    {"BatchNormalization", {2, 2}},
    {"Sub", {4, 7}},
    {"Div", {4, 8}},
    {"LeakyRelu", {3, 3}},
    {"Sigmoid", {2, 2}},
    {"HardSigmoid", {3, 3}},
    {"HardSwish", {1, 1}},
    {"Sqrt", {2, 2}},
    {"Exp", {2, 2}},
    {"Reciprocal", {2, 2}},
    {"Softmax", {7, 7}},
    {"Tanh", {2, 2}},
    {"AveragePool", {13, 19}},
    {"GlobalAveragePool", {2, 2}},
    {"GlobalMaxPool", {2, 2}},
    {"ReduceMax", {8, 10}},
    {"ReduceMean", {8, 8}},
    {"ReduceSum", {10, 12}},
    {"Max", {5, 5}},
    {"Pow", {1, 1}},
    {"Cast", {12, 116}},
    {"DepthToSpace", {4, 2}},
    {"Pad", {3, 6}},
    {"SpaceToDepth", {2, 2}},
    {"Tile", {2, 2}},
    {"Where", {2, 2}},
    {"Shape", {10, 10}},
    {"Resize", {13, 26}},
    {"Min", {5, 5}},
    {"Equal", {2, 6}},
    {"Less", {2, 16}},
    {"Greater", {2, 6}},
    {"Not", {3, 3}},
    {"Erf", {1, 1}},
    {"ConstantOfShape", {3, 3}},
    {"Range", {1, 1}},
};
#define OPS (sizeof ops / sizeof *ops)

/* Fixtures of one source whose stored output is wrong. Each must indeed be inadmissible: a row that no
 * longer is gets removed. */
static const struct {
    const char *name;
    const char *reason;
    enum source source;
} errata[] = {
    {"test_qlinearmatmul_2D_int8_float32",
     "stores values cast to int8 by wrapping (-236 as 20) instead of saturated: onnx #6169, #7835",
     WHEEL},
    {"test_qlinearmatmul_3D_int8_float32",
     "stores values cast to int8 by wrapping instead of saturated: onnx #6169, #7835", WHEEL},
    {"test_qlinearmatmul_2D_int8_float16",
     "stores values cast to int8 by wrapping (-236 as 20) instead of saturated: onnx #6169, #7835",
     WHEEL},
    {"test_qlinearmatmul_3D_int8_float16",
     "stores values cast to int8 by wrapping instead of saturated: onnx #6169, #7835", WHEEL},
    {"test_averagepool_2d_ceil_last_window_starts_on_pad", "stores values rounded to four decimals",
     WHEEL},
    {"test_cast_FLOAT_to_BFLOAT16", "stores the bfloat16 output as a uint16 tensor", DEBIAN},
};
#define ERRATA (sizeof errata / sizeof *errata)

/* The most fixtures that may be unreadable: types, sequences and subgraphs that no case of ours
 * has. */
static const size_t most_unreadable[SOURCES] = {59, 104};

/* And the most that the reference may decline: MaxPool's second output, Resize's cubic
 * and antialiased modes, Max and Min of integers and f64, Range of
 * floats, other powers than squares. */
static const size_t most_unsupported[SOURCES] = {37, 39};

struct tally {
    enum source source;
    size_t total, unreadable, foreign; /* foreign: some operator is not the reference's */
    size_t compared[OPS], unsupported[OPS];
    size_t elements, with_latitude, unspecified;
    bool erratum_seen[ERRATA];
};

static const char *fixtures_of_wheel(struct qd_arena *arena)
{
    const char *cache = getenv("QDIFF_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *tail = "fixtures/onnx-1.21.0/node";
    if (cache)
        return qd_arena_printf(arena, "%s/%s", cache, tail);
    if (xdg)
        return qd_arena_printf(arena, "%s/qdiff/%s", xdg, tail);
    return qd_arena_printf(arena, "%s/.cache/qdiff/%s", getenv("HOME"), tail);
}

static size_t find_op(const char *name)
{
    size_t i = 0;
    while (i < OPS && strcmp(ops[i].op, name) != 0)
        i++;
    return i;
}

static size_t find_erratum(const char *name, enum source source)
{
    size_t i = 0;
    while (i < ERRATA && (errata[i].source != source || strcmp(errata[i].name, name) != 0))
        i++;
    return i;
}

static bool all_ours(const struct qd_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (!graph->nodes[n].op)
            return false;
    return true;
}

/* Whether `have` is admissible everywhere; else `text` says where it is not. */
static bool admissible(struct tally *tally, const struct qd_value *want,
                       const struct qd_tensor *have, char *text, size_t size)
{
    snprintf(text, size, "another type or shape");
    if (have->dtype != want->want.dtype || !qd_tensor_same_shape(have, &want->want))
        return false;
    for (int64_t i = 0; i < have->count; i++) {
        struct qd_observation o = qd_value_observe(want, i);
        double value = qd_tensor_value(have, i);
        bool inside = value != value ? o.nan : value >= o.lo && value <= o.hi;
        snprintf(text, size, "element %lld is %.9g, want %.9g to %.9g", (long long)i, value, o.lo,
                 o.hi);
        if (!inside && !o.unspecified)
            return false;
        tally->elements++;
        tally->unspecified += o.unspecified;
        tally->with_latitude += !o.unspecified && o.lo != o.hi;
    }
    return true;
}

static void compare_outputs(struct tally *tally, const char *name, const struct qd_case *kase,
                            const struct qd_value *outputs, size_t op)
{
    size_t erratum = find_erratum(name, tally->source);
    char text[160] = "";
    bool right = kase->output_count == kase->graph->output_count;
    for (size_t i = 0; right && i < kase->output_count; i++)
        right = admissible(tally, &outputs[i], &kase->stored_outputs[i], text, sizeof text);
    if (erratum < ERRATA) {
        tally->erratum_seen[erratum] = true;
        if (right)
            fail_msg("%s is listed as wrong (%s) and is right", name, errata[erratum].reason);
        print_message("# erratum %s: %s; %s\n", name, text, errata[erratum].reason);
    } else if (!right) {
        fail_msg("%s: %s", name, text);
    }
    tally->compared[op] += erratum == ERRATA;
}

static void evaluate_fixture(struct tally *tally, const char *name, const struct qd_case *kase,
                             struct qd_arena *arena)
{
    struct qd_error error;
    size_t op = find_op(kase->op);
    if (!all_ours(kase->graph)) {
        tally->foreign++;
        return;
    }
    if (op == OPS)
        fail_msg("%s: the reference has %s, the table of this test has not", name, kase->op);
    struct qd_value *outputs = qd_arena_array(arena, kase->graph->output_count, sizeof *outputs);
    assert_non_null(outputs);
    enum qd_status status =
        qd_graph_evaluate(kase->graph, kase->inputs, NULL, arena, outputs, &error);
    if (status == QD_UNSUPPORTED) {
        print_message("# unsupported %s: %s\n", name, error.text);
        tally->unsupported[op]++;
        return;
    }
    if (status != QD_OK)
        fail_msg("%s: %s: %s", name, qd_status_word(status), error.text);
    compare_outputs(tally, name, kase, outputs, op);
}

static void visit_fixture(struct tally *tally, const char *directory, const char *name)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_error error;
    char path[1024];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    tally->total++;
    if (qd_case_load(path, &arena, &kase, &error) == QD_OK)
        evaluate_fixture(tally, name, &kase, &arena);
    else
        tally->unreadable++;
    qd_arena_clear(&arena);
}

static void visit_all(struct tally *tally, const char *directory)
{
    struct dirent **names;
    int count = scandir(directory, &names, NULL, alphasort);
    if (count < 0)
        fail_msg("%s: not there; run scripts/setup", directory);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            visit_fixture(tally, directory, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

static void judge(const struct tally *t)
{
    size_t unsupported = 0;
    for (size_t i = 0; i < OPS; i++) {
        print_message("# %-18s compared %3zu, unsupported %zu\n", ops[i].op, t->compared[i],
                      t->unsupported[i]);
        if (t->compared[i] < ops[i].least[t->source])
            fail_msg("%s: only %zu fixtures compared, want %zu", ops[i].op, t->compared[i],
                     ops[i].least[t->source]);
        unsupported += t->unsupported[i];
    }
    print_message("# %zu fixtures: %zu of operators that are not ours, %zu unreadable\n", t->total,
                  t->foreign, t->unreadable);
    print_message("# %zu elements: %zu with more than one admissible value, %zu unspecified\n",
                  t->elements, t->with_latitude, t->unspecified);
    assert_true(t->unreadable <= most_unreadable[t->source]);
    assert_true(unsupported <= most_unsupported[t->source]);
    assert_true(t->elements > 100000);
    for (size_t i = 0; i < ERRATA; i++)
        if (errata[i].source == t->source && !t->erratum_seen[i])
            fail_msg("no fixture %s: remove its row", errata[i].name);
}

static void debian_testdata(void **state)
{
    (void)state;
    struct tally tally = {.source = DEBIAN};
    visit_all(&tally, "/usr/share/libonnx-testdata/data/node");
    judge(&tally);
}

static void onnx_wheel(void **state)
{
    (void)state;
    struct tally tally = {.source = WHEEL};
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    visit_all(&tally, fixtures_of_wheel(&arena));
    judge(&tally);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debian_testdata),
        cmocka_unit_test(onnx_wheel),
    };
    return cmocka_run_group_tests_name("official fixtures", tests, NULL, NULL);
}
