/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of contract mutants on one node, by hand; and what holds of the list.
 * Alone: <build>/tests/targets/contract/contract_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/trial.h"
#include "qdiff/build.h"

/* --- Nodes from text ----------------------------------------------------------------------------- */

/* One node under one mutant. Tensors are "u8[1,2] 3 4", '#' counts from 0 on; ';' separates them, '-' is an
 * absent one. Attributes are "axis=1 pads=[0,1] alpha=0.5f". want: the first output's numbers, "@9" goes on at
 * element 9; "=": the mutant changes nothing. */
struct row {
    const char *mutant;
    int64_t opset;
    const char *inputs, *attributes, *want;
};

static double read_number(const char **text)
{
    char *end;
    double x = strtod(*text, &end);
    *text = end;
    return x;
}

static const char *read_tensor(const char *text, struct qd_arena *arena, struct qd_tensor *tensor)
{
    char word[16];
    size_t length = strcspn(text, "[");
    unsigned rank = 0;
    int64_t dims[QD_MAX_RANK];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const char *at = text + length + 1;
    for (; *at != ']'; at += *at == ',')
        dims[rank++] = (int64_t)read_number(&at);
    assert_int_equal(qd_tensor_init(tensor, arena, qd_dtype_of_word(word), rank, dims, NULL),
                     QD_OK);
    at += strspn(at, "] ");
    for (int64_t i = 0; i < tensor->count; i++) {
        double x = *at == '#' ? (double)i : read_number(&at);
        bool is_float = qd_dtype_is_float(tensor->dtype);
        qd_tensor_set(tensor, i,
                      is_float ? (int64_t)qd_float_encode(tensor->dtype, x, false) : (int64_t)x);
    }
    return at + strspn(at, "# ");
}

static void add_inputs(struct qd_builder *builder, const char *text, struct qd_arena *arena,
                       char *names, size_t size)
{
    for (int i = 0; *text; i++) {
        struct qd_tensor tensor;
        char name[8] = "";
        size_t used = strlen(names);
        if (*text == '-') {
            text += 1;
        } else {
            snprintf(name, sizeof name, "x%d", i);
            text = read_tensor(text, arena, &tensor);
            qd_build_input(builder, name, &tensor);
        }
        snprintf(names + used, size - used, "%s%s", i == 0 ? "" : ",", name);
        text += strspn(text, "; ");
    }
}

static void add_attributes(struct qd_builder *builder, const char *text)
{
    while (*text) {
        char name[32];
        size_t length = strcspn(text, "="), count = 0;
        int64_t values[8];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        text += length + 1;
        const char *end = text + strcspn(text, " ");
        bool list = *text == '[', is_float = end[-1] == 'f';
        if (is_float)
            qd_build_attr_float(builder, name, (float)read_number(&text));
        for (text += list; !is_float && text < end && *text != ']'; text += *text == ',')
            values[count++] = (int64_t)read_number(&text);
        if (list)
            qd_build_attr_ints(builder, name, values, count);
        else if (!is_float)
            qd_build_attr_int(builder, name, values[0]);
        text = end + strspn(end, " ");
    }
}

static void build(const struct row *row, const struct qd_contract_mutant *mutant,
                  struct qd_arena *arena, struct qd_case *kase)
{
    struct qd_error error;
    char names[128] = "";
    struct qd_builder *builder = qd_build_begin(arena, row->opset);
    add_inputs(builder, row->inputs, arena, names, sizeof names);
    qd_build_node(builder, mutant->op->domain, mutant->op->name, names, "y");
    add_attributes(builder, row->attributes);
    qd_build_output(builder, "y", QD_DTYPE_NONE, -1, NULL);
    if (qd_build_finish(builder, "test", false, kase, &error) != QD_OK)
        fail_msg("%s: %s", row->mutant, error.text);
}

/* --- Rows ---------------------------------------------------------------------------------------- */

#define MATMUL "u8[1,1] 10; u8[1,1] 5; u8[] 1; u8[] 2" /* (10 - 1)·(5 - 2) = 27 */
#define SCALES "s8[3] 1 1 1; f32[3] 2 3 5"
#define POOL "f32[1,1,3] 1 2 3"

