/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller dimensions. Axes that an operator's rules make equal are one group and are cut together; what the table below
 * does not know is tried axis by axis and size by size, and the reference says what is still valid. */
#include <string.h>

#include "reduce_steps.h"

/* Axes of operands, then of the first output: a letter is an axis, equal letters are equal axes; '.' an axis of its
 * own; '*' leading axes that broadcast, aligned right; '-' nothing known. "A/B": A for rank 1, B for others. What is
 * not listed is taken to broadcast element by element. */
static const struct {
    const char *op_type, *axes;
} table[] = {
    {"QLinearConv", "NC - - MC M M - - M > NM"},
    {"ConvInteger", "NC MC - M > NM"},
    {"Conv", "NC MC M > NM"},
    {"ConvTranspose", "NC CM M > NM"},
    {"MatMul", "*MK *KN > *MN"},
    {"MatMulInteger", "*MK *KN M/*M. N/*.N > *MN"},
    {"MatMulIntegerToFloat", "*MK *KN - N - N N > *MN"},
    {"DynamicQuantizeMatMul", "*MK *KN N N N > *MN"},
    {"QLinearMatMul", "*MK M/*M. M/*M. *KN N/*.N N/*.N - - > *MN"},
    {"Gemm", "MK KN N/MN > MN"},
    {"QGemm", "MK - - KN N N N/MN - - > MN"},
    {"BatchNormalization", "NC C C C C > NC"},
    {"MaxPool", "NC > NC"},
    {"AveragePool", "NC > NC"},
    {"GlobalAveragePool", "NC > NC"},
    {"GlobalMaxPool", "NC > NC"},
    {"QLinearAveragePool", "NC > NC"},
    {"QLinearGlobalAveragePool", "NC > NC"},
    {"Reshape", "- - > -"},
    {"Flatten", "- > -"},
    {"DepthToSpace", "N > N"},
    {"SpaceToDepth", "N > N"},
};

#define AXES (QD_CASE_EDIT_MAX_VALUES * QD_MAX_RANK)
#define LETTERS 128
#define CUTS 6

struct qd_ties {
    const struct qd_tensor *shapes[QD_CASE_EDIT_MAX_VALUES]; /* NULL: not known */
    const struct qd_tensor *sources[QD_CASE_EDIT_MAX_VALUES];
    size_t value_count;
    int parent[AXES];
    int64_t unit[AXES]; /* elements that belong together, 0: not yet said */
    /* Convolutions with groups: the axis whose count `group` is. */
    int group_axis[QD_CASE_EDIT_MAX_NODES];
    size_t plan_count;
    struct {
        enum { TIED, ALONE, SIZE, INNER_IN, INNER_OUT } kind;
        int axis;     /* a member; INNER: the input's channels */
        int64_t size; /* SIZE: of the axes; INNER: channels of a group */
        size_t node;  /* INNER */
    } plans[3 * AXES + 2 * QD_CASE_EDIT_MAX_NODES];
};

/* --- Groups ------------------------------------------------------------------------------------- */

static int axis_id(int value, unsigned axis)
{
    return value * QD_MAX_RANK + (int)axis;
}

static int find(struct qd_ties *ties, int axis)
{
    while (ties->parent[axis] != axis) {
        ties->parent[axis] = ties->parent[ties->parent[axis]];
        axis = ties->parent[axis];
    }
    return axis;
}

static int64_t dim_of(const struct qd_ties *ties, int axis)
{
    const struct qd_tensor *shape = ties->shapes[axis / QD_MAX_RANK];
    unsigned at = (unsigned)axis % QD_MAX_RANK;
    return shape && at < shape->rank ? shape->dims[at] : 0;
}

static int64_t unit_of(const struct qd_ties *ties, int axis)
{
    return ties->unit[axis] ? ties->unit[axis] : 1;
}

/* Units along an axis; the last may be a part of one (ragged blocks). */
static int64_t units_of(const struct qd_ties *ties, int axis, int64_t unit)
{
    return unit > 0 ? (dim_of(ties, axis) + unit - 1) / unit : 0;
}

