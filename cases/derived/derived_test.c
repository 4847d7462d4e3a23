/* SPDX-License-Identifier: Apache-2.0 */
/* Cases made of operators' rows: that every row is read whole, that the shipped table is what
 * learning gives, that cases are valid and different, and that holes are excused by the rule
 * that a hand reading of the page gives; and which rows are of the smoke level.
 * Alone: tests/cases/derived/derived_test. */
#include "case_testlib.h"

#include "derived/derived.h"
#include "qdiff/evaluated.h"

static size_t op_named(const char *name)
{
    size_t i = 0;
    while (qd_op_at(i) && strcmp(qd_op_at(i)->name, name) != 0)
        i++;
    assert_non_null(qd_op_at(i));
    return i;
}

/* Attributes that no level is given to, each with the reason. */
static bool is_left_out(const char *name, size_t length)
{
    static const char *const names[] = {
        "output_shape", /* says the same as output_padding in another way */
        "cubic_coeff_a",
        "antialias", /* cubic and antialias: the reference does not take them */
        "exclude_outside",
        "extrapolation_value",
        "keep_aspect_ratio_policy", /* hand-written family qdq_movement */
        "min",
        "max",
        "value",
        "split",
        "shape",
        "starts",
        "ends", /* attributes of early opsets: operands */
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

static bool has_levels(const char *name, size_t length)
{
    const char *words[QD_COVERING_MAX_LEVELS], *row;
    unsigned levels;
    for (int i = 0; (row = qd_derived_attribute(i, &levels, words)) != NULL; i++)
        if (strlen(row) == length && strncmp(row, name, length) == 0)
            return true;
    return false;
}

/* "axis", "axis:13-"; "axes:-6" ended before the first opset that cases are made of. */
static void check_attribute(const struct qd_op *op, const char *entry)
{
    size_t length = strcspn(entry, ":,");
    long last = entry[length] == ':'
                    ? strtol(strcspn(entry + length, "-,") ? strchr(entry + length, '-') + 1 : "0",
                             NULL, 10)
                    : 0;
    if (last > 0 && last < 7)
        return;
    if (!has_levels(entry, length) && !is_left_out(entry, length))
        fail_msg("%s: attribute %.*s has no levels in derived/attributes.c", op->name, (int)length,
                 entry);
}

static void test_no_attribute_is_forgotten(void **state)
{
    (void)state;
    for (size_t i = 0; qd_op_at(i); i++) {
        const char *at = qd_op_at(i)->attributes;
        for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            check_attribute(qd_op_at(i), at);
    }
}

static void test_no_control_is_forgotten(void **state)
{
    const char *words[QD_COVERING_MAX_LEVELS];
    (void)state;
    for (size_t i = 0; qd_op_at(i); i++)
        for (unsigned k = 0; k < qd_op_at(i)->max_inputs && k < QD_MAX_OPERANDS; k++) {
            size_t length;
            const char *name = qd_op_operand_name(qd_op_at(i), k, &length);
            bool early = length == 4 && strncmp(name, "axis", 4) == 0; /* of Tile-1 */
            if (!early && qd_op_role(qd_op_at(i), k) == QD_ROLE_CONTROL &&
                qd_derived_control_levels(name, length, words) == 0)
                fail_msg("%s: control %.*s has no levels in derived/controls.c", qd_op_at(i)->name,
                         (int)length, name);
        }
}

/* Learning is minutes for all; the others are `scripts/prove-long derived`. */
static void test_the_table_is_what_is_learned(void **state)
{
    static const char *const names[] = {"Clip", "QLinearAdd", "Gather"};
    struct qd_arena *arena = *state;
    struct qd_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct qd_derived_cover learned, shipped;
        bool known;
        assert_ok(qd_derived_cover(op_named(names[i]), arena, &learned, &known, &error), error);
        assert_true(known);
        assert_true(qd_derived_shipped(op_named(names[i]), &shipped));
        assert_int_equal(learned.signature, shipped.signature);
        assert_string_equal(learned.rows, shipped.rows);
        assert_int_equal(learned.pairs, learned.pairs_covered + learned.pairs_excused);
    }
}

/* Split before opset 13 has neither an input `split` nor, what takes its place since 18, `num_outputs`: two factors
 * have to change with the opset. */
static void test_an_old_opset_changes_two_others(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_derived_cover cover;
    struct qd_error error;
    bool known;
    size_t cases = 0;
    assert_ok(qd_derived_cover(op_named("Split"), arena, &cover, &known, &error), error);
    for (unsigned f = 0; f < cover.factor_count; f++)
        for (unsigned v = 0; v < cover.factors[f].levels; v++)
            if (strcmp(cover.factors[f].words[v], "opset_10") == 0)
                cases = cover.level_cases[f][v];
    assert_true(cases > 10);
}

static bool is_excused(const struct qd_derived_cover *cover, const char *level, const char *excuse)
{
    for (size_t h = 0; h < cover->hole_count; h++)
        if (cover->holes[h].count == 1 && strcmp(cover->holes[h].choices[0].level, level) == 0 &&
            strstr(cover->holes[h].excuse, excuse))
            return true;
    return false;
}

/* com.microsoft QLinearMul-1: A is tensor(uint8) or tensor(int8), A_scale a float32 scalar; the extents are free. */
static void test_holes_name_the_rule(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_derived_cover cover;
    struct qd_error error;
    bool known;
    assert_ok(qd_derived_cover(op_named("QLinearMul"), arena, &cover, &known, &error), error);
    assert_true(is_excused(&cover, "s16", "QLinearMul/a-type"));
    assert_true(is_excused(&cover, "scale_f16", "QLinearMul/a_scale-type"));
    assert_false(is_excused(&cover, "257", ""));
}

struct seen {
    size_t count, invalid;
    struct qd_arena arena;
};

static enum qd_visit evaluate_some(void *context, const struct qd_case *kase)
{
    struct seen *seen = context;
    struct qd_evaluated evaluated;
    struct qd_error error;
    if (seen->count++ % 16 != 0)
        return QD_VISIT_GO_ON;
    qd_arena_reset(&seen->arena);
    if (qd_case_evaluate(kase, &seen->arena, &evaluated, &error) != QD_OK) {
        print_error("%s: %s\n", kase->id, error.text);
        seen->invalid++;
    }
    return QD_VISIT_GO_ON;
}

static void test_cases_are_valid(void **state)
{
    struct seen seen = {0};
    struct qd_error error;
    (void)state;
    qd_arena_init(&seen.arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(
        qd_family_generate(&qd_family_derived, QD_LEVEL_EXHAUSTIVE, evaluate_some, &seen, &error),
        error);
    assert_int_equal(seen.invalid, 0);
    assert_true(seen.count > 10000);
    qd_arena_clear(&seen.arena);
}

/* --- The smoke level ------------------------------------------------------------------------------ */

static bool is_computed(const void *context, const char *id)
{
    (void)context;
    return strstr(id, "computed") != NULL;
}

struct ids {
    const char *begin; /* of the ids that count */
    size_t count, taken;
};

static enum qd_visit count_ids(void *context, const struct qd_case *kase)
{
    struct ids *ids = context;
    bool begins = strncmp(kase->id, ids->begin, strlen(ids->begin)) == 0;
    ids->count += begins;
    ids->taken += begins && is_computed(NULL, kase->id);
    return QD_VISIT_GO_ON;
}

/* The marks asked for are added, and nothing else of the rows changes. */
static void test_rows_are_marked(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_derived_cover shipped, marked;
    struct qd_error error;
    struct ids ids = {.begin = "derived/Gather/"}, before = ids;
    assert_ok(qd_family_generate(&qd_family_derived, QD_LEVEL_SMOKE, count_ids, &before, &error),
              error);
    assert_ok(qd_family_generate(&qd_family_derived, QD_LEVEL_EXHAUSTIVE, count_ids, &ids, &error),
              error);
    assert_true(qd_derived_shipped(op_named("Gather"), &shipped));
    assert_ok(qd_derived_mark(op_named("Gather"), is_computed, NULL, arena, &marked, &error),
              error);
    size_t marks = 0, at = 0;
    for (; shipped.rows[at] && marked.rows[at]; at++) {
        bool between = strchr(" *+", shipped.rows[at]) != NULL;
        marks += marked.rows[at] == '*' && shipped.rows[at] != '*';
        assert_true(shipped.rows[at] != '*' || marked.rows[at] == '*');
        assert_true(between ? strchr(" *+", marked.rows[at]) != NULL
                            : shipped.rows[at] == marked.rows[at]);
    }
    marks += marked.rows[at] == '*';
    marks -= shipped.rows[at] == '*';
    assert_true(strlen(shipped.rows + at) <= 1 && strlen(marked.rows + at) <= 1);
    assert_true(before.taken < ids.taken && ids.taken < ids.count);
    assert_int_equal(marks, ids.taken - before.taken);
}

/* What was chosen is part of the full level, and less than a tenth of it. */
static void test_smoke_is_a_small_part(void **state)
{
    (void)state;
    struct qd_error error;
    struct ids smoke = {.begin = "derived/"}, full = smoke;
    assert_ok(qd_family_generate(&qd_family_derived, QD_LEVEL_SMOKE, count_ids, &smoke, &error),
              error);
    assert_ok(qd_family_generate(&qd_family_derived, QD_LEVEL_FULL, count_ids, &full, &error),
              error);
    assert_true(smoke.count > 300 && smoke.count * 10 < full.count);
}

/* The row of an operator alone gives that many cases, however few its factors are. */
static void test_every_operator_has_200(void **state)
{
    struct qd_error error;
    (void)state;
    for (size_t op = 0; qd_op_at(op); op++) {
        struct ids ids = {.begin = "derived/"};
        assert_ok(qd_family_derived.generate_op(op, QD_LEVEL_EXHAUSTIVE, count_ids, &ids, &error),
                  error);
        if (ids.count < 200)
            fail_msg("%s has %zu", qd_op_at(op)->name, ids.count);
    }
}

/* --- Plain types ---------------------------------------------------------------------------------- */

struct pair {
    const char *a, *b;
    size_t found;
};

/* Has an id both words, and none of types that few backends have or that makes sizes void? */
static enum qd_visit count_plain_pair(void *context, const struct qd_case *kase)
{
    static const char *const exotic[] = {"f16", "opset_", "_u16",     "_s16",
                                         "_u4", "_s4",    "all_equal"};
    struct pair *pair = context;
    for (size_t i = 0; i < sizeof exotic / sizeof *exotic; i++)
        if (strstr(kase->id, exotic[i]))
            return QD_VISIT_GO_ON;
    pair->found += strstr(kase->id, pair->a) && strstr(kase->id, pair->b);
    return QD_VISIT_GO_ON;
}

/* Of a backend that has 8-bit codes and float32 scales, sizes and granularities meet all the same. */
static void test_plain_types_see_pairs(void **state)
{
    static const char *const sizes[] = {"M257-", "K257-",        "N257-",       "N100-",
                                        "K2-",   "Kabove_tile-", "Nabove_tile-"},
                             *const others[] = {"-x_per_row",  "-per_channel", "-run_params",
                                                "-read_twice", "-constant_x",  "-run_w"};
    struct qd_error error;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            struct pair pair = {sizes[i], others[j], 0};
            assert_ok(qd_family_derived.generate_op(op_named("QLinearMatMul"), QD_LEVEL_FULL,
                                                    count_plain_pair, &pair, &error),
                      error);
            if (pair.found == 0)
                fail_msg("no plain row has %s and %s", pair.a, pair.b);
        }
}

/* --- Numbers that see ----------------------------------------------------------------------------- */

struct saturation {
    size_t cases, saturated;
};

/* Of a row with one grid: are all codes of the output at an end of their type? */
static enum qd_visit count_saturated(void *context, const struct qd_case *kase)
{
    struct saturation *count = context;
    struct qd_arena arena;
    struct qd_value value;
    struct qd_error error;
    if (!strstr(kase->id, "-one_grid") || kase->graph->output_count != 1)
        return QD_VISIT_GO_ON;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, &value, &error), error);
    const struct qd_dtype_info *info = qd_dtype_info(value.want.dtype);
    bool all = qd_dtype_is_integer(value.want.dtype);
    for (int64_t i = 0; all && i < value.want.count; i++) {
        int64_t code = qd_tensor_get(&value.want, i);
        all = code == info->min || code == info->max;
    }
    count->cases++;
    count->saturated += all;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

