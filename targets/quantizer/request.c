/* SPDX-License-Identifier: Apache-2.0 */
/* A quantizer's request as a message, and back. */
#include "quantizer/request.h"

#include <math.h>
#include <string.h>

#include "process/program.h"
#include "process/quantized.h"

#define LARGEST ((size_t)1 << 20) /* of a request in a case */

/* --- Writing ------------------------------------------------------------------------------------- */

static void put_ranges(struct qd_wire_out *out, const struct qd_quantizer_request *request)
{
    for (size_t i = 0; i < request->range_count; i++) {
        const struct qd_quantizer_range *range = &request->ranges[i];
        size_t mark = qd_wire_begin(out, 2);
        qd_wire_put_text(out, 1, range->tensor);
        qd_wire_put_float(out, 2, range->min);
        qd_wire_put_float(out, 3, range->max);
        qd_wire_end(out, mark);
    }
}

static void put_calibrations(struct qd_wire_out *out, const struct qd_quantizer_request *request)
{
    for (size_t i = 0; i < request->calibration_count; i++) {
        size_t mark = qd_wire_begin(out, 3);
        for (size_t j = 0; j < request->input_count; j++) {
            const struct qd_tensor *tensor = &request->calibrations[i][j];
            struct qd_target_tensor sent = {.name = "",
                                            .data_type = qd_dtype_info(tensor->dtype)->onnx,
                                            .rank = tensor->rank,
                                            .size = qd_tensor_bytes(tensor)};
            memcpy(sent.dims, tensor->dims, tensor->rank * sizeof *sent.dims);
            qd_program_put_tensor(out, 1, &sent, tensor->data);
        }
        qd_wire_end(out, mark);
    }
}

static void put_flag(struct qd_wire_out *out, uint32_t number, bool flag)
{
    if (flag)
        qd_wire_put_varint(out, number, 1);
}

static void put_list(struct qd_wire_out *out, uint32_t number, const char *const *list)
{
    for (; list && *list; list++)
        qd_wire_put_text(out, number, *list);
}

static void put_options(struct qd_wire_out *out, const struct qd_quantizer_options *options)
{
    size_t mark = qd_wire_begin(out, 4);
    qd_wire_put_varint(out, 1, (uint64_t)options->scheme);
    qd_wire_put_varint(out, 2, (uint64_t)options->format);
    qd_wire_put_varint(out, 3, (uint64_t)options->activation_type);
    qd_wire_put_varint(out, 4, (uint64_t)options->weight_type);
    put_flag(out, 5, options->per_channel);
    put_flag(out, 6, options->reduce_range);
    put_flag(out, 7, options->symmetric_activations);
    put_flag(out, 8, options->symmetric_weights);
    put_flag(out, 9, options->restricted_asymmetric);
    put_list(out, 10, options->exclude);
    put_list(out, 11, options->ops);
    put_list(out, 12, options->extra);
    qd_wire_end(out, mark);
}

void qd_request_put(struct qd_wire_out *out, const struct qd_quantizer_request *request)
{
    put_ranges(out, request);
    put_calibrations(out, request);
    put_options(out, &request->options);
}

enum qd_status qd_quantizer_request_encode(const struct qd_quantizer_request *request,
                                           struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                           struct qd_error *error)
{
    struct qd_wire_out out = {.arena = arena};
    put_ranges(&out, request);
    put_options(&out, &request->options);
    return qd_wire_finish(&out, bytes, size, error);
}

/* --- Reading ------------------------------------------------------------------------------------- */

/* A message being read; what is wrong with it is a text. */
struct reading {
    struct qd_arena *arena;
    struct qd_quantizer_request *request;
    struct qd_quantizer_range *ranges;
    const char **lists[3]; /* exclude, ops, extra, with room for all */
    size_t counts[3];
};

