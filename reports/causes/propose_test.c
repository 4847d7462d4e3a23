/* SPDX-License-Identifier: Apache-2.0 */
/* Proposed rows cover the failures that they are for, on the settings where those were seen, and nothing of
 * another cause. Alone: <build>/tests/reports/causes/propose_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causes/propose.h"

static const struct qd_proposal_target targets[] = {
    {"lib@1.0[opt=none]", {.name = "lib", .version = "1.0", .settings = "opt=none"}},
    {"lib@1.0[opt=all]", {.name = "lib", .version = "1.0", .settings = "opt=all"}},
    {"lib@2.0[opt=none]", {.name = "lib", .version = "2.0", .settings = "opt=none"}},
    {"lib@2.0[opt=all]", {.name = "lib", .version = "2.0", .settings = "opt=all"}},
};

/* Results are added one by one, then proposed for. */
struct bench {
    struct qd_causes causes;
    char *text;
    size_t size, rows;
};

static void begin(struct bench *bench)
{
    *bench = (struct bench){.rows = 0};
    qd_causes_init(&bench->causes);
}

static void add(struct bench *bench, const char *id, size_t target, enum qd_verdict verdict,
                const char *message, const char *features)
{
    struct qd_result result = qd_result_init(id, "Conv", targets[target].id, QD_RESULT_FAIL);

    if (!qd_verdict_is_divergence(verdict))
        result.kind = QD_RESULT_PASS;
    result.comparison.verdict = verdict;
    result.message = message;
    result.features = features;
    assert_int_equal(qd_causes_add(&bench->causes, &result, NULL), QD_OK);
}

/* The rows, of the first `count` targets. */
static const char *propose(struct bench *bench, size_t count)
{
    const struct qd_proposal proposal = {&bench->causes, count, targets, false};
    FILE *out = open_memstream(&bench->text, &bench->size);

    assert_non_null(out);
    assert_int_equal(qd_causes_find(&bench->causes, NULL), QD_OK);
    assert_int_equal(qd_causes_propose(&proposal, out, &bench->rows, NULL), QD_OK);
    fclose(out);
    return bench->text;
}

static void end(struct bench *bench)
{
    free(bench->text);
    qd_causes_clear(&bench->causes);
}

static void a_message_is_one_row(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    for (size_t target = 0; target < 2; target++) {
        add(&bench, "a", target, QD_VERDICT_REJECTS_VALID, "scale of 'n1' must be one number here",
            "");
        add(&bench, "b", target, QD_VERDICT_REJECTS_VALID, "scale of 'n2' must be one number here",
            "");
    }
    assert_string_equal(propose(&bench, 2),
                        "op:Conv\t*\t*\trejects-valid:*scale of*must be one number here*\t*\t*\t-\t"
                        "4 results: scale of 'n1' must be one number here\n");
    end(&bench);
}

static void settings_and_release_are_those_that_were_seen(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(&bench, "a", 1, QD_VERDICT_CRASH, "it stopped in the middle of its work", "");
    assert_string_equal(
        propose(&bench, 2),
        "op:Conv\t*\topt=all\tcrash:*it stopped in the middle of its work*\t*\t*\t-\t"
        "1 results: it stopped in the middle of its work\n");
    end(&bench);
    begin(&bench);
    add(&bench, "a", 1, QD_VERDICT_CRASH, "it stopped in the middle of its work", "");
    assert_string_equal(
        propose(&bench, 4),
        "op:Conv\t*\topt=all\tcrash:*it stopped in the middle of its work*\t1.0\t*\t-\t"
        "1 results: it stopped in the middle of its work\n");
    end(&bench);
}

/* A pattern that would match another cause's message too is no row; ids are. */
static void one_bugs_row_does_not_cover_another(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(&bench, "a", 0, QD_VERDICT_REJECTS_VALID, "the shape of an input is not supported", "");
    add(&bench, "b", 0, QD_VERDICT_REJECTS_VALID,
        "inside the loop: the shape of an input is not supported by it", "");
    const char *text = propose(&bench, 1);
    assert_int_equal(bench.rows, 2);
    assert_non_null(strstr(text, "a\t*\t*\trejects-valid\t*"));
    assert_non_null(strstr(text, "op:Conv\t*\t*\trejects-valid:*inside the loop: "));
    end(&bench);
}

