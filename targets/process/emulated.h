/* SPDX-License-Identifier: Apache-2.0 */
/* A built-in target on an emulated CPU is a worker: qdiff-serve in an emulator. Internal to the targets layer. */
#ifndef QDIFF_EMULATED_H
#define QDIFF_EMULATED_H

#include "process/program.h"

/* Fills in the command line that runs the target `name` on program->cpu. UNUSABLE names what is missing and the command
 * that sets it up. */
enum qd_status qd_program_emulate(struct qd_program *program, const char *name,
                                  struct qd_error *error);

#endif
