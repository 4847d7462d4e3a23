/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a pack into case files, for `qdiff import PACK`. */
#include "pack/pack_import.h"

#include "text/id_path.h"

/* An import under way. */
struct import {
    const char *output;
    struct qd_arena arena; /* of one case */
    size_t count;
    enum qd_status status;
    struct qd_error *error;
};

static enum qd_visit take(void *context, const struct qd_case *kase)
{
    struct import *import = context;

    qd_arena_reset(&import->arena);
    char *path;
    import->status =
        qd_id_path(import->output, kase->id, ".qdcase", &import->arena, &path, import->error);
    if (import->status == QD_OK)
        import->status = qd_case_save(kase, path, import->error);
    import->count++;
    return import->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

enum qd_exit qd_pack_import(struct qd_command *command)
{
    const struct qd_options *options = &command->options;
    struct qd_error error = {0};
    struct import import = {.output = options->output, .error = &error};

    if (options->inputs.count > 0 || options->node || options->id) {
        fputs("qdiff import: --input, --node and --id are not for packs\n", command->err);
        return QD_EXIT_USAGE;
    }
    qd_arena_init(&import.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_pack_visit(options->arguments.items[0], QD_LEVEL_EXHAUSTIVE, take, &import, &error);
    status = status == QD_OK ? import.status : status;
    qd_arena_clear(&import.arena);
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(command->out, "%zu cases written below %s\n", import.count, options->output);
    return import.count > 0 ? QD_EXIT_OK : QD_EXIT_USAGE;
}
