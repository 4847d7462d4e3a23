/* SPDX-License-Identifier: Apache-2.0 */
/* Citations: every class of divergence has a clause, and what no sentence forbids is advisory.
 * Alone: <build>/tests/targets/judge/citation_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "judge/excuse.h"
#include "qdiff/build.h"
#include "qdiff/citation.h"
#include "qdiff/evaluate.h"

/* A graph of one node. */
struct fixture {
    struct qd_arena arena;
    struct qd_node node;
    struct qd_graph graph;
    struct qd_case kase;
    struct qd_evaluated evaluated;
};

static void begin(struct fixture *f, const char *domain, const char *op)
{
    memset(f, 0, sizeof *f);
    qd_arena_init(&f->arena, QD_ARENA_DEFAULT_BUDGET);
    f->node = (struct qd_node){.domain = domain, .op_type = op};
    f->graph = (struct qd_graph){.node_count = 1, .nodes = &f->node};
    f->kase = (struct qd_case){.graph = &f->graph, .spec = ""};
    f->evaluated.kase = &f->kase;
}

static struct qd_citation cite(struct fixture *f, enum qd_verdict class, int64_t mismatched,
                               int64_t flushed, int64_t close)
{
    struct qd_citation citation;
    struct qd_error error;
    const struct qd_comparison comparison = {
        .mismatched = mismatched, .flushed = flushed, .close = close};
    assert_int_equal(qd_cite(&f->evaluated, NULL, NULL, &comparison, class, "Op/some-rule",
                             &f->arena, &citation, &error),
                     QD_OK);
    assert_true(*citation.clause);
    return citation;
}

static void test_every_class_has_a_clause(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Softmax");
    for (int class = 0; class < QD_VERDICT_COUNT; class ++) {
        if (!qd_verdict_is_divergence((enum qd_verdict) class))
            continue;
        struct qd_citation citation = cite(&f, (enum qd_verdict) class, 1, 0, 0);
        assert_int_equal(citation.severity, qd_verdict_severity((enum qd_verdict) class));
    }
    qd_arena_clear(&f.arena);
}

static void test_a_value_cites_its_page(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "com.microsoft", "QLinearAdd");
    const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    assert_memory_equal(clause, "QLinearAdd-1: \"", strlen("QLinearAdd-1: \""));
    assert_non_null(
        strstr(clause, qd_op_find("com.microsoft", "QLinearAdd")->clause + strlen("1: ")));
    qd_arena_clear(&f.arena);
}

/* QLinearConv's page has no rounding, QLinearMatMul's has its own. */
static void test_codes_round_by_a_page(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "QLinearConv");
    f.node.opset = 10;
    const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    assert_non_null(strstr(clause, "quantized output.\"; how a number becomes a code is not said "
                                   "there, and read as QuantizeLinear-19: \"The"));
    assert_non_null(strstr(clause, "it's rounding to the nearest even.\""));
    qd_arena_clear(&f.arena);
    begin(&f, "", "QLinearMatMul");
    f.node.opset = 21;
    assert_null(strstr(cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause, "QuantizeLinear"));
    qd_arena_clear(&f.arena);
}

/* What Where chooses from DequantizeLinear computes. */
static void test_what_is_moved_cites_what_computes_it(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Where");
    struct qd_node nodes[] = {{.domain = "", .op_type = "DequantizeLinear", .opset = 13},
                              {.domain = "", .op_type = "Where", .opset = 13}};
    f.graph = (struct qd_graph){.node_count = 2, .nodes = nodes};
    const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    assert_memory_equal(clause, "Where-16: \"", strlen("Where-16: \""));
    assert_non_null(strstr(clause, "\"; DequantizeLinear-"));
    nodes[0].op_type = "Identity";
    assert_null(strstr(cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause, "\"; "));
    qd_arena_clear(&f.arena);
}

/* Before opset 13 Softmax's page has another sentence. */
static void test_a_value_cites_the_page_of_its_opset(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Softmax");
    f.node.opset = 12;
    const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    assert_memory_equal(clause, "Softmax-11: \"The op", strlen("Softmax-11: \"The op"));
    assert_null(strchr(clause, '\n'));
    f.node.opset = 13;
    clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    assert_memory_equal(clause, "Softmax-13: \"Soft", strlen("Softmax-13: \"Soft"));
    assert_null(strstr(clause, "11<13"));
    qd_arena_clear(&f.arena);
}

/* Only where every mismatch is of that kind. */
static void test_what_no_sentence_forbids_is_advisory(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Tanh");
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 3, 0).severity, QD_SEVERITY_ADVISORY);
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 2, 0).severity, QD_SEVERITY_WRONG);
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 0, 3).severity, QD_SEVERITY_ADVISORY);
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 0, 2).severity, QD_SEVERITY_WRONG);
    assert_int_equal(cite(&f, QD_VERDICT_ACCEPTS_INVALID, 0, 0, 0).severity, QD_SEVERITY_ADVISORY);
    f.node.op_type = "Add"; /* no approximation */
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 0, 3).severity, QD_SEVERITY_WRONG);
    qd_arena_clear(&f.arena);
}

static void test_a_refusal_cites_what_is_mandatory(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Tanh");
    assert_non_null(
        strstr(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).clause,
               "\"the standard set of operators that all implementations MUST support\""));
    qd_arena_clear(&f.arena);
    begin(&f, "com.microsoft", "QLinearAdd");
    const char *clause = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).clause;
    assert_string_equal(clause,
                        "QLinearAdd: its vendor's page has these types, shapes and attributes");
    qd_arena_clear(&f.arena);
}

/* Clip's page: "It must be a scalar(tensor of empty shape)." */
static void test_what_no_page_allows_is_advisory(void **state)
{
    (void)state;
    struct fixture f;
    float low = 0;
    int inputs[] = {0, 1};
    struct qd_tensor bound = {.dtype = QD_F32, .count = 1, .data = &low};
    struct qd_graph_value values[] = {{.name = "x", .declared_rank = -1},
                                      {.name = "low", .initializer = &bound}};
    begin(&f, "", "Clip");
    f.node.op = qd_op_find("", "Clip");
    f.node.inputs = inputs;
    f.node.input_count = 2;
    f.graph.values = values;
    f.graph.value_count = 2;
    assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    bound.rank = 1;
    bound.dims[0] = 1;
    struct qd_citation citation = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0);
    assert_int_equal(citation.severity, QD_SEVERITY_ADVISORY);
    assert_non_null(strstr(citation.clause, "the shape [1] where the operator's page says scalar"));
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 3, 0, 0).severity, QD_SEVERITY_ADVISORY);
    assert_int_equal(cite(&f, QD_VERDICT_CRASH, 0, 0, 0).severity, QD_SEVERITY_ROBUSTNESS);
    qd_arena_clear(&f.arena);
}

