/* SPDX-License-Identifier: Apache-2.0 */
/* GraphMovement: two operators that move elements, one after the other, between DequantizeLinear and QuantizeLinear or
 * around a pair of them. Pairs of features, so that each of the fifteen stands before and after each. */
#include "families/graph_draft.h"

#include <stdio.h>

enum factor { FIRST, SECOND, TYPE, ZERO, PARAMETERS, BETWEEN, BESIDE, FACTORS };

#define MOVES                                                                              \
    "transpose", "reshape", "flatten", "squeeze", "unsqueeze", "slice", "split", "gather", \
        "expand", "pad", "identity", "max-pool", "depth-to-space", "space-to-depth", "tile"

enum move {
    TRANSPOSE,
    RESHAPE,
    FLATTEN,
    SQUEEZE,
    UNSQUEEZE,
    SLICE,
    SPLIT,
    GATHER,
    EXPAND,
    PAD,
    IDENTITY,
    MAX_POOL,
    DEPTH_TO_SPACE,
    SPACE_TO_DEPTH,
    TILE
};

static const struct qd_factor factors[] = {
    [FIRST] = {.name = "first", QD_LEVELS(MOVES)},
    [SECOND] = {.name = "second", QD_LEVELS(MOVES)},
    [TYPE] = {.name = "type", QD_LEVELS("u8", "s8", "u16", "s16")},
    [ZERO] = {.name = "zero points", QD_LEVELS(QD_GRAPH_ZERO_WORDS)},
    [PARAMETERS] = {.name = "parameters", QD_LEVELS(NULL, "same")},
    [BETWEEN] = {.name = "between", QD_LEVELS(NULL, "quantized", "visible", "real_visible")},
    [BESIDE] = {.name = "another consumer", QD_LEVELS(NULL, "consumer")},
};

