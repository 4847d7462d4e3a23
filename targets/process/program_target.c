/* SPDX-License-Identifier: Apache-2.0 */
/* prepare, run and release of a worker. */
#include <string.h>

#include "message.h"
#include "process/program.h"

#define SMALL_REPLY ((size_t)64 << 10)
#define LARGE_REPLY \
    ((size_t)64 << 20) /* of a model whose outputs nobody knows, or as wrong types */

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    struct qd_program *program = target;
    struct qd_wire_out out;
    struct qd_wire body;
    uint64_t handle = ++program->handle;
    size_t mark = qd_program_ask(program, QD_REQUEST_PREPARE, &out);
    qd_wire_put_varint(&out, 1, handle);
    qd_wire_put_bytes(&out, 2, model, model_size);
    enum qd_target_status status =
        qd_program_hear(program, QD_REQUEST_PREPARE, &out, mark, SMALL_REPLY, &body, message);
    if (status == QD_TARGET_OK)
        *prepared =
            (void *)(uintptr_t)handle; /* NOLINT(performance-no-int-to-ptr): never followed */
    return status;
}

/* Adds the dimension(s) of a field, one or packed; false when they are
 * malformed. Ranks beyond the ABI's are counted. */
static bool take_dims(const struct qd_wire_field *field, struct qd_target_tensor *tensor)
{
    struct qd_wire packed = {.bytes = field->bytes, .size = field->size};
    uint64_t value = field->value;
    if (field->type != QD_WIRE_BYTES && field->type != QD_WIRE_VARINT)
        return false;
    while (field->type == QD_WIRE_VARINT || packed.at < packed.size) {
        if (field->type == QD_WIRE_BYTES && !qd_wire_varint(&packed, &value))
            return false;
        if (tensor->rank < QD_TARGET_MAX_RANK)
            tensor->dims[tensor->rank] = (int64_t)value;
        tensor->rank += tensor->rank < 1000;
        if (field->type == QD_WIRE_VARINT)
            break;
    }
    return true;
}

bool qd_program_read_tensor(struct qd_wire wire, struct qd_target_tensor *tensor,
                            const uint8_t **data)
{
    struct qd_wire_field field;
    *tensor = (struct qd_target_tensor){.name = ""};
    *data = NULL;
    while (qd_wire_next(&wire, &field)) {
        if (field.number == 1 && !take_dims(&field, tensor))
            return false;
        if (field.number == 2 && field.type == QD_WIRE_VARINT)
            tensor->data_type = (int32_t)field.value;
        if (field.number == 9 && field.type == QD_WIRE_BYTES) {
            *data = field.bytes;
            tensor->size = field.size;
        }
    }
    return !wire.problem;
}

/* Gives what the worker has to the buffer that the reference expects. NULL, or what is wrong. */
static const char *give(const struct qd_target_tensor *have, const uint8_t *data,
                        struct qd_target_tensor *output)
{
    bool same = have->data_type == output->data_type && have->rank == output->rank &&
                memcmp(have->dims, output->dims, have->rank * sizeof *have->dims) == 0;
    if (same && have->size != output->size)
        return "its data does not fit its own shape";
    if (same && data && output->size > 0)
        memcpy(output->data, data, output->size);
    output->data_type = have->data_type;
    output->rank = have->rank;
    memcpy(output->dims, have->dims, sizeof have->dims);
    return NULL;
}

static enum qd_target_status take_outputs(struct qd_program *program, struct qd_wire *body,
                                          struct qd_target_tensor *outputs, size_t count)
{
    struct qd_wire_field field;
    struct qd_target_tensor have;
    const uint8_t *data;
    size_t i = 0;
    for (; qd_wire_next(body, &field); i++) {
        if (field.number != 1 || field.type != QD_WIRE_BYTES || i >= count)
            return qd_program_condemn(program, "an answer of more than %zu outputs, or no outputs",
                                      count);
        if (!qd_program_read_tensor((struct qd_wire){.bytes = field.bytes, .size = field.size},
                                    &have, &data))
            return qd_program_condemn(program, "output %zu is no tensor", i);
        const char *problem = give(&have, data, &outputs[i]);
        if (problem)
            return qd_program_condemn(program, "output %zu: %s (%zu bytes)", i, problem, have.size);
    }
    if (body->problem || i != count)
        return qd_program_condemn(program, "%zu outputs of %zu%s%s", i, count,
                                  body->problem ? ": " : "", body->problem ? body->problem : "");
    return QD_TARGET_OK;
}

static size_t bytes_of(const struct qd_target_tensor *tensors, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += tensors[i].size;
    return bytes;
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    struct qd_program *program = target;
    struct qd_wire_out out;
    struct qd_wire body;
    size_t mark = qd_program_ask(program, QD_REQUEST_RUN, &out);
    qd_wire_put_varint(&out, 1, (uint64_t)(uintptr_t)prepared);
    for (size_t i = 0; i < input_count; i++)
        qd_program_put_tensor(&out, 2, &inputs[i], inputs[i].data);
    for (size_t i = 0; i < output_count; i++)
        qd_program_put_tensor(&out, 3, &outputs[i], NULL);
    size_t limit = LARGE_REPLY + 2 * bytes_of(outputs, output_count);
    enum qd_target_status status =
        qd_program_hear(program, QD_REQUEST_RUN, &out, mark, limit, &body, message);
    return status == QD_TARGET_OK ? take_outputs(program, &body, outputs, output_count) : status;
}

static void release(void *target, void *prepared)
{
    struct qd_program *program = target;
    struct qd_wire_out out;
    struct qd_wire body;
    struct qd_target_message message;
    if (program->died)
        return;
    size_t mark = qd_program_ask(program, QD_REQUEST_RELEASE, &out);
    qd_wire_put_varint(&out, 1, (uint64_t)(uintptr_t)prepared);
    qd_program_hear(program, QD_REQUEST_RELEASE, &out, mark, SMALL_REPLY, &body, &message);
}

const struct qd_target qd_program_target = {
    .abi = QD_TARGET_ABI, .prepare = prepare, .run = run, .release = release};
