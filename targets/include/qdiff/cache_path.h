/* SPDX-License-Identifier: Apache-2.0 */
/* Where scripts/setup puts what it downloads. */
#ifndef QDIFF_CACHE_PATH_H
#define QDIFF_CACHE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* ${QDIFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/qdiff}/<name> into `path`; false when no variable is set or it does
 * not fit. */
bool qd_cache_path(const char *name, char *path, size_t size);

#endif
