/* SPDX-License-Identifier: Apache-2.0 */
/* The list of quirks: every row complete, every two different somewhere, mixtures told apart, the README's example the
 * one that is built.
 * Alone: <build>/tests/targets/quirk/list_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/kill.h"
#include "qdiff/suite.h"

#define MOST_QUIRKS 256

static bool is_name(const char *name)
{
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* Whether an operator of the reference is one that the quirk is about. */
static bool concerns_something(const struct qd_quirk *quirk)
{
    for (size_t i = 0; qd_op_at(i); i++) {
        const struct qd_node node = {.domain = qd_op_at(i)->domain, .op_type = qd_op_at(i)->name};
        if (qd_quirk_concerns_node(quirk, &node))
            return true;
    }
    return false;
}

static void rows_are_complete(void **state)
{
    (void)state;
    size_t count = 0;
    for (; qd_quirk_at(count); count++) {
        const struct qd_quirk *q = qd_quirk_at(count);
        bool complete =
            is_name(q->name) && q->effect[0] && q->seen[0] && strstr(q->witness, " for ") != NULL;
        if (!complete || !q->switches == !q->override || !concerns_something(q))
            fail_msg("the row of %s is not complete", q->name);
        if (qd_quirk_find(q->name) != q)
            fail_msg("%s is listed twice", q->name);
        if (count > 0 && q->family < qd_quirk_at(count - 1)->family)
            fail_msg("%s is not beside its family", q->name);
        if (q->override && !q->override->node && !q->override->graph)
            fail_msg("%s overrides no seam", q->name);
    }
    print_message("# %zu quirks\n", count);
    assert_true(count >= 70 && count <= MOST_QUIRKS);
    assert_null(qd_quirk_find("no-such-quirk"));
}

/* --- Every two differ ----------------------------------------------------------------------------- */

struct prints {
    struct qd_mutants mutants;
    uint64_t of[MOST_QUIRKS]; /* what each quirk answers, over the cases until it is alone */
    bool alone[MOST_QUIRKS];  /* no other one has answered the same: it is asked no more */
};

#define REFUSED UINT64_C(14695981039346656037)

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

/* The answer of these semantics, condensed; a refusal is one answer too. Must-reject cases are evaluated as well: a
 * quirk sees operands that nobody has checked. */
static uint64_t print_of(const struct qd_case *kase, const struct qd_semantics *semantics)
{
    struct qd_arena arena;
    struct qd_value values[8];
    struct qd_error error;
    uint64_t hash = REFUSED;
    assert_true(kase->graph->output_count <= sizeof values / sizeof *values);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(kase->graph, kase->inputs, semantics, &arena, values, &error) == QD_OK)
        for (size_t i = 0; i < kase->graph->output_count; i++) {
            qd_quirk_answer(&values[i]);
            hash = mix(hash, values[i].want.data, qd_tensor_bytes(&values[i].want));
        }
    qd_arena_clear(&arena);
    return hash;
}

/* Another quirk that has answered alike so far; the quirk itself if there is none. */
static size_t alike(const struct prints *prints, size_t quirk)
{
    for (size_t i = 0; i < prints->mutants.count; i++)
        if (i != quirk && !prints->alone[i] && prints->of[i] == prints->of[quirk])
            return i;
    return quirk;
}

static enum qd_visit take_prints(void *context, const struct qd_case *kase)
{
    struct prints *prints = context;
    uint64_t plain = print_of(kase, NULL);
    bool all = true;
    for (size_t i = 0; i < prints->mutants.count; i++) {
        bool concerned = !prints->alone[i] && qd_quirk_concerns(qd_quirk_at(i), kase->graph);
        uint64_t own = concerned ? print_of(kase, &prints->mutants.semantics[i]) : plain;
        if (!prints->alone[i])
            prints->of[i] = mix(prints->of[i], &own, sizeof own);
    }
    for (size_t i = 0; i < prints->mutants.count; i++) {
        prints->alone[i] = prints->alone[i] || alike(prints, i) == i;
        all = all && prints->alone[i];
    }
    return all ? QD_VISIT_STOP : QD_VISIT_GO_ON;
}

static void every_two_differ(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct prints prints = {.of = {0}};
    struct qd_suite_options smoke = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_mutants_init(&arena, &prints.mutants, &error) != QD_OK ||
        qd_suite_visit(&smoke, take_prints, &prints, &error) != QD_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < prints.mutants.count; i++)
        if (!prints.alone[i])
            fail_msg("%s and %s answer alike on every case", qd_quirk_at(i)->name,
                     qd_quirk_at(alike(&prints, i))->name);
    qd_arena_clear(&arena);
}

/* --- Mixtures -------------------------------------------------------------------------------------- */

static void mixtures_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum qd_status status;
        size_t overrides;
    } rows[] = {
        {"", QD_OK, 0},
        {"zero-points-ignored", QD_OK, 0},
        {"axis-0+bias-dropped", QD_OK, 2},
        {"axis-0,round-toward-zero,range=wrap", QD_OK, 1},
        {"axis-0+axis-0", QD_USAGE, 0},
        {"round-toward-zero+round-up", QD_USAGE, 0},
        {"round-toward-zero+rounding=ceil", QD_USAGE, 0},
        {"no-such-quirk", QD_USAGE, 0},
        {"axis-0+", QD_OK, 1},
        {"range=no-such-value", QD_USAGE, 0},
        {"no-such-switch=wrap", QD_USAGE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_semantics semantics = {0};
        struct qd_error error;
        size_t overrides = 0;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        if (qd_quirks_parse(rows[i].text, &arena, &semantics, &error) != rows[i].status)
            fail_msg("'%s' came to another status", rows[i].text);
        for (const struct qd_override *o = semantics.override; o; o = o->next)
            overrides++;
        assert_int_equal(overrides, rows[i].overrides);
        qd_arena_clear(&arena);
    }
}