/* The scales of operands and output are one: sums still lie among the output's codes. Zero points at the ends of their
 * types, and of one bit or two, leave some that don't. */
static void test_one_grid_leaves_codes(void **state)
{
    static const char *const ops[] = {"QLinearConv", "QLinearMatMul", "Conv", "MatMul"};
    struct saturation all = {0, 0};
    struct qd_error error;
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_ok(qd_family_derived.generate_op(op_named(ops[i]), QD_LEVEL_FULL, count_saturated,
                                                &all, &error),
                  error);
    printf("note: %zu of %zu cases in one grid are saturated\n", all.saturated, all.cases);
    assert_true(all.cases > 100 && all.saturated * 4 < all.cases);
}

/* The zero points that a case has for 64 channels and more: those a block apart differ. */
static enum qd_visit visit_zero_points(void *context, const struct qd_case *kase)
{
    size_t *vectors = context;
    for (size_t v = 0; v < kase->graph->value_count; v++) {
        const struct qd_graph_value *value = &kase->graph->values[v];
        const struct qd_tensor *z = value->initializer;
        if (!z || z->rank != 1 || z->count < 64 || !strstr(value->name, "w_zero_point") ||
            strstr(kase->id, "wz_0") || strstr(kase->id, "absent"))
            continue;
        for (int64_t block = 8; block <= 64; block *= 2)
            for (int64_t i = 0; i + block < z->count; i++)
                assert_int_not_equal(qd_tensor_get(z, i), qd_tensor_get(z, i + block));
        ++*vectors;
    }
    return QD_VISIT_GO_ON;
}

