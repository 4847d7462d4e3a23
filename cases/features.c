/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/features.h"
#include "moved_back.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qdiff/evaluate.h"

_Static_assert(QD_FEATURE_COUNT <= QD_FEATURE_OPSET, "the opsets have the bits from 96 on");

static const struct {
    const char *word, *meaning;
} rows[] = {
#define QD_FEATURE(name, word, meaning) {word, meaning},
#include "qdiff/features.def"
#undef QD_FEATURE
};

#define NEWEST_OPSET 31
#define OPSET_WORDS(tens)                                                                   \
    "opset>=" #tens "0", "opset>=" #tens "1", "opset>=" #tens "2", "opset>=" #tens "3",     \
        "opset>=" #tens "4", "opset>=" #tens "5", "opset>=" #tens "6", "opset>=" #tens "7", \
        "opset>=" #tens "8", "opset>=" #tens "9"
static const char *const opset_words[NEWEST_OPSET + 1] = {
    "opset>=0", "opset>=1", "opset>=2", "opset>=3",     "opset>=4",     "opset>=5",  "opset>=6",
    "opset>=7", "opset>=8", "opset>=9", OPSET_WORDS(1), OPSET_WORDS(2), "opset>=30", "opset>=31"};

/* A node and the features found so far. */
struct view {
    const struct qd_case *kase;
    const struct qd_node *node;
    struct qd_features *found;
    int x, weight; /* operands: the first data, the weight; QD_NO_OPERAND */
};

static void set(struct qd_features *features, enum qd_feature feature)
{
    features->bits[feature / 64] |= (uint64_t)1 << (feature % 64);
}

/* An opset has the words of all before it. */
static void set_opset(struct qd_features *features, int64_t opset)
{
    for (int64_t i = 1; i <= opset && i <= NEWEST_OPSET; i++)
        set(features, (enum qd_feature)(QD_FEATURE_OPSET + i));
}

static void set_if(struct qd_features *features, bool condition, enum qd_feature feature)
{
    if (condition)
        set(features, feature);
}

static struct view view_of(const struct qd_case *kase, const struct qd_node *node,
                           struct qd_features *found)
{
    return (struct view){kase, node, found, node->op ? qd_op_operand(node->op, QD_ROLE_DATA) : 0,
                         qd_op_operand(node->op, QD_ROLE_WEIGHT)};
}

/* Whether input `index` is there. */
static bool is_given(const struct view *view, int index)
{
    return index >= 0 && (size_t)index < view->node->input_count &&
           view->node->inputs[index] != QD_NO_VALUE;
}

/* In larger graphs values that are handed on are not followed: the search for producers is quadratic. */
#define MOST_NODES 64

/* The value that an Identity, two moves there and back or, with `codes`, a DequantizeLinear make this one of. */
static int handed_on(const struct qd_case *kase, int value, bool codes)
{
    const struct qd_graph *graph = kase->graph;
    int producer = graph->node_count > MOST_NODES ? -1 : qd_graph_producer(graph, value);
    const struct qd_node *node = producer < 0 ? NULL : &graph->nodes[producer];
    bool passed = node && node->input_count > 0 && node->inputs[0] != QD_NO_VALUE &&
                  (strcmp(node->op_type, "Identity") == 0 ||
                   (codes && strcmp(node->op_type, "DequantizeLinear") == 0));
    int moved = node && !passed ? qd_moved_back(kase, value) : QD_NO_VALUE;
    return passed ? node->inputs[0] : moved != QD_NO_VALUE ? moved : value;
}

/* Where the value comes from, through any number of those. */
static int origin(const struct qd_case *kase, int value, bool codes)
{
    int next = handed_on(kase, value, codes);
    for (int steps = 0; next != value && steps < MOST_NODES; steps++) {
        value = next;
        next = handed_on(kase, value, codes);
    }
    return value;
}

/* A value's tensor when the case itself holds it, NULL for what a node computes. */
static const struct qd_tensor *held_tensor(const struct view *view, int value, bool *at_run_time)
{
    const struct qd_tensor *tensor = qd_case_tensor(view->kase, value);
    *at_run_time =
        !view->kase->graph->values[value].initializer && qd_case_input(view->kase, value) >= 0;
    return tensor;
}

