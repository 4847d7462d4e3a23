/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulNBits of com.microsoft: triples of features, times numbers on which every order is exact, random ones, and each
 * code at each position of a byte. */
#include <math.h>
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/maker.h"
#include "families/vendor_matmul.h"

enum factor { BITS, TYPE, BLOCK, DEPTH, COLUMNS, ZERO, SHAPE, BIAS, LEVEL, BINDING, FACTORS };
enum zero { ZERO_ABSENT, ZERO_PACKED, ZERO_FLOAT };
enum values { EXACT, RANDOM, PATTERN, VALUES };

static const struct qd_factor factors[] = {
    [BITS] = {.name = "bits", .levels = 3},
    [TYPE] = {.name = "A", .levels = 3},
    [BLOCK] = {.name = "block_size", QD_LEVELS("b16", "b32", "b64", "b128")},
    [DEPTH] = {.name = "K", QD_LEVELS("k16", "k1", "k33", "k96", "k200")},
    [COLUMNS] = {.name = "N", QD_LEVELS("n1", "n3", "n16")},
    [ZERO] = {.name = "zero_points", QD_LEVELS(NULL, "z", "z_float")},
    [SHAPE] = {.name = "shape", QD_LEVELS(NULL, "rows", "batch")},
    [BIAS] = {.name = "bias", QD_LEVELS(NULL, "bias")},
    [LEVEL] = {.name = "accuracy_level", QD_LEVELS(NULL, "level0", "level1")},
    [BINDING] = {.name = "run-time inputs",
                 QD_LEVELS(NULL, "run_params", "run_weights", "run_all")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const char *const words[VALUES] = {"exact", "random", "pattern"};
static const int64_t bits_of[] = {4, 8, 2};
static const enum qd_dtype types[] = {QD_F32, QD_F16, QD_BF16};

struct draft {
    int64_t bits, block, k, n, blocks;
    enum qd_dtype type;
    enum values values;
    bool params, weights; /* at run time */
};

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = 0;
    for (unsigned f = 0; f < FACTORS; f++)
        sum += row[f];
    return (sum + values) % 2 == 0 || (values == EXACT && draw == 0);
}

static struct draft make_draft(const uint8_t *row, size_t values)
{
    static const int64_t blocks[] = {16, 32, 64, 128}, ks[] = {16, 1, 33, 96, 200},
                         ns[] = {1, 3, 16};
    struct draft d = {.bits = bits_of[row[BITS]],
                      .block = blocks[row[BLOCK]],
                      .k = ks[row[DEPTH]],
                      .n = ns[row[COLUMNS]],
                      .type = types[row[TYPE]],
                      .values = (enum values)values,
                      .params = row[BINDING] & 1,
                      .weights = row[BINDING] & 2};
    d.blocks = (d.k + d.block - 1) / d.block;
    return d;
}

/* A: small integers, of which no partial sum rounds; or anything; or one at a
 * time, so that each output shows one weight. */
static void add_a(struct qd_maker *maker, const struct draft *d, const uint8_t *row,
                  struct qd_random *r)
{
    const int64_t shapes[][3] = {{1, d->k}, {4, d->k}, {2, 3, d->k}};
    struct qd_tensor a =
        qd_maker_tensor(maker, d->type, row[SHAPE] == 2 ? 3 : 2, shapes[row[SHAPE]]);
    for (int64_t i = 0; i < a.count; i++) {
        double any = ldexp((double)qd_random_range(r, -(1 << 23), 1 << 23), -22);
        bool chosen = i % d->k == (i / d->k * 7 + 3) % d->k;
        qd_maker_set(&a, i,
                     d->values == EXACT    ? (double)qd_random_range(r, -2, 2)
                     : d->values == RANDOM ? any
                     : chosen              ? 1
                                           : 0);
    }
    qd_maker_add(maker, "a", &a, true);
}

static void add_b(struct qd_maker *maker, const struct draft *d, struct qd_random *r)
{
    const int64_t dims[3] = {d->n, d->blocks, d->block * d->bits / 8};
    struct qd_tensor b = qd_maker_tensor(maker, QD_U8, 3, dims);
    for (int64_t i = 0; i < b.count; i++)
        qd_maker_set(&b, i,
                     (double)(d->values == PATTERN ? (i * 17 + i / 16 * 37) % 256
                                                   : qd_random_range(r, 0, 255)));
    qd_maker_add(maker, "b", &b, d->weights);
}

static void add_scales(struct qd_maker *maker, const struct draft *d, struct qd_random *r)
{
    const int64_t dims[2] = {d->n, d->blocks};
    struct qd_tensor scales = qd_maker_tensor(maker, d->type, 2, dims);
    for (int64_t i = 0; i < scales.count; i++) {
        double any = ldexp((double)qd_random_range(r, 1 << 23, (1 << 24) - 1), -28);
        qd_maker_set(&scales, i, d->values == RANDOM ? any : ldexp(1, -(int)(i % 2) - 2));
    }
    qd_maker_add(maker, "scales", &scales, d->params);
}

static void add_zero_points(struct qd_maker *maker, const struct draft *d, const uint8_t *row,
                            struct qd_random *r)
{
    const int64_t packed[2] = {d->n, (d->blocks * d->bits + 7) / 8}, plain[2] = {d->n, d->blocks};
    bool is_float = row[ZERO] == ZERO_FLOAT;
    if (row[ZERO] == ZERO_ABSENT)
        return;
    struct qd_tensor zero =
        qd_maker_tensor(maker, is_float ? d->type : QD_U8, 2, is_float ? plain : packed);
    for (int64_t i = 0; i < zero.count; i++) {
        double half = (double)qd_random_range(r, 0, (2 << d->bits) - 1) / 2;
        qd_maker_set(&zero, i, is_float ? half : (double)qd_random_range(r, 0, 255));
    }
    qd_maker_add(maker, "zero_points", &zero, d->params);
}

static void add_bias(struct qd_maker *maker, const struct draft *d, struct qd_random *r)
{
    struct qd_tensor bias = qd_maker_tensor(maker, d->type, 1, &d->n);
    for (int64_t i = 0; i < bias.count; i++)
        qd_maker_set(&bias, i, (double)qd_random_range(r, -8, 8) / 2);
    qd_maker_add(maker, "bias", &bias, d->params);
}

static enum qd_status build(const struct draft *d, const uint8_t *row, const char *slug,
                            struct qd_random *r, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    static const char *const inputs[2][2] = {
        {"a,b,scales", "a,b,scales,,,bias"},
        {"a,b,scales,zero_points", "a,b,scales,zero_points,,bias"}};
    const int64_t y[][3] = {{1, d->n}, {4, d->n}, {2, 3, d->n}};
    struct qd_maker maker = qd_maker_begin(arena, 13, error);
    if (maker.status != QD_OK)
        return maker.status;
    qd_build_node(maker.builder, "com.microsoft", "MatMulNBits",
                  inputs[row[ZERO] != ZERO_ABSENT][row[BIAS]], "y");
    qd_build_attr_int(maker.builder, "K", d->k);
    qd_build_attr_int(maker.builder, "N", d->n);
    qd_build_attr_int(maker.builder, "block_size", d->block);
    qd_build_attr_int(maker.builder, "bits", d->bits);
    if (row[LEVEL])
        qd_build_attr_int(maker.builder, "accuracy_level", row[LEVEL] - 1);
    add_a(&maker, d, row, r);
    add_b(&maker, d, r);
    add_scales(&maker, d, r);
    add_zero_points(&maker, d, row, r);
    if (row[BIAS])
        add_bias(&maker, d, r);
    qd_build_output(maker.builder, "y", d->type, row[SHAPE] == 2 ? 3 : 2, y[row[SHAPE]]);
    return qd_maker_finish(&maker, slug, words[d->values], "com.microsoft.MatMulNBits-1", kase);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[160], slug[256];
    struct draft d = make_draft(row, values);
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "MatMulNBits/%s,bits%d/%s-%s", qd_dtype_info(d.type)->word,
             (int)d.bits, words[values], features);
    struct qd_random random = qd_random_seed(slug, draw);
    return build(&d, row, slug, &random, arena, kase, error);
}

const struct qd_family qd_family_matmul_nbits = {
    .name = "MatMulNBits",
    .meaning =
        "a product with weights of 2, 4 or 8 bits in blocks: packing, zero points, ragged blocks",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