/* A vendor's operator may be refused by who is not the vendor; ONNX's may not. */
static void test_a_refusal_of_anothers_operator_is_advisory(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *op;
        enum qd_severity severity,
            owners; /* of a target without the domain; of the domain's owner */
    } rows[] = {{"com.microsoft", "QLinearAdd", QD_SEVERITY_ADVISORY, QD_SEVERITY_WRONG},
                {"", "QLinearMatMul", QD_SEVERITY_WRONG, QD_SEVERITY_WRONG}};
    struct qd_target_name name = {.name = "quirk", .config = "zero-points-ignored"};
    const struct qd_session_options options = {.in_process = true};
    const struct qd_comparison comparison = {0};
    struct qd_session *session;
    struct qd_error error;
    assert_int_equal(qd_session_open(&name, &options, &session, &error), QD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct qd_citation citation;
        begin(&f, rows[i].domain, rows[i].op);
        for (int own = 0; own < 2; own++) {
            assert_int_equal(qd_cite(&f.evaluated, own ? NULL : session, NULL, &comparison,
                                     QD_VERDICT_REJECTS_VALID, "", &f.arena, &citation, &error),
                             QD_OK);
            assert_int_equal(citation.severity, own ? rows[i].owners : rows[i].severity);
            assert_true(!strstr(citation.clause, "or reject the model") ==
                        (citation.severity == QD_SEVERITY_WRONG));
        }
        qd_arena_clear(&f.arena);
    }
    qd_session_close(session);
}

/* How much it weighs that the graph gave this output, wrong in one element. */
static enum qd_severity severity_of(struct fixture *f, struct qd_tensor *y)
{
    struct qd_citation citation;
    struct qd_error error;
    const struct qd_comparison comparison = {.mismatched = 1};
    const struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = y};
    assert_int_equal(qd_cite(&f->evaluated, NULL, &run, &comparison, QD_VERDICT_WRONG_VALUE, "",
                             &f->arena, &citation, &error),
                     QD_OK);
    return citation.severity;
}

/* 1/3 may be one unit in the last place off, or two; 6/3 may not. By 0 no page says anything. */
static void test_a_rough_quotient_is_advisory(void **state)
{
    (void)state;
    static const struct {
        double a, b, have;
        enum qd_severity severity;
    } rows[] = {{1, 3, 0x1.555558p-2, QD_SEVERITY_ADVISORY}, /* RN(1/3) is 0x1.555556p-2 */
                {1, 3, 0x1.555552p-2, QD_SEVERITY_ADVISORY},
                {1, 3, 0x1.555550p-2, QD_SEVERITY_WRONG},
                {6, 3, 0x1.000002p+1, QD_SEVERITY_WRONG},
                {1, 0, 5, QD_SEVERITY_ADVISORY}};
    static const int64_t one[] = {1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct qd_tensor t[3];
        struct qd_error error;
        const double numbers[] = {rows[i].a, rows[i].b, rows[i].have};
        begin(&f, "", "Div");
        for (int k = 0; k < 3; k++) {
            assert_int_equal(qd_tensor_init(&t[k], &f.arena, QD_F32, 1, one, &error), QD_OK);
            qd_tensor_set(&t[k], 0, (int64_t)qd_float_encode(QD_F32, numbers[k], false));
        }
        struct qd_builder *builder = qd_build_begin(&f.arena, 14);
        qd_build_input(builder, "a", &t[0]);
        qd_build_initializer(builder, "b", &t[1]);
        qd_build_node(builder, "", "Div", "a,b", "y");
        qd_build_output(builder, "y", QD_F32, 1, one);
        assert_int_equal(qd_build_finish(builder, "quotient", false, &f.kase, &error), QD_OK);
        assert_int_equal(severity_of(&f, &t[2]), rows[i].severity);
        qd_arena_clear(&f.arena);
    }
}

/* 2048 + 1 + 1 is 2050; sums that are kept in float16 give 2048. */
static void test_a_narrow_sum_is_advisory(void **state)
{
    (void)state;
    static const struct {
        double have;
        enum qd_severity severity;
    } rows[] = {{2048, QD_SEVERITY_ADVISORY}, {1024, QD_SEVERITY_WRONG}};
    static const double terms[] = {2048, 1, 1};
    static const int64_t one[] = {1, 1};
    struct fixture f;
    struct qd_tensor x, y;
    struct qd_error error;
    begin(&f, "", "ReduceSum");
    assert_int_equal(qd_tensor_init(&x, &f.arena, QD_F16, 2, (const int64_t[]){1, 3}, &error) |
                         qd_tensor_init(&y, &f.arena, QD_F16, 2, one, &error),
                     QD_OK);
    for (int64_t i = 0; i < 3; i++)
        qd_tensor_set(&x, i, (int64_t)qd_float_encode(QD_F16, terms[i], false));
    struct qd_builder *builder = qd_build_begin(&f.arena, 11);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "", "ReduceSum", "x", "y");
    qd_build_attr_ints(builder, "axes", (const int64_t[]){1}, 1);
    qd_build_output(builder, "y", QD_F16, 2, one);
    assert_int_equal(qd_build_finish(builder, "sum", false, &f.kase, &error), QD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        qd_tensor_set(&y, 0, (int64_t)qd_float_encode(QD_F16, rows[i].have, false));
        assert_int_equal(severity_of(&f, &y), rows[i].severity);
    }
    qd_arena_clear(&f.arena);
}

/* DynamicQuantizeMatMul's page says "Matrix multiply results from A * B": of (1.004, 2.55) and
 * (1, 0) that is 1.004; the codes of A are in steps of 0.01. */
