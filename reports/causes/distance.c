/* SPDX-License-Identifier: Apache-2.0 */
/* Says how far the wrong numbers of a result are off. */
#include "causes/distance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/dtype.h"

/* The type in "y u8[1,2]"; NONE if there is none. */
static enum qd_dtype type_of(const char *output)
{
    const char *blank = strrchr(output, ' ');
    size_t length = blank ? strcspn(blank + 1, "[") : 0;
    char word[16] = "";

    if (length < sizeof word)
        memcpy(word, blank ? blank + 1 : "", length);
    return qd_dtype_of_word(word);
}

/* Whether the diagnosis counted elements that are off by more than one code: "by more: 3" (qd_difference_facts). */
static bool has_farther(const char *facts)
{
    static const char words[] = "by more: ";
    const char *more = strstr(facts, words);

    return more && strtol(more + sizeof words - 1, NULL, 10) > 0;
}

const char *qd_distance_word(const struct qd_result *result)
{
    static const char nan[] = "NaN", infinite[] = "infinite", one[] = "by one code", off[] = "off",
                      none[] = "";
    enum qd_dtype type = type_of(result->output);

    if (result->have[0] == '\0' || type == QD_DTYPE_NONE)
        return none;
    double have = strtod(result->have, NULL), want = strtod(result->want, NULL);
    double lo = strtod(result->lo, NULL), hi = strtod(result->hi, NULL);
    if (isnan(have) != isnan(want))
        return nan;
    if (isinf(have) != isinf(want))
        return infinite;
    if (!qd_dtype_is_integer(type))
        return off;
    bool is_near = have == lo - 1 || have == hi + 1;
    return is_near && !has_farther(result->facts) ? one : off;
}
