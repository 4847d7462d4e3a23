/* SPDX-License-Identifier: Apache-2.0 */
/* Where downloads and environments live. Internal to the targets layer. */
#ifndef QDIFF_CACHE_H
#define QDIFF_CACHE_H

#include "qdiff/arena.h"
#include "qdiff/cache_path.h"
#include "qdiff/status.h"

/* The releases <version> for which there is an entry <cache>/<name>/<prefix><version> and is_set_up(prefix, version)
 * says so (NULL: all are): newest first, NULL-terminated, in the arena. NO_MEMORY. */
enum qd_status qd_cache_versions(const char *name, const char *prefix,
                                 bool (*is_set_up)(const char *prefix, const char *version),
                                 struct qd_arena *arena, const char *const **versions,
                                 struct qd_error *error);

/* A Python environment <cache>/python/<target>-<version> that scripts/setup has finished, and all of a target. */
bool qd_python_is_set_up(const char *target, const char *version);
enum qd_status qd_python_versions(const char *target, struct qd_arena *arena,
                                  const char *const **versions, struct qd_error *error);

/* Whether the text looks like a release number, fit for a path. */
bool qd_cache_is_version(const char *text);

#endif
