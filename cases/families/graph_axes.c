/* SPDX-License-Identifier: Apache-2.0 */
/* GraphAxes: parameters along an axis, on codes and weights that are transposed or reshaped after their
 * DequantizeLinear, and before a QuantizeLinear. Pairs of features. */
#include "families/graph_draft.h"

enum factor { PATTERN, TYPES, ZERO, X_AXIS, Y_AXIS, NEGATIVE, DOUBLED, OPSET, FACTORS };

enum pattern {
    NOTHING,        /* x requantized */
    TRANSPOSED,     /* x [4, 6, 5] to [6, 5, 4] */
    RESHAPED,       /* x [4, 6, 5] to [24, 5] */
    UNSQUEEZED,     /* x [4, 6, 5] to [1, 4, 6, 5] */
    RELU,           /* what keeps the axes */
    WEIGHTS,        /* w [4, 6], x [5, 4] */
    WEIGHTS_TURNED, /* w [6, 4] transposed */
    WEIGHTS_SHAPED, /* w [2, 2, 6] reshaped to [4, 6] */
    WEIGHTS_TRANSB, /* w [6, 4], Gemm with transB */
    WEIGHTS_SQUARE, /* w [4, 4], whose axes a mistake can confuse */
    PATTERNS
};

/* Which axis the parameters go along, or none. */
enum axis { PER_TENSOR, AXIS_0, AXIS_1, AXIS_LAST };

static const struct qd_factor factors[] = {
    [PATTERN] = {.name = "pattern",
                 QD_LEVELS("requantize", "transpose", "reshape", "unsqueeze", "relu", "weights",
                           "weights-transposed", "weights-reshaped", "weights-transB",
                           "weights-square")},
    [TYPES] = {.name = "types", QD_LEVELS(QD_GRAPH_TYPE_WORDS)},
    [ZERO] = {.name = "zero points", QD_LEVELS(QD_GRAPH_ZERO_WORDS)},
    [X_AXIS] = {.name = "axis of x or w", QD_LEVELS("x_tensor", "x_0", "x_1", "x_last")},
    [Y_AXIS] = {.name = "axis of y", QD_LEVELS("y_tensor", "y_0", "y_1", "y_last")},
    [NEGATIVE] = {.name = "axes counted from the back", QD_LEVELS(NULL, "negative")},
    [DOUBLED] = {.name = "y again", QD_LEVELS(NULL, "again", "visible")},
    [OPSET] = {.name = "opset", QD_LEVELS(QD_GRAPH_OPSET_WORDS)},
};

#define OF_WEIGHTS                                                                    \
    (1 << WEIGHTS | 1 << WEIGHTS_TURNED | 1 << WEIGHTS_SHAPED | 1 << WEIGHTS_TRANSB | \
     1 << WEIGHTS_SQUARE)
