/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the name of a target apart: ort@1.31.1[opt=all]. */
#include <stdio.h>
#include <string.h>

#include "process/loader.h"
#include "qdiff/emulated_cpu.h"

static enum qd_status usage(struct qd_error *error, const char *text, const char *why)
{
    return qd_fail(error, QD_USAGE,
                   "target '%.120s': %s (like ort, ort@1.31.1, ort[opt=all], quirk:range=wrap, "
                   "./libmine.so, ./mine.py, 'worker:ssh board qdiff-serve ./libmine.so')",
                   text, why);
}

/* Copies `length` characters of an allowed kind; false if they do not fit or hold others. */
static bool take(char *to, size_t size, const char *from, size_t length, const char *allowed)
{
    if (length >= size || (allowed && strspn(from, allowed) < length))
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* quirk:a=b+c=d is the target "quirk" with the config "a=b,c=d". */
static enum qd_status parse_quirk(const char *text, struct qd_target_name *name,
                                  struct qd_error *error)
{
    struct qd_target_name made = {.name = "quirk"};
    const char *rest = text + strlen("quirk:");
    if (!*rest || !take(made.config, sizeof made.config, rest, strlen(rest), NULL))
        return usage(error, text, "quirk: is followed by a quirk's name, several joined by '+'");
    for (char *c = made.config; *c; c++)
        if (*c == '+')
            *c = ',';
    *name = made;
    return QD_OK;
}

enum qd_status qd_target_name_check(const struct qd_target_name *name, struct qd_error *error)
{
    const struct qd_builtin_target *row = qd_builtin_target_find(name->name);
    const struct qd_emulated_cpu *cpu = NULL;
    struct qd_target_name bare = *name;
    if (row && row->api && qd_emulated_cpu_take(&bare, &cpu, error) != QD_OK)
        return qd_fail_context(error, QD_USAGE, "target %s", name->name);
    if (row && row->check && row->check(&bare, error) != QD_OK)
        return qd_fail_context(error, QD_USAGE, "target %s", name->name);
    if (row || qd_target_name_is_path(name))
        return QD_OK;
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; (row = qd_builtin_target_at(i)) && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", row->name);
    return qd_fail(error, QD_USAGE, "unknown target '%.100s': there are %s, and paths to plug-ins",
                   name->name, known);
}

enum qd_status qd_target_name_parse(const char *text, struct qd_target_name *name,
                                    struct qd_error *error)
{
    static const char words[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    if (strncmp(text, "quirk:", 6) == 0)
        return parse_quirk(text, name, error);
    struct qd_target_name made = {.name = ""};
    size_t length = strlen(text), base = length;
    if (length > 0 && text[length - 1] == ']') {
        const char *open = strrchr(text, '[');
        if (!open)
            return usage(error, text, "']' without '['");
        base = (size_t)(open - text);
        if (!take(made.config, sizeof made.config, open + 1, length - base - 2, NULL))
            return usage(error, text, "the settings are too long");
    }
    if (base == 0 || !take(made.name, sizeof made.name, text, base, NULL))
        return usage(error, text, base == 0 ? "it has no name" : "the name is too long");
    if (!qd_target_name_is_path(&made)) {
        size_t head = strcspn(made.name, "@");
        const char *version = made.name + head + (made.name[head] == '@');
        if ((made.name[head] == '@' && !*version) ||
            !take(made.version, sizeof made.version, version, strlen(version), words))
            return usage(error, text, "what follows '@' is no version");
        made.name[head] = '\0';
        if (head == 0 || strspn(made.name, words) != head)
            return usage(error, text, "the name has characters that no target's name has");
    }
    *name = made;
    return QD_OK;
}
