/* SPDX-License-Identifier: Apache-2.0 */
/* The edits of must-reject rows, on protobuf-c's messages: what an edit does not name keeps its bytes. */
#include "reject_edit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/tensor.h"
#include "tensor_codec.h"

struct editor {
    Qdiff__Case *kase;
    Onnx__GraphProto *graph;
    Onnx__NodeProto *node; /* the only one */
    struct qd_arena *arena;
    struct qd_error *error;
};

static enum qd_status no_room(const struct editor *e)
{
    return qd_fail(e->error, QD_NO_MEMORY, "the memory budget is used up");
}

/* A copy of `count` pointers with one more at the end; NULL: no room. */
static void *append(const struct editor *e, const void *items, size_t count, void *item)
{
    void **grown = qd_arena_array(e->arena, count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    if (count > 0)
        memcpy(grown, items, count * sizeof *grown);
    grown[count] = item;
    return grown;
}

static void take_out(void *items, size_t *count, size_t at)
{
    void **pointers = items;
    (*count)--;
    memmove(pointers + at, pointers + at + 1, (*count - at) * sizeof *pointers);
}

static bool is_named(const char *name, const char *want)
{
    return name && strcmp(name, want) == 0;
}

/* --- Words and values ----------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

char *qd_reject_part(char **rest, char separator)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = strchr(part, separator);
    *rest = end ? end + 1 : NULL;
    if (!end)
        end = part + strlen(part);
    while (is_blank(*part))
        part++;
    while (end > part && is_blank(end[-1]))
        end--;
    *end = '\0';
    return part;
}

struct number {
    bool is_int;
    int64_t i;
    double real;
};

/* "-3" is an int; what has a point, an exponent or a word ("nan", "inf") is not. */
static bool read_number(const char *text, struct number *number)
{
    char *end;
    if (!*text || is_blank(*text) || strpbrk(text, "xX"))
        return false;
    number->is_int = !strpbrk(text, ".eEnN");
    errno = 0;
    if (number->is_int) {
        number->i = strtoll(text, &end, 10);
        number->real = (double)number->i;
        return *end == '\0' && errno == 0;
    }
    number->real = strtod(text, &end);
    return *end == '\0';
}

enum { MAX_NUMBERS = 64 };

struct list {
    size_t count;
    bool all_ints;
    struct number at[MAX_NUMBERS];
};

/* "[1, 2]". */
static enum qd_status read_list(const struct editor *e, char *text, struct list *list)
{
    size_t length = strlen(text);
    *list = (struct list){.all_ints = true};
    if (text[0] != '[' || length < 2 || text[length - 1] != ']')
        return qd_fail(e->error, QD_INVALID, "'%.40s' is no list in brackets", text);
    text[length - 1] = '\0';
    char *rest = text + 1 + strspn(text + 1, " ");
    if (!*rest)
        return QD_OK;
    for (char *part; (part = qd_reject_part(&rest, ',')) != NULL; list->count++) {
        if (list->count == MAX_NUMBERS)
            return qd_fail(e->error, QD_LIMIT, "a list of more than %d numbers", MAX_NUMBERS);
        if (!read_number(part, &list->at[list->count]))
            return qd_fail(e->error, QD_INVALID, "'%.40s' is no number", part);
        list->all_ints = list->all_ints && list->at[list->count].is_int;
    }
    return QD_OK;
}

/* --- Attributes ----------------------------------------------------------------------------------- */

#define ATTR(type) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##type

static enum qd_status set_list(const struct editor *e, Onnx__AttributeProto *attr, char *text)
{
    struct list list;
    enum qd_status status = read_list(e, text, &list);
    if (status != QD_OK)
        return status;
    attr->type = list.all_ints ? ATTR(INTS) : ATTR(FLOATS);
    attr->ints = qd_arena_array(e->arena, list.count, sizeof *attr->ints);
    attr->floats = qd_arena_array(e->arena, list.count, sizeof *attr->floats);
    if (!attr->ints || !attr->floats)
        return no_room(e);
    *(list.all_ints ? &attr->n_ints : &attr->n_floats) = list.count;
    for (size_t i = 0; i < list.count; i++) {
        attr->ints[i] = list.all_ints ? list.at[i].i : 0;
        attr->floats[i] = (float)list.at[i].real;
    }
    return QD_OK;
}

static enum qd_status set_string(const struct editor *e, Onnx__AttributeProto *attr, char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != '"')
        return qd_fail(e->error, QD_INVALID, "'%.40s' lacks its closing quote", text);
    attr->type = ATTR(STRING);
    attr->has_s = true;
    attr->s.len = length - 2;
    attr->s.data = qd_arena_copy(e->arena, text + 1, length - 2);
    return attr->s.data ? QD_OK : no_room(e);
}

