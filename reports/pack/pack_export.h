/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff export --suite`: the selected cases of the suite as a pack. */
#ifndef QDIFF_REPORTS_PACK_EXPORT_H
#define QDIFF_REPORTS_PACK_EXPORT_H

#include "command/command.h"

/* Writes the pack to command->options.output, or nothing: not on Ctrl-C, not when a case cannot be judged, not when the
 * suite has fewer cases than it must have. */
enum qd_exit qd_pack_export(struct qd_command *command);

#endif
