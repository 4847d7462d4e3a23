/* SPDX-License-Identifier: Apache-2.0 */
/* Says which clause a divergence breaks, and how much it weighs. */
#include "qdiff/citation.h"

#include <stdlib.h>
#include <string.h>

#include "judge/excuse.h"
#include "qdiff/answer.h"
#include "qdiff/convolve.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"

/* The node that the case is about; NULL if it has no graph. */
static const struct qd_node *principal_node(const struct qd_evaluated *evaluated)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    return graph ? qd_graph_principal(graph) : NULL;
}

/* Its operator's row; NULL if the reference has none. */
static const struct qd_op *op_of(const struct qd_node *node)
{
    return node ? qd_op_find(node->domain, node->op_type) : NULL;
}

/* --- Wrong values ------------------------------------------------------------------------------- */

/* The node that computes the output that differs; NULL if an input is the output. */
static const struct qd_node *last_node(const struct qd_evaluated *evaluated, size_t output)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    int node = graph && output < graph->output_count
                   ? qd_graph_producer(graph, graph->outputs[output])
                   : -1;
    return node < 0 ? NULL : &graph->nodes[node];
}

/* Of the lines of a row's clause, newest first, the one that is for a model of this opset. */
static const char *line_for(const char *clause, int64_t opset)
{
    const char *line = clause;
    for (const char *end = clause; (end = strchr(end, '\n')) != NULL; end++) {
        const char *before = strchr(end, '<');
        if (before && opset < strtoll(before + 1, NULL, 10))
            line = end + 1;
    }
    return line;
}

#define PAGE_OF_BITS(bits)                                                                   \
    "; ONNX's page \"" bits " bit integer types\": \"Cast to a " bits                        \
    " bit type is done by rounding to the nearest-integer (with ties to even) nearest-even " \
    "integer and truncating.\""

/* Cast's own page does not say how it rounds to types of four or two bits: these have pages that do. */
static const char *page_of_type(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_U4:
    case QD_S4: return PAGE_OF_BITS("4");
    case QD_U2:
    case QD_S2: return PAGE_OF_BITS("2");
    case QD_F4E2M1:
        return "; ONNX's page \"Float stored in 4 bits\": \"-6<=x<=6 ... Round to nearest even. "
               "... x>6 ... 6 ... x<-6 ... -6\"";
    default: return "";
    }
}

/* Of integers the page says what becomes of bits that do not fit; of a number that is no integer it leaves rounding to
 * the page of the type. */
static const char *rest_of_cast(const struct qd_case *kase, const struct qd_node *node)
{
    const struct qd_attr *to = *node->domain ? NULL : qd_node_attr(node, "to");
    if (!to || to->kind != QD_ATTR_INT || strcmp(node->op_type, "Cast") != 0)
        return "";
    enum qd_dtype type = qd_dtype_of_onnx((int32_t)to->i);
    bool from_integer =
        node->input_count > 0 && qd_dtype_is_integer(qd_case_dtype(kase, node->inputs[0]));
    if (!from_integer || !qd_dtype_is_integer(type))
        return page_of_type(type);
    return "; Cast-25, from fixed point to fixed point: \"when OOR, discard higher bits and "
           "reinterpret (with respect to two's complement representation for signed types)\"";
}

/* "QuantizeLinear-10: "the sentence"": the number that the line begins with belongs to the name; NULL: no memory. */
static const char *quote_line(const struct qd_op *op, int64_t opset, struct qd_arena *arena)
{
    const char *line = line_for(op->clause, opset);
    int digits = (int)strcspn(line, "<:");
    const char *words = strchr(line, ':') + strlen(": ");
    return qd_arena_printf(arena, "%s-%.*s: \"%.*s\"", op->name, digits, line,
                           (int)strcspn(words, "\n"), words);
}

/* The pages of most operators that quantize what they compute do not say how: QuantizeLinear's does. */
static bool leaves_rounding(const struct qd_op *op, const char *quoted)
{
    return qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_SCALE) >= 0 && !strstr(quoted, "round");
}

