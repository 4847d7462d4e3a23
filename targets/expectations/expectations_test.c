/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation files: what they say, what they match, and what is wrong with them.
 * Alone: <build>/tests/targets/expectations/expectations_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expectations/cpu.h"
#include "qdiff/evaluate.h"
#include "qdiff/expectations.h"
#include "qdiff/version_order.h"
#include "targets_testlib.h"

static const struct qd_target_info ort = {
    .name = "ort", .version = "1.26.0", .settings = "opt=all,threads=1"};

static struct qd_expectations *parse(struct qd_arena *arena, const char *text)
{
    struct qd_expectations *made = NULL;
    struct qd_error error = {.status = QD_OK};
    if (qd_expectations_parse("x.tsv", text, strlen(text), arena, &made, &error) != QD_OK)
        fail_msg("%s", error.text);
    if (qd_expectations_activate(made, &ort, &error) != QD_OK)
        fail_msg("%s", error.text);
    return made;
}

/* A case whose principal operator is QLinearConv. */
static const struct qd_case *a_case(const char *id)
{
    static struct qd_case kase;
    kase = (struct qd_case){.id = id, .op = "QLinearConv"};
    return &kase;
}

static struct qd_features features_of(enum qd_feature feature)
{
    struct qd_features set = {{0, 0}};
    set.bits[feature / 64] |= (uint64_t)1 << (feature % 64);
    return set;
}

static bool expects(const char *text, const char *id, enum qd_feature feature,
                    enum qd_verdict verdict)
{
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_features features = features_of(feature);
    const struct qd_expectation *unexpected;
    bool found =
        qd_expectations_match(
            parse(&arena, text),
            &(struct qd_evidence){.kase = a_case(id), .features = &features, .verdict = verdict},
            &unexpected, NULL) != NULL;
    qd_arena_clear(&arena);
    return found;
}

static void test_columns_select(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        bool selects;
    } rows[] = {
        {"a/b/c\t*\t*\twrong-value\t*\t*\t-\twhy\n", true},
        {"a/*\t*\t*\twrong-value\t*\t*\t-\twhy", true},
        {"a/b\t*\t*\twrong-value\t*\t*\t-\twhy", false},
        {"op:QLinearConv\t*\t*\twrong-value\t*\t*\t-\twhy", true},
        {"op:QLinear*\t*\t*\twrong-value\t*\t*\t-\twhy", true},
        {"op:Conv\t*\t*\twrong-value\t*\t*\t-\twhy", false},
        {"*\tbias\t*\twrong-value\t*\t*\t-\twhy", true},
        {"*\tbias,!pads\t*\twrong-value\t*\t*\t-\twhy", true},
        {"*\t!bias\t*\twrong-value\t*\t*\t-\twhy", false},
        {"*\tbias,pads\t*\twrong-value\t*\t*\t-\twhy", false},
        {"*\t*\topt=extended,all\twrong-value\t*\t*\t-\twhy", true},
        {"*\t*\topt=extended,al\twrong-value\t*\t*\t-\twhy", false},
        {"*\t*\topt=none,basic\twrong-value\t*\t*\t-\twhy", false},
        {"*\t*\topt=all;threads=1\twrong-value\t*\t*\t-\twhy", true},
        {"*\t*\topt=all;threads=2\twrong-value\t*\t*\t-\twhy", false},
        {"*\t*\tpt=all\twrong-value\t*\t*\t-\twhy", false},
        {"*\t*\t*\twrong-shape\t*\t*\t-\twhy", false},
        {"*\t*\t*\twrong-value\t<1.27\t*\t-\twhy", true},
        {"*\t*\t*\twrong-value\t>=1.20,<1.26\t*\t-\twhy", false},
        {"*\t*\t*\twrong-value\t1.26.0\t*\t-\twhy", true},
        {"*\t*\t*\twrong-value\t*\tno_such_flag\t-\twhy", false},
        {"*\t*\t*\twrong-value\t*\t!no_such_flag\t-\twhy", true},
        {"# *\t*\t*\twrong-value\t*\t*\t-\twhy", false},
        {"\n\r\n*\t*\t*\twrong-value\t*\t*\t-\twhy\r\n", true},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (expects(rows[i].row, "a/b/c", QD_FEATURE_BIAS, QD_VERDICT_WRONG_VALUE) !=
            rows[i].selects)
            fail_msg("row %zu: %s", i, rows[i].row);
}

