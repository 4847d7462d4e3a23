/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear of com.microsoft: triples of features, times numbers anywhere, half-way between two codes, and at the
 * ends of the range. */
#include <math.h>
#include <stdio.h>

#include "families/vendor_linear_draft.h"

static const struct qd_exclusion exclusions[] = {
    {{QD_VENDOR_LINEAR_RANK, QD_VENDOR_LINEAR_PARAMETERS}, {1 << 3, 0x6}}, /* a scalar: no axis */
    {{QD_VENDOR_LINEAR_RANK, QD_VENDOR_LINEAR_PARAMETERS}, {1 << 4, 0x6}},
    {{QD_VENDOR_LINEAR_ZERO, QD_VENDOR_LINEAR_CODES},
     {1 << QD_VENDOR_LINEAR_NO_ZERO, 0x3e}}, /* then y is u8 */
};

static const struct qd_factor_table table = {qd_vendor_linear_factors, QD_VENDOR_LINEAR_FACTORS,
                                             exclusions, sizeof exclusions / sizeof *exclusions};

enum values { RANDOM, TIE, SATURATION, VALUES };
static const char *const words[VALUES] = {"random", "tie", "saturation"};

/* What x / y_scale is to be. A tie is exact in float16: its quotient and the code have at most 11 bits. */
static double draw_quotient(const struct qd_vendor_linear *d, enum values values, double zero,
                            struct qd_random *r)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->codes);
    double code = (double)qd_random_range(r, y->min, y->max);
    double near = (double)qd_random_range(r, -600, 600) / 2;
    bool upper = qd_random_range(r, 0, 1) != 0;
    double part = (double)qd_random_range(r, -7, 7) / 16;
    switch (values) {
    case TIE: return y->bits == 16 ? floor(near) + 0.5 : floor(code - zero) + 0.5;
    case SATURATION: return (double)(upper ? y->max : y->min) - zero + part * 6;
    case RANDOM:
    case VALUES: break;
    }
    return code - zero + part;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[160], slug[256];
    struct qd_maker maker = qd_maker_begin(arena, 21, error);
    qd_covering_describe(&table, row, features, sizeof features);
    struct qd_random random = qd_random_seed(features, VALUES * draw + values);
    struct qd_vendor_linear d = qd_vendor_linear_make(&maker, row, values == TIE, &random);
    struct qd_tensor x = qd_vendor_linear_data(&maker, &d, d.real);
    snprintf(slug, sizeof slug, "VendorQuantizeLinear/x-%s,y-%s/%s-%s", qd_dtype_info(d.real)->word,
             qd_dtype_info(d.codes)->word, words[values], features);
    if (maker.status != QD_OK || values >= VALUES)
        return maker.status;
    for (int64_t i = 0; i < x.count; i++) {
        double zero = qd_vendor_linear_zero(&d, i), scale = qd_vendor_linear_scale(&d, i);
        double v = draw_quotient(&d, (enum values)values, zero, &random) * scale;
        double most = qd_float_format(d.real)->largest;
        qd_maker_set(&x, i, fmax(-most, fmin(most, v)));
    }
    return qd_vendor_linear_finish(&maker, &d, row, "QuantizeLinear", "y", &x, slug, words[values],
                                   kase);
}

/* Two of three for each row. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = values;
    for (unsigned f = 0; f < QD_VENDOR_LINEAR_FACTORS; f++)
        sum += row[f];
    return sum % 3 != 0 && (draw == 0 || row[QD_VENDOR_LINEAR_RANK] != 3);
}

const struct qd_family qd_family_vendor_quantize_linear = {
    .name = "VendorQuantizeLinear",
    .meaning =
        "the vendor's quantization of a tensor: types, zero points, axes, times solved values",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
