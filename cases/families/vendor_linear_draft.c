/* SPDX-License-Identifier: Apache-2.0 */
#include "families/vendor_linear_draft.h"

#include <stdio.h>

enum zero { CODE_0, EVEN, ODD, MIN, MAX };

static const enum qd_dtype reals[] = {QD_F32, QD_F16};
static const enum qd_dtype codes[] = {QD_U8, QD_S8, QD_U16, QD_S16, QD_U4, QD_S4};

const struct qd_factor qd_vendor_linear_factors[QD_VENDOR_LINEAR_FACTORS] = {
    [QD_VENDOR_LINEAR_FLOAT] = {.name = "float type", .levels = 2},
    [QD_VENDOR_LINEAR_CODES] = {.name = "type of the codes", .levels = 6},
    [QD_VENDOR_LINEAR_ZERO] = {.name = "zero point",
                               QD_LEVELS("z_0", "z_even", "z_odd", "z_min", "z_max", "no_z")},
    [QD_VENDOR_LINEAR_PARAMETERS] = {.name = "parameters", QD_LEVELS(NULL, "axis_0", "axis_1")},
    [QD_VENDOR_LINEAR_RANK] = {.name = "rank", QD_LEVELS("2d", "3d", "4d", "0d", "1d")},
    [QD_VENDOR_LINEAR_BINDING] = {.name = "run-time inputs", QD_LEVELS(NULL, "run")},
};

/* Slots get different zero points, as far as there are any. */
static int64_t zero_of(enum qd_dtype type, enum zero zero, int64_t slot)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    int64_t quarter = (info->max - info->min) / 4 + 1;
    int64_t even = info->min + 2 * ((quarter + 5 + 37 * slot) % (2 * quarter));
    switch (zero) {
    case EVEN: return even + (even & 1);
    case ODD: return even + 1 - (even & 1);
    case MIN: return info->min;
    case MAX: return info->max;
    case CODE_0: break;
    }
    return 0;
}

static struct qd_tensor parameter(struct qd_maker *maker, const struct qd_vendor_linear *d,
                                  enum qd_dtype dtype)
{
    struct qd_tensor tensor = {0};
    if (maker->status == QD_OK)
        maker->status = qd_linear_parameter(&d->shape, maker->arena, dtype, &tensor, maker->error);
    return tensor;
}

struct qd_vendor_linear qd_vendor_linear_make(struct qd_maker *maker, const uint8_t *row,
                                              bool simple, struct qd_random *random)
{
    enum { OPSET_21 = 3 };
    static const unsigned ranks[] = {2, 3, 4, 0, 1};
    static const enum qd_linear_granularity granularities[] = {QD_PER_TENSOR_SCALAR, QD_AXIS_FIRST,
                                                               QD_AXIS_DEFAULT};
    bool has_zero = row[QD_VENDOR_LINEAR_ZERO] != QD_VENDOR_LINEAR_NO_ZERO;
    struct qd_vendor_linear d = {
        .shape = qd_linear_draft_make(OPSET_21, ranks[row[QD_VENDOR_LINEAR_RANK]],
                                      granularities[row[QD_VENDOR_LINEAR_PARAMETERS]]),
        .real = reals[row[QD_VENDOR_LINEAR_FLOAT]],
        .codes = codes[row[QD_VENDOR_LINEAR_CODES]],
    };
    d.scale = parameter(maker, &d, d.real);
    if (has_zero)
        d.zero = parameter(maker, &d, d.codes);
    for (int64_t k = 0; maker->status == QD_OK && k < d.shape.slots; k++) {
        int exponent = (int)qd_random_range(random, -6, 2);
        qd_maker_set(&d.scale, k, qd_linear_scale(d.real, simple, exponent, random));
        if (has_zero)
            qd_tensor_set(&d.zero, k, zero_of(d.codes, (enum zero)row[QD_VENDOR_LINEAR_ZERO], k));
    }
    return d;
}

double qd_vendor_linear_scale(const struct qd_vendor_linear *d, int64_t i)
{
    return qd_tensor_value(&d->scale, qd_linear_slot(&d->shape, i));
}

double qd_vendor_linear_zero(const struct qd_vendor_linear *d, int64_t i)
{
    return d->zero.data ? qd_tensor_value(&d->zero, qd_linear_slot(&d->shape, i)) : 0;
}

struct qd_tensor qd_vendor_linear_data(struct qd_maker *maker, const struct qd_vendor_linear *d,
                                       enum qd_dtype dtype)
{
    struct qd_tensor tensor = {0};
    if (maker->status == QD_OK)
        maker->status = qd_linear_data(&d->shape, maker->arena, dtype, &tensor, maker->error);
    return tensor;
}

enum qd_status qd_vendor_linear_finish(struct qd_maker *maker, const struct qd_vendor_linear *d,
                                       const uint8_t *row, const char *op, const char *side,
                                       const struct qd_tensor *x, const char *slug, const char *tag,
                                       struct qd_case *kase)
{
    bool run = row[QD_VENDOR_LINEAR_BINDING] != 0;
    char scale[16], zero[24], inputs[48], spec[48];
    if (maker->status != QD_OK)
        return maker->status;
    snprintf(scale, sizeof scale, "%s_scale", side);
    snprintf(zero, sizeof zero, "%s_zero_point", side);
    snprintf(inputs, sizeof inputs, "x,%s%s%s", scale, d->zero.data ? "," : "",
             d->zero.data ? zero : "");
    snprintf(spec, sizeof spec, "com.microsoft.%s-1", op);
    qd_build_node(maker->builder, "com.microsoft", op, inputs, "y");
    if (row[QD_VENDOR_LINEAR_PARAMETERS] > 0)
        qd_build_attr_int(maker->builder, "axis", d->shape.axis);
    qd_maker_add(maker, "x", x, true);
    qd_maker_add(maker, scale, &d->scale, run);
    if (d->zero.data)
        qd_maker_add(maker, zero, &d->zero, run);
    qd_build_output(maker->builder, "y", x->dtype == d->codes ? d->real : d->codes,
                    (int)d->shape.rank, d->shape.dims);
    return qd_maker_finish(maker, slug, tag, spec, kase);
}
