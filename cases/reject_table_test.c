/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of must-reject cases: what is read from a table, what each edit makes of a twin, and what is refused.
 * Alone: <build>/tests/cases/reject_table_test */
#include "case_testlib.h"

#include "qdiff/random.h"
#include "reject_table.h"

static int open_arena(void **state)
{
    static struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    qd_arena_clear(*state);
    return 0;
}

/* --- Reading -------------------------------------------------------------------------------------- */

static enum qd_status read_text(const char *text, struct qd_arena *arena,
                                const struct qd_reject_row **rows, size_t *count,
                                struct qd_error *error)
{
    return qd_reject_read(text, strlen(text), arena, rows, count, error);
}

static void reads_rows_between_comments(void **state)
{
    const struct qd_reject_row *rows = NULL;
    size_t count = 0;
    struct qd_error error;
    const char *text = "# a table\n"
                       "\n"
                       "pads/long|valid|  attr pads [1] ; ir 9\t| Conv-11, pads: |a| is 1\r\n"
                       "  # another comment\n"
                       "opset | valid-2 | opset 9 | Conv-11, versions: none";
    assert_ok(read_text(text, *state, &rows, &count, &error), error);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].line, 3);
    assert_string_equal(rows[0].name, "pads/long");
    assert_string_equal(rows[0].twin, "valid");
    assert_string_equal(rows[0].edits, "attr pads [1] ; ir 9");
    assert_string_equal(rows[0].clause, "Conv-11, pads: |a| is 1");
    assert_int_equal(rows[1].line, 5);
    assert_string_equal(rows[1].name, "opset");
    assert_ok(read_text("", *state, &rows, &count, &error), error);
    assert_int_equal(count, 0);
}

static void malformed_rows_name_line_and_field(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"a/b", "line 1: field 'twin' is missing"},
        {"\na/b | t", "line 2: field 'edits' is missing"},
        {"a/b | t | ir 9", "line 1: field 'clause' is missing"},
        {"a/b | t | ir 9 | ", "line 1: field 'clause' is missing"},
        {"a/b | t |  | c", "line 1: field 'edits' is missing"},
        {" | t | ir 9 | c", "line 1: field 'case' is missing"},
        {"a b | t | ir 9 | c", "line 1: field 'case' is 'a b'"},
        {"a/b/c | t | ir 9 | c", "line 1: field 'case' is 'a/b/c'"},
        {"a/ | t | ir 9 | c", "line 1: field 'case' is 'a/'"},
        {"a/.. | t | ir 9 | c", "line 1: field 'case' is 'a/..'"},
        {"/a | t | ir 9 | c", "line 1: field 'case' is '/a'"},
        {"a | ../t | ir 9 | c", "line 1: field 'twin' is '../t'"},
        {"a | t | ir 9 | c\nb | t | ir 9 | c\na | t | ir 8 | d",
         "line 3: case 'a' is in line 1 already"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct qd_reject_row *rows;
        size_t count;
        struct qd_error error = {0};
        enum qd_status status = read_text(bad[i].text, *state, &rows, &count, &error);
        assert_refused(status, QD_INVALID, &error, bad[i].message);
    }
    const struct qd_reject_row *rows;
    size_t count;
    struct qd_error error = {0};
    assert_refused(qd_reject_read("a\0b", 3, *state, &rows, &count, &error), QD_MALFORMED, &error,
                   "NUL");
}

/* --- Edits ---------------------------------------------------------------------------------------- */

static enum qd_status make(const char *edits, struct qd_arena *arena, struct qd_case *kase,
                           struct qd_error *error)
{
    const struct qd_reject_row row = {1, "some-rule/one", "valid", edits,
                                      "QLinearConv-10, inputs: words"};
    struct qd_case twin = sample_conv_case(arena);
    uint8_t *bytes, *made;
    size_t size, made_size;
    assert_ok(qd_case_encode(&twin, arena, &bytes, &size, error), *error);
    enum qd_status status =
        qd_reject_make("Table", &row, bytes, size, arena, &made, &made_size, error);
    return status == QD_OK ? qd_case_decode(made, made_size, arena, kase, error) : status;
}

