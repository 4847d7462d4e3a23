/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the data that comes with qdiff, in ../share/qdiff of the program's directory or in $QDIFF_SHARE. */
#include "qdiff/data_path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum qd_status qd_data_path(struct qd_arena *arena, const char *name, const char **path,
                            struct qd_error *error)
{
    const char *share = getenv("QDIFF_SHARE");
    char program[PATH_MAX];
    const char *joined;

    if (share && share[0] != '\0') {
        joined = qd_arena_printf(arena, "%s/%s", share, name);
    } else {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

        if (length < 0) {
            return qd_fail(error, QD_INTERNAL, "cannot find the directory of this program: %s",
                           strerror(errno));
        }
        program[length] = '\0';
        *strrchr(program, '/') = '\0'; /* the kernel gives an absolute path */
        joined = qd_arena_printf(arena, "%s/../share/qdiff/%s", program, name);
    }
    if (!joined)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    *path = joined;
    return QD_OK;
}
