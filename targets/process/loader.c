/* SPDX-License-Identifier: Apache-2.0 */
#include "process/loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool qd_target_name_is_path(const struct qd_target_name *name)
{
    size_t length = strlen(name->name);
    const char *end = name->name + (length > 3 ? length - 3 : 0);
    return strchr(name->name, '/') || strncmp(name->name, "worker:", 7) == 0 ||
           strcmp(end, ".so") == 0 || strcmp(end, ".py") == 0;
}

/* The first function that a plug-in's table lacks, NULL if none. */
static const char *missing_function(const struct qd_target *api)
{
    return !api->open       ? "open"
           : !api->describe ? "describe"
           : !api->prepare  ? "prepare"
           : !api->run      ? "run"
           : !api->release  ? "release"
           : !api->close    ? "close"
                            : NULL;
}

static enum qd_target_status load_plugin(const char *path, const struct qd_target **api,
                                         struct qd_target_message *message)
{
    char local[sizeof((struct qd_target_name *)0)->name + 2];
    /* Without a slash dlopen would look among the system's libraries. */
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", dlerror());
    void *symbol = dlsym(library, "qd_target_entry");
    if (!symbol)
        return qd_answer(message, QD_TARGET_UNUSABLE,
                         "%s exports no qd_target_entry: it is not a qdiff plug-in", path);
    const struct qd_target *(*entry)(void);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function pointers */
    const struct qd_target *table = entry();
    if (!table)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s: qd_target_entry() gave NULL", path);
    if (table->abi != QD_TARGET_ABI)
        return qd_answer(message, QD_TARGET_UNUSABLE,
                         "%s is built for plug-in ABI %u; this qdiff has ABI %d", path,
                         (unsigned)table->abi, QD_TARGET_ABI);
    const char *missing = missing_function(table);
    if (missing)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s: its table has no function '%s'", path,
                         missing);
    *api = table;
    return QD_TARGET_OK;
}

enum qd_target_status qd_target_load(const struct qd_target_name *name,
                                     const struct qd_target **api,
                                     struct qd_target_message *message)
{
    if (qd_target_name_is_path(name))
        return load_plugin(name->name, api, message);
    const struct qd_builtin_target *row = qd_builtin_target_find(name->name);
    if (!row)
        return qd_answer(message, QD_TARGET_UNUSABLE, "no target is called '%s'", name->name);
    if (!row->api)
        return qd_answer(message, QD_TARGET_UNUSABLE, "'%s' is a worker, not functions",
                         name->name);
    *api = row->api;
    return QD_TARGET_OK;
}
