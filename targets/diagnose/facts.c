/* SPDX-License-Identifier: Apache-2.0 */
/* Says what can be said about a difference that nothing explains. */
#include "diagnose/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qdiff/element.h"
#include "qdiff/evaluate.h"

/* Text that grows; NULL once there is no memory. */
struct line {
    struct qd_arena *arena;
    const char *text;
};

static void say(struct line *line, const char *fact)
{
    if (line->text && fact)
        line->text = *line->text ? qd_arena_printf(line->arena, "%s; %s", line->text, fact) : fact;
    else
        line->text = NULL;
}

/* The elements of one output that differ. */
struct differing {
    const struct qd_tensor *want, *have;
    const struct qd_value *value;
    bool *at; /* per element */
    int64_t count;
};

static bool collect(const struct qd_value *value, const struct qd_tensor *have,
                    struct qd_arena *arena, struct differing *d)
{
    *d = (struct differing){&value->want, have, value, NULL, 0};
    d->at = qd_arena_array(arena, (size_t)value->want.count, sizeof *d->at);
    for (int64_t i = 0; d->at && i < value->want.count; i++) {
        d->at[i] = qd_element_of(value, have, i) == QD_ELEMENT_MISMATCHED;
        d->count += d->at[i];
    }
    return d->at != NULL;
}

static double difference(const struct differing *d, int64_t i)
{
    return qd_tensor_value(d->have, i) - qd_tensor_value(d->want, i);
}

static void say_sizes(struct line *line, const struct differing *d)
{
    int64_t below = 0, above = 0;
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < d->want->count; i++) {
        if (!d->at[i])
            continue;
        double by = difference(d, i);
        below += by == -1;
        above += by == 1;
        least = fmin(least, by);
        most = fmax(most, by);
    }
    say(line, qd_arena_printf(line->arena, "%lld of %lld elements differ", (long long)d->count,
                              (long long)d->want->count));
    if (qd_dtype_is_integer(d->want->dtype))
        say(line, qd_arena_printf(line->arena, "by -1: %lld, by +1: %lld, by more: %lld",
                                  (long long)below, (long long)above,
                                  (long long)(d->count - below - above)));
    say(line, qd_arena_printf(line->arena, "from %.9g to %.9g", least, most));
}

static void say_ties(struct line *line, const struct differing *d, const struct qd_value *explained)
{
    int64_t ties = 0;
    if (!explained->real)
        return;
    for (int64_t i = 0; i < d->want->count; i++)
        ties += d->at[i] && qd_value_flags(explained, i) & QD_TIE;
    say(line, ties == d->count ? "only at exact ties"
              : ties == 0      ? "none at an exact tie"
                          : qd_arena_printf(line->arena, "%lld at exact ties", (long long)ties));
}

/* Which indices of an axis hold all differences, if not all do. */
static void say_axis(struct line *line, const struct differing *d, unsigned axis)
{
    enum { SHOWN = 8 };
    int64_t size = d->want->dims[axis], inner = 1, seen = 0;
    char list[160] = "";
    for (unsigned a = axis + 1; a < d->want->rank; a++)
        inner *= d->want->dims[a];
    for (int64_t index = 0; index < size; index++) {
        bool here = false;
        for (int64_t i = 0; !here && i < d->want->count; i++)
            here = d->at[i] && i / inner % size == index;
        if (!here)
            continue;
        size_t used = strlen(list);
        if (seen < SHOWN)
            snprintf(list + used, sizeof list - used, "%s%lld", seen ? " " : "", (long long)index);
        seen++;
    }
    if (seen > 0 && seen < size && seen <= SHOWN)
        say(line, qd_arena_printf(line->arena, "only index %s of axis %u", list, axis));
}

/* The widest vector whose left-over tail holds every difference. */
static void say_tail(struct line *line, const struct differing *d)
{
    for (int64_t width = 64; width >= 4; width /= 2) {
        int64_t start = d->want->count / width * width;
        bool inside = start > 0 && start < d->want->count;
        for (int64_t i = 0; inside && i < start; i++)
            inside = !d->at[i];
        if (!inside)
            continue;
        say(line, qd_arena_printf(line->arena,
                                  "only in the last %lld elements, the tail of %lld-wide vectors",
                                  (long long)(d->want->count - start), (long long)width));
        return;
    }
}

static void say_output(struct line *line, const struct differing *d,
                       const struct qd_value *explained)
{
    say_sizes(line, d);
    if (explained)
        say_ties(line, d, explained);
    /* Looking per axis costs elements times indices: for outputs that a person looks at. */
    for (unsigned axis = 0; d->want->count <= 1 << 14 && axis < d->want->rank; axis++)
        say_axis(line, d, axis);
    say_tail(line, d);
}

const char *qd_difference_facts(const struct qd_case *kase, const struct qd_value *canonical,
                                const struct qd_run *run, struct qd_arena *arena)
{
    struct line line = {arena, ""};
    size_t count = kase->graph->output_count;
    struct qd_value *explained = qd_arena_array(arena, count, sizeof *explained);
    if (!explained)
        return NULL;
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, arena, explained, NULL) != QD_OK)
        explained = NULL;
    for (size_t i = 0; i < count; i++) {
        struct differing d;
        if (!collect(&canonical[i], &run->outputs[i], arena, &d))
            return NULL;
        if (d.count > 0 && count > 1)
            say(&line, qd_arena_printf(arena, "output '%.80s'",
                                       kase->graph->values[kase->graph->outputs[i]].name));
        if (d.count > 0)
            say_output(&line, &d, explained ? &explained[i] : NULL);
    }
    return line.text;
}

bool qd_difference_is_of_ties(const struct qd_case *kase, const struct qd_value *canonical,
                              const struct qd_run *run, struct qd_arena *arena)
{
    const size_t outputs = kase->graph->output_count;
    struct qd_value *explained = qd_arena_array(arena, outputs, sizeof *explained);
    int64_t wrong = 0, ties = 0;
    if (!explained ||
        qd_graph_explain(kase->graph, kase->inputs, NULL, arena, explained, NULL) != QD_OK)
        return false;
    for (size_t o = 0; o < outputs; o++)
        for (int64_t i = 0; i < canonical[o].want.count; i++) {
            bool differs =
                qd_element_of(&canonical[o], &run->outputs[o], i) == QD_ELEMENT_MISMATCHED;
            wrong += differs;
            ties += differs && explained[o].real && qd_value_flags(&explained[o], i) & QD_TIE;
        }
    return wrong > 0 && ties == wrong;
}
