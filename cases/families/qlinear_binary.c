/* SPDX-License-Identifier: Apache-2.0 */
#include "families/qlinear_binary.h"

enum factor { B_ZERO = QD_QLINEAR_FACTORS, B_SCALE, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shapes",
                          QD_LEVELS("256_256", "256_0d", "0d_67", "16x16_16", "2x3x4_3x1",
                                    "5x1_1x7")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of a", QD_LEVELS(QD_QLINEAR_ZERO("az"), "az_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of c", QD_LEVELS(QD_QLINEAR_ZERO("cz"), "cz_no")},
    [QD_QLINEAR_BINDING] = {.name = "run-time inputs",
                            QD_LEVELS(NULL, "run_params", "constant_b", "constant_b_run_params")},
    [B_ZERO] = {.name = "zero point of b", QD_LEVELS(QD_QLINEAR_ZERO("bz"), "bz_no")},
    [B_SCALE] = {.name = "b_scale", QD_LEVELS("same_scale", "finer", "coarser")},
};

const struct qd_factor_table qd_qlinear_binary_table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[3];
} shapes[][2] = {
    {{1, {256}}, {1, {256}}},   {{1, {256}}, {0, {0}}},        {{0, {0}}, {1, {67}}},
    {{2, {16, 16}}, {1, {16}}}, {{3, {2, 3, 4}}, {2, {3, 1}}}, {{2, {5, 1}}, {2, {1, 7}}},
};

bool qd_qlinear_binary_applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    bool absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT || row[B_ZERO] == QD_ZERO_ABSENT ||
                  row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT;
    return absent ? values == QD_QLINEAR_RANDOM
                  : qd_qlinear_rotates(&qd_qlinear_binary_table, row, values);
}

struct pair {
    struct qd_scale a, b, c;
    int64_t a_zero, b_zero, c_zero, reach;
};

/* Sums: b's scale is 2^shift of a's, so that odd sums of codes are ties.
 * Products: half of a product of codes, each at most 15. */
static struct pair draw_pair(struct qd_qlinear_draft *d, bool product, int shift)
{
    struct qd_qlinear_scales s = qd_qlinear_draw_scales(d, 0);
    struct pair p = {.a = s.x, .b = s.x, .c = s.y, .reach = qd_qlinear_reach(d, product ? 16 : 2)};
    p.b.exponent += shift;
    if (product) { /* a·b/c keeps the ratio a/c when b is a power of two that c shares */
        p.b = qd_scale_make(1, shift);
        p.c.exponent += shift;
    }
    if (d->values == QD_QLINEAR_RANDOM && product) {
        p.b = qd_qlinear_draw_scales(d, 0).x;
        p.c.exponent += p.b.exponent + 23 + 6;
    } else if (d->values == QD_QLINEAR_RANDOM) {
        p.b = qd_qlinear_draw_scales(d, 0).x;
    }
    return p;
}

static enum qd_status build(struct qd_qlinear_draft *d, const char *op, const char *slug,
                            const struct pair *p, const struct shape *shape, unsigned absent,
                            struct qd_case *kase)
{
    bool run_b = (d->row[QD_QLINEAR_BINDING] & 2) == 0;
    const char *inputs = qd_arena_printf(
        d->arena, "a,a_scale,%s,b,b_scale,%s,c_scale,%s", absent & 1 ? "" : "a_zero_point",
        absent & 2 ? "" : "b_zero_point", absent & 4 ? "" : "c_zero_point");
    if (d->status == QD_OK && !inputs)
        d->status = qd_fail(d->error, QD_NO_MEMORY, "no room for names");
    if (d->status != QD_OK)
        return d->status;
    qd_build_node(d->builder, "com.microsoft", op, inputs, "y");
    qd_qlinear_codes(d, "a", shape[0].rank, shape[0].dims, p->a_zero, p->reach, true);
    qd_qlinear_parameters(d, "a", p->a, p->a_zero, absent & 1);
    qd_qlinear_codes(d, "b", shape[1].rank, shape[1].dims, p->b_zero, p->reach, run_b);
    qd_qlinear_parameters(d, "b", p->b, p->b_zero, absent & 2);
    qd_qlinear_parameters(d, "c", p->c, p->c_zero, absent & 4);
    return qd_qlinear_finish(d, op, slug, kase);
}

enum qd_status qd_qlinear_binary_make(const char *op, bool product, const uint8_t *row,
                                      size_t values, uint64_t draw, struct qd_arena *arena,
                                      struct qd_case *kase, struct qd_error *error)
{
    static const int shifts[] = {0, -1, 1};
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&qd_qlinear_binary_table, op, row, values, draw, arena, error, slug);
    struct pair p = draw_pair(&d, product, shifts[row[B_SCALE]]);
    if (row[B_SCALE] == 1 && !product)
        p.c.exponent--; /* the finer scale is the unit */
    p.a_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    p.b_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[B_ZERO]);
    p.c_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    unsigned absent = (row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT ? 1 : 0) |
                      (row[B_ZERO] == QD_ZERO_ABSENT ? 2 : 0) |
                      (row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT ? 4 : 0);
    return build(&d, op, slug, &p, shapes[row[QD_QLINEAR_SHAPE]], absent, kase);
}

enum qd_status qd_qlinear_binary_sweep(const char *op, bool product, enum qd_dtype type,
                                       struct qd_arena *arena, struct qd_case *kase,
                                       struct qd_error *error)
{
    static const struct shape all[] = {{2, {256, 1}}, {2, {1, 256}}};
    const uint8_t row[FACTORS] = {[QD_QLINEAR_TYPE] = type == QD_S8};
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&qd_qlinear_binary_table, op, row, QD_QLINEAR_TIE, 0, arena, error, slug);
    int64_t middle = type == QD_S8 ? 0 : 128;
    struct pair p = {qd_scale_make(1, 0),
                     qd_scale_make(1, 0),
                     qd_scale_make(1, product ? 7 : 1),
                     middle - 1,
                     middle,
                     middle + 1,
                     255};
    const char *name = qd_arena_printf(arena, "%s/tie-all-pairs-%s", op, qd_dtype_info(type)->word);
    if (!name)
        return qd_fail(error, QD_NO_MEMORY, "no room for a name");
    return build(&d, op, name, &p, all, 0, kase);
}