static void test_bad_rows_name_line_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"# ok\na\tb\n", "x.tsv:2: 2 fields; a row has 8"},
        {"a\t*\t*\twrong-value\t*\t*\t-\twhy\tmore", "x.tsv:1: 9 fields"},
        {"a\t*\t*\tvalue\t*\t*\t-\twhy", "did you mean wrong-value?"},
        {"a\t*\t*\tvalu\t*\t*\t-\twhy", "field 4 (class or quirk) 'valu'"},
        {"a\t*\t*\texact\t*\t*\t-\twhy", "field 4 (class or quirk) 'exact'"},
        {"a\t*\t*\tquirk:\t*\t*\t-\twhy", "field 4 (class or quirk) ''"},
        {"a\t*\t*\tquirk:none\t*\t*\t-\twhy", "'none': there is no such quirk"},
        {"a\t*\t*\tquirk:range-wrap\t*\t*\t-\twhy", "(did you mean range-wraps?)"},
        {"a\t*\t*\tquirk:axis-0+axis-last+range-wraps+reciprocal\t*\t*\t-\twhy",
         "names more than three quirks"},
        {"a\tbiass\t*\twrong-value\t*\t*\t-\twhy", "field 2 (features) 'biass'"},
        {"a\t*\tall\twrong-value\t*\t*\t-\twhy", "field 3 (settings) 'all'"},
        {"a\t*\topt=\twrong-value\t*\t*\t-\twhy", "field 3 (settings)"},
        {"a\t*\topt=all;\twrong-value\t*\t*\t-\twhy", "field 3 (settings)"},
        {"a\t*\t*\twrong-value\t>1.x,\t*\t-\twhy", "field 5 (version range)"},
        {"a\t*\t*\twrong-value\tnew\t*\t-\twhy", "field 5 (version range) 'new'"},
        {"a\t*\t*\twrong-value\t*\tAVX 2\t-\twhy", "field 6 (CPU condition) 'AVX 2'"},
        {"a\t*\t*\twrong-value\t*\t*\t\twhy", "field 7 (issue)"},
        {"\t*\t*\twrong-value\t*\t*\t-\twhy", "field 1 (case or op pattern)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_expectations *made = NULL;
        struct qd_error error = {.status = QD_OK};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        enum qd_status status = qd_expectations_parse("x.tsv", rows[i].text, strlen(rows[i].text),
                                                      &arena, &made, &error);
        if (status != QD_USAGE || !strstr(error.text, rows[i].words))
            fail_msg("row %zu: have %s: %s", i, qd_status_word(status), error.text);
        qd_arena_clear(&arena);
    }
    struct qd_arena arena;
    struct qd_expectations *made = NULL;
    struct qd_error error = {.status = QD_OK};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_expectations_parse("x.tsv", "a\0b", 3, &arena, &made, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "NUL"));
    qd_arena_clear(&arena);
}

static void test_match_gives_issue_reason_and_row(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_expectations *made =
        parse(&arena, "# a comment\n"
                      "b\t*\t*\twrong-value\t*\t*\tissue 1\tone\n"
                      "a\t*\t*\twrong-value\t*\t*\tissue 2\ttwo words\n");
    struct qd_features none = {{0, 0}};
    const struct qd_expectation *unexpected;
    const struct qd_expectation *found = qd_expectations_match(
        made,
        &(struct qd_evidence){
            .kase = a_case("a"), .features = &none, .verdict = QD_VERDICT_WRONG_VALUE},
        &unexpected, NULL);
    assert_non_null(found);
    assert_null(unexpected);
    assert_string_equal(found->issue, "issue 2");
    assert_string_equal(found->reason, "two words");
    assert_int_equal(found->row, 3);
    qd_arena_clear(&arena);
}

/* Two runs of an answer that changes may agree by chance, and what takes memory without end may meet the time limit;
 * not the other way round. */