/* With what the operator's own page leaves to another; NULL: no memory. */
static const char *quote(const struct qd_case *kase, const struct qd_op *op,
                         const struct qd_node *node, struct qd_arena *arena)
{
    const char *own = quote_line(op, node->opset, arena);
    if (!own || !leaves_rounding(op, own))
        return own ? qd_arena_printf(arena, "%s%s", own, rest_of_cast(kase, node)) : NULL;
    const char *rounds = quote_line(qd_op_find("", "QuantizeLinear"), node->opset, arena);
    const char *as = op->rounding_open
                         ? "how a number becomes a code is not said there, and read as"
                         : "codes by";
    return rounds ? qd_arena_printf(arena, "%s; %s %s", own, as, rounds) : NULL;
}

const char *qd_node_clause(const struct qd_case *kase, const struct qd_node *node,
                           struct qd_arena *arena)
{
    const struct qd_op *op = op_of(node);
    return op ? quote(kase, op, node, arena) : "";
}

/* The first node that does more than move elements; NULL: none. */
static const struct qd_node *computing_node(const struct qd_graph *graph)
{
    for (size_t i = 0; graph && i < graph->node_count; i++) {
        const struct qd_op *op = op_of(&graph->nodes[i]);
        if (op && op->form != QD_FORM_MOVES)
            return &graph->nodes[i];
    }
    return NULL;
}

/* With it the sentence of the operator that rounds the result, if that is another, or that computes what they move. */
static const char *values_clause(const struct qd_evaluated *evaluated, size_t output,
                                 struct qd_arena *arena)
{
    const struct qd_node *node = principal_node(evaluated), *last = last_node(evaluated, output);
    const struct qd_op *op = op_of(node), *last_op = op_of(last);
    if (!op)
        return "the composition of the graph's operators";
    const char *first = quote(evaluated->kase, op, node, arena);
    if (op->form == QD_FORM_MOVES && (!last_op || last_op->form == QD_FORM_MOVES)) {
        last = computing_node(evaluated->kase->graph);
        last_op = op_of(last);
    }
    if (!first || !last_op || last_op == op)
        return first;
    const char *second = quote(evaluated->kase, last_op, last, arena);
    return second ? qd_arena_printf(arena, "%s; %s", first, second) : NULL;
}

static void cite_value(const struct qd_evaluated *evaluated, const struct qd_run *run,
                       const struct qd_comparison *comparison, struct qd_arena *arena,
                       struct qd_citation *citation)
{
    const char *clause = values_clause(evaluated, comparison->output, arena);
    const char *excuse = qd_excuse_of(evaluated, run, comparison, arena);
    if (clause && excuse)
        clause = qd_arena_printf(arena, "%s; %s", clause, excuse);
    citation->severity = excuse ? QD_SEVERITY_ADVISORY : QD_SEVERITY_WRONG;
    citation->clause = clause;
}

/* --- Cases beyond the page ---------------------------------------------------------------------- */

/* Resize-18: axes are "a subset of axes that 'roi', 'scales' and 'sizes' refer to"; these have "the same [length] as
 * the rank of input 'X' or the length of 'axes', if provided". ReduceMean-13 and its like: axes are "A list of
 * integers, along which to reduce. The default is to reduce over all the dimensions". Whether a list of none is
 * provided the pages do not say; where axes are an input, noop_with_empty_axes does. */
static bool has_empty_axes(const struct qd_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const char *type = graph->nodes[i].op_type;
        bool may = strcmp(type, "Resize") == 0 || strcmp(type, "QLinearReduceMean") == 0 ||
                   strncmp(type, "Reduce", strlen("Reduce")) == 0;
        const struct qd_attr *axes = may ? qd_node_attr(&graph->nodes[i], "axes") : NULL;
        if (axes && axes->count == 0)
            return true;
    }
    return false;
}

