/* SPDX-License-Identifier: Apache-2.0 */
#include "families/qdq_blocks.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

static const char *const value_words[] = {"random", "tie", "saturation"};
static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_U16, QD_S16};

struct draft {
    const struct qd_block *block;
    const uint8_t *row;
    enum qd_block_form form;
    enum qd_block_values values;
    struct qd_grid x, w, y;
    struct qd_tensor x_codes, w_codes;
};

/* ---- Parameters ------------------------------------------------------------------------------ */

/* With ties in mind, powers of two: then everything that can be is exact. */
static double draw_scale(const struct draft *d, int exponent, struct qd_random *random)
{
    if (d->values == QD_BLOCK_TIE)
        return ldexp(1.0, exponent);
    return qd_linear_scale(QD_F32, false, exponent, random);
}

static void set_grid(const struct draft *d, struct qd_grid *grid, int64_t role, int exponent,
                     struct qd_random *random)
{
    unsigned zero = d->row[QD_BLOCK_ZERO];
    bool none = zero == QD_BLOCK_ZERO_NONE;
    *grid = (struct qd_grid){.type = types[d->row[QD_BLOCK_TYPE]], .count = 1};
    grid->without_zero_point = none;
    grid->zero[0] = none ? 0 : qd_qdq_zero_of(grid->type, (enum qd_qdq_zero)zero, role);
    grid->scale[0] = draw_scale(d, exponent, random);
}

static void draw_grids(struct draft *d, struct qd_random *random)
{
    const struct qd_block *b = d->block;
    int bits = (int)qd_dtype_info(types[d->row[QD_BLOCK_TYPE]])->bits;
    int x = b->x_range == INT_MIN ? (int)qd_random_range(random, -6, -2) : b->x_range - (bits - 1);
    int drop = b->y_drop[d->values];
    int w = b->divides ? (int)qd_random_range(random, -4, -2) : x - 1;
    int y = b->y_range == INT_MIN ? x + drop - (b->divides ? w : 0) : b->y_range - bits + drop;
    set_grid(d, &d->x, 0, x, random);
    set_grid(d, &d->w, 1, w, random);
    set_grid(d, &d->y, 2, y, random);
    if (d->row[QD_BLOCK_PARAMETERS] == 1)
        d->y = d->x;
    if (d->form == QD_BLOCK_CODES || (d->row[QD_BLOCK_PARAMETERS] == 1 && !b->divides))
        d->w = d->x;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* 256 elements of eight bits: each code once, shuffled. */
static int64_t draw_code(const struct draft *d, const struct qd_tensor *tensor, int64_t i,
                         struct qd_random *random)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    int64_t anywhere = qd_random_range(random, info->min, info->max);
    int64_t near = qd_random_range(random, 0, 9);
    if (tensor->count == 256 && info->bits == 8)
        return info->min + (i * 77 + 19) % 256;
    bool at_end = d->values == QD_BLOCK_SATURATION && near < 4;
    return at_end ? near % 2 ? info->min : info->max : anywhere;
}

/* A divisor: a power of two to either side of the zero point, as far as there are codes. */
static int64_t draw_divisor(const struct draft *d, const struct qd_grid *grid,
                            struct qd_random *random)
{
    const struct qd_dtype_info *info = qd_dtype_info(grid->type);
    int64_t power = (int64_t)1 << qd_random_range(random, 0, 3), z = grid->zero[0];
    int64_t anywhere = qd_random_range(random, info->min, info->max);
    bool up = qd_random_range(random, 0, 1) != 0;
    if (d->values != QD_BLOCK_TIE)
        return anywhere == z ? (z < info->max ? z + 1 : z - 1) : anywhere;
    up = z - power < info->min || (up && z + power <= info->max);
    return up ? z + power : z - power;
}

/* A weight; near the zero point, and inside the type, where sums are to be ties in range. */
static int64_t draw_weight(const struct draft *d, int64_t i, struct qd_random *random)
{
    int64_t reach = d->block->w_reach, z = d->w.zero[0];
    if (d->values != QD_BLOCK_TIE || reach == 0)
        return draw_code(d, &d->w_codes, i, random);
    return qd_qdq_clamp(d->w.type, z + qd_random_range(random, -reach, reach));
}

