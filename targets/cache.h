/* Where downloads and environments live. Internal to the targets layer. */
#ifndef QDIFF_CACHE_H
#define QDIFF_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* ${QDIFF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/qdiff}/<name> into `path`; false when no variable is set or it does
 * not fit. */
bool qd_cache_path(const char *name, char *path, size_t size);

#endif