/* A value's tensor, of what nodes compute as if the graph ended there; NULL if it has none. */
static const struct qd_tensor *tensor_of(const struct qd_case *kase, int value,
                                         struct qd_arena *arena)
{
    struct qd_graph graph = *kase->graph;
    struct qd_value *values;
    const struct qd_tensor *tensor = qd_case_tensor(kase, value), *shapes;
    struct qd_error error;
    graph.outputs = &value;
    graph.output_count = 1;
    if (!tensor && value != QD_NO_VALUE &&
        qd_graph_answer(&graph, kase->inputs, arena, &values, &shapes, &error) == QD_OK)
        tensor = &values[0].want;
    return tensor;
}

/* Div-14 has no quotient of an integer by 0: a target may say so instead of inventing one. */
static bool divides_by_zero(const struct qd_case *kase, const struct qd_node *node,
                            struct qd_arena *arena)
{
    bool divides = strcmp(node->op_type, "Div") == 0 && !*node->domain && node->input_count == 2;
    const struct qd_tensor *by = divides ? tensor_of(kase, node->inputs[1], arena) : NULL;
    bool zero = false;
    for (int64_t i = 0; by && qd_dtype_is_integer(by->dtype) && i < by->count; i++)
        zero = zero || qd_tensor_get(by, i) == 0;
    return zero;
}

/* As the feature one-element-vector, of a bound that nodes compute. */
static bool takes_computed_vector(const struct qd_case *kase, const struct qd_node *node,
                                  struct qd_arena *arena)
{
    for (size_t i = 0; i < node->input_count; i++) {
        const struct qd_tensor *bound = qd_operand_is_scalar(node, i) && !*node->domain
                                            ? tensor_of(kase, node->inputs[i], arena)
                                            : NULL;
        if (bound && bound->rank > 0)
            return true;
    }
    return false;
}

typedef bool node_fact(const struct qd_case *kase, const struct qd_node *node,
                       struct qd_arena *arena);

static bool some_node(const struct qd_case *kase, node_fact *fact, struct qd_arena *owner)
{
    struct qd_arena arena;
    bool found = false;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t n = 0; n < kase->graph->node_count && !found; n++)
        found = fact(kase, &kase->graph->nodes[n], &arena);
    qd_arena_clear_for(&arena, owner);
    return found;
}

/* Where a window exceeds the padded axis, a stride beyond 1 makes the quotient a fraction below 0: by the floor of the
 * page the axis has 0 positions, by ONNX's own shape inference, which divides towards zero, 1. */
static bool is_window_too_large(const struct qd_evaluated *evaluated)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    bool empty = false, strided = false;
    for (size_t i = 0; evaluated->shapes && i < graph->output_count; i++)
        empty = empty || evaluated->shapes[i].count == 0;
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct qd_attr *strides = qd_node_attr(&graph->nodes[n], "strides");
        for (size_t i = 0; strides && strides->kind == QD_ATTR_INTS && i < strides->count; i++)
            strided = strided || strides->ints[i] > 1;
    }
    return empty && strided;
}

/* The shape of a pool by its attributes, if it is one with that ceil_mode. */
static bool read_pool(const struct qd_case *kase, const struct qd_node *node, int64_t ceil_mode,
                      struct qd_arena *arena, struct qd_conv_shape *shape)
{
    struct qd_error ignored;
    const struct qd_evaluation evaluation = {.arena = arena, .error = &ignored};
    bool pools =
        !*node->domain && node->opset >= 22 &&
        (strcmp(node->op_type, "MaxPool") == 0 || strcmp(node->op_type, "AveragePool") == 0);
    int64_t ceil = 0;
    bool fits =
        pools && qd_node_int(node, "ceil_mode", 0, &ceil, &ignored) == QD_OK && ceil == ceil_mode;
    const struct qd_tensor *x = fits ? tensor_of(kase, node->inputs[0], arena) : NULL;
    return x && qd_pool_shape_read(&evaluation, node, x, ceil_mode != 0, shape) == QD_OK;
}

/* MaxPool-22, AveragePool-22: "Sliding windows that would start in the right padded region are ignored" stands after
 * both formulas, that of ceil_mode and the floor, which counts such windows. */
