/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the releases of ONNX Runtime in the cache. */
#include "ort/ort.h"

#include <stdio.h>
#include <unistd.h>

#include "subject/cache.h"

const char qd_ort_setup[] = "scripts/setup";

bool qd_ort_library(const char *version, char *path, size_t size)
{
    char root[3072];
    if (!qd_cache_is_version(version) || !qd_cache_path("ort", root, sizeof root))
        return false;
    int length = snprintf(path, size, "%s/%s/libonnxruntime.so.%s", root, version, version);
    return length > 0 && (size_t)length < size;
}

static bool is_set_up(const char *prefix, const char *version)
{
    char path[4096];
    (void)prefix;
    return qd_ort_library(version, path, sizeof path) && access(path, R_OK) == 0;
}

enum qd_status qd_ort_versions(struct qd_arena *arena, const char *const **versions,
                               struct qd_error *error)
{
    return qd_cache_versions("ort", "", is_set_up, arena, versions, error);
}
