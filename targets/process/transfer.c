/* SPDX-License-Identifier: Apache-2.0 */
#include "process/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "process/transfer_steps.h"
#include "qdiff/clock.h"

static const unsigned char poison[QD_TRANSFER_RUNS] = {0xA5, 0x5A};

static const char *value_name(const struct qd_graph *graph, int index)
{
    return graph->values[index].name;
}

struct qd_transfer_buffer qd_transfer_take(struct qd_transfer *transfer, size_t size)
{
    struct qd_transfer_buffer buffer = {.offset = transfer->total, .size = size};
    transfer->total +=
        (size + QD_TRANSFER_ALIGNMENT - 1) / QD_TRANSFER_ALIGNMENT * QD_TRANSFER_ALIGNMENT;
    return buffer;
}

static size_t tables_bytes(const struct qd_case *kase)
{
    return QD_TRANSFER_RUNS * (kase->graph->input_count + kase->graph->output_count) *
           sizeof(struct qd_target_tensor);
}

static size_t names_bytes(const struct qd_graph *graph)
{
    size_t bytes = 0;
    for (size_t i = 0; i < graph->input_count; i++)
        bytes += strlen(value_name(graph, graph->inputs[i])) + 1;
    for (size_t i = 0; i < graph->output_count; i++)
        bytes += strlen(value_name(graph, graph->outputs[i])) + 1;
    return bytes;
}

static bool same_numbers(const struct qd_tensor *a, const struct qd_tensor *b)
{
    size_t size = qd_tensor_bytes(a);
    return a->dtype == b->dtype && size > 0 && qd_tensor_bytes(b) == size &&
           memcmp(a->data, b->data, size) == 0;
}

/* Where the inputs of run r stand. In the last of two, those of the same numbers are one buffer. */
static void place_inputs(struct qd_transfer *plan, unsigned r)
{
    const struct qd_tensor *inputs = plan->kase->inputs;
    for (size_t i = 0; i < plan->kase->graph->input_count; i++) {
        size_t first = i;
        for (size_t j = 0; r > 0 && j < i && first == i; j++)
            if (same_numbers(&inputs[j], &inputs[i]))
                first = j;
        plan->inputs[r][i] = first < i ? plan->inputs[r][first]
                                       : qd_transfer_take(plan, qd_tensor_bytes(&inputs[i]));
        plan->shares = plan->shares || first < i;
    }
}

enum qd_status qd_transfer_plan(struct qd_transfer *transfer, const struct qd_case *kase,
                                const struct qd_tensor *shapes, size_t limit,
                                struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    struct qd_transfer plan = {
        .kase = kase, .shapes = shapes, .runs = shapes ? QD_TRANSFER_RUNS : 1};
    qd_transfer_take(&plan, sizeof(struct qd_transfer_header));
    qd_transfer_take(&plan, tables_bytes(kase));
    qd_transfer_take(&plan, names_bytes(graph));
    plan.model = qd_transfer_take(&plan, kase->model_size);
    for (int r = 0; r < QD_TRANSFER_RUNS; r++) {
        plan.inputs[r] = qd_arena_array(arena, graph->input_count, sizeof *plan.inputs[r]);
        plan.outputs[r] = qd_arena_array(arena, graph->output_count, sizeof *plan.outputs[r]);
        if (!plan.inputs[r] || !plan.outputs[r])
            return qd_fail(error, QD_NO_MEMORY, "case %s: no room for its layout", kase->id);
    }
    for (unsigned r = 0; r < plan.runs; r++)
        place_inputs(&plan, r);
    for (unsigned r = 0; r < plan.runs; r++) {
        plan.poisoned[r] = plan.total;
        for (size_t i = 0; i < graph->output_count; i++) {
            qd_transfer_take(&plan, QD_TRANSFER_ZONE);
            plan.outputs[r][i] = qd_transfer_take(&plan, shapes ? qd_tensor_bytes(&shapes[i]) : 0);
        }
        qd_transfer_take(&plan, QD_TRANSFER_ZONE);
        plan.poisoned[r + 1] = plan.total;
    }
    enum qd_status status = qd_transfer_plan_steps(&plan, arena, error);
    if (status != QD_OK)
        return status;
    if (plan.total > limit)
        return qd_fail(error, QD_LIMIT, "case %s needs %zu bytes in transfer, %zu are allowed",
                       kase->id, plan.total, limit);
    *transfer = plan;
    return QD_OK;
}

