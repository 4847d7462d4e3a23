/* SPDX-License-Identifier: Apache-2.0 */
/* OpenVINO's CPU plug-in as a target, by the C functions of the library in the wheel. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "native/native.h"
#include "openvino/openvino.h"

const struct qd_native qd_native_openvino = {"openvino", "libopenvino_c.so.*"};

const char *const qd_openvino_configs[] = {"lpt=on", "lpt=off", NULL};

/* A shape as the functions take and give it; what they give is freed with ov_shape_free. */
struct shape {
    int64_t rank;
    int64_t *dims;
};

/* The functions used, as the library has them. A result is 0, or there is a last message. */
#define FUNCTIONS(X)                                                                               \
    X(const char *, ov_get_last_err_msg, (void))                                                   \
    X(void, ov_free, (const char *text))                                                           \
    X(int, ov_core_create, (void **core))                                                          \
    X(void, ov_core_free, (void *core))                                                            \
    X(int, ov_core_read_model_from_memory_buffer,                                                  \
      (const void *core, const char *data, size_t size, const void *weights, void **model))        \
    X(void, ov_model_free, (void *model))                                                          \
    X(int, ov_core_compile_model,                                                                  \
      (const void *core, const void *model, const char *device, size_t arguments, void **compiled, \
       ...))                                                                                       \
    X(void, ov_compiled_model_free, (void *compiled))                                              \
    X(int, ov_compiled_model_inputs_size, (const void *compiled, size_t *size))                    \
    X(int, ov_compiled_model_outputs_size, (const void *compiled, size_t *size))                   \
    X(int, ov_compiled_model_input_by_name, (const void *compiled, const char *name, void **port)) \
    X(void, ov_output_const_port_free, (void *port))                                               \
    X(int, ov_compiled_model_create_infer_request, (const void *compiled, void **request))         \
    X(int, ov_infer_request_set_input_tensor_by_index,                                             \
      (void *request, size_t index, const void *tensor))                                           \
    X(int, ov_infer_request_set_tensor, (void *request, const char *name, const void *tensor))     \
    X(int, ov_infer_request_infer, (void *request))                                                \
    X(int, ov_infer_request_get_output_tensor_by_index,                                            \
      (const void *request, size_t index, void **tensor))                                          \
    X(void, ov_infer_request_free, (void *request))                                                \
    X(int, ov_tensor_create, (int type, struct shape shape, void **tensor))                        \
    X(int, ov_tensor_data, (const void *tensor, void **data))                                      \
    X(int, ov_tensor_get_byte_size, (const void *tensor, size_t *size))                            \
    X(int, ov_tensor_get_element_type, (const void *tensor, int *type))                            \
    X(int, ov_tensor_get_shape, (const void *tensor, struct shape *shape))                         \
    X(int, ov_shape_free, (struct shape * shape))                                                  \
    X(void, ov_tensor_free, (void *tensor))

struct openvino {
#define MEMBER(result, name, parameters) \
    result(*name) parameters; /* NOLINT(bugprone-macro-parentheses) */
    FUNCTIONS(MEMBER)
#undef MEMBER
    void *core;
    bool transforms; /* the low precision transformations */
    char version[32];
};