static void test_a_product_of_floats_is_advisory(void **state)
{
    (void)state;
    static const struct {
        float have;
        enum qd_severity severity;
    } rows[] = {{1.004F, QD_SEVERITY_ADVISORY}, {1.01F, QD_SEVERITY_WRONG}};
    static float numbers[] = {1.004F, 2.55F}, one = 1, have;
    static uint8_t codes[] = {1, 0};
    static const int64_t dims[] = {1, 1};
    struct fixture f;
    struct qd_error error;
    const struct qd_tensor
        a = {.dtype = QD_F32, .rank = 2, .dims = {1, 2}, .count = 2, .data = numbers},
        b = {.dtype = QD_U8, .rank = 2, .dims = {2, 1}, .count = 2, .data = codes},
        scale = {.dtype = QD_F32, .count = 1, .data = &one};
    struct qd_tensor y = {.dtype = QD_F32, .rank = 2, .dims = {1, 1}, .count = 1, .data = &have};
    begin(&f, "com.microsoft", "DynamicQuantizeMatMul");
    struct qd_builder *builder = qd_build_begin(&f.arena, 13);
    qd_build_input(builder, "a", &a);
    qd_build_initializer(builder, "b", &b);
    qd_build_initializer(builder, "scale", &scale);
    qd_build_node(builder, "com.microsoft", "DynamicQuantizeMatMul", "a,b,scale", "y");
    qd_build_output(builder, "y", QD_F32, 2, dims);
    assert_int_equal(qd_build_finish(builder, "product", false, &f.kase, &error), QD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        have = rows[i].have;
        assert_int_equal(severity_of(&f, &y), rows[i].severity);
    }
    qd_arena_clear(&f.arena);
}

/* (1 + 2)/2 + 7 is between 8 and 9. Of QLinearAdd no sentence says where to, nor that 7 is added after rounding; of
 * QuantizeLinear, here of 3/2 + 7, one does. */
static void test_only_a_written_rounding_is_obliged(void **state)
{
    (void)state;
    static const char *const operators[][3] = {
        {"com.microsoft", "QLinearAdd", "one,scale,zero,two,scale,zero,half,seven"},
        {"", "QuantizeLinear", "three,half,seven"}};
    static const struct {
        uint8_t have;
        enum qd_severity severity[2];
    } rows[] = {{8, {QD_SEVERITY_ADVISORY, QD_SEVERITY_WRONG}},
                {10, {QD_SEVERITY_WRONG, QD_SEVERITY_WRONG}}};
    static uint8_t codes[] = {1, 2, 0, 7}, have;
    static float floats[] = {1, 2, 3};
    static const char *const names[] = {"one", "two", "zero", "seven"}, *const reals[] = {"scale",
                                                                                          "half",
                                                                                          "three"};
    struct qd_tensor y = {.dtype = QD_U8, .count = 1, .data = &have};
    for (size_t op = 0; op < 2; op++) {
        struct fixture f;
        struct qd_error error;
        begin(&f, operators[op][0], operators[op][1]);
        struct qd_builder *builder = qd_build_begin(&f.arena, 13);
        for (size_t i = 0; i < 4; i++) {
            const struct qd_tensor code = {.dtype = QD_U8, .count = 1, .data = &codes[i]};
            qd_build_initializer(builder, names[i], &code);
        }
        for (size_t i = 0; i < 3; i++) {
            const struct qd_tensor real = {.dtype = QD_F32, .count = 1, .data = &floats[i]};
            qd_build_initializer(builder, reals[i], &real);
        }
        qd_build_node(builder, operators[op][0], operators[op][1], operators[op][2], "y");
        qd_build_output(builder, "y", QD_U8, 0, NULL);
        assert_int_equal(qd_build_finish(builder, "tie", false, &f.kase, &error), QD_OK);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            have = rows[i].have;
            assert_int_equal(severity_of(&f, &y), rows[i].severity[op]);
        }
        qd_arena_clear(&f.arena);
    }
}

struct named {
    const char *name;
    struct qd_tensor tensor;
};

struct graded {
    uint8_t have;
    enum qd_severity severity;
};

/* A case whose one node computes y, codes, of an input and of constants. */
static void build(struct fixture *f, const char *op, int64_t opset, const struct named tensors[],
                  size_t count, const char *operands, unsigned rank, const int64_t *dims)
{
    struct qd_error error;
    begin(f, "", op);
    struct qd_builder *builder = qd_build_begin(&f->arena, opset);
    qd_build_input(builder, tensors[0].name, &tensors[0].tensor);
    for (size_t i = 1; i < count; i++)
        qd_build_initializer(builder, tensors[i].name, &tensors[i].tensor);
    qd_build_node(builder, "", op, operands, "y");
    qd_build_output(builder, "y", QD_U8, rank, dims);
    assert_int_equal(qd_build_finish(builder, "built", false, &f->kase, &error), QD_OK);
}

/* What these answers weigh of y, one code of that rank. */
static void expect_graded(const char *op, int64_t opset, const struct named tensors[], size_t count,
                          const char *operands, unsigned rank, const struct graded rows[],
                          size_t row_count)
{
    uint8_t have;
    struct qd_tensor y = {
        .dtype = QD_U8, .rank = rank, .dims = {1, 1, 1}, .count = 1, .data = &have};
    struct fixture f;
    build(&f, op, opset, tensors, count, operands, rank, y.dims);
    for (size_t i = 0; i < row_count; i++) {
        have = rows[i].have;
        assert_int_equal(severity_of(&f, &y), rows[i].severity);
    }
    qd_arena_clear(&f.arena);
}

/* 1·1·1/2 + 7 of QLinearConv, whose page has no rounding. */
static void test_the_rounding_of_a_convolution_is_not_written(void **state)
{
    (void)state;
    static float unit = 1, two = 2;
    static uint8_t code = 1, zero, seven = 7;
    static const struct named tensors[] = {
        {"x", {.dtype = QD_U8, .rank = 3, .dims = {1, 1, 1}, .count = 1, .data = &code}},
        {"scale", {.dtype = QD_F32, .count = 1, .data = &unit}},
        {"zero_point", {.dtype = QD_U8, .count = 1, .data = &zero}},
        {"y_scale", {.dtype = QD_F32, .count = 1, .data = &two}},
        {"y_zero_point", {.dtype = QD_U8, .count = 1, .data = &seven}}};
    static const struct graded rows[] = {
        {6, QD_SEVERITY_WRONG}, {8, QD_SEVERITY_ADVISORY}, {9, QD_SEVERITY_WRONG}};
    expect_graded("QLinearConv", 10, tensors, 5,
                  "x,scale,zero_point,x,scale,zero_point,y_scale,y_zero_point", 3, rows, 3);
}