static struct qd_case made(const char *edits, struct qd_arena *arena)
{
    struct qd_case kase = {0};
    struct qd_error error = {0};
    if (make(edits, arena, &kase, &error) != QD_OK || !kase.graph || !kase.model || !kase.tags) {
        fail_msg("%s: %s", edits, error.text);
        abort(); /* not reached; the analyzer does not know */
    }
    return kase;
}

static const struct qd_tensor *tensor_of(const struct qd_case *kase, const char *name)
{
    const struct qd_graph *graph = kase->graph;
    for (size_t i = 0; i < graph->value_count; i++)
        if (strcmp(graph->values[i].name, name) == 0 && graph->values[i].initializer)
            return graph->values[i].initializer;
    for (size_t i = 0; i < graph->input_count; i++)
        if (strcmp(graph->values[graph->inputs[i]].name, name) == 0)
            return &kase->inputs[i];
    return NULL;
}

static void a_case_says_what_it_is(void **state)
{
    struct qd_case twin = sample_conv_case(*state);
    struct qd_case kase = made("attr pads [1, 1, 1, 1]", *state);
    assert_string_equal(kase.id, "reject/Table/some-rule/one");
    assert_int_equal(kase.expect, QD_EXPECT_MUST_REJECT);
    assert_string_equal(kase.rule, "QLinearConv/some-rule");
    assert_string_equal(kase.twin, "reject/Table/valid");
    assert_string_equal(kase.spec, "QLinearConv-10, inputs: words");
    assert_string_equal(kase.issue, "");
    assert_int_equal(kase.tag_count, 1);
    assert_string_equal(kase.tags[0], "must-reject");
    /* The twin's own pads: nothing else of the model is touched. */
    assert_int_equal(kase.model_size, twin.model_size);
    assert_memory_equal(kase.model, twin.model, twin.model_size);
    assert_same_tensor(&kase.inputs[0], &twin.inputs[0]);
}