static const struct row rows[] = {
    {"MatMulInteger/a_zero_point/read-as-b_zero_point", 10, MATMUL, "", "24"},        /* 8·3 */
    {"MatMulInteger/a_zero_point/exchanged-with-b_zero_point", 10, MATMUL, "", "32"}, /* 8·4 */
    {"Sub/A/exchanged-with-B", 13, "f32[2] 5 7; f32[2] 1 2", "", "-4 -5"},
    {"MatMulInteger/b_zero_point/ignored", 10, MATMUL, "", "45"},       /* 9·5 */
    {"LeakyRelu/.alpha/ignored", 6, "f32[1] -100", "alpha=0.5f", "-1"}, /* by default 0.01 */
    {"LeakyRelu/.alpha/ignored", 6, "f32[1] -100", "", "="},
    {"DequantizeLinear/x_scale/first-for-all", 13, SCALES, "axis=0", "2 2 2"},
    {"DequantizeLinear/x_scale/last-for-all", 13, SCALES, "axis=0", "5 5 5"},
    {"DequantizeLinear/x_scale/index-plus-1", 13, SCALES, "axis=0", "3 5 2"},
    {"DequantizeLinear/x_scale/reversed", 13, SCALES, "axis=0", "5 3 2"},
    {"DequantizeLinear/x_scale/index-below-2", 13, SCALES, "axis=0", "2 3 3"},
    {"DequantizeLinear/x_scale/index-modulo-2", 13, SCALES, "axis=0", "2 3 2"},
    {"DequantizeLinear/x_scale/index-modulo-4", 13, SCALES, "axis=0", "="},
    /* windows of two, padded at the beginning: 1, 12, 23; at the end: 12, 23, 3 */
    {"MaxPool/.pads/halves-swapped", 12, POOL, "kernel_shape=[2] pads=[1,0]", "2 3 3"},
    {"MaxPool/.pads/first-half-twice", 12, POOL, "kernel_shape=[2] pads=[1,0]", "1 2 3 3"},
    {"MaxPool/.pads/last-half-twice", 12, POOL, "kernel_shape=[2] pads=[1,0]", "2 3"},
    {"Identity/input/wraps-at-256", 13, "f32[257] #", "", "0 1 2 @255 255 0"},
    {"Identity/input/wraps-at-256", 13, "f32[256] #", "", "="},
    {"Identity/input/last-axis-wraps-at-256", 13, "f32[2,257] #", "", "0 @255 255 0 257 @513 257"},
    {"Identity/input/axes-swapped-01", 13, "f32[2,2] 1 2 3 4", "", "1 3 2 4"},
    {"Identity/input/axes-swapped-01", 13, "f32[2,3] 1 2 3 4 5 6", "", "="},
    {"Identity/output/axes-swapped-01", 13, "f32[2,2] 1 2 3 4", "", "1 3 2 4"},
    {"Identity/input/axis-first-for-all-1", 13, "f32[2,2] 1 2 3 4", "", "1 1 3 3"},
    {"Identity/input/axis-reversed-0", 13, "f32[2,2] 1 2 3 4", "", "3 4 1 2"},
    {"ConvInteger/w/group-0-for-all", 10, "u8[1,2,1] 1 1; u8[2,1,1] 3 5", "group=2", "3 3"},
    {"Identity/output/tail-repeats-4", 13, "f32[6] 1 2 3 4 5 6", "", "1 2 3 4 1 2"},
    {"Identity/output/tail-repeats-4", 13, "f32[4] 1 2 3 4", "", "="},
    {"Identity/output/channel-tail-repeats-4", 13, "f32[1,5,1] 1 2 3 4 5", "", "1 2 3 4 1"},
    {"Identity/output/flat-tail-repeats-4", 13, "f32[2,3] 1 2 3 4 5 6", "", "1 2 3 4 1 2"},
    {"Identity/output/below-tile-4", 13, "f32[3] 1 2 3", "", "0 0 0"},
    {"Identity/output/below-tile-4", 13, "f32[4] 1 2 3 4", "", "="},
    {"Identity/output/channels-below-tile-4", 13, "f32[1,3] 1 2 3", "", "0 0 0"},
    {"Identity/output/flat-below-tile-8", 13, "f32[2,3] 1 2 3 4 5 6", "", "0 0 0 0 0 0"},
    {"Identity/input/tail-dropped-4", 13, "f32[5] 1 2 3 4 5", "", "1 2 3 4 0"},
    {"Identity/input/rows-tail-dropped-4", 13, "f32[5,1] 1 2 3 4 5", "", "1 2 3 4 0"},
    {"Identity/input/channel-tail-dropped-4", 13, "f32[1,5] 1 2 3 4 5", "", "1 2 3 4 0"},
    {"Identity/input/flat-tail-dropped-4", 13, "f32[1,5] 1 2 3 4 5", "", "1 2 3 4 0"},
    /* what is dropped of codes is the zero point: 4·(3 - 1) of 5·(3 - 1) */
    {"MatMulInteger/A/tail-dropped-4", 10, "u8[1,5] 3 3 3 3 3; u8[5,1] 1 1 1 1 1; u8[] 1", "", "8"},
    {"MatMulInteger/a_zero_point/taken-as-0", 10, MATMUL, "", "30"}, /* 10·3 */
    {"DequantizeLinear/x_scale/taken-as-1", 13, SCALES, "axis=0", "1 1 1"},
    {"MatMulInteger/A/read-in-other-sign", 10, "u8[1,1] 200; u8[1,1] 1", "", "-56"},
    {"MatMulInteger/A/top-bit-flipped", 10, "u8[1,1] 200; u8[1,1] 1", "", "72"},
    {"MatMulInteger/A/low-bits-4", 10, "u8[1,1] 200; u8[1,1] 1", "", "8"}, /* 0xC8 */
    {"MatMulInteger/A/low-bits-4", 10, "s8[1,1] 15; u8[1,1] 1", "", "-1"},
    {"MatMulInteger/A/saturates-at-half", 10, "u8[1,1] 200; u8[1,1] 1", "", "127"},
    {"QuantizeLinear/output/saturates-in-both-signs", 13, "f32[2] 200 3; f32[] 1", "", "127 3"},
    {"Identity/input/through-f16", 13, "f32[1] 1.0001", "", "1"},
    {"Identity/input/through-bf16", 13, "f32[1] 1.001", "", "1"},
    {"Identity/input/through-integer", 13, "f32[1] -1.75", "", "-1"},
    {"Identity/input/sign-dropped", 13, "f32[2] -2 3", "", "2 3"},
    {"Identity/input/negative-as-0", 13, "f32[2] -2 3", "", "0 3"},
    {"MatMulInteger/a_zero_point/plus-1", 10, MATMUL, "", "24"},  /* 8·3 */
    {"MatMulInteger/a_zero_point/minus-1", 10, MATMUL, "", "30"}, /* 10·3 */
    /* the greatest of rows for that of columns */
    {"ReduceMax/.axes/negative-plus-1", 13, "f32[2,2] 1 2 3 4", "axes=[-2] keepdims=0", "2 4"},
    /* grossly wrong: -2x - 1, of a code its complement */
    {"Identity/input/when-rank-1", 13, "f32[1] 1", "", "-3"},
    {"Identity/input/when-rank-1", 13, "f32[] 1", "", "="},
    {"Identity/input/when-some-size-1", 13, "f32[2,1] 1 2", "", "-3 -5"},
    {"Identity/input/when-first-size-1", 13, "f32[2,1] 1 2", "", "="},
    {"Identity/input/when-first-size-1", 13, "f32[1,2] 1 2", "", "-3 -5"},
    {"Identity/input/when-last-size-1", 13, "f32[2,1] 1 2", "", "-3 -5"},
    {"Identity/input/when-batch", 13, "f32[2,1] 1 2", "", "-3 -5"},
    {"Identity/input/when-batch", 13, "f32[1,2] 1 2", "", "="},
    {"Identity/input/when-odd", 13, "f32[3] 1 2 3", "", "-3 -5 -7"},
    {"Identity/input/when-odd", 13, "f32[1] 1", "", "="},
    {"Identity/input/when-even", 13, "f32[2] 1 2", "", "-3 -5"},
    {"Identity/input/when-even", 13, "f32[2,1] 1 2", "", "="},
    {"Identity/input/when-one-element", 13, "f32[1,1] 1", "", "-3"},
    {"DequantizeLinear/x_scale/when-several-elements", 13, SCALES, "axis=0", "-5 -7 -11"},
    {"DequantizeLinear/x_scale/when-parameter-rank-1", 13, SCALES, "axis=0", "-5 -7 -11"},
    {"Identity/input/when-initializer", 13, "f32[1] 1", "", "="},
    {"Identity/input/when-computed", 13, "f32[1] 1", "", "="},
    {"Identity/input/when-input", 13, "f32[1] 1", "", "-3"},
    {"MatMulInteger/a_zero_point/when-absent", 10, "u8[1,1] 2; u8[1,1] 3", "", "-7"},
    {"MatMulInteger/a_zero_point/when-absent", 10, MATMUL, "", "="},
    {"MatMulInteger/a_zero_point/when-present", 10, MATMUL, "", "-28"},
    {"LeakyRelu/.alpha/when-present", 6, "f32[1] 1", "alpha=0.5f", "-3"},
    {"MatMulInteger/A/when-same-as-B", 10, MATMUL, "", "="},
    {"MatMulInteger/a_zero_point/when-least-code", 10, MATMUL, "", "="},
    {"MatMulInteger/a_zero_point/when-least-code", 10, "u8[1,1] 2; u8[1,1] 3; u8[] 0", "", "-7"},
    {"MatMulInteger/a_zero_point/when-zero", 10, "u8[1,1] 2; u8[1,1] 3; u8[] 0", "", "-7"},
    {"MatMulInteger/a_zero_point/when-largest-code", 10, "u8[1,1] 255; u8[1,1] 3; u8[] 255", "",
     "-1"},
    {"DequantizeLinear/x_scale/when-power-of-two", 13, "s8[1] 1; f32[] 0.5", "", "-2"},
    {"DequantizeLinear/x_scale/when-no-power-of-two", 13, "s8[1] 1; f32[] 3", "", "-7"},
    {"LeakyRelu/node/when-opset-1-to-5", 6, "f32[1] 1", "", "="},
    {"LeakyRelu/node/when-opset-6-to-15", 6, "f32[1] 1", "", "-3"},
    {"Max/node/when-operands-2", 13, "f32[1] 1; f32[1] 2", "", "-5"},
    {"Max/node/when-operands-3", 13, "f32[1] 1; f32[1] 2", "", "="},
    {"Identity/node/when-output-shared", 13, "f32[1] 1", "", "="},
    {"Identity/node/when-graph-output", 13, "f32[1] 1", "", "-3"},
    {"Identity/node/no-error", 13, "f32[1] 1", "", "1"},
    /* The third coordinate is 2.5, or beside it where 6/5 was rounded: 3 or 4, no number between. */
    {"Resize/node/no-error", 13, "f32[6] 1 2 3 4 5 6; -; -; s64[1] 5", "", "1 2 3 5 6"},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static void compare_numbers(const struct row *row, const struct qd_tensor *have)
{
    int64_t i = 0, last = 0;
    for (const char *at = row->want; *at; at += strspn(at, " ")) {
        if (*at == '@') {
            at++;
            i = (int64_t)read_number(&at);
            continue;
        }
        double want = read_number(&at);
        if (i >= have->count || qd_tensor_value(have, i) != want)
            fail_msg("%s of %s: element %lld of %lld is %g, not %g", row->mutant, row->inputs,
                     (long long)i, (long long)have->count,
                     i < have->count ? qd_tensor_value(have, i) : 0, want);
        last = ++i;
    }
    if (last != have->count)
        fail_msg("%s of %s: %lld elements", row->mutant, row->inputs, (long long)have->count);
}

static void check(const struct qd_contract *contract, const struct row *row, struct qd_arena *arena)
{
    const struct qd_contract_mutant *mutant = qd_contract_find(contract, row->mutant);
    struct qd_case kase;
    struct qd_value right, wrong;
    struct qd_site *sites;
    struct qd_error error;
    if (!mutant)
        fail_msg("no mutant %s", row->mutant);
    build(row, mutant, arena, &kase);
    if (qd_sites_record(kase.graph, kase.inputs, arena, &right, &sites, &error) != QD_OK ||
        qd_mutant_evaluate(mutant, kase.graph, kase.inputs, arena, &wrong, &error) != QD_OK)
        fail_msg("%s of %s: %s", row->mutant, row->inputs, error.text);
    bool applies = qd_mutant_applies(mutant, kase.graph, sites, arena);
    if (applies == (*row->want == '='))
        fail_msg("%s of %s: %s", row->mutant, row->inputs, applies ? "applies" : "does not apply");
    if (applies)
        compare_numbers(row, &wrong.want);
    else
        assert_memory_equal(wrong.want.data, right.want.data, qd_tensor_bytes(&right.want));
}

/* --- Tests --------------------------------------------------------------------------------------- */

static int make(void **state)
{
    static struct qd_contract contract;
    static struct qd_arena arena;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    *state = &contract;
    return qd_contract_init(&arena, NULL, NULL, &contract, &error) == QD_OK ? 0 : -1;
}

static void rules_do_what_they_say(void **state)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct qd_arena arena;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        check(*state, &rows[i], &arena);
        qd_arena_clear(&arena);
    }
}