/* A bias of 2^24 + 1 over 2^25 is more than half a code, which float32 does not have; its page has no accumulator. */
static void test_a_convolution_of_floats_is_not_forbidden(void **state)
{
    (void)state;
    static float unit = 1, large = 0x1p25F;
    static uint8_t zero;
    static int32_t bias = (1 << 24) + 1;
    static const struct named tensors[] = {
        {"x", {.dtype = QD_U8, .rank = 3, .dims = {1, 1, 1}, .count = 1, .data = &zero}},
        {"scale", {.dtype = QD_F32, .count = 1, .data = &unit}},
        {"zero_point", {.dtype = QD_U8, .count = 1, .data = &zero}},
        {"y_scale", {.dtype = QD_F32, .count = 1, .data = &large}},
        {"B", {.dtype = QD_S32, .rank = 1, .dims = {1}, .count = 1, .data = &bias}}};
    static const struct graded rows[] = {{0, QD_SEVERITY_ADVISORY}, {2, QD_SEVERITY_WRONG}};
    expect_graded("QLinearConv", 10, tensors, 5,
                  "x,scale,zero_point,x,scale,zero_point,y_scale,zero_point,B", 3, rows, 2);
}

/* 1.5006/3 in float16: 1 where the operands are converted first, 0 where the quotient is (quantize_linear_test.c); no
 * sentence says which. 2 is neither. */
static void test_what_the_precision_is_of_is_not_written(void **state)
{
    (void)state;
    static float number = 1.5006F;
    static uint16_t three = 0x4200;
    static uint8_t zero;
    static const struct named tensors[] = {
        {"x", {.dtype = QD_F32, .count = 1, .data = &number}},
        {"scale", {.dtype = QD_F16, .count = 1, .data = &three}},
        {"zero_point", {.dtype = QD_U8, .count = 1, .data = &zero}}};
    static const struct graded rows[] = {{0, QD_SEVERITY_ADVISORY}, {2, QD_SEVERITY_WRONG}};
    expect_graded("QuantizeLinear", 23, tensors, 3, "x,scale,zero_point", 0, rows, 2);
}

/* Twice 1.5006/3, of which 0 is no sentence's fault, and 2 is: that one is shown. */
static void test_what_is_excused_is_passed_over(void **state)
{
    (void)state;
    static const int64_t two[] = {2};
    static float numbers[] = {1.5006F, 1.5006F};
    static uint16_t three = 0x4200;
    static uint8_t zero, have[] = {0, 2};
    struct fixture f;
    struct qd_error error;
    struct qd_value y;
    struct qd_comparison comparison;
    struct qd_tensor given = {.dtype = QD_U8, .rank = 1, .dims = {2}, .count = 2, .data = have};
    const struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &given};
    static const struct named tensors[] = {
        {"x", {.dtype = QD_F32, .rank = 1, .dims = {2}, .count = 2, .data = numbers}},
        {"scale", {.dtype = QD_F16, .count = 1, .data = &three}},
        {"zero_point", {.dtype = QD_U8, .count = 1, .data = &zero}}};
    build(&f, "QuantizeLinear", 23, tensors, 3, "x,scale,zero_point", 1, two);
    assert_int_equal(qd_graph_evaluate(f.kase.graph, f.kase.inputs, NULL, &f.arena, &y, &error),
                     QD_OK);
    f.evaluated.values = &y;
    qd_compare(&f.kase, &y, &run, &comparison);
    assert_int_equal(comparison.element, 0);
    qd_excuse_pass_over(&f.evaluated, &run, &f.arena, &comparison);
    assert_int_equal(comparison.element, 1);
    assert_int_equal(comparison.mismatched, 2);
    assert_true(comparison.have == 2 && comparison.want == 1);
    assert_true(comparison.lo == 1 && comparison.hi == 1);
    have[1] = 1; /* all that is wrong is excused: nothing else to show */
    qd_compare(&f.kase, &y, &run, &comparison);
    qd_excuse_pass_over(&f.evaluated, &run, &f.arena, &comparison);
    assert_int_equal(comparison.element, 0);
    qd_arena_clear(&f.arena);
}

/* 1 by 1 with scales whose product is next to 99.5: 100, or 99 in some order of float32 (matmul_test.c); the page has
 * no order. 98 is no order's. */
static void test_the_order_of_scales_is_not_written(void **state)
{
    (void)state;
    static float number = 99.50000762939453F, unit = 1;
    static uint8_t code = 1, zero;
    static const struct named tensors[] = {
        {"a", {.dtype = QD_U8, .rank = 1, .dims = {1}, .count = 1, .data = &code}},
        {"a_scale", {.dtype = QD_F32, .count = 1, .data = &number}},
        {"scale", {.dtype = QD_F32, .count = 1, .data = &unit}},
        {"zero_point", {.dtype = QD_U8, .count = 1, .data = &zero}}};
    static const struct graded rows[] = {
        {98, QD_SEVERITY_WRONG}, {99, QD_SEVERITY_ADVISORY}, {101, QD_SEVERITY_WRONG}};
    expect_graded("QLinearMatMul", 13, tensors, 4,
                  "a,a_scale,zero_point,a,scale,zero_point,scale,zero_point", 0, rows, 3);
}

/* The pages say what axes are that are provided, and what if not; not whether an empty list is provided. */
static void expect_empty_axes_advisory(const char *domain, const char *op)
{
    static const int64_t last[] = {1};
    struct fixture f;
    struct qd_attr axes = {.name = "axes", .kind = QD_ATTR_INTS, .ints = last, .count = 1};
    begin(&f, domain, op);
    f.node.attrs = &axes;
    f.node.attr_count = 1;
    assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    axes.count = 0;
    struct qd_citation citation = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0);
    assert_int_equal(citation.severity, QD_SEVERITY_ADVISORY);
    assert_non_null(strstr(citation.clause, "axes is an empty list"));
    assert_int_equal(cite(&f, QD_VERDICT_CRASH, 0, 0, 0).severity, QD_SEVERITY_ROBUSTNESS);
    qd_arena_clear(&f.arena);
}