/* Units of `a` and units of `b` are cut together, if there are as many. */
static void tie(struct qd_ties *ties, int a, int64_t a_unit, int b, int64_t b_unit)
{
    bool fits = dim_of(ties, a) > 1 && units_of(ties, a, a_unit) == units_of(ties, b, b_unit);
    if (!fits || (ties->unit[a] && ties->unit[a] != a_unit) ||
        (ties->unit[b] && ties->unit[b] != b_unit))
        return;
    ties->unit[a] = a_unit;
    ties->unit[b] = b_unit;
    ties->parent[find(ties, a)] = find(ties, b);
}

/* --- What operators tie ------------------------------------------------------------------------- */

/* Axes of one node that letters stand for. */
struct letters {
    int at[LETTERS];            /* −1: none yet */
    int broadcast[QD_MAX_RANK]; /* counted from the right */
};

static void tie_to(struct qd_ties *ties, int *known, int axis)
{
    if (dim_of(ties, axis) <= 1)
        return;
    if (*known < 0)
        *known = axis;
    else
        tie(ties, *known, 1, axis, 1);
}

static void tie_operand(struct qd_ties *ties, struct letters *letters, int value, const char *axes,
                        size_t length)
{
    const struct qd_tensor *shape = value == QD_NO_VALUE ? NULL : ties->shapes[value];
    if (!shape || *axes == '-')
        return;
    bool star = *axes == '*';
    size_t named = length - star;
    if (named > shape->rank)
        return;
    size_t leading = star ? shape->rank - named : 0;
    for (size_t i = 0; i < leading; i++)
        tie_to(ties, &letters->broadcast[leading - 1 - i], axis_id(value, (unsigned)i));
    for (size_t i = 0; i < named; i++) {
        int letter = (unsigned char)axes[star + i];
        if (letter != '.')
            tie_to(ties, &letters->at[letter], axis_id(value, (unsigned)(leading + i)));
    }
}

/* One operand's token: the alternative that fits its rank. */
static void tie_token(struct qd_ties *ties, struct letters *letters, int value, const char *token,
                      size_t length)
{
    const char *slash = memchr(token, '/', length);
    if (slash && value != QD_NO_VALUE && ties->shapes[value] && ties->shapes[value]->rank != 1)
        tie_operand(ties, letters, value, slash + 1, length - (size_t)(slash + 1 - token));
    else
        tie_operand(ties, letters, value, token, slash ? (size_t)(slash - token) : length);
}

static void tie_by_table(struct qd_ties *ties, const struct qd_case_edit_node *node,
                         const char *axes)
{
    struct letters letters;
    memset(&letters, 0xff, sizeof letters);
    for (size_t i = 0; *axes; i++) {
        size_t length = strcspn(axes, " ");
        if (*axes == '>')
            i = QD_MAX_OPERANDS;
        else if (i > QD_MAX_OPERANDS)
            tie_token(ties, &letters, node->outputs[0], axes, length);
        else if (i < node->input_count)
            tie_token(ties, &letters, node->inputs[i], axes, length);
        axes += length + (axes[length] == ' ');
    }
}

static void tie_elements(struct qd_ties *ties, const struct qd_case_edit_node *node)
{
    struct letters letters;
    memset(&letters, 0xff, sizeof letters);
    for (size_t i = 0; i < node->output_count; i++)
        tie_operand(ties, &letters, node->outputs[i], "*", 1);
    for (size_t i = 0; i < node->input_count; i++)
        tie_operand(ties, &letters, node->inputs[i], "*", 1);
}

