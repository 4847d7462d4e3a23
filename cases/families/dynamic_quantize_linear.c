/* SPDX-License-Identifier: Apache-2.0 */
/* DynamicQuantizeLinear: ranges of every kind, times values that are solved for: the range decides the
 * scale, and the other elements lie half-way between its multiples, or next to it. */
#include <math.h>
#include <stdio.h>

#include "families/linear_draft.h"
#include "qdiff/exact.h"

enum factor { SHAPE, RANGE, SIZE, AT, BINDING, FACTORS };
enum range { MIXED, POSITIVE, NEGATIVE, BEYOND_ZERO, BELOW_ZERO, LOPSIDED };
enum shape { SCALAR };
enum size { ORDINARY, TINY, HUGE_VALUES };

static const struct qd_factor factors[] = {
    [SHAPE] = {.name = "shape", QD_LEVELS("0d", "1d", "2d", "4d", "long")},
    /* beyond, below: all elements on one side, far from 0, which the range holds nevertheless */
    [RANGE] = {.name = "range",
               QD_LEVELS("mixed", "positive", "negative", "beyond", "below", "lopsided")},
    [SIZE] = {.name = "size", QD_LEVELS(NULL, "tiny", "huge")},
    [AT] = {.name = "where the ends are", QD_LEVELS(NULL, "ends_last", "ends_inside")},
    [BINDING] = {.name = "binding", QD_LEVELS(NULL, "constant")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

enum values { RANDOM, TIE, NEAR_TIE, VALUES };
static const char *const value_words[] = {"random", "tie", "near-tie"};

/* x from min to max, y_scale = scale. */
struct draft {
    double min, max, scale;
    int64_t lowest, highest; /* codes of other elements, relative to the zero point */
};

static double f32(double v)
{
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, v);
}

/* A power of two for ties, so that 255 steps of it are exact; else any. */
static double draw_scale(enum size size, bool power, struct qd_random *r)
{
    static const int least[] = {-12, -140, 105}, most[] = {4, -110, 118};
    int exponent = (int)qd_random_range(r, least[size], most[size]);
    int64_t mantissa = qd_random_range(r, 1 << 23, (1 << 24) - 1);
    return power ? ldexp(1, exponent) : f32(ldexp((double)mantissa, exponent - 23));
}

/* Half steps below 0 of 510 in all. With an odd number the zero point itself is a tie. */
static int64_t halves_below(enum range range, struct qd_random *r)
{
    int64_t middle = qd_random_range(r, 40, 470), end = qd_random_range(r, 1, 3);
    switch (range) {
    case POSITIVE:
    case BEYOND_ZERO: return 0;
    case NEGATIVE:
    case BELOW_ZERO: return 510;
    case LOPSIDED: return middle % 2 ? end : 510 - end;
    default: return middle;
    }
}

/* Of a range without its other end only a part is filled. */
static void set_codes(struct draft *d, enum range range, int64_t halves)
{
    d->lowest = -(halves / 2);
    d->highest = (510 - halves) / 2 - 1;
    if (range == BEYOND_ZERO)
        d->lowest = 100;
    if (range == BELOW_ZERO)
        d->highest = -100;
}

static struct draft make_draft(const uint8_t *row, enum values values, struct qd_random *r)
{
    struct draft d;
    enum range range = (enum range)row[RANGE];
    double step = draw_scale((enum size)row[SIZE], values == TIE, r);
    int64_t halves = halves_below(range, r);
    d.min = f32(-(double)halves / 2 * step);
    d.max = f32((double)(510 - halves) / 2 * step);
    d.scale = qd_float_divide(QD_F32, QD_NEAREST_EVEN, f32(d.max - d.min), 255);
    set_codes(&d, range, halves);
    return d;
}

/* An element inside the range that is neither of its ends. */
static double draw_element(const struct draft *d, enum values values, struct qd_random *r)
{
    double k = (double)qd_random_range(r, d->lowest, d->highest);
    double part = (double)qd_random_range(r, 0, 1 << 20) / (1 << 20);
    int64_t steps = qd_random_range(r, -1, 1);
    double v = f32((k + (values == RANDOM ? part : 0.5)) * d->scale);
    if (values == NEAR_TIE && v != 0) {
        int64_t code = (int64_t)qd_float_encode(QD_F32, v, true) + steps;
        v = qd_float_decode(QD_F32, (uint64_t)code);
    }
    return v < d->min ? d->min : v > d->max ? d->max : v;
}

static void fill(const struct draft *d, const uint8_t *row, enum values values, struct qd_random *r,
                 struct qd_tensor *x)
{
    int64_t n = x->count;
    const int64_t min_at[] = {0, n - 1, n / 2}, max_at[] = {n / 2, n > 1 ? n - 2 : 0, n / 3};
    for (int64_t i = 0; i < n; i++)
        qd_tensor_set(x, i, (int64_t)qd_float_encode(QD_F32, draw_element(d, values, r), true));
    /* An end that is 0 need not occur: the range holds it anyway. */
    if (d->min < 0)
        qd_tensor_set(x, min_at[row[AT]], (int64_t)qd_float_encode(QD_F32, d->min, true));
    if (d->max > 0)
        qd_tensor_set(x, max_at[row[AT]], (int64_t)qd_float_encode(QD_F32, d->max, true));
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    /* One element is its own range: no other one can be a tie. */
    return row[SHAPE] != SCALAR || values == RANDOM;
}

static enum qd_status build(const struct qd_tensor *x, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    struct qd_builder *builder = qd_build_begin(arena, 11);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    qd_build_node(builder, "", "DynamicQuantizeLinear", "x", "y,y_scale,y_zero_point");
    qd_build_tensor(builder, "x", x, row[BINDING] == 0);
    qd_build_output(builder, "y", QD_U8, (int)x->rank, x->dims);
    qd_build_output(builder, "y_scale", QD_F32, 0, NULL);
    qd_build_output(builder, "y_zero_point", QD_U8, 0, NULL);
    qd_build_tag(builder, tag);
    qd_build_origin(builder, "DynamicQuantizeLinear-11", "", "");
    return qd_build_finish(builder, slug, true, kase, error);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    static const int64_t shapes[][4] = {{0}, {17}, {9, 15}, {2, 3, 4, 5}, {1031}};
    static const unsigned ranks[] = {0, 1, 2, 4, 1};
    char features[160], slug[256];
    struct qd_tensor x;
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "DynamicQuantizeLinear/%s-%s", value_words[values], features);
    enum qd_status status =
        qd_tensor_init(&x, arena, QD_F32, ranks[row[SHAPE]], shapes[row[SHAPE]], error);
    if (status != QD_OK)
        return status;
    struct qd_random r = qd_random_seed(slug, draw);
    struct draft d = make_draft(row, (enum values)values, &r);
    fill(&d, row, (enum values)values, &r, &x);
    return build(&x, row, slug, value_words[values], arena, kase, error);
}

const struct qd_family qd_family_dynamic_quantize_linear = {
    .name = "DynamicQuantizeLinear",
    .meaning = "quantization by a tensor's own range: shapes and ranges, times solved values",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