static bool starts_in_right_padding(const struct qd_case *kase, const struct qd_node *node,
                                    struct qd_arena *arena)
{
    struct qd_conv_shape shape;
    bool found = false;
    if (!read_pool(kase, node, 0, arena, &shape))
        return false;
    for (unsigned i = 0; i < shape.spatial; i++)
        found = found || (shape.out[i] - 1) * shape.stride[i] >= shape.in[i] + shape.pad_begin[i];
    return found;
}

/* Windows along axis i that ceil_mode counts and the sentence takes away. */
static int64_t ignored_windows(const struct qd_conv_shape *shape, unsigned i)
{
    int64_t window = (shape->kernel[i] - 1) * shape->dilation[i] + 1;
    int64_t rest = shape->in[i] + shape->pad_begin[i] + shape->pad_end[i] - window;
    int64_t counted = rest > 0 ? (rest + shape->stride[i] - 1) / shape->stride[i] + 1 : 1;
    return counted - shape->out[i];
}

static bool ignores_windows(const struct qd_case *kase, const struct qd_node *node, int64_t least,
                            struct qd_arena *arena)
{
    struct qd_conv_shape shape;
    bool found = false;
    if (!read_pool(kase, node, 1, arena, &shape))
        return false;
    for (unsigned i = 0; i < shape.spatial; i++)
        found = found || ignored_windows(&shape, i) >= least;
    return found;
}

/* Where ceil_mode counts such a window and the sentence takes it away, ONNX's shape inference keeps it, and refuses the
 * model for the shape that it declares. */
static bool ignores_a_window(const struct qd_case *kase, const struct qd_node *node,
                             struct qd_arena *arena)
{
    return ignores_windows(kase, node, 1, arena);
}

/* Where there are several, ONNX's newer shape inference takes one of them away. */
static bool ignores_several_windows(const struct qd_case *kase, const struct qd_node *node,
                                    struct qd_arena *arena)
{
    return ignores_windows(kase, node, 2, arena);
}

/* AveragePool-22, "when ceil_mode is enabled: VALID: output_spatial_shape[i] = ceil((input_spatial_shape[i] -
 * ((kernel_spatial_shape[i] - 1) * dilations[i] + 1) + 1) / strides[i])": the formula without ceil_mode. ONNX's shape
 * inference rounds up. */
static bool is_valid_with_ceil(const struct qd_case *kase, const struct qd_node *node,
                               struct qd_arena *arena)
{
    (void)kase;
    (void)arena;
    struct qd_error ignored;
    int64_t ceil = 0;
    const struct qd_attr *pad = qd_node_attr(node, "auto_pad");
    return strstr(node->op_type, "Pool") && pad && pad->kind == QD_ATTR_STRING &&
           strcmp(pad->s, "VALID") == 0 &&
           qd_node_int(node, "ceil_mode", 0, &ceil, &ignored) == QD_OK && ceil == 1;
}

/* MatMulInteger-10 and QLinearMatMul-21: "If the input is 2D of shape [M, K] then zero point and scale tensor may be an
 * M element vector"; [D1, D2, M, 1] is for "N-D tensor with shape [D1, D2, M, K]". */
static bool takes_matrix_of_parameters(const struct qd_case *kase, const struct qd_node *node,
                                       struct qd_arena *arena)
{
    bool multiplies = !*node->domain && (strcmp(node->op_type, "MatMulInteger") == 0 ||
                                         strcmp(node->op_type, "QLinearMatMul") == 0);
    bool found = false;
    for (size_t i = 0; multiplies && i < node->input_count && !found; i++) {
        int owner = qd_op_owner(node->op, i);
        if (!qd_op_is_parameter(node->op, i) || owner < 0)
            continue;
        const struct qd_tensor *parameter = tensor_of(kase, node->inputs[i], arena);
        const struct qd_tensor *of = tensor_of(kase, node->inputs[owner], arena);
        found = parameter && of && parameter->rank == 2 && of->rank == 2;
    }
    return found;
}