/* The twin's: x_scale 1, x_zero_point 7, w_scale [0.5, 0.25], w_zero_point [3, 200]. Codes of floats are their bits. */
static void edits_of_tensors(void **state)
{
    static const struct {
        const char *edits, *tensor, *want;
        int64_t codes[4];
    } rows[] = {
        {"type x_scale f16", "x_scale", "f16[]", {0x3c00}},
        {"type x_scale double", "x_scale", "f64[]", {0x3ff0000000000000}},
        {"type x_zero_point f32", "x_zero_point", "f32[]", {0x40e00000}},
        {"type w_scale f8e8m0", "w_scale", "f8e8m0[2]", {126, 125}},
        {"type w_scale s32", "w_scale", "s32[2]", {0, 0}}, /* 0.5 is a tie, 0 is even */
        {"type w_zero_point s8", "w_zero_point", "s8[2]", {3, 127}},
        {"type w_zero_point u4", "w_zero_point", "u4[2]", {3, 15}},
        {"type w_zero_point bool", "w_zero_point", "bool[2]", {1, 1}},
        {"data w_zero_point [0, 1]; type w_zero_point s64", "w_zero_point", "s64[2]", {0, 1}},
        {"dims w_scale []", "w_scale", "f32[]", {0x3f000000}},
        {"dims w_scale [0]", "w_scale", "f32[0]", {0}},
        {"dims w_scale [3]", "w_scale", "f32[3]", {0x3f000000, 0x3e800000, 0x3f000000}},
        {"dims w_scale [0]; dims w_scale [1]", "w_scale", "f32[1]", {0}},
        {"dims w_zero_point [2, 2]", "w_zero_point", "u8[2,2]", {3, 200, 3, 200}},
        {"data w_zero_point [9]", "w_zero_point", "u8[2]", {9, 9}},
        {"data w_scale [1.5, -2]", "w_scale", "f32[2]", {0x3fc00000, -0x40000000}},
        {"type w_zero_point s16; data w_zero_point [-1, 9]", "w_zero_point", "s16[2]", {-1, 9}},
        {"dims x [2, 2]", "x", "u8[2,2]", {0, 1, 2, 3}},
        {"type x s32; dims x [1]", "x", "s32[1]", {0}},
        {"input extra", "extra", "f32[]", {0x3f800000}},
        {"input more; type more u8; dims more [2]; data more [4, 5]", "more", "u8[2]", {4, 5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[80];
        struct qd_case kase = made(rows[i].edits, *state);
        const struct qd_tensor *have = tensor_of(&kase, rows[i].tensor);
        assert_non_null(have);
        assert_string_equal(qd_tensor_describe(have, text, sizeof text), rows[i].want);
        for (int64_t k = 0; k < have->count; k++) {
            int64_t code = qd_tensor_get(have, k);
            if (have->dtype == QD_F32)
                code = (int32_t)code;
            if (code != rows[i].codes[k])
                fail_msg("%s: element %lld is %lld, want %lld", rows[i].edits, (long long)k,
                         (long long)code, (long long)rows[i].codes[k]);
        }
    }
}

static const struct qd_attr *attr_after(const char *edits, const char *name, void **state)
{
    struct qd_case kase = made(edits, *state);
    return qd_node_attr(&kase.graph->nodes[0], name);
}

static void edits_of_attributes(void **state)
{
    const struct qd_attr *attr = attr_after("attr group 0", "group", state);
    assert_int_equal(attr->kind, QD_ATTR_INT);
    assert_int_equal(attr->i, 0);
    attr = attr_after("attr pads -2.5", "pads", state);
    assert_int_equal(attr->kind, QD_ATTR_FLOAT);
    assert_true(attr->f >= -2.5f && attr->f <= -2.5f);
    attr = attr_after("attr auto_pad \"SAME UPPER\"", "auto_pad", state);
    assert_int_equal(attr->kind, QD_ATTR_STRING);
    assert_string_equal(attr->s, "SAME UPPER");
    attr = attr_after("attr auto_pad \"\"", "auto_pad", state);
    assert_string_equal(attr->s, "");
    attr = attr_after("attr pads [-1, 7]", "pads", state);
    assert_int_equal(attr->kind, QD_ATTR_INTS);
    assert_int_equal(attr->count, 2);
    assert_int_equal(attr->ints[0], -1);
    assert_int_equal(attr->ints[1], 7);
    attr = attr_after("attr pads []", "pads", state);
    assert_int_equal(attr->kind, QD_ATTR_INTS);
    assert_int_equal(attr->count, 0);
    attr = attr_after("attr pads [1, 0.5]", "pads", state);
    assert_int_equal(attr->kind, QD_ATTR_FLOATS);
    assert_true(attr->floats[1] >= 0.5f && attr->floats[1] <= 0.5f);
    assert_null(attr_after("no-attr pads", "pads", state));
}

static void edits_of_operands(void **state)
{
    struct qd_case kase = made("omit w", *state);
    const struct qd_node *node = &kase.graph->nodes[0];
    assert_int_equal(node->input_count, 8);
    assert_int_equal(node->inputs[3], QD_NO_VALUE);
    assert_null(tensor_of(&kase, "w"));
    assert_non_null(tensor_of(&kase, "y_zero_point"));

    kase = made("cut w_zero_point", *state);
    assert_int_equal(kase.graph->nodes[0].input_count, 5);
    assert_null(tensor_of(&kase, "w_zero_point"));
    assert_null(tensor_of(&kase, "y_zero_point"));
    assert_non_null(tensor_of(&kase, "w_scale"));

    kase = made("omit x", *state);
    assert_int_equal(kase.input_count, 0);

    kase = made("input x_scale", *state);
    node = &kase.graph->nodes[0];
    assert_int_equal(node->input_count, 9);
    assert_int_equal(node->inputs[8], node->inputs[1]);

    /* Another operand still reads it. */
    kase = made("input x_scale; omit x_scale", *state);
    assert_non_null(tensor_of(&kase, "x_scale"));

    kase = made("output extra", *state);
    assert_int_equal(kase.graph->nodes[0].output_count, 2);
    assert_int_equal(kase.graph->output_count, 1);
}

static void edits_of_declarations_and_versions(void **state)
{
    struct qd_case kase = made("type y s8", *state);
    assert_int_equal(kase.graph->values[kase.graph->outputs[0]].declared_dtype, QD_S8);
    assert_int_equal(made("opset 9", *state).opset, 9);
    kase = made("ir 9", *state);
    assert_int_equal(kase.model[0], 0x08); /* ModelProto.ir_version, a varint */
    assert_int_equal(kase.model[1], 9);
}

static void edits_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *edits;
        enum qd_status status;
        const char *message;
    } bad[] = {
        {"widen x", QD_INVALID, "edit 'widen x': no edit is called 'widen'"},
        {"ir 9;", QD_INVALID, "no edit is called ''"},
        {"attr", QD_INVALID, "'attr' of nothing"},
        {"attr group", QD_INVALID, "'attr group' lacks its value"},
        {"omit w now", QD_INVALID, "'omit w' is followed by something"},
        {"attr group [1", QD_INVALID, "'[1' is no list in brackets"},
        {"attr group [1, ]", QD_INVALID, "'' is no number"},
        {"attr group 0x10", QD_INVALID, "'0x10' is no number, list or quoted string"},
        {"attr group 99999999999999999999", QD_INVALID, "is no number"},
        {"attr auto_pad \"VALID", QD_INVALID, "lacks its closing quote"},
        {"attr auto_pad \"", QD_INVALID, "lacks its closing quote"},
        {"no-attr group", QD_INVALID, "the twin has no attribute 'group'"},
        {"type q u8", QD_INVALID, "the twin has no operand 'q'; its operands: x x_scale"},
        {"type x u9", QD_INVALID, "'u9' is no type"},
        {"dims w 5", QD_INVALID, "'5' is no list in brackets"},
        {"dims w [1.5]", QD_INVALID, "a shape is a list of at most 8 whole numbers"},
        {"dims w [1, 1, 1, 1, 1, 1, 1, 1, 1]", QD_INVALID, "at most 8"},
        {"dims w [-1]", QD_INVALID, "dimension 0 is -1"},
        {"dims w [1000000, 1000000]", QD_LIMIT, "elements"},
        {"data w [256]", QD_INVALID, "256 is no uint8"},
        {"data w [0.5]", QD_INVALID, "0.5 is no uint8"},
        {"data w []", QD_INVALID, "0 numbers do not fill 16 elements"},
        {"data w_scale [1, 2, 3]", QD_INVALID, "3 numbers do not fill 2 elements"},
        {"omit q", QD_INVALID, "the twin has no operand 'q'"},
        {"ir 9; cut q", QD_INVALID, "edit 'cut q': the twin has no operand 'q'"},
        {"opset nine", QD_INVALID, "'nine' is no version"},
        {"ir 0", QD_INVALID, "'0' is no version"},
        {"ir 99", QD_UNSUPPORTED, ""}, /* what comes out does not decode */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct qd_case kase;
        struct qd_error error = {0};
        enum qd_status status = make(bad[i].edits, *state, &kase, &error);
        if (status != bad[i].status)
            fail_msg("%s: %s (%s)", bad[i].edits, qd_status_word(status), error.text);
        assert_refused(status, bad[i].status, &error, bad[i].message);
    }
}