static void test_empty_axes_are_advisory(void **state)
{
    (void)state;
    expect_empty_axes_advisory("", "Resize");
    expect_empty_axes_advisory("", "ReduceMean");
    expect_empty_axes_advisory("com.microsoft", "QLinearReduceMean");
}

/* Cast's page does not say how it rounds to four and two bits; other pages of ONNX do. */
static void test_a_narrow_cast_cites_the_page_of_its_type(void **state)
{
    (void)state;
    static const struct {
        int32_t to;
        const char *page;
    } rows[] = {{1, NULL},
                {6, NULL},
                {21, "\"4 bit integer types\""},
                {22, "\"4 bit integer types\""},
                {23, "\"Float stored in 4 bits\""},
                {25, "\"2 bit integer types\""},
                {26, "\"2 bit integer types\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct qd_attr to = {.name = "to", .kind = QD_ATTR_INT, .i = rows[i].to};
        begin(&f, "", "Cast");
        f.node.attrs = &to;
        f.node.attr_count = 1;
        const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
        assert_int_equal(strstr(clause, "ONNX's page") != NULL, rows[i].page != NULL);
        assert_true(!rows[i].page || strstr(clause, rows[i].page));
        qd_arena_clear(&f.arena);
    }
}

/* What a Cast of codes to uint8 cites; the codes are of that type. */
static bool cites_lost_bits(enum qd_dtype from, int64_t to)
{
    static uint8_t bytes[8];
    static const int operands[] = {0};
    struct fixture f;
    struct qd_tensor x = {.dtype = from, .rank = 1, .dims = {1}, .count = 1, .data = bytes};
    struct qd_graph_value values[1] = {{.name = "x", .initializer = &x}};
    struct qd_attr attr = {.name = "to", .kind = QD_ATTR_INT, .i = to};
    begin(&f, "", "Cast");
    f.node.inputs = operands;
    f.node.input_count = 1;
    f.node.attrs = &attr;
    f.node.attr_count = 1;
    f.graph.values = values;
    f.graph.value_count = 1;
    const char *clause = cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).clause;
    bool cites = strstr(clause, "discard higher bits") != NULL;
    qd_arena_clear(&f.arena);
    return cites;
}

/* "when OOR, discard higher bits" is said of casts from fixed point to fixed point alone. */
static void test_bits_are_lost_between_integers(void **state)
{
    (void)state;
    enum { UINT8 = 2, FLOAT = 1, UINT4 = 21 };
    assert_true(cites_lost_bits(QD_S32, UINT8));
    assert_true(cites_lost_bits(QD_U8, UINT4));
    assert_false(cites_lost_bits(QD_F32, UINT4));
    assert_false(cites_lost_bits(QD_S32, FLOAT));
}

/* A pool of x[1,1,2] with `kernel` places, a stride, pads of 0 and `after`: whether a shape is advisory. */
static bool pool_is_advisory(enum qd_verdict class, int64_t ceil_mode, const char *op,
                             int64_t opset, int64_t kernel, int64_t stride, int64_t after)
{
    static uint8_t codes[2];
    static const int operands[] = {0}, fed[] = {0};
    const int64_t pads[] = {0, after};
    struct fixture f;
    struct qd_tensor x = {.dtype = QD_U8, .rank = 3, .dims = {1, 1, 2}, .count = 2, .data = codes};
    struct qd_graph_value values[1] = {{.name = "x", .initializer = &x}};
    struct qd_attr attrs[] = {
        {.name = "kernel_shape", .kind = QD_ATTR_INTS, .ints = &kernel, .count = 1},
        {.name = "strides", .kind = QD_ATTR_INTS, .ints = &stride, .count = 1},
        {.name = "pads", .kind = QD_ATTR_INTS, .ints = pads, .count = 2},
        {.name = "ceil_mode", .kind = QD_ATTR_INT, .i = ceil_mode}};
    begin(&f, "", op);
    f.node.opset = opset;
    f.node.inputs = operands;
    f.node.input_count = 1;
    f.node.attrs = attrs;
    f.node.attr_count = 4;
    f.graph.values = values;
    f.graph.value_count = 1;
    f.graph.inputs = fed;
    struct qd_citation citation = cite(&f, class, 0, 0, 0);
    bool advisory = citation.severity == QD_SEVERITY_ADVISORY;
    assert_int_equal(advisory, strstr(citation.clause, "in the right padded region") != NULL);
    qd_arena_clear(&f.arena);
    return advisory;
}

static bool shape_is_advisory(const char *op, int64_t opset, int64_t kernel, int64_t stride,
                              int64_t after)
{
    return pool_is_advisory(QD_VERDICT_WRONG_SHAPE, 0, op, opset, kernel, stride, after);
}

/* The page's formula of VALID has no ceil_mode, ONNX's shape inference has. */
static void test_valid_with_ceil_mode_is_advisory(void **state)
{
    (void)state;
    struct fixture f;
    struct qd_attr attrs[] = {{.name = "auto_pad", .kind = QD_ATTR_STRING, .s = "VALID"},
                              {.name = "ceil_mode", .kind = QD_ATTR_INT, .i = 1}};
    begin(&f, "", "MaxPool");
    f.node.opset = 12;
    f.node.attrs = attrs;
    f.node.attr_count = 2;
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_ADVISORY);
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).severity, QD_SEVERITY_WRONG);
    attrs[1].i = 0;
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    attrs[1].i = 1;
    attrs[0].s = "SAME_UPPER";
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    qd_arena_clear(&f.arena);
}

/* A window of one place in the right padding: 3 by the floor of MaxPool-22, 2 by the sentence after it. */
static void test_a_window_in_the_right_padding_is_advisory(void **state)
{
    (void)state;
    assert_true(shape_is_advisory("MaxPool", 22, 1, 1, 1));
    assert_true(shape_is_advisory("AveragePool", 26, 1, 2, 1));
    assert_false(shape_is_advisory("MaxPool", 12, 1, 1, 1)); /* has no such sentence */
    assert_false(shape_is_advisory("MaxPool", 22, 2, 1, 1)); /* the last starts at 1 */
    assert_false(shape_is_advisory("MaxPool", 22, 1, 3, 1)); /* and here at 0 */
    assert_false(shape_is_advisory("MaxPool", 22, 1, 1, 0));
}

