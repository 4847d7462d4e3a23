/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff locate`: which unit of a network is wrong on a target, and why. */
#include <inttypes.h>
#include <string.h>

#include "bundle/finding_report.h"
#include "command/command.h"
#include "locate/helpers.h"
#include "locate/locate_report.h"
#include "locate/region.h"
#include "text/id_path.h"

#define REDUCE_SECONDS 30.0

/* What the reference cannot compute: --values-from, or the first target without optimizations. */
static enum qd_status choose_values(const struct qd_options *options,
                                    const struct qd_target_plan *plan, struct qd_target_name *name,
                                    struct qd_error *error)
{
    if (options->values_from) {
        enum qd_status status = qd_target_name_parse(options->values_from, name, error);

        return status == QD_OK ? qd_target_name_check(name, error) : status;
    }
    *name = plan->items[0].name;
    const struct qd_builtin_target *builtin = qd_builtin_target_find(name->name);
    if (builtin && builtin->default_configs && builtin->default_configs[0] &&
        !strstr(name->config, "cpu="))
        snprintf(name->config, sizeof name->config, "%s", builtin->default_configs[0]);
    return QD_OK;
}

/* --- The first wrong unit, reduced -------------------------------------------------------------- */

/* Below the unit's own directory, where `qdiff run` of all units does not look. */
static enum qd_status write_reduced(const struct qd_command *command,
                                    const struct qd_finding_report *report, struct qd_error *error)
{
    const char *script = "";
    char *path = NULL;
    const char *id = qd_arena_printf(command->arena, "%s/reduced", report->from);
    if (!id)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    enum qd_status status =
        qd_id_path(command->options.output, id, "", command->arena, &path, error);
    if (status == QD_OK)
        status = qd_finding_write_bundle(report, path, command->arena, &script, error);
    if (status == QD_OK)
        fprintf(command->out, "            %s\n", path);
    return status;
}

/* A small case may be diagnosed where the unit was too large. */
static void print_reduced(FILE *out, const struct qd_reduced *reduced)
{
    const char *label = reduced->after.diagnosis.label;

    fprintf(out,
            "  reduced   from %" PRId64 " to %" PRId64 " output elements, %zu node%s, in %.1f s",
            reduced->size_before.output_elements, reduced->size_after.output_elements,
            reduced->size_after.nodes, reduced->size_after.nodes == 1 ? "" : "s", reduced->seconds);
    fprintf(out, "%s%s\n", label && label[0] != '\0' ? "; diagnosis " : "", label ? label : "");
}

/* A unit that cannot be reduced is said, and no failure: it is there as it is. */
static void reduce_first(const struct qd_command *command, const struct qd_locate *locate,
                         const struct qd_first_wrong *first)
{
    const struct qd_options *options = &command->options;
    const struct qd_reduce_options how = {.seconds =
                                              options->time > 0 ? options->time : REDUCE_SECONDS,
                                          .diagnose = {.seconds = options->diagnosis_time}};
    struct qd_error error = {.status = QD_OK};
    struct qd_reduced reduced;
    struct qd_case kase;

    if (first->number == 0 || (options->no_diagnosis && !options->output))
        return;
    const struct qd_subject *subject = &locate->targets->items[first->target];
    struct qd_finding_report report = {&reduced, first->id, subject->id};
    enum qd_status status =
        qd_case_decode(first->bytes, first->size, command->arena, &kase, &error);
    if (status == QD_OK)
        status = qd_case_reduce(subject, &kase, &how, command->arena, &reduced, &error);
    if (status == QD_OK)
        print_reduced(command->out, &reduced);
    if (status == QD_OK && options->output)
        status = write_reduced(command, &report, &error);
    if (status != QD_OK)
        fprintf(command->out, "  reduced   no: %s\n", error.text);
}

/* --- The walk ----------------------------------------------------------------------------------- */

static enum qd_exit walk(struct qd_command *command, struct qd_locate *locate)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_locate_report report;
    size_t done = 0;

    if (qd_locate_begin(locate, command->out, &error) != QD_OK ||
        qd_locate_report_begin(&report, locate, command->out, command->err, &error) != QD_OK)
        return qd_command_failed(command, &error);
    locate->listener = qd_locate_report_listener(&report);
    enum qd_status status = qd_locate_run(locate, &done, &error);
    if (status == QD_OK && command->options.end_to_end)
        status = qd_regions_find(locate, &report, &error);
    struct qd_error later = {.status = QD_OK};
    enum qd_exit code = qd_locate_report_end(&report, done, &later);
    bool interrupted = qd_interrupt_seen(locate->interrupt);
    if (status != QD_OK)
        return qd_exit_worse(code, qd_command_failed(command, &error));
    if (interrupted) {
        fputs("qdiff: interrupted; what was done so far is kept\n", command->err);
        return QD_EXIT_INTERRUPTED;
    }
    reduce_first(command, locate, &report.first);
    return code;
}

static void print_network(FILE *out, const struct qd_network *network)
{
    fprintf(out, "model     %s: %zu node%s", network->path, network->node_count,
            network->node_count == 1 ? "" : "s");
    if (network->inlined > 0)
        fprintf(out, ", %zu call%s of its functions replaced by their nodes", network->inlined,
                network->inlined == 1 ? "" : "s");
    if (network->branches > 0)
        fprintf(out, ", %zu If node%s of a constant condition replaced by the branch taken",
                network->branches, network->branches == 1 ? "" : "s");
    fputc('\n', out);
}

/* With targets open, here and in the other processes. */
static enum qd_exit locate_on(struct qd_command *command, struct qd_locate *locate,
                              const struct qd_target_plan *plan)
{
    struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_gate_targets targets;
    struct qd_error error = {.status = QD_OK};

    if (qd_gate_targets_open(plan, &options, command->arena, &targets, &error) != QD_OK)
        return qd_command_failed(command, &error);
    print_network(command->out, locate->network);
    locate->targets = &targets;
    enum qd_exit code = walk(command, locate);
    qd_locate_end(locate);
    qd_gate_targets_close(&targets);
    return code;
}

static enum qd_exit locate_in(struct qd_command *command, const struct qd_network *network,
                              const struct qd_target_plan *plan)
{
    struct qd_interrupt interrupt;
    struct qd_error error = {.status = QD_OK};
    struct qd_locate_helpers helpers;
    struct qd_locate locate = {.network = network,
                               .options = &command->options,
                               .interrupt = &interrupt,
                               .arena = command->arena,
                               .work = (double)command->options.work};

    if (choose_values(&command->options, plan, &locate.values_from, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = qd_locate_helpers_start(&helpers, &locate, plan, &error) == QD_OK
                            ? locate_on(command, &locate, plan)
                            : qd_command_failed(command, &error);
    qd_locate_helpers_end(&helpers);
    qd_interrupt_end(&interrupt);
    return code;
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_network network;
    struct qd_target_plan plan;

    if (command->options.seed == 0)
        command->options.seed = 1;
    if (qd_plan_targets(&command->options, command->arena, &plan, &error) != QD_OK ||
        qd_network_open(command->options.arguments.items[0], command->arena, &network, &error) !=
            QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = locate_in(command, &network, &plan);
    qd_network_close(&network);
    return code;
}

const struct qd_verb qd_verb_locate = {
    .arguments = "MODEL.onnx",
    .at_least = 1,
    .at_most = 1,
    .options = "target expectations no-expectations input shape seed values-from end-to-end output "
               "results jobs work time time-limit memory-limit in-process no-diagnosis "
               "diagnosis-time strict "
               "progress",
    .text = "Says which part of a network is wrong on a target, and why. The model is cut\n"
            "into units as backends see them: a node, or a block of DequantizeLinear nodes,\n"
            "the float operators between and the QuantizeLinear after them. Each unit gets\n"
            "the inputs that it has in the network, runs on the targets and is judged like\n"
            "any case. The table lists the units in order; the first wrong one follows.\n"
            "Inputs of the network are given with --input, or drawn. A unit's inputs are\n"
            "what the reference computes for the units before it. What the reference cannot\n"
            "compute is opaque: --values-from computes it, and it is not judged.\n"
            "--output DIR keeps every judged unit as a case that qdiff run takes, the wrong\n"
            "ones with a reproduce.py, and the first wrong one reduced, in a directory\n"
            "`reduced` of its own, which qdiff run DIR leaves out.\n"
            "Of a layer beyond the limit of work (--work) a sample is judged: all elements of\n"
            "some channels, and all channels at some positions, the ends and edges among\n"
            "them; what was left out is said. It is not kept as a case.\n"
            "A diagnosis takes 4 s here, and the reduction 30 s, if no option says otherwise.\n"
            "--end-to-end also runs units together that are right alone, and narrows what\n"
            "differs to the smallest region: a fusion across units. It keeps all values in\n"
            "memory.\n"
            "With --jobs several processes judge a share of the units each; what is printed\n"
            "is the same. Each of them computes the reference's values of all units.",
    .examples = "    qdiff locate model.onnx --input x=x.npy -t 'ort@1.31.1[opt=all]'\n"
                "  without a tensor, on your own library; what it lacks is computed by ort\n"
                "    qdiff locate model.onnx --shape x=1,3,48,192 -t ./libmine.so \\\n"
                "        --values-from 'ort[opt=none]' --output units\n"
                "  and then\n"
                "    qdiff run units -t ./libmine.so\n"
                "  right in parts, wrong as a whole\n"
                "    qdiff locate model.onnx --input x=x.npy -t ort --end-to-end",
    .run = run,
};
