/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff bisect`: between which releases of a target one case changed its verdict. */
#include <string.h>

#include "command/command.h"
#include "result/trial_result.h"
#include "run/gate_targets.h"
#include "select/visit.h"

/* The releases of a target with one configuration, the oldest first. */
struct releases {
    const struct qd_planned_target **items;
    const char **verdicts; /* NULL: not run */
    size_t count, run, compared;
};

struct bisection {
    struct qd_command *command;
    const struct qd_evaluated *evaluated;
    struct qd_session_options options;
    struct qd_error error;
};

/* The verdict of one release; NULL on failure. */
static const char *judge(struct bisection *bisection, struct releases *releases, size_t index)
{
    struct qd_arena *arena = bisection->command->arena;
    const struct qd_target_plan plan = {1, releases->items[index]};
    const struct qd_trial_options how = {.strict = bisection->command->options.strict};
    struct qd_gate_targets targets;
    struct qd_result result;

    if (releases->verdicts[index])
        return releases->verdicts[index];
    if (qd_gate_targets_open_any(&plan, &bisection->options, arena, &targets, &bisection->error) !=
        QD_OK)
        return NULL;
    qd_trial_judge(&targets.items[0], bisection->evaluated, &how, arena, &result,
                   &bisection->error);
    qd_gate_targets_close(&targets);
    if (result.kind == QD_RESULT_BROKEN || result.kind == QD_RESULT_BAD_INPUT)
        return NULL;
    releases->run++;
    releases->compared += qd_result_is_comparison(&result);
    releases->verdicts[index] = qd_result_has_comparison(&result)
                                    ? qd_verdict_word(result.comparison.verdict)
                                    : qd_result_word(result.kind);
    return releases->verdicts[index];
}

/* The first release after `low` whose verdict is not that of `low`, where the one of `high` is not. */
static bool narrow(struct bisection *bisection, struct releases *releases, size_t *low,
                   size_t *high)
{
    while (*high - *low > 1) {
        size_t middle = *low + (*high - *low) / 2;
        const char *verdict = judge(bisection, releases, middle);

        if (!verdict)
            return false;
        *(strcmp(verdict, releases->verdicts[*low]) == 0 ? low : high) = middle;
    }
    return true;
}

/* Every change of the verdict on a way from the oldest to the newest. Where both agree every release is run: something
 * between may differ. */
static bool follow(struct bisection *bisection, struct releases *releases)
{
    size_t low = 0, last = releases->count - 1;

    if (!judge(bisection, releases, low) || !judge(bisection, releases, last))
        return false;
    bool agree = strcmp(releases->verdicts[low], releases->verdicts[last]) == 0;
    for (size_t i = 0; agree && i < releases->count; i++)
        if (!judge(bisection, releases, i))
            return false;
    while (!agree && strcmp(releases->verdicts[low], releases->verdicts[last]) != 0) {
        size_t high = last;

        if (!narrow(bisection, releases, &low, &high))
            return false;
        low = high;
    }
    return true;
}

/* The first release from `begin` on that was run and has another verdict than
 * `begin`; `before` is the last one run before it. */
static size_t next_change(const struct releases *releases, size_t begin, size_t *before)
{
    size_t i = begin;

    *before = begin;
    for (; i < releases->count; i++) {
        if (!releases->verdicts[i])
            continue;
        if (strcmp(releases->verdicts[i], releases->verdicts[begin]) != 0)
            break;
        *before = i;
    }
    return i;
}

static bool bisect(struct bisection *bisection, struct releases *releases)
{
    FILE *out = bisection->command->out;
    const struct qd_target_name *name = &releases->items[0]->name;

    if (!follow(bisection, releases))
        return false;
    fprintf(out, "%s%s%s%s: ", name->name, *name->config ? "[" : "", name->config,
            *name->config ? "]" : "");
    for (size_t begin = 0, end, before; begin < releases->count; begin = end) {
        end = next_change(releases, begin, &before);
        const char *from = releases->items[begin]->name.version;
        const char *to = releases->items[before]->name.version;

        fprintf(out, "%s%s", begin > 0 ? ", " : "", releases->verdicts[begin]);
        if (begin == 0 && end < releases->count)
            fprintf(out, " up to %s", to);
        else if (begin > 0 && end == releases->count)
            fprintf(out, " from %s on", from);
        else
            fprintf(out, " from %s to %s", from, to);
    }
    fprintf(out, "; %zu of %zu releases run\n", releases->run, releases->count);
    return true;
}

static bool is_one_target(const struct qd_planned_target *a, const struct qd_planned_target *b)
{
    return strcmp(a->name.name, b->name.name) == 0 && strcmp(a->name.config, b->name.config) == 0;
}

/* The releases of the plan that have the configuration of plan->items[index]; false if there is no memory. */
static bool gather(const struct qd_target_plan *plan, size_t index, struct qd_arena *arena,
                   struct releases *releases)
{
    *releases = (struct releases){
        .items = qd_arena_array(arena, plan->count, sizeof *releases->items),
        .verdicts = qd_arena_array(arena, plan->count, sizeof *releases->verdicts)};
    if (!releases->items || !releases->verdicts)
        return false;
    for (size_t i = index; i < plan->count; i++)
        if (is_one_target(&plan->items[i], &plan->items[index]))
            releases->items[releases->count++] = &plan->items[i];
    return true;
}

static bool is_first_of_its_kind(const struct qd_target_plan *plan, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_one_target(&plan->items[i], &plan->items[index]))
            return false;
    return true;
}

static enum qd_exit bisect_all(struct bisection *bisection, const struct qd_target_plan *plan)
{
    size_t compared = 0;

    for (size_t i = 0; i < plan->count; i++) {
        struct releases releases;

        if (!is_first_of_its_kind(plan, i))
            continue;
        if (!gather(plan, i, bisection->command->arena, &releases) || !bisect(bisection, &releases))
            return qd_command_failed(bisection->command, &bisection->error);
        compared += releases.compared;
    }
    if (compared == 0) {
        fputs("qdiff bisect: nothing was compared\n", bisection->command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    return QD_EXIT_OK;
}

/* A name without a release means all that are set up: "ort[opt=all]" is "ort@..[opt=all]". */
static bool widen(struct qd_options *options, struct qd_arena *arena)
{
    for (size_t i = 0; i < options->targets.count; i++) {
        struct qd_wanted_target *wanted = &options->targets.items[i];
        size_t name = strcspn(wanted->text, "@[:/");

        if (wanted->text[name] == '\0' || wanted->text[name] == '[')
            wanted->text =
                qd_arena_printf(arena, "%.*s@..%s", (int)name, wanted->text, wanted->text + name);
        if (!wanted->text)
            return false;
    }
    return true;
}

static enum qd_exit run(struct qd_command *command)
{
    struct bisection bisection = {.command = command,
                                  .options = qd_session_options_of(&command->options)};
    struct qd_evaluated evaluated;
    struct qd_target_plan plan;
    struct qd_case kase;
    struct qd_error *error = &bisection.error;

    command->options.no_expectations = true;
    if (!widen(&command->options, command->arena))
        return QD_EXIT_OWN_FAILURE;
    if (qd_plan_targets(&command->options, command->arena, &plan, error) != QD_OK ||
        qd_find_case(command->options.arguments.items[0], &command->options, command->arena, &kase,
                     error) != QD_OK ||
        qd_case_evaluate(&kase, command->arena, &evaluated, error) != QD_OK)
        return qd_command_failed(command, error);
    bisection.evaluated = &evaluated;
    return bisect_all(&bisection, &plan);
}

const struct qd_verb qd_verb_bisect = {
    .arguments = "ID|FILE|DIR",
    .at_least = 1,
    .at_most = 1,
    .options = "target cases pack time-limit memory-limit in-process strict",
    .text = "Finds by halving between which releases of a target a case changed its verdict;\n"
            "expectation rows do not count. Releases are those that are set up (scripts/setup\n"
            "--target ort@.. fetches all that are pinned): every one for a name without\n"
            "release, else a range, ort@1.24.4..1.31.1. Where the oldest and the newest agree\n"
            "all are run.",
    .examples = "    qdiff bisect regressions/ort-12800 -t ort\n"
                "    qdiff bisect ./mycase -t 'ort@1.20.1..1.27.0[opt=all]'",
    .run = run,
};
