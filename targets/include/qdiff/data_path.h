/* SPDX-License-Identifier: Apache-2.0 */
/* Where qdiff's own data lies: beside the program, the same in the build tree as installed. */
#ifndef QDIFF_DATA_PATH_H
#define QDIFF_DATA_PATH_H

#include "qdiff/arena.h"
#include "qdiff/status.h"

/* <share>/<name>, whether it exists or not. <share> is $QDIFF_SHARE or ../share/qdiff seen from the directory of
 * the program. */
enum qd_status qd_data_path(struct qd_arena *arena, const char *name, const char **path,
                            struct qd_error *error);

#endif