static const struct qd_native_symbol symbols[] = {
#define SYMBOL(result, name, parameters) {#name, offsetof(struct openvino, name)},
    FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* OpenVINO's element types. */
static const struct {
    int32_t onnx;
    int openvino;
} types[] = {{1, 4},   {2, 16},  {3, 7},  {4, 17},  {5, 8},   {6, 9},  {7, 10},
             {9, 1},   {10, 3},  {11, 5}, {12, 18}, {13, 19}, {16, 2}, {17, 21},
             {19, 22}, {21, 14}, {22, 6}, {23, 24}, {24, 25}, {25, 12}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* A null or invalid argument of a C function: it leaves no message, and the last one is of something else. */
enum { NO_MESSAGE = -14 };

/* OpenVINO's own words, exceptions one in the other, on one line. */
static enum qd_target_status say(const struct openvino *openvino, int result,
                                 struct qd_target_message *message)
{
    if (result == 0)
        return QD_TARGET_OK;
    const char *text = result == NO_MESSAGE ? NULL : openvino->ov_get_last_err_msg();
    bool memory = text && strstr(text, "bad_alloc");
    if (text)
        qd_answer(message, QD_TARGET_REJECTED, "%s", text);
    else
        qd_answer(message, QD_TARGET_REJECTED, "status %d, without a reason", result);
    qd_text_line(message->text, sizeof message->text);
    if (text)
        openvino->ov_free(text);
    return memory ? QD_TARGET_NO_MEMORY : QD_TARGET_REJECTED;
}

static enum qd_status parse_config(const char *config, bool *transforms, struct qd_error *error)
{
    *transforms = strcmp(config, "lpt=off") != 0;
    return !*config || strcmp(config, "lpt=on") == 0 || !*transforms
               ? QD_OK
               : qd_fail(error, QD_USAGE, "[%s]: openvino has lpt=on and lpt=off", config);
}

enum qd_status qd_openvino_check(const char *config, struct qd_error *error)
{
    bool transforms;
    return parse_config(config, &transforms, error);
}

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    struct qd_error error = {0};
    bool transforms;
    if (parse_config(config, &transforms, &error) != QD_OK)
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", error.text);
    struct openvino *openvino = calloc(1, sizeof *openvino);
    if (!openvino)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    openvino->transforms = transforms;
    enum qd_target_status status =
        qd_native_open(&qd_native_openvino, version, openvino->version, symbols,
                       sizeof symbols / sizeof *symbols, openvino, message);
    if (status == QD_TARGET_OK &&
        say(openvino, openvino->ov_core_create(&openvino->core), message) != QD_TARGET_OK)
        status = QD_TARGET_UNUSABLE;
    if (status != QD_TARGET_OK) {
        free(openvino);
        return status;
    }
    *target = openvino;
    return QD_TARGET_OK;
}

static void close_target(void *target)
{
    struct openvino *openvino = target;
    openvino->ov_core_free(openvino->core);
    free(openvino);
}

/* Not declared is what OpenVINO has no operator or element type for, and the forms that it says it does not take. */
#define PLAIN(op)                                        \
    {                                                    \
        op, "", "int2", "OpenVINO has no 2-bit integers" \
    }

static const struct qd_target_capability capabilities[] = {
    {"QuantizeLinear", "", "int2,float4",
     "OpenVINO has no 2-bit integers and quantizes to no float4"},
    {"com.microsoft:MatMulNBits", "", "int2,runtime-parameters,runtime-weights",
     "OpenVINO wants constant weights and zero points, and has no 2-bit integers"},
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
    PLAIN("DequantizeLinear"),
    PLAIN("Div"),
    PLAIN("DynamicQuantizeLinear"),
    PLAIN("Exp"),
    PLAIN("Expand"),
    PLAIN("Flatten"),
    PLAIN("Gather"),
    PLAIN("Gemm"),
    PLAIN("GlobalAveragePool"),
    PLAIN("GlobalMaxPool"),
    PLAIN("HardSigmoid"),
    PLAIN("Identity"),
    PLAIN("LeakyRelu"),
    PLAIN("MatMul"),
    PLAIN("MatMulInteger"),
    PLAIN("Max"),
    PLAIN("MaxPool"),
    PLAIN("Mul"),
    PLAIN("Pad"),
    PLAIN("Pow"),
    PLAIN("QLinearConv"),
    PLAIN("QLinearMatMul"),
    PLAIN("Reciprocal"),
    PLAIN("ReduceMax"),
    PLAIN("ReduceMean"),
    PLAIN("ReduceSum"),
    PLAIN("Relu"),
    PLAIN("Reshape"),
    PLAIN("Resize"),
    PLAIN("Shape"),
    PLAIN("Sigmoid"),
    PLAIN("Slice"),
    PLAIN("Softmax"),
    PLAIN("SpaceToDepth"),
    PLAIN("Split"),
    PLAIN("Sqrt"),
    PLAIN("Squeeze"),
    PLAIN("Sub"),
    PLAIN("Tanh"),
    PLAIN("Tile"),
    PLAIN("Transpose"),
    PLAIN("Unsqueeze"),
    PLAIN("Where"),
    PLAIN("com.microsoft:DequantizeLinear"),
    PLAIN("com.microsoft:DynamicQuantizeMatMul"),
    PLAIN("com.microsoft:MatMulIntegerToFloat"),
    PLAIN("com.microsoft:QLinearAdd"),
    PLAIN("com.microsoft:QLinearAveragePool"),
    PLAIN("com.microsoft:QLinearConcat"),
    PLAIN("com.microsoft:QLinearLeakyRelu"),
    PLAIN("com.microsoft:QLinearMul"),
    PLAIN("com.microsoft:QLinearReduceMean"),
    PLAIN("com.microsoft:QLinearSigmoid"),
    PLAIN("com.microsoft:QLinearSoftmax"),
    PLAIN("com.microsoft:QLinearWhere"),
    PLAIN("com.microsoft:QuantizeLinear"),
};

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    const struct openvino *openvino = target;
    (void)message;
    *info = (struct qd_target_info){.name = "openvino",
                                    .version = openvino->version,
                                    .settings = qd_openvino_configs[openvino->transforms ? 0 : 1],
                                    .capabilities = capabilities,
                                    .capability_count = sizeof capabilities / sizeof *capabilities};
    return QD_TARGET_OK;
}

