/* SPDX-License-Identifier: Apache-2.0 */
/* Filters and shards: which cases a command line asks for.
 * Alone: <build>/tests/reports/select/selection_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "select/selection.h"

static const char *const tags[] = {"tie", "odd"};

/* A case with no graph: the filters look at id, op, tags and the features given. */
static struct qd_case a_case(const char *id)
{
    return (struct qd_case){.id = id, .op = "QLinearConv", .tag_count = 2, .tags = tags};
}

/* Whether --op `word` takes the cases of an operator. */
static bool word_takes(const char *word, const char *op)
{
    struct qd_words ops = {.items = &word, .count = 1};
    struct qd_options options = {.ops = ops};
    struct qd_case kase = a_case("a");
    struct qd_features features = {{0, 0}};

    kase.op = op;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_selection selection;
    assert_int_equal(qd_selection_init(&options, &arena, &selection, NULL), QD_OK);
    bool taken = qd_selection_takes(&selection, &kase, &features);
    qd_arena_clear(&arena);
    return taken;
}

static struct qd_features features_of(const char *words)
{
    struct qd_features features = {{0, 0}};
    char copy[128];

    strcpy(copy, words);
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
        enum qd_feature feature;

        assert_true(qd_feature_find(word, &feature));
        features.bits[feature / 64] |= UINT64_C(1) << feature % 64;
    }
    return features;
}

static struct qd_words *list(struct qd_words *room, const char **items, size_t count)
{
    room->items = items;
    room->count = count;
    return room;
}

/* Whether a case is taken with these options. */
static bool takes(const struct qd_options *options, const char *id, const char *features)
{
    struct qd_case kase = a_case(id);
    struct qd_features set = features_of(features);
    struct qd_arena arena;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_selection selection;
    assert_int_equal(qd_selection_init(options, &arena, &selection, NULL), QD_OK);
    bool taken = qd_selection_takes(&selection, &kase, &set);
    qd_arena_clear(&arena);
    return taken;
}

static void globs_match_whole_ids(void **state)
{
    const char *globs[] = {"QLinearConv/*/tie-*", "regressions/*"};
    struct qd_options options = {0};

    (void)state;
    list(&options.filters, globs, 2);
    assert_true(takes(&options, "QLinearConv/x-u8/a/b/tie-1", ""));
    assert_true(takes(&options, "regressions/ort-28456", ""));
    assert_false(takes(&options, "reject/regressions/x", ""));
    assert_false(takes(&options, "QLinearConv/x-u8/near-tie", ""));
}

static void an_unknown_operator_is_named_with_the_nearest(void **state)
{
    const char *odd[] = {"QlinearConv"};
    struct qd_options options = {0};
    struct qd_error error = {0};

    (void)state;
    list(&options.ops, odd, 1);
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_selection selection;
    assert_int_equal(qd_selection_init(&options, &arena, &selection, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "\"QLinearConv\""));
    qd_arena_clear(&arena);
}

static void ops_and_tags_match_words(void **state)
{
    const char *right[] = {"MatMul", "QLinearConv"}, *wrong[] = {"Conv"};
    const char *odd[] = {"odd"}, *none[] = {"ti"};
    struct qd_options options = {0};

    (void)state;
    list(&options.ops, right, 2);
    assert_true(takes(&options, "a", ""));
    list(&options.ops, wrong, 1);
    assert_false(takes(&options, "a", ""));
    options = (struct qd_options){0};
    list(&options.tags, odd, 1);
    assert_true(takes(&options, "a", ""));
    list(&options.tags, none, 1);
    assert_false(takes(&options, "a", ""));
}

