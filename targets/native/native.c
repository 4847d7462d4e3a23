/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, opens and reads runtimes that are a shared library. */
#include "native/native.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "subject/cache.h"

static bool library_path(const char *name, const char *version, const char *file, char *path,
                         size_t size)
{
    char root[3072];
    if (!qd_cache_is_version(version) || !qd_cache_path(name, root, sizeof root))
        return false;
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/%s/%s", root, version, file);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    int length = snprintf(path, size, "%s", found.gl_pathv[0]);
    globfree(&found);
    return length > 0 && (size_t)length < size;
}

enum qd_status qd_native_versions(const struct qd_native *native, struct qd_arena *arena,
                                  const char *const **versions, struct qd_error *error)
{
    /* Releases are written whole or not at all: what is there is set up. */
    return qd_cache_versions(native->name, "", NULL, arena, versions, error);
}

enum qd_target_status qd_native_choose(const char *const *releases, const char *what,
                                       const char *setup, const char *asked, char version[32],
                                       struct qd_target_message *message)
{
    char listed[512] = "none";
    for (size_t i = 0, used = 0; releases[i]; i++) {
        if (!*asked || strcmp(asked, releases[i]) == 0) {
            snprintf(version, 32, "%s", releases[i]);
            return QD_TARGET_OK;
        }
        if (used < sizeof listed)
            used += (size_t)snprintf(listed + used, sizeof listed - used, "%s%s", i ? ", " : "",
                                     releases[i]);
    }
    return qd_answer(message, QD_TARGET_UNUSABLE, "%s %s is not set up here (run %s); set up: %s",
                     what, asked, setup, listed);
}

static enum qd_target_status choose(const struct qd_native *native, const char *asked,
                                    char version[32], struct qd_target_message *message)
{
    static const char *const none[] = {NULL};
    struct qd_arena arena;
    const char *const *releases = none;
    char setup[96];
    qd_arena_init(&arena, (size_t)1 << 20);
    qd_native_versions(native, &arena, &releases, NULL);
    snprintf(setup, sizeof setup, "scripts/setup --target %s@..", native->name);
    enum qd_target_status status =
        qd_native_choose(releases, native->name, setup, asked, version, message);
    qd_arena_clear(&arena);
    return status;
}

enum qd_target_status qd_native_open(const struct qd_native *native, const char *asked,
                                     char version[32], const struct qd_native_symbol *symbols,
                                     size_t count, void *functions,
                                     struct qd_target_message *message)
{
    char path[4096];
    enum qd_target_status status = choose(native, asked, version, message);
    if (status != QD_TARGET_OK)
        return status;
    if (!library_path(native->name, version, native->file, path, sizeof path))
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s %s has no %s", native->name, version,
                         native->file);
    /* It stays: threads and static objects of a runtime do not survive dlclose. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            return qd_answer(message, QD_TARGET_UNUSABLE, "%s has no %s", path, symbols[i].name);
        /* ISO C has no cast from object to function pointers. */
        memcpy((char *)functions + symbols[i].offset, &symbol, sizeof symbol);
    }
    return QD_TARGET_OK;
}

enum qd_target_status qd_native_give(int32_t data_type, size_t rank, const int64_t *dims,
                                     const void *data, size_t size, struct qd_target_tensor *output,
                                     struct qd_target_message *message)
{
    if (rank > QD_TARGET_MAX_RANK)
        return qd_answer(message, QD_TARGET_REJECTED, "an output of %zu dimensions", rank);
    if (output->data_type == data_type && output->rank == rank && output->size == size &&
        (rank == 0 || memcmp(output->dims, dims, rank * sizeof *dims) == 0)) {
        if (size > 0)
            memcpy(output->data, data, size);
        return QD_TARGET_OK;
    }
    output->data_type = data_type;
    output->rank = (uint32_t)rank;
    for (size_t i = 0; i < rank; i++)
        output->dims[i] = dims[i];
    return QD_TARGET_OK;
}