/* Floats stay float32: on a CPU with bfloat16 the plug-in would compute in that, and of a product with compressed
 * weights it would quantize the float operand. One thread: cases are small. */
static int compile(const struct openvino *openvino, const void *model, void **compiled)
{
    return openvino->ov_core_compile_model(
        openvino->core, model, "CPU", 10, compiled, "INFERENCE_PRECISION_HINT", "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE", "0", "INFERENCE_NUM_THREADS", "1", "NUM_STREAMS", "1",
        "LP_TRANSFORMS_MODE", openvino->transforms ? "YES" : "NO");
}

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    const struct openvino *openvino = target;
    void *read = NULL, *compiled = NULL;
    int result = openvino->ov_core_read_model_from_memory_buffer(openvino->core, model, model_size,
                                                                 NULL, &read);
    if (result == 0)
        result = compile(openvino, read, &compiled);
    enum qd_target_status status = say(openvino, result, message);
    if (read)
        openvino->ov_model_free(read);
    if (status == QD_TARGET_OK)
        *prepared = compiled;
    return status;
}

static enum qd_target_status fill(const struct openvino *openvino, void *request,
                                  const size_t *place, const struct qd_target_tensor *input,
                                  void *tensor, struct qd_target_message *message)
{
    void *data = NULL;
    size_t size = 0;
    int result = openvino->ov_tensor_get_byte_size(tensor, &size);
    if (result == 0 && size != input->size)
        return qd_answer(message, QD_TARGET_REJECTED,
                         "OpenVINO's tensor for input '%s' has %zu bytes, not %zu", input->name,
                         size, input->size);
    if (result == 0 && size > 0)
        result = openvino->ov_tensor_data(tensor, &data);
    if (result == 0 && size > 0)
        memcpy(data, input->data, size);
    if (result == 0)
        result = place
                     ? openvino->ov_infer_request_set_input_tensor_by_index(request, *place, tensor)
                     : openvino->ov_infer_request_set_tensor(request, input->name, tensor);
    return say(openvino, result, message);
}

/* By its place, or by its name where place is NULL. */
static enum qd_target_status take_input(const struct openvino *openvino, void *request,
                                        const size_t *place, const struct qd_target_tensor *input,
                                        struct qd_target_message *message)
{
    int64_t dims[QD_TARGET_MAX_RANK] = {0};
    if (input->rank > 0)
        memcpy(dims, input->dims, input->rank * sizeof *dims);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        void *tensor = NULL;
        if (types[i].onnx != input->data_type)
            continue;
        struct shape shape = {input->rank, dims};
        enum qd_target_status status =
            say(openvino, openvino->ov_tensor_create(types[i].openvino, shape, &tensor), message);
        if (status != QD_TARGET_OK)
            return status;
        status = fill(openvino, request, place, input, tensor, message);
        openvino->ov_tensor_free(tensor);
        return status;
    }
    return qd_answer(message, QD_TARGET_REJECTED, "an input of type %d", (int)input->data_type);
}