static void features_are_a_row_where_they_are_narrow(void **state)
{
    struct bench bench;
    char id[16];

    (void)state;
    for (int failing = 4; failing <= 104; failing += 100) {
        begin(&bench);
        for (int i = 0; i < failing; i++) {
            snprintf(id, sizeof id, "f%03d", i);
            add(&bench, id, 0, QD_VERDICT_WRONG_VALUE, "", "bias,groups");
        }
        add(&bench, "p1", 0, QD_VERDICT_EXACT, "", "bias");
        add(&bench, "p2", 0, QD_VERDICT_EXACT, "", "groups");
        const char *text = propose(&bench, 1);
        assert_int_equal(bench.rows, failing < QD_PROPOSAL_MOST ? 1 : failing);
        assert_non_null(strstr(text, failing < QD_PROPOSAL_MOST
                                         ? "op:Conv\tbias,groups\t*\twrong-value\t"
                                         : "f000\t*\t*\twrong-value\t"));
        end(&bench);
    }
}

/* Three of four that have the feature fail so: that is no row, and neither are cases that are refused as they have
 * to be. */
static void what_selects_others_is_no_row(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench);
    add(&bench, "a", 0, QD_VERDICT_WRONG_VALUE, "", "bias");
    add(&bench, "b", 0, QD_VERDICT_WRONG_VALUE, "", "bias");
    add(&bench, "c", 0, QD_VERDICT_WRONG_VALUE, "", "bias");
    add(&bench, "d", 0, QD_VERDICT_REJECTED, "", "bias");
    add(&bench, "e", 0, QD_VERDICT_EXACT, "", "groups");
    const char *text = propose(&bench, 1);
    assert_int_equal(bench.rows, 3);
    assert_null(strstr(text, "op:Conv"));
    end(&bench);
}

/* What a row covers already may say the same. */
static void known_failures_do_not_stand_in_the_way(void **state)
{
    static const char message[] = "this precision is not supported by the kernel";
    struct qd_result known = qd_result_init("k", "Conv", targets[0].id, QD_RESULT_KNOWN);
    struct bench bench;

    (void)state;
    begin(&bench);
    known.comparison.verdict = QD_VERDICT_REJECTS_VALID;
    known.message = message;
    known.issue = "reports/findings/another/report.md";
    assert_int_equal(qd_causes_add(&bench.causes, &known, NULL), QD_OK);
    add(&bench, "a", 0, QD_VERDICT_REJECTS_VALID, message, "");
    add(&bench, "b", 0, QD_VERDICT_REJECTS_VALID, message, "");
    const char *text = propose(&bench, 1);
    assert_int_equal(bench.rows, 1);
    assert_non_null(strstr(text, "op:Conv\t*\t*\trejects-valid:*this precision"));
    end(&bench);
}

static void known_failures_need_no_row(void **state)
{
    struct qd_result result = qd_result_init("a", "Conv", targets[0].id, QD_RESULT_KNOWN);
    struct bench bench;

    (void)state;
    begin(&bench);
    result.comparison.verdict = QD_VERDICT_CRASH;
    assert_int_equal(qd_causes_add(&bench.causes, &result, NULL), QD_OK);
    assert_string_equal(propose(&bench, 1), "");
    assert_int_equal(bench.rows, 0);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_one_row),
        cmocka_unit_test(settings_and_release_are_those_that_were_seen),
        cmocka_unit_test(one_bugs_row_does_not_cover_another),
        cmocka_unit_test(features_are_a_row_where_they_are_narrow),
        cmocka_unit_test(what_selects_others_is_no_row),
        cmocka_unit_test(known_failures_need_no_row),
        cmocka_unit_test(known_failures_do_not_stand_in_the_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
