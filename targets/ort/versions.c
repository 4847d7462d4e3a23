#include "ort/ort.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "version.h"

static bool is_version(const char *text)
{
    size_t length = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+-");
    return length > 0 && length < 32 && text[length] == '\0' && text[0] >= '0' && text[0] <= '9';
}

bool qd_ort_library(const char *version, char *path, size_t size)
{
    char root[3072];
    if (!is_version(version) || !qd_cache_path("ort", root, sizeof root))
        return false;
    int length = snprintf(path, size, "%s/%s/libonnxruntime.so.%s", root, version, version);
    return length > 0 && (size_t)length < size;
}

static int newest_first(const void *a, const void *b)
{
    return qd_version_order(b, a);
}

/* Names of the releases whose library is there, unsorted; returns how many. */
static size_t list(char (*names)[32], size_t capacity)
{
    char path[4096];
    DIR *directory = qd_cache_path("ort", path, sizeof path) ? opendir(path) : NULL;
    if (!directory)
        return 0;
    size_t count = 0;
    for (struct dirent *entry; count < capacity && (entry = readdir(directory));)
        if (qd_ort_library(entry->d_name, path, sizeof path) && access(path, R_OK) == 0)
            snprintf(names[count++], sizeof *names, "%.31s", entry->d_name);
    closedir(directory);
    return count;
}

enum qd_status qd_ort_versions(struct qd_arena *arena, const char *const **versions,
                               struct qd_error *error)
{
    char names[QD_ORT_MAX_VERSIONS][32];
    size_t count = list(names, QD_ORT_MAX_VERSIONS);
    qsort(names, count, sizeof *names, newest_first);
    const char **all = qd_arena_array(arena, count + 1, sizeof *all);
    if (!all)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu version names", count);
    for (size_t i = 0; i < count; i++) {
        all[i] = qd_arena_string(arena, names[i]);
        if (!all[i])
            return qd_fail(error, QD_NO_MEMORY, "no room for %zu version names", count);
    }
    *versions = all;
    return QD_OK;
}
