/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what runs a built-in target on another CPU: an emulator, a qdiff-serve, on Arm what says which CPU it is. */
#include "process/emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qdiff/data_path.h"
#include "subject/cache.h"

/* What the command line is made of. */
struct parts {
    char emulator[64];
    const char *serve;            /* qdiff-serve for the CPU's architecture */
    char root[4096], cache[4096]; /* "" for this machine's own */
};

static bool is_in_path(const char *program)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        char file[4096];
        int length = (int)strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, at, program);
        if (access(file, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

static enum qd_status fail_missing(const struct qd_program *program, const char *name,
                                   const char *what, struct qd_error *error)
{
    const char *at = program->version[0] ? "@" : "";
    return qd_fail(error, QD_UNUSABLE,
                   "%.200s is missing; this sets it up: scripts/setup --target '%s%s%s[cpu=%s]'",
                   what, name, at, program->version, program->cpu->word);
}

/* qdiff-serve for this machine is beside qdiff, for another architecture below the cache. */
static enum qd_status find_serve(struct qd_program *program, struct parts *parts,
                                 struct qd_error *error)
{
    struct utsname machine;
    const struct qd_emulated_cpu *cpu = program->cpu;
    if (uname(&machine) == 0 && strcmp(machine.machine, cpu->architecture) == 0)
        return qd_data_path(&program->arena, "../../bin/qdiff-serve", &parts->serve, error);
    if (!qd_cache_path(cpu->architecture, parts->cache, sizeof parts->cache))
        return qd_fail(error, QD_UNUSABLE,
                       "there is no cache: neither QDIFF_CACHE nor HOME is set");
    parts->serve = qd_arena_printf(&program->arena, "%s/bin/qdiff-serve", parts->cache);
    return parts->serve ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no room for a path");
}

/* The directory that the emulator looks into before the machine's root; "" on x86, where the CPU itself is asked. */
static enum qd_status find_root(const struct qd_program *program, struct parts *parts,
                                struct qd_error *error)
{
    char below[128];
    const struct qd_emulated_cpu *cpu = program->cpu;
    parts->root[0] = '\0';
    if (!cpu->part[0])
        return QD_OK;
    snprintf(below, sizeof below, "%s/cpu/%s", cpu->architecture, cpu->word);
    if (!qd_cache_path(below, parts->root, sizeof parts->root))
        return qd_fail(error, QD_UNUSABLE,
                       "there is no cache: neither QDIFF_CACHE nor HOME is set");
    return QD_OK;
}

static enum qd_status check_parts(const struct qd_program *program, const char *name,
                                  const struct parts *parts, struct qd_error *error)
{
    char file[sizeof parts->root + 16];
    snprintf(file, sizeof file, "%s/proc/cpuinfo", parts->root);
    if (!is_in_path(parts->emulator))
        return fail_missing(program, name, parts->emulator, error);
    if (access(parts->serve, X_OK) != 0)
        return fail_missing(program, name, parts->serve, error);
    if (parts->root[0] && access(file, R_OK) != 0)
        return fail_missing(program, name, file, error);
    return QD_OK;
}

/* Adds one word to the command line. */
static void put_word(struct qd_program *program, size_t *used, const char *word)
{
    size_t size = strlen(word) + 1;
    if (*used + size <= sizeof program->words)
        memcpy(program->words + *used, word, size);
    *used += size;
    program->word_count++;
}

static enum qd_status put_words(struct qd_program *program, const char *name,
                                const struct parts *parts, struct qd_error *error)
{
    char assignment[sizeof parts->cache + 16];
    size_t used = 0;
    snprintf(program->file, sizeof program->file, "%s", parts->emulator);
    put_word(program, &used, parts->emulator);
    put_word(program, &used, "-cpu");
    put_word(program, &used, program->cpu->model);
    if (parts->cache[0]) {
        snprintf(assignment, sizeof assignment, "QDIFF_CACHE=%s", parts->cache);
        put_word(program, &used, "-E");
        put_word(program, &used, assignment);
    }
    if (parts->root[0]) {
        put_word(program, &used, "-L");
        put_word(program, &used, parts->root);
    }
    put_word(program, &used, parts->serve);
    put_word(program, &used, name);
    if (used > sizeof program->words)
        return qd_fail(error, QD_UNUSABLE, "the paths of its emulator are too long");
    return QD_OK;
}

enum qd_status qd_program_emulate(struct qd_program *program, const char *name,
                                  struct qd_error *error)
{
    struct parts parts = {.serve = NULL};
    snprintf(parts.emulator, sizeof parts.emulator, "qemu-%s", program->cpu->architecture);
    enum qd_status status = find_serve(program, &parts, error);
    if (status == QD_OK)
        status = find_root(program, &parts, error);
    if (status == QD_OK)
        status = check_parts(program, name, &parts, error);
    return status == QD_OK ? put_words(program, name, &parts, error) : status;
}