/* QuantizeLinear-21 and DequantizeLinear-21: block_size has "the accepted range ... [ceil(Di/Si), ceil(Di/(Si-1))-1]",
 * which has no end where the scale has one entry along the axis. */
static bool has_one_long_block(const struct qd_case *kase, const struct qd_node *node,
                               struct qd_arena *arena)
{
    struct qd_error ignored;
    int64_t block = 0, axis = 1;
    bool quantizes = !*node->domain && (strcmp(node->op_type, "QuantizeLinear") == 0 ||
                                        strcmp(node->op_type, "DequantizeLinear") == 0);
    if (!quantizes || qd_node_int(node, "block_size", 0, &block, &ignored) != QD_OK || block < 1 ||
        qd_node_int(node, "axis", 1, &axis, &ignored) != QD_OK)
        return false;
    const struct qd_tensor *x = tensor_of(kase, node->inputs[0], arena);
    const struct qd_tensor *scale = tensor_of(kase, node->inputs[1], arena);
    axis += x && axis < 0 ? x->rank : 0;
    return x && scale && axis >= 0 && axis < x->rank && scale->rank == x->rank &&
           scale->dims[axis] == 1 && block > x->dims[axis];
}

/* Slice-10 and -11: "Similar to numpy", which takes nothing backward from a start before the first element. Slice-13:
 * "clamped to range ... [0, dims[axes[i]]-1] for negative stepping", which takes the first. */
static bool starts_before_first(const struct qd_case *kase, const struct qd_node *node,
                                struct qd_arena *arena)
{
    bool slices = !*node->domain && strcmp(node->op_type, "Slice") == 0 && node->opset >= 10 &&
                  node->opset < 13 && node->input_count == 5;
    const struct qd_tensor *x = slices ? tensor_of(kase, node->inputs[0], arena) : NULL;
    const struct qd_tensor *starts = x ? tensor_of(kase, node->inputs[1], arena) : NULL;
    const struct qd_tensor *axes = x ? tensor_of(kase, node->inputs[3], arena) : NULL;
    const struct qd_tensor *steps = x ? tensor_of(kase, node->inputs[4], arena) : NULL;
    bool found = false;
    for (int64_t i = 0; starts && steps && i < starts->count && i < steps->count; i++) {
        int64_t axis = axes && i < axes->count ? qd_tensor_get(axes, i) : i;
        axis += axis < 0 ? x->rank : 0;
        found = found || (axis >= 0 && axis < x->rank && qd_tensor_get(steps, i) < 0 &&
                          qd_tensor_get(starts, i) < -x->dims[axis]);
    }
    return found;
}

/* ConvTranspose: auto_pad asks for "output_shape[i] = input_shape[i] * strides[i]", and pads are "any value
 * greater than or equal to 0": a window that leaves a gap between strides can't have both, and ONNX's shape inference
 * keeps to the second. Nor does "total_padding[i]/2" say how half of an odd number below 0 is rounded. */
static bool pads_below_zero(const struct qd_case *kase, const struct qd_node *node,
                            struct qd_arena *arena)
{
    (void)arena;
    struct qd_features features;
    if (*node->domain || strcmp(node->op_type, "ConvTranspose") != 0)
        return false;
    qd_node_features(kase, node, &features);
    return qd_features_has(&features, QD_FEATURE_NEGATIVE_PADS);
}

/* What a sentence leaves open may be refused, or have another shape or other numbers. */
enum { REFUSED = 1, SHAPED = 2, VALUED = 4 };

static unsigned opening_of(enum qd_verdict class)
{
    return class == QD_VERDICT_REJECTS_VALID ? REFUSED
           : class == QD_VERDICT_WRONG_SHAPE ? SHAPED
           : class == QD_VERDICT_WRONG_VALUE ? VALUED
                                             : 0;
}

#define IGNORED "\"Sliding windows that would start in the right padded region are ignored\", "

