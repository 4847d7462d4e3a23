/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word of a list that a misspelt one is nearest to. */
#include "qdiff/spelling.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64, LEAST_PART = 3 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t qd_edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1]; /* of the table of distances of prefixes: i, i − 1, i − 2 */
    size_t height = strnlen(a, LONGEST), width = strnlen(b, LONGEST);
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[height % 3][width];
}

void qd_spelling_try(struct qd_spelling *spelling, const char *word)
{
    size_t distance = qd_edit_distance(spelling->given, word);
    bool part = strlen(spelling->given) >= LEAST_PART && strstr(word, spelling->given);
    /* What shares less than half of its letters is no hint. */
    if (distance * 2 > strnlen(word, LONGEST) && !part)
        return;
    if (!spelling->word || distance < spelling->distance) {
        spelling->word = word;
        spelling->distance = distance;
    }
}
