#include "nearest.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t qd_edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1];
    size_t rows = strnlen(a, LONGEST), columns = strnlen(b, LONGEST);

    for (size_t j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t substituted = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, substituted);
        }
    }
    return row[columns];
}

void qd_nearest_offer(struct qd_nearest *nearest, const char *word)
{
    size_t distance = qd_edit_distance(nearest->given, word);
    size_t length = strnlen(word, LONGEST);

    /* What shares less than half of its letters is no hint. */
    if (distance * 2 > length) {
        return;
    }
    if (nearest->word == NULL || distance < nearest->distance) {
        nearest->word = word;
        nearest->distance = distance;
    }
}
