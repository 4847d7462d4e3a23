/* SPDX-License-Identifier: Apache-2.0 */
/* The list of emulated CPUs, and the setting that names one. */
#include "qdiff/emulated_cpu.h"

#include <stdio.h>
#include <string.h>

#define KEY "cpu="

static const struct qd_emulated_cpu cpus[] = {
#define QD_CPU(word, architecture, model, part, flags, meaning) \
    {word, architecture, model, part, flags, meaning},
#include "qdiff/cpus.def"
#undef QD_CPU
};

const struct qd_emulated_cpu *qd_emulated_cpu_at(size_t i)
{
    return i < sizeof cpus / sizeof *cpus ? &cpus[i] : NULL;
}

/* Where "cpu=" starts in settings, NULL if nowhere. */
static const char *find_key(const char *settings)
{
    for (const char *at = settings; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, KEY, strlen(KEY)) == 0)
            return at;
    return NULL;
}

static const struct qd_emulated_cpu *find(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (strlen(cpus[i].word) == length && memcmp(cpus[i].word, word, length) == 0)
            return &cpus[i];
    return NULL;
}

const struct qd_emulated_cpu *qd_emulated_cpu_of(const char *settings)
{
    const char *at = find_key(settings);
    const char *word = at ? at + strlen(KEY) : "";
    return at ? find(word, strcspn(word, ",")) : NULL;
}

static enum qd_status fail_word(const char *word, size_t length, struct qd_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 cpus[i].word);
    return qd_fail(error, QD_USAGE, "cpu=%.*s: the CPUs are %s", (int)length, word, known);
}

enum qd_status qd_emulated_cpu_take(struct qd_target_name *name, const struct qd_emulated_cpu **cpu,
                                    struct qd_error *error)
{
    const char *at = find_key(name->config);
    *cpu = NULL;
    if (!at)
        return QD_OK;
    size_t start = (size_t)(at - name->config), length = strcspn(at, ",");
    const struct qd_emulated_cpu *found = find(at + strlen(KEY), length - strlen(KEY));
    if (!found)
        return fail_word(at + strlen(KEY), length - strlen(KEY), error);
    if (at[length] == ',') /* the comma goes with it: the one after it, or the one before it */
        length++;
    else if (start > 0)
        start--, length++;
    memmove(name->config + start, name->config + start + length,
            strlen(name->config + start + length) + 1);
    *cpu = found;
    return QD_OK;
}

enum qd_status qd_emulated_cpu_put(struct qd_target_name *name, const struct qd_emulated_cpu *cpu,
                                   struct qd_error *error)
{
    size_t used = strlen(name->config), room = sizeof name->config - used;
    int length = snprintf(name->config + used, room, "%s" KEY "%s", used ? "," : "", cpu->word);
    if (length >= 0 && (size_t)length < room)
        return QD_OK;
    name->config[used] = '\0';
    return qd_fail(error, QD_USAGE, "the settings are too long");
}