/* The tensor of input `index`, which an Identity may hand on, or two moves. */
static const struct qd_tensor *input_tensor(const struct view *view, int index, bool *at_run_time)
{
    *at_run_time = false;
    if (!is_given(view, index))
        return NULL;
    int value = origin(view->kase, view->node->inputs[index], false);
    return held_tensor(view, value, at_run_time);
}

/* A tensor of the shape of input `index`: of its codes, say. */
static const struct qd_tensor *shaped_tensor(const struct view *view, int index)
{
    bool at_run_time;
    if (!is_given(view, index))
        return NULL;
    return held_tensor(view, origin(view->kase, view->node->inputs[index], true), &at_run_time);
}

static const struct qd_tensor *known_tensor(const struct view *view, int index)
{
    bool at_run_time;
    return input_tensor(view, index, &at_run_time);
}

static bool all_equal(const struct qd_tensor *tensor)
{
    for (int64_t i = 1; i < tensor->count; i++)
        if (qd_tensor_get(tensor, i) != qd_tensor_get(tensor, 0))
            return false;
    return true;
}

static bool has_subnormal(const struct qd_tensor *tensor)
{
    const struct qd_float_format *format = qd_float_format(tensor->dtype);
    for (int64_t i = 0; format && i < tensor->count; i++) {
        double value = fabs(qd_tensor_value(tensor, i));
        if (value > 0 && value < format->least_normal)
            return true;
    }
    return false;
}

static bool has_extreme(const struct qd_tensor *scale)
{
    for (int64_t i = 0; i < scale->count; i++) {
        double value = fabs(qd_tensor_value(scale, i));
        if (value < 0x1p-10 || value > 0x1p10)
            return true;
    }
    return false;
}

/* One pass: this is asked of every fuzzed case. */
static void find_numbers(struct qd_features *found, const struct qd_tensor *tensor)
{
    bool non_finite = false, extreme = false;
    for (int64_t i = 0; qd_dtype_is_float(tensor->dtype) && i < tensor->count; i++) {
        double value = fabs(qd_tensor_value(tensor, i));
        bool finite = isfinite(value);
        non_finite = non_finite || !finite;
        extreme = extreme || (finite && value > 0 && (value < 0x1p-40 || value > 0x1p40));
    }
    set_if(found, non_finite, QD_FEATURE_NON_FINITE);
    set_if(found, extreme, QD_FEATURE_EXTREME_DATA);
}

/* --- Facts of one node ------------------------------------------------------------------------ */

static enum qd_form form_of(const struct view *view)
{
    return view->node->op ? view->node->op->form : QD_FORM_NONE;
}

static int64_t int_attr(const struct qd_node *node, const char *name, int64_t otherwise)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    return attr && attr->kind == QD_ATTR_INT ? attr->i : otherwise;
}

/* Length of an axis of what the case holds or declares; 0 if there is no such axis, or nobody says. */
static int64_t length_of(const struct view *view, int index, int64_t axis)
{
    if (!is_given(view, index))
        return 0;
    const struct qd_tensor *tensor = known_tensor(view, index);
    const struct qd_graph_value *value = &view->kase->graph->values[view->node->inputs[index]];
    int64_t rank = tensor ? (int64_t)tensor->rank : value->declared_rank;
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
        return 0;
    return tensor ? tensor->dims[axis] : value->declared_dims[axis];
}

/* How long a vector may be that is a parameter: the axis that it belongs to; 0 if the operator's page says scalar. */
static int64_t vector_length(const struct view *view, int index)
{
    const struct qd_node *node = view->node;
    int owner = qd_op_owner(node->op, (size_t)index);
    bool weight = owner == view->weight;
    switch (form_of(view)) {
    case QD_FORM_QUANTIZES:
    case QD_FORM_DEQUANTIZES: /* a vector of one axis alone is that axis, whatever `axis` says */
        if (*node->domain == '\0' && node->opset < 13)
            return 0;
        return length_of(view, view->x,
                         length_of(view, view->x, 1) ? int_attr(node, "axis", 1) : 0);
    case QD_FORM_CONVOLVES: return weight ? length_of(view, view->weight, 0) : 0;
    case QD_FORM_MATRICES:
        if (weight)
            return length_of(view, view->weight, -1);
        return *node->domain == '\0' && owner == view->x ? length_of(view, view->x, -2) : 0;
    default: return 0;
    }
}

