/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/quirk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "qdiff/case.h"
#include "qdiff/evaluate.h"
#include "qdiff/quirk.h"

struct quirk {
    struct qd_arena arena; /* of the semantics */
    struct qd_semantics semantics;
    char settings[256];
};

/* A model that is loaded: decoded once, in its own arena. */
struct loaded {
    struct qd_arena arena;
    struct qd_case kase;
};

static const struct qd_target_capability everything[] = {{"*", "", "", ""}};

static void close_target(void *target)
{
    struct quirk *quirk = target;
    qd_arena_clear(&quirk->arena);
    free(quirk);
}

enum qd_status qd_quirk_check(const char *version, const char *config, struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_semantics semantics;
    if (*version)
        return qd_fail(error, QD_USAGE, "the reference has no versions: leave out '@%s'", version);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_quirks_parse(config, &arena, &semantics, error);
    qd_arena_clear(&arena);
    return status;
}

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    if (*version)
        return qd_answer(message, QD_TARGET_UNUSABLE,
                         "the reference has no versions: leave out '@%s'", version);
    struct qd_error error = {.status = QD_OK};
    struct quirk *quirk = malloc(sizeof *quirk);
    if (!quirk)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    qd_arena_init(&quirk->arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_quirks_parse(config, &quirk->arena, &quirk->semantics, &error) != QD_OK) {
        close_target(quirk);
        return qd_answer(message, QD_TARGET_UNUSABLE, "%s", error.text);
    }
    snprintf(quirk->settings, sizeof quirk->settings, "%s", config);
    *target = quirk;
    return QD_TARGET_OK;
}

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    (void)message;
    const struct quirk *quirk = target;
    *info = (struct qd_target_info){.name = quirk->settings[0] ? "quirk" : "reference",
                                    .version = "",
                                    .settings = quirk->settings,
                                    .capability_count = 1,
                                    .capabilities = everything};
    return QD_TARGET_OK;
}

static enum qd_target_status refuse(const struct qd_error *error, struct qd_target_message *message)
{
    bool memory = error->status == QD_NO_MEMORY || error->status == QD_LIMIT;
    return qd_answer(message, memory ? QD_TARGET_NO_MEMORY : QD_TARGET_REJECTED, "%s", error->text);
}

static void release(void *target, void *prepared)
{
    (void)target;
    struct loaded *loaded = prepared;
    qd_arena_clear(&loaded->arena);
    free(loaded);
}

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    struct qd_error error = {.status = QD_OK};
    struct loaded *loaded = malloc(sizeof *loaded);
    if (!loaded)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "out of memory");
    qd_arena_init(&loaded->arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_from_model(model, model_size, &loaded->arena, &loaded->kase, &error) != QD_OK) {
        release(target, loaded);
        return refuse(&error, message);
    }
    *prepared = loaded;
    return QD_TARGET_OK;
}

/* Inputs as the reference takes them. Borrows the data. */
static enum qd_status take_inputs(const struct qd_graph *graph,
                                  const struct qd_target_tensor *inputs, size_t count,
                                  struct qd_arena *arena, struct qd_tensor **tensors,
                                  struct qd_error *error)
{
    if (count != graph->input_count)
        return qd_fail(error, QD_INVALID, "%zu inputs for a graph of %zu", count,
                       graph->input_count);
    struct qd_tensor *made = qd_arena_array(arena, count, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu inputs", count);
    for (size_t i = 0; i < count; i++) {
        made[i].dtype = qd_dtype_of_onnx(inputs[i].data_type);
        made[i].rank = inputs[i].rank;
        if (made[i].dtype == QD_DTYPE_NONE)
            return qd_fail(error, QD_UNSUPPORTED, "input %zu has type %d", i,
                           (int)inputs[i].data_type);
        enum qd_status status =
            qd_shape_count(inputs[i].rank, inputs[i].dims, &made[i].count, error);
        if (status != QD_OK)
            return status;
        memcpy(made[i].dims, inputs[i].dims, sizeof made[i].dims);
        made[i].data = inputs[i].data;
        if (qd_tensor_bytes(&made[i]) != inputs[i].size)
            return qd_fail(error, QD_INVALID, "input %zu has %zu bytes, its shape %zu", i,
                           inputs[i].size, qd_tensor_bytes(&made[i]));
    }
    *tensors = made;
    return QD_OK;
}

static void give(const struct qd_value *value, struct qd_target_tensor *output)
{
    const struct qd_tensor *want = &value->want;
    int32_t type = qd_dtype_info(want->dtype)->onnx;
    bool same = output->data_type == type && output->rank == want->rank &&
                memcmp(output->dims, want->dims, want->rank * sizeof *want->dims) == 0;
    if (same && output->size > 0)
        memcpy(output->data, want->data, output->size);
    output->data_type = type;
    output->rank = want->rank;
    memcpy(output->dims, want->dims, want->rank * sizeof *want->dims);
}

static enum qd_status evaluate(const struct quirk *quirk, const struct qd_graph *graph,
                               const struct qd_target_tensor *inputs, size_t input_count,
                               struct qd_target_tensor *outputs, size_t output_count,
                               struct qd_arena *arena, struct qd_error *error)
{
    if (output_count != graph->output_count)
        return qd_fail(error, QD_INVALID, "%zu outputs for a graph of %zu", output_count,
                       graph->output_count);
    struct qd_tensor *tensors = NULL;
    struct qd_value *values = qd_arena_array(arena, output_count, sizeof *values);
    if (!values)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu outputs", output_count);
    enum qd_status status = take_inputs(graph, inputs, input_count, arena, &tensors, error);
    if (status == QD_OK)
        status = qd_graph_evaluate(graph, tensors, &quirk->semantics, arena, values, error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < output_count; i++) {
        qd_quirk_answer(&values[i]);
        give(&values[i], &outputs[i]);
    }
    return QD_OK;
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    const struct loaded *loaded = prepared;
    struct qd_error error = {.status = QD_OK};
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = evaluate(target, loaded->kase.graph, inputs, input_count, outputs,
                                     output_count, &arena, &error);
    qd_arena_clear(&arena);
    return status == QD_OK ? QD_TARGET_OK : refuse(&error, message);
}

const struct qd_target qd_quirk_target = {
    .abi = QD_TARGET_ABI,
    .open = open_target,
    .describe = describe,
    .prepare = prepare,
    .run = run,
    .release = release,
    .close = close_target,
};
