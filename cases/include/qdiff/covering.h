/* SPDX-License-Identifier: Apache-2.0 */
/* t-wise covering arrays: few rows of a factor table that hold every valid combination of any t
 * levels.
 *
 * Source: greedy construction in the manner of AETG (Cohen, Dalal, Fredman, Patton 1997),
 * without its randomness: the same table always gives the same rows. */
#ifndef QDIFF_COVERING_H
#define QDIFF_COVERING_H

#include "qdiff/arena.h"
#include "qdiff/status.h"

#define QD_COVERING_MAX_FACTORS 32
#define QD_COVERING_MAX_LEVELS 32
#define QD_COVERING_MAX_STRENGTH 4

/* A choice to be made, with its levels: `words[l]` is how ids name level l, NULL for "say
 * nothing" (the default). */
struct qd_factor {
    const char *name;
    unsigned levels; /* 1 to QD_COVERING_MAX_LEVELS */
    const char *words[QD_COVERING_MAX_LEVELS];
};

/* A factor's levels, by their words. */
#define QD_LEVELS(...) \
    .levels = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), .words = {__VA_ARGS__}

/* Two choices that exclude each other: a row may not hold a level of `masks[0]` for factor
 * `factors[0]` together with one of `masks[1]` for `factors[1]` (bit l = level l). */
struct qd_exclusion {
    unsigned factors[2];
    uint32_t masks[2];
};

struct qd_factor_table {
    const struct qd_factor *factors;
    unsigned factor_count; /* 1 to QD_COVERING_MAX_FACTORS */
    const struct qd_exclusion *exclusions;
    unsigned exclusion_count;
};

struct qd_covering {
    unsigned strength;
    size_t row_count;
    const uint8_t *rows; /* row r, factor f: rows[r·factor_count + f] is a level */
    /* What was covered: of `tuples` combinations of `strength` levels, `impossible` fit into no
     * row, and every other one occurs in some row. */
    size_t tuples, impossible;
};

/* Builds the array in the arena. strength is between 1 and the smaller of
 * QD_COVERING_MAX_STRENGTH and the number of factors. USAGE for a table outside the limits above
 * or one that no row satisfies; NO_MEMORY. */
enum qd_status qd_covering_make(const struct qd_factor_table *table, unsigned strength,
                                struct qd_arena *arena, struct qd_covering *covering,
                                struct qd_error *error);

/* How many combinations of covering->strength levels the rows hold, counted one by one: tuples − impossible if the
 * array is what it says. NO_MEMORY. */
enum qd_status qd_covering_count(const struct qd_factor_table *table,
                                 const struct qd_covering *covering, struct qd_arena *arena,
                                 size_t *covered, struct qd_error *error);

/* Whether a row breaks no exclusion. */
bool qd_covering_row_valid(const struct qd_factor_table *table, const uint8_t *row);

/* The words of a row's levels that have one, joined by '-', into text; returns text. */
char *qd_covering_describe(const struct qd_factor_table *table, const uint8_t *row, char *text,
                           size_t size);

#endif