/* QLinearMatMul-10: "Scale and zero point must have same shape." Whether the operand's other parameter is a scalar. */
static bool is_beside_scalar(const struct view *view, int index)
{
    const struct qd_op *op = view->node->op;
    if (form_of(view) != QD_FORM_MATRICES || *view->node->domain != '\0')
        return false;
    for (size_t i = 0; i < op->max_inputs; i++) {
        bool other = (int)i != index && qd_op_is_parameter(op, i) &&
                     qd_op_owner(op, i) == qd_op_owner(op, (size_t)index);
        const struct qd_tensor *tensor = other ? known_tensor(view, (int)i) : NULL;
        if (tensor && tensor->rank == 0)
            return true;
    }
    return false;
}

static void find_vector(const struct view *view, int index, const struct qd_tensor *tensor)
{
    bool vector = tensor && tensor->rank == 1 && tensor->count == 1;
    bool blocked = int_attr(view->node, "block_size", 0) != 0;
    set_if(view->found,
           vector && !blocked && (vector_length(view, index) != 1 || is_beside_scalar(view, index)),
           QD_FEATURE_ONE_ELEMENT_VECTOR);
}

static void find_scale(const struct view *view, int index)
{
    bool at_run_time;
    const struct qd_tensor *scale = input_tensor(view, index, &at_run_time);
    set_if(view->found, at_run_time, QD_FEATURE_RUNTIME_PARAMETERS);
    find_vector(view, index, scale);
    if (!scale)
        return;
    set_if(view->found, scale->count > 1, QD_FEATURE_PER_CHANNEL_SCALE);
    set_if(view->found, has_subnormal(scale), QD_FEATURE_SUBNORMAL_SCALE);
    set_if(view->found, has_extreme(scale), QD_FEATURE_EXTREME_SCALE);
    set_if(view->found, scale->dtype == QD_F8E8M0, QD_FEATURE_FLOAT8_SCALE);
}

static void find_zero_point(const struct view *view, int index)
{
    bool at_run_time;
    const struct qd_tensor *zero_point = input_tensor(view, index, &at_run_time);
    set_if(view->found, !is_given(view, index), QD_FEATURE_NO_ZERO_POINT);
    set_if(view->found, at_run_time, QD_FEATURE_RUNTIME_PARAMETERS);
    find_vector(view, index, zero_point);
    if (!zero_point)
        return;
    bool distinct = zero_point->count > 1 && !all_equal(zero_point);
    set_if(view->found, zero_point->count > 1, QD_FEATURE_PER_CHANNEL_ZERO_POINT);
    set_if(view->found, distinct, QD_FEATURE_DISTINCT_ZERO_POINTS);
    set_if(view->found, distinct && qd_op_owner(view->node->op, (size_t)index) == view->weight,
           QD_FEATURE_DISTINCT_W_ZERO_POINTS);
}

static void find_data(const struct view *view, int index)
{
    const struct qd_tensor *data = known_tensor(view, index);
    if (!data)
        return;
    set_if(view->found, data->rank == 0, QD_FEATURE_RANK0);
    set_if(view->found, data->rank == 1, QD_FEATURE_RANK1);
}

bool qd_operand_is_scalar(const struct qd_node *node, size_t index)
{
    const char *op = node->op_type;
    return (index >= 1 && strcmp(op, "Clip") == 0) || (index == 2 && strcmp(op, "Pad") == 0) ||
           strcmp(op, "Range") == 0;
}

static void find_control(const struct view *view, int index)
{
    bool at_run_time;
    input_tensor(view, index, &at_run_time);
    set_if(view->found, at_run_time, QD_FEATURE_RUNTIME_CONTROLS);
}

static void find_input(const struct view *view, int index)
{
    if (qd_operand_is_scalar(view->node, (size_t)index))
        find_vector(view, index, known_tensor(view, index));
    switch (qd_op_role(view->node->op, (size_t)index)) {
    case QD_ROLE_SCALE: find_scale(view, index); break;
    case QD_ROLE_ZERO_POINT: find_zero_point(view, index); break;
    case QD_ROLE_BIAS: set_if(view->found, is_given(view, index), QD_FEATURE_BIAS); break;
    case QD_ROLE_DATA:
    case QD_ROLE_WEIGHT: find_data(view, index); break;
    case QD_ROLE_CONTROL: find_control(view, index); break;
    }
}

