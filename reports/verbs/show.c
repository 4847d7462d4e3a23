/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff show`: one case as text. */
#include "command/command.h"
#include "select/visit.h"
#include "text/case_show.h"

static enum qd_exit run(struct qd_command *command)
{
    struct qd_case kase;
    struct qd_error error = {0};

    if (qd_find_case(command->options.arguments.items[0], &command->options, command->arena, &kase,
                     &error) != QD_OK)
        return qd_command_failed(command, &error);
    qd_case_show(command->out, &kase, command->arena);
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_show = {
    .arguments = "ID|FILE|DIR",
    .at_least = 1,
    .at_most = 1,
    .options = "cases pack",
    .text = "Prints a case as text: what is expected and where the case comes from, its\n"
            "features, its tensors (type, shape, first elements), nodes and attributes.",
    .examples = "    qdiff show regressions/ort-28456-u8\n"
                "    qdiff show mycase.qdcase",
    .run = run,
};