static void test_blocks_have_other_zero_points(void **state)
{
    size_t vectors = 0;
    struct qd_error error;
    (void)state;
    assert_ok(qd_family_derived.generate_op(op_named("QLinearConv"), QD_LEVEL_FULL,
                                            visit_zero_points, &vectors, &error),
              error);
    assert_true(vectors > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_attribute_is_forgotten),
        cmocka_unit_test(test_no_control_is_forgotten),
        cmocka_unit_test_setup_teardown(test_the_table_is_what_is_learned, arena_set_up,
                                        arena_tear_down),
        cmocka_unit_test_setup_teardown(test_an_old_opset_changes_two_others, arena_set_up,
                                        arena_tear_down),
        cmocka_unit_test_setup_teardown(test_holes_name_the_rule, arena_set_up, arena_tear_down),
        cmocka_unit_test(test_cases_are_valid),
        cmocka_unit_test_setup_teardown(test_rows_are_marked, arena_set_up, arena_tear_down),
        cmocka_unit_test(test_smoke_is_a_small_part),
        cmocka_unit_test(test_every_operator_has_200),
        cmocka_unit_test(test_plain_types_see_pairs),
        cmocka_unit_test(test_one_grid_leaves_codes),
        cmocka_unit_test(test_blocks_have_other_zero_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