static float float_of(uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static const char *read_range(struct reading *reading, struct qd_wire wire)
{
    struct qd_quantizer_range *range = &reading->ranges[reading->request->range_count++];
    struct qd_wire_field field;
    const char *problem = NULL;
    *range = (struct qd_quantizer_range){.tensor = ""};
    while (!problem && qd_wire_next(&wire, &field)) {
        if (field.number == 1)
            problem = qd_quantized_text(&field, reading->arena, &range->tensor);
        else if (field.number > 3 || field.type != QD_WIRE_32)
            problem = "a range of more than a tensor and two floats";
        else if (field.number == 2)
            range->min = float_of(field.value);
        else
            range->max = float_of(field.value);
    }
    return problem ? problem : wire.problem;
}

static const char *take_number(uint32_t number, uint64_t value,
                               struct qd_quantizer_options *options)
{
    bool *const flags[] = {&options->per_channel, &options->reduce_range,
                           &options->symmetric_activations, &options->symmetric_weights,
                           &options->restricted_asymmetric};
    if (number >= 5 && number <= 9)
        *flags[number - 5] = value != 0;
    else if (number == 1 && value <= QD_QUANTIZER_DYNAMIC)
        options->scheme = (enum qd_quantizer_scheme)value;
    else if (number == 2 && value <= QD_QUANTIZER_QOPERATOR)
        options->format = (enum qd_quantizer_format)value;
    else if (number == 3)
        options->activation_type = (int32_t)value;
    else if (number == 4)
        options->weight_type = (int32_t)value;
    else
        return "an unknown option";
    return NULL;
}

static const char *read_options(struct reading *reading, struct qd_wire wire)
{
    struct qd_wire_field field;
    const char *problem = NULL;
    while (!problem && qd_wire_next(&wire, &field)) {
        uint32_t list = field.number - 10;
        if (field.type == QD_WIRE_VARINT)
            problem = take_number(field.number, field.value, &reading->request->options);
        else if (field.type != QD_WIRE_BYTES || list > 2)
            problem = "an unknown option";
        else
            problem = qd_quantized_text(&field, reading->arena,
                                        &reading->lists[list][reading->counts[list]++]);
    }
    return problem ? problem : wire.problem;
}

static const char *read_request(struct reading *reading, struct qd_wire wire)
{
    struct qd_wire_field field;
    const char *problem = NULL;
    bool seen = false;
    while (!problem && qd_wire_next(&wire, &field)) {
        struct qd_wire inner = {.bytes = field.bytes, .size = field.size};
        if (field.type != QD_WIRE_BYTES || (field.number != 2 && field.number != 4) ||
            (field.number == 4 && seen))
            problem = "neither ranges nor options, or options twice";
        else if (field.number == 2)
            problem = read_range(reading, inner);
        else
            problem = read_options(reading, inner);
        seen |= field.number == 4;
    }
    return problem ? problem : wire.problem;
}

/* Room for as many ranges and words as there are bytes for: none is shorter than two. */
static enum qd_status begin(struct reading *reading, size_t size, struct qd_error *error)
{
    reading->ranges = qd_arena_array(reading->arena, size / 2 + 1, sizeof *reading->ranges);
    bool room = reading->ranges != NULL;
    for (int i = 0; i < 3; i++) {
        reading->lists[i] = qd_arena_array(reading->arena, size / 2 + 1, sizeof(char *));
        room = room && reading->lists[i];
    }
    return room ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no room for a request of %zu bytes", size);
}

enum qd_status qd_quantizer_request_of(const struct qd_case *kase, struct qd_arena *arena,
                                       struct qd_quantizer_request *request, struct qd_error *error)
{
    struct qd_quantizer_request made = {.model = kase->model, .model_size = kase->model_size};
    struct reading reading = {.arena = arena, .request = &made};
    if (kase->request_size == 0)
        return qd_fail(error, QD_USAGE, "a case of the kernel role: it asks no quantizer");
    if (kase->request_size > LARGEST)
        return qd_fail(error, QD_LIMIT, "the case's request has more than %zu bytes", LARGEST);
    enum qd_status status = begin(&reading, kase->request_size, error);
    if (status != QD_OK)
        return status;
    const char *problem = read_request(
        &reading, (struct qd_wire){.bytes = kase->request, .size = kase->request_size});
    if (problem)
        return qd_fail(error, QD_MALFORMED, "the case's request: %s", problem);
    const struct qd_tensor **runs = qd_arena_array(arena, 1, sizeof *runs);
    if (!runs)
        return qd_fail(error, QD_NO_MEMORY, "no room for a request");
    runs[0] = kase->inputs;
    made.ranges = reading.ranges;
    made.options.exclude = reading.lists[0];
    made.options.ops = reading.lists[1];
    made.options.extra = reading.lists[2];
    made.calibrations = runs;
    made.calibration_count =
        made.options.scheme == QD_QUANTIZER_STATIC && made.range_count == 0 ? 1 : 0;
    made.input_count = kase->input_count;
    *request = made;
    return QD_OK;
}

const char *qd_quantizer_unfit_range(const struct qd_quantizer_request *request)
{
    bool unordered = false, infinite = false;
    for (size_t i = 0; i < request->range_count; i++) {
        const struct qd_quantizer_range *range = &request->ranges[i];
        if (isnan(range->min) || isnan(range->max))
            return "nan";
        unordered |= range->min > range->max;
        infinite |= isinf(range->min) || isinf(range->max);
    }
    return unordered ? "upside-down" : infinite ? "infinite" : NULL;
}

bool qd_quantizer_must_refuse(const struct qd_quantizer_request *request)
{
    return qd_quantizer_unfit_range(request) != NULL;
}