/* A word with "!" leaves out; alone it leaves the rest. */
static void a_leading_mark_leaves_out(void **state)
{
    const char *globs[] = {"QLinearConv/*", "!*/tie-*"}, *others[] = {"!Conv", "!QLinearConv"};
    const char *tags_wanted[] = {"tie", "!odd"}, *tags_left[] = {"!ti"};
    struct qd_options options = {0};

    (void)state;
    list(&options.filters, globs, 2);
    assert_true(takes(&options, "QLinearConv/x/near-tie", ""));
    assert_false(takes(&options, "QLinearConv/x/tie-1", ""));
    assert_false(takes(&options, "MatMul/x/near-tie", ""));
    list(&options.filters, globs + 1, 1);
    assert_true(takes(&options, "MatMul/x/near-tie", ""));
    options = (struct qd_options){0};
    list(&options.ops, others, 1);
    assert_true(takes(&options, "a", ""));
    list(&options.ops, others, 2);
    assert_false(takes(&options, "a", ""));
    options = (struct qd_options){0};
    list(&options.tags, tags_wanted, 2); /* the case has tie and odd */
    assert_false(takes(&options, "a", ""));
    list(&options.tags, tags_left, 1);
    assert_true(takes(&options, "a", ""));
}

static void a_bare_name_is_the_vendors_where_no_other_has_it(void **state)
{
    (void)state;
    assert_true(word_takes("QLinearAdd", "com.microsoft:QLinearAdd"));
    assert_true(word_takes("com.microsoft:QLinearAdd", "com.microsoft:QLinearAdd"));
    assert_false(word_takes("QLinearAdd", "com.microsoft:QLinearMul"));
    assert_true(word_takes("QuantizeLinear", "QuantizeLinear"));
    assert_false(word_takes("QuantizeLinear", "com.microsoft:QuantizeLinear"));
    assert_true(word_takes("com.microsoft:QuantizeLinear", "com.microsoft:QuantizeLinear"));
    assert_false(word_takes("com.microsoft:QuantizeLinear", "QuantizeLinear"));
}

static void features_are_needed_and_banned(void **state)
{
    const char *groups[] = {"bias,!groups", "depthwise"};
    struct qd_options options = {0};

    (void)state;
    list(&options.features, groups, 1);
    assert_true(takes(&options, "a", "bias,pads"));
    assert_false(takes(&options, "a", "bias,groups"));
    assert_false(takes(&options, "a", "pads"));
    list(&options.features, groups, 2);
    assert_true(takes(&options, "a", "bias,groups,depthwise"));
}

static void features_beyond_the_first_word(void **state)
{
    struct qd_options options = {0};

    (void)state;
    const char *groups[1];
    for (int i = 0; i < QD_FEATURE_COUNT;
         i++) { /* every row, on both sides of bit 64 if it comes to that */
        groups[0] = qd_feature_word((enum qd_feature)i);
        list(&options.features, groups, 1);
        assert_true(takes(&options, "a", groups[0]));
        assert_false(takes(&options, "a", ""));
    }
}

static void unknown_features_are_named(void **state)
{
    const char *groups[] = {"bias,group"};
    struct qd_options options = {0};
    struct qd_error error = {0};

    (void)state;
    list(&options.features, groups, 1);
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_selection selection;
    assert_int_equal(qd_selection_init(&options, &arena, &selection, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "did you mean \"groups\"?"));
    qd_arena_clear(&arena);
}

/* Every id falls in exactly one part, and no part is far from its share. */
static void shards_are_a_partition(void **state)
{
    enum { PARTS = 7, IDS = 7000 };
    size_t sizes[PARTS] = {0};

    (void)state;
    for (int i = 0; i < IDS; i++) {
        char id[64];
        unsigned hits = 0;

        snprintf(id, sizeof id, "QLinearConv/x/%d", i);
        for (uint64_t part = 0; part < PARTS; part++) {
            struct qd_options options = {.shard = {part, PARTS}};
            bool taken = takes(&options, id, "");

            hits += taken;
            sizes[part] += taken;
        }
        assert_int_equal(hits, 1);
    }
    for (int part = 0; part < PARTS; part++)
        assert_in_range(sizes[part], IDS / PARTS * 8 / 10, IDS / PARTS * 12 / 10);
}

