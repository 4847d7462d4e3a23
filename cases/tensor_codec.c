/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_codec.h"

#include <string.h>

#include "qdiff/case.h"
#include "unpack.h"

/* Types of TensorProto.DataType that no quantized operator of ours takes. */
static const char *foreign_type(int32_t number)
{
    switch (number) {
    case 8: return "string";
    case 12: return "uint32";
    case 13: return "uint64";
    case 14: return "complex64";
    case 15: return "complex128";
    default: return "unknown";
    }
}

static enum qd_status read_shape(const Onnx__TensorProto *proto, struct qd_tensor *tensor,
                                 struct qd_error *error)
{
    if (proto->n_dims > QD_MAX_RANK)
        return qd_fail(error, QD_LIMIT, "%zu dimensions, at most %d are read", proto->n_dims,
                       QD_MAX_RANK);
    tensor->dtype = qd_dtype_of_onnx(proto->data_type);
    if (!proto->has_data_type || proto->data_type == 0)
        return qd_fail(error, QD_INVALID, "data_type is not set");
    if (tensor->dtype == QD_DTYPE_NONE)
        return qd_fail(error, QD_UNSUPPORTED, "data_type %d (%s)", proto->data_type,
                       foreign_type(proto->data_type));
    tensor->rank = (unsigned)proto->n_dims;
    for (unsigned i = 0; i < tensor->rank; i++)
        tensor->dims[i] = proto->dims[i];
    return qd_shape_count(tensor->rank, tensor->dims, &tensor->count, error);
}

/* The one data field that is in use. */
struct source {
    const char *name; /* NULL: none */
    size_t count;     /* entries, bytes for raw_data */
    const void *data;
};

static enum qd_status find_source(const Onnx__TensorProto *proto, struct source *source,
                                  struct qd_error *error)
{
    if (proto->segment)
        return qd_fail(error, QD_UNSUPPORTED, "segmented tensors");
    if (proto->n_external_data > 0 ||
        (proto->has_data_location &&
         proto->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT))
        return qd_fail(error, QD_UNSUPPORTED, "external data: the elements are in another file");
    const struct source fields[] = {
        {"raw_data", proto->raw_data.len, proto->raw_data.data},
        {"float_data", proto->n_float_data, proto->float_data},
        {"int32_data", proto->n_int32_data, proto->int32_data},
        {"int64_data", proto->n_int64_data, proto->int64_data},
        {"double_data", proto->n_double_data, proto->double_data},
        {"uint64_data", proto->n_uint64_data, proto->uint64_data},
        {"string_data", proto->n_string_data, proto->string_data},
    };
    *source = (struct source){NULL, 0, NULL};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].count == 0)
            continue;
        if (source->name)
            return qd_fail(error, QD_INVALID, "both %s and %s are set", source->name,
                           fields[i].name);
        *source = fields[i];
    }
    return QD_OK;
}

/* The typed field in which a dtype's elements are kept (onnx.proto, comments of TensorProto). */
static const char *typed_field(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_F32: return "float_data";
    case QD_F64: return "double_data";
    case QD_S64: return "int64_data";
    default: return "int32_data";
    }
}

/* Elements below a byte are packed, and each entry of int32_data is one byte of them. */
static void entry_range(const struct qd_dtype_info *info, int64_t *min, int64_t *max)
{
    bool codes = info->kind != QD_CLASS_FLOAT && info->bits >= 8;
    *min = codes ? info->min : 0;
    *max = codes ? info->max : info->bits == 16 ? 0xffff : 0xff;
}

static enum qd_status read_int32(const struct source *source, const struct qd_tensor *tensor,
                                 uint8_t *bytes, struct qd_error *error)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    const int32_t *entries = source->data;
    size_t width = info->bits < 8 ? 1 : info->bits / 8;
    int64_t min, max;
    entry_range(info, &min, &max);
    for (size_t i = 0; i < source->count; i++) {
        if (entries[i] < min || entries[i] > max)
            return qd_fail(error, QD_INVALID,
                           "int32_data[%zu] = %d is outside %s's range %lld to %lld", i, entries[i],
                           info->name, (long long)min, (long long)max);
        for (size_t b = 0; b < width; b++)
            bytes[i * width + b] = (uint8_t)((uint32_t)entries[i] >> (8 * b));
    }
    return QD_OK;
}

