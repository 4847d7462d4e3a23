/* SPDX-License-Identifier: Apache-2.0 */
/* A case's id as a path below a directory, whose folders are made. */
#include "text/id_path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* No part of the id leads out of the directory. */
static enum qd_status check_id(const char *id, struct qd_error *error)
{
    const char *part = id;

    while (*part != '\0') {
        size_t span = strcspn(part, "/");

        if (span == 0 || (part[0] == '.' && (span == 1 || (span == 2 && part[1] == '.'))))
            return qd_fail(error, QD_INVALID, "id \"%s\" makes no path", id);
        part += span;
        part += *part == '/' && part[1] != '\0';
    }
    return QD_OK;
}

/* Makes the directories above `path`. */
static enum qd_status make_parents(char *path, struct qd_error *error)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int made;

        *slash = '\0';
        made = mkdir(path, 0777);
        if (made != 0 && errno != EEXIST)
            return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
        *slash = '/';
    }
    return QD_OK;
}

enum qd_status qd_id_path(const char *directory, const char *id, const char *suffix,
                          struct qd_arena *arena, char **path, struct qd_error *error)
{
    enum qd_status status = check_id(id, error);
    char *joined = qd_arena_printf(arena, "%s/%s%s", directory, id, suffix);

    if (!joined)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    if (status == QD_OK)
        status = make_parents(joined, error);
    if (status == QD_OK)
        *path = joined;
    return status;
}
