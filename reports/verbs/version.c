/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff version`: the version of qdiff and its commit. */
#include "command/command.h"
#include "qdiff_version.h"

static enum qd_exit run(struct qd_command *command)
{
    fprintf(command->out, "qdiff %s (%s)\n", QD_VERSION, QD_COMMIT);
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_version = {
    .arguments = "",
    .options = "",
    .text = "Prints the version of qdiff and its suite, and the commit it was built from.",
    .examples = "    qdiff version",
    .run = run,
};