static const struct qd_attr *attr_of(const struct qd_case_edit_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

static int64_t attr_int(const struct qd_case_edit_node *node, const char *name, int64_t otherwise)
{
    const struct qd_attr *attr = attr_of(node, name);
    return attr && attr->kind == QD_ATTR_INT ? attr->i : otherwise;
}

/* Quantize- and DequantizeLinear: per axis, or blocked along it. */
static void tie_quantizer(struct qd_ties *ties, const struct qd_case_edit_node *node)
{
    int x = node->inputs[0], y = node->outputs[0];
    const struct qd_tensor *shape = x == QD_NO_VALUE ? NULL : ties->shapes[x];
    int64_t axis = attr_int(node, "axis", 1), block = attr_int(node, "block_size", 0);
    if (!shape)
        return;
    axis += axis < 0 ? shape->rank : 0;
    for (unsigned i = 0; y != QD_NO_VALUE && i < shape->rank; i++)
        tie(ties, axis_id(x, i), i == axis && block > 0 ? block : 1, axis_id(y, i),
            i == axis && block > 0 ? block : 1);
    for (size_t i = 1; i < node->input_count; i++) {
        int p = node->inputs[i];
        const struct qd_tensor *parameter = p == QD_NO_VALUE ? NULL : ties->shapes[p];
        if (parameter && parameter->rank == 1 && block == 0 && axis >= 0 && axis < shape->rank)
            tie(ties, axis_id(p, 0), 1, axis_id(x, (unsigned)axis), 1);
        for (unsigned j = 0; parameter && block > 0 && j < parameter->rank; j++)
            tie(ties, axis_id(p, j), 1, axis_id(x, j), j == axis ? block : 1);
    }
}

/* Group convolution: whole groups go. Weights keep their own second axis. */
static void tie_groups(struct qd_ties *ties, const struct qd_case_edit_node *node, size_t at,
                       const char *axes, int64_t groups)
{
    bool ready = false;
    int first = axis_id(node->inputs[0], 1);
    int64_t first_unit = dim_of(ties, first) / groups;
    for (size_t i = 0; *axes; i++) {
        size_t length = strcspn(axes, " ");
        if (*axes == '>')
            ready = true;
        int value = ready                   ? node->outputs[0]
                    : i < node->input_count ? node->inputs[i]
                                            : QD_NO_VALUE;
        const char *channels = memchr(axes, 'M', length);
        bool transposed = strncmp(node->op_type, "ConvTranspose", 13) == 0;
        if (transposed && i == 1)
            channels = axes; /* CM: the groups are along C */
        if (value != QD_NO_VALUE && channels && *axes != '>') {
            int axis = axis_id(value, (unsigned)(channels - axes));
            if (dim_of(ties, axis) >= groups && first_unit > 0)
                tie(ties, first, first_unit, axis, dim_of(ties, axis) / groups);
        }
        axes += length + (axes[length] == ' ');
    }
    ties->group_axis[at] = first;
}

static void tie_concat(struct qd_ties *ties, const struct qd_case_edit_node *node)
{
    int64_t axis = attr_int(node, "axis", 0);
    int y = node->outputs[0];
    bool vendor = strcmp(node->op_type, "QLinearConcat") == 0;
    for (size_t i = vendor ? 2 : 0; i < node->input_count; i += vendor ? 3 : 1) {
        int x = node->inputs[i];
        const struct qd_tensor *shape = x == QD_NO_VALUE ? NULL : ties->shapes[x];
        for (unsigned j = 0; shape && y != QD_NO_VALUE && j < shape->rank; j++)
            if (j != (axis < 0 ? axis + shape->rank : axis))
                tie(ties, axis_id(x, j), 1, axis_id(y, j), 1);
    }
}

static void tie_transpose(struct qd_ties *ties, const struct qd_case_edit_node *node)
{
    int x = node->inputs[0], y = node->outputs[0];
    const struct qd_attr *perm = attr_of(node, "perm");
    const struct qd_tensor *shape = x == QD_NO_VALUE ? NULL : ties->shapes[x];
    for (unsigned i = 0; shape && y != QD_NO_VALUE && i < shape->rank; i++) {
        int64_t from = shape->rank - 1 - i;
        if (perm && perm->kind == QD_ATTR_INTS && perm->count == shape->rank)
            from = perm->ints[i];
        if (from >= 0 && from < shape->rank)
            tie(ties, axis_id(x, (unsigned)from), 1, axis_id(y, i), 1);
    }
}

/* Gemm's axes under transA and transB. */
static const char *gemm_axes(const struct qd_case_edit_node *node, struct qd_arena *arena)
{
    const char *a = attr_int(node, "transA", 0) ? "KM" : "MK";
    const char *b = attr_int(node, "transB", 0) ? "NK" : "KN";
    bool vendor = strcmp(node->op_type, "QGemm") == 0;
    const char *axes = vendor ? qd_arena_printf(arena, "%s - - %s N N N/MN - - > MN", a, b)
                              : qd_arena_printf(arena, "%s %s N/MN > MN", a, b);
    return axes ? axes : "";
}

static const char *axes_of(const struct qd_case_edit_node *node, struct qd_arena *arena)
{
    if (strcmp(node->op_type, "Gemm") == 0 || strcmp(node->op_type, "QGemm") == 0)
        return gemm_axes(node, arena);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].op_type, node->op_type) == 0)
            return table[i].axes;
    return NULL;
}

