/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff quantize`: gives a float model to a quantizer target. */
#include "qdiff/quantizer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "qdiff/import.h"
#include "text/describe.h"

enum { SHOWN_ELEMENTS = 16 };

/* The request as the command line gives it. */
struct wish {
    struct qd_quantizer_request request;
    const char **exclude, **ops, **extra; /* lists of the request, with room for every --set */
    size_t exclude_count, op_count, extra_count;
};

/* --- The request --------------------------------------------------------------------------------- */

/* A type by qdiff's word ("u8") as ONNX's number. */
static bool find_type(const char *word, int32_t *type)
{
    enum qd_dtype dtype = qd_dtype_of_word(word);

    *type = dtype != QD_DTYPE_NONE ? qd_dtype_info(dtype)->onnx : 0;
    return dtype != QD_DTYPE_NONE;
}

static bool take_choice(const char *value, const char *zero, const char *one, int *choice)
{
    *choice = strcmp(value, one) == 0;
    return *choice || strcmp(value, zero) == 0;
}

static bool take_flag(const char *key, const char *value, struct qd_quantizer_options *options)
{
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {
        {"per-channel", &options->per_channel},
        {"reduce-range", &options->reduce_range},
        {"symmetric-activations", &options->symmetric_activations},
        {"symmetric-weights", &options->symmetric_weights},
        {"restricted-asymmetric", &options->restricted_asymmetric},
    };
    int on;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i].word, key) == 0 && take_choice(value, "no", "yes", &on)) {
            *flags[i].flag = on;
            return true;
        }
    }
    return false;
}

/* One --set, taken apart at its '='. */
static bool take_setting(struct wish *wish, const char *text, const char *key, const char *value)
{
    struct qd_quantizer_options *options = &wish->request.options;

    if (key[0] >= 'A' && key[0] <= 'Z') { /* as the tool itself calls it */
        wish->extra[wish->extra_count++] = text;
        return true;
    }
    if (strcmp(key, "exclude") == 0) {
        wish->exclude[wish->exclude_count++] = value;
        return true;
    }
    if (strcmp(key, "op") == 0) {
        wish->ops[wish->op_count++] = value;
        return true;
    }
    int choice;
    if (strcmp(key, "scheme") == 0 && take_choice(value, "static", "dynamic", &choice)) {
        options->scheme = choice ? QD_QUANTIZER_DYNAMIC : QD_QUANTIZER_STATIC;
        return true;
    }
    if (strcmp(key, "format") == 0 && take_choice(value, "qdq", "qoperator", &choice)) {
        options->format = choice ? QD_QUANTIZER_QOPERATOR : QD_QUANTIZER_QDQ;
        return true;
    }
    return (strcmp(key, "activation") == 0 && find_type(value, &options->activation_type)) ||
           (strcmp(key, "weight") == 0 && find_type(value, &options->weight_type)) ||
           take_flag(key, value, options);
}

static enum qd_status read_settings(const struct qd_command *command, struct wish *wish,
                                    struct qd_error *error)
{
    const struct qd_words *settings = &command->options.settings;

    wish->exclude = qd_arena_array(command->arena, settings->count + 1, sizeof *wish->exclude);
    wish->ops = qd_arena_array(command->arena, settings->count + 1, sizeof *wish->ops);
    wish->extra = qd_arena_array(command->arena, settings->count + 1, sizeof *wish->extra);
    if (!wish->exclude || !wish->ops || !wish->extra)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --set");
    for (size_t i = 0; i < settings->count; i++) {
        const char *text = settings->items[i], *equals = strchr(text, '=');
        char *key = qd_arena_string(command->arena, text);

        if (!key)
            return qd_fail(error, QD_NO_MEMORY, "no memory for --set");
        key[strcspn(key, "=")] = '\0';
        if (!take_setting(wish, text, key, equals ? equals + 1 : "yes")) {
            return qd_fail(error, QD_USAGE,
                           "--set %s: no such setting or value (qdiff help quantize)", text);
        }
    }
    wish->request.options.exclude = wish->exclude;
    wish->request.options.ops = wish->ops;
    wish->request.options.extra = wish->extra;
    return QD_OK;
}

/* "x=-1,6" */
static enum qd_status read_range(const char *text, struct qd_arena *arena,
                                 struct qd_quantizer_range *range, struct qd_error *error)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;

    if (equals && equals != text) {
        range->tensor = qd_arena_printf(arena, "%.*s", (int)(equals - text), text);
        range->min = strtof(equals + 1, &end);
        if (!range->tensor)
            return qd_fail(error, QD_NO_MEMORY, "no memory for --range");
    }
    if (!end || end == equals + 1 || *end != ',')
        return qd_fail(error, QD_USAGE, "--range %s: TENSOR=MIN,MAX is wanted", text);
    const char *second = end + 1;
    range->max = strtof(second, &end);
    return end != second && *end == '\0'
               ? QD_OK
               : qd_fail(error, QD_USAGE, "--range %s: TENSOR=MIN,MAX is wanted", text);
}

static enum qd_status read_ranges(const struct qd_command *command, struct wish *wish,
                                  struct qd_error *error)
{
    const struct qd_words *given = &command->options.ranges;
    struct qd_quantizer_range *ranges =
        qd_arena_array(command->arena, given->count, sizeof *ranges);
    enum qd_status status = QD_OK;

    if (!ranges)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --range");
    for (size_t i = 0; i < given->count && status == QD_OK; i++)
        status = read_range(given->items[i], command->arena, &ranges[i], error);
    wish->request.ranges = ranges;
    wish->request.range_count = given->count;
    return status;
}

/* The inputs of --input are one calibration run. */
static enum qd_status read_calibration(const struct qd_command *command, struct wish *wish,
                                       struct qd_error *error)
{
    const struct qd_words *inputs = &command->options.inputs;
    struct qd_import_feed *feeds = qd_arena_array(command->arena, inputs->count, sizeof *feeds);
    const struct qd_tensor **runs = qd_arena_array(command->arena, 1, sizeof *runs);
    struct qd_case *kase = qd_arena_alloc(command->arena, sizeof *kase);
    enum qd_status status = QD_OK;

    if (!feeds || !runs || !kase)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --input");
    for (size_t i = 0; i < inputs->count && status == QD_OK; i++)
        status = qd_import_feed_parse(inputs->items[i], command->arena, &feeds[i], error);
    if (status == QD_OK) {
        struct qd_import_options import = {.model = command->options.arguments.items[0],
                                           .feeds = feeds,
                                           .feed_count = inputs->count};

        status = qd_import(&import, command->arena, kase, error);
    }
    if (status == QD_OK) {
        runs[0] = kase->inputs;
        wish->request.calibrations = runs;
        wish->request.calibration_count = 1;
        wish->request.input_count = kase->input_count;
    }
    return status;
}

static enum qd_status read_wish(const struct qd_command *command, struct wish *wish,
                                struct qd_error *error)
{
    uint8_t *model;
    enum qd_status status = qd_file_read(command->options.arguments.items[0], QD_CASE_MAX_BYTES,
                                         command->arena, &model, &wish->request.model_size, error);

    if (status == QD_OK) {
        wish->request.model = model;
        status = read_settings(command, wish, error);
    }
    if (status == QD_OK)
        status = read_ranges(command, wish, error);
    if (status == QD_OK && command->options.inputs.count > 0)
        status = read_calibration(command, wish, error);
    return status;
}

/* --- The answer ---------------------------------------------------------------------------------- */

/* A node that carries quantization parameters: its attributes and constants. */
static void print_node(const struct qd_command *command, const struct qd_case *kase,
                       const struct qd_node *node)
{
    fprintf(command->out, "%s%s%s", node->domain, node->domain[0] ? ":" : "", node->op_type);
    for (size_t i = 0; i < node->attr_count; i++) {
        const char *text = qd_describe_attr(&node->attrs[i], command->arena);

        fprintf(command->out, ", %s %s", node->attrs[i].name, text ? text : "?");
    }
    fputc('\n', command->out);
    for (size_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != QD_NO_VALUE) {
            const struct qd_tensor *tensor = kase->graph->values[node->inputs[i]].initializer;
            const char *text =
                tensor ? qd_describe_tensor(tensor, SHOWN_ELEMENTS, command->arena) : "";

            fprintf(command->out, "  %s%s%s\n", kase->graph->values[node->inputs[i]].name,
                    tensor ? " = " : "", text ? text : "?");
        }
    }
}

static void print_model(const struct qd_command *command, const struct qd_quantizer_answer *answer)
{
    struct qd_case kase;
    struct qd_error error = {0};

    if (qd_case_from_model(answer->model, answer->model_size, command->arena, &kase, &error) !=
        QD_OK) {
        fprintf(command->out, "its nodes cannot be shown: %s\n", error.text);
        return;
    }
    for (size_t i = 0; i < kase.graph->node_count; i++)
        print_node(command, &kase, &kase.graph->nodes[i]);
}

static void print_edges(const struct qd_command *command, const struct qd_quantizer_answer *answer)
{
    for (size_t i = 0; i < answer->edge_count; i++) {
        const struct qd_quantizer_edge *edge = &answer->edges[i];

        fprintf(command->out, "%s%s%s", edge->tensor, edge->consumer[0] ? " -> " : "",
                edge->consumer);
        if (edge->count == 0) {
            fputs(": float\n", command->out);
            continue;
        }
        fprintf(command->out, " [%u]: group %llu, %lld to %lld", (unsigned)edge->input,
                (unsigned long long)edge->group, (long long)edge->quant_min,
                (long long)edge->quant_max);
        for (size_t j = 0; j < edge->count && j < SHOWN_ELEMENTS; j++) {
            fprintf(command->out, "%s %.9g/%lld", j == 0 ? ", scale/zero point" : ",",
                    (double)edge->scales[j], (long long)edge->zero_points[j]);
        }
        fprintf(command->out, "%s\n", edge->count > SHOWN_ELEMENTS ? " ..." : "");
    }
}

static enum qd_exit tell(struct qd_command *command, const char *id,
                         const struct qd_quantizer_answer *answer)
{
    struct qd_error error = {0};

    fprintf(command->out, "%s: %s%s%s\n", id, qd_quantized_word(answer->outcome),
            answer->message[0] ? ": " : "", answer->message);
    for (const char *const *word = answer->ignored; word && *word; word++)
        fprintf(command->out, "not known to this release: %s\n", *word);
    if (answer->outcome == QD_QUANTIZED_EDGES) {
        print_edges(command, answer);
        return QD_EXIT_OK;
    }
    if (answer->outcome != QD_QUANTIZED_MODEL)
        return QD_EXIT_DIVERGENCE;
    print_model(command, answer);
    if (command->options.output &&
        qd_file_write(command->options.output, answer->model, answer->model_size, &error) != QD_OK)
        return qd_command_failed(command, &error);
    return QD_EXIT_OK;
}

static enum qd_status open_target(const struct qd_command *command, struct qd_quantizer **quantizer,
                                  struct qd_error *error)
{
    const struct qd_options *options = &command->options;
    struct qd_session_options limits = {.time_limit = options->time_limit,
                                        .memory_limit = options->memory_limit << 20};

    if (options->targets.count != 1)
        return qd_fail(error, QD_USAGE, "one --target is wanted, like ort-quant@1.31.1");
    struct qd_target_name name;
    enum qd_status status = qd_target_name_parse(options->targets.items[0].text, &name, error);
    return status == QD_OK ? qd_quantizer_open(&name, &limits, quantizer, error) : status;
}

/* Asks --rounds times; the last answer counts. */
static enum qd_status ask(struct qd_command *command, struct qd_quantizer *quantizer,
                          const struct wish *wish, struct qd_quantizer_answer *answer,
                          struct qd_error *error)
{
    uint64_t rounds = command->options.rounds > 0 ? command->options.rounds : 1;
    enum qd_status status = QD_OK;
    double seconds = 0;

    for (uint64_t i = 0; i < rounds && status == QD_OK; i++) {
        struct qd_arena arena;

        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        status = qd_quantizer_run(quantizer, &wish->request,
                                  i + 1 < rounds ? &arena : command->arena, answer, error);
        qd_arena_clear(&arena);
        seconds += answer->seconds;
    }
    if (status == QD_OK && rounds > 1) {
        fprintf(command->out, "%" PRIu64 " requests in %.2f s: %.0f a second\n", rounds, seconds,
                (double)rounds / seconds);
    }
    return status;
}

static enum qd_exit run(struct qd_command *command)
{
    struct wish wish = {.exclude_count = 0};
    struct qd_quantizer *quantizer = NULL;
    struct qd_quantizer_answer answer = {.outcome = QD_QUANTIZED_REJECTED};
    struct qd_error error = {0};
    enum qd_status status = read_wish(command, &wish, &error);

    if (status == QD_OK)
        status = open_target(command, &quantizer, &error);
    if (status == QD_OK)
        status = ask(command, quantizer, &wish, &answer, &error);
    enum qd_exit code = status == QD_OK ? tell(command, qd_quantizer_id(quantizer), &answer)
                                        : qd_command_failed(command, &error);
    qd_quantizer_close(quantizer);
    return code;
}

const struct qd_verb qd_verb_quantize = {
    .arguments = "MODEL.onnx",
    .at_least = 1,
    .at_most = 1,
    .options = "target output range input set rounds time-limit memory-limit",
    .text = "Gives a float model to a quantizer target and shows the result: each node with\n"
            "its quantization parameters, or the parameters of every edge. For static\n"
            "quantization it needs the range of each tensor (--range), or the inputs of a run\n"
            "to calibrate with (--input).\n"
            "\n"
            "--set KEY[=VALUE]:\n"
            "    scheme=static|dynamic        format=qdq|qoperator\n"
            "    activation=TYPE weight=TYPE  u8, s8, u16, s16, u4, s4\n"
            "    per-channel reduce-range symmetric-activations symmetric-weights\n"
            "    restricted-asymmetric        zero points snapped to the least or the middle code\n"
            "    exclude=NODE op=OP_TYPE      may be repeated\n"
            "    Key=VALUE                    the tool's own, any key with a capital\n"
            "\n"
            "With --rounds the request is repeated and timed.\n"
            "The exit code is 1 if there is no answer: the tool refused, crashed or hung.",
    .examples =
        "    qdiff quantize model.onnx -t ort-quant@1.31.1 --set per-channel --range x=-1,6 \\\n"
        "        --range y=0,6 -o q.onnx\n"
        "    qdiff quantize model.onnx -t ort-quant@1.26.0 --set scheme=dynamic",
    .run = run,
};