static enum qd_status set_number(const struct editor *e, Onnx__AttributeProto *attr,
                                 const char *text)
{
    struct number number;
    if (!read_number(text, &number))
        return qd_fail(e->error, QD_INVALID, "'%.40s' is no number, list or quoted string", text);
    attr->type = number.is_int ? ATTR(INT) : ATTR(FLOAT);
    attr->has_i = number.is_int;
    attr->i = number.is_int ? number.i : 0;
    attr->has_f = !number.is_int;
    attr->f = (float)number.real;
    return QD_OK;
}

static size_t attr_index(const struct editor *e, const char *name)
{
    size_t i = 0;
    while (i < e->node->n_attribute && !is_named(e->node->attribute[i]->name, name))
        i++;
    return i;
}

static enum qd_status edit_attr(const struct editor *e, const char *name, char *value)
{
    Onnx__AttributeProto *attr = qd_arena_alloc(e->arena, sizeof *attr);
    if (!attr)
        return no_room(e);
    onnx__attribute_proto__init(attr);
    attr->name = qd_arena_string(e->arena, name);
    attr->has_type = true;
    enum qd_status status = *value == '['   ? set_list(e, attr, value)
                            : *value == '"' ? set_string(e, attr, value)
                                            : set_number(e, attr, value);
    if (status != QD_OK)
        return status;
    size_t at = attr_index(e, name);
    if (at == e->node->n_attribute) {
        e->node->attribute = append(e, e->node->attribute, at, attr);
        e->node->n_attribute += e->node->attribute != NULL;
    } else {
        e->node->attribute[at] = attr;
    }
    return attr->name && e->node->attribute ? QD_OK : no_room(e);
}

static enum qd_status edit_no_attr(const struct editor *e, const char *name, char *value)
{
    (void)value;
    size_t at = attr_index(e, name);
    if (at == e->node->n_attribute)
        return qd_fail(e->error, QD_INVALID, "the twin has no attribute '%.40s'", name);
    take_out(e->node->attribute, &e->node->n_attribute, at);
    return QD_OK;
}

/* --- Tensors -------------------------------------------------------------------------------------- */

static size_t initializer_index(const struct editor *e, const char *name)
{
    size_t i = 0;
    while (i < e->graph->n_initializer && !is_named(e->graph->initializer[i]->name, name))
        i++;
    return i;
}

static size_t info_index(Onnx__ValueInfoProto *const *infos, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && !is_named(infos[i]->name, name))
        i++;
    return i;
}

/* A tensor of the model: an initializer, or a graph input and what it is fed. */
struct operand {
    Onnx__TensorProto *tensor;
    Onnx__TypeProto__Tensor *declared; /* NULL: an initializer */
};

static Onnx__TypeProto__Tensor *declared_type(const Onnx__ValueInfoProto *info)
{
    const Onnx__TypeProto *type = info->type;
    return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? type->tensor_type
                                                                           : NULL;
}