static void tie_node(struct qd_ties *ties, const struct qd_case_edit_node *node, size_t at,
                     struct qd_arena *arena)
{
    const char *axes = axes_of(node, arena);
    int64_t groups = attr_int(node, "group", 1);
    if (node->input_count == 0 || node->output_count == 0)
        return;
    if (strstr(node->op_type, "Conv") && groups > 1 && axes && node->inputs[0] != QD_NO_VALUE)
        tie_groups(ties, node, at, axes, groups);
    else if (axes)
        tie_by_table(ties, node, axes);
    else if (strstr(node->op_type, "quantizeLinear") || strstr(node->op_type, "QuantizeLinear"))
        tie_quantizer(ties, node);
    else if (strstr(node->op_type, "Concat"))
        tie_concat(ties, node);
    else if (strcmp(node->op_type, "Transpose") == 0)
        tie_transpose(ties, node);
    else
        tie_elements(ties, node);
}

/* --- Shapes of all values ----------------------------------------------------------------------- */

/* What nodes compute, as far as it can be evaluated. */
static void take_computed(struct qd_ties *ties, const struct qd_reduce_view *view)
{
    struct qd_case_edit edit;
    struct qd_case exposed;
    struct qd_error error;
    if (!view->values || qd_case_edit_begin(view->kase, view->arena, &edit, &error) != QD_OK)
        return;
    edit.output_count = 0;
    for (size_t i = 0; i < edit.node_count; i++)
        for (size_t j = 0; j < edit.nodes[i].output_count; j++)
            if (edit.nodes[i].outputs[j] != QD_NO_VALUE &&
                edit.output_count < QD_CASE_EDIT_MAX_OUTPUTS)
                edit.outputs[edit.output_count++] = edit.nodes[i].outputs[j];
    qd_reduce_prune(&edit);
    struct qd_value *values = qd_arena_array(view->arena, edit.output_count, sizeof *values);
    if (!values || qd_case_edit_finish(&edit, "exposed", false, &exposed, &error) != QD_OK ||
        qd_graph_evaluate(exposed.graph, exposed.inputs, NULL, view->arena, values, &error) !=
            QD_OK)
        return;
    for (size_t i = 0; i < edit.output_count; i++)
        ties->shapes[edit.outputs[i]] = &values[i].want;
}

/* The axis of operand `i` that counts output channels, −1 if it has none. */
static int output_channels(const char *axes, size_t i)
{
    for (; i > 0 && *axes && *axes != '>'; i--)
        axes += strcspn(axes, " ") + (axes[strcspn(axes, " ")] == ' ');
    size_t length = strcspn(axes, " ");
    const char *channels = *axes == '>' ? NULL : memchr(axes, 'M', length);
    return channels ? (int)(channels - axes) : -1;
}

