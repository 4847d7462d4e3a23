/* SPDX-License-Identifier: Apache-2.0 */
/* onnx.AttributeProto to struct qd_attr. */
#include <string.h>

#include "model.h"
#include "tensor_codec.h"

typedef Onnx__AttributeProto Attribute;
#define TYPE(name) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##name

/* Bit t is set when the value field of attribute type t is in use. */
static uint32_t fields_in_use(const Attribute *proto)
{
    uint32_t used = 0;
    used |= (uint32_t)(proto->has_f != 0) << TYPE(FLOAT);
    used |= (uint32_t)(proto->has_i != 0) << TYPE(INT);
    used |= (uint32_t)(proto->has_s != 0) << TYPE(STRING);
    used |= (uint32_t)(proto->t != NULL) << TYPE(TENSOR);
    used |= (uint32_t)(proto->g != NULL) << TYPE(GRAPH);
    used |= (uint32_t)(proto->sparse_tensor != NULL) << TYPE(SPARSE_TENSOR);
    used |= (uint32_t)(proto->tp != NULL) << TYPE(TYPE_PROTO);
    used |= (uint32_t)(proto->n_floats > 0) << TYPE(FLOATS);
    used |= (uint32_t)(proto->n_ints > 0) << TYPE(INTS);
    used |= (uint32_t)(proto->n_strings > 0) << TYPE(STRINGS);
    used |= (uint32_t)(proto->n_tensors > 0) << TYPE(TENSORS);
    used |= (uint32_t)(proto->n_graphs > 0) << TYPE(GRAPHS);
    used |= (uint32_t)(proto->n_sparse_tensors > 0) << TYPE(SPARSE_TENSORS);
    used |= (uint32_t)(proto->n_type_protos > 0) << TYPE(TYPE_PROTOS);
    return used;
}

static bool may_be_empty(int type)
{
    return type == TYPE(FLOATS) || type == TYPE(INTS) || type == TYPE(STRINGS) ||
           type == TYPE(TENSORS) || type == TYPE(GRAPHS) || type == TYPE(SPARSE_TENSORS) ||
           type == TYPE(TYPE_PROTOS);
}

/* The type is set and exactly its field is in use. */
static enum qd_status check_type(const Attribute *proto, struct qd_error *error)
{
    if (!proto->has_type || (int)proto->type <= 0 || (int)proto->type > TYPE(TYPE_PROTOS))
        return qd_fail(error, QD_INVALID, "type is %s", proto->has_type ? "unknown" : "not set");
    uint32_t used = fields_in_use(proto);
    uint32_t own = (uint32_t)1 << proto->type;
    if (used == own || (used == 0 && may_be_empty((int)proto->type)))
        return QD_OK;
    return qd_fail(error, QD_INVALID, "the value field of its type (%d) is not the one that is set",
                   (int)proto->type);
}

static enum qd_status read_string(const Attribute *proto, struct qd_arena *arena,
                                  struct qd_attr *attr, struct qd_error *error)
{
    if (proto->s.len > 0 && memchr(proto->s.data, 0, proto->s.len))
        return qd_fail(error, QD_INVALID, "the string holds a NUL");
    char *text = qd_arena_alloc(arena, proto->s.len + 1);
    if (!text)
        return qd_fail(error, QD_NO_MEMORY, "no room for a string of %zu bytes", proto->s.len);
    if (proto->s.len > 0)
        memcpy(text, proto->s.data, proto->s.len);
    attr->kind = QD_ATTR_STRING;
    attr->s = text;
    return QD_OK;
}

static enum qd_status read_tensor(const Attribute *proto, struct qd_arena *arena,
                                  struct qd_attr *attr, struct qd_error *error)
{
    struct qd_tensor *tensor = qd_arena_alloc(arena, sizeof *tensor);
    if (!tensor)
        return qd_fail(error, QD_NO_MEMORY, "no room for a tensor");
    attr->kind = QD_ATTR_TENSOR;
    attr->tensor = tensor;
    return qd_tensor_of_proto(proto->t, arena, tensor, error);
}

static enum qd_status read_value(const Attribute *proto, struct qd_arena *arena,
                                 struct qd_attr *attr, struct qd_error *error)
{
    switch ((int)proto->type) {
    case TYPE(INT):
        attr->kind = QD_ATTR_INT;
        attr->i = proto->i;
        return QD_OK;
    case TYPE(FLOAT):
        attr->kind = QD_ATTR_FLOAT;
        attr->f = proto->f;
        return QD_OK;
    case TYPE(INTS):
        attr->kind = QD_ATTR_INTS;
        attr->count = proto->n_ints;
        attr->ints = proto->ints;
        return QD_OK;
    case TYPE(FLOATS):
        attr->kind = QD_ATTR_FLOATS;
        attr->count = proto->n_floats;
        attr->floats = proto->floats;
        return QD_OK;
    case TYPE(STRING): return read_string(proto, arena, attr, error);
    case TYPE(TENSOR): return read_tensor(proto, arena, attr, error);
    case TYPE(GRAPH):
    case TYPE(GRAPHS): return qd_fail(error, QD_UNSUPPORTED, "a subgraph");
    default: attr->kind = QD_ATTR_OTHER; return QD_OK;
    }
}

static enum qd_status read_attr(const Attribute *proto, struct qd_arena *arena,
                                struct qd_attr *attr, struct qd_error *error)
{
    if (!proto->name || !*proto->name)
        return qd_fail(error, QD_INVALID, "it has no name");
    if (proto->ref_attr_name && *proto->ref_attr_name)
        return qd_fail(error, QD_INVALID, "ref_attr_name outside a function");
    attr->name = proto->name;
    enum qd_status status = check_type(proto, error);
    return status == QD_OK ? read_value(proto, arena, attr, error) : status;
}

/* An operator has a dozen attributes; a node with thousands is an attack on the quadratic check of names. */
#define MAX_ATTRS 64

enum qd_status qd_attrs_of_node(const Onnx__NodeProto *node, struct qd_arena *arena,
                                const struct qd_attr **attrs, struct qd_error *error)
{
    if (node->n_attribute > MAX_ATTRS)
        return qd_fail(error, QD_LIMIT, "%zu attributes, at most %d are read", node->n_attribute,
                       MAX_ATTRS);
    struct qd_attr *read = qd_arena_array(arena, node->n_attribute, sizeof *read);
    if (!read)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu attributes", node->n_attribute);
    for (size_t i = 0; i < node->n_attribute; i++) {
        enum qd_status status = read_attr(node->attribute[i], arena, &read[i], error);
        for (size_t j = 0; status == QD_OK && j < i; j++)
            if (strcmp(read[i].name, read[j].name) == 0)
                status = qd_fail(error, QD_INVALID, "it occurs twice");
        if (status != QD_OK)
            return qd_fail_context(error, status, "attribute '%.80s'",
                                   node->attribute[i]->name ? node->attribute[i]->name : "");
    }
    *attrs = read;
    return QD_OK;
}