static bool find(const struct editor *e, const char *name, struct operand *found)
{
    size_t at = initializer_index(e, name);
    if (at < e->graph->n_initializer) {
        *found = (struct operand){e->graph->initializer[at], NULL};
        return true;
    }
    at = info_index(e->graph->input, e->graph->n_input, name);
    if (at == e->graph->n_input || at >= e->kase->n_input)
        return false;
    *found = (struct operand){e->kase->input[at], declared_type(e->graph->input[at])};
    return found->declared != NULL;
}

static enum qd_status no_operand(const struct editor *e, const char *name)
{
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < e->node->n_input && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, " %s", e->node->input[i]);
    return qd_fail(e->error, QD_INVALID, "the twin has no operand '%.40s'; its operands:%s", name,
                   names);
}

static bool declare_shape(const struct editor *e, Onnx__TypeProto__Tensor *type,
                          const struct qd_tensor *tensor)
{
    Onnx__TensorShapeProto *shape = qd_arena_alloc(e->arena, sizeof *shape);
    if (!shape)
        return false;
    onnx__tensor_shape_proto__init(shape);
    for (unsigned i = 0; i < tensor->rank; i++) {
        Onnx__TensorShapeProto__Dimension *dim = qd_arena_alloc(e->arena, sizeof *dim);
        shape->dim = append(e, shape->dim, shape->n_dim, dim);
        if (!dim || !shape->dim)
            return false;
        onnx__tensor_shape_proto__dimension__init(dim);
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = tensor->dims[i];
        shape->n_dim++;
    }
    type->shape = shape;
    return true;
}

/* The entries of int32_data: codes, the bits of floats, or the bytes of packed elements. */
static bool put_int32(const struct editor *e, Onnx__TensorProto *proto,
                      const struct qd_tensor *tensor)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    bool packed = info->bits < 8;
    size_t count = packed ? qd_tensor_bytes(tensor) : (size_t)tensor->count;
    int64_t mask = info->kind == QD_CLASS_FLOAT ? ((int64_t)1 << info->bits) - 1 : -1;
    proto->int32_data = qd_arena_array(e->arena, count, sizeof *proto->int32_data);
    for (size_t i = 0; proto->int32_data && i < count; i++)
        proto->int32_data[i] = packed ? ((const uint8_t *)tensor->data)[i]
                                      : (int32_t)(qd_tensor_get(tensor, (int64_t)i) & mask);
    proto->n_int32_data = count;
    return proto->int32_data != NULL;
}

/* Writes elements in the field that onnx.proto has for their type. */
static enum qd_status store(const struct editor *e, const struct operand *operand,
                            const struct qd_tensor *tensor)
{
    Onnx__TensorProto *proto = operand->tensor;
    char *name = proto->name;
    size_t count = (size_t)tensor->count;
    onnx__tensor_proto__init(proto);
    proto->name = name;
    proto->has_data_type = true;
    proto->data_type = qd_dtype_info(tensor->dtype)->onnx;
    proto->n_dims = tensor->rank;
    proto->dims = qd_arena_copy(e->arena, tensor->dims, tensor->rank * sizeof *tensor->dims);
    bool ok = proto->dims != NULL;
    switch (tensor->dtype) {
    case QD_F32: proto->float_data = tensor->data, proto->n_float_data = count; break;
    case QD_F64: proto->double_data = tensor->data, proto->n_double_data = count; break;
    case QD_S64: proto->int64_data = tensor->data, proto->n_int64_data = count; break;
    default: ok = ok && put_int32(e, proto, tensor);
    }
    if (operand->declared) {
        operand->declared->has_elem_type = true;
        operand->declared->elem_type = proto->data_type;
        ok = ok && declare_shape(e, operand->declared, tensor);
    }
    return ok ? QD_OK : no_room(e);
}

static int64_t saturated(const struct qd_dtype_info *info, double x)
{
    x = isnan(x) ? 0 : nearbyint(x);
    if (x >= (double)info->max)
        return info->max;
    return x <= (double)info->min ? info->min : (int64_t)x;
}