static const struct {
    unsigned of;
    node_fact *fact;
    const char *words;
} open_points[] = {
    {REFUSED, divides_by_zero, "an integer is divided by 0, for which no sentence has a quotient"},
    {REFUSED, takes_matrix_of_parameters,
     "a parameter of a matrix is a matrix, where the page has \"M element vector\""},
    {REFUSED, has_one_long_block,
     "block_size exceeds the axis, and the page's range for it has no end where there is one "
     "block"},
    {SHAPED, starts_in_right_padding, IGNORED "which the page's formula counts"},
    {SHAPED, is_valid_with_ceil,
     "the page's formula of VALID with ceil_mode and ONNX's shape inference disagree"},
    {REFUSED, ignores_a_window, IGNORED "and ONNX's shape inference counts one"},
    {SHAPED, ignores_several_windows, IGNORED "and ONNX's shape inference takes one of them away"},
    {REFUSED | SHAPED | VALUED, pads_below_zero,
     "no pads of 0 or more give the output's size, which the page asks for"},
    {SHAPED, starts_before_first,
     "\"Similar to numpy\": numpy takes nothing backward from a start before the first element"},
};

static bool has_foreign_op(const struct qd_graph *graph, const struct qd_session *session)
{
    for (size_t i = 0; session && i < graph->node_count; i++)
        if (*graph->nodes[i].domain && !qd_session_owns(session, graph->nodes[i].domain))
            return true;
    return false;
}

/* What makes a model one that no page allows literally, NULL if nothing does:
 * whatever number or refusal it gets is advisory. */
static const char *beyond_page(const struct qd_evaluated *evaluated,
                               const struct qd_session *session, enum qd_verdict class,
                               struct qd_arena *arena)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_features features;
    if (!kase->graph)
        return NULL;
    qd_case_features(kase, &features);
    if (qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR) ||
        some_node(kase, takes_computed_vector, arena))
        return "a parameter or bound has the shape [1] where the operator's page says scalar";
    if (class == QD_VERDICT_REJECTS_VALID && has_foreign_op(kase->graph, session))
        return "the operator set is another vendor's: ONNX's IR.md, \"An implementation must "
               "support all operators in the set or reject the model\"";
    if (class == QD_VERDICT_WRONG_SHAPE && is_window_too_large(evaluated))
        return "a window exceeds the padded axis, and the page's floor and ONNX's shape inference "
               "disagree";
    for (size_t i = 0; i < sizeof open_points / sizeof *open_points; i++)
        if (opening_of(class) & open_points[i].of && some_node(kase, open_points[i].fact, arena))
            return open_points[i].words;
    return has_empty_axes(kase->graph) ? "axes is an empty list" : NULL;
}

/* --- All ---------------------------------------------------------------------------------------- */

#define STANDARD_SET \
    "; ONNX's IR.md: \"the standard set of operators that all implementations MUST support\""

/* Of SAME_UPPER and SAME_LOWER ConvTranspose's page has the shape itself, and shape inference may have another. */
static const char *words_of_shape(const struct qd_node *node)
{
    const struct qd_attr *pad = node ? qd_node_attr(node, "auto_pad") : NULL;
    if (pad && pad->kind == QD_ATTR_STRING && strncmp(pad->s, "SAME", 4) == 0 &&
        strcmp(node->op_type, "ConvTranspose") == 0)
        return "auto_pad is \"so that `output_shape[i] = input_shape[i] * strides[i]` for "
               "each axis `i`\"";
    return "the shapes of the outputs, implied by shape inference";
}