static void a_twin_has_to_be_valid_and_of_one_node(void **state)
{
    const struct qd_reject_row row = {1, "rule/one", "twin", "ir 9", "words"};
    struct qd_error error = {0};
    uint8_t *bytes, *out;
    size_t size, out_size;
    struct qd_case kase = made("ir 9", *state);
    assert_ok(qd_case_encode(&kase, *state, &bytes, &size, &error), error);
    assert_refused(qd_reject_make("T", &row, bytes, size, *state, &out, &out_size, &error),
                   QD_INVALID, &error, "twin 'twin' is no valid case");
    struct qd_builder *builder = sample_conv(*state);
    qd_build_node(builder, "", "Relu", "y", "z");
    assert_ok(qd_build_finish(builder, "two", false, &kase, &error), error);
    assert_ok(qd_case_encode(&kase, *state, &bytes, &size, &error), error);
    assert_refused(qd_reject_make("T", &row, bytes, size, *state, &out, &out_size, &error),
                   QD_INVALID, &error, "the twin has 2 nodes");
    assert_refused(qd_reject_make("T", &row, bytes, size - 1, *state, &out, &out_size, &error),
                   QD_MALFORMED, &error, "");
}

/* --- Hostile tables ------------------------------------------------------------------------------- */

static const char many_edits[] =
    "a/b | valid | attr pads [1, 0.5]; attr group \"x\"; no-attr pads; type w s4 | c: d\n"
    "a/c | valid | dims w [2, 3]; data w_scale [-1, 2e3]; omit x; cut w_scale; ir 9 | c: d\n"
    "a/d | valid | input extra; dims extra [2]; output more; opset 9; type y f16 | c: d\n";