static int64_t clamped(const struct qd_dtype_info *info, int64_t code)
{
    return code < info->min ? info->min : code > info->max ? info->max : code;
}

/* The code of the type's value nearest to x. */
static int64_t code_of(enum qd_dtype dtype, double x)
{
    if (qd_dtype_is_float(dtype))
        return (int64_t)qd_float_encode(dtype, qd_float_round(dtype, QD_NEAREST_EVEN, x), true);
    return saturated(qd_dtype_info(dtype), x);
}

/* Element i as a code of another type. */
static int64_t converted(const struct qd_tensor *from, int64_t i, enum qd_dtype to)
{
    if (from->dtype == to)
        return qd_tensor_get(from, i);
    if (qd_dtype_is_integer(from->dtype) && qd_dtype_is_integer(to))
        return clamped(qd_dtype_info(to), qd_tensor_get(from, i));
    return code_of(to, qd_tensor_value(from, i));
}

/* Stores the operand with another type and shape, with its elements converted, repeated or cut off. */
static enum qd_status reshape(const struct editor *e, const struct operand *operand,
                              const struct qd_tensor *from, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims)
{
    struct qd_tensor made;
    enum qd_status status = qd_tensor_init(&made, e->arena, dtype, rank, dims, e->error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; from->count > 0 && i < made.count; i++)
        qd_tensor_set(&made, i, converted(from, i % from->count, dtype));
    return store(e, operand, &made);
}

static enum qd_status edit_type(const struct editor *e, const char *name, char *value)
{
    struct operand operand;
    struct qd_tensor tensor;
    enum qd_dtype dtype = qd_dtype_of_word(value);
    if (dtype == QD_DTYPE_NONE)
        return qd_fail(e->error, QD_INVALID, "'%.40s' is no type; types are words like u8 or f32",
                       value);
    size_t at = info_index(e->graph->output, e->graph->n_output, name);
    if (at < e->graph->n_output && declared_type(e->graph->output[at])) {
        declared_type(e->graph->output[at])->elem_type = qd_dtype_info(dtype)->onnx;
        return QD_OK;
    }
    if (!find(e, name, &operand))
        return no_operand(e, name);
    enum qd_status status = qd_tensor_of_proto(operand.tensor, e->arena, &tensor, e->error);
    return status == QD_OK ? reshape(e, &operand, &tensor, dtype, tensor.rank, tensor.dims)
                           : status;
}

static enum qd_status edit_dims(const struct editor *e, const char *name, char *value)
{
    struct operand operand;
    struct qd_tensor tensor;
    struct list list;
    int64_t dims[QD_MAX_RANK];
    if (!find(e, name, &operand))
        return no_operand(e, name);
    enum qd_status status = read_list(e, value, &list);
    if (status == QD_OK && (!list.all_ints || list.count > QD_MAX_RANK))
        status = qd_fail(e->error, QD_INVALID, "a shape is a list of at most %d whole numbers",
                         QD_MAX_RANK);
    if (status == QD_OK)
        status = qd_tensor_of_proto(operand.tensor, e->arena, &tensor, e->error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < list.count; i++)
        dims[i] = list.at[i].i;
    return reshape(e, &operand, &tensor, tensor.dtype, (unsigned)list.count, dims);
}

/* Fills the tensor with the numbers, over and over. */
static enum qd_status fill(const struct editor *e, const struct list *list,
                           const struct qd_tensor *tensor)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    bool is_float = qd_dtype_is_float(tensor->dtype);
    uint64_t count = (uint64_t)tensor->count;
    if (list->count == 0 || list->count > count || count % list->count != 0)
        return qd_fail(e->error, QD_INVALID, "%zu numbers do not fill %lld elements", list->count,
                       (long long)tensor->count);
    for (size_t i = 0; i < count; i++) {
        const struct number *number = &list->at[i % list->count];
        if (!is_float && (!number->is_int || clamped(info, number->i) != number->i))
            return qd_fail(e->error, QD_INVALID, "%g is no %s", number->real, info->name);
        qd_tensor_set(tensor, (int64_t)i,
                      is_float ? code_of(tensor->dtype, number->real) : number->i);
    }
    return QD_OK;
}

