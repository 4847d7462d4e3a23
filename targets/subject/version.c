/* SPDX-License-Identifier: Apache-2.0 */
/* Compares release numbers, and matches ranges of them. */
#include "qdiff/version_order.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes one number and the dot after it off *text; 0 where there is none. */
static unsigned long take_number(const char **text)
{
    if (!is_digit(**text))
        return 0;
    char *end;
    unsigned long number = strtoul(*text, &end, 10);
    *text = *end == '.' && is_digit(end[1]) ? end + 1 : end;
    return number;
}

int qd_version_order(const char *a, const char *b)
{
    while (is_digit(*a) || is_digit(*b)) {
        unsigned long x = take_number(&a), y = take_number(&b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    if (!*a || !*b)
        return (*a == '\0') - (*b == '\0');
    return strcmp(a, b);
}

enum relation { LESS = 1, EQUAL = 2, GREATER = 4 };

/* Takes an operator off *text: the set of relations that fulfil it. */
static int take_relation(const char **text)
{
    int relation = 0;
    if (**text == '<' || **text == '>') {
        relation = **text == '<' ? LESS : GREATER;
        ++*text;
    }
    if (**text == '=') {
        relation |= EQUAL;
        ++*text;
    }
    return relation ? relation : EQUAL;
}

/* One part of a range, e.g. ">=1.20", into relation and version; *text moves past it and its comma. */
static bool take_part(const char **text, int *relation, char version[32])
{
    *relation = take_relation(text);
    size_t length = strcspn(*text, ",");
    if (length == 0 || length >= 32 || !is_digit(**text))
        return false;
    memcpy(version, *text, length);
    version[length] = '\0';
    *text += length;
    if (**text == ',' && *++*text == '\0')
        return false;
    return true;
}

bool qd_version_range_ok(const char *range)
{
    if (strcmp(range, "*") == 0)
        return true;
    if (*range == '\0')
        return false;
    int relation;
    char version[32];
    while (*range)
        if (!take_part(&range, &relation, version))
            return false;
    return true;
}

bool qd_version_in_range(const char *version, const char *range)
{
    if (strcmp(range, "*") == 0)
        return true;
    int relation;
    char bound[32];
    while (*range && take_part(&range, &relation, bound)) {
        int order = qd_version_order(version, bound);
        int have = order < 0 ? LESS : order > 0 ? GREATER : EQUAL;
        if (!(relation & have))
            return false;
    }
    return true;
}