/* A rule that no row shows would be tested by nothing. */
static void every_rule_is_shown(void **state)
{
    for (size_t r = 0; qd_contract_rule_at(r); r++) {
        bool shown = false;
        for (size_t i = 0; i < ROW_COUNT; i++)
            shown =
                shown || qd_contract_find(*state, rows[i].mutant)->rule == qd_contract_rule_at(r);
        if (!shown)
            fail_msg("no row for %s", qd_contract_rule_at(r)->word);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void mutants_are_many_and_have_names_of_their_own(void **state)
{
    const struct qd_contract *contract = *state;
    const char **names = malloc(contract->count * sizeof *names);
    assert_true(contract->count >= 2000);
    for (size_t i = 0; i < contract->count; i++)
        names[i] = contract->mutants[i].name;
    qsort(names, contract->count, sizeof *names, by_name);
    for (size_t i = 1; i < contract->count; i++)
        assert_string_not_equal(names[i - 1], names[i]);
    free(names);
    for (size_t op = 0; op < contract->op_count; op++)
        assert_true(contract->first[op] < contract->first[op + 1]);
}

/* Of a node of two elements: what longer ones, other types and ranks would tell, and what nothing does. */
static void variations_find_what_a_case_lacks(void **state)
{
    static const struct {
        const char *mutant;
        bool found;
    } wants[] = {
        {"Identity/output/tail-repeats-64", true},
        {"Identity/input/wraps-at-65536", true},
        {"Identity/input/low-bits-8", true},
        {"Identity/input/when-rank-0", true},
        {"Identity/input/axes-swapped-12", true},
        {"Identity/input/when-initializer", true},
        {"Identity/node/when-output-shared", true},
        {"Identity/node/no-error", false},
        {"Relu/X/negative-as-0", false},
    };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_error error;
        struct qd_contract_kinds kinds = {0};
        const struct qd_contract *contract = *state;
        const struct qd_contract_mutant *mutant = qd_contract_find(contract, wants[i].mutant);
        const struct row row = {wants[i].mutant, 14, "f32[2] -1 2", "", ""};
        struct qd_contract_tally *tallies = calloc(contract->count, sizeof *tallies);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        build(&row, mutant, &arena, &kase);
        assert_int_equal(
            qd_contract_reach(contract, mutant->op_index, &kase, &arena, &kinds, tallies, &error),
            QD_OK);
        assert_int_equal(kinds.count, 1);
        bool found = tallies[mutant - contract->mutants].variation.kind != QD_VARIATION_NONE;
        if (found != wants[i].found)
            fail_msg("%s: %s", wants[i].mutant, found ? "found" : "not found");
        qd_arena_clear(&arena);
        free(tallies);
    }
}

/* A case of two elements kills what it shows, and the tally says what was not to be judged. */
static void a_case_kills_what_it_shows(void **state)
{
    const struct qd_contract *contract = *state;
    const struct qd_contract_mutant *gross =
        qd_contract_find(contract, "Identity/input/when-rank-1");
    const struct qd_contract_mutant *other =
        qd_contract_find(contract, "Identity/input/when-rank-2");
    const struct row row = {gross->name, 13, "f32[2] -1 2", "", ""};
    struct qd_contract_tally *tallies = calloc(contract->count, sizeof *tallies);
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_error error;
    bool false_alarm = true;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build(&row, gross, &arena, &kase);
    assert_int_equal(qd_contract_try(contract, &kase, &arena, tallies, &false_alarm, &error),
                     QD_OK);
    assert_false(false_alarm);
    assert_true(qd_contract_is_dead(&tallies[gross - contract->mutants]));
    assert_false(qd_contract_is_dead(&tallies[other - contract->mutants]));
    assert_int_equal(tallies[other - contract->mutants].applied, 0);
    const struct qd_contract_mutant *control = qd_contract_find(contract, "Identity/node/no-error");
    assert_int_equal(tallies[control - contract->mutants].applied, 1);
    assert_false(qd_contract_is_dead(&tallies[control - contract->mutants]));
    qd_arena_clear(&arena);
    free(tallies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_do_what_they_say),
        cmocka_unit_test(every_rule_is_shown),
        cmocka_unit_test(mutants_are_many_and_have_names_of_their_own),
        cmocka_unit_test(variations_find_what_a_case_lacks),
        cmocka_unit_test(a_case_kills_what_it_shows),
    };
    return cmocka_run_group_tests_name("contract mutants", tests, make, NULL);
}
