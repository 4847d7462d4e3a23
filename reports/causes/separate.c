/* SPDX-License-Identifier: Apache-2.0 */
/* Searches conjunctions of features, shorter ones first, over sets of cases as bits. */
#include "causes/separate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LITERALS = 2 * QD_FEATURE_COUNT };

/* A feature word or its negation, and the cases for which it holds. */
struct literal {
    enum qd_feature word;
    bool negated;
    uint64_t *failing, *passing;
};

struct search {
    struct literal literals[MOST_LITERALS];
    size_t literal_count;
    size_t failing_words, passing_words;
    uint64_t *failing[QD_SEPARATION_WORDS + 1], *passing[QD_SEPARATION_WORDS + 1]; /* by depth */
    size_t chosen[QD_SEPARATION_WORDS];
    size_t most; /* failing cases of the best so far */
    struct qd_separation *found;
};

static size_t words_of(size_t count)
{
    return (count + 63) / 64;
}

static size_t count_bits(const uint64_t *bits, size_t words)
{
    size_t count = 0;

    for (size_t i = 0; i < words; i++)
        count += (size_t)__builtin_popcountll(bits[i]);
    return count;
}

static void mark(const struct literal *literal, const struct qd_features *cases, size_t count,
                 uint64_t *bits)
{
    for (size_t i = 0; i < count; i++)
        if (qd_features_has(&cases[i], literal->word) != literal->negated)
            bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Adds the literal if it can be of use: it holds for enough failing cases and not for all passing ones. */
static bool add_literal(struct search *search, struct literal literal,
                        const struct qd_features *failing, size_t failing_count,
                        const struct qd_features *passing, size_t passing_count,
                        struct qd_arena *arena)
{
    literal.failing = qd_arena_array(arena, search->failing_words + 1, sizeof *literal.failing);
    literal.passing = qd_arena_array(arena, search->passing_words + 1, sizeof *literal.passing);
    if (!literal.failing || !literal.passing)
        return false;
    mark(&literal, failing, failing_count, literal.failing);
    mark(&literal, passing, passing_count, literal.passing);
    if (count_bits(literal.failing, search->failing_words) >= QD_SEPARATION_CASES &&
        count_bits(literal.passing, search->passing_words) < passing_count)
        search->literals[search->literal_count++] = literal;
    return true;
}

static bool begin(struct search *search, const struct qd_features *failing, size_t failing_count,
                  const struct qd_features *passing, size_t passing_count, struct qd_arena *arena)
{
    search->failing_words = words_of(failing_count);
    search->passing_words = words_of(passing_count);
    for (int depth = 0; depth <= QD_SEPARATION_WORDS; depth++) {
        search->failing[depth] = qd_arena_array(arena, search->failing_words + 1, sizeof(uint64_t));
        search->passing[depth] = qd_arena_array(arena, search->passing_words + 1, sizeof(uint64_t));
        if (!search->failing[depth] || !search->passing[depth])
            return false;
    }
    memset(search->failing[0], 0xFF, search->failing_words * sizeof(uint64_t));
    memset(search->passing[0], 0xFF, search->passing_words * sizeof(uint64_t));
    for (int i = 0; i < MOST_LITERALS; i++) {
        struct literal literal = {(enum qd_feature)(i % QD_FEATURE_COUNT), i >= QD_FEATURE_COUNT,
                                  NULL, NULL};

        if (!add_literal(search, literal, failing, failing_count, passing, passing_count, arena))
            return false;
    }
    return true;
}

static void intersect(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = a[i] & b[i];
}

static void keep(struct search *search, size_t length)
{
    search->found->count = length;
    for (size_t i = 0; i < length; i++) {
        search->found->words[i] = search->literals[search->chosen[i]].word;
        search->found->negated[i] = search->literals[search->chosen[i]].negated;
    }
}

/* Tries the conjunctions of `length` words that begin with the `depth` chosen ones. */
static void extend(struct search *search, size_t depth, size_t from, size_t length)
{
    uint64_t *failing = search->failing[depth + 1], *passing = search->passing[depth + 1];

    for (size_t i = from; i < search->literal_count; i++) {
        const struct literal *literal = &search->literals[i];

        intersect(failing, search->failing[depth], literal->failing, search->failing_words);
        size_t cases = count_bits(failing, search->failing_words);
        if (cases < QD_SEPARATION_CASES || cases <= search->most)
            continue;
        search->chosen[depth] = i;
        intersect(passing, search->passing[depth], literal->passing, search->passing_words);
        if (depth + 1 < length) {
            extend(search, depth + 1, i + 1, length);
        } else if (count_bits(passing, search->passing_words) == 0) {
            search->most = cases;
            keep(search, length);
        }
    }
}

enum qd_status qd_separate(const struct qd_features *failing, size_t failing_count,
                           const struct qd_features *passing, size_t passing_count,
                           struct qd_arena *arena, struct qd_separation *found,
                           struct qd_error *error)
{
    struct search *search = qd_arena_alloc(arena, sizeof *search);

    *found = (struct qd_separation){.count = 0};
    if (!search || !begin(search, failing, failing_count, passing, passing_count, arena))
        return qd_fail(error, QD_NO_MEMORY, "no memory to compare failing cases with passing ones");
    search->found = found;
    for (size_t length = 1; length <= QD_SEPARATION_WORDS && found->count == 0; length++)
        extend(search, 0, 0, length);
    return QD_OK;
}

bool qd_separation_holds(const struct qd_separation *separation, const struct qd_features *features)
{
    for (size_t i = 0; i < separation->count; i++)
        if (qd_features_has(features, separation->words[i]) == separation->negated[i])
            return false;
    return separation->count > 0;
}

const char *qd_separation_describe(const struct qd_separation *separation, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < separation->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", i > 0 ? "," : "",
                                 separation->negated[i] ? "!" : "",
                                 qd_feature_word(separation->words[i]));
    return text;
}
