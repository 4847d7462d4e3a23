/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff import`: makes a case of a model with its input tensors. */
#include "qdiff/import.h"

#include <string.h>

#include "command/command.h"
#include "pack/pack_import.h"
#include "qdiff/evaluated.h"

static bool is_model(const char *path)
{
    size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".onnx") == 0;
}

static enum qd_status import_model(const struct qd_command *command, struct qd_case *kase,
                                   struct qd_error *error)
{
    const struct qd_options *options = &command->options;
    struct qd_import_feed *feeds =
        qd_arena_array(command->arena, options->inputs.count, sizeof *feeds);
    struct qd_import_options import = {.model = options->arguments.items[0],
                                       .node = options->node,
                                       .feeds = feeds,
                                       .feed_count = options->inputs.count,
                                       .id = options->id};

    if (!feeds)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --input");
    for (size_t i = 0; i < options->inputs.count; i++) {
        enum qd_status status =
            qd_import_feed_parse(options->inputs.items[i], command->arena, &feeds[i], error);

        if (status != QD_OK)
            return status;
    }
    return qd_import(&import, command->arena, kase, error);
}

/* A directory in ONNX's layout, or a case file: it has its tensors already. */
static enum qd_status import_case(const struct qd_command *command, struct qd_case *kase,
                                  struct qd_error *error)
{
    const struct qd_options *options = &command->options;

    if (options->inputs.count > 0 || options->node) {
        return qd_fail(error, QD_USAGE, "%s: --input and --node are for models (*.onnx)",
                       options->arguments.items[0]);
    }
    return qd_case_load(options->arguments.items[0], command->arena, kase, error);
}

/* Whether the reference can judge the new case. */
static enum qd_status try_case(struct qd_command *command, const struct qd_case *kase,
                               struct qd_error *error)
{
    struct qd_evaluated evaluated;

    return qd_case_evaluate(kase, command->arena, &evaluated, error);
}

static enum qd_exit run(struct qd_command *command)
{
    const struct qd_options *options = &command->options;
    struct qd_case kase = {0};
    struct qd_error error = {0}, unjudged = {0};
    enum qd_status status, judged = QD_OK;

    if (!options->output) {
        fputs("qdiff import: --output FILE is wanted\n", command->err);
        return QD_EXIT_USAGE;
    }
    if (qd_pack_is(options->arguments.items[0]))
        return qd_pack_import(command);
    status = is_model(options->arguments.items[0]) ? import_model(command, &kase, &error)
                                                   : import_case(command, &kase, &error);
    if (status == QD_OK && options->id)
        kase.id = options->id;
    if (status == QD_OK)
        judged = try_case(command, &kase, &unjudged);
    if (judged ==
        QD_INVALID) /* a broken rule makes no case: tensors of another node, for example */
        return qd_command_failed(command, &unjudged);
    if (status == QD_OK)
        status = qd_case_save(&kase, options->output, &error);
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    fprintf(command->out, "%s written to %s\n", kase.id, options->output);
    if (judged != QD_OK) {
        fprintf(command->err, "qdiff: written, but the reference cannot judge it: %s\n",
                unjudged.text);
        return qd_exit_of_status(judged);
    }
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_import = {
    .arguments = "MODEL.onnx|DIR|FILE|PACK",
    .at_least = 1,
    .at_most = 1,
    .options = "output input node id",
    .text = "Makes a case file of a model. With --node it takes one node with its constants,\n"
            "and the tensors given with --input for what the node reads at run time;\n"
            "otherwise it takes the whole model. A directory in ONNX's backend-test layout\n"
            "brings its tensors with it. An error names what cannot be imported. A pack\n"
            "(export --suite) is checked against its manifest and gives one case file for\n"
            "each of its cases, below --output DIR.",
    .examples =
        "  one convolution out of a real model\n"
        "    qdiff import resnet.onnx --node conv1_quant --input x=conv1_x.npy -o conv1.qdcase\n"
        "    qdiff repro conv1.qdcase --target ort\n"
        "  what an official fixture holds, as one file\n"
        "    qdiff import node/test_qlinearconv -o qlinearconv.qdcase\n"
        "  a pack as case files\n"
        "    qdiff import pack -o cases",
    .run = run,
};
