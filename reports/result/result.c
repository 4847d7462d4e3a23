/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a result's kinds, and an empty result. */
#include "result/result.h"

#include <string.h>

static const struct {
    const char *word, *meaning, *next;
} rows[] = {
#define QD_RESULT_ROW(name, word, meaning, next) {word, meaning, next},
    QD_RESULT_LIST(QD_RESULT_ROW)
#undef QD_RESULT_ROW
};

struct qd_result qd_result_init(const char *id, const char *op, const char *target,
                                enum qd_result_kind kind)
{
    return (struct qd_result){.id = id,
                              .op = op,
                              .target = target,
                              .kind = kind,
#define QD_RESULT_EMPTY(field) .field = "",
                              QD_RESULT_STRINGS(QD_RESULT_EMPTY)
#undef QD_RESULT_EMPTY
    };
}

const char *qd_result_word(enum qd_result_kind kind)
{
    return rows[kind].word;
}

const char *qd_result_meaning(enum qd_result_kind kind)
{
    return rows[kind].meaning;
}

const char *qd_result_next(enum qd_result_kind kind)
{
    return rows[kind].next;
}

bool qd_result_find(const char *word, enum qd_result_kind *kind)
{
    for (int i = 0; i < QD_RESULT_COUNT; i++) {
        if (strcmp(rows[i].word, word) == 0) {
            *kind = (enum qd_result_kind)i;
            return true;
        }
    }
    return false;
}

bool qd_result_is_unexpected(enum qd_result_kind kind)
{
    return kind != QD_RESULT_PASS && kind != QD_RESULT_KNOWN && kind != QD_RESULT_ADVISORY &&
           kind != QD_RESULT_SKIP;
}

bool qd_result_has_comparison(const struct qd_result *result)
{
    return result->kind != QD_RESULT_SKIP && result->kind != QD_RESULT_BAD_INPUT &&
           result->kind != QD_RESULT_BROKEN;
}

bool qd_result_is_comparison(const struct qd_result *result)
{
    return qd_result_has_comparison(result) && result->comparison.verdict != QD_VERDICT_UNSPECIFIED;
}