/* Channels inside the groups of a convolution: the same part of each group goes. */
static void add_inner_plans(struct qd_ties *ties, const struct qd_case_edit *edit)
{
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_case_edit_node *node = &edit->nodes[i];
        int64_t groups = attr_int(node, "group", 1);
        if (ties->group_axis[i] < 0 || strcmp(node->op_type, "ConvTranspose") == 0)
            continue;
        int weights = strcmp(node->op_type, "QLinearConv") == 0 ? node->inputs[3] : node->inputs[1];
        int64_t in = dim_of(ties, ties->group_axis[i]) / groups;
        int64_t out = weights == QD_NO_VALUE ? 0 : dim_of(ties, axis_id(weights, 0)) / groups;
        for (int kind = INNER_IN; kind <= INNER_OUT; kind++)
            if ((kind == INNER_IN ? in : out) > 1) {
                ties->plans[ties->plan_count].kind = kind;
                ties->plans[ties->plan_count].axis = ties->group_axis[i];
                ties->plans[ties->plan_count].size = kind == INNER_IN ? in : out;
                ties->plans[ties->plan_count++].node = i;
            }
    }
}

static void add_plans(struct qd_ties *ties)
{
    bool listed[AXES] = {false};
    int count = (int)ties->value_count * QD_MAX_RANK;
    for (int i = 0; i < count; i++) {
        int root = find(ties, i);
        if (ties->sources[i / QD_MAX_RANK] && units_of(ties, i, unit_of(ties, i)) > 1 &&
            !listed[root]) {
            listed[root] = true;
            ties->plans[ties->plan_count].kind = TIED;
            ties->plans[ties->plan_count++].axis = i;
        }
    }
    for (int i = 0; i < count; i++)
        if (ties->sources[i / QD_MAX_RANK] && dim_of(ties, i) > 1) {
            ties->plans[ties->plan_count].kind = ALONE;
            ties->plans[ties->plan_count++].axis = i;
        }
    for (int i = 0; i < count; i++) {
        int64_t size = ties->sources[i / QD_MAX_RANK] ? dim_of(ties, i) : 0;
        bool known = size <= 1;
        for (size_t j = ties->plan_count; !known && j-- > 0 && ties->plans[j].kind == SIZE;)
            known = ties->plans[j].size == size;
        if (!known) {
            ties->plans[ties->plan_count].kind = SIZE;
            ties->plans[ties->plan_count].axis = i;
            ties->plans[ties->plan_count++].size = size;
        }
    }
}

static bool make_ties(struct qd_reduce_view *view, const struct qd_case_edit *edit)
{
    struct qd_ties *ties = qd_arena_alloc(view->arena, sizeof *ties);
    if (!ties)
        return false;
    memset(ties, 0, sizeof *ties);
    ties->value_count = view->kase->graph->value_count;
    for (size_t i = 0; i < ties->value_count; i++)
        ties->shapes[i] = ties->sources[i] = edit->values[i].tensor;
    take_computed(ties, view);
    for (int i = 0; i < AXES; i++)
        ties->parent[i] = i;
    for (size_t i = 0; i < edit->node_count; i++) {
        ties->group_axis[i] = -1;
        tie_node(ties, &edit->nodes[i], i, view->arena);
    }
    add_plans(ties);
    add_inner_plans(ties, edit);
    view->ties = ties;
    return true;
}

/* --- Cutting ------------------------------------------------------------------------------------ */

struct qd_tensor *qd_reduce_slice(const struct qd_tensor *tensor, struct qd_part part,
                                  struct qd_arena *arena)
{
    int64_t dims[QD_MAX_RANK], inner = 1, at = 0;
    struct qd_tensor *cut = qd_arena_alloc(arena, sizeof *cut);
    for (unsigned i = 0; i < tensor->rank; i++)
        dims[i] = i == part.axis ? tensor->dims[i] / part.block * part.length : tensor->dims[i];
    for (unsigned i = part.axis + 1; i < tensor->rank; i++)
        inner *= tensor->dims[i];
    if (!cut || qd_tensor_init(cut, arena, tensor->dtype, tensor->rank, dims, NULL) != QD_OK)
        return NULL;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t place = i / inner % tensor->dims[part.axis] % part.block;
        if (place >= part.begin && place < part.begin + part.length)
            qd_tensor_set(cut, at++, qd_tensor_get(tensor, i));
    }
    return cut;
}