static enum qd_target_status copy_output(const struct openvino *openvino, const void *tensor,
                                         const struct shape *shape, struct qd_target_tensor *output,
                                         struct qd_target_message *message)
{
    int type = 0;
    size_t size = 0;
    void *data = NULL;
    int result = openvino->ov_tensor_get_element_type(tensor, &type);
    if (result == 0)
        result = openvino->ov_tensor_get_byte_size(tensor, &size);
    if (result == 0 && size > 0)
        result = openvino->ov_tensor_data(tensor, &data);
    if (result != 0)
        return say(openvino, result, message);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].openvino == type)
            return qd_native_give(types[i].onnx, (size_t)shape->rank, shape->dims, data, size,
                                  output, message);
    return qd_answer(message, QD_TARGET_REJECTED, "an output of OpenVINO's type %d", type);
}

static enum qd_target_status give_output(const struct openvino *openvino, const void *request,
                                         size_t index, struct qd_target_tensor *output,
                                         struct qd_target_message *message)
{
    void *tensor = NULL;
    struct shape shape = {0, NULL};
    enum qd_target_status status = say(
        openvino, openvino->ov_infer_request_get_output_tensor_by_index(request, index, &tensor),
        message);
    if (status != QD_TARGET_OK)
        return status;
    /* It cannot say the shape of a scalar. */
    int result = openvino->ov_tensor_get_shape(tensor, &shape);
    if (result != NO_MESSAGE)
        status = say(openvino, result, message);
    if (status == QD_TARGET_OK)
        status = copy_output(openvino, tensor, &shape, output, message);
    if (shape.dims)
        openvino->ov_shape_free(&shape);
    openvino->ov_tensor_free(tensor);
    return status;
}

static bool has_input(const struct openvino *openvino, const void *compiled, const char *name)
{
    void *port = NULL;
    bool has = openvino->ov_compiled_model_input_by_name(compiled, name, &port) == 0;
    if (port)
        openvino->ov_output_const_port_free(port);
    return has;
}

/* Inputs are given by their places. OpenVINO drops a zero point of float8 from a model in memory (from one in a file it
 * does not): then by the names that its model has. What it dropped and should have read is seen in the answer. */
static enum qd_target_status take_inputs(const struct openvino *openvino, const void *compiled,
                                         void *request, const struct qd_target_tensor *inputs,
                                         size_t count, struct qd_target_message *message)
{
    size_t in = 0;
    enum qd_target_status status =
        say(openvino, openvino->ov_compiled_model_inputs_size(compiled, &in), message);
    for (size_t i = 0; status == QD_TARGET_OK && i < count; i++)
        if (in == count || has_input(openvino, compiled, inputs[i].name))
            status = take_input(openvino, request, in == count ? &i : NULL, &inputs[i], message);
    return status;
}

static enum qd_target_status check_outputs(const struct openvino *openvino, const void *compiled,
                                           size_t outputs, struct qd_target_message *message)
{
    size_t out = 0;
    int result = openvino->ov_compiled_model_outputs_size(compiled, &out);
    if (result == 0 && out != outputs)
        return qd_answer(message, QD_TARGET_REJECTED,
                         "OpenVINO's model has %zu outputs, the graph %zu", out, outputs);
    return say(openvino, result, message);
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    const struct openvino *openvino = target;
    void *request = NULL;
    enum qd_target_status status = check_outputs(openvino, prepared, output_count, message);
    if (status == QD_TARGET_OK)
        status = say(openvino, openvino->ov_compiled_model_create_infer_request(prepared, &request),
                     message);
    if (status == QD_TARGET_OK)
        status = take_inputs(openvino, prepared, request, inputs, input_count, message);
    if (status == QD_TARGET_OK)
        status = say(openvino, openvino->ov_infer_request_infer(request), message);
    for (size_t i = 0; status == QD_TARGET_OK && i < output_count; i++)
        status = give_output(openvino, request, i, &outputs[i], message);
    if (request)
        openvino->ov_infer_request_free(request);
    return status;
}

static void release(void *target, void *prepared)
{
    const struct openvino *openvino = target;
    openvino->ov_compiled_model_free(prepared);
}

const struct qd_target qd_openvino_target = {
    .abi = QD_TARGET_ABI,
    .open = open_target,
    .describe = describe,
    .prepare = prepare,
    .run = run,
    .release = release,
    .close = close_target,
};