/* By ceil_mode two windows of 1 lie 3 apart on 2 elements and a place of padding, of which the second starts there. */
static void test_a_refusal_of_an_ignored_window_is_advisory(void **state)
{
    (void)state;
    const enum qd_verdict refused = QD_VERDICT_REJECTS_VALID;
    assert_true(pool_is_advisory(refused, 1, "AveragePool", 22, 1, 3, 1));
    assert_false(pool_is_advisory(refused, 1, "AveragePool", 12, 1, 3, 1));
    assert_false(pool_is_advisory(refused, 1, "AveragePool", 22, 1, 1, 0));
    assert_false(pool_is_advisory(refused, 0, "AveragePool", 22, 1, 3, 1));
    assert_false(pool_is_advisory(QD_VERDICT_WRONG_SHAPE, 1, "AveragePool", 22, 1, 3, 1));
}

/* Windows of 1 next to each other: of one place of padding one is ignored, of two places two, where ONNX's shape
 * inference ignores one. */
static void test_several_ignored_windows_are_advisory(void **state)
{
    (void)state;
    const enum qd_verdict shape = QD_VERDICT_WRONG_SHAPE;
    assert_false(pool_is_advisory(shape, 1, "AveragePool", 22, 1, 1, 1));
    assert_true(pool_is_advisory(shape, 1, "AveragePool", 22, 1, 1, 2));
    assert_false(pool_is_advisory(shape, 1, "AveragePool", 12, 1, 1, 2));
}

/* A wrong shape of SAME breaks a sentence of the page. */
static void test_the_shape_of_same_cites_the_page(void **state)
{
    (void)state;
    struct fixture f;
    struct qd_attr attrs[] = {{.name = "auto_pad", .kind = QD_ATTR_STRING, .s = "SAME_UPPER"}};
    begin(&f, "", "ConvTranspose");
    f.node.attrs = attrs;
    f.node.attr_count = 1;
    assert_non_null(strstr(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).clause, "input_shape[i] * "));
    attrs[0].s = "VALID";
    assert_non_null(strstr(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).clause, "shape inference"));
    qd_arena_clear(&f.arena);
}

/* No page has a quotient of an integer by 0; of floats IEEE 754 has. */
static void test_a_refused_division_by_zero_is_advisory(void **state)
{
    (void)state;
    static uint8_t codes[] = {3, 0};
    static const int operands[] = {0, 1}, fed[] = {0};
    struct fixture f;
    struct qd_tensor divisor = {.dtype = QD_U8, .rank = 1, .dims = {2}, .count = 2, .data = codes};
    struct qd_graph_value values[2] = {{.name = "A"}, {.name = "B", .initializer = &divisor}};
    begin(&f, "", "Div");
    f.node.inputs = operands;
    f.node.input_count = 2;
    f.graph.values = values;
    f.graph.value_count = 2;
    f.graph.inputs = fed;
    f.graph.input_count = 1;
    f.kase.inputs = &divisor;
    codes[1] = 1;
    assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    codes[1] = 0;
    struct qd_citation citation = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0);
    assert_int_equal(citation.severity, QD_SEVERITY_ADVISORY);
    assert_non_null(strstr(citation.clause, "an integer is divided by 0"));
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_VALUE, 1, 0, 0).severity, QD_SEVERITY_WRONG);
    assert_int_equal(cite(&f, QD_VERDICT_CRASH, 0, 0, 0).severity, QD_SEVERITY_ROBUSTNESS);
    qd_arena_clear(&f.arena);
}

/* How much a refusal weighs of a node that takes constants of these dimensions, all int8 codes or scales of 1. */
static enum qd_severity severity_of_refusal(const char *op, int64_t opset, int64_t block,
                                            size_t count, int64_t dims[][2])
{
    static const char *const names[] = {"a", "b", "c", "d"}, *const lists[] = {"a,b", "a,b,c,d"};
    bool multiplies = strstr(op, "MatMul") != NULL;
    struct fixture f;
    struct qd_tensor tensors[4];
    struct qd_error error;
    begin(&f, "", op);
    struct qd_builder *builder = qd_build_begin(&f.arena, opset);
    for (size_t i = 0; i < count; i++) {
        enum qd_dtype dtype = !multiplies && i == 1 ? QD_F32 : QD_S8;
        assert_int_equal(qd_tensor_init(&tensors[i], &f.arena, dtype, 2, dims[i], &error), QD_OK);
        for (int64_t k = 0; k < tensors[i].count; k++)
            qd_tensor_set(&tensors[i], k,
                          dtype == QD_S8 ? 1 : (int64_t)qd_float_encode(QD_F32, 1, false));
        qd_build_initializer(builder, names[i], &tensors[i]);
    }
    qd_build_node(builder, "", op, lists[count > 2], "y");
    if (block > 0)
        qd_build_attr_int(builder, "block_size", block);
    qd_build_output(builder, "y", multiplies ? QD_S32 : QD_F32, -1, NULL);
    assert_int_equal(qd_build_finish(builder, "refused", false, &f.kase, &error), QD_OK);
    enum qd_severity severity = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity;
    qd_arena_clear(&f.arena);
    return severity;
}

/* "If the input is 2D of shape [M, K] then zero point and scale tensor may be an M element vector." */
static void test_a_refused_matrix_of_zero_points_is_advisory(void **state)
{
    (void)state;
    int64_t rows[][2] = {{2, 3}, {3, 4}, {2, 1}, {1, 4}};
    assert_int_equal(severity_of_refusal("MatMulInteger", 10, 0, 4, rows), QD_SEVERITY_ADVISORY);
    assert_int_equal(severity_of_refusal("MatMul", 13, 0, 2, rows), QD_SEVERITY_WRONG);
}

/* [ceil(Di/Si), ceil(Di/(Si-1))-1] has an upper end from two blocks on. */
static void test_a_refused_block_beyond_the_axis_is_advisory(void **state)
{
    (void)state;
    int64_t one[][2] = {{5, 2}, {5, 1}}, two[][2] = {{5, 2}, {5, 2}};
    assert_int_equal(severity_of_refusal("DequantizeLinear", 21, 3, 2, one), QD_SEVERITY_ADVISORY);
    assert_int_equal(severity_of_refusal("DequantizeLinear", 21, 2, 2, one), QD_SEVERITY_WRONG);
    assert_int_equal(severity_of_refusal("DequantizeLinear", 21, 1, 2, two), QD_SEVERITY_WRONG);
}

