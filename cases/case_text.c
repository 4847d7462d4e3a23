/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/case_text.h"
#include "qdiff/memory_stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.pb-c.h"
#include "tensor_codec.h"
#include "unpack.h"

/* What fits into a line stands in one. */
#define LINE 100

struct writer {
    struct qd_arena *arena;
    FILE *out;
    struct qd_error *error;
    enum qd_status status; /* of the first failure */
};

/* Fields, each on a line of its own, or (ONE_LINE) after blanks. */
#define ONE_LINE (-1)
static void put_fields(struct writer *w, const ProtobufCMessage *message, int indent);

/* --- Scalars ------------------------------------------------------------------------------------ */

static void put_escaped(FILE *out, const uint8_t *bytes, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '"' || bytes[i] == '\\')
            fprintf(out, "\\%c", bytes[i]);
        else if (bytes[i] >= ' ' && bytes[i] < 0x7f)
            fputc(bytes[i], out);
        else
            fprintf(out, "\\%03o", bytes[i]);
    fputc('"', out);
}

static void put_real(FILE *out, double value, int digits)
{
    if (isnan(value))
        fputs("nan", out);
    else if (isinf(value))
        fputs(value < 0 ? "-inf" : "inf", out);
    else
        fprintf(out, "%.*g", digits, value);
}

static void put_enum(FILE *out, const ProtobufCFieldDescriptor *field, int value)
{
    const ProtobufCEnumValue *found =
        protobuf_c_enum_descriptor_get_value(field->descriptor, value);
    if (found)
        fputs(found->name, out);
    else
        fprintf(out, "%d", value);
}

/* A value that is no message, at its place in memory. */
static void put_scalar(FILE *out, const ProtobufCFieldDescriptor *field, const void *at)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32: fprintf(out, "%" PRId32, *(const int32_t *)at); break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64: fprintf(out, "%" PRId64, *(const int64_t *)at); break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32: fprintf(out, "%" PRIu32, *(const uint32_t *)at); break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64: fprintf(out, "%" PRIu64, *(const uint64_t *)at); break;
    case PROTOBUF_C_TYPE_FLOAT: put_real(out, (double)*(const float *)at, 9); break;
    case PROTOBUF_C_TYPE_DOUBLE: put_real(out, *(const double *)at, 17); break;
    case PROTOBUF_C_TYPE_BOOL:
        fputs(*(const protobuf_c_boolean *)at ? "true" : "false", out);
        break;
    case PROTOBUF_C_TYPE_ENUM: put_enum(out, field, *(const int *)at); break;
    case PROTOBUF_C_TYPE_STRING: {
        const char *text = *(char *const *)at;
        put_escaped(out, (const uint8_t *)text, strlen(text));
        break;
    }
    case PROTOBUF_C_TYPE_BYTES: {
        const ProtobufCBinaryData *bytes = at;
        put_escaped(out, bytes->data, bytes->len);
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE: break; /* put_field */
    }
}

static size_t scalar_size(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    default: return 4;
    }
}

/* --- Tensors ------------------------------------------------------------------------------------ */

/* The field of TensorProto that holds elements of the type as numbers; NULL: none does. */
static const char *field_of(const struct qd_tensor *tensor)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    for (int64_t i = 0; qd_dtype_is_float(tensor->dtype) && i < tensor->count; i++)
        if (info->bits >= 8 && isnan(qd_tensor_value(tensor, i)))
            return NULL;
    if (info->bits < 8)
        return NULL;
    switch (tensor->dtype) {
    case QD_F32: return "float_data";
    case QD_F64: return "double_data";
    case QD_S64: return "int64_data";
    default: return "int32_data";
    }
}

static void put_element(FILE *out, const struct qd_tensor *tensor, int64_t i)
{
    int64_t code = qd_tensor_get(tensor, i);
    if (tensor->dtype == QD_F32 || tensor->dtype == QD_F64)
        put_real(out, qd_tensor_value(tensor, i), tensor->dtype == QD_F32 ? 9 : 17);
    else if (qd_dtype_is_float(tensor->dtype)) /* the bits, as an unsigned number */
        fprintf(out, "%" PRId64, code & (qd_dtype_info(tensor->dtype)->bits == 8 ? 0xff : 0xffff));
    else
        fprintf(out, "%" PRId64, code);
}

static void begin_field(FILE *out, int indent)
{
    fprintf(out, "%*s", indent == ONE_LINE ? 1 : indent, "");
}

static void end_field(FILE *out, int indent)
{
    if (indent != ONE_LINE)
        fputc('\n', out);
}

static void put_head(FILE *out, const char *name, const struct qd_tensor *tensor, int indent)
{
    begin_field(out, indent);
    if (name && *name) {
        fputs("name: ", out);
        put_escaped(out, (const uint8_t *)name, strlen(name));
        fputc(' ', out);
    }
    fprintf(out, "data_type: %" PRId32, qd_dtype_info(tensor->dtype)->onnx);
    for (unsigned i = 0; i < tensor->rank; i++)
        fprintf(out, "%s%" PRId64, i ? ", " : " dims: [", tensor->dims[i]);
    fputs(tensor->rank > 0 ? "]" : "", out);
    end_field(out, indent);
}

