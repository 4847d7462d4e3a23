/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest conjunction of features that cases which fail have and cases which pass do not. */
#ifndef QDIFF_REPORTS_SEPARATE_H
#define QDIFF_REPORTS_SEPARATE_H

#include "qdiff/features.h"

/* A conjunction of so many words at most, which selects so many failing cases at least: with fewer, chance finds
 * one. */
enum { QD_SEPARATION_WORDS = 3, QD_SEPARATION_CASES = 3 };

struct qd_separation {
    size_t count; /* words; 0: nothing separates */
    enum qd_feature words[QD_SEPARATION_WORDS];
    bool negated[QD_SEPARATION_WORDS];
};

/* Looks for the shortest conjunction that holds for no passing case and for QD_SEPARATION_CASES failing ones or
 * more; among those of its length the one that holds for the most failing ones, then the first in the order of
 * features.def, without "!" first. The order of the cases does not count. NO_MEMORY only. */
enum qd_status qd_separate(const struct qd_features *failing, size_t failing_count,
                           const struct qd_features *passing, size_t passing_count,
                           struct qd_arena *arena, struct qd_separation *found,
                           struct qd_error *error);

/* Whether the conjunction, of one word at least, holds. */
bool qd_separation_holds(const struct qd_separation *separation,
                         const struct qd_features *features);

/* "float16,!2d" into text; returns text. */
const char *qd_separation_describe(const struct qd_separation *separation, char *text, size_t size);

#endif