/* How much a divergence weighs of ConvTranspose of [1,1,3] by a kernel of k with auto_pad and stride 2. */
static enum qd_severity severity_of_transposed(enum qd_verdict class, int64_t k)
{
    const int64_t dims[] = {1, 1, 3}, w_dims[] = {1, 1, k};
    struct fixture f;
    struct qd_tensor x, w;
    struct qd_error error;
    begin(&f, "", "ConvTranspose");
    struct qd_builder *builder = qd_build_begin(&f.arena, 11);
    assert_int_equal(qd_tensor_init(&x, &f.arena, QD_F32, 3, dims, &error) |
                         qd_tensor_init(&w, &f.arena, QD_F32, 3, w_dims, &error),
                     QD_OK);
    qd_build_initializer(builder, "x", &x);
    qd_build_initializer(builder, "w", &w);
    qd_build_node(builder, "", "ConvTranspose", "x,w", "y");
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    qd_build_attr_ints(builder, "strides", (const int64_t[]){2}, 1);
    qd_build_output(builder, "y", QD_F32, -1, NULL);
    assert_int_equal(qd_build_finish(builder, "transposed", false, &f.kase, &error), QD_OK);
    enum qd_severity severity = cite(&f, class, 1, 0, 0).severity;
    qd_arena_clear(&f.arena);
    return severity;
}

/* 3 by strides of 2 is 6; windows of 1 reach 5 elements, those of 2 reach 6. What half of -1 is no page says. */
static void test_a_gap_between_windows_is_advisory(void **state)
{
    (void)state;
    static const enum qd_verdict classes[] = {QD_VERDICT_WRONG_SHAPE, QD_VERDICT_REJECTS_VALID,
                                              QD_VERDICT_WRONG_VALUE};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        assert_int_equal(severity_of_transposed(classes[i], 1), QD_SEVERITY_ADVISORY);
        assert_int_equal(severity_of_transposed(classes[i], 2), QD_SEVERITY_WRONG);
    }
    assert_int_equal(severity_of_transposed(QD_VERDICT_CRASH, 1), QD_SEVERITY_ROBUSTNESS);
}

/* How much it weighs that x[0..2] has not the shape that the reference has. */
static enum qd_severity severity_of_slice(int64_t opset, int64_t start, int64_t step)
{
    static const char *const names[] = {"x", "starts", "ends", "axes", "steps"};
    const int64_t of[] = {0, start, step < 0 ? -100 : 100, -1, step};
    struct fixture f;
    struct qd_tensor tensors[5];
    struct qd_error error;
    begin(&f, "", "Slice");
    struct qd_builder *builder = qd_build_begin(&f.arena, opset);
    for (size_t i = 0; i < 5; i++) {
        const int64_t dims[] = {i == 0 ? 3 : 1};
        assert_int_equal(qd_tensor_init(&tensors[i], &f.arena, QD_S64, 1, dims, &error), QD_OK);
        for (int64_t k = 0; k < tensors[i].count; k++)
            qd_tensor_set(&tensors[i], k, of[i]);
        qd_build_initializer(builder, names[i], &tensors[i]);
    }
    qd_build_node(builder, "", "Slice", "x,starts,ends,axes,steps", "y");
    qd_build_output(builder, "y", QD_S64, -1, NULL);
    assert_int_equal(qd_build_finish(builder, "slice", false, &f.kase, &error), QD_OK);
    enum qd_severity severity = cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity;
    qd_arena_clear(&f.arena);
    return severity;
}

/* numpy: np.arange(3)[-4::-1] has no element, [-3::-1] has one; "clamped" stands in Slice from opset 13 on. */
static void test_a_slice_from_before_the_first_is_advisory(void **state)
{
    (void)state;
    assert_int_equal(severity_of_slice(10, -4, -1), QD_SEVERITY_ADVISORY);
    assert_int_equal(severity_of_slice(10, -3, -1), QD_SEVERITY_WRONG);
    assert_int_equal(severity_of_slice(11, -4, 1), QD_SEVERITY_WRONG);
    assert_int_equal(severity_of_slice(13, -4, -1), QD_SEVERITY_WRONG);
}

/* Also where nodes compute the divisor. */
static void test_a_computed_divisor_may_be_0(void **state)
{
    (void)state;
    static const int64_t two[] = {2};
    static uint8_t codes[] = {3, 0};
    struct fixture f;
    struct qd_error error;
    struct qd_tensor x = {.dtype = QD_U8, .rank = 1, .dims = {2}, .count = 2, .data = codes};
    begin(&f, "", "Div");
    for (uint8_t last = 0; last < 2; last++) {
        codes[1] = last;
        struct qd_builder *builder = qd_build_begin(&f.arena, 14);
        qd_build_input(builder, "x", &x);
        qd_build_node(builder, "", "Identity", "x", "d");
        qd_build_node(builder, "", "Div", "x,d", "y");
        qd_build_output(builder, "y", QD_U8, 1, two);
        assert_int_equal(qd_build_finish(builder, "div", false, &f.kase, &error), QD_OK);
        assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity,
                         last == 0 ? QD_SEVERITY_ADVISORY : QD_SEVERITY_WRONG);
    }
    qd_arena_clear(&f.arena);
}

/* Range-11 says "Scalar." of each operand, also of one that nodes compute. */
static void test_a_computed_bound_may_be_no_scalar(void **state)
{
    (void)state;
    static const int64_t two[] = {2};
    static int64_t zero = 0, limit = 2, step = 1;
    const struct qd_tensor axes = {
        .dtype = QD_S64, .rank = 1, .dims = {1}, .count = 1, .data = &zero};
    struct qd_tensor start = {.dtype = QD_S64, .count = 1, .data = &zero}, to = start, by = start;
    struct qd_error error;
    struct fixture f;
    to.data = &limit;
    by.data = &step;
    begin(&f, "", "Range");
    for (int vector = 0; vector < 2; vector++) {
        struct qd_builder *builder = qd_build_begin(&f.arena, 13);
        qd_build_input(builder, "x", &start);
        qd_build_initializer(builder, "limit", &to);
        qd_build_initializer(builder, "delta", &by);
        qd_build_initializer(builder, "axes", &axes);
        qd_build_node(builder, "", vector ? "Unsqueeze" : "Identity", vector ? "x,axes" : "x", "s");
        qd_build_node(builder, "", "Range", "s,limit,delta", "y");
        qd_build_output(builder, "y", QD_S64, 1, two);
        assert_int_equal(qd_build_finish(builder, "range", false, &f.kase, &error), QD_OK);
        assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity,
                         vector ? QD_SEVERITY_ADVISORY : QD_SEVERITY_WRONG);
    }
    qd_arena_clear(&f.arena);
}

