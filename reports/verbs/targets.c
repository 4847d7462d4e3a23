/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff targets`: what can be tested on this machine, how to set up the rest, and what one of them can do. */
#include <string.h>

#include "command/command.h"
#include "qdiff/emulated_cpu.h"
#include "qdiff/session.h"
#include "run/gate_targets.h"
#include "text/json_write.h"

/* What one built-in target has on this machine. */
struct found {
    const struct qd_builtin_target *target;
    const char *const *versions; /* newest first */
    struct qd_session *session;  /* of the newest of C functions, NULL if it does not open */
    struct qd_error error;       /* why it does not */
};

/* Functions only: a program may need seconds to start. */
static enum qd_status open_newest(struct found *found)
{
    struct qd_session_options options = {0};
    struct qd_target_name name = {0};

    snprintf(name.name, sizeof name.name, "%s", found->target->name);
    snprintf(name.version, sizeof name.version, "%s", found->versions[0]);
    return qd_session_open(&name, &options, &found->session, &found->error);
}

static struct found find(const struct qd_builtin_target *target, struct qd_arena *arena)
{
    static const char *const none[] = {NULL};
    struct found found = {.target = target, .versions = none};

    if (target->versions(arena, &found.versions, &found.error) == QD_OK && found.versions[0] &&
        target->api && open_newest(&found) != QD_OK)
        found.session = NULL;
    return found;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void print_capability(FILE *out, const struct qd_target_capability *capability)
{
    fprintf(out, "    %s", capability->op);
    if (or_empty(capability->needs)[0] != '\0')
        fprintf(out, ", only with %s", capability->needs);
    if (or_empty(capability->excludes)[0] != '\0')
        fprintf(out, ", without %s", capability->excludes);
    if (or_empty(capability->reason)[0] != '\0')
        fprintf(out, " (%s)", capability->reason);
    fputc('\n', out);
}

static bool is_set_up(const struct found *found, const char *release)
{
    for (size_t i = 0; found->versions[i]; i++)
        if (strcmp(found->versions[i], release) == 0)
            return true;
    return false;
}

/* Releases that are known and missing, each with the command that sets it up. */
static void print_missing(FILE *out, const struct found *found)
{
    const struct qd_builtin_target *target = found->target;

    for (size_t i = 0; target->releases && target->releases[i]; i++) {
        if (!is_set_up(found, target->releases[i])) {
            fprintf(out, "  %s@%s is not set up; set up with: %s@%s\n", target->name,
                    target->releases[i], target->setup, target->releases[i]);
        }
    }
}

/* Opens a target on an emulated CPU; the command that sets it up is in *error if that fails. */
static bool runs_on(const struct found *found, const struct qd_emulated_cpu *cpu,
                    struct qd_error *error)
{
    struct qd_session_options options = {0};
    struct qd_target_name name = {0};
    struct qd_session *session;

    snprintf(name.name, sizeof name.name, "%s", found->target->name);
    snprintf(name.version, sizeof name.version, "%s", found->versions[0]);
    if (qd_emulated_cpu_put(&name, cpu, error) != QD_OK ||
        qd_session_open(&name, &options, &session, error) != QD_OK)
        return false;
    qd_session_close(session);
    return true;
}

/* Whether the target runs on emulated CPUs: one that is C functions and can be tested at all. */
static bool has_cpus(const struct found *found)
{
    return found->target->api && found->session && found->versions[0];
}

static void print_cpus(FILE *out, const struct found *found)
{
    const struct qd_emulated_cpu *cpu;

    for (size_t i = 0; has_cpus(found) && (cpu = qd_emulated_cpu_at(i)); i++) {
        struct qd_error error = {.status = QD_OK};

        fprintf(out, "  [cpu=%s] %s\n", cpu->word, cpu->meaning);
        if (!runs_on(found, cpu, &error))
            fprintf(out, "    not set up; set up with: scripts/setup --target '%s@%s[cpu=%s]'\n",
                    found->target->name, found->versions[0], cpu->word);
    }
}

static void print_text(FILE *out, const struct found *found)
{
    const struct qd_builtin_target *target = found->target;

    fprintf(out, "%s: %s\n", target->name, target->meaning);
    for (size_t i = 0; found->versions[i]; i++)
        fprintf(out, "  %s@%s%s\n", target->name, found->versions[i], i == 0 ? " (newest)" : "");
    for (size_t i = 0; target->default_configs && target->default_configs[i]; i++)
        if (target->default_configs[i][0] != '\0')
            fprintf(out, "  by default [%s]\n", target->default_configs[i]);
    print_cpus(out, found);
    if (found->error.status != QD_OK)
        fprintf(out, "  does not work here: %s\n", found->error.text);
    print_missing(out, found);
    if (target->setup[0] == '\0') {
        fputs("  always there\n", out);
    } else {
        fprintf(out, "  %sset up with: %s\n", !found->versions[0] ? "not set up; " : "",
                target->setup);
    }
}

static void write_capabilities(struct qd_json *json, const struct qd_target_info *info)
{
    qd_json_open(json, "capabilities", '[');
    for (size_t i = 0; i < info->capability_count; i++) {
        qd_json_open(json, NULL, '{');
        qd_json_string(json, "op", info->capabilities[i].op);
        qd_json_string_if(json, "needs", info->capabilities[i].needs);
        qd_json_string_if(json, "excludes", info->capabilities[i].excludes);
        qd_json_string_if(json, "reason", info->capabilities[i].reason);
        qd_json_close(json, '}');
    }
    qd_json_close(json, ']');
}

static void write_words(struct qd_json *json, const char *key, const char *const *words)
{
    qd_json_open(json, key, '[');
    for (size_t i = 0; words && words[i]; i++)
        qd_json_string(json, NULL, words[i]);
    qd_json_close(json, ']');
}

static void write_cpus(struct qd_json *json, const struct found *found)
{
    const struct qd_emulated_cpu *cpu;

    qd_json_open(json, "cpus", '[');
    for (size_t i = 0; has_cpus(found) && (cpu = qd_emulated_cpu_at(i)); i++) {
        struct qd_error error = {.status = QD_OK};

        qd_json_open(json, NULL, '{');
        qd_json_string(json, "word", cpu->word);
        qd_json_string(json, "meaning", cpu->meaning);
        if (!runs_on(found, cpu, &error))
            qd_json_string(json, "error", error.text);
        qd_json_close(json, '}');
    }
    qd_json_close(json, ']');
}

static void write_json(FILE *out, const struct found *found)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "name", found->target->name);
    qd_json_string(&json, "meaning", found->target->meaning);
    qd_json_string(&json, "setup", found->target->setup);
    write_words(&json, "versions", found->versions);
    write_words(&json, "releases", found->target->releases);
    write_words(&json, "default_configs", found->target->default_configs);
    write_cpus(&json, found);
    qd_json_string_if(&json, "error", found->error.text);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static void print_all(struct qd_command *command)
{
    for (size_t i = 0; qd_builtin_target_at(i); i++) {
        struct found found = find(qd_builtin_target_at(i), command->arena);

        if (command->options.json)
            write_json(command->out, &found);
        else
            print_text(command->out, &found);
        if (found.session)
            qd_session_close(found.session);
    }
    if (!command->options.json) {
        fputs("a plug-in: --target ./libmine.so, written against qdiff/target.h\n"
              "a worker: --target ./mine.py or 'worker:COMMAND LINE' (targets/process/README.md)\n"
              "a device: --target 'worker:ssh board qdiff-serve ./libmine.so' "
              "(targets/process/DEVICES.md)\n"
              "what one of them can do: qdiff targets --target NAME\n",
              command->out);
    }
}

/* --- One that is asked for ----------------------------------------------------------------------- */

static void print_subject(FILE *out, const struct qd_subject *subject)
{
    fprintf(out, "%s\n%s", subject->id,
            subject->info->capability_count > 0
                ? "  can do:\n"
                : "  runs no models: a quantizer (qdiff quantize)\n");
    for (size_t i = 0; i < subject->info->capability_count; i++)
        print_capability(out, &subject->info->capabilities[i]);
}

static void write_subject(FILE *out, const struct qd_subject *subject)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "target", subject->id);
    write_capabilities(&json, subject->info);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static enum qd_status show_one(struct qd_command *command, const struct qd_target_name *name,
                               struct qd_error *error)
{
    const struct qd_session_options options = {0};
    struct qd_subject subject;
    enum qd_status status = qd_subject_open_alone(name, &options, &subject, error);

    if (status != QD_OK)
        return status;
    if (command->options.json)
        write_subject(command->out, &subject);
    else
        print_subject(command->out, &subject);
    qd_subject_close(&subject);
    return QD_OK;
}

/* A plain name stands for several settings, of which the first is asked. */
static enum qd_exit show(struct qd_command *command)
{
    struct qd_target_plan plan = {0};
    struct qd_error error;
    enum qd_status status = qd_plan_targets(&command->options, command->arena, &plan, &error);

    for (size_t i = 0; i < plan.count && status == QD_OK; i++) {
        const struct qd_target_name *name = &plan.items[i].name;

        if (i == 0 || strcmp(name->name, plan.items[i - 1].name.name) != 0 ||
            strcmp(name->version, plan.items[i - 1].name.version) != 0)
            status = show_one(command, name, &error);
    }
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

static enum qd_exit run(struct qd_command *command)
{
    if (command->options.targets.count > 0)
        return show(command);
    print_all(command);
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_targets = {
    .arguments = "",
    .options = "target json",
    .text = "Lists the targets that qdiff knows, the versions that are set up on this\n"
            "machine, and the command that sets a target up. With --target: what that one,\n"
            "a plug-in or a worker too, declares it can do.",
    .examples = "    qdiff targets\n"
                "    qdiff targets --target ./mine.py",
    .run = run,
};
