/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of worker.proto, for a target of C functions: a plug-in or a built-in one on any machine becomes a
 * worker. Internal to the targets layer; bin/qdiff-serve is its program. */
#ifndef QDIFF_HOST_H
#define QDIFF_HOST_H

#include "qdiff/session.h"

/* Reads requests from the descriptor `in` and writes replies to `out` until the input ends. The target runs in a
 * process of its own, forked here, with the memory limit (bytes); its death, and what it wrote outside its buffers, is
 * a reply, after which this returns OK. When the other side hangs up, this process and the target's end at once.
 * INVALID: what came is no frame; IO: it cannot be read, written or forked; NO_MEMORY. */
enum qd_status qd_host_serve(const struct qd_target_name *name, int in, int out,
                             uint64_t memory_limit, struct qd_error *error);

#endif
