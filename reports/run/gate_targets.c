/* SPDX-License-Identifier: Apache-2.0 */
/* Understands the names of targets, opens their sessions and reads their expectations. */
#include "run/gate_targets.h"

#include <string.h>

#include "qdiff/case.h"
#include "qdiff/emulated_cpu.h"
#include "qdiff/spelling.h"
#include "qdiff/version_order.h"

enum { MOST_TARGETS = 256 };

/* A plan under construction. */
struct planner {
    const struct qd_options *options;
    struct qd_arena *arena;
    struct qd_planned_target *items;
    size_t count;
    struct qd_error *error;
};

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL;
}

/* Names that stand for no row of the built-in list but are understood by the session: quirk:a+b. */
static bool has_prefix(const char *name)
{
    return strchr(name, ':') != NULL;
}

static enum qd_status unknown_target(const char *name, struct qd_error *error)
{
    struct qd_spelling spelling = {name, NULL, 0};

    for (size_t i = 0; qd_builtin_target_at(i); i++)
        qd_spelling_try(&spelling, qd_builtin_target_at(i)->name);
    return qd_fail(error, QD_USAGE,
                   "no target \"%s\"; %s%s%sqdiff targets lists those there are, and a plug-in is "
                   "named by a path with a slash (./%s)",
                   name, spelling.word ? "did you mean \"" : "", spelling.word ? spelling.word : "",
                   spelling.word ? "\"? " : "", name);
}

static enum qd_status add(struct planner *planner, const struct qd_target_name *name,
                          const char *expectations)
{
    if (planner->count == MOST_TARGETS)
        return qd_fail(planner->error, QD_USAGE, "more than %d targets", MOST_TARGETS);
    planner->items[planner->count++] = (struct qd_planned_target){*name, expectations};
    return QD_OK;
}

static enum qd_status newest_version(struct planner *planner,
                                     const struct qd_builtin_target *builtin,
                                     struct qd_target_name *name)
{
    const char *const *versions;
    enum qd_status status = builtin->versions(planner->arena, &versions, planner->error);

    if (status != QD_OK)
        return status;
    if (!versions[0] && builtin->setup[0] == '\0')
        return QD_OK; /* comes with qdiff */
    if (!versions[0]) {
        return qd_fail(planner->error, QD_UNUSABLE, "%s is not set up; this sets it up: %s",
                       builtin->name, builtin->setup);
    }
    if (strlen(versions[0]) >= sizeof name->version) {
        return qd_fail(planner->error, QD_INTERNAL, "%s: version %s is too long", builtin->name,
                       versions[0]);
    }
    memcpy(name->version, versions[0], strlen(versions[0]) + 1);
    return QD_OK;
}

/* One name for each of the target's default configurations, on the CPU that is named. */
static enum qd_status add_configs(struct planner *planner, const struct qd_builtin_target *builtin,
                                  const struct qd_target_name *name, const char *expectations)
{
    const struct qd_emulated_cpu *cpu = NULL;
    struct qd_target_name bare = *name;
    enum qd_status status =
        builtin->api ? qd_emulated_cpu_take(&bare, &cpu, planner->error) : QD_OK;

    if (status != QD_OK)
        return status;
    if (bare.config[0] != '\0' || !builtin->default_configs || !builtin->default_configs[0])
        return add(planner, name, expectations);
    for (const char *const *config = builtin->default_configs; *config; config++) {
        struct qd_target_name one = bare;

        if (strlen(*config) >= sizeof one.config) {
            return qd_fail(planner->error, QD_INTERNAL, "%s: a default configuration is too long",
                           builtin->name);
        }
        memcpy(one.config, *config, strlen(*config) + 1);
        if (cpu)
            status = qd_emulated_cpu_put(&one, cpu, planner->error);
        if (status == QD_OK)
            status = add(planner, &one, expectations);
        if (status != QD_OK)
            return status;
    }
    return QD_OK;
}

static bool is_older(const char *version, const char *than)
{
    return qd_version_order(version, than) < 0;
}

/* "1.20.1..1.31.1", "..1.26.0", "1.30.0..": a name for each release
 * between the two that is set up, the oldest first. */
static enum qd_status add_range(struct planner *planner, const struct qd_builtin_target *builtin,
                                const struct qd_target_name *name, const char *expectations)
{
    const char *dots = strstr(name->version, ".."), *last = dots + 2;
    const char *first =
        qd_arena_printf(planner->arena, "%.*s", (int)(dots - name->version), name->version);
    const char *const *versions = NULL;
    size_t count = 0, before = planner->count;

    if (!first)
        return qd_fail(planner->error, QD_NO_MEMORY, "no memory for a name");
    enum qd_status status = builtin->versions(planner->arena, &versions, planner->error);
    while (status == QD_OK && versions && versions[count])
        count++;
    while (status == QD_OK && count-- > 0) {
        struct qd_target_name one = *name;
        const char *version = versions[count];

        if (is_older(version, first) || (*last && is_older(last, version)) ||
            strlen(version) >= sizeof one.version)
            continue;
        memcpy(one.version, version, strlen(version) + 1);
        status = add_configs(planner, builtin, &one, expectations);
    }
    if (status == QD_OK && planner->count == before)
        return qd_fail(planner->error, QD_UNUSABLE,
                       "%s: no release of %s is set up; scripts/setup --target '%s@%s' does it",
                       name->name, name->version, name->name, name->version);
    return status;
}

static const char *given_expectations(const struct qd_options *options,
                                      const struct qd_wanted_target *wanted)
{
    if (options->no_expectations)
        return NULL;
    return wanted->expectations ? wanted->expectations : options->targets.expectations;
}

