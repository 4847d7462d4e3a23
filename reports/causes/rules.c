/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how wide a missing check is: one operator's, one rule's, or a kind of rules'. */
#include "causes/rules.h"

#include <string.h>

/* A must-reject case on a target: what it came to, and the rule, "Conv/pads-negative". */
struct trial {
    const char *name, *rule;
    bool diverges;
};

struct trials {
    size_t count;
    struct trial *items;
};

static size_t length_of_op(const char *rule)
{
    return strcspn(rule, "/");
}

/* "/pads-negative" of "Conv/pads-negative", or its kind, "-negative"; NULL where a rule has none. */
static const char *part_of(const char *rule, bool kind)
{
    const char *part = strchr(rule, '/');

    return part && kind ? strrchr(part, '-') : part;
}

static bool collect(struct qd_causes *causes, struct trials *trials)
{
    size_t most = causes->member_count + causes->pass_count;

    trials->items = qd_arena_array(&causes->arena, most, sizeof *trials->items);
    for (size_t i = 0; trials->items && i < causes->member_count; i++) {
        const struct qd_cause_member *member = &causes->members[i];

        if (member->rule[0] != '\0')
            trials->items[trials->count++] = (struct trial){member->name, member->rule, true};
    }
    for (size_t i = 0; trials->items && i < causes->pass_count; i++) {
        const struct qd_cause_pass *pass = &causes->passes[i];

        if (pass->rule[0] != '\0')
            trials->items[trials->count++] = (struct trial){pass->name, pass->rule, false};
    }
    return trials->items != NULL;
}

/* Whether the trial is of this target and has this part. */
static bool is_of(const struct trial *trial, const char *name, const char *part, bool kind)
{
    const char *own = part_of(trial->rule, kind);

    return own && strcmp(own, part) == 0 && strcmp(trial->name, name) == 0;
}

static bool has_same_op(const struct trial *a, const struct trial *b)
{
    size_t length = length_of_op(a->rule);

    return length == length_of_op(b->rule) && strncmp(a->rule, b->rule, length) == 0;
}

/* Whether half of the operator's trials with this part are not refused, but taken, or died of. */
static bool op_shows(const struct trials *trials, size_t first, const char *part, bool kind)
{
    const struct trial *example = &trials->items[first];
    size_t all = 0, shown = 0;

    for (size_t i = first; i < trials->count; i++) {
        const struct trial *trial = &trials->items[i];

        if (!is_of(trial, example->name, part, kind) || !has_same_op(trial, example))
            continue;
        all++;
        shown += trial->diverges;
    }
    return 2 * shown >= all;
}

/* Whether nearly all operators that have the part lack the check. */
static bool all_show(const struct trials *trials, const struct qd_cause_member *member, bool kind)
{
    enum { LEAST_OPS = 3 };
    const char *part = part_of(member->rule, kind);
    size_t ops = 0, showing = 0;

    for (size_t i = 0; part && i < trials->count; i++) {
        size_t earlier = 0;

        if (!is_of(&trials->items[i], member->name, part, kind))
            continue;
        while (!is_of(&trials->items[earlier], member->name, part, kind) ||
               !has_same_op(&trials->items[earlier], &trials->items[i]))
            earlier++;
        if (earlier < i)
            continue;
        ops++;
        showing += op_shows(trials, i, part, kind);
    }
    return ops >= LEAST_OPS && 10 * showing >= 9 * ops;
}

/* NULL when out of memory. */
static const char *key_of(struct qd_causes *causes, const struct trials *trials,
                          const struct qd_cause_member *member)
{
    if (all_show(trials, member, true))
        return qd_arena_printf(&causes->arena, "*%s", part_of(member->rule, true));
    if (all_show(trials, member, false))
        return qd_arena_printf(&causes->arena, "*%s", part_of(member->rule, false));
    return member->rule;
}

enum qd_status qd_rules_settle(struct qd_causes *causes, struct qd_error *error)
{
    const struct qd_cause_member *last = NULL;
    struct trials trials = {0, NULL};
    bool settled = collect(causes, &trials);

    for (size_t i = 0; i < causes->member_count && settled; i++) {
        struct qd_cause_member *member = &causes->members[i];

        if (member->basis != QD_CAUSE_RULE)
            continue;
        bool again = last && strcmp(last->rule, member->rule) == 0 &&
                     last->verdict == member->verdict && strcmp(last->name, member->name) == 0;
        member->key = again ? last->key : key_of(causes, &trials, member);
        settled = member->key != NULL;
        last = member;
    }
    return settled ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
}
