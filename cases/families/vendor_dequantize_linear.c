/* SPDX-License-Identifier: Apache-2.0 */
/* DequantizeLinear of com.microsoft: triples of features; all codes of at most 8 bits, under scales of any mantissa and
 * under powers of two, with which float32 is exact. */
#include <stdio.h>

#include "families/vendor_linear_draft.h"

static const struct qd_exclusion exclusions[] = {
    {{QD_VENDOR_LINEAR_RANK, QD_VENDOR_LINEAR_PARAMETERS}, {1 << 3, 0x6}}, /* a scalar: no axis */
    {{QD_VENDOR_LINEAR_RANK, QD_VENDOR_LINEAR_PARAMETERS}, {1 << 4, 0x6}},
};

static const struct qd_factor_table table = {qd_vendor_linear_factors, QD_VENDOR_LINEAR_FACTORS,
                                             exclusions, sizeof exclusions / sizeof *exclusions};

enum values { SWEEP, POWER_OF_TWO, VALUES };
static const char *const words[VALUES] = {"sweep", "power-of-two"};

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[160], slug[256];
    struct qd_maker maker = qd_maker_begin(arena, 21, error);
    qd_covering_describe(&table, row, features, sizeof features);
    struct qd_random random = qd_random_seed(features, VALUES * draw + values);
    struct qd_vendor_linear d = qd_vendor_linear_make(&maker, row, values == POWER_OF_TWO, &random);
    struct qd_tensor x = qd_vendor_linear_data(&maker, &d, d.codes);
    const struct qd_dtype_info *info = qd_dtype_info(d.codes);
    snprintf(slug, sizeof slug, "VendorDequantizeLinear/x-%s,y-%s/%s-%s", info->word,
             qd_dtype_info(d.real)->word, words[values], features);
    if (maker.status != QD_OK)
        return maker.status;
    for (int64_t i = 0; i < x.count; i++) {
        int64_t any = qd_random_range(&random, info->min, info->max);
        bool all = x.count > info->max - info->min;
        qd_tensor_set(&x, i, all ? info->min + i % (info->max - info->min + 1) : any);
    }
    return qd_vendor_linear_finish(&maker, &d, row, "DequantizeLinear", "x", &x, slug,
                                   words[values], kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    return (row[QD_VENDOR_LINEAR_FLOAT] == 0 || values == SWEEP) &&
           (draw == 0 || row[QD_VENDOR_LINEAR_RANK] != 3);
}

const struct qd_family qd_family_vendor_dequantize_linear = {
    .name = "VendorDequantizeLinear",
    .meaning =
        "the vendor's dequantization of a tensor: types, zero points, axes; all codes of 8 bits",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
