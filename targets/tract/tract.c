/* SPDX-License-Identifier: Apache-2.0 */
/* tract as a target, by the C functions that its Python wheel exports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "native/native.h"

const struct qd_native qd_native_tract = {"tract", "libtract.so"};

/* The functions used, as the library has them. A result is 0, or there is a last error. */
#define FUNCTIONS(X)                                                                   \
    X(const char *, tract_get_last_error, (void))                                      \
    X(int, tract_onnx_create, (void **onnx))                                           \
    X(int, tract_onnx_destroy, (void **onnx))                                          \
    X(int, tract_onnx_load_buffer,                                                     \
      (const void *onnx, const void *data, size_t size, void **model))                 \
    X(int, tract_inference_model_into_model, (void **model, void **typed))             \
    X(int, tract_inference_model_destroy, (void **model))                              \
    X(int, tract_model_into_runnable, (void **model, void **runnable))                 \
    X(int, tract_model_destroy, (void **model))                                        \
    X(int, tract_runnable_input_count, (const void *runnable, size_t *count))          \
    X(int, tract_runnable_output_count, (const void *runnable, size_t *count))         \
    X(int, tract_runnable_run, (void *runnable, void **inputs, void **outputs))        \
    X(int, tract_runnable_release, (void **runnable))                                  \
    X(int, tract_tensor_from_bytes,                                                    \
      (int type, size_t rank, const size_t *dims, const void *data, void **tensor))    \
    X(int, tract_tensor_as_bytes,                                                      \
      (void *tensor, int *type, size_t *rank, const size_t **dims, const void **data)) \
    X(int, tract_tensor_convert_to, (const void *tensor, int type, void **converted))  \
    X(int, tract_tensor_destroy, (void **tensor))

struct tract {
#define MEMBER(result, name, parameters) \
    result(*name) parameters; /* NOLINT(bugprone-macro-parentheses) */
    FUNCTIONS(MEMBER)
#undef MEMBER
    void *onnx;
    char version[32];
};

