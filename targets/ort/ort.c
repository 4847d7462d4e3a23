/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX Runtime as a target, by the C API of any release in the cache. */
#include "ort/ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnxruntime_c_api.h>

#include "message.h"
#include "native/native.h"
#include "qdiff/version_order.h"

#define API_VERSION 18 /* ORT 1.18's table: every later release has it */

struct ort {
    const OrtApi *api;
    OrtEnv *env;
    OrtSessionOptions *options;
    OrtMemoryInfo *memory;
    struct {
        bool asked;
        int32_t taken[2], given[2]; /* this release's numbers of uint2 and int2 */
    } two_bit;
    char version[32], settings[64];
    struct qd_arena arena; /* the capabilities */
};

static const struct {
    const char *word;
    GraphOptimizationLevel level;
} levels[] = {{"none", ORT_DISABLE_ALL},
              {"basic", ORT_ENABLE_BASIC},
              {"extended", ORT_ENABLE_EXTENDED},
              {"all", ORT_ENABLE_ALL}};

const char *const qd_ort_configs[] = {"opt=none", "opt=basic", "opt=extended", "opt=all", NULL};

/* ORT's own words into *message; frees the status. */
static enum qd_target_status say(const struct ort *ort, OrtStatus *status,
                                 struct qd_target_message *message)
{
    if (!status)
        return QD_TARGET_OK;
    const char *text = ort->api->GetErrorMessage(status);
    bool memory = strstr(text, "bad_alloc") || strstr(text, "Failed to allocate memory");
    qd_answer(message, QD_TARGET_REJECTED, "%s", text);
    ort->api->ReleaseStatus(status);
    return memory ? QD_TARGET_NO_MEMORY : QD_TARGET_REJECTED;
}

/* What fails comes back as a status as well; standard error is not ours to fill. */
static void ORT_API_CALL log_nothing(void *parameter, OrtLoggingLevel severity,
                                     const char *category, const char *id, const char *location,
                                     const char *message)
{
    (void)parameter, (void)severity, (void)category, (void)id, (void)location, (void)message;
}

struct config {
    size_t level;
    int threads; /* that compute one operator together */
};

#define MOST_THREADS 64

static enum qd_status parse_level(const char *word, size_t *level, struct qd_error *error)
{
    for (*level = 0; *level < sizeof levels / sizeof *levels; ++*level)
        if (strcmp(levels[*level].word, word) == 0)
            return QD_OK;
    return qd_fail(error, QD_USAGE, "opt=%s: the levels are none, basic, extended and all", word);
}

static enum qd_status parse_threads(const char *word, int *threads, struct qd_error *error)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (*end != '\0' || number < 1 || number > MOST_THREADS)
        return qd_fail(error, QD_USAGE, "threads=%s: want 1 to %d", word, MOST_THREADS);
    *threads = (int)number;
    return QD_OK;
}

static enum qd_status parse_config(const char *text, struct config *config, struct qd_error *error)
{
    char key[32], value[32];
    bool ok;
    *config = (struct config){.level = sizeof levels / sizeof *levels - 1, .threads = 1};
    const char *rest = text;
    enum qd_status status = QD_OK;
    while (status == QD_OK && qd_config_next(&rest, key, value, sizeof key, &ok)) {
        if (strcmp(key, "opt") == 0)
            status = parse_level(value, &config->level, error);
        else if (strcmp(key, "threads") == 0)
            status = parse_threads(value, &config->threads, error);
        else
            status =
                qd_fail(error, QD_USAGE, "unknown setting '%s': ort has opt, threads and cpu", key);
    }
    return status != QD_OK || ok
               ? status
               : qd_fail(error, QD_USAGE, "'%s' is not key=value[,key=value...]", text);
}

enum qd_status qd_ort_check(const char *config, struct qd_error *error)
{
    struct config parsed;
    return parse_config(config, &parsed, error);
}

static enum qd_target_status choose_version(const char *asked, char version[32],
                                            struct qd_target_message *message)
{
    static const char *const none[] = {NULL};
    struct qd_arena arena;
    const char *const *releases = none;
    qd_arena_init(&arena, (size_t)1 << 20);
    qd_ort_versions(&arena, &releases, NULL);
    enum qd_target_status status =
        qd_native_choose(releases, "ONNX Runtime", qd_ort_setup, asked, version, message);
    qd_arena_clear(&arena);
    return status;
}