static void test_covers_what_shows_as_well(void **state)
{
    static const struct {
        const char *row;
        enum qd_verdict seen;
        bool expected;
    } rows[] = {
        {"a\t*\t*\tnondeterministic\t*\t*\t-\twhy", QD_VERDICT_NONDETERMINISTIC, true},
        {"a\t*\t*\tnondeterministic\t*\t*\t-\twhy", QD_VERDICT_WRONG_VALUE, true},
        {"a\t*\t*\tnondeterministic\t*\t*\t-\twhy", QD_VERDICT_CRASH, false},
        {"a\t*\t*\twrong-value\t*\t*\t-\twhy", QD_VERDICT_NONDETERMINISTIC, false},
        {"a\t*\t*\toom\t*\t*\t-\twhy", QD_VERDICT_HANG, true},
        {"a\t*\t*\thang\t*\t*\t-\twhy", QD_VERDICT_OOM, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_features none = {{0, 0}};
        const struct qd_expectation *unexpected;
        const struct qd_evidence seen = {
            .kase = a_case("a"), .features = &none, .verdict = rows[i].seen};
        bool found =
            qd_expectations_match(parse(&arena, rows[i].row), &seen, &unexpected, NULL) != NULL;
        if (found != rows[i].expected)
            fail_msg("row %zu: have %d", i, found);
        qd_arena_clear(&arena);
    }
}

/* A graph DequantizeLinear → Add of a fuzzer, raw ("fuzz") or reduced. */
static const struct qd_case *fuzzed_case(const char *id)
{
    static struct qd_node nodes[] = {{.op_type = "DequantizeLinear"}, {.op_type = "Add"}};
    static const struct qd_graph graph = {.node_count = 2, .nodes = nodes};
    static struct qd_case kase;
    kase = (struct qd_case){.id = id, .op = "Add", .rule = "Add/shape", .graph = &graph};
    return &kase;
}

/* Rows for fuzzers go by operators, by what the target said and by the rule; plain wrong numbers are known in reduced
 * cases only, and no case of the suite is. */
static void test_rows_for_fuzzers(void **state)
{
    static const struct {
        const char *row, *id;
        enum qd_verdict seen;
        bool expected;
    } rows[] = {
        {"fuzz:*>Add\t*\t*\trejects-valid\t*\t*\t-\twhy", "fuzz", QD_VERDICT_REJECTS_VALID, true},
        {"fuzz:Add\t*\t*\trejects-valid\t*\t*\t-\twhy", "fuzz", QD_VERDICT_REJECTS_VALID, false},
        {"fuzz:*\t*\t*\trejects-valid\t*\t*\t-\twhy", "Add/x", QD_VERDICT_REJECTS_VALID, false},
        {"fuzz:*\t*\t*\trejects-valid:*node * is bad*\t*\t*\t-\twhy", "fuzz",
         QD_VERDICT_REJECTS_VALID, true},
        {"fuzz:*\t*\t*\trejects-valid:*node * is good*\t*\t*\t-\twhy", "fuzz",
         QD_VERDICT_REJECTS_VALID, false},
        {"fuzz:*\t*\t*\taccepts-invalid:Add/shape\t*\t*\t-\twhy", "fuzz",
         QD_VERDICT_ACCEPTS_INVALID, true},
        {"fuzz:*\t*\t*\taccepts-invalid:Add/type\t*\t*\t-\twhy", "fuzz", QD_VERDICT_ACCEPTS_INVALID,
         false},
        {"fuzz:*\t*\t*\tcrash:Add/shape\t*\t*\t-\twhy", "fuzz", QD_VERDICT_CRASH, true},
        {"fuzz:*\t*\t*\tcrash:Add/type\t*\t*\t-\twhy", "fuzz", QD_VERDICT_CRASH, false},
        {"fuzz:*\t*\t*\twrong-value\t*\t*\t-\twhy", "fuzz", QD_VERDICT_WRONG_VALUE, false},
        {"fuzz:*\t*\t*\twrong-value\t*\t*\t-\twhy", "findings/a-b", QD_VERDICT_WRONG_VALUE, true},
        {"*\t*\t*\trejects-valid:*is bad*\t*\t*\t-\twhy", "Add/x", QD_VERDICT_REJECTS_VALID, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_features none = {{0, 0}};
        const char *words = rows[i].seen == QD_VERDICT_ACCEPTS_INVALID
                                ? fuzzed_case(rows[i].id)->rule
                                : "node 'n1' is bad: 3";
        const struct qd_expectation *unexpected;
        struct qd_case kase = *fuzzed_case(rows[i].id);
        if (rows[i].seen == QD_VERDICT_CRASH || rows[i].seen == QD_VERDICT_ACCEPTS_INVALID)
            kase.expect = QD_EXPECT_MUST_REJECT;
        const struct qd_evidence seen = {
            .kase = &kase, .features = &none, .verdict = rows[i].seen, .words = words};
        bool found =
            qd_expectations_match(parse(&arena, rows[i].row), &seen, &unexpected, NULL) != NULL;
        if (found != rows[i].expected)
            fail_msg("row %zu: have %d", i, found);
        qd_arena_clear(&arena);
    }
}

static void test_what_may_crash(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_features none = {{0, 0}};
    struct qd_expectations *rows = parse(&arena, "fuzz:*>Add\t*\t*\tcrash:signal 6*\t*\t*\t-\twhy\n"
                                                 "fuzz:*\t*\t*\trejects-valid\t*\t*\t-\twhy");
    assert_true(qd_expectations_expect(rows, QD_VERDICT_CRASH, fuzzed_case("fuzz"), &none));
    assert_false(qd_expectations_expect(rows, QD_VERDICT_CRASH, fuzzed_case("Add/x"), &none));
    assert_true(qd_expectations_expect(rows, QD_VERDICT_REJECTS_VALID, fuzzed_case("fuzz"), &none));
    assert_false(qd_expectations_expect(rows, QD_VERDICT_STATE_LEAK, fuzzed_case("fuzz"), &none));
    rows =
        parse(&arena, "fuzz:*\tbias\t*\tcrash\t*\t*\t-\twhy\nfuzz:*\t*\t*\tcrash\t>9\t*\t-\twhy");
    assert_false(qd_expectations_expect(rows, QD_VERDICT_CRASH, fuzzed_case("fuzz"), &none));
    qd_arena_clear(&arena);
}

/* A row for one case that passes is news; a row for many of which one passes is not. */
static void test_unexpected_pass(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_features none = {{0, 0}};
    const struct qd_expectation *unexpected;
    struct qd_expectations *glob = parse(&arena, "a*\t*\t*\twrong-value\t*\t*\t-\twhy");
    assert_null(qd_expectations_match(glob,
                                      &(struct qd_evidence){.kase = a_case("abc"),
                                                            .features = &none,
                                                            .verdict = QD_VERDICT_EXACT},
                                      &unexpected, NULL));
    assert_null(unexpected);
    struct qd_expectations *one = parse(&arena, "abc\t*\t*\twrong-value\t*\t*\t-\twhy");
    assert_null(qd_expectations_match(one,
                                      &(struct qd_evidence){.kase = a_case("abc"),
                                                            .features = &none,
                                                            .verdict = QD_VERDICT_EXACT},
                                      &unexpected, NULL));
    assert_non_null(unexpected);
    assert_int_equal(unexpected->row, 1);
    /* it diverges, but otherwise: neither expected nor a pass */
    assert_null(qd_expectations_match(one,
                                      &(struct qd_evidence){.kase = a_case("abc"),
                                                            .features = &none,
                                                            .verdict = QD_VERDICT_WRONG_SHAPE},
                                      &unexpected, NULL));
    assert_null(unexpected);
    qd_arena_clear(&arena);
}

static void count_row(void *context, const struct qd_expectation *row, const char *text)
{
    char *seen = context;
    snprintf(seen + strlen(seen), 64 - strlen(seen), "%zu:%.3s ", row->row, text);
}

static void test_stale_rows(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_features none = {{0, 0}};
    const struct qd_expectation *unexpected;
    struct qd_expectations *made = parse(
        &arena, "a*\t*\t*\twrong-value\t*\t*\t-\twhy\n"       /* used */
                "ab*\t*\t*\twrong-shape\t*\t*\t-\twhy\n"      /* stale */
                "zz*\t*\t*\twrong-value\t*\t*\t-\twhy\n"      /* stale: it selects nothing */
                "ab*\t*\t*\twrong-value\t<1.20\t*\t-\twhy\n"  /* inactive */
                "ab*\t*\t*\tnondeterministic\t*\t*\t-\twhy\n" /* the first row's, another time */
                "abd\t*\t*\tnondeterministic\t*\t*\t-\twhy\n" /* stale: it passes */
                "abe\t*\t*\tstate-leak\t*\t*\t-\twhy\n"       /* its twin lived this time */
                "abf\t*\t*\tstate-leak\t*\t*\t-\twhy\n" /* stale: a wrong value shows no damage */);
    qd_expectations_match(made,
                          &(struct qd_evidence){.kase = a_case("abc"),
                                                .features = &none,
                                                .verdict = QD_VERDICT_WRONG_VALUE},
                          &unexpected, NULL);
    qd_expectations_match(made,
                          &(struct qd_evidence){.kase = a_case("abd"),
                                                .features = &none,
                                                .verdict = QD_VERDICT_EXACT},
                          &unexpected, NULL);
    assert_null(qd_expectations_match(made,
                                      &(struct qd_evidence){.kase = a_case("abe"),
                                                            .features = &none,
                                                            .verdict = QD_VERDICT_ACCEPTS_INVALID},
                                      &unexpected, NULL));
    qd_expectations_match(made,
                          &(struct qd_evidence){.kase = a_case("abf"),
                                                .features = &none,
                                                .verdict = QD_VERDICT_WRONG_VALUE},
                          &unexpected, NULL);
    char seen[64] = "";
    qd_expectations_stale(made, count_row, seen);
    assert_string_equal(seen, "2:ab* 3:zz* 6:abd 8:abf ");
    qd_arena_clear(&arena);
}

/* Fields are written as they are, but for versions, settings and reasons that a file cannot hold. */
static void test_written_rows_have_all_fields(void **state)
{
    static const struct {
        struct qd_row_draft draft;
        const char *row;
    } rows[] = {
        {{"op:Conv", "bias", "opt=all", "quirk:range-wraps+axis-0", "1.26.0", "why"},
         "op:Conv\tbias\topt=all\tquirk:range-wraps+axis-0\t1.26.0\t*\t-\twhy\n"},
        {{"a", "*", "no setting", "crash", "no version", ""},
         "a\t*\t*\tcrash\t*\t*\t-\tnot explained yet\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        const char *text = NULL;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        assert_int_equal(qd_expectations_row(&rows[i].draft, &arena, &text, NULL), QD_OK);
        assert_string_equal(text, rows[i].row);
        parse(&arena, text);
        qd_arena_clear(&arena);
    }
}

static void append_error(void *context, const struct qd_error *error)
{
    char *words = context;
    assert_int_equal(error->status, QD_USAGE);
    snprintf(words + strlen(words), 1024 - strlen(words), "%s|", error->text);
}

static void test_idle_rows_are_named(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_expectations *made =
        parse(&arena, "abc\t*\t*\twrong-value\t<1.20\t*\t-\tinactive, but of a case\n"
                      "op:QLinearConf\t*\t*\twrong-value\t*\t*\t-\twhy\n"
                      "abd\t*\t*\twrong-value\t*\t*\t-\twhy\n"
                      "op:QLinearConv\tbias\t*\twrong-value\t*\t*\t-\twhy\n"
                      "ab*\tpads\t*\twrong-value\t*\t*\t-\twhy\n");
    struct qd_features bias = features_of(QD_FEATURE_BIAS);
    char words[1024] = "";
    assert_false(qd_expectations_mark_selected(made, a_case("abc"), &bias));
    qd_expectations_unused(made, append_error, words);
    assert_string_equal(
        words, "x.tsv:2: field 1 (case or op pattern) 'QLinearConf': is the operator of no case|"
               "x.tsv:3: field 1 (case or op pattern) 'abd': is the id of no case|"
               "x.tsv:5: field 2 (features) 'pads': no case that field 1 names is so|");
    struct qd_features pads = features_of(QD_FEATURE_PADS);
    assert_false(qd_expectations_mark_selected(made, a_case("abd"), &pads));
    words[0] = '\0';
    qd_expectations_unused(made, append_error, words);
    assert_non_null(strstr(words, "x.tsv:2: "));
    assert_null(strchr(strchr(words, '|') + 1, '|'));
    qd_arena_clear(&arena);
}

/* Ids of what is left; a row by operator may be about any. */
static void test_pending_rows_say_which_ids(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_expectations *made = parse(&arena, "op:QLinearConv\t*\t*\tcrash\t*\t*\t-\twhy\n"
                                                 "abc\t*\t*\tcrash\t*\t*\t-\twhy\n"
                                                 "x/*\t*\t*\tcrash\t*\t*\t-\twhy\n");
    struct qd_features none = {{0, 0}};
    const char **patterns;
    size_t count;
    assert_false(qd_expectations_pending(made, &arena, &patterns, &count));
    qd_expectations_mark_selected(made, a_case("abc"), &none); /* a QLinearConv */
    assert_true(qd_expectations_pending(made, &arena, &patterns, &count));
    assert_int_equal(count, 1);
    assert_string_equal(patterns[0], "x/*");
    qd_arena_clear(&arena);
}

/* What is written is read again and matches that case, that class and that release only. */
static void test_written_rows_read_back(void **state)
{
    (void)state;
    static const char *const ids[] = {"QLinearConv/u8/x/01234567", "odd*id[1]?", "back\\slash"};
    struct qd_features none = {{0, 0}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct qd_arena arena;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        const char *text = NULL;
        struct qd_error error = {.status = QD_OK};
        const struct qd_expectation *unexpected;
        const struct qd_row_draft draft = {.pattern = qd_expectations_pattern("", ids[i], &arena),
                                           .features = "*",
                                           .settings = "opt=all",
                                           .class = "rejects-valid",
                                           .versions = ort.version,
                                           .reason = "first\tline\nsecond\x01"};
        assert_int_equal(qd_expectations_row(&draft, &arena, &text, &error), QD_OK);
        struct qd_expectations *made = parse(&arena, text);
        const struct qd_expectation *found = qd_expectations_match(
            made,
            &(struct qd_evidence){
                .kase = a_case(ids[i]), .features = &none, .verdict = QD_VERDICT_REJECTS_VALID},
            &unexpected, NULL);
        assert_non_null(found);
        assert_string_equal(found->reason, "first line second?");
        assert_null(qd_expectations_match(made,
                                          &(struct qd_evidence){.kase = a_case(ids[i]),
                                                                .features = &none,
                                                                .verdict = QD_VERDICT_WRONG_VALUE},
                                          &unexpected, NULL));
        assert_null(qd_expectations_match(
            made,
            &(struct qd_evidence){
                .kase = a_case("odd-id1x"), .features = &none, .verdict = QD_VERDICT_REJECTS_VALID},
            &unexpected, NULL));
        assert_null(qd_expectations_match(made,
                                          &(struct qd_evidence){.kase = a_case(ids[i]),
                                                                .features = &none,
                                                                .verdict = QD_VERDICT_EXACT},
                                          &unexpected, NULL));
        assert_non_null(unexpected);
        struct qd_target_info newer = ort;
        newer.version = "1.27.0";
        assert_int_equal(qd_expectations_activate(made, &newer, &error), QD_OK);
        assert_null(qd_expectations_match(
            made,
            &(struct qd_evidence){
                .kase = a_case(ids[i]), .features = &none, .verdict = QD_VERDICT_REJECTS_VALID},
            &unexpected, NULL));
        qd_arena_clear(&arena);
    }
}

static void test_versions(void **state)
{
    (void)state;
    static const char *const ordered[] = {"1.2",    "1.9.0",  "1.10.0-rc1", "1.10.0",
                                          "1.10.1", "1.26.0", "1.31.1",     "2"};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int order = qd_version_order(ordered[i], ordered[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    assert_int_equal(qd_version_order("1.20", "1.20.0"), 0);
    assert_true(qd_version_in_range("1.31.1", ">=1.20,<1.32"));
    assert_true(qd_version_in_range("1.31.1", "<=1.31.1"));
    assert_false(qd_version_in_range("1.31.1", ">1.31.1"));
    assert_false(qd_version_in_range("1.31.1", "=1.31"));
    assert_false(qd_version_range_ok(""));
    assert_false(qd_version_range_ok(">=1.2,"));
    assert_false(qd_version_range_ok("=>1.2"));
}

static void test_cpu_conditions(void **state)
{
    (void)state;
    const char *flags = " fpu avx2 avx512_vnni ";
    assert_true(qd_cpu_fulfils(flags, "*"));
    assert_true(qd_cpu_fulfils(flags, "avx2"));
    assert_true(qd_cpu_fulfils(flags, "avx2,!amx_int8"));
    assert_false(qd_cpu_fulfils(flags, "avx"));
    assert_false(qd_cpu_fulfils(flags, "!avx512_vnni"));
    assert_false(qd_cpu_fulfils(flags, "avx2,amx_int8"));
    char real[QD_CPU_FLAGS_SIZE];
    assert_int_equal(qd_cpu_flags("opt=all", real, sizeof real, NULL), QD_OK);
    assert_true(real[0] == ' ' && real[strlen(real) - 1] == ' ');
    assert_int_equal(qd_cpu_flags("opt=all,threads=1,cpu=haswell", real, sizeof real, NULL), QD_OK);
    assert_true(qd_cpu_fulfils(real, "avx2,!avx512_vnni"));
    assert_int_equal(qd_cpu_flags("cpu=cortex-a76", real, sizeof real, NULL), QD_OK);
    assert_true(qd_cpu_fulfils(real, "asimddp,!i8mm,!avx2"));
}

/* DequantizeLinear of q = 5, z = 3, s = 1: 2, and 5 when the zero point is ignored. */
static bool quirk_row_expects(float have)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_value want;
    struct qd_error error = {.status = QD_OK};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_dequantize_case(&kase, &arena, 5, 1, 3);
    if (qd_graph_evaluate(kase.graph, kase.inputs, NULL, &arena, &want, &error) != QD_OK)
        fail_msg("%s", error.text);
    struct qd_tensor output = want.want;
    output.data = &have;
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &output};
    struct qd_features none = {{0, 0}};
    const struct qd_expectation *unexpected,
        *found =
            qd_expectations_match(parse(&arena, "*\t*\t*\tquirk:zero-points-ignored\t*\t*\t-\twhy"),
                                  &(struct qd_evidence){&kase, &none, QD_VERDICT_WRONG_VALUE, &want,
                                                        &run, NULL, NULL, NULL},
                                  &unexpected, NULL);
    assert_true(!found || strcmp(found->quirks, "zero-points-ignored") == 0);
    qd_arena_clear(&arena);
    return found != NULL;
}

static void test_a_quirk_row_covers_what_it_explains(void **state)
{
    (void)state;
    assert_true(quirk_row_expects(5));
    assert_false(quirk_row_expects(4));
}

/* QuantizeLinear of -2.5 with z = 1 and s = 1: ties to even give -2, so code 0 of uint8; away from zero it is -3, so
 * -2, which wraps to 254. Neither quirk alone gives that: ties to even wrap to 255. */
static bool pair_is_known(const char *id, const char *operators, uint8_t have)
{
    const float x = -2.5F;
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_value want;
    struct qd_error error = {.status = QD_OK};
    struct qd_features none = {{0, 0}};
    const struct qd_expectation *unexpected;
    char rows[512];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, &x, 1, 1, 1);
    kase.id = id;
    if (qd_graph_evaluate(kase.graph, kase.inputs, NULL, &arena, &want, &error) != QD_OK)
        fail_msg("%s", error.text);
    struct qd_tensor output = want.want;
    output.data = &have;
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &output};
    snprintf(rows, sizeof rows,
             "fuzz:*\t*\t*\tquirk:round-half-away\t*\t*\t-\twhy\n"
             "fuzz:*\t*\t*\tquirk:reciprocal\t*\t*\t-\twhy\n"
             "fuzz:%s\t*\t*\tquirk:range-wraps\t*\t*\t-\twhy",
             operators);
    const struct qd_expectation *found = qd_expectations_match(
        parse(&arena, rows),
        &(struct qd_evidence){&kase, &none, QD_VERDICT_WRONG_VALUE, &want, &run, NULL, NULL, NULL},
        &unexpected, NULL);
    qd_arena_clear(&arena);
    return found != NULL;
}

static void test_two_known_quirks_together_are_known(void **state)
{
    (void)state;
    assert_true(pair_is_known("fuzz", "*", 254));
    assert_true(pair_is_known("fuzz", "*", 255)); /* one alone */
    assert_false(pair_is_known("fuzz", "*", 253));
    assert_false(pair_is_known("fuzz", "Conv", 254));
    assert_false(pair_is_known("QuantizeLinear/one", "*", 254)); /* the suite's are written down */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_select),
        cmocka_unit_test(test_bad_rows_name_line_and_field),
        cmocka_unit_test(test_match_gives_issue_reason_and_row),
        cmocka_unit_test(test_covers_what_shows_as_well),
        cmocka_unit_test(test_rows_for_fuzzers),
        cmocka_unit_test(test_what_may_crash),
        cmocka_unit_test(test_unexpected_pass),
        cmocka_unit_test(test_stale_rows),
        cmocka_unit_test(test_a_quirk_row_covers_what_it_explains),
        cmocka_unit_test(test_two_known_quirks_together_are_known),
        cmocka_unit_test(test_written_rows_have_all_fields),
        cmocka_unit_test(test_idle_rows_are_named),
        cmocka_unit_test(test_pending_rows_say_which_ids),
        cmocka_unit_test(test_written_rows_read_back),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_cpu_conditions),
    };
    return cmocka_run_group_tests_name("expectations", tests, NULL, NULL);
}