void qd_transfer_describe(struct qd_target_tensor *to, const struct qd_tensor *tensor,
                          const char *name, void *data, size_t size)
{
    *to = (struct qd_target_tensor){.name = name, .data = data, .size = size};
    if (!tensor)
        return; /* nobody knows: type 0 */
    to->data_type = qd_dtype_info(tensor->dtype)->onnx;
    to->rank = tensor->rank;
    memcpy(to->dims, tensor->dims, tensor->rank * sizeof *to->dims);
}

/* Copies a name to *names, which moves on. */
static const char *put_name(char **names, const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = memcpy(*names, name, size);
    *names += size;
    return copy;
}

static void write_inputs(const struct qd_transfer *transfer, struct qd_transfer_header *header,
                         struct qd_target_tensor *tables, char **names)
{
    const struct qd_graph *graph = transfer->kase->graph;
    unsigned char *base = (unsigned char *)header;
    for (size_t i = 0; i < graph->input_count; i++) {
        const struct qd_tensor *input = &transfer->kase->inputs[i];
        const char *name = put_name(names, value_name(graph, graph->inputs[i]));
        for (unsigned r = 0; r < transfer->runs; r++) {
            struct qd_transfer_buffer to = transfer->inputs[r][i];
            if (to.size > 0)
                memcpy(base + to.offset, input->data, to.size);
            qd_transfer_describe(&tables[r * graph->input_count + i], input, name, base + to.offset,
                                 to.size);
        }
    }
    for (unsigned r = 0; r < QD_TRANSFER_RUNS; r++)
        header->inputs[r] = tables + r * graph->input_count;
}

static void write_outputs(const struct qd_transfer *transfer, struct qd_transfer_header *header,
                          struct qd_target_tensor *tables, char **names)
{
    const struct qd_graph *graph = transfer->kase->graph;
    unsigned char *base = (unsigned char *)header;
    for (unsigned r = 0; r < QD_TRANSFER_RUNS; r++)
        header->outputs[r] = tables + r * graph->output_count;
    for (unsigned r = 0; r < transfer->runs && r < QD_TRANSFER_RUNS; r++)
        memset(base + transfer->poisoned[r], poison[r],
               transfer->poisoned[r + 1] - transfer->poisoned[r]);
    for (size_t i = 0; i < graph->output_count; i++) {
        const char *name = put_name(names, value_name(graph, graph->outputs[i]));
        for (unsigned r = 0; r < transfer->runs; r++)
            qd_transfer_describe(
                &header->outputs[r][i], transfer->shapes ? &transfer->shapes[i] : NULL, name,
                base + transfer->outputs[r][i].offset, transfer->outputs[r][i].size);
    }
}

void qd_transfer_write(const struct qd_transfer *transfer, void *block)
{
    const struct qd_case *kase = transfer->kase;
    const struct qd_graph *graph = kase->graph;
    unsigned char *base = block;
    struct qd_transfer_header *header = block;
    memset(header, 0, sizeof *header);
    size_t tables_at = (sizeof *header + QD_TRANSFER_ALIGNMENT - 1) / QD_TRANSFER_ALIGNMENT *
                       QD_TRANSFER_ALIGNMENT;
    size_t names_at = tables_at + (tables_bytes(kase) + QD_TRANSFER_ALIGNMENT - 1) /
                                      QD_TRANSFER_ALIGNMENT * QD_TRANSFER_ALIGNMENT;
    struct qd_target_tensor *tables = (struct qd_target_tensor *)(void *)(base + tables_at);
    char *names = (char *)base + names_at;

    header->model = base + transfer->model.offset;
    header->model_size = transfer->model.size;
    header->input_count = graph->input_count;
    header->output_count = graph->output_count;
    header->runs = transfer->runs;
    memcpy(base + transfer->model.offset, kase->model, kase->model_size);
    write_inputs(transfer, header, tables, &names);
    write_outputs(transfer, header, tables + QD_TRANSFER_RUNS * graph->input_count, &names);
    if (transfer->steps)
        qd_transfer_write_steps(transfer, block);
}

