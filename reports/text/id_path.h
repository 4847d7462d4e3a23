/* SPDX-License-Identifier: Apache-2.0 */
/* A case's id as a path below a directory. */
#ifndef QDIFF_REPORTS_ID_PATH_H
#define QDIFF_REPORTS_ID_PATH_H

#include "qdiff/arena.h"
#include "qdiff/status.h"

/* "<directory>/<id><suffix>" in the arena, with the directories above it made. An id from a file could name any path:
 * INVALID for one with "." or ".." or nothing between slashes; IO, NO_MEMORY. */
enum qd_status qd_id_path(const char *directory, const char *id, const char *suffix,
                          struct qd_arena *arena, char **path, struct qd_error *error);

#endif