/* Reads and makes every row: a case that decodes, or an error with a text. */
static size_t try_table(const char *text, size_t size, const struct qd_case *twin,
                        struct qd_error *error)
{
    struct qd_arena arena;
    const struct qd_reject_row *rows = NULL;
    size_t count = 0, made_count = 0, encoded_size;
    uint8_t *encoded;
    qd_arena_init(&arena, (size_t)16 << 20);
    assert_ok(qd_case_encode(twin, &arena, &encoded, &encoded_size, error), *error);
    if (qd_reject_read(text, size, &arena, &rows, &count, error) != QD_OK)
        assert_true(*error->text);
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes;
        size_t bytes_size;
        struct qd_case kase;
        enum qd_status status = qd_reject_make("T", &rows[i], encoded, encoded_size, &arena, &bytes,
                                               &bytes_size, error);
        if (status == QD_OK)
            assert_ok(qd_case_decode(bytes, bytes_size, &arena, &kase, error), *error);
        else
            assert_true(*error->text);
        made_count += status == QD_OK;
    }
    qd_arena_clear(&arena);
    return made_count;
}

static void prefixes_and_mutants_give_cases_or_errors(void **state)
{
    enum { MUTANTS = 3000 };
    struct qd_case twin = sample_conv_case(*state);
    struct qd_error error;
    struct qd_random random = qd_random_seed("reject tables", 1);
    size_t cases = 0;
    assert_int_equal(try_table(many_edits, sizeof many_edits - 1, &twin, &error), 3);
    for (size_t length = 0; length < sizeof many_edits; length++)
        cases += try_table(many_edits, length, &twin, &error);
    for (size_t i = 0; i < MUTANTS; i++) {
        char text[sizeof many_edits];
        memcpy(text, many_edits, sizeof text);
        for (size_t k = 0; k <= i % 3; k++) {
            size_t last = sizeof text - 2;
            size_t at = (size_t)qd_random_range(&random, 0, (int64_t)last);
            text[at] = qd_random_next(&random) % 2 ? (char)qd_random_range(&random, 0, 255)
                                                   : QD_RANDOM_PICK(&random, many_edits);
        }
        cases += try_table(text, sizeof text - 1, &twin, &error);
    }
    print_message("# %zu cases of prefixes and mutants\n", cases);
    assert_true(cases > MUTANTS);
}

static void a_small_budget_is_an_error(void **state)
{
    const struct qd_reject_row row = {
        1, "a/b", "valid", "input extra; dims w [2, 9]; attr group [1]; omit x; output z", "c"};
    struct qd_case twin = sample_conv_case(*state);
    struct qd_error error;
    uint8_t *bytes, *out;
    size_t size, out_size, refused = 0;
    assert_ok(qd_case_encode(&twin, *state, &bytes, &size, &error), error);
    for (size_t budget = 0;; budget += 64, refused++) {
        struct qd_arena arena;
        qd_arena_init(&arena, budget);
        enum qd_status status =
            qd_reject_make("T", &row, bytes, size, &arena, &out, &out_size, &error);
        qd_arena_clear(&arena);
        if (status == QD_OK)
            break;
        assert_int_equal(status, QD_NO_MEMORY);
    }
    assert_true(refused > 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows_between_comments),
        cmocka_unit_test(malformed_rows_name_line_and_field),
        cmocka_unit_test(a_case_says_what_it_is),
        cmocka_unit_test(edits_of_tensors),
        cmocka_unit_test(edits_of_attributes),
        cmocka_unit_test(edits_of_operands),
        cmocka_unit_test(edits_of_declarations_and_versions),
        cmocka_unit_test(edits_that_do_not_fit_are_refused),
        cmocka_unit_test(a_twin_has_to_be_valid_and_of_one_node),
        cmocka_unit_test(prefixes_and_mutants_give_cases_or_errors),
        cmocka_unit_test(a_small_budget_is_an_error),
    };
    return cmocka_run_group_tests_name("must-reject tables", tests, open_arena, close_arena);
}