void qd_transfer_execute(void *block, const struct qd_target *api, void *target)
{
    struct qd_transfer_header *transfer = block;
    double start = qd_clock_seconds();
    void *prepared = NULL;
    bool loaded = false;
    enum qd_target_status status =
        qd_transfer_take_steps(transfer, api, target, &loaded, &prepared);
    if (status == QD_TARGET_OK && !loaded)
        status = qd_transfer_load(transfer, api, target, &loaded, &prepared);
    for (size_t r = 0; r < transfer->runs && status == QD_TARGET_OK; r++)
        status = api->run(target, prepared, transfer->inputs[r], transfer->input_count,
                          transfer->outputs[r], transfer->output_count, &transfer->message);
    qd_transfer_release_steps(transfer, api, target);
    if (loaded)
        api->release(target, prepared);
    transfer->status = (uint32_t)status;
    transfer->seconds = qd_clock_seconds() - start;
}

/* Whether bytes [from, to) of the block still hold run r's poison; the first that does not in *at. */
static bool is_poison(const unsigned char *base, unsigned r, size_t from, size_t to, size_t *at)
{
    for (size_t i = from; i < to; i++)
        if (base[i] != poison[r]) {
            *at = i;
            return false;
        }
    return true;
}

static bool zones_hold(const struct qd_transfer *transfer, const unsigned char *base,
                       struct qd_run *run)
{
    const struct qd_graph *graph = transfer->kase->graph;
    for (unsigned r = 0; r < transfer->runs; r++) {
        size_t from = transfer->poisoned[r], at;
        for (size_t i = 0; i <= graph->output_count; i++) {
            bool last = i == graph->output_count;
            size_t to = last ? transfer->poisoned[r + 1] : transfer->outputs[r][i].offset;
            if (!is_poison(base, r, from, to, &at)) {
                snprintf(run->message, sizeof run->message,
                         "a byte outside the output buffers was written, %zu bytes %s output %zu",
                         i > 0 ? at - from : to - at, i > 0 ? "after the end of" : "before",
                         i > 0 ? i - 1 : 0);
                return false;
            }
            if (!last)
                from = to + transfer->outputs[r][i].size;
        }
    }
    return true;
}

static bool inputs_hold(const struct qd_transfer *transfer, const unsigned char *base,
                        struct qd_run *run)
{
    const struct qd_case *kase = transfer->kase;
    if (memcmp(base + transfer->model.offset, kase->model, kase->model_size) != 0) {
        snprintf(run->message, sizeof run->message, "the model's bytes were changed");
        return false;
    }
    for (unsigned r = 0; r < transfer->runs; r++)
        for (size_t i = 0; i < kase->graph->input_count; i++) {
            struct qd_transfer_buffer at = transfer->inputs[r][i];
            if (at.size == 0 || memcmp(base + at.offset, kase->inputs[i].data, at.size) == 0)
                continue;
            snprintf(run->message, sizeof run->message, "input %zu '%.200s' was changed", i,
                     value_name(kase->graph, kase->graph->inputs[i]));
            return false;
        }
    return true;
}

/* "uint8[1,3]" of an answer, whose every field may be nonsense. */
static void describe_answer(const struct qd_target_tensor *answer, char *text, size_t size)
{
    enum qd_dtype dtype = qd_dtype_of_onnx(answer->data_type);
    size_t used = 0;
    if (dtype == QD_DTYPE_NONE)
        used = (size_t)snprintf(text, size, "type %d[", (int)answer->data_type);
    else
        used = (size_t)snprintf(text, size, "%s[", qd_dtype_info(dtype)->word);
    unsigned rank = answer->rank <= QD_TARGET_MAX_RANK ? answer->rank : 0;
    for (unsigned i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
                                 (long long)answer->dims[i]);
    if (used < size)
        snprintf(text + used, size - used, rank == answer->rank ? "]" : "rank %u]",
                 (unsigned)answer->rank);
}

/* What run r says of output i: a copy, which the worker cannot change any more. */
static struct qd_target_tensor answer_of(const struct qd_transfer *transfer, const void *block,
                                         unsigned r, size_t i)
{
    struct qd_target_tensor answer;
    size_t tables_at = (sizeof(struct qd_transfer_header) + QD_TRANSFER_ALIGNMENT - 1) /
                       QD_TRANSFER_ALIGNMENT * QD_TRANSFER_ALIGNMENT;
    const struct qd_graph *graph = transfer->kase->graph;
    size_t index = QD_TRANSFER_RUNS * graph->input_count + r * graph->output_count + i;
    memcpy(&answer, (const unsigned char *)block + tables_at + index * sizeof answer,
           sizeof answer);
    return answer;
}