static enum qd_status edit_data(const struct editor *e, const char *name, char *value)
{
    struct operand operand;
    struct qd_tensor tensor, made;
    struct list list;
    if (!find(e, name, &operand))
        return no_operand(e, name);
    enum qd_status status = read_list(e, value, &list);
    if (status == QD_OK)
        status = qd_tensor_of_proto(operand.tensor, e->arena, &tensor, e->error);
    if (status == QD_OK)
        status = qd_tensor_init(&made, e->arena, tensor.dtype, tensor.rank, tensor.dims, e->error);
    if (status == QD_OK)
        status = fill(e, &list, &made);
    return status == QD_OK ? store(e, &operand, &made) : status;
}

/* --- Operands and outputs ------------------------------------------------------------------------- */

static size_t operand_index(const struct editor *e, const char *name)
{
    size_t i = 0;
    while (i < e->node->n_input && !is_named(e->node->input[i], name))
        i++;
    return i;
}

/* Takes a tensor out of the model, unless the node reads it. */
static void drop_unread(const struct editor *e, const char *name)
{
    if (operand_index(e, name) < e->node->n_input)
        return;
    size_t at = initializer_index(e, name);
    if (at < e->graph->n_initializer) {
        take_out(e->graph->initializer, &e->graph->n_initializer, at);
        return;
    }
    at = info_index(e->graph->input, e->graph->n_input, name);
    if (at == e->graph->n_input || at >= e->kase->n_input)
        return;
    take_out(e->graph->input, &e->graph->n_input, at);
    take_out(e->kase->input, &e->kase->n_input, at);
}

static enum qd_status edit_omit(const struct editor *e, const char *name, char *value)
{
    (void)value;
    size_t at = operand_index(e, name);
    if (at == e->node->n_input)
        return no_operand(e, name);
    e->node->input[at] = qd_arena_string(e->arena, "");
    if (!e->node->input[at])
        return no_room(e);
    drop_unread(e, name);
    return QD_OK;
}

static enum qd_status edit_cut(const struct editor *e, const char *name, char *value)
{
    (void)value;
    size_t first = operand_index(e, name), count = e->node->n_input;
    if (first == count)
        return no_operand(e, name);
    e->node->n_input = first;
    for (size_t i = first; i < count; i++)
        drop_unread(e, e->node->input[i]);
    return QD_OK;
}

static enum qd_status add_initializer(const struct editor *e, char *name)
{
    Onnx__TensorProto *proto = qd_arena_alloc(e->arena, sizeof *proto);
    struct qd_tensor one;
    if (!proto)
        return no_room(e);
    onnx__tensor_proto__init(proto);
    proto->name = name;
    e->graph->initializer = append(e, e->graph->initializer, e->graph->n_initializer, proto);
    if (!e->graph->initializer)
        return no_room(e);
    e->graph->n_initializer++;
    enum qd_status status = qd_tensor_init(&one, e->arena, QD_F32, 0, NULL, e->error);
    if (status != QD_OK)
        return status;
    qd_tensor_set(&one, 0, code_of(QD_F32, 1));
    return store(e, &(struct operand){proto, NULL}, &one);
}

static enum qd_status edit_input(const struct editor *e, const char *name, char *value)
{
    (void)value;
    struct operand operand;
    char *copy = qd_arena_string(e->arena, name);
    char **inputs = append(e, e->node->input, e->node->n_input, copy);
    if (!copy || !inputs)
        return no_room(e);
    e->node->input = inputs;
    e->node->n_input++;
    return find(e, name, &operand) ? QD_OK : add_initializer(e, copy);
}