/* Of an input, also what steps have for it; of an open axis they keep what they have. */
static bool cut_value(struct qd_case_edit *edit, struct qd_case_edit_value *value,
                      struct qd_part part)
{
    bool open = value->open_axes >> part.axis & 1;
    value->tensor = qd_reduce_slice(value->tensor, part, edit->arena);
    return value->tensor && (open || qd_reduce_slice_steps(edit, value, part));
}

/* The coordinate of the element that differs along a group, in units; −1: the output has no part in it. */
static int64_t wanted_unit(const struct qd_reduce_view *view, int group)
{
    struct qd_ties *ties = view->ties;
    int64_t place[QD_MAX_RANK];
    if (!view->differs)
        return -1;
    const struct qd_tensor *want = &view->values[view->output].want;
    int value = view->kase->graph->outputs[view->output];
    qd_tensor_coordinates(want, view->element, place);
    for (unsigned i = 0; i < want->rank; i++)
        if (find(ties, axis_id(value, i)) == find(ties, group))
            return place[i] / unit_of(ties, axis_id(value, i));
    return -1;
}

struct cut {
    int64_t begin, length;
};

/* Way `way` of keeping a part of `extent`: the wanted one alone, halves, quarters around it, one less. */
static struct cut choose(int64_t extent, int64_t wanted, size_t way)
{
    int64_t half = (extent + 1) / 2, quarter = (extent + 3) / 4;
    int64_t from = wanted - quarter / 2 < 0 ? 0 : wanted - quarter / 2;
    switch (way) {
    case 0: return (struct cut){wanted < 0 ? 0 : wanted, 1};
    case 1: return (struct cut){from + quarter > extent ? extent - quarter : from, quarter};
    case 2: return (struct cut){0, half};
    case 3: return (struct cut){extent - half, half};
    case 4: return (struct cut){0, extent - 1};
    default: return (struct cut){1, extent - 1};
    }
}

static bool in_plan(struct qd_ties *ties, size_t plan, int axis)
{
    switch (ties->plans[plan].kind) {
    case TIED: return find(ties, axis) == find(ties, ties->plans[plan].axis);
    case ALONE: return axis == ties->plans[plan].axis;
    case SIZE: return dim_of(ties, axis) == ties->plans[plan].size;
    default: return false;
    }
}

static bool cut_values(struct qd_ties *ties, struct qd_case_edit *edit, size_t plan, struct cut cut)
{
    bool tied = ties->plans[plan].kind == TIED;
    for (int i = 0; i < (int)ties->value_count * QD_MAX_RANK; i++) {
        struct qd_case_edit_value *value = &edit->values[i / QD_MAX_RANK];
        if (!value->tensor || (unsigned)(i % QD_MAX_RANK) >= value->tensor->rank ||
            !in_plan(ties, plan, i))
            continue;
        int64_t unit = tied ? unit_of(ties, i) : 1, left = dim_of(ties, i) - cut.begin * unit;
        int64_t length = cut.length * unit < left ? cut.length * unit : left;
        const struct qd_part part = {(unsigned)(i % QD_MAX_RANK), dim_of(ties, i), cut.begin * unit,
                                     length};
        if (!cut_value(edit, value, part))
            return false;
    }
    return true;
}

static bool cut_channels(struct qd_case_edit *edit, int value, unsigned axis, int64_t block,
                         struct cut cut)
{
    const struct qd_tensor *tensor = value == QD_NO_VALUE ? NULL : edit->values[value].tensor;
    if (!tensor || axis >= tensor->rank || block < cut.begin + cut.length)
        return true; /* one scale for all, or computed: the reference says whether it fits */
    return cut_value(edit, &edit->values[value],
                     (struct qd_part){axis, block, cut.begin, cut.length});
}

