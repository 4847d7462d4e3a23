/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the expectations file of a target. */
#include <unistd.h>

#include "qdiff/data_path.h"
#include "qdiff/expectations.h"
#include "qdiff/session.h"

#define LARGEST ((size_t)16 << 20)

enum qd_status qd_expectations_read(const char *path, struct qd_arena *arena,
                                    struct qd_expectations **expectations, struct qd_error *error)
{
    uint8_t *text;
    size_t size;
    enum qd_status status = qd_file_read(path, LARGEST, arena, &text, &size, error);
    return status == QD_OK
               ? qd_expectations_parse(path, (const char *)text, size, arena, expectations, error)
               : status;
}

enum qd_status qd_expectations_open(const char *path, const struct qd_target_info *info,
                                    struct qd_arena *arena, struct qd_expectations **expectations,
                                    struct qd_error *error)
{
    struct qd_expectations *rows;
    enum qd_status status = qd_expectations_read(path, arena, &rows, error);
    if (status == QD_OK)
        status = qd_expectations_activate(rows, info, error);
    if (status == QD_OK)
        *expectations = rows;
    return status;
}

enum qd_status qd_expectations_shipped(const char *name, struct qd_arena *arena, const char **path,
                                       struct qd_error *error)
{
    const struct qd_builtin_target *builtin = qd_builtin_target_find(name);
    *path = NULL;
    if (!builtin)
        return QD_OK;
    const char *file = qd_arena_printf(arena, "targets/%s/expectations.tsv",
                                       builtin->worker ? builtin->worker : builtin->name);
    const char *made;
    if (!file)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    enum qd_status status = qd_data_path(arena, file, &made, error);
    if (status == QD_OK)
        *path = access(made, F_OK) == 0 ? made : NULL;
    return status;
}
