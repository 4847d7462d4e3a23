/* SPDX-License-Identifier: Apache-2.0 */
/* From a target's name to its table of functions. Internal to the targets layer. */
#ifndef QDIFF_LOADER_H
#define QDIFF_LOADER_H

#include "message.h"
#include "qdiff/session.h"

/* The function table of a built-in target, or of the plug-in at a path (dlopen'ed, never closed). UNUSABLE says why
 * not: no such file, no entry, another ABI version, a missing function. */
enum qd_target_status qd_target_load(const struct qd_target_name *name,
                                     const struct qd_target **api,
                                     struct qd_target_message *message);

/* Whether the name is a path, to a plug-in or to a worker. */
bool qd_target_name_is_path(const struct qd_target_name *name);

#endif