/* AveragePool-22's "floor" of (1 - 2)/2 + 1 is 0; onnx.shape_inference of onnx 1.21 gives 1. */
static void test_a_window_beyond_the_axis_is_advisory(void **state)
{
    (void)state;
    static const int64_t two[] = {2};
    struct fixture f;
    struct qd_attr strides = {.name = "strides", .kind = QD_ATTR_INTS, .ints = two, .count = 1};
    struct qd_tensor shape = {.dtype = QD_F32, .rank = 3, .dims = {1, 1, 0}};
    static const int outputs[] = {0};
    begin(&f, "", "AveragePool");
    f.node.attrs = &strides;
    f.node.attr_count = 1;
    f.graph.outputs = outputs;
    f.graph.output_count = 1;
    f.evaluated.shapes = &shape;
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_ADVISORY);
    assert_int_equal(cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    assert_int_equal(cite(&f, QD_VERDICT_CRASH, 0, 0, 0).severity, QD_SEVERITY_ROBUSTNESS);
    shape.count = shape.dims[2] = 1;
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    f.node.attr_count = 0;
    shape.count = shape.dims[2] = 0;
    assert_int_equal(cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).severity, QD_SEVERITY_WRONG);
    qd_arena_clear(&f.arena);
}

/* A shape may be wrong by the operator that the case is about, or by another, and each may be refused. */
static void test_shapes_and_refusals_name_all_operators(void **state)
{
    (void)state;
    static const int64_t two[] = {2};
    static float numbers[] = {1, 2};
    struct qd_tensor x = {.dtype = QD_F32, .rank = 1, .dims = {2}, .count = 2, .data = numbers};
    struct qd_error error;
    struct fixture f;
    begin(&f, "", "Softmax");
    struct qd_builder *builder = qd_build_begin(&f.arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "", "Softmax", "x", "s");
    qd_build_node(builder, "", "Transpose", "s", "y");
    qd_build_output(builder, "y", QD_F32, 1, two);
    assert_int_equal(qd_build_finish(builder, "softmax", false, &f.kase, &error), QD_OK);
    const char *clause = cite(&f, QD_VERDICT_WRONG_SHAPE, 0, 0, 0).clause;
    assert_non_null(strstr(clause, "Softmax or Transpose: "));
    clause = cite(&f, QD_VERDICT_REJECTS_VALID, 0, 0, 0).clause;
    assert_non_null(strstr(clause, "Softmax, Transpose: their pages have these types"));
    assert_null(strstr(cite(&f, QD_VERDICT_CRASH, 0, 0, 0).clause, "Transpose"));
    qd_arena_clear(&f.arena);
}

static void test_an_invalid_model_cites_the_case(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "", "Relu");
    assert_string_equal(cite(&f, QD_VERDICT_ACCEPTS_INVALID, 0, 0, 0).clause, "rule Op/some-rule");
    f.kase.spec = "Relu-14, type constraints";
    assert_string_equal(cite(&f, QD_VERDICT_ACCEPTS_INVALID, 0, 0, 0).clause,
                        "Relu-14, type constraints");
    qd_arena_clear(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_class_has_a_clause),
        cmocka_unit_test(test_a_value_cites_its_page),
        cmocka_unit_test(test_codes_round_by_a_page),
        cmocka_unit_test(test_what_is_moved_cites_what_computes_it),
        cmocka_unit_test(test_a_value_cites_the_page_of_its_opset),
        cmocka_unit_test(test_what_no_sentence_forbids_is_advisory),
        cmocka_unit_test(test_a_refusal_cites_what_is_mandatory),
        cmocka_unit_test(test_what_no_page_allows_is_advisory),
        cmocka_unit_test(test_a_refusal_of_anothers_operator_is_advisory),
        cmocka_unit_test(test_a_narrow_sum_is_advisory),
        cmocka_unit_test(test_a_product_of_floats_is_advisory),
        cmocka_unit_test(test_the_rounding_of_a_convolution_is_not_written),
        cmocka_unit_test(test_only_a_written_rounding_is_obliged),
        cmocka_unit_test(test_what_is_excused_is_passed_over),
        cmocka_unit_test(test_what_the_precision_is_of_is_not_written),
        cmocka_unit_test(test_the_order_of_scales_is_not_written),
        cmocka_unit_test(test_a_convolution_of_floats_is_not_forbidden),
        cmocka_unit_test(test_empty_axes_are_advisory),
        cmocka_unit_test(test_a_narrow_cast_cites_the_page_of_its_type),
        cmocka_unit_test(test_a_refused_matrix_of_zero_points_is_advisory),
        cmocka_unit_test(test_a_refused_block_beyond_the_axis_is_advisory),
        cmocka_unit_test(test_a_refusal_of_an_ignored_window_is_advisory),
        cmocka_unit_test(test_several_ignored_windows_are_advisory),
        cmocka_unit_test(test_the_shape_of_same_cites_the_page),
        cmocka_unit_test(test_a_rough_quotient_is_advisory),
        cmocka_unit_test(test_a_gap_between_windows_is_advisory),
        cmocka_unit_test(test_a_slice_from_before_the_first_is_advisory),
        cmocka_unit_test(test_a_computed_divisor_may_be_0),
        cmocka_unit_test(test_a_computed_bound_may_be_no_scalar),
        cmocka_unit_test(test_a_window_beyond_the_axis_is_advisory),
        cmocka_unit_test(test_bits_are_lost_between_integers),
        cmocka_unit_test(test_a_window_in_the_right_padding_is_advisory),
        cmocka_unit_test(test_valid_with_ceil_mode_is_advisory),
        cmocka_unit_test(test_a_refused_division_by_zero_is_advisory),
        cmocka_unit_test(test_shapes_and_refusals_name_all_operators),
        cmocka_unit_test(test_an_invalid_model_cites_the_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