/* What a divergence that is not about values breaks, after the operator's name. */
static const char *rest_of_clause(enum qd_verdict class, const struct qd_node *node)
{
    switch (class) {
    case QD_VERDICT_WRONG_SHAPE: return words_of_shape(node);
    case QD_VERDICT_WRONG_TYPE: return "the type constraints of the outputs";
    case QD_VERDICT_CRASH:
    case QD_VERDICT_HANG:
    case QD_VERDICT_OOM: return "whatever the model, a target answers with outputs or an error";
    case QD_VERDICT_NONDETERMINISTIC: return "the same model and inputs have the same outputs";
    case QD_VERDICT_STATE_LEAK: return "the outputs follow from the model and the inputs alone";
    case QD_VERDICT_UNWRITTEN: return "every element of an output has a value";
    case QD_VERDICT_OUT_OF_BOUNDS: return "a target writes its outputs and nothing else";
    case QD_VERDICT_INPUT_MODIFIED: return "an operator does not change its inputs";
    default: return NULL;
    }
}

static bool came_before(const struct qd_graph *graph, size_t node)
{
    bool came = false;
    for (size_t i = 0; i < node && !came; i++)
        came = graph->nodes[i].op == graph->nodes[node].op;
    return came;
}

/* The operator that the case is about, and of a refusal, a wrong shape or type the graph's others: which of them was
 * refused, or gave it, is not known. *several: there are others. NULL: no name, or no memory. */
static const char *names_of(const struct qd_evaluated *evaluated, enum qd_verdict class,
                            struct qd_arena *arena, bool *several)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    const struct qd_op *op = op_of(principal_node(evaluated));
    const char *names = op ? op->name : NULL;
    bool refused = class == QD_VERDICT_REJECTS_VALID;
    bool is_output = class == QD_VERDICT_WRONG_SHAPE || class == QD_VERDICT_WRONG_TYPE;
    *several = false;
    for (size_t i = 0; (refused || is_output) && names && i < graph->node_count; i++) {
        const struct qd_op *other = op_of(&graph->nodes[i]);
        if (!other || other == op || came_before(graph, i))
            continue;
        *several = true;
        names = qd_arena_printf(arena, "%s%s%s", names, refused ? ", " : " or ", other->name);
    }
    return names;
}

/* What a refused model keeps to. */
static const char *words_of_refusal(const struct qd_node *node, bool several)
{
    if (node && *node->domain)
        return "its vendor's page has these types, shapes and attributes";
    return several ? "their pages have these types, shapes and attributes" STANDARD_SET
                   : "its page has these types, shapes and attributes" STANDARD_SET;
}

static const char *clause_of(const struct qd_evaluated *evaluated, enum qd_verdict class,
                             const char *words, struct qd_arena *arena)
{
    const struct qd_case *kase = evaluated->kase;
    bool several;
    const char *names = names_of(evaluated, class, arena, &several);
    if (class == QD_VERDICT_ACCEPTS_INVALID)
        return *kase->spec ? qd_arena_string(arena, kase->spec)
                           : qd_arena_printf(arena, "rule %s", words);
    const char *rest = class == QD_VERDICT_REJECTS_VALID
                           ? words_of_refusal(principal_node(evaluated), several)
                           : rest_of_clause(class, principal_node(evaluated));
    if (!rest)
        return qd_verdict_meaning(
            class); /* of a quantizer: its README says what each check stands on */
    return names ? qd_arena_printf(arena, "%s: %s", names, rest) : rest;
}

enum qd_status qd_cite(const struct qd_evaluated *evaluated, const struct qd_session *session,
                       const struct qd_run *run, const struct qd_comparison *comparison,
                       enum qd_verdict class, const char *words, struct qd_arena *arena,
                       struct qd_citation *citation, struct qd_error *error)
{
    struct qd_citation made = {.severity = qd_verdict_severity(class)};
    if (class == QD_VERDICT_WRONG_VALUE)
        cite_value(evaluated, run, comparison, arena, &made);
    else
        made.clause = clause_of(evaluated, class, words, arena);
    const char *beyond = made.clause && made.severity == QD_SEVERITY_WRONG
                             ? beyond_page(evaluated, session, class, arena)
                             : NULL;
    if (beyond) {
        made.severity = QD_SEVERITY_ADVISORY;
        made.clause = qd_arena_printf(arena, "%s; but %s", made.clause, beyond);
    }
    if (!made.clause)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a clause");
    *citation = made;
    return QD_OK;
}