/* Inputs that an operator takes, which may be absent; of those that repeat, the ones that are there. */
static size_t input_count(const struct qd_node *node)
{
    return node->op && !node->op->variadic ? node->op->max_inputs : node->input_count;
}

static void find_inputs(const struct view *view)
{
    for (size_t i = 0; i < input_count(view->node); i++)
        find_input(view, (int)i);
    bool at_run_time;
    const struct qd_tensor *x = known_tensor(view, view->x);
    const struct qd_tensor *w = input_tensor(view, view->weight, &at_run_time);
    set_if(view->found, at_run_time, QD_FEATURE_RUNTIME_WEIGHTS);
    bool codes = x && w && qd_dtype_is_integer(x->dtype) && qd_dtype_is_integer(w->dtype);
    set_if(view->found, codes && qd_dtype_info(x->dtype)->kind != qd_dtype_info(w->dtype)->kind,
           QD_FEATURE_MIXED_SIGN);
}

static bool some_differs(const struct qd_node *node, const char *name, int64_t usual)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    for (size_t i = 0; attr && attr->kind == QD_ATTR_INTS && i < attr->count; i++)
        if (attr->ints[i] != usual)
            return true;
    return false;
}

static int64_t entry(const struct qd_node *node, const char *name, size_t i, int64_t otherwise)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    return attr && attr->kind == QD_ATTR_INTS && i < attr->count ? attr->ints[i] : otherwise;
}

/* What a window spans on spatial axis i, and its steps. */
struct axis {
    int64_t size, stride, span; /* of x; of the window, (kernel − 1)·dilation + 1 */
};

/* False when a size is not known or absurd. */
static bool read_axis(const struct view *view, const struct qd_tensor *x, size_t i,
                      struct axis *axis)
{
    const int64_t bound = (int64_t)1 << 30;
    const struct qd_tensor *w = shaped_tensor(view, view->weight);
    if (!x || i + 2 >= x->rank)
        return false;
    int64_t otherwise = w && i + 2 < w->rank ? w->dims[i + 2] : -1;
    int64_t kernel = entry(view->node, "kernel_shape", i, otherwise);
    int64_t stride = entry(view->node, "strides", i, 1);
    int64_t dilation = entry(view->node, "dilations", i, 1);
    if (kernel < 1 || kernel > bound || stride < 1 || stride > bound || dilation < 1 ||
        dilation > bound)
        return false;
    *axis = (struct axis){x->dims[i + 2], stride, (kernel - 1) * dilation + 1};
    return true;
}

/* Padding that SAME_UPPER, SAME_LOWER or an output_shape makes on spatial axis i, below 0 where it asks for more than
 * the window covers; false when that is not known. */
static bool made_padding(const struct view *view, const struct qd_tensor *x, size_t i,
                         int64_t *total)
{
    struct axis axis;
    if (!read_axis(view, x, i, &axis))
        return false;
    *total =
        (axis.size > 0 ? (axis.size - 1) / axis.stride : 0) * axis.stride + axis.span - axis.size;
    if (form_of(view) == QD_FORM_CONVOLVES_BACK)
        *total = axis.stride * (axis.size - 1) + entry(view->node, "output_padding", i, 0) +
                 axis.span - entry(view->node, "output_shape", i, axis.size * axis.stride);
    return true;
}

static void find_made_padding(const struct view *view)
{
    const struct qd_tensor *x = shaped_tensor(view, view->x);
    bool transposed = form_of(view) == QD_FORM_CONVOLVES_BACK;
    set_if(view->found, !x, QD_FEATURE_PADS);
    for (size_t i = 0; x && i + 2 < x->rank; i++) {
        int64_t total = 0;
        bool known = made_padding(view, x, i, &total);
        set_if(view->found, !known || total > 0, QD_FEATURE_PADS);
        set_if(view->found, total > 0 && total % 2 == 1, QD_FEATURE_ASYMMETRIC_PADS);
        set_if(view->found, transposed && total < 0, QD_FEATURE_NEGATIVE_PADS);
    }
}

