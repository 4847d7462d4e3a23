/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of strings. */
#define _GNU_SOURCE /* tdestroy */
#include "report/names.h"

#include <search.h>
#include <string.h>

static int order(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *qd_names_keep(struct qd_names *names, const char *text)
{
    if (text[0] == '\0')
        return "";
    char *const *found = tfind(text, &names->tree, order);
    if (found)
        return *found;
    const char *copy = qd_arena_string(names->arena, text);
    return copy && tsearch(copy, &names->tree, order) ? copy : NULL;
}

static void forget(void *text)
{
    (void)text; /* the arena's */
}

void qd_names_clear(struct qd_names *names)
{
    tdestroy(names->tree, forget);
    names->tree = NULL;
}