/* dlopen'ed libraries stay: ONNX Runtime's threads and static objects do not survive dlclose. */
static enum qd_target_status load(struct ort *ort, struct qd_target_message *message)
{
    char path[4096];
    if (!qd_ort_library(ort->version, path, sizeof path))
        return qd_answer(message, QD_TARGET_UNUSABLE, "no path for version %s", ort->version);
    /* From 1.29 on it collects telemetry of each session, in a thread and a database in the user's cache. */
    setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", dlerror());
    const OrtApiBase *(*base)(void);
    void *symbol = dlsym(library, "OrtGetApiBase");
    if (!symbol)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s has no OrtGetApiBase", path);
    memcpy(&base, &symbol, sizeof base); /* ISO C has no cast from object to function pointers */
    ort->api = base()->GetApi(API_VERSION);
    if (!ort->api)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s does not have API version %d", path,
                         API_VERSION);
    return QD_TARGET_OK;
}

static OrtStatus *open_environment(struct ort *ort)
{
    return ort->api->CreateEnvWithCustomLogger(log_nothing, NULL, ORT_LOGGING_LEVEL_ERROR, "qdiff",
                                               &ort->env);
}

/* The environment stays open, as long as the process lives. */
void qd_ort_preload(const char *version)
{
    struct ort ort = {.api = NULL};
    struct qd_target_message message;
    if (choose_version(version, ort.version, &message) == QD_TARGET_OK &&
        load(&ort, &message) == QD_TARGET_OK)
        say(&ort, open_environment(&ort), &message);
}

static OrtStatus *configure(struct ort *ort, const struct config *config)
{
    const OrtApi *api = ort->api;
    OrtStatus *status = open_environment(ort);
    if (!status)
        status = api->CreateSessionOptions(&ort->options);
    if (!status)
        status = api->SetSessionGraphOptimizationLevel(ort->options, levels[config->level].level);
    if (!status)
        status = api->SetIntraOpNumThreads(ort->options, config->threads);
    if (!status) /* idle threads sleep: they would take the processor from other workers */
        status = api->AddSessionConfigEntry(ort->options, "session.intra_op.allow_spinning", "0");
    if (!status)
        status = api->SetInterOpNumThreads(ort->options, 1);
    if (!status)
        status = api->SetSessionLogSeverityLevel(ort->options, ORT_LOGGING_LEVEL_ERROR);
    if (!status)
        status = api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &ort->memory);
    return status;
}

static void close_target(void *target)
{
    struct ort *ort = target;
    if (ort->memory)
        ort->api->ReleaseMemoryInfo(ort->memory);
    if (ort->options)
        ort->api->ReleaseSessionOptions(ort->options);
    if (ort->env)
        ort->api->ReleaseEnv(ort->env);
    qd_arena_clear(&ort->arena);
    free(ort);
}

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    struct config parsed;
    struct qd_error error = {.status = QD_OK};
    if (parse_config(config, &parsed, &error) != QD_OK)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", error.text);
    struct ort *ort = calloc(1, sizeof *ort);
    if (!ort)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    qd_arena_init(&ort->arena, (size_t)1 << 20);
    enum qd_target_status status = choose_version(version, ort->version, message);
    if (status == QD_TARGET_OK)
        status = load(ort, message);
    if (status == QD_TARGET_OK && ort->api &&
        say(ort, configure(ort, &parsed), message) != QD_TARGET_OK)
        status = QD_TARGET_UNUSABLE;
    if (status != QD_TARGET_OK) {
        close_target(ort);
        return status;
    }
    snprintf(ort->settings, sizeof ort->settings, "opt=%s,threads=%d", levels[parsed.level].word,
             parsed.threads);
    *target = ort;
    return QD_TARGET_OK;
}

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    struct ort *ort = target;
    *info =
        (struct qd_target_info){.name = "ort", .version = ort->version, .settings = ort->settings};
    qd_arena_clear(&ort->arena);
    info->capabilities = qd_ort_capabilities(ort->version, &ort->arena, &info->capability_count);
    return info->capabilities ? QD_TARGET_OK
                              : qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
}

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    const struct ort *ort = target;
    OrtSession *session = NULL;
    enum qd_target_status status = say(
        ort, ort->api->CreateSessionFromArray(ort->env, model, model_size, ort->options, &session),
        message);
    if (status == QD_TARGET_OK)
        *prepared = session;
    return status;
}

/* --- Types ---------------------------------------------------------------------------------------
 * ONNX Runtime numbers element types as ONNX does, but for the two-bit types: 1.31.1 calls them 24 and 25 where ONNX
 * has 25 and 26, and 1.26.0 gives 24 and 25 but takes 25 and 26. So the library itself is asked: which type has the
 * input of this model, and is a tensor of that type taken? */

enum { ONNX_FLOAT8E8M0 = 24, ONNX_UINT2 = 25, ONNX_INT2 = 26 };