static const struct qd_native_symbol symbols[] = {
#define SYMBOL(result, name, parameters) {#name, offsetof(struct tract, name)},
    FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* tract's element types: what kind of number, and bytes. */
static const struct {
    int32_t onnx;
    int tract;
    size_t bytes;
} types[] = {{1, 0x34, 4},  {2, 0x11, 1},  {3, 0x21, 1},  {4, 0x12, 2},
             {5, 0x22, 2},  {6, 0x24, 4},  {7, 0x28, 8},  {9, 0x01, 1},
             {10, 0x32, 2}, {11, 0x38, 8}, {12, 0x14, 4}, {13, 0x18, 8}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* tract's own words: a message and its causes, on one line. */
static enum qd_target_status say(const struct tract *tract, int result,
                                 struct qd_target_message *message)
{
    if (result == 0)
        return QD_TARGET_OK;
    const char *text = tract->tract_get_last_error();
    qd_answer(message, QD_TARGET_REJECTED, "%s", text ? text : "no reason given");
    qd_text_line(message->text, sizeof message->text);
    return QD_TARGET_REJECTED;
}

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    if (*config)
        return qd_answer(message, QD_TARGET_UNUSABLE, "tract has no settings, and '%s' was given",
                         config);
    setenv("RUST_BACKTRACE", "0", 1); /* messages are the same whatever the environment has */
    struct tract *tract = calloc(1, sizeof *tract);
    if (!tract)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    enum qd_target_status status =
        qd_native_open(&qd_native_tract, version, tract->version, symbols,
                       sizeof symbols / sizeof *symbols, tract, message);
    if (status == QD_TARGET_OK &&
        say(tract, tract->tract_onnx_create(&tract->onnx), message) != QD_TARGET_OK)
        status = QD_TARGET_UNUSABLE;
    if (status != QD_TARGET_OK) {
        free(tract);
        return status;
    }
    *target = tract;
    return QD_TARGET_OK;
}

static void close_target(void *target)
{
    struct tract *tract = target;
    tract->tract_onnx_destroy(&tract->onnx);
    free(tract);
}

/* tract knows operators by their names alone, whatever their domain. What it has no operator or
 * element type for, and the forms that it says it does not support, are not declared. */
#define TYPES "bfloat16,float8,float8-scale,float4,int4,int2"
#define NO_TYPES "tract has no such element types"
#define NO_FORM "tract wants constant parameters, not in blocks, and has no such element types"
#define PLAIN(op)               \
    {                           \
        op, "", TYPES, NO_TYPES \
    }

/* Where what says how (a shape, axes, pads, sizes, splits) decides the output's
 * shape, tract reads it as it loads the model. */
#define CONSTANT(op)                                                                   \
    {                                                                                  \
        op, "", TYPES ",runtime-controls",                                             \
            "tract wants constant shapes, axes, pads and sizes, and has no such types" \
    }

static const struct qd_target_capability capabilities[] = {
    {"QuantizeLinear", "", TYPES ",runtime-parameters,blocked", NO_FORM},
    {"DequantizeLinear", "", TYPES ",runtime-parameters,blocked", NO_FORM},
    {"com.microsoft:QuantizeLinear", "", TYPES ",runtime-parameters", NO_FORM},
    {"com.microsoft:DequantizeLinear", "", TYPES ",runtime-parameters", NO_FORM},
    {"com.microsoft:MatMulNBits", "", "bfloat16,runtime-parameters,runtime-weights",
     "tract wants constant weights and parameters, and has no bfloat16 here"},
    PLAIN("Abs"),
    PLAIN("Add"),
    PLAIN("AveragePool"),
    PLAIN("BatchNormalization"),
    PLAIN("Cast"),
    PLAIN("Clip"),
    PLAIN("Concat"),
    PLAIN("Conv"),
    PLAIN("ConvInteger"),
    PLAIN("ConvTranspose"),
    PLAIN("DepthToSpace"),
    PLAIN("Div"),
    PLAIN("DynamicQuantizeLinear"),
    PLAIN("Equal"),
    PLAIN("Erf"),
    PLAIN("Exp"),
    CONSTANT("Expand"),
    PLAIN("Flatten"),
    PLAIN("Gather"),
    PLAIN("Gemm"),
    PLAIN("GlobalAveragePool"),
    PLAIN("GlobalMaxPool"),
    PLAIN("Greater"),
    PLAIN("HardSigmoid"),
    PLAIN("HardSwish"),
    PLAIN("Identity"),
    PLAIN("LeakyRelu"),
    PLAIN("Less"),
    PLAIN("MatMul"),
    PLAIN("MatMulInteger"),
    PLAIN("Max"),
    PLAIN("MaxPool"),
    PLAIN("Min"),
    PLAIN("Mul"),
    PLAIN("Not"),
    CONSTANT("Pad"),
    PLAIN("Pow"),
    PLAIN("QLinearConv"),
    PLAIN("QLinearMatMul"),
    PLAIN("Range"),
    PLAIN("Reciprocal"),
    CONSTANT("ReduceMax"),
    CONSTANT("ReduceMean"),
    CONSTANT("ReduceSum"),
    PLAIN("Relu"),
    CONSTANT("Reshape"),
    CONSTANT("Resize"),
    PLAIN("Shape"),
    PLAIN("Sigmoid"),
    CONSTANT("Slice"),
    PLAIN("Softmax"),
    PLAIN("SpaceToDepth"),
    CONSTANT("Split"),
    PLAIN("Sqrt"),
    CONSTANT("Squeeze"),
    PLAIN("Sub"),
    PLAIN("Tanh"),
    CONSTANT("Tile"),
    PLAIN("Transpose"),
    CONSTANT("Unsqueeze"),
    PLAIN("Where"),
};

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    const struct tract *tract = target;
    (void)message;
    *info = (struct qd_target_info){.name = "tract",
                                    .version = tract->version,
                                    .settings = "",
                                    .capabilities = capabilities,
                                    .capability_count = sizeof capabilities / sizeof *capabilities};
    return QD_TARGET_OK;
}

/* Each step takes what the one before made, and leaves NULL there. */
static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    const struct tract *tract = target;
    void *inference = NULL, *typed = NULL, *runnable = NULL;
    int result = tract->tract_onnx_load_buffer(tract->onnx, model, model_size, &inference);
    if (result == 0)
        result = tract->tract_inference_model_into_model(&inference, &typed);
    if (result == 0)
        result = tract->tract_model_into_runnable(&typed, &runnable);
    enum qd_target_status status = say(tract, result, message);
    if (inference)
        tract->tract_inference_model_destroy(&inference);
    if (typed)
        tract->tract_model_destroy(&typed);
    if (status == QD_TARGET_OK)
        *prepared = runnable;
    return status;
}

