/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the nearest of a list of words. */
#ifndef QDIFF_SPELLING_H
#define QDIFF_SPELLING_H

#include <stddef.h>

/* Insertions, deletions, substitutions and swaps of neighbours between two words; words beyond 64 bytes are cut. */
size_t qd_edit_distance(const char *a, const char *b);

/* Keeps the word nearest to `given` over calls: by edits, if at least half of its letters
 * stay, or as a part of it. Start from {given, NULL, 0}. */
struct qd_spelling {
    const char *given;
    const char *word; /* NULL if none is near enough to be worth a hint */
    size_t distance;
};
void qd_spelling_try(struct qd_spelling *spelling, const char *word);

#endif
