/* SPDX-License-Identifier: Apache-2.0 */
/* Every possible t-tuple occurs, no row breaks an exclusion, the same table gives the same rows.
 * Alone: <build>/tests/cases/covering_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/covering.h"

static const struct qd_factor factors[] = {
    {"a", 3, {"a0", "a1", "a2"}},
    {"b", 4, {"b0", NULL, "b2", "b3"}},
    {"c", 2, {NULL, "c1"}},
    {"d", 5, {"d0"}},
    {"e", 2, {"e0"}},
    {"f", 3, {"f0"}},
};
static const struct qd_exclusion exclusions[] = {
    {{0, 1}, {0x1, 0xc}},  /* a0 with b2 or b3 */
    {{2, 3}, {0x2, 0x1f}}, /* c1 with any d: c1 is in no row */
};
static const struct qd_factor_table table = {factors, 6, exclusions, 2};

/* Whether a and b hold for two factors is allowed, written out a second time. */
static bool allowed(const uint8_t *row)
{
    return !(row[0] == 0 && row[1] >= 2) && row[2] == 0;
}

/* All rows of the full product, by brute force. */
static bool some_row_has(const unsigned *f, const uint8_t *l)
{
    uint8_t row[6];
    for (unsigned n = 0; n < 3 * 4 * 2 * 5 * 2 * 3; n++) {
        unsigned rest = n;
        for (int i = 0; i < 6; i++) {
            row[i] = (uint8_t)(rest % factors[i].levels);
            rest /= factors[i].levels;
        }
        if (row[f[0]] == l[0] && row[f[1]] == l[1] && row[f[2]] == l[2] && allowed(row))
            return true;
    }
    return false;
}

static bool array_has(const struct qd_covering *c, const unsigned *f, const uint8_t *l)
{
    for (size_t r = 0; r < c->row_count; r++) {
        const uint8_t *row = c->rows + r * 6;
        if (row[f[0]] == l[0] && row[f[1]] == l[1] && row[f[2]] == l[2])
            return true;
    }
    return false;
}

static void every_possible_triple_occurs(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_covering c;
    struct qd_error error;
    size_t triples = 0, impossible = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(QD_OK, qd_covering_make(&table, 3, &arena, &c, &error));
    unsigned f[3];
    uint8_t l[3];
    for (f[0] = 0; f[0] < 6; f[0]++)
        for (f[1] = f[0] + 1; f[1] < 6; f[1]++)
            for (f[2] = f[1] + 1; f[2] < 6; f[2]++)
                for (l[0] = 0; l[0] < factors[f[0]].levels; l[0]++)
                    for (l[1] = 0; l[1] < factors[f[1]].levels; l[1]++)
                        for (l[2] = 0; l[2] < factors[f[2]].levels; l[2]++) {
                            bool possible = some_row_has(f, l);
                            assert_int_equal(possible, array_has(&c, f, l));
                            triples++;
                            impossible += !possible;
                        }
    assert_int_equal(triples, c.tuples);
    assert_int_equal(impossible, c.impossible);
    size_t covered = 0;
    assert_int_equal(QD_OK, qd_covering_count(&table, &c, &arena, &covered, &error));
    assert_int_equal(covered, triples - impossible);
    struct qd_covering half = c;
    half.row_count /= 2;
    assert_int_equal(QD_OK, qd_covering_count(&table, &half, &arena, &covered, &error));
    assert_true(covered < triples - impossible);
    /* 5·4·3 combinations of the three largest factors are the least; greedy stays near it. */
    assert_in_range(c.row_count, 60, 90);
    for (size_t r = 0; r < c.row_count; r++)
        assert_true(allowed(c.rows + r * 6) && qd_covering_row_valid(&table, c.rows + r * 6));
    qd_arena_clear(&arena);
}

static void same_table_same_rows(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_covering a, b;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(QD_OK, qd_covering_make(&table, 2, &arena, &a, &error));
    assert_int_equal(QD_OK, qd_covering_make(&table, 2, &arena, &b, &error));
    assert_int_equal(a.row_count, b.row_count);
    assert_memory_equal(a.rows, b.rows, a.row_count * 6);
    qd_arena_clear(&arena);
}

static void tables_outside_the_limits_fail(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_covering c;
    struct qd_error error;
    static const struct qd_factor empty[] = {{"none", 0, {0}}};
    static const struct qd_exclusion all[] = {{{0, 1}, {0x7, 0xf}}};
    struct qd_factor_table no_level = {empty, 1, NULL, 0}, no_row = {factors, 6, all, 1};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(QD_USAGE, qd_covering_make(&no_level, 1, &arena, &c, &error));
    assert_non_null(strstr(error.text, "none"));
    assert_int_equal(QD_USAGE, qd_covering_make(&no_row, 2, &arena, &c, &error));
    assert_int_equal(QD_USAGE, qd_covering_make(&table, 0, &arena, &c, &error));
    assert_int_equal(QD_USAGE, qd_covering_make(&table, 7, &arena, &c, &error));
    qd_arena_clear(&arena);
}

/* A level that the last of many factors excludes is found impossible without a look at all rows. */
static void what_is_impossible_is_seen_at_once(void **state)
{
    (void)state;
    struct qd_factor many[24];
    const struct qd_exclusion last = {{0, 23}, {0x1, 0xff}};
    const struct qd_factor_table large = {many, 24, &last, 1};
    struct qd_covering covering;
    struct qd_arena arena;
    struct qd_error error;
    for (size_t i = 0; i < 24; i++)
        many[i] = (struct qd_factor){.name = "f", .levels = 8};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_covering_make(&large, 1, &arena, &covering, &error), QD_OK);
    assert_int_equal(covering.impossible, 1);
    for (size_t r = 0; r < covering.row_count; r++)
        assert_int_not_equal(covering.rows[r * 24], 0);
    qd_arena_clear(&arena);
}

static void words_make_a_slug(void **state)
{
    (void)state;
    char text[64];
    const uint8_t row[] = {2, 1, 1, 0, 0, 0};
    assert_string_equal("a2-c1-d0-e0-f0", qd_covering_describe(&table, row, text, sizeof text));
    assert_string_equal("a2-c", qd_covering_describe(&table, row, text, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_possible_triple_occurs),
        cmocka_unit_test(same_table_same_rows),
        cmocka_unit_test(tables_outside_the_limits_fail),
        cmocka_unit_test(words_make_a_slug),
        cmocka_unit_test(what_is_impossible_is_seen_at_once),
    };
    return cmocka_run_group_tests_name("covering", tests, NULL, NULL);
}