static bool cut_inner(const struct qd_ties *ties, struct qd_case_edit *edit, size_t plan,
                      struct cut cut)
{
    const struct qd_case_edit_node *node = &edit->nodes[ties->plans[plan].node];
    int64_t groups = attr_int(node, "group", 1), size = ties->plans[plan].size;
    const char *axes = axes_of(node, edit->arena);
    for (size_t i = 0; axes && i < node->input_count; i++) {
        int channels = output_channels(axes, i);
        bool weights = channels == 0 && i > 0 && axes[0] == 'N' && node->inputs[i] != QD_NO_VALUE &&
                       ties->shapes[node->inputs[i]] && ties->shapes[node->inputs[i]]->rank > 1;
        bool done = true;
        if (ties->plans[plan].kind == INNER_IN && (i == 0 || weights))
            done = cut_channels(edit, node->inputs[i], 1, size, cut);
        else if (ties->plans[plan].kind == INNER_OUT && channels >= 0 &&
                 node->inputs[i] != QD_NO_VALUE &&
                 dim_of(ties, axis_id(node->inputs[i], (unsigned)channels)) == size * groups)
            done = cut_channels(edit, node->inputs[i], (unsigned)channels, size, cut);
        if (!done)
            return false;
    }
    return true;
}

static bool set_groups(struct qd_ties *ties, struct qd_case_edit *edit, size_t plan, int64_t count)
{
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_attr group = {.name = "group", .kind = QD_ATTR_INT, .i = count};
        if (ties->plans[plan].kind == TIED && ties->group_axis[i] >= 0 &&
            in_plan(ties, plan, ties->group_axis[i]) &&
            !qd_case_edit_set_attr(&edit->nodes[i], &group))
            return false;
    }
    return true;
}

/* A constant shape says how many elements there have to be: {-1, 1, ...} of the
 * same length says nothing, and axes can be cut. */
enum qd_step qd_reduce_reshape(struct qd_reduce_view *view, struct qd_case_edit *edit,
                               size_t number)
{
    (void)view;
    if (number >= edit->node_count)
        return QD_STEP_END;
    const struct qd_case_edit_node *node = &edit->nodes[number];
    if (strcmp(node->op_type, "Reshape") != 0 || node->input_count != 2 ||
        node->inputs[1] == QD_NO_VALUE)
        return QD_STEP_SKIP;
    struct qd_case_edit_value *value = &edit->values[node->inputs[1]];
    if (!value->tensor || value->tensor->dtype != QD_S64)
        return QD_STEP_SKIP;
    struct qd_tensor *shape = qd_case_edit_copy_tensor(edit, value->tensor);
    bool changed = false;
    for (int64_t i = 0; shape && i < shape->count; i++) {
        int64_t dim = i == 0 ? -1 : 1;
        changed = changed || qd_tensor_get(shape, i) != dim;
        qd_tensor_set(shape, i, dim);
    }
    if (!changed)
        return QD_STEP_SKIP;
    value->tensor = shape;
    return QD_STEP_TRY;
}

enum qd_step qd_reduce_shapes(struct qd_reduce_view *view, struct qd_case_edit *edit, size_t number)
{
    if (!view->ties && !make_ties(view, edit))
        return QD_STEP_END;
    struct qd_ties *ties = view->ties;
    size_t plan = number / CUTS;
    if (plan >= ties->plan_count)
        return QD_STEP_END;
    int axis = ties->plans[plan].axis;
    bool tied = ties->plans[plan].kind == TIED;
    bool inner = ties->plans[plan].kind == INNER_IN || ties->plans[plan].kind == INNER_OUT;
    int64_t extent =
        inner ? ties->plans[plan].size : units_of(ties, axis, tied ? unit_of(ties, axis) : 1);
    struct cut cut = choose(extent, tied ? wanted_unit(view, axis) : -1, number % CUTS);
    if (cut.length >= extent || cut.length < 1)
        return QD_STEP_SKIP;
    if (inner)
        return cut_inner(ties, edit, plan, cut) ? QD_STEP_TRY : QD_STEP_END;
    return cut_values(ties, edit, plan, cut) && set_groups(ties, edit, plan, cut.length)
               ? QD_STEP_TRY
               : QD_STEP_END; /* no room */
}
