/* SPDX-License-Identifier: Apache-2.0 */
#include "families/matmul_draft.h"

#include <stdio.h>

#include "families/vendor_matmul.h"

#define ATTEMPTS 64
#define MAX_RANK 4

static void set_shape(struct qd_matmul_draft *d, const uint8_t *row)
{
    /* ranks of x and w, batch, groups */
    static const uint8_t shapes[][4] = {{1, 1, 1, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}, {2, 2, 1, 1},
                                        {3, 2, 2, 1}, {3, 3, 1, 2}, {4, 3, 2, 2}, {4, 4, 2, 2}};
    static const int64_t terms[] = {1, 8, 7, 37, 271};
    const uint8_t *shape = shapes[row[QD_MATMUL_SHAPE]];
    struct qd_conv_draft *c = &d->conv;
    bool wide = row[QD_MATMUL_SIZE] == 1;
    d->x_rank = shape[0];
    d->w_rank = shape[1];
    c->spatial = 1;
    c->batch = shape[2];
    c->group = shape[3];
    c->channels = c->group * terms[row[QD_MATMUL_K]];
    c->filters = d->w_rank == 1 ? 1 : c->group * (wide ? 13 : 3);
    c->plane = d->x_rank == 1 ? 1 : wide ? 17 : 4;
    c->in[0] = c->out[0] = c->plane;
    c->kernel[0] = c->stride[0] = c->dilation[0] = 1;
}

static void set_zeros(struct qd_matmul_draft *d, const uint8_t *row, bool has_y,
                      struct qd_random *r)
{
    d->x_shape = (enum qd_matmul_parameter)row[QD_MATMUL_X_SHAPE];
    d->w_shape = (enum qd_matmul_parameter)row[QD_MATMUL_W_SHAPE];
    bool by_filter = d->w_shape == QD_P_VECTOR || d->w_shape == QD_P_FULL;
    uint8_t conv[QD_CONV_FACTORS] = {
        [QD_CONV_TYPES] = row[QD_MATMUL_TYPES],
        [QD_CONV_W_SHAPE] = by_filter ? 1 : 0,
        [QD_CONV_W_ZERO] = row[QD_MATMUL_W_ZERO],
        [QD_CONV_X_ZERO] = row[QD_MATMUL_X_ZERO],
        [QD_CONV_Y_ZERO] = has_y ? row[QD_MATMUL_Y_ZERO] : 0,
    };
    qd_conv_draft_zeros(&d->conv, conv, r);
    if (d->x_shape == QD_P_ABSENT)
        d->conv.x_zero = 0;
}

static struct qd_matmul_draft make_draft(const uint8_t *row, bool has_y, struct qd_random *r)
{
    struct qd_matmul_draft d = {.by_rows = row[QD_MATMUL_SIDE] == 1};
    set_shape(&d, row);
    set_zeros(&d, row, has_y, r);
    bool many = d.x_shape == QD_P_VECTOR || d.x_shape == QD_P_FULL;
    d.x_entries = many ? d.conv.batch * d.conv.group * d.conv.plane : 1;
    return d;
}

/* x's parameters. Where nothing is solved for they may all differ. */
static void spread_x(struct qd_matmul_draft *d, bool distinct, struct qd_random *r)
{
    const struct qd_dtype_info *x = qd_dtype_info(d->conv.x_type);
    for (int64_t e = 0; e < d->x_entries; e++) {
        struct qd_scale scale = d->conv.x_scale;
        int64_t zero = qd_random_range(r, x->min, x->max);
        scale.exponent -= distinct ? (int)(e % 3) : 0;
        d->x_scale[e] = scale;
        d->x_zero[e] = distinct && e > 0 ? zero : d->conv.x_zero;
    }
}

enum qd_status qd_matmul_draft_make(const uint8_t *row, bool has_y,
                                    const struct qd_matmul_values *values, const char *seed,
                                    uint64_t draw, struct qd_arena *arena,
                                    struct qd_matmul_draft *draft, struct qd_error *error)
{
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct qd_random r = qd_random_seed(seed, draw * ATTEMPTS + attempt);
        struct qd_matmul_draft d = make_draft(row, has_y, &r);
        enum qd_status status = qd_conv_draft_room(&d.conv, arena, error);
        if (status != QD_OK)
            return status;
        bool chosen = values->values ? values->values->choose(&d.conv, &r)
                                     : qd_vendor_large_sums(&d.conv, &r);
        if (!chosen)
            continue;
        bool free = values->values == &qd_conv_values[QD_CONV_RANDOM] ||
                    values->values == &qd_conv_values[QD_CONV_INT16_PAIRS];
        spread_x(&d, free && d.x_entries > 1, &r);
        *draft = d;
        return QD_OK;
    }
    return qd_fail(error, QD_INTERNAL, "%s: no draw of %d succeeded", seed, ATTEMPTS);
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* The shape of an operand: matrices of `lines` (rows of a, columns of b) times `terms`; returns its
 * rank. */
static unsigned operand_dims(const struct qd_matmul_draft *d, bool is_x, int64_t terms,
                             int64_t *dims)
{
    const struct qd_conv_draft *c = &d->conv;
    unsigned rank = is_x ? d->x_rank : d->w_rank, at = 0;
    bool is_a = is_x != d->by_rows;
    int64_t lines = is_x ? c->plane : c->filters / c->group;
    if (rank == 1) {
        dims[0] = terms;
        return 1;
    }
    if (rank == 4)
        dims[at++] = is_x ? c->batch : 1;
    if (rank >= 3)
        dims[at++] = rank == 3 && is_x ? c->batch * c->group : c->group;
    dims[at++] = is_a ? lines : terms;
    dims[at++] = is_a ? terms : lines;
    return at;
}

