/* SPDX-License-Identifier: Apache-2.0 */
/* Finds downloads and environments in the cache. */
#include "subject/cache.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qdiff/version_order.h"

enum { MOST_VERSIONS = 64, VERSION_SIZE = 32 };

bool qd_cache_path(const char *name, char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"QDIFF_CACHE", ""}, {"XDG_CACHE_HOME", "/qdiff"}, {"HOME", "/.cache/qdiff"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *root = getenv(places[i].variable);
        if (!root || !*root)
            continue;
        int length = snprintf(path, size, "%s%s/%s", root, places[i].below, name);
        return length > 0 && (size_t)length < size;
    }
    return false;
}

bool qd_cache_is_version(const char *text)
{
    size_t length = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+-");
    return length > 0 && length < VERSION_SIZE && text[length] == '\0' && text[0] >= '0' &&
           text[0] <= '9';
}

static int newest_first(const void *a, const void *b)
{
    return qd_version_order(b, a);
}

enum qd_status qd_cache_versions(const char *name, const char *prefix,
                                 bool (*is_set_up)(const char *prefix, const char *version),
                                 struct qd_arena *arena, const char *const **versions,
                                 struct qd_error *error)
{
    char path[4096], found[MOST_VERSIONS][VERSION_SIZE];
    size_t count = 0, skip = strlen(prefix);
    DIR *directory = qd_cache_path(name, path, sizeof path) ? opendir(path) : NULL;
    for (struct dirent *entry; directory && count < MOST_VERSIONS && (entry = readdir(directory));)
        if (strncmp(entry->d_name, prefix, skip) == 0 &&
            qd_cache_is_version(entry->d_name + skip) &&
            (!is_set_up || is_set_up(prefix, entry->d_name + skip)))
            snprintf(found[count++], VERSION_SIZE, "%s", entry->d_name + skip);
    if (directory)
        closedir(directory);
    qsort(found, count, VERSION_SIZE, newest_first);
    const char **all = qd_arena_array(arena, count + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++)
        if (!(all[i] = qd_arena_string(arena, found[i])))
            all = NULL;
    if (!all)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu version names", count);
    *versions = all;
    return QD_OK;
}

/* `prefix` is "<target>-". */
static bool has_environment(const char *prefix, const char *version)
{
    char root[3072], path[4096];
    if (!qd_cache_path("python", root, sizeof root))
        return false;
    int length = snprintf(path, sizeof path, "%s/%s%s/ready", root, prefix, version);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

bool qd_python_is_set_up(const char *target, const char *version)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s-", target);
    return qd_cache_is_version(version) && has_environment(prefix, version);
}

enum qd_status qd_python_versions(const char *target, struct qd_arena *arena,
                                  const char *const **versions, struct qd_error *error)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s-", target);
    return qd_cache_versions("python", prefix, has_environment, arena, versions, error);
}