static void put_tensor(struct writer *w, const Onnx__TensorProto *proto, int indent)
{
    enum { A_LINE = 16 };
    struct qd_tensor tensor;
    w->status = qd_tensor_of_proto(proto, w->arena, &tensor, w->error);
    if (w->status != QD_OK)
        return;
    put_head(w->out, proto->name, &tensor, indent);
    const char *field = field_of(&tensor);
    begin_field(w->out, indent);
    if (!field) {
        fputs("raw_data: ", w->out);
        put_escaped(w->out, tensor.data, qd_tensor_bytes(&tensor));
    } else {
        fprintf(w->out, "%s: [", field);
        for (int64_t i = 0; i < tensor.count; i++) {
            if (i > 0)
                fputs(i % A_LINE == 0 && indent != ONE_LINE ? ",\n" : ", ", w->out);
            if (i > 0 && i % A_LINE == 0 && indent != ONE_LINE)
                begin_field(w->out, indent + 2);
            put_element(w->out, &tensor, i);
        }
        fputc(']', w->out);
    }
    end_field(w->out, indent);
}

/* --- Messages ----------------------------------------------------------------------------------- */

/* In one line, in memory of malloc; NULL: no room, or an error. */
static char *render_line(struct writer *w, const ProtobufCMessage *message)
{
    struct qd_memory_stream stream;
    FILE *out = w->out;
    bool open = qd_memory_open(&stream);
    w->out = stream.out;
    if (open)
        put_fields(w, message, ONE_LINE);
    if (!open || !qd_memory_close(&stream))
        w->status = qd_fail(w->error, QD_NO_MEMORY, "no room for the text of a case");
    w->out = out;
    if (w->status == QD_OK)
        return stream.text;
    free(stream.text);
    return NULL;
}

static void put_nested(struct writer *w, const ProtobufCMessage *message, int indent)
{
    if (indent == ONE_LINE) {
        fputs(" {", w->out);
        put_fields(w, message, ONE_LINE);
        fputs(" }", w->out);
        return;
    }
    char *line = render_line(w, message);
    if (!line)
        return;
    if (strlen(line) + (size_t)indent < LINE) {
        fprintf(w->out, " {%s }", line);
    } else {
        fputs(" {\n", w->out);
        put_fields(w, message, indent + 2);
        fprintf(w->out, "%*s}", indent, "");
    }
    free(line);
}

static void put_value(struct writer *w, const ProtobufCFieldDescriptor *field, const void *at,
                      int indent)
{
    if (w->status != QD_OK)
        return;
    begin_field(w->out, indent);
    fputs(field->name, w->out);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        put_nested(w, *(ProtobufCMessage *const *)at, indent);
    } else {
        fputs(": ", w->out);
        put_scalar(w->out, field, at);
    }
    end_field(w->out, indent);
}

/* Whether an optional field is there. */
static bool is_present(const ProtobufCFieldDescriptor *field, const char *message)
{
    const void *quantifier = message + field->quantifier_offset;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return *(const uint32_t *)quantifier == field->id;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING) {
        const void *value = *(void *const *)(const void *)(message + field->offset);
        return value && value != field->default_value;
    }
    return field->quantifier_offset == 0 || *(const protobuf_c_boolean *)quantifier;
}

static void put_fields(struct writer *w, const ProtobufCMessage *message, int indent)
{
    const char *bytes = (const char *)message;
    if (message->descriptor == &onnx__tensor_proto__descriptor) {
        put_tensor(w, (const Onnx__TensorProto *)(const void *)message, indent);
        return;
    }
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            if (is_present(field, bytes))
                put_value(w, field, bytes + field->offset, indent);
            continue;
        }
        size_t count = *(const size_t *)(const void *)(bytes + field->quantifier_offset);
        const char *items = *(char *const *)(const void *)(bytes + field->offset);
        for (size_t j = 0; j < count; j++)
            put_value(w, field, items + j * scalar_size(field), indent);
    }
}

static void put_comment(FILE *out, const char *comment)
{
    while (comment && *comment) {
        size_t length = strcspn(comment, "\n");
        fprintf(out, "#%s%.*s\n", length > 0 ? " " : "", (int)length, comment);
        comment += length + (comment[length] == '\n');
    }
}

enum qd_status qd_case_write_text(const struct qd_case *kase, const char *comment,
                                  struct qd_arena *arena, FILE *out, struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    ProtobufCMessage *message;
    struct qd_error local;
    struct writer w = {.arena = arena, .out = out, .error = error ? error : &local};
    enum qd_status status = qd_case_encode(kase, arena, &bytes, &size, w.error);
    if (status == QD_OK)
        status = qd_unpack(&qdiff__case__descriptor, bytes, size, arena, &message, w.error);
    if (status != QD_OK)
        return status;
    put_comment(out, comment);
    put_fields(&w, message, 0);
    return w.status;
}