/* x is stored with its terms before its lines, as b is; w with its lines before its terms, as a
 * is. */
static enum qd_status add_operand(const struct qd_matmul_draft *d, bool is_x, bool run,
                                  struct qd_arena *arena, struct qd_builder *builder,
                                  struct qd_error *error)
{
    const struct qd_conv_draft *c = &d->conv;
    const struct qd_tensor *from = is_x ? &c->x : &c->w;
    int64_t dims[MAX_RANK], terms = c->channels / c->group;
    int64_t lines = is_x ? c->plane : c->filters / c->group;
    struct qd_tensor t;
    unsigned rank = operand_dims(d, is_x, terms, dims);
    enum qd_status status = qd_tensor_init(&t, arena, from->dtype, rank, dims, error);
    if (status != QD_OK)
        return status;
    int64_t outer = is_x ? terms : lines, inner = is_x ? lines : terms;
    for (int64_t i = 0; i < t.count; i++) {
        int64_t matrix = i / (outer * inner), o = i / inner % outer, k = i % inner;
        int64_t to = d->by_rows ? i : (matrix * inner + k) * outer + o;
        qd_tensor_set(&t, to, qd_tensor_get(from, i));
    }
    qd_build_tensor(builder, is_x != d->by_rows ? "a" : "b", &t, run);
    return QD_OK;
}

/* A scale (codes NULL) or a zero point of x or w. */
static enum qd_status add_parameter(const struct qd_matmul_draft *d, bool is_x, const char *suffix,
                                    const int64_t *codes, bool run, struct qd_arena *arena,
                                    struct qd_builder *builder, struct qd_error *error)
{
    const struct qd_conv_draft *c = &d->conv;
    const struct qd_scale *scales = is_x ? d->x_scale : c->w_scale;
    enum qd_matmul_parameter shape = is_x ? d->x_shape : d->w_shape;
    int64_t dims[MAX_RANK] = {is_x ? c->plane : c->filters};
    unsigned rank = shape == QD_P_SCALAR ? 0 : 1;
    if (shape == QD_P_FULL)
        rank = operand_dims(d, is_x, 1, dims);
    struct qd_tensor t;
    enum qd_dtype dtype = codes ? (is_x ? c->x_type : c->w_type) : QD_F32;
    enum qd_status status = qd_tensor_init(&t, arena, dtype, rank, dims, error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < t.count; i++)
        qd_tensor_set(&t, i, codes ? codes[i] : (int64_t)qd_scale_bits(scales[i]));
    const char *name = qd_arena_printf(arena, "%c_%s", is_x != d->by_rows ? 'a' : 'b', suffix);
    if (!name)
        return qd_fail(error, QD_NO_MEMORY, "no room for a name");
    qd_build_tensor(builder, name, &t, run);
    return QD_OK;
}

enum qd_status qd_matmul_draft_build(const struct qd_matmul_draft *d, const uint8_t *row,
                                     bool scales, struct qd_arena *arena,
                                     struct qd_builder *builder, struct qd_error *error)
{
    bool params = row[QD_MATMUL_BINDING] & 1, weights = row[QD_MATMUL_BINDING] & 2;
    enum qd_status status = QD_OK;
    for (int operand = 0; operand < 2; operand++) {
        bool is_x = operand == 0;
        const int64_t *zeros = is_x ? d->x_zero : d->conv.w_zero;
        if (status == QD_OK)
            status = add_operand(d, is_x, is_x || weights, arena, builder, error);
        if (status == QD_OK && scales)
            status = add_parameter(d, is_x, "scale", NULL, params, arena, builder, error);
        if (status == QD_OK && (is_x ? d->x_shape : d->w_shape) != QD_P_ABSENT)
            status = add_parameter(d, is_x, "zero_point", zeros, params, arena, builder, error);
    }
    return status;
}

unsigned qd_matmul_draft_dims(const struct qd_matmul_draft *d, int64_t *dims)
{
    int64_t x[MAX_RANK], w[MAX_RANK];
    unsigned x_rank = operand_dims(d, true, 1, x), w_rank = operand_dims(d, false, 1, w), rank = 0;
    for (; rank + 2 < x_rank; rank++) /* x has no fewer batches than w */
        dims[rank] = x[rank];
    int64_t rows = d->by_rows ? d->conv.filters / d->conv.group : d->conv.plane;
    int64_t columns = d->by_rows ? d->conv.plane : d->conv.filters / d->conv.group;
    if ((d->by_rows ? w_rank : x_rank) > 1)
        dims[rank++] = rows;
    if ((d->by_rows ? x_rank : w_rank) > 1)
        dims[rank++] = columns;
    return rank;
}

const char *qd_matmul_types(const uint8_t *row, char *text, size_t size)
{
    static const char *const words[2] = {"u8", "s8"};
    bool by_rows = row[QD_MATMUL_SIDE] == 1;
    unsigned x = row[QD_MATMUL_TYPES] & 1, w = row[QD_MATMUL_TYPES] >> 1 & 1;
    unsigned a_shape = by_rows ? row[QD_MATMUL_W_SHAPE] : row[QD_MATMUL_X_SHAPE];
    bool rows = a_shape == QD_P_VECTOR || a_shape == QD_P_FULL;
    snprintf(text, size, "a-%s,b-%s%s", words[by_rows ? w : x], words[by_rows ? x : w],
             rows ? ",rows" : "");
    return text;
}