static const struct qd_exclusion exclusions[] = {
    {{TYPE, ZERO}, {0xe, 1 << QD_GRAPH_ZERO_NONE}}, /* without a zero point y is u8 */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static int64_t count_of(const struct qd_flow *x)
{
    int64_t count = 1;
    for (unsigned i = 0; i < x->rank; i++)
        count *= x->dims[i];
    return count;
}

static int64_t longest(const struct qd_flow *x)
{
    int64_t axis = 0;
    for (unsigned i = 1; i < x->rank; i++)
        axis = x->dims[i] > x->dims[axis] ? (int64_t)i : axis;
    return axis;
}

/* As [1, 4, 2, n]: what DepthToSpace, SpaceToDepth and MaxPool can take. Counts are multiples of 16. */
static struct qd_flow as_image(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    bool is = x->rank == 4 && x->dims[1] % 4 == 0 && x->dims[2] % 2 == 0 && x->dims[3] % 2 == 0;
    const int64_t dims[] = {1, 4, 2, count_of(x) / 8};
    return is ? *x : qd_graph_reshape(draft, x, 4, dims);
}

/* A node with a list of int64. */
static struct qd_flow put_listed(struct qd_graph_draft *draft, const char *op_type,
                                 const struct qd_flow *x, const int64_t *values, int64_t count)
{
    struct qd_flow list = qd_graph_list(draft, values, count);
    return qd_graph_node2(draft, op_type, x, &list);
}

static struct qd_flow put_transpose(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    int64_t perm[QD_GRAPH_MAX_RANK]; /* the first axis stays, the others turn */
    for (unsigned i = 0; i < x->rank; i++)
        perm[i] = i == 0 || x->rank < 3 ? (int64_t)(x->rank < 3 ? x->rank - 1 - i : 0)
                                        : (int64_t)(i % (x->rank - 1) + 1);
    return qd_graph_transpose(draft, x, perm);
}

static struct qd_flow put_flatten(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    struct qd_flow y = qd_graph_node(draft, "Flatten", x, "");
    y.rank = 2;
    y.dims[0] = x->dims[0];
    y.dims[1] = count_of(x) / x->dims[0];
    return y;
}

/* Without axes: all that are 1. */
static struct qd_flow put_squeeze(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    struct qd_flow y = qd_graph_node(draft, "Squeeze", x, "");
    y.rank = 0;
    for (unsigned i = 0; i < x->rank; i++)
        if (x->dims[i] != 1)
            y.dims[y.rank++] = x->dims[i];
    return y;
}

static struct qd_flow put_unsqueeze(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    const int64_t axis = 1;
    struct qd_flow y = put_listed(draft, "Unsqueeze", x, &axis, 1);
    y.rank = x->rank + 1;
    for (unsigned i = x->rank; i > 1; i--)
        y.dims[i] = x->dims[i - 1];
    y.dims[1] = 1;
    return y;
}

/* Backwards, all of the longest axis. */
static struct qd_flow put_slice(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    const int64_t axis = longest(x), starts = -1, ends = -x->dims[axis] - 1, steps = -1;
    char more[40];
    struct qd_flow s = qd_graph_list(draft, &starts, 1), e = qd_graph_list(draft, &ends, 1),
                   a = qd_graph_list(draft, &axis, 1), t = qd_graph_list(draft, &steps, 1);
    snprintf(more, sizeof more, ",%s,%s,%s,%s", s.name, e.name, a.name, t.name);
    return qd_graph_node(draft, "Slice", x, more);
}

/* Two parts of the longest axis, put together the other way round. */
static struct qd_flow put_split(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    int64_t axis = longest(x);
    const int64_t sizes[] = {1, x->dims[axis] - 1};
    struct qd_flow list = qd_graph_list(draft, sizes, 2), a = *x, b = *x;
    char inputs[24], outputs[24];
    snprintf(a.name, sizeof a.name, "a%u", draft->count++ % 1000);
    snprintf(b.name, sizeof b.name, "b%u", draft->count++ % 1000);
    snprintf(inputs, sizeof inputs, "%s,%s", x->name, list.name);
    snprintf(outputs, sizeof outputs, "%s,%s", a.name, b.name);
    qd_build_node(draft->maker.builder, "", "Split", inputs, outputs);
    qd_build_attr_int(draft->maker.builder, "axis", axis);
    a.dims[axis] = sizes[0];
    b.dims[axis] = sizes[1];
    return qd_graph_concat(draft, &b, &a, axis);
}

static struct qd_flow put_gather(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const int64_t indices[] = {1, 0, -1, 1};
    int64_t axis = longest(x);
    struct qd_flow y = put_listed(draft, "Gather", x, indices, 4);
    qd_build_attr_int(draft->maker.builder, "axis", axis);
    y.dims[axis] = 4;
    return y;
}

/* Twice along a new first axis, or along the first where it is 1. */
static struct qd_flow put_expand(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    struct qd_flow y;
    bool fresh = x->dims[0] != 1;
    int64_t dims[QD_GRAPH_MAX_RANK] = {2};
    for (unsigned i = fresh ? 0 : 1; i < x->rank; i++)
        dims[i + fresh] = x->dims[i];
    y = put_listed(draft, "Expand", x, dims, (int64_t)x->rank + fresh);
    y.rank = x->rank + fresh;
    for (unsigned i = 0; i < y.rank; i++)
        y.dims[i] = dims[i];
    return y;
}

/* To twice the last axis. */
static struct qd_flow put_pad(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    int64_t pads[2 * QD_GRAPH_MAX_RANK] = {0}, n = x->dims[x->rank - 1];
    pads[x->rank - 1] = 1;
    pads[2 * x->rank - 1] = n - 1;
    struct qd_flow y = put_listed(draft, "Pad", x, pads, 2 * (int64_t)x->rank);
    y.dims[x->rank - 1] = 2 * n;
    return y;
}

static struct qd_flow put_tile(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    int64_t repeats[QD_GRAPH_MAX_RANK] = {1, 1, 1, 1, 1, 1};
    repeats[x->rank - 1] = 2;
    struct qd_flow y = put_listed(draft, "Tile", x, repeats, x->rank);
    y.dims[x->rank - 1] *= 2;
    return y;
}

static struct qd_flow put_max_pool(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const int64_t kernel[] = {2, 2}, pads[] = {0, 0, 1, 1};
    struct qd_flow image = as_image(draft, x);
    struct qd_flow y = qd_graph_node(draft, "MaxPool", &image, "");
    qd_build_attr_ints(draft->maker.builder, "kernel_shape", kernel, 2);
    qd_build_attr_ints(draft->maker.builder, "pads", pads, 4);
    return y;
}

static struct qd_flow put_depth(struct qd_graph_draft *draft, const char *op_type, bool to_space,
                                const struct qd_flow *x)
{
    struct qd_flow image = as_image(draft, x);
    struct qd_flow y = qd_graph_node(draft, op_type, &image, "");
    qd_build_attr_int(draft->maker.builder, "blocksize", 2);
    for (int i = 1; i < 4; i++) {
        int64_t factor = i == 1 ? 4 : 2;
        y.dims[i] = to_space == (i > 1) ? image.dims[i] * factor : image.dims[i] / factor;
    }
    return y;
}

static struct qd_flow put_move(struct qd_graph_draft *draft, enum move move,
                               const struct qd_flow *x)
{
    const int64_t matrix[] = {4, count_of(x) / 4};
    switch (move) {
    case TRANSPOSE: return put_transpose(draft, x);
    case RESHAPE: return qd_graph_reshape(draft, x, 2, matrix);
    case FLATTEN: return put_flatten(draft, x);
    case SQUEEZE: return put_squeeze(draft, x);
    case UNSQUEEZE: return put_unsqueeze(draft, x);
    case SLICE: return put_slice(draft, x);
    case SPLIT: return put_split(draft, x);
    case GATHER: return put_gather(draft, x);
    case EXPAND: return put_expand(draft, x);
    case PAD: return put_pad(draft, x);
    case IDENTITY: return qd_graph_node(draft, "Identity", x, "");
    case MAX_POOL: return put_max_pool(draft, x);
    case DEPTH_TO_SPACE: return put_depth(draft, "DepthToSpace", true, x);
    case SPACE_TO_DEPTH: return put_depth(draft, "SpaceToDepth", false, x);
    default: return put_tile(draft, x);
    }
}

/* What stands between the two. */
static struct qd_flow put_between(struct qd_graph_draft *draft, const uint8_t *row,
                                  const struct qd_flow *x, const struct qd_flow *like)
{
    enum { NOTHING, QUANTIZED, VISIBLE, REAL_VISIBLE };
    if (row[BETWEEN] == REAL_VISIBLE)
        qd_graph_output(draft, x);
    if (row[BETWEEN] == NOTHING || row[BETWEEN] == REAL_VISIBLE)
        return *x;
    struct qd_flow codes =
        row[PARAMETERS] ? qd_graph_quantize_like(draft, x, like) : qd_graph_quantize(draft, x);
    if (row[BETWEEN] == VISIBLE)
        qd_graph_output(draft, &codes);
    return qd_graph_dequantize(draft, &codes);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    static const int64_t dims[] = {1, 4, 2, 6};
    static const unsigned types[] = {0, 2, 3, 4}; /* among those of graph_draft.h */
    char slug[256];
    const struct qd_graph_choice choice = {types[row[TYPE]], row[ZERO], row[TYPE] > 1};
    struct qd_graph_draft draft =
        qd_graph_begin("GraphMovement", &table, row, values, draw, choice, arena, error, slug);
    struct qd_flow x = qd_graph_input(&draft, 4, dims, NULL);
    struct qd_flow real = qd_graph_dequantize(&draft, &x);
    struct qd_flow y = put_move(&draft, (enum move)row[FIRST], &real);
    y = put_between(&draft, row, &y, &x);
    y = put_move(&draft, (enum move)row[SECOND], &y);
    y = row[PARAMETERS] ? qd_graph_quantize_like(&draft, &y, &x) : qd_graph_quantize(&draft, &y);
    qd_graph_output(&draft, &y);
    if (row[BESIDE]) {
        struct qd_flow beside = qd_graph_node(&draft, "Relu", &real, "");
        beside = qd_graph_quantize(&draft, &beside);
        qd_graph_output(&draft, &beside);
    }
    return qd_graph_finish(&draft, slug, kase);
}

const struct qd_family qd_family_graph_movement = {
    .name = "GraphMovement",
    .meaning = "two operators that move elements between DequantizeLinear and QuantizeLinear",
    .table = &table,
    .strength = 2,
    .values = QD_GRAPH_VALUES,
    .smoke_stride = 8,
    .make = make,
};