/* Compares what run r says of output i with what is right. */
static enum qd_outcome check_shape(const struct qd_transfer *transfer,
                                   const struct qd_transfer_header *header, unsigned r, size_t i,
                                   struct qd_run *run)
{
    const struct qd_tensor *want = &transfer->shapes[i];
    struct qd_target_tensor have = answer_of(transfer, header, r, i);
    enum qd_outcome outcome = QD_OUTCOME_OUTPUTS;
    if (have.data_type != qd_dtype_info(want->dtype)->onnx)
        outcome = QD_OUTCOME_WRONG_TYPE;
    else if (have.rank != want->rank ||
             memcmp(have.dims, want->dims, want->rank * sizeof *want->dims) != 0)
        outcome = QD_OUTCOME_WRONG_SHAPE;
    if (outcome == QD_OUTCOME_OUTPUTS)
        return outcome;
    char is[160], should[160];
    describe_answer(&have, is, sizeof is);
    snprintf(run->message, sizeof run->message, "output %zu is %s, should be %s", i, is,
             qd_tensor_describe(want, should, sizeof should));
    return outcome;
}

/* Bits of the last byte that elements use; packed types may leave some over. */
static unsigned char last_byte_mask(const struct qd_tensor *tensor)
{
    unsigned bits = qd_dtype_info(tensor->dtype)->bits;
    unsigned used = (unsigned)(tensor->count % 8) * bits % 8;
    return bits < 8 && used ? (unsigned char)((1U << used) - 1) : 0xFF;
}

/* Compares the two runs' bytes of output i. */
static enum qd_outcome check_runs(const struct qd_transfer *transfer, const unsigned char *base,
                                  size_t i, struct qd_run *run)
{
    const unsigned char *a = base + transfer->outputs[0][i].offset,
                        *b = base + transfer->outputs[1][i].offset;
    size_t size = transfer->outputs[0][i].size;
    if (size == 0 || memcmp(a, b, size) == 0)
        return QD_OUTCOME_OUTPUTS;
    size_t differ = size, unwritten = size;
    for (size_t k = 0; k < size && unwritten == size; k++) {
        unsigned char mask = k + 1 == size ? last_byte_mask(&transfer->shapes[i]) : 0xFF;
        if (((a[k] ^ b[k]) & mask) == 0)
            continue;
        if (differ == size)
            differ = k;
        if ((a[k] & mask) == (poison[0] & mask) && (b[k] & mask) == (poison[1] & mask))
            unwritten = k;
    }
    if (differ == size)
        return QD_OUTCOME_OUTPUTS;
    bool never = unwritten < size;
    snprintf(run->message, sizeof run->message,
             never ? "output %zu: byte %zu of %zu was never written"
                   : "output %zu: two runs differ first in byte %zu of %zu%s",
             i, never ? unwritten : differ, size,
             transfer->shares ? "; in the second, inputs of the same numbers are one buffer" : "");
    return never ? QD_OUTCOME_UNWRITTEN : QD_OUTCOME_NONDETERMINISTIC;
}

/* What run r (0 or 1) gave. */
static enum qd_status copy_outputs(const struct qd_transfer *transfer, const unsigned char *base,
                                   unsigned r, struct qd_arena *arena, struct qd_tensor **made,
                                   struct qd_error *error)
{
    size_t count = transfer->kase->graph->output_count;
    struct qd_tensor *outputs = qd_arena_array(arena, count, sizeof *outputs);
    if (!outputs)
        return qd_fail(error, QD_NO_MEMORY, "case %s: no room for %zu outputs", transfer->kase->id,
                       count);
    for (size_t i = 0; i < count; i++) {
        struct qd_transfer_buffer from = transfer->outputs[r][i];
        outputs[i] = transfer->shapes[i];
        outputs[i].data = qd_arena_copy(arena, base + from.offset, from.size);
        if (!outputs[i].data)
            return qd_fail(error, QD_NO_MEMORY, "case %s: no room for output %zu",
                           transfer->kase->id, i);
    }
    *made = outputs;
    return QD_OK;
}