static enum qd_status read_typed(const struct source *source, struct qd_tensor *tensor,
                                 struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    if (strcmp(source->name, typed_field(tensor->dtype)) != 0)
        return qd_fail(error, QD_INVALID, "%s elements in %s", info->name, source->name);
    size_t bytes = (size_t)qd_dtype_bytes(tensor->dtype, (uint64_t)tensor->count);
    size_t want = info->bits < 8 ? bytes : (size_t)tensor->count;
    if (source->count != want)
        return qd_fail(error, QD_INVALID, "%s has %zu entries, the shape needs %zu", source->name,
                       source->count, want);
    tensor->data = qd_arena_alloc(arena, bytes);
    if (!tensor->data)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu bytes", bytes);
    if (strcmp(source->name, "int32_data") == 0)
        return read_int32(source, tensor, tensor->data, error);
    memcpy(tensor->data, source->data, bytes);
    return QD_OK;
}

static enum qd_status check_bools(const struct qd_tensor *tensor, struct qd_error *error)
{
    const uint8_t *bytes = tensor->data;
    for (int64_t i = 0; tensor->dtype == QD_BOOL && i < tensor->count; i++)
        if (bytes[i] > 1)
            return qd_fail(error, QD_INVALID, "element %lld of a bool tensor is %u", (long long)i,
                           bytes[i]);
    return QD_OK;
}

/* Bits after the last element carry nothing; they are 0 so that equal tensors have equal bytes. */
static void clear_padding(const struct qd_tensor *tensor, size_t bytes)
{
    unsigned bits = qd_dtype_info(tensor->dtype)->bits;
    unsigned used = (unsigned)((uint64_t)tensor->count * bits % 8);
    if (used != 0)
        ((uint8_t *)tensor->data)[bytes - 1] &= (uint8_t)((1u << used) - 1);
}

static enum qd_status read_raw(const struct source *source, const Onnx__TensorProto *proto,
                               struct qd_tensor *tensor, struct qd_arena *arena,
                               struct qd_error *error)
{
    size_t bytes = (size_t)qd_dtype_bytes(tensor->dtype, (uint64_t)tensor->count);
    if (source->count != bytes)
        return qd_fail(error, QD_INVALID, "%zu bytes of data, the shape needs %zu", source->count,
                       bytes);
    tensor->data = bytes > 0 ? proto->raw_data.data : qd_arena_alloc(arena, 0);
    if (!tensor->data)
        return qd_fail(error, QD_NO_MEMORY, "no room for an empty tensor");
    return QD_OK;
}

enum qd_status qd_tensor_of_proto(const Onnx__TensorProto *proto, struct qd_arena *arena,
                                  struct qd_tensor *tensor, struct qd_error *error)
{
    struct qd_tensor read = {0};
    struct source source = {0};
    enum qd_status status = read_shape(proto, &read, error);
    if (status == QD_OK)
        status = find_source(proto, &source, error);
    if (status != QD_OK)
        return status;
    bool raw = !source.name || strcmp(source.name, "raw_data") == 0;
    status = raw ? read_raw(&source, proto, &read, arena, error)
                 : read_typed(&source, &read, arena, error);
    if (status == QD_OK)
        status = check_bools(&read, error);
    if (status != QD_OK)
        return status;
    clear_padding(&read, qd_tensor_bytes(&read));
    *tensor = read;
    return QD_OK;
}

enum qd_status qd_tensor_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                                const char **name, struct qd_tensor *tensor, struct qd_error *error)
{
    ProtobufCMessage *message;
    enum qd_status status =
        qd_unpack(&onnx__tensor_proto__descriptor, bytes, size, arena, &message, error);
    if (status != QD_OK)
        return status;
    const Onnx__TensorProto *proto = (const Onnx__TensorProto *)message;
    status = qd_tensor_of_proto(proto, arena, tensor, error);
    if (status == QD_OK)
        *name = proto->name ? proto->name : "";
    return status;
}

void qd_tensor_put(struct qd_wire_out *out, const struct qd_tensor *tensor, const char *name)
{
    for (unsigned i = 0; i < tensor->rank; i++)
        qd_wire_put_varint(out, 1, (uint64_t)tensor->dims[i]);
    qd_wire_put_varint(out, 2, (uint64_t)qd_dtype_info(tensor->dtype)->onnx);
    qd_wire_put_text(out, 8, name);
    qd_wire_put_bytes(out, 9, tensor->data, qd_tensor_bytes(tensor));
}

enum qd_status qd_tensor_encode(const struct qd_tensor *tensor, const char *name,
                                struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                struct qd_error *error)
{
    struct qd_wire_out out = {.arena = arena};
    qd_tensor_put(&out, tensor, name);
    return qd_wire_finish(&out, bytes, size, error);
}