static void shards_do_not_move(void **state)
{
    (void)state;
    /* FNV-1a of "" is its offset basis 0xcbf29ce484222325, of "a" 0xaf63dc4c8601ec8c (its authors' test vectors),
     * folded once. */
    assert_int_equal(qd_shard_of("", 1000),
                     (UINT64_C(0xcbf29ce484222325) ^ UINT64_C(0xcbf29ce4)) % 1000);
    assert_int_equal(qd_shard_of("a", 1000),
                     (UINT64_C(0xaf63dc4c8601ec8c) ^ UINT64_C(0xaf63dc4c)) % 1000);
}

static bool is_whole(const struct qd_options *options)
{
    struct qd_selection selection = {.options = options};

    return qd_selection_is_whole(&selection);
}

static void whole_is_without_any_filter(void **state)
{
    const char *words[] = {"x"};
    struct qd_options options = {.level = QD_LEVEL_FULL};

    (void)state;
    assert_true(is_whole(&options));
    options.level = QD_LEVEL_EXHAUSTIVE;
    assert_true(is_whole(&options));
    options.level = QD_LEVEL_SMOKE;
    assert_false(is_whole(&options));
    options.level = QD_LEVEL_FULL;
    options.shard.count = 2;
    assert_false(is_whole(&options));
    options.shard.count = 0;
    list(&options.filters, words, 1);
    assert_false(is_whole(&options));
    options.filters.count = 0;
    list(&options.arguments, words, 1);
    assert_false(is_whole(&options));
}

static bool wants(const char *glob, const char *family)
{
    struct qd_options options = {0};
    struct qd_selection selection = {.options = &options};

    list(&options.filters, &glob, 1);
    return qd_selection_wants_part(&selection, family);
}

static void globs_name_parts(void **state)
{
    struct qd_options none = {0};
    const struct qd_selection all = {.options = &none};

    (void)state;
    assert_true(qd_selection_wants_part(&all, "QLinearConv"));
    assert_true(wants("QLinearConv/2d/*", "QLinearConv"));
    assert_true(wants("*/2d", "QLinearConv"));
    assert_true(wants("QLinear*", "QLinearConv"));
    assert_true(wants("QLinearConv*", "QLinearConv"));
    assert_true(wants("QLinearConv[/]2d", "QLinearConv"));
    assert_true(wants("Q\\LinearConv/2d", "QLinearConv"));
    assert_false(wants("QLinearConv", "QLinearConv"));
    assert_false(wants("QLinearConvTranspose/*", "QLinearConv"));
    assert_false(wants("QLinearConv/*", "QLinearConvTranspose"));
    assert_false(wants("regressions/*", "QLinearConv"));
    assert_false(wants("", "QLinearConv"));
    assert_true(wants("!QLinearConv/*", "QLinearConv"));
    assert_true(wants("!regressions/*", "QLinearConv"));
    assert_true(wants("derived/*", "derived/Cast"));
    assert_true(wants("derived/Cast/*", "derived/Cast"));
    assert_false(wants("derived/Conv/*", "derived/ConvInteger"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_match_whole_ids),
        cmocka_unit_test(ops_and_tags_match_words),
        cmocka_unit_test(an_unknown_operator_is_named_with_the_nearest),
        cmocka_unit_test(a_leading_mark_leaves_out),
        cmocka_unit_test(a_bare_name_is_the_vendors_where_no_other_has_it),
        cmocka_unit_test(features_are_needed_and_banned),
        cmocka_unit_test(features_beyond_the_first_word),
        cmocka_unit_test(unknown_features_are_named),
        cmocka_unit_test(shards_are_a_partition),
        cmocka_unit_test(shards_do_not_move),
        cmocka_unit_test(whole_is_without_any_filter),
        cmocka_unit_test(globs_name_parts),
    };

    return cmocka_run_group_tests_name("selection", tests, NULL, NULL);
}