/* y = DequantizeLinear(x, s), x of the type at byte TYPE_AT; ir_version 13, opset 25. */
#define TYPE_AT 52
static const unsigned char two_bit_model[] =
    "\x08\x0d\x42\x04\x0a\x00\x10\x19\x3a\x4f" /* model */
    "\x0a\x1b\x0a\x01x\x0a\x01s\x12\x01y\x22\x10"
    "DequantizeLinear"                                                   /* node */
    "\x12\x01g"                                                          /* graph name */
    "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x19\x12\x04\x0a\x02\x08\x04"  /* x[4] */
    "\x5a\x0b\x0a\x01s\x12\x06\x0a\x04\x08\x01\x12\x00"                  /* s, scalar */
    "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04"; /* y[4] */

static OrtStatus *input_type(const struct ort *ort, const OrtSession *session, int32_t *type)
{
    OrtTypeInfo *info = NULL;
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    OrtStatus *status = ort->api->SessionGetInputTypeInfo(session, 0, &info);
    if (!status)
        status = ort->api->CastTypeInfoToTensorInfo(info, &tensor);
    if (!status && tensor)
        status = ort->api->GetTensorElementType(tensor, &element);
    if (info)
        ort->api->ReleaseTypeInfo(info);
    if (!status)
        *type = (int32_t)element;
    return status;
}

/* The release's number of an ONNX type, by what it says of a model's input; -1 when it does not know the type. */
static int32_t ask_given(const struct ort *ort, int32_t onnx)
{
    unsigned char model[sizeof two_bit_model];
    memcpy(model, two_bit_model, sizeof model);
    model[TYPE_AT] = (unsigned char)onnx;
    OrtSession *session = NULL;
    int32_t type = -1;
    OrtStatus *status =
        ort->api->CreateSessionFromArray(ort->env, model, sizeof model - 1, ort->options, &session);
    if (!status)
        status = input_type(ort, session, &type);
    if (session)
        ort->api->ReleaseSession(session);
    if (status)
        ort->api->ReleaseStatus(status);
    return type;
}

static bool takes(const struct ort *ort, int32_t type)
{
    unsigned char byte = 0;
    const int64_t four = 4;
    OrtValue *value = NULL;
    OrtStatus *status = ort->api->CreateTensorWithDataAsOrtValue(
        ort->memory, &byte, 1, &four, 1, (ONNXTensorElementDataType)type, &value);
    if (status)
        ort->api->ReleaseStatus(status);
    else
        ort->api->ReleaseValue(value);
    return !status;
}

static void ask_two_bit(struct ort *ort)
{
    if (ort->two_bit.asked)
        return;
    ort->two_bit.asked = true;
    for (int i = 0; i < 2; i++)
        ort->two_bit.given[i] = ask_given(ort, ONNX_UINT2 + i);
    bool same = takes(ort, ort->two_bit.given[0]);
    for (int i = 0; i < 2; i++)
        ort->two_bit.taken[i] = same ? ort->two_bit.given[i] : ONNX_UINT2 + i;
}

/* float8e8m0 has what the two-bit types leave of 24 to 26. */
static int32_t number_of_f8e8m0(const int32_t two_bit[2])
{
    return two_bit[0] == ONNX_FLOAT8E8M0 ? ONNX_INT2 : ONNX_FLOAT8E8M0;
}

static ONNXTensorElementDataType type_of_onnx(struct ort *ort, int32_t onnx)
{
    if (onnx < ONNX_FLOAT8E8M0)
        return (ONNXTensorElementDataType)onnx;
    ask_two_bit(ort);
    if (onnx == ONNX_FLOAT8E8M0)
        return (ONNXTensorElementDataType)number_of_f8e8m0(ort->two_bit.taken);
    return (ONNXTensorElementDataType)ort->two_bit.taken[onnx - ONNX_UINT2];
}

static int32_t type_to_onnx(struct ort *ort, ONNXTensorElementDataType type)
{
    int32_t number = (int32_t)type;
    if (number < 24)
        return number;
    ask_two_bit(ort);
    for (int i = 0; i < 2; i++)
        if (number == ort->two_bit.given[i])
            return ONNX_UINT2 + i;
    return number == number_of_f8e8m0(ort->two_bit.given) ? ONNX_FLOAT8E8M0 : number;
}

/* Names and values of one run. */
struct bindings {
    const char **input_names, **output_names;
    OrtValue **inputs, **outputs;
    size_t input_count, output_count;
};

static void unbind(const struct ort *ort, struct bindings *b)
{
    for (size_t i = 0; b->inputs && i < b->input_count; i++)
        ort->api->ReleaseValue(b->inputs[i]);
    for (size_t i = 0; b->outputs && i < b->output_count; i++)
        ort->api->ReleaseValue(b->outputs[i]);
    free(b->input_names);
    free(b->output_names);
    free(b->inputs);
    free(b->outputs);
}

static OrtStatus *wrap(struct ort *ort, const struct qd_target_tensor *tensor, OrtValue **value)
{
    return ort->api->CreateTensorWithDataAsOrtValue(ort->memory, tensor->data, tensor->size,
                                                    tensor->dims, tensor->rank,
                                                    type_of_onnx(ort, tensor->data_type), value);
}

