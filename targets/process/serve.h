/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a target and carrying its description through the shared block. Internal to the targets layer. */
#ifndef QDIFF_SERVE_H
#define QDIFF_SERVE_H

#include "qdiff/session.h"

/* A target that is open. */
struct qd_open_target {
    const struct qd_target *api;
    void *target;
};

/* Loads, opens and describes the target and writes status, words and description into the block. *opened.api is NULL
 * when that failed. Runs on the worker's side. */
void qd_serve_open(const struct qd_target_name *name, void *block, size_t size,
                   struct qd_open_target *opened);

/* Reads what qd_serve_open wrote; every byte may be nonsense. Strings are copied into the arena. UNUSABLE with the
 * target's words. */
enum qd_status qd_serve_read(const void *block, size_t size, struct qd_arena *arena,
                             struct qd_target_info *info, struct qd_error *error);

#endif