static enum qd_status draw_codes(struct draft *d, struct qd_arena *arena, struct qd_random *random,
                                 struct qd_error *error)
{
    const struct qd_block *b = d->block;
    enum qd_status status = qd_tensor_init(&d->x_codes, arena, d->x.type, b->x_rank, b->x, error);
    if (status == QD_OK && b->w_rank > 0)
        status = qd_tensor_init(&d->w_codes, arena, d->w.type, b->w_rank, b->w, error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < d->x_codes.count; i++)
        qd_tensor_set(&d->x_codes, i, draw_code(d, &d->x_codes, i, random));
    for (int64_t i = 0; b->w_rank > 0 && i < d->w_codes.count; i++)
        qd_tensor_set(&d->w_codes, i,
                      b->divides ? draw_divisor(d, &d->w, random)
                                 : draw_weight(d, i + 128, random));
    return QD_OK;
}

void qd_block_put_scales(struct qd_qdq_maker *m, const char *op_type, const char *in,
                         const char *out, double scale)
{
    const int64_t one = qd_qdq_float_code(1), other = qd_qdq_float_code(scale);
    const int64_t scales[] = {one, one, other, other};
    char inputs[64];
    qd_qdq_put_list(m, "scales", QD_F32, 1, scales, 4);
    snprintf(inputs, sizeof inputs, "%s,,scales", in);
    qd_build_node(m->builder, "", op_type, inputs, out);
}

/* ---- From a draft to a model ----------------------------------------------------------------- */

static void put_codes(struct qd_qdq_maker *m, const struct draft *d, int64_t opset)
{
    const struct qd_block *b = d->block;
    qd_qdq_put_list(m, "zero", d->x.type, 0, d->x.zero, 1);
    b->put(m, "x", "w", "y", opset, "zero");
    qd_build_output(m->builder, "y", d->x.type, (int)b->y_rank, b->y);
}

static void put_real(struct qd_qdq_maker *m, const struct draft *d, int64_t opset)
{
    const struct qd_block *b = d->block;
    qd_qdq_dequantize(m, "x", &d->x, 0);
    if (b->w_rank > 0)
        qd_qdq_dequantize(m, "w", &d->w, 0);
    b->put(m, "x_real", "w_real", "y_real", opset, NULL);
    qd_qdq_quantize(m, "y_real", "y", &d->y);
    qd_build_output(m->builder, "y", d->y.type, (int)b->y_rank, b->y);
    if (d->form == QD_BLOCK_VISIBLE)
        qd_build_output(m->builder, "y_real", QD_F32, (int)b->y_rank, b->y);
}

enum qd_status qd_block_make(const char *family, const struct qd_block *block,
                             const struct qd_factor_table *table, const enum qd_block_form *forms,
                             const uint8_t *row, enum qd_block_values values, uint64_t draw,
                             struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    char features[128], slug[192];
    struct draft d = {
        .block = block, .row = row, .form = forms[row[QD_BLOCK_FORM]], .values = values};
    int64_t opset = row[QD_BLOCK_OPSET] ? 21 : 13;
    qd_covering_describe(table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "%s/%s/%s-%s", family, block->word, value_words[values], features);
    struct qd_random random = qd_random_seed(slug, draw);
    draw_grids(&d, &random);
    struct qd_qdq_maker m = {arena, error, qd_build_begin(arena, opset), QD_OK};
    if (!m.builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    m.status = draw_codes(&d, arena, &random, error);
    if (m.status != QD_OK)
        return m.status;
    qd_build_input(m.builder, "x", &d.x_codes);
    if (block->w_rank > 0)
        qd_build_input(m.builder, "w", &d.w_codes);
    if (d.form == QD_BLOCK_CODES)
        put_codes(&m, &d, opset);
    else
        put_real(&m, &d, opset);
    qd_build_tag(m.builder, value_words[values]);
    return m.status == QD_OK ? qd_build_finish(m.builder, slug, true, kase, error) : m.status;
}