static enum qd_target_status bind(struct ort *ort, const struct qd_target_tensor *inputs,
                                  const struct qd_target_tensor *outputs, struct bindings *b,
                                  struct qd_target_message *message)
{
    b->input_names = calloc(b->input_count + 1, sizeof *b->input_names);
    b->output_names = calloc(b->output_count + 1, sizeof *b->output_names);
    b->inputs = calloc(b->input_count + 1, sizeof *b->inputs);
    b->outputs = calloc(b->output_count + 1, sizeof *b->outputs);
    if (!b->input_names || !b->output_names || !b->inputs || !b->outputs)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    OrtStatus *status = NULL;
    for (size_t i = 0; !status && i < b->input_count; i++) {
        b->input_names[i] = inputs[i].name;
        status = wrap(ort, &inputs[i], &b->inputs[i]);
    }
    for (size_t i = 0; !status && i < b->output_count; i++) {
        b->output_names[i] = outputs[i].name;
        if (outputs[i].data_type != 0)
            status = wrap(ort, &outputs[i], &b->outputs[i]);
    }
    return say(ort, status, message);
}

static OrtStatus *call(const struct ort *ort, OrtSession *session, const struct bindings *b)
{
    return ort->api->Run(session, NULL, b->input_names, (const OrtValue *const *)b->inputs,
                         b->input_count, b->output_names, b->output_count, b->outputs);
}

/* The type and shape of what ONNX Runtime allocated itself. An output that is no tensor has type 0. */
static OrtStatus *inspect(struct ort *ort, const OrtValue *value, struct qd_target_tensor *seen)
{
    const OrtApi *api = ort->api;
    int is_tensor = 0;
    OrtStatus *status = api->IsTensor(value, &is_tensor);
    seen->data_type = 0;
    seen->rank = 0;
    if (status || !is_tensor)
        return status;
    OrtTensorTypeAndShapeInfo *info = NULL;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    status = api->GetTensorTypeAndShape(value, &info);
    if (!status)
        status = api->GetTensorElementType(info, &type);
    if (!status)
        status = api->GetDimensionsCount(info, &rank);
    if (!status && rank > QD_TARGET_MAX_RANK)
        status = api->CreateStatus(ORT_FAIL, "an output of more than 8 dimensions");
    if (!status)
        status = api->GetDimensions(info, seen->dims, rank);
    if (info)
        api->ReleaseTensorTypeAndShapeInfo(info);
    seen->data_type = type_to_onnx(ort, type);
    seen->rank = (uint32_t)rank;
    return status;
}

/* ONNX Runtime refuses a caller's buffer whose type or shape is not the output's, so it is asked again with buffers
 * of its own: what it gives then is the truth. */
static enum qd_target_status run_unbound(struct ort *ort, OrtSession *session, struct bindings *b,
                                         struct qd_target_tensor *outputs,
                                         struct qd_target_message *message)
{
    for (size_t i = 0; i < b->output_count; i++) {
        ort->api->ReleaseValue(b->outputs[i]);
        b->outputs[i] = NULL;
    }
    OrtStatus *status = call(ort, session, b);
    for (size_t i = 0; !status && i < b->output_count; i++) {
        struct qd_target_tensor seen = outputs[i];
        void *data = NULL;
        status = inspect(ort, b->outputs[i], &seen);
        bool same = !status && seen.data_type == outputs[i].data_type &&
                    seen.rank == outputs[i].rank &&
                    memcmp(seen.dims, outputs[i].dims, seen.rank * sizeof *seen.dims) == 0;
        if (same)
            status = ort->api->GetTensorMutableData(b->outputs[i], &data);
        if (same && !status && data)
            memcpy(outputs[i].data, data, outputs[i].size);
        if (!status)
            outputs[i] = seen;
    }
    return say(ort, status, message);
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    struct ort *ort = target;
    struct bindings b = {.input_count = input_count, .output_count = output_count};
    bool unknown = false;
    for (size_t i = 0; i < output_count; i++)
        unknown |= outputs[i].data_type == 0;
    enum qd_target_status status = bind(ort, inputs, outputs, &b, message);
    if (status == QD_TARGET_OK) {
        if (!unknown)
            status = say(ort, call(ort, prepared, &b), message);
        if (unknown || status == QD_TARGET_REJECTED)
            status = run_unbound(ort, prepared, &b, outputs, message);
    }
    unbind(ort, &b);
    return status;
}

static void release(void *target, void *prepared)
{
    const struct ort *ort = target;
    ort->api->ReleaseSession(prepared);
}

const struct qd_target qd_ort_target = {
    .abi = QD_TARGET_ABI,
    .open = open_target,
    .describe = describe,
    .prepare = prepare,
    .run = run,
    .release = release,
    .close = close_target,
};
