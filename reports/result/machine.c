/* SPDX-License-Identifier: Apache-2.0 */
/* Reads facts about this machine that results depend on. */
#include "result/machine.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_LINE = 16384 };

/* The text after "key : " if the line has that key, else `otherwise`. */
static const char *value_of(const char *line, const char *key, struct qd_arena *arena,
                            const char *otherwise)
{
    size_t length = strlen(key);
    const char *colon = strchr(line, ':');

    if (strncmp(line, key, length) != 0 || !colon ||
        strspn(line + length, " \t") != (size_t)(colon - line) - length)
        return otherwise;
    char *copy = qd_arena_string(arena, colon + 1 + strspn(colon + 1, " "));
    if (!copy)
        return otherwise;
    copy[strcspn(copy, "\n")] = '\0';
    return copy;
}

struct qd_machine qd_machine_read(struct qd_arena *arena)
{
    struct qd_machine machine = {NULL, NULL};
    char *line = qd_arena_alloc(arena, LONGEST_LINE);
    FILE *file = !line ? NULL : fopen("/proc/cpuinfo", "re");

    while (file && (!machine.cpu || !machine.flags) && fgets(line, LONGEST_LINE, file)) {
        machine.cpu = value_of(line, "model name", arena, machine.cpu);
        machine.flags = value_of(line, "flags", arena, machine.flags);    /* x86 */
        machine.flags = value_of(line, "Features", arena, machine.flags); /* arm */
    }
    if (file)
        fclose(file);
    machine.cpu = machine.cpu ? machine.cpu : "unknown";
    machine.flags = machine.flags ? machine.flags : "";
    return machine;
}
