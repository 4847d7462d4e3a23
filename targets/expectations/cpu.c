/* SPDX-License-Identifier: Apache-2.0 */
/* What the processor can do: of this machine from /proc/cpuinfo, of an emulated one from its row. */
#include "expectations/cpu.h"

#include <stdio.h>
#include <string.h>

#include "qdiff/emulated_cpu.h"

static enum qd_status read_own(char *flags, size_t size, struct qd_error *error)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return qd_fail(error, QD_IO, "cannot read /proc/cpuinfo, which CPU conditions need");
    char line[QD_CPU_FLAGS_SIZE] = "";
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0; /* x86, Arm */
    fclose(file);
    const char *list = found ? strchr(line, ':') : NULL;
    if (!list || strlen(list) + 2 > size)
        return qd_fail(error, QD_IO, "/proc/cpuinfo has no list of flags");
    line[strcspn(line, "\n")] = '\0';
    snprintf(flags, size, " %s ", list + 1);
    return QD_OK;
}

enum qd_status qd_cpu_flags(const char *settings, char *flags, size_t size, struct qd_error *error)
{
    const struct qd_emulated_cpu *cpu = qd_emulated_cpu_of(settings);
    if (!cpu)
        return read_own(flags, size, error);
    snprintf(flags, size, " %s ", cpu->flags);
    return QD_OK;
}

static bool has(const char *flags, const char *word, size_t length)
{
    for (const char *at = flags; (at = strchr(at, ' ')); at++)
        if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

bool qd_cpu_fulfils(const char *flags, const char *condition)
{
    if (strcmp(condition, "*") == 0)
        return true;
    while (*condition) {
        size_t length = strcspn(condition, ",");
        bool negated = *condition == '!';
        if (has(flags, condition + negated, length - negated) == negated)
            return false;
        condition += length + (condition[length] == ',');
    }
    return true;
}
