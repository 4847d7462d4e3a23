/* SPDX-License-Identifier: Apache-2.0 */
/* GraphTokens: how a vision transformer makes tokens of an image: convolution, flattened, transposed, a class token
 * before it, the positions' embedding added; quantized in between or not;
 * and what reads the tokens. Pairs of features. */
#include "families/graph_draft.h"

#include <stdio.h>

enum factor {
    TYPES,
    ZERO,
    FLATTEN,
    QUANTIZED_PATCHES, /* after the convolution */
    QUANTIZED_TOKENS,  /* after the transpose */
    QUANTIZED_CONCAT,
    TOKEN,
    EMBEDDING,
    READER,
    WEIGHTS,
    OPSET,
    FACTORS
};

enum flatten { RESHAPE, RESHAPE_INFERRED, FLATTEN_UNSQUEEZE };
enum quantized { UNQUANTIZED, QUANTIZED, QUANTIZED_TWICE };
enum token { TOKEN_CODES, TOKEN_INPUT, TOKEN_SAME_PARAMETERS };
enum reader { ALL_TOKENS, SLICED_CLASS, GATHERED_CLASS, PROJECTED, SCORES };

#define FEATURES 6
#define PATCHES 4

static const struct qd_factor factors[] = {
    [TYPES] = {.name = "types", QD_LEVELS(QD_GRAPH_TYPE_WORDS)},
    [ZERO] = {.name = "zero points", QD_LEVELS(QD_GRAPH_ZERO_WORDS)},
    [FLATTEN] = {.name = "flatten", QD_LEVELS("reshape", "inferred", "flatten")},
    [QUANTIZED_PATCHES] = {.name = "patches", QD_LEVELS("p_real", "p_q", "p_qq")},
    [QUANTIZED_TOKENS] = {.name = "tokens", QD_LEVELS("t_real", "t_q", "t_qq")},
    [QUANTIZED_CONCAT] = {.name = "concat", QD_LEVELS("c_real", "c_q", "c_qq")},
    [TOKEN] = {.name = "class token", QD_LEVELS("codes", "input", "same")},
    [EMBEDDING] = {.name = "embedding", QD_LEVELS("add", "add_broadcast", "no_add")},
    [READER] = {.name = "reader", QD_LEVELS(NULL, "slice", "gather", "projection", "scores")},
    [WEIGHTS] = {.name = "weight parameters", QD_LEVELS(NULL, "per_channel")},
    [OPSET] = {.name = "opset", QD_LEVELS(QD_GRAPH_OPSET_WORDS)},
};

