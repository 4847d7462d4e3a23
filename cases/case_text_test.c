/* SPDX-License-Identifier: Apache-2.0 */
/* A case's text, encoded by protoc as the hand-written ones are, is the case again.
 * Alone: <build>/tests/cases/case_text_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case_testlib.h"
#include "qdiff/case_text.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

static char *text_of(const struct qd_case *kase, const char *comment, struct qd_arena *arena)
{
    struct qd_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_ok(qd_case_write_text(kase, comment, arena, out, &error), error);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What protoc makes of a text. */
static void encode(const char *scratch, const char *text, struct qd_arena *arena,
                   struct qd_case *kase)
{
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    char path[512], command[4096];
    snprintf(path, sizeof path, "%s/case.textproto", scratch);
    assert_ok(qd_file_write(path, text, strlen(text), &error), error);
    snprintf(command, sizeof command,
             "protoc --encode=qdiff.Case -I'%s/cases/proto' -I'%s/../../../proto' case.proto "
             "<'%s' >'%s/case.qdcase'",
             QD_SOURCE_DIR, QD_TEST_CASES_DIR, path, scratch);
    if (system(command) !=
        0) /* NOLINT(concurrency-mt-unsafe,cert-env33-c): a test has one thread */
        fail_msg("protoc does not take:\n%s", text);
    snprintf(path, sizeof path, "%s/case.qdcase", scratch);
    assert_ok(qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, arena, kase, &error), error);
}

static void assert_same_case(const struct qd_case *have, const struct qd_case *want)
{
    assert_string_equal(have->id, want->id);
    assert_string_equal(have->note, want->note);
    assert_string_equal(have->rule, want->rule);
    assert_int_equal(have->expect, want->expect);
    assert_int_equal(have->tag_count, want->tag_count);
    assert_int_equal(have->input_count, want->input_count);
    assert_int_equal(have->graph->node_count, want->graph->node_count);
    assert_int_equal(have->graph->value_count, want->graph->value_count);
    for (size_t i = 0; i < want->input_count; i++)
        assert_same_tensor(&have->inputs[i], &want->inputs[i]);
    for (size_t i = 0; i < want->graph->value_count; i++) {
        const struct qd_graph_value *h = &have->graph->values[i], *w = &want->graph->values[i];
        assert_string_equal(h->name, w->name);
        if (w->initializer)
            assert_same_tensor(h->initializer, w->initializer);
    }
    for (size_t i = 0; i < want->graph->node_count; i++)
        assert_int_equal(have->graph->nodes[i].attr_count, want->graph->nodes[i].attr_count);
}

struct sweep {
    const char *scratch;
    size_t seen, tried;
};

/* Every 97th case of the smoke level: all families, most types. */
static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct sweep *sweep = context;
    struct qd_arena arena;
    struct qd_case again;
    if (sweep->seen++ % 97 != 0 || kase->model_size > 20000)
        return QD_VISIT_GO_ON;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    char *text = text_of(kase, kase->id, &arena);
    encode(sweep->scratch, text, &arena, &again);
    assert_same_case(&again, kase);
    char *text_again = text_of(&again, kase->id, &arena);
    assert_string_equal(text_again, text);
    free(text);
    free(text_again);
    sweep->tried++;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void test_text_is_the_case(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct sweep sweep = {.scratch = make_scratch(&arena)};
    const struct qd_suite_options options = {.level = QD_LEVEL_SMOKE,
                                             .cases_dir = QD_TEST_CASES_DIR};
    assert_ok(qd_suite_visit(&options, visit, &sweep, &error), error);
    printf("# %zu cases through protoc\n", sweep.tried);
    assert_true(sweep.tried >= 20);
    remove_scratch(sweep.scratch);
    qd_arena_clear(&arena);
}

/* Types and numbers that text tells badly. */
static void test_awkward_tensors(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        int64_t codes[3];
    } rows[] = {{QD_S4, {-8, 7, 1}},
                {QD_U2, {3, 0, 2}},
                {QD_S64, {INT64_MIN, INT64_MAX, -1}},
                {QD_BF16, {0xff80, 0x8000, 0x0001}},
                {QD_F16, {0x7e01, 0x0001, 0xfc00}},
                {QD_F8E4M3FN, {0x7f, 0x80, 0x01}},
                {QD_F64, {1, INT64_MIN, 0x7ff0000000000000}},
                {QD_F32, {1, (int64_t)0x80000000, 0x7f800000}},
                {QD_F32, {0x7fc12345, 1, 0x3dcccccd}}};
    struct qd_arena arena;
    struct qd_error error;
    struct qd_case kase, again;
    const int64_t dims[] = {3};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *scratch = make_scratch(&arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_tensor x = sample_tensor(&arena, rows[i].dtype, 1, dims, rows[i].codes);
        struct qd_builder *builder = qd_build_begin(&arena, 24);
        qd_build_input(builder, "x\"\\\n\xc3\xa9", &x);
        qd_build_node(builder, "", "Identity", "x\"\\\n\xc3\xa9", "y");
        qd_build_output(builder, "y", rows[i].dtype, 1, dims);
        qd_build_origin(builder, "", "", "a \"note\"\n\tin \xc3\xa9 lines");
        assert_ok(qd_build_finish(builder, "awkward", false, &kase, &error), error);
        char *text = text_of(&kase, "two\n\nlines", &arena);
        assert_int_equal(strncmp(text, "# two\n#\n# lines\n", 16), 0);
        encode(scratch, text, &arena, &again);
        assert_same_case(&again, &kase);
        free(text);
    }
    remove_scratch(scratch);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text_is_the_case),
                                       cmocka_unit_test(test_awkward_tensors)};
    return cmocka_run_group_tests_name("cases as text", tests, NULL, NULL);
}