static void find_pads(const struct view *view)
{
    const struct qd_attr *auto_pad = qd_node_attr(view->node, "auto_pad");
    const struct qd_attr *pads = qd_node_attr(view->node, "pads");
    bool automatic =
        auto_pad && auto_pad->kind == QD_ATTR_STRING && strcmp(auto_pad->s, "NOTSET") != 0;
    bool same = automatic && strncmp(auto_pad->s, "SAME_", 5) == 0;
    bool shaped =
        form_of(view) == QD_FORM_CONVOLVES_BACK && qd_node_attr(view->node, "output_shape");
    set_if(view->found, same || (automatic && strcmp(auto_pad->s, "VALID") == 0),
           QD_FEATURE_AUTO_PAD);
    if (same || shaped)
        find_made_padding(view);
    if (automatic || shaped)
        return;
    set_if(view->found, some_differs(view->node, "pads", 0), QD_FEATURE_PADS);
    for (size_t i = 0; pads && pads->kind == QD_ATTR_INTS && i < pads->count / 2; i++)
        set_if(view->found, pads->ints[i] != pads->ints[i + pads->count / 2],
               QD_FEATURE_ASYMMETRIC_PADS);
}

static void find_window(const struct view *view)
{
    const struct qd_tensor *w = known_tensor(view, view->weight);
    int64_t group = int_attr(view->node, "group", 1);
    find_pads(view);
    set_if(view->found, some_differs(view->node, "strides", 1), QD_FEATURE_STRIDES);
    set_if(view->found, some_differs(view->node, "dilations", 1), QD_FEATURE_DILATIONS);
    set_if(view->found, group > 1, QD_FEATURE_GROUPS);
    bool transposed = form_of(view) == QD_FORM_CONVOLVES_BACK;
    if (!w || (!transposed && form_of(view) != QD_FORM_CONVOLVES))
        return;
    /* w is [M, C / group, ...], transposed [C, M / group, ...]. */
    bool depthwise = w->rank > 1 && (transposed ? w->dims[0] == group : w->dims[1] == 1);
    set_if(view->found, group > 1 && depthwise, QD_FEATURE_DEPTHWISE);
    set_if(view->found, w->rank == 3, QD_FEATURE_SPATIAL_1D);
    set_if(view->found, w->rank == 4, QD_FEATURE_SPATIAL_2D);
    set_if(view->found, w->rank == 5, QD_FEATURE_SPATIAL_3D);
}

static bool is_quantize(const struct qd_node *node)
{
    return strcmp(node->op_type, "QuantizeLinear") == 0;
}

static bool is_dequantize(const struct qd_node *node)
{
    return strcmp(node->op_type, "DequantizeLinear") == 0;
}

static void find_dtype(struct qd_features *found, enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_U16:
    case QD_S16: set(found, QD_FEATURE_INT16); break;
    case QD_U4:
    case QD_S4: set(found, QD_FEATURE_INT4); break;
    case QD_U2:
    case QD_S2: set(found, QD_FEATURE_INT2); break;
    case QD_F16: set(found, QD_FEATURE_FLOAT16); break;
    case QD_BF16: set(found, QD_FEATURE_BFLOAT16); break;
    case QD_F8E4M3FN:
    case QD_F8E4M3FNUZ:
    case QD_F8E5M2:
    case QD_F8E5M2FNUZ:
    case QD_F8E8M0: set(found, QD_FEATURE_FLOAT8); break;
    case QD_F4E2M1: set(found, QD_FEATURE_FLOAT4); break;
    default: break;
    }
}

static void find_node(const struct view *view)
{
    const struct qd_tensor *x = known_tensor(view, view->x);
    find_inputs(view);
    find_window(view);
    set_if(view->found, int_attr(view->node, "block_size", 0) != 0, QD_FEATURE_BLOCKED);
    set_if(view->found, int_attr(view->node, "axis", 0) < 0, QD_FEATURE_NEGATIVE_AXIS);
    int64_t output_dtype = int_attr(view->node, "output_dtype", 0);
    if (output_dtype > 0 && output_dtype <= INT32_MAX)
        find_dtype(view->found, qd_dtype_of_onnx((int32_t)output_dtype));
    set_if(view->found,
           (is_quantize(view->node) || is_dequantize(view->node)) && x && x->dtype == QD_S32,
           QD_FEATURE_INT32_INPUT);
}

/* --- Facts of the case ------------------------------------------------------------------------ */