/* --- Text cases and the README ---------------------------------------------------------------------- */

static void check_outputs(const struct qd_case *kase)
{
    struct qd_arena arena;
    struct qd_value *values;
    struct qd_error error;
    size_t count = kase->graph->output_count;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    values = qd_arena_array(&arena, count, sizeof *values);
    assert_non_null(values);
    assert_int_equal(kase->output_count, count);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, values, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (size_t n = 0; n < count; n++) {
        const struct qd_tensor *by_hand = &kase->stored_outputs[n];
        assert_true(qd_tensor_same_shape(by_hand, &values[n].want));
        for (int64_t i = 0; i < by_hand->count; i++)
            if (qd_tensor_get(by_hand, i) != qd_tensor_get(&values[n].want, i))
                fail_msg("%s: output %zu, element %lld", kase->id, n, (long long)i);
    }
    qd_arena_clear(&arena);
}

static void check_refusal(const struct qd_case *kase)
{
    struct qd_arena arena;
    struct qd_value values[QD_MAX_OPERANDS];
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(kase->graph->output_count <= QD_MAX_OPERANDS);
    assert_int_equal(qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, values, &error),
                     QD_INVALID);
    assert_string_equal(error.rule, kase->rule);
    qd_arena_clear(&arena);
}

static enum qd_visit check_witness(void *context, const struct qd_case *kase)
{
    size_t *count = context;
    if (strncmp(kase->id, "witnesses/", 10) != 0)
        return QD_VISIT_GO_ON;
    if (kase->expect == QD_EXPECT_MUST_REJECT)
        check_refusal(kase);
    else
        check_outputs(kase);
    ++*count;
    return QD_VISIT_GO_ON;
}

static void witnesses_give_the_hand_computed_values(void **state)
{
    (void)state;
    struct qd_error error;
    size_t count = 0;
    struct qd_suite_options smoke = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    if (qd_suite_visit(&smoke, check_witness, &count, &error) != QD_OK)
        fail_msg("%s", error.text);
    assert_true(count >= 7);
}

/* A quirk that reads an axis anew reads that of com.microsoft's operators too. */
static enum qd_visit check_vendor_axis(void *context, const struct qd_case *kase)
{
    struct prints *all = context;
    if (strcmp(kase->id, "reject/VendorDequantizeLinear/valid-axis") != 0 &&
        strcmp(kase->id, "reject/VendorQuantizeLinear/valid-axis") != 0)
        return QD_VISIT_GO_ON;
    for (size_t i = 0; i < all->mutants.count; i++)
        if (print_of(kase, &all->mutants.semantics[i]) == REFUSED)
            fail_msg("%s refuses %s", qd_quirk_at(i)->name, kase->id);
    all->of[0]++;
    return QD_VISIT_GO_ON;
}

static void no_quirk_refuses_the_vendors_axis(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct prints all = {.of = {0}};
    struct qd_suite_options smoke = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_mutants_init(&arena, &all.mutants, &error) != QD_OK ||
        qd_suite_visit(&smoke, check_vendor_axis, &all, &error) != QD_OK)
        fail_msg("%s", error.text);
    assert_int_equal(all.of[0], 2);
    qd_arena_clear(&arena);
}

static char *read_source(const char *path)
{
    char name[1024];
    snprintf(name, sizeof name, "%s/targets/%s", QD_SOURCE_DIR, path);
    FILE *file = fopen(name, "r");
    if (!file)
        fail_msg("cannot read %s", name);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The lines between the fence `opening` and the next one, without the indentation of the fence. */
static void take_block(const char *text, const char *opening, char *block)
{
    const char *at = strstr(text, opening);
    assert_non_null(at);
    size_t used = 0, indent = 3;
    for (at = strchr(at, '\n') + 1; strncmp(at, "   ```", 6) != 0; at = strchr(at, '\n') + 1) {
        size_t length = strcspn(at, "\n") + 1, skip = length > indent ? indent : 0;
        memcpy(block + used, at + skip, length - skip);
        used += length - skip;
    }
    block[used] = '\0';
}

/* What the README shows is a quirk of the list, to the letter: it is compiled and noticed with the others. */
static void the_readmes_example_is_built(void **state)
{
    (void)state;
    static char row[4096], code[4096];
    char *readme = read_source("quirk/README.md"), *def = read_source("include/qdiff/quirks.def");
    char *file = read_source("quirk/quirks/bias_of_channel_0.c");
    take_block(readme, "   ```\n   QD_QUIRK", row);
    take_block(readme, "   ```c\n", code);
    assert_non_null(strstr(def, row));
    assert_string_equal(file, code);
    free(readme);
    free(def);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(every_two_differ),
        cmocka_unit_test(mixtures_are_told_apart),
        cmocka_unit_test(witnesses_give_the_hand_computed_values),
        cmocka_unit_test(no_quirk_refuses_the_vendors_axis),
        cmocka_unit_test(the_readmes_example_is_built),
    };
    return cmocka_run_group_tests_name("list of quirks", tests, NULL, NULL);
}
