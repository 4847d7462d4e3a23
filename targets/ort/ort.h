/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX Runtime as a target: the C API of any release that scripts/setup has put into the cache. */
#ifndef QDIFF_ORT_H
#define QDIFF_ORT_H

#include <stdbool.h>

#include "qdiff/arena.h"
#include "qdiff/status.h"
#include "qdiff/target.h"

extern const struct qd_target qd_ort_target;

/* What provides it: the command that sets it up, or the way to a build that has it. */
extern const char qd_ort_setup[];

/* "opt=none" ... "opt=all": what the plain name "ort" expands to. NULL-terminated. */
extern const char *const qd_ort_configs[];

/* USAGE for settings that there are none of, and in a build without this target for all. */
enum qd_status qd_ort_check(const char *config, struct qd_error *error);

/* The releases in the cache, newest first, NULL-terminated, in the arena. None is no error. NO_MEMORY. */
enum qd_status qd_ort_versions(struct qd_arena *arena, const char *const **versions,
                               struct qd_error *error);

/* Loads that release ("": the newest) and opens its environment, which a process has one of: a worker that is forked
 * later has both. Neither makes a thread. */
void qd_ort_preload(const char *version);

/* The path of a release's library into `path`; false if it does not fit or `version` is no version. */
bool qd_ort_library(const char *version, char *path, size_t size);

/* What the release can do, *count rows in the arena; NULL if it has no room. */
const struct qd_target_capability *qd_ort_capabilities(const char *version, struct qd_arena *arena,
                                                       size_t *count);

#endif
