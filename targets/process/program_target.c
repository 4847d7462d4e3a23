/* SPDX-License-Identifier: Apache-2.0 */
/* prepare, run and release of a worker. */
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
    char why[256];
    if (status == QD_TARGET_OK &&
        !qd_reply_read_outputs(body, outputs, output_count, why, sizeof why))
        return qd_program_condemn(program, "%s", why);
    return status;
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
