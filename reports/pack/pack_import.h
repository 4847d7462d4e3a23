/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff import PACK`: a pack's cases as case files. */
#ifndef QDIFF_REPORTS_PACK_IMPORT_H
#define QDIFF_REPORTS_PACK_IMPORT_H

#include "command/command.h"
#include "pack/pack.h"

/* Writes <output>/<id>.qdcase for every case of the pack that is the only argument. Ends at the first file that is not
 * as the manifest says. */
enum qd_exit qd_pack_import(struct qd_command *command);

#endif