static enum qd_status edit_output(const struct editor *e, const char *name, char *value)
{
    (void)value;
    char *copy = qd_arena_string(e->arena, name);
    char **outputs = append(e, e->node->output, e->node->n_output, copy);
    if (!copy || !outputs)
        return no_room(e);
    e->node->output = outputs;
    e->node->n_output++;
    return QD_OK;
}

/* --- Versions ------------------------------------------------------------------------------------- */

static enum qd_status read_version(const struct editor *e, const char *text, int64_t *version)
{
    struct number number;
    if (!read_number(text, &number) || !number.is_int || number.i < 1)
        return qd_fail(e->error, QD_INVALID, "'%.40s' is no version", text);
    *version = number.i;
    return QD_OK;
}

static enum qd_status edit_opset(const struct editor *e, const char *version, char *value)
{
    (void)value;
    Onnx__ModelProto *model = e->kase->model;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        Onnx__OperatorSetIdProto *import = model->opset_import[i];
        if (!import->domain || !*import->domain)
            return read_version(e, version, &import->version);
    }
    return qd_fail(e->error, QD_INVALID, "the twin does not import ONNX's own operators");
}

static enum qd_status edit_ir(const struct editor *e, const char *version, char *value)
{
    (void)value;
    return read_version(e, version, &e->kase->model->ir_version);
}

/* --- One edit ------------------------------------------------------------------------------------- */

static const struct edit {
    const char *verb;
    bool takes_value;
    enum qd_status (*run)(const struct editor *e, const char *name, char *value);
} edits[] = {
    {"attr", true, edit_attr},    {"no-attr", false, edit_no_attr}, {"type", true, edit_type},
    {"dims", true, edit_dims},    {"data", true, edit_data},        {"omit", false, edit_omit},
    {"cut", false, edit_cut},     {"input", false, edit_input},     {"output", false, edit_output},
    {"opset", false, edit_opset}, {"ir", false, edit_ir},
};

static const struct edit *find_edit(const char *verb)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (strcmp(edits[i].verb, verb) == 0)
            return &edits[i];
    return NULL;
}

static enum qd_status open_case(Qdiff__Case *kase, struct editor *e, struct qd_error *error)
{
    Onnx__GraphProto *graph = kase->model ? kase->model->graph : NULL;
    if (!graph || graph->n_node != 1)
        return qd_fail(error, QD_INVALID, "the twin has %zu nodes; edits are for one",
                       graph ? graph->n_node : 0);
    e->graph = graph;
    e->node = graph->node[0];
    for (size_t i = 0; i < graph->n_input; i++)
        if (initializer_index(e, graph->input[i]->name ? graph->input[i]->name : "") <
            graph->n_initializer)
            return qd_fail(error, QD_INVALID, "'%.40s' of the twin is both input and initializer",
                           graph->input[i]->name);
    return QD_OK;
}

enum qd_status qd_reject_edit(Qdiff__Case *kase, char *text, struct qd_arena *arena,
                              struct qd_error *error)
{
    struct editor e = {.kase = kase, .arena = arena, .error = error};
    enum qd_status status = open_case(kase, &e, error);
    if (status != QD_OK)
        return status;
    char *rest = text;
    const char *verb = qd_reject_part(&rest, ' '), *name = qd_reject_part(&rest, ' ');
    char *value = rest ? qd_reject_part(&rest, '\n') : NULL;
    const struct edit *edit = find_edit(verb);
    if (!edit)
        return qd_fail(error, QD_INVALID, "no edit is called '%.40s' (cases/reject_edit.h)", verb);
    if (!name || !*name)
        return qd_fail(error, QD_INVALID, "'%s' of nothing", verb);
    if (edit->takes_value != (value && *value))
        return qd_fail(error, QD_INVALID, "'%s %.40s' %s", verb, name,
                       edit->takes_value ? "lacks its value" : "is followed by something");
    return edit->run(&e, name, value);
}
