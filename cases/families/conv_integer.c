/* SPDX-License-Identifier: Apache-2.0 */
/* ConvInteger: the features of QLinearConv that it has, times random codes, pairs that fill an int16,
 * and sums around 2^24. */
#include "families/conv_integer.h"

#include <stdio.h>
#include <string.h>

#include "families/linear_draft.h"

#define ATTEMPTS 64
enum { W_SCALAR, W_VECTOR, W_ABSENT };
enum { X_SCALAR, X_ABSENT };

/* Zero points that differ need a vector; an absent one is 0. */
static const struct qd_exclusion exclusions[] = {
    {{QD_CONV_W_SHAPE, QD_CONV_W_ZERO}, {1 << W_SCALAR, 0x1c}},
    {{QD_CONV_W_SHAPE, QD_CONV_W_ZERO}, {1 << W_ABSENT, 0x1e}},
    {{QD_CONV_X_SHAPE, QD_CONV_X_ZERO}, {1 << X_ABSENT, 0xe}},
};

struct qd_factor_table qd_conv_integer_table(struct qd_factor *factors)
{
    memcpy(factors, qd_qlinear_conv_table.factors, QD_CONV_FACTORS * sizeof *factors);
    factors[QD_CONV_TYPES].levels = 4; /* x and w */
    factors[QD_CONV_W_SHAPE] =
        (struct qd_factor){.name = "w_zero_point's shape", QD_LEVELS(NULL, "wm", "no_wz")};
    factors[QD_CONV_X_SHAPE] =
        (struct qd_factor){.name = "x_zero_point's shape", QD_LEVELS(NULL, "no_xz")};
    factors[QD_CONV_Y_ZERO] = (struct qd_factor){.name = "none", .levels = 1};
    factors[QD_CONV_BIAS] = (struct qd_factor){.name = "none", .levels = 1};
    return (struct qd_factor_table){factors, QD_CONV_FACTORS, exclusions,
                                    sizeof exclusions / sizeof *exclusions};
}

enum values { RANDOM, INT16_PAIRS, LARGE_SUM, VALUES };
static const char *const value_words[] = {"random", "int16-pairs", "large-sum"};

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    /* One kernel position and one group; the channels are as many as the sum needs. */
    bool deep = row[QD_CONV_KERNEL] == 1 && row[QD_CONV_GROUP] == 0;
    bool zeros = row[QD_CONV_W_SHAPE] != W_ABSENT && row[QD_CONV_X_SHAPE] != X_ABSENT;
    return values != LARGE_SUM || (deep && zeros && draw == 0);
}

static enum qd_status draw_draft(const uint8_t *row, enum values values, const char *slug,
                                 uint64_t draw, struct qd_arena *arena, struct qd_conv_draft *draft,
                                 struct qd_error *error)
{
    static const unsigned choices[] = {QD_CONV_RANDOM, QD_CONV_INT16_PAIRS};
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct qd_random r = qd_random_seed(slug, draw * ATTEMPTS + attempt);
        struct qd_conv_draft d = qd_qlinear_conv_draft(row, &r);
        if (row[QD_CONV_X_SHAPE] == X_ABSENT)
            d.x_zero = 0;
        if (values == LARGE_SUM)
            d.channels = QD_DRAFT_LARGE_TERMS;
        enum qd_status status = qd_conv_draft_room(&d, arena, error);
        if (status != QD_OK)
            return status;
        if (values == LARGE_SUM)
            qd_draft_large_sums(&d);
        else if (!qd_conv_values[choices[values]].choose(&d, &r))
            continue;
        *draft = d;
        return QD_OK;
    }
    return qd_fail(error, QD_INTERNAL, "%s: no draw of %d succeeded", slug, ATTEMPTS);
}

static enum qd_status add_zeros(struct qd_builder *builder, const char *name, enum qd_dtype dtype,
                                const int64_t *codes, bool scalar, int64_t count, bool run,
                                struct qd_arena *arena, struct qd_error *error)
{
    struct qd_tensor t;
    enum qd_status status = qd_tensor_init(&t, arena, dtype, scalar ? 0 : 1, &count, error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&t, i, codes[i]);
    qd_build_tensor(builder, name, &t, run);
    return QD_OK;
}

static enum qd_status add_tensors(struct qd_builder *builder, const struct qd_conv_draft *d,
                                  const uint8_t *row, struct qd_arena *arena,
                                  struct qd_error *error)
{
    bool params = row[QD_CONV_BINDING] & 1, weights = row[QD_CONV_BINDING] & 2;
    uint8_t x = row[QD_CONV_X_SHAPE], w = row[QD_CONV_W_SHAPE];
    enum qd_status status = QD_OK;
    qd_build_input(builder, "x", &d->x);
    qd_build_tensor(builder, "w", &d->w, weights);
    if (x != X_ABSENT)
        status = add_zeros(builder, "x_zero_point", d->x_type, &d->x_zero, true, 1, params, arena,
                           error);
    if (status == QD_OK && w != W_ABSENT)
        status = add_zeros(builder, "w_zero_point", d->w_type, d->w_zero, w == W_SCALAR,
                           w == W_VECTOR ? d->filters : 1, params, arena, error);
    return status;
}

static const char *input_names(const uint8_t *row)
{
    bool x = row[QD_CONV_X_SHAPE] != X_ABSENT, w = row[QD_CONV_W_SHAPE] != W_ABSENT;
    if (w)
        return x ? "x,w,x_zero_point,w_zero_point" : "x,w,,w_zero_point";
    return x ? "x,w,x_zero_point" : "x,w";
}

static enum qd_status build(const struct qd_conv_draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    int64_t y[2 + QD_DRAFT_SPATIAL] = {d->batch, d->filters};
    struct qd_builder *builder = qd_build_begin(arena, 10);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    memcpy(y + 2, d->out, sizeof d->out);
    qd_build_node(builder, "", "ConvInteger", input_names(row), "y");
    qd_qlinear_conv_attributes(builder, d, row);
    enum qd_status status = add_tensors(builder, d, row, arena, error);
    qd_build_output(builder, "y", QD_S32, (int)d->spatial + 2, y);
    qd_build_tag(builder, tag);
    qd_build_origin(builder, "ConvInteger-10", "", "");
    return status == QD_OK ? qd_build_finish(builder, slug, true, kase, error) : status;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    static const char *const words[] = {"u8", "s8"};
    struct qd_factor factors[QD_CONV_FACTORS];
    struct qd_factor_table table = qd_conv_integer_table(factors);
    char features[160], slug[256];
    struct qd_conv_draft d;
    uint8_t types = row[QD_CONV_TYPES];
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "ConvInteger/x-%s,w-%s/%s-%s", words[types & 1],
             words[types >> 1 & 1], value_words[values], features);
    enum qd_status status = draw_draft(row, (enum values)values, slug, draw, arena, &d, error);
    return status == QD_OK ? build(&d, row, slug, value_words[values], arena, kase, error) : status;
}

static enum qd_status generate(enum qd_level level, qd_case_visitor *visit, void *context,
                               struct qd_error *error)
{
    struct qd_factor factors[QD_CONV_FACTORS];
    struct qd_factor_table table = qd_conv_integer_table(factors);
    const struct qd_family family = {
        .table = &table, .strength = 3, .values = VALUES, .applies = applies, .make = make};
    return qd_family_generate(&family, level, visit, context, error);
}

const struct qd_family qd_family_conv_integer = {
    .name = "ConvInteger",
    .meaning = "one integer convolution: types, shapes, zero points and padding",
    .generate = generate,
}; /* the table of QLinearConv with fewer levels */