static enum qd_dtype output_dtype_of(const struct view *view)
{
    const struct qd_tensor *zero_point =
        known_tensor(view, qd_op_parameter(view->node->op, QD_OPERAND_OUTPUT, QD_ROLE_ZERO_POINT));
    if (zero_point)
        return zero_point->dtype;
    if (view->node->output_count == 0 || view->node->outputs[0] == QD_NO_VALUE)
        return QD_DTYPE_NONE;
    return view->kase->graph->values[view->node->outputs[0]].declared_dtype;
}

/* Types of the first input, of the second one and of the output. */
static void find_types(struct qd_features *found, enum qd_dtype x, enum qd_dtype w, enum qd_dtype y)
{
    static const struct {
        enum qd_dtype type;
        enum qd_feature feature;
    } firsts[] = {{QD_U8, QD_FEATURE_X_U8},
                  {QD_S8, QD_FEATURE_X_S8},
                  {QD_U16, QD_FEATURE_X_INT16},
                  {QD_S16, QD_FEATURE_X_INT16},
                  {QD_S32, QD_FEATURE_X_S32},
                  {QD_S64, QD_FEATURE_X_S64},
                  {QD_BOOL, QD_FEATURE_X_BOOL},
                  {QD_F8E4M3FN, QD_FEATURE_X_FLOAT8},
                  {QD_F8E4M3FNUZ, QD_FEATURE_X_FLOAT8},
                  {QD_F8E5M2, QD_FEATURE_X_FLOAT8},
                  {QD_F8E5M2FNUZ, QD_FEATURE_X_FLOAT8},
                  {QD_F64, QD_FEATURE_X_F64}};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        set_if(found, x == firsts[i].type, firsts[i].feature);
    set_if(found, w == QD_U8, QD_FEATURE_W_U8);
    set_if(found, w == QD_S8, QD_FEATURE_W_S8);
    set_if(found, y == QD_U8, QD_FEATURE_Y_U8);
    set_if(found, y == QD_S8, QD_FEATURE_Y_S8);
}

static void find_principal(const struct view *view)
{
    const struct qd_tensor *x = known_tensor(view, view->x);
    const struct qd_tensor *w = known_tensor(view, view->weight);
    enum qd_dtype y = output_dtype_of(view);
    find_types(view->found, x ? x->dtype : QD_DTYPE_NONE, w ? w->dtype : QD_DTYPE_NONE, y);
    set_if(view->found, x && x->rank > 0 && x->dims[0] > 1, QD_FEATURE_BATCH);
}

static void find_tensor(struct qd_features *found, const struct qd_tensor *tensor)
{
    find_dtype(found, tensor->dtype);
    set_if(found, tensor->count == 0, QD_FEATURE_EMPTY);
    find_numbers(found, tensor);
}

static void find_graph(const struct qd_case *kase, struct qd_features *found)
{
    const struct qd_graph *graph = kase->graph;
    bool quantize = false, dequantize = false, other = false;
    for (size_t i = 0; i < graph->value_count; i++) {
        find_dtype(found, graph->values[i].declared_dtype);
        if (graph->values[i].initializer)
            find_tensor(found, graph->values[i].initializer);
    }
    for (size_t i = 0; kase->inputs && i < kase->input_count; i++)
        find_tensor(found, &kase->inputs[i]);
    for (size_t i = 0; i < graph->node_count; i++) {
        quantize = quantize || is_quantize(&graph->nodes[i]);
        dequantize = dequantize || is_dequantize(&graph->nodes[i]);
        other = other || (!is_quantize(&graph->nodes[i]) && !is_dequantize(&graph->nodes[i]));
    }
    set_if(found, graph->node_count > 1, QD_FEATURE_MULTI_NODE);
    for (size_t i = 0; i < graph->input_count; i++)
        set_if(found, qd_graph_open_axes(&graph->values[graph->inputs[i]]) != 0,
               QD_FEATURE_OPEN_SHAPE);
    set_if(found, kase->step_count > 0, QD_FEATURE_AFTER_STEPS);
    set_if(found, quantize && dequantize && other, QD_FEATURE_QDQ);
}

void qd_case_features(const struct qd_case *kase, struct qd_features *features)
{
    struct qd_features found = {{0, 0}};
    const struct qd_node *principal = qd_graph_principal(kase->graph);
    set_opset(&found, kase->opset);
    find_graph(kase, &found);
    for (size_t i = 0; i < kase->graph->node_count; i++) {
        const struct qd_node *node = &kase->graph->nodes[i];
        struct view view = view_of(kase, node, &found);
        find_node(&view);
        if (node == principal)
            find_principal(&view);
    }
    *features = found;
}