static enum qd_target_status take_input(const struct tract *tract,
                                        const struct qd_target_tensor *input, void **tensor,
                                        struct qd_target_message *message)
{
    size_t dims[QD_TARGET_MAX_RANK] = {0};
    for (uint32_t i = 0; i < input->rank; i++)
        dims[i] = (size_t)input->dims[i];
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].onnx == input->data_type)
            return say(tract,
                       tract->tract_tensor_from_bytes(types[i].tract, input->rank, dims,
                                                      input->data, tensor),
                       message);
    return qd_answer(message, QD_TARGET_REJECTED, "an input of type %d", (int)input->data_type);
}

/* int64 that comes from shapes has a type of tract's own, of which there are no bytes: TDim. */
static int make_int64(const struct tract *tract, void **tensor)
{
    const int int64 = 0x28;
    void *converted = NULL;
    int result = tract->tract_tensor_convert_to(*tensor, int64, &converted);
    if (result != 0)
        return result;
    tract->tract_tensor_destroy(tensor);
    *tensor = converted;
    return 0;
}

static enum qd_target_status give_output(const struct tract *tract, void **tensor,
                                         struct qd_target_tensor *output,
                                         struct qd_target_message *message)
{
    int type = 0;
    size_t rank = 0, elements = 1;
    const size_t *shape = NULL;
    const void *data = NULL;
    int64_t dims[QD_TARGET_MAX_RANK] = {0};
    int result = tract->tract_tensor_as_bytes(*tensor, &type, &rank, &shape, &data);
    if (result != 0)
        result = make_int64(tract, tensor);
    if (result == 0)
        result = tract->tract_tensor_as_bytes(*tensor, &type, &rank, &shape, &data);
    enum qd_target_status status = say(tract, result, message);
    if (status != QD_TARGET_OK)
        return status;
    for (size_t i = 0; i < rank && i < QD_TARGET_MAX_RANK; i++) {
        dims[i] = (int64_t)shape[i];
        elements *= shape[i];
    }
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].tract == type)
            return qd_native_give(types[i].onnx, rank, dims, data, elements * types[i].bytes,
                                  output, message);
    return qd_answer(message, QD_TARGET_REJECTED, "an output of tract's type 0x%x", (unsigned)type);
}

static enum qd_target_status run_tensors(const struct tract *tract, void *prepared, void **inputs,
                                         void **given, struct qd_target_tensor *outputs,
                                         size_t output_count, struct qd_target_message *message)
{
    enum qd_target_status status =
        say(tract, tract->tract_runnable_run(prepared, inputs, given), message);
    for (size_t i = 0; status == QD_TARGET_OK && i < output_count; i++)
        status = give_output(tract, &given[i], &outputs[i], message);
    return status;
}

/* Whether the model has as many inputs and outputs as qdiff has: run reads and writes that many pointers. */
static enum qd_target_status check_counts(const struct tract *tract, const void *prepared,
                                          size_t inputs, size_t outputs,
                                          struct qd_target_message *message)
{
    size_t in = 0, out = 0;
    int result = tract->tract_runnable_input_count(prepared, &in);
    if (result == 0)
        result = tract->tract_runnable_output_count(prepared, &out);
    if (result == 0 && (in != inputs || out != outputs))
        return qd_answer(message, QD_TARGET_REJECTED,
                         "tract's model has %zu inputs and %zu outputs, the graph %zu and %zu", in,
                         out, inputs, outputs);
    return say(tract, result, message);
}

static void destroy(const struct tract *tract, void **tensors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tensors[i])
            tract->tract_tensor_destroy(&tensors[i]);
    free(tensors);
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    const struct tract *tract = target;
    enum qd_target_status status =
        check_counts(tract, prepared, input_count, output_count, message);
    if (status != QD_TARGET_OK)
        return status;
    void **taken = calloc(input_count + 1, sizeof *taken);
    void **given = calloc(output_count + 1, sizeof *given);
    if (!taken || !given) {
        free(taken);
        free(given);
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == QD_TARGET_OK && i < input_count; i++)
        status = take_input(tract, &inputs[i], &taken[i], message);
    if (status == QD_TARGET_OK)
        status = run_tensors(tract, prepared, taken, given, outputs, output_count, message);
    destroy(tract, taken, input_count);
    destroy(tract, given, output_count);
    return status;
}

static void release(void *target, void *prepared)
{
    const struct tract *tract = target;
    tract->tract_runnable_release(&prepared);
}

const struct qd_target qd_tract_target = {
    .abi = QD_TARGET_ABI,
    .open = open_target,
    .describe = describe,
    .prepare = prepare,
    .run = run,
    .release = release,
    .close = close_target,
};