static enum qd_status plan_one(struct planner *planner, const struct qd_wanted_target *wanted)
{
    const char *expectations = given_expectations(planner->options, wanted);
    struct qd_target_name name;
    enum qd_status status = qd_target_name_parse(wanted->text, &name, planner->error);

    if (status != QD_OK)
        return status;
    const struct qd_builtin_target *builtin = qd_builtin_target_find(name.name);
    if (!builtin) {
        return is_path(name.name) || has_prefix(name.name)
                   ? add(planner, &name, expectations)
                   : unknown_target(name.name, planner->error);
    }
    bool is_range = strstr(name.version, "..") != NULL;
    status = qd_target_name_check(&name, planner->error);
    if (status == QD_OK && name.version[0] == '\0')
        status = newest_version(planner, builtin, &name);
    if (status == QD_OK && !expectations && !planner->options->no_expectations)
        status = qd_expectations_shipped(name.name, planner->arena, &expectations, planner->error);
    if (status != QD_OK)
        return status;
    return is_range ? add_range(planner, builtin, &name, expectations)
                    : add_configs(planner, builtin, &name, expectations);
}

enum qd_status qd_plan_targets(const struct qd_options *options, struct qd_arena *arena,
                               struct qd_target_plan *plan, struct qd_error *error)
{
    struct planner planner = {.options = options, .arena = arena, .error = error};

    if (options->targets.count == 0) {
        return qd_fail(error, QD_USAGE,
                       "no target was given; --target ort is one, qdiff targets lists all");
    }
    planner.items = qd_arena_array(arena, MOST_TARGETS, sizeof *planner.items);
    if (!planner.items)
        return qd_fail(error, QD_NO_MEMORY, "no memory for targets");
    for (size_t i = 0; i < options->targets.count; i++) {
        enum qd_status status = plan_one(&planner, &options->targets.items[i]);

        if (status != QD_OK)
            return status;
    }
    *plan = (struct qd_target_plan){planner.count, planner.items};
    return QD_OK;
}

static enum qd_status open_one(const struct qd_planned_target *planned, bool any,
                               const struct qd_session_options *options, struct qd_arena *arena,
                               struct qd_subject *target, struct qd_error *error)
{
    struct qd_subject opened;
    enum qd_status status = any ? qd_subject_open(&planned->name, options, arena, &opened, error)
                                : qd_subject_open_kernel(&planned->name, options, &opened, error);

    if (status != QD_OK)
        return status;
    if (planned->expectations) {
        status = qd_expectations_open(planned->expectations, opened.info, arena,
                                      &opened.expectations, error);
    }
    if (status != QD_OK) {
        qd_subject_close(&opened);
        return status;
    }
    *target = opened;
    return QD_OK;
}

/* Kernels and quantizers have no case in common. */
static enum qd_status check_roles(const struct qd_gate_targets *targets, struct qd_error *error)
{
    for (size_t i = 1; i < targets->count; i++) {
        if (targets->items[i].role != targets->items[0].role) {
            return qd_fail(error, QD_USAGE, "%s and %s: a quantizer and a kernel target run apart",
                           targets->items[0].id, targets->items[i].id);
        }
    }
    return QD_OK;
}

/* A target named twice would make two results that nobody can tell apart. */
static enum qd_status check_ids(const struct qd_gate_targets *targets, struct qd_error *error)
{
    for (size_t i = 0; i < targets->count; i++) {
        for (size_t j = 0; j < i; j++)
            if (strcmp(targets->items[i].id, targets->items[j].id) == 0)
                return qd_fail(error, QD_USAGE, "target %s was given twice", targets->items[i].id);
    }
    return QD_OK;
}

static enum qd_status open_all(const struct qd_target_plan *plan, bool any,
                               const struct qd_session_options *options, struct qd_arena *arena,
                               struct qd_gate_targets *targets, struct qd_error *error)
{
    struct qd_gate_targets opened = {0, qd_arena_array(arena, plan->count, sizeof *opened.items)};
    enum qd_status status = QD_OK;

    if (!opened.items)
        return qd_fail(error, QD_NO_MEMORY, "no memory for targets");
    while (status == QD_OK && opened.count < plan->count) {
        status = open_one(&plan->items[opened.count], any, options, arena,
                          &opened.items[opened.count], error);
        opened.count += status == QD_OK;
    }
    if (status == QD_OK)
        status = check_ids(&opened, error);
    if (status == QD_OK)
        status = check_roles(&opened, error);
    if (status != QD_OK) {
        qd_gate_targets_close(&opened);
        return status;
    }
    *targets = opened;
    return QD_OK;
}

enum qd_status qd_gate_targets_open(const struct qd_target_plan *plan,
                                    const struct qd_session_options *options,
                                    struct qd_arena *arena, struct qd_gate_targets *targets,
                                    struct qd_error *error)
{
    return open_all(plan, false, options, arena, targets, error);
}

enum qd_status qd_gate_targets_open_any(const struct qd_target_plan *plan,
                                        const struct qd_session_options *options,
                                        struct qd_arena *arena, struct qd_gate_targets *targets,
                                        struct qd_error *error)
{
    return open_all(plan, true, options, arena, targets, error);
}

void qd_gate_targets_close(struct qd_gate_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        qd_subject_close(&targets->items[i]);
    targets->count = 0;
}

struct qd_session_options qd_session_options_of(const struct qd_options *options)
{
    return (struct qd_session_options){.in_process = options->in_process,
                                       .time_limit = options->time_limit,
                                       .memory_limit = options->memory_limit << 20};
}