static enum qd_dtype operand_dtype(const struct view *view, int index)
{
    return index < 0 || (size_t)index >= view->node->input_count
               ? QD_DTYPE_NONE
               : qd_node_dtype(view->kase, view->node, view->node->inputs[index]);
}

void qd_node_features(const struct qd_case *kase, const struct qd_node *node,
                      struct qd_features *features)
{
    struct qd_features found = {{0, 0}};
    struct view view = view_of(kase, node, &found);
    enum qd_dtype x = operand_dtype(&view, view.x), w = operand_dtype(&view, view.weight);
    enum qd_dtype y = node->output_count > 0 ? qd_node_dtype(kase, node, node->outputs[0]) : x;
    set_opset(&found, kase->opset);
    find_node(&view);
    for (size_t i = 0; i < node->input_count; i++)
        find_dtype(&found, operand_dtype(&view, (int)i));
    find_dtype(&found, y);
    find_types(&found, x, w, y);
    set_if(&found, (is_quantize(node) || is_dequantize(node)) && x == QD_S32,
           QD_FEATURE_INT32_INPUT);
    *features = found;
}

/* --- The list --------------------------------------------------------------------------------- */

bool qd_features_has(const struct qd_features *features, enum qd_feature feature)
{
    return features->bits[feature / 64] >> (feature % 64) & 1;
}

static bool agree(const struct qd_features *a, const struct qd_features *b, enum qd_feature first,
                  enum qd_feature last)
{
    for (enum qd_feature f = first; f <= last; f++)
        if (qd_features_has(a, f) != qd_features_has(b, f))
            return false;
    return true;
}

bool qd_features_same_known(const struct qd_features *a, const struct qd_features *b)
{
    return agree(a, b, QD_FEATURE_RUNTIME_PARAMETERS, QD_FEATURE_RUNTIME_CONTROLS) &&
           agree(a, b, QD_FEATURE_OPEN_SHAPE, QD_FEATURE_OPEN_SHAPE);
}

bool qd_features_same_types(const struct qd_features *a, const struct qd_features *b)
{
    return agree(a, b, QD_FEATURE_X_U8, QD_FEATURE_FLOAT4);
}

const char *qd_feature_word(enum qd_feature feature)
{
    return feature < QD_FEATURE_COUNT ? rows[feature].word
                                      : opset_words[feature - QD_FEATURE_OPSET];
}

const char *qd_feature_meaning(enum qd_feature feature)
{
    return rows[feature].meaning;
}

bool qd_feature_find(const char *word, enum qd_feature *feature)
{
    for (size_t i = 0; i < QD_FEATURE_COUNT; i++)
        if (strcmp(rows[i].word, word) == 0) {
            *feature = (enum qd_feature)i;
            return true;
        }
    for (int i = 1; i <= NEWEST_OPSET; i++)
        if (strcmp(opset_words[i], word) == 0) {
            *feature = (enum qd_feature)(QD_FEATURE_OPSET + i);
            return true;
        }
    return false;
}

const char *qd_features_describe(const struct qd_features *features, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < QD_FEATURE_COUNT && used < size; i++)
        if (qd_features_has(features, (enum qd_feature)i))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "",
                                     rows[i].word);
    int opset = NEWEST_OPSET;
    while (opset > 0 && !qd_features_has(features, (enum qd_feature)(QD_FEATURE_OPSET + opset)))
        opset--;
    if (opset > 0 && used < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "", opset_words[opset]);
    return text;
}

struct qd_features qd_features_parse(const char *words)
{
    struct qd_features features = {{0, 0}};
    while (*words) {
        size_t length = strcspn(words, ",");
        enum qd_feature feature;
        char word[64] = "";
        if (length < sizeof word)
            memcpy(word, words, length);
        if (qd_feature_find(word, &feature) && feature > QD_FEATURE_OPSET)
            set_opset(&features, (int64_t)feature - QD_FEATURE_OPSET);
        else if (qd_feature_find(word, &feature))
            set(&features, feature);
        words += length + (words[length] == ',');
    }
    return features;
}