static const struct qd_exclusion exclusions[] = {
    {{TYPES, OPSET}, {QD_GRAPH_TYPES_OPSET21, 0x1}},
    {{TYPES, ZERO}, {QD_GRAPH_TYPES_NOT_U8, 1 << QD_GRAPH_ZERO_NONE}},
    {{PATTERN, Y_AXIS}, {1 << RESHAPED, 1 << AXIS_0}},            /* 24 parameters */
    {{PATTERN, TYPES}, {(1 << PATTERNS) - 1 - OF_WEIGHTS, 0x62}}, /* without w like others */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static int64_t axis_of(const uint8_t *row, enum axis axis, unsigned rank)
{
    int64_t position = axis == AXIS_LAST ? (int64_t)rank - 1 : axis == AXIS_1;
    return row[NEGATIVE] ? position - rank : position;
}

static struct qd_flow put_x(struct qd_graph_draft *draft, const uint8_t *row, unsigned rank,
                            const int64_t *dims)
{
    enum axis axis = (enum axis)row[X_AXIS];
    struct qd_flow codes = axis == PER_TENSOR
                               ? qd_graph_input(draft, rank, dims, NULL)
                               : qd_graph_input_axis(draft, rank, dims, axis_of(row, axis, rank));
    return qd_graph_dequantize(draft, &codes);
}

static struct qd_flow put_w(struct qd_graph_draft *draft, const uint8_t *row, unsigned rank,
                            const int64_t *dims)
{
    enum axis axis = (enum axis)row[X_AXIS];
    int64_t at = axis_of(row, axis, rank);
    int64_t count = axis == PER_TENSOR ? 1 : dims[at < 0 ? at + rank : at];
    struct qd_flow codes = qd_graph_constant(draft, draft->weight_type, rank, dims, at, count);
    return qd_graph_dequantize(draft, &codes);
}

static struct qd_flow put_moved(struct qd_graph_draft *draft, const uint8_t *row)
{
    static const int64_t dims[] = {4, 6, 5}, perm[] = {1, 2, 0}, flat[] = {24, 5}, zero = 0;
    struct qd_flow x = put_x(draft, row, 3, dims), y, axes;
    switch ((enum pattern)row[PATTERN]) {
    case TRANSPOSED: return qd_graph_transpose(draft, &x, perm);
    case RESHAPED: return qd_graph_reshape(draft, &x, 2, flat);
    case RELU: return qd_graph_node(draft, "Relu", &x, "");
    case UNSQUEEZED:
        axes = qd_graph_list(draft, &zero, 1);
        y = qd_graph_node2(draft, "Unsqueeze", &x, &axes);
        y.rank = 4;
        y.dims[0] = 1;
        for (int i = 0; i < 3; i++)
            y.dims[i + 1] = dims[i];
        return y;
    default: return x;
    }
}

static struct qd_flow put_weights(struct qd_graph_draft *draft, const uint8_t *row)
{
    static const int64_t straight[] = {4, 6}, turned[] = {6, 4}, square[] = {4, 4},
                         shaped[] = {2, 2, 6}, perm[] = {1, 0};
    struct qd_flow w;
    switch ((enum pattern)row[PATTERN]) {
    case WEIGHTS_TURNED:
        w = put_w(draft, row, 2, turned);
        return qd_graph_transpose(draft, &w, perm);
    case WEIGHTS_SHAPED:
        w = put_w(draft, row, 3, shaped);
        return qd_graph_reshape(draft, &w, 2, straight);
    case WEIGHTS_SQUARE: return put_w(draft, row, 2, square);
    case WEIGHTS_TRANSB: return put_w(draft, row, 2, turned);
    default: return put_w(draft, row, 2, straight);
    }
}

static struct qd_flow put_product(struct qd_graph_draft *draft, const uint8_t *row)
{
    static const int64_t dims[] = {5, 4};
    struct qd_flow codes = qd_graph_input(draft, 2, dims, NULL);
    struct qd_flow x = qd_graph_dequantize(draft, &codes), w = put_weights(draft, row);
    bool gemm = row[PATTERN] == WEIGHTS_TRANSB;
    struct qd_flow y = qd_graph_node2(draft, gemm ? "Gemm" : "MatMul", &x, &w);
    if (gemm)
        qd_build_attr_int(draft->maker.builder, "transB", 1);
    qd_graph_product(&y, &x, &w, 4);
    y.dims[1] = row[PATTERN] == WEIGHTS_SQUARE ? 4 : 6;
    return y;
}

static struct qd_flow quantize(struct qd_graph_draft *draft, const uint8_t *row,
                               const struct qd_flow *real)
{
    enum axis axis = (enum axis)row[Y_AXIS];
    if (axis == PER_TENSOR)
        return qd_graph_quantize(draft, real);
    return qd_graph_quantize_axis(draft, real, axis_of(row, axis, real->rank));
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    enum { ONCE, AGAIN, VISIBLE };
    char slug[256];
    const struct qd_graph_choice choice = {row[TYPES], row[ZERO], row[OPSET]};
    struct qd_graph_draft draft =
        qd_graph_begin("GraphAxes", &table, row, values, draw, choice, arena, error, slug);
    bool weights = OF_WEIGHTS >> row[PATTERN] & 1;
    struct qd_flow y = weights ? put_product(&draft, row) : put_moved(&draft, row);
    y = quantize(&draft, row, &y);
    if (row[DOUBLED] != ONCE) {
        if (row[DOUBLED] == VISIBLE)
            qd_graph_output(&draft, &y);
        y = qd_graph_dequantize(&draft, &y);
        y = qd_graph_quantize(&draft, &y);
    }
    qd_graph_output(&draft, &y);
    return qd_graph_finish(&draft, slug, kase);
}

const struct qd_family qd_family_graph_axes = {
    .name = "GraphAxes",
    .meaning = "parameters along an axis, through Transpose, Reshape and Unsqueeze",
    .table = &table,
    .strength = 2,
    .values = QD_GRAPH_VALUES,
    .smoke_stride = 3,
    .make = make,
};
