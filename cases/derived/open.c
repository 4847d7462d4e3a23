/* SPDX-License-Identifier: Apache-2.0 */
/* What the arrays leave open. A refusal next to the base speaks of one more factor at most; a level that needs two
 * others (an old opset, which has neither an attribute nor the input that replaced it) is looked for here. */
#include <string.h>

#include "derived/learn.h"

/* Rows that a pair is tried in with one more level changed. */
#define MOST_TRIED 4

enum qd_status qd_learn_search(struct qd_learner *l, uint8_t *row, unsigned f, unsigned g, int more)
{
    enum qd_status status = qd_learn_offer(l, row);
    struct qd_error first = *l->error;
    for (unsigned h = 0; more > 0 && h < l->table.factor_count; h++) {
        uint8_t level = row[h];
        for (unsigned v = 0; v < l->outline.factors[h].levels && h != f && h != g; v++) {
            if (!qd_learn_is_refusal(status))
                return status;
            if (v == level)
                continue;
            row[h] = (uint8_t)v;
            status = qd_learn_offer(l, row);
            if (more > 1 && qd_learn_is_refusal(status) && strcmp(first.text, l->error->text) != 0)
                status = qd_learn_search(l, row, f, g, more - 1);
        }
        row[h] = qd_learn_is_refusal(status) ? level : row[h];
    }
    if (qd_learn_is_refusal(status))
        *l->error = first;
    return status;
}

/* Tries the pair in the rows that have its first level; `more` levels may be changed. */
static enum qd_status try_in_rows(struct qd_learner *l, unsigned f, unsigned v, unsigned g,
                                  unsigned w, int more)
{
    enum qd_status status = QD_INVALID;
    size_t count = l->row_count, tried = 0;
    for (size_t r = 0; r < count && (more == 0 || tried < MOST_TRIED); r++) {
        uint8_t row[QD_COVERING_MAX_FACTORS];
        memcpy(row, l->rows + r * QD_COVERING_MAX_FACTORS, sizeof row);
        if (row[f] != v)
            continue;
        row[g] = (uint8_t)w;
        tried++;
        status = qd_learn_search(l, row, f, g, more);
        if (!qd_learn_is_refusal(status))
            break;
    }
    return status;
}

/* A pair that no row has: in rows that have one of its levels. What is refused in all of them is a hole. */
static enum qd_status close_pair(struct qd_learner *l, unsigned f, unsigned v, unsigned g,
                                 unsigned w)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    enum qd_status status = QD_INVALID;
    for (int more = 0; more < 2 && qd_learn_is_refusal(status); more++) {
        status = try_in_rows(l, f, v, g, w, more);
        if (qd_learn_is_refusal(status))
            status = try_in_rows(l, g, w, f, v, more);
    }
    if (!qd_learn_is_refusal(status) || qd_learn_excludes(l, f, v, g, w))
        return qd_learn_is_refusal(status) ? QD_OK : status;
    memcpy(row, l->base, sizeof row);
    row[f] = (uint8_t)v;
    row[g] = (uint8_t)w;
    status = qd_learn_offer(l, row); /* its own reason */
    return qd_learn_is_refusal(status) ? qd_learn_hole(l, f, g, row) : status;
}

/* The pairs of one level of f that are open or, with `all`, that no row has. */
static enum qd_status close_pairs(struct qd_learner *l, unsigned f, unsigned v, unsigned from,
                                  bool all)
{
    enum qd_status status = QD_OK;
    for (unsigned g = from; g < l->table.factor_count; g++)
        for (unsigned w = 0; w < l->outline.factors[g].levels && status == QD_OK; w++) {
            bool open = g != f && !qd_learn_has(l, f, v, g, w) &&
                        (all || !qd_learn_excludes(l, f, v, g, w));
            status = open ? close_pair(l, f, v, g, w) : QD_OK;
        }
    return status;
}

/* Gives the row, which has level v of f, a level of g that no row has with it, if it is taken with one. */
static enum qd_status take_level(struct qd_learner *l, unsigned f, unsigned v, unsigned g,
                                 uint8_t *row, bool *changed)
{
    uint8_t level = row[g];
    for (unsigned w = 0; w < l->outline.factors[g].levels && g != f; w++) {
        if (qd_learn_has(l, f, v, g, w))
            continue;
        row[g] = (uint8_t)w;
        enum qd_status status = qd_learn_probe(l, row);
        *changed = *changed || status == QD_OK;
        if (!qd_learn_is_refusal(status))
            return status;
    }
    row[g] = level;
    return QD_OK;
}

/* Rows that each have as many levels that are new next to level v of f as go together, from one that has v. */
static enum qd_status cover_level(struct qd_learner *l, unsigned f, unsigned v,
                                  const uint8_t *first)
{
    enum qd_status status = QD_OK;
    for (bool changed = true; changed && status == QD_OK;) {
        uint8_t row[QD_COVERING_MAX_FACTORS];
        size_t before = l->row_count;
        memcpy(row, first, sizeof row);
        changed = false;
        for (unsigned g = 0; g < l->table.factor_count && status == QD_OK; g++)
            status = take_level(l, f, v, g, row, &changed);
        if (status == QD_OK && changed)
            status = qd_learn_offer(l, row);
        if (qd_learn_is_refusal(status)) /* too large */
            return QD_OK;
        changed = changed && l->row_count > before;
    }
    return status;
}

/* A level that no row has: with two others, then with all that go with it from there. */
static enum qd_status close_level(struct qd_learner *l, unsigned f, unsigned v)
{
    uint8_t row[QD_COVERING_MAX_FACTORS];
    memcpy(row, l->base, sizeof row);
    row[f] = (uint8_t)v;
    if (qd_learn_has(l, f, v, f, v))
        return QD_OK;
    enum qd_status status = qd_learn_search(l, row, f, f, 2);
    if (qd_learn_is_refusal(status))
        return QD_OK; /* the reason stands among the holes */
    status = status == QD_OK ? cover_level(l, f, v, row) : status;
    return status == QD_OK ? close_pairs(l, f, v, 0, true) : status;
}

enum qd_status qd_learn_open(struct qd_learner *l)
{
    enum qd_status status = QD_OK;
    for (unsigned f = 0; f < l->table.factor_count; f++)
        for (unsigned v = 0; v < l->outline.factors[f].levels && status == QD_OK; v++)
            status = close_level(l, f, v);
    for (unsigned f = 0; f < l->table.factor_count; f++)
        for (unsigned v = 0; v < l->outline.factors[f].levels && status == QD_OK; v++)
            status = close_pairs(l, f, v, f + 1, false);
    return status;
}