static const struct qd_exclusion exclusions[] = {
    {{TYPES, OPSET}, {QD_GRAPH_TYPES_OPSET21, 0x1}},
    {{TYPES, ZERO}, {QD_GRAPH_TYPES_NOT_U8, 1 << QD_GRAPH_ZERO_NONE}},
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static struct qd_flow quantized(struct qd_graph_draft *draft, unsigned how, const struct qd_flow *x)
{
    struct qd_flow y = *x;
    for (unsigned i = 0; i < how; i++)
        y = qd_graph_through(draft, &y);
    return y;
}

/* [1, 6, 2, 2] patches of [1, 3, 4, 4]. */
static struct qd_flow put_patches(struct qd_graph_draft *draft, const uint8_t *row)
{
    static const int64_t image[] = {1, 3, 4, 4}, dims[] = {FEATURES, 3, 2, 2};
    struct qd_flow codes = qd_graph_input(draft, 4, image, NULL), w, bias;
    struct qd_flow x = qd_graph_dequantize(draft, &codes);
    w = qd_graph_constant(draft, draft->weight_type, 4, dims, 0, row[WEIGHTS] ? FEATURES : 1);
    w = qd_graph_dequantize(draft, &w);
    bias = qd_graph_bias(draft, QD_BIAS_PRODUCT, FEATURES, &x, &w);
    const struct qd_graph_conv conv = {FEATURES, 2, 2, 0, 1, false, &w, &bias};
    return qd_graph_conv(draft, &x, &conv);
}

/* [1, 6, 4] */
static struct qd_flow put_flatten(struct qd_graph_draft *draft, enum flatten how,
                                  const struct qd_flow *x)
{
    static const int64_t dims[] = {1, FEATURES, PATCHES}, inferred[] = {0, 0, -1}, zero = 0;
    struct qd_flow y;
    if (how == FLATTEN_UNSQUEEZE) {
        y = qd_graph_node(draft, "Flatten", x, "");
        qd_build_attr_int(draft->maker.builder, "axis", 2);
        struct qd_flow axes = qd_graph_list(draft, &zero, 1);
        y = qd_graph_node2(draft, "Unsqueeze", &y, &axes);
    } else {
        struct qd_flow shape = qd_graph_list(draft, how == RESHAPE ? dims : inferred, 3);
        y = qd_graph_node2(draft, "Reshape", x, &shape);
    }
    y.rank = 3;
    y.dims[1] = FEATURES;
    y.dims[2] = PATCHES;
    return y;
}

/* The class token before the patches: [1, 5, 6]. */
static struct qd_flow put_class(struct qd_graph_draft *draft, enum token how,
                                const struct qd_flow *patches)
{
    static const int64_t dims[] = {1, 1, FEATURES};
    struct qd_flow token = {0};
    if (how == TOKEN_CODES)
        token = qd_graph_constant(draft, draft->type, 3, dims, 0, 1);
    else
        token =
            qd_graph_input(draft, 3, dims, how == TOKEN_SAME_PARAMETERS ? &patches->grid : NULL);
    token = qd_graph_dequantize(draft, &token);
    return qd_graph_concat(draft, &token, patches, 1);
}

static struct qd_flow put_embedding(struct qd_graph_draft *draft, unsigned how,
                                    const struct qd_flow *x)
{
    static const int64_t full[] = {1, PATCHES + 1, FEATURES}, row[] = {FEATURES};
    if (how == 2)
        return *x;
    struct qd_flow w = qd_graph_constant(draft, draft->type, how ? 1 : 3, how ? row : full, 0, 1);
    w = qd_graph_dequantize(draft, &w);
    return qd_graph_add(draft, x, &w);
}

static struct qd_flow put_slice(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const int64_t start = 0, end = 1, axis = 1;
    struct qd_flow starts = qd_graph_list(draft, &start, 1), ends = qd_graph_list(draft, &end, 1),
                   axes = qd_graph_list(draft, &axis, 1);
    char more[32];
    snprintf(more, sizeof more, ",%s,%s,%s", starts.name, ends.name, axes.name);
    struct qd_flow y = qd_graph_node(draft, "Slice", x, more);
    y.dims[1] = 1;
    return y;
}

static struct qd_flow put_gather(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const int64_t first = 0;
    qd_qdq_put_list(&draft->maker, "first", QD_S64, 0, &first, 1);
    struct qd_flow y = qd_graph_node(draft, "Gather", x, ",first");
    qd_build_attr_int(draft->maker.builder, "axis", 1);
    y.rank = 2;
    y.dims[1] = FEATURES;
    return y;
}

static struct qd_flow put_projection(struct qd_graph_draft *draft, const uint8_t *row,
                                     const struct qd_flow *x)
{
    static const int64_t dims[] = {FEATURES, 8};
    struct qd_flow w =
        qd_graph_constant(draft, draft->weight_type, 2, dims, 1, row[WEIGHTS] ? 8 : 1);
    w = qd_graph_dequantize(draft, &w);
    struct qd_flow y = qd_graph_node2(draft, "MatMul", x, &w);
    qd_graph_product(&y, x, &w, FEATURES);
    y.dims[2] = 8;
    return y;
}

/* Every token times every other one. */
static struct qd_flow put_scores(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const int64_t perm[] = {0, 2, 1};
    struct qd_flow keys = qd_graph_transpose(draft, x, perm);
    struct qd_flow y = qd_graph_node2(draft, "MatMul", x, &keys);
    qd_graph_product(&y, x, &keys, FEATURES);
    y.dims[2] = PATCHES + 1;
    return y;
}

static struct qd_flow put_reader(struct qd_graph_draft *draft, const uint8_t *row,
                                 const struct qd_flow *x)
{
    switch ((enum reader)row[READER]) {
    case SLICED_CLASS: return put_slice(draft, x);
    case GATHERED_CLASS: return put_gather(draft, x);
    case PROJECTED: return put_projection(draft, row, x);
    case SCORES: return put_scores(draft, x);
    default: return *x;
    }
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    static const int64_t perm[] = {0, 2, 1};
    char slug[256];
    const struct qd_graph_choice choice = {row[TYPES], row[ZERO], row[OPSET]};
    struct qd_graph_draft draft =
        qd_graph_begin("GraphTokens", &table, row, values, draw, choice, arena, error, slug);
    struct qd_flow y = put_patches(&draft, row);
    y = quantized(&draft, row[QUANTIZED_PATCHES], &y);
    y = put_flatten(&draft, (enum flatten)row[FLATTEN], &y);
    y = qd_graph_transpose(&draft, &y, perm);
    y = quantized(&draft, row[QUANTIZED_TOKENS], &y);
    y = put_class(&draft, (enum token)row[TOKEN], &y);
    y = quantized(&draft, row[QUANTIZED_CONCAT], &y);
    y = put_embedding(&draft, row[EMBEDDING], &y);
    if (row[READER] == PROJECTED || row[READER] == SCORES)
        y = qd_graph_through(&draft, &y);
    y = put_reader(&draft, row, &y);
    y = qd_graph_quantize(&draft, &y);
    qd_graph_output(&draft, &y);
    return qd_graph_finish(&draft, slug, kase);
}

const struct qd_family qd_family_graph_tokens = {
    .name = "GraphTokens",
    .meaning =
        "from an image to a transformer's tokens: convolution, flatten, transpose, concat, add",
    .table = &table,
    .strength = 3,
    .values = QD_GRAPH_VALUES,
    .smoke_stride = 16,
    .make = make,
};