/* Everything about outputs but their values. */
static enum qd_outcome check_outputs(const struct qd_transfer *transfer, const void *block,
                                     struct qd_run *run)
{
    enum qd_outcome outcome = QD_OUTCOME_OUTPUTS;
    size_t count = transfer->kase->graph->output_count;
    for (unsigned r = 0; r < transfer->runs; r++)
        for (size_t i = 0; i < count && outcome == QD_OUTCOME_OUTPUTS; i++)
            outcome = check_shape(transfer, block, r, i, run);
    for (size_t i = 0; i < count && outcome == QD_OUTCOME_OUTPUTS; i++)
        outcome = check_runs(transfer, block, i, run);
    return outcome;
}

enum qd_status qd_transfer_judge(const struct qd_transfer *transfer, const void *block,
                                 struct qd_arena *arena, struct qd_run *run, struct qd_error *error)
{
    struct qd_transfer_header header; /* a copy: the worker may still write */
    memcpy(&header, block, sizeof header);
    struct qd_run seen = {.outcome = QD_OUTCOME_OUTPUTS,
                          .stage = header.stage == QD_STAGE_LOAD ? QD_STAGE_LOAD : QD_STAGE_RUN};
    if (isfinite(header.seconds) && header.seconds > 0)
        seen.seconds_target = header.seconds;
    qd_text_clean(header.message.text, sizeof header.message.text);

    if (!zones_hold(transfer, block, &seen))
        seen.outcome = QD_OUTCOME_OUT_OF_BOUNDS;
    else if (!inputs_hold(transfer, block, &seen))
        seen.outcome = QD_OUTCOME_INPUT_MODIFIED;
    else if (header.status == QD_TARGET_UNUSABLE)
        return qd_fail(error, QD_UNUSABLE, "the target stopped working: %s", header.message.text);
    else if (header.status == QD_TARGET_NO_MEMORY)
        seen.outcome = QD_OUTCOME_OOM;
    else if (header.status == QD_TARGET_SKIPPED)
        seen.outcome = QD_OUTCOME_SKIPPED;
    else if (header.status != QD_TARGET_OK)
        seen.outcome = QD_OUTCOME_REJECTED;
    if (seen.outcome == QD_OUTCOME_REJECTED || seen.outcome == QD_OUTCOME_OOM ||
        seen.outcome == QD_OUTCOME_SKIPPED)
        memcpy(seen.message, header.message.text, sizeof seen.message);
    if (seen.outcome == QD_OUTCOME_REJECTED && header.status != QD_TARGET_REJECTED)
        snprintf(seen.message, sizeof seen.message, "the plug-in answered %u, which is no status",
                 (unsigned)header.status);
    if (seen.outcome == QD_OUTCOME_OUTPUTS && transfer->shapes) {
        seen.outcome = check_outputs(transfer, block, &seen);
        enum qd_status status = QD_OK;
        if (seen.outcome == QD_OUTCOME_OUTPUTS)
            status = copy_outputs(transfer, block, 0, arena, &seen.outputs, error);
        for (unsigned r = 0; seen.outcome == QD_OUTCOME_NONDETERMINISTIC && r < 2; r++)
            if (status == QD_OK)
                status = copy_outputs(transfer, block, r, arena, &seen.differing[r], error);
        if (status != QD_OK)
            return status;
    }
    *run = seen;
    return QD_OK;
}

enum qd_status qd_transfer_answered(const struct qd_transfer *transfer, const void *block,
                                    struct qd_arena *arena, const struct qd_tensor **shapes,
                                    struct qd_error *error)
{
    size_t count = transfer->kase->graph->output_count;
    struct qd_tensor *made = qd_arena_array(arena, count, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "case %s: no room for %zu outputs", transfer->kase->id,
                       count);
    for (size_t i = 0; i < count; i++) {
        struct qd_target_tensor answer = answer_of(transfer, block, 0, i);
        made[i].dtype = qd_dtype_of_onnx(answer.data_type);
        made[i].rank = answer.rank;
        if (made[i].dtype == QD_DTYPE_NONE || answer.rank > QD_TARGET_MAX_RANK)
            return qd_fail(error, QD_UNSUPPORTED,
                           "the target does not say what output %zu is, or it is no tensor", i);
        enum qd_status status = qd_shape_count(answer.rank, answer.dims, &made[i].count, error);
        if (status != QD_OK)
            return status;
        memcpy(made[i].dims, answer.dims, sizeof made[i].dims);
    }
    *shapes = made;
    return QD_OK;
}
