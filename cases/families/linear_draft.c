/* SPDX-License-Identifier: Apache-2.0 */
#include "families/linear_draft.h"

#include <math.h>
#include <string.h>

static void set_shape(struct qd_linear_draft *d)
{
    static const int64_t shapes[5][4] = {{0}, {256}, {8, 32}, {4, 8, 8}, {2, 4, 8, 4}};
    memcpy(d->dims, shapes[d->rank], sizeof d->dims);
}

static void set_axis(struct qd_linear_draft *d)
{
    int64_t last = (int64_t)d->rank - 1;
    switch (d->granularity) {
    case QD_AXIS_DEFAULT: d->axis = 1; break;
    case QD_AXIS_NEGATIVE:
    case QD_BLOCKS:
    case QD_BLOCKS_ONE: d->axis = last; break;
    default: d->axis = 0; break;
    }
}

static void set_block(struct qd_linear_draft *d)
{
    int64_t size = d->dims[d->axis];
    switch (d->granularity) {
    case QD_BLOCKS: d->block = size / 2; break;
    case QD_BLOCKS_RAGGED: d->block = size > 3 ? 3 : size; break;
    case QD_BLOCKS_ONE: d->block = size; break;
    default: break;
    }
}

static void set_slots(struct qd_linear_draft *d)
{
    d->slots = 1;
    if (d->block > 0) {
        d->scale_rank = d->rank;
        memcpy(d->scale_dims, d->dims, sizeof d->dims);
        d->scale_dims[d->axis] = (d->dims[d->axis] + d->block - 1) / d->block;
    } else if (d->granularity != QD_PER_TENSOR_SCALAR) {
        d->scale_rank = 1;
        d->scale_dims[0] = d->dims[d->axis];
    }
    for (unsigned i = 0; i < d->scale_rank; i++)
        d->slots *= d->scale_dims[i];
}

struct qd_linear_draft qd_linear_draft_make(unsigned opset, unsigned rank, unsigned granularity)
{
    static const int64_t opsets[] = {10, 13, 19, 21, 23, 24, 25};
    struct qd_linear_draft d = {.opset = opsets[opset],
                                .rank = rank,
                                .granularity = (enum qd_linear_granularity)granularity};
    set_shape(&d);
    if (rank > 0) {
        set_axis(&d);
        set_block(&d);
    }
    set_slots(&d);
    return d;
}

int64_t qd_linear_slot(const struct qd_linear_draft *d, int64_t i)
{
    int64_t inner = 1;
    if (d->granularity < QD_AXIS_DEFAULT)
        return 0;
    for (unsigned k = d->rank; k-- > (unsigned)d->axis + 1;)
        inner *= d->dims[k];
    int64_t along = i / inner % d->dims[d->axis], outer = i / inner / d->dims[d->axis];
    if (d->block == 0)
        return along;
    return (outer * d->scale_dims[d->axis] + along / d->block) * inner + i % inner;
}

enum qd_status qd_linear_data(const struct qd_linear_draft *d, struct qd_arena *arena,
                              enum qd_dtype dtype, struct qd_tensor *tensor, struct qd_error *error)
{
    return qd_tensor_init(tensor, arena, dtype, d->rank, d->dims, error);
}

enum qd_status qd_linear_parameter(const struct qd_linear_draft *d, struct qd_arena *arena,
                                   enum qd_dtype dtype, struct qd_tensor *tensor,
                                   struct qd_error *error)
{
    return qd_tensor_init(tensor, arena, dtype, d->scale_rank, d->scale_dims, error);
}

void qd_linear_attributes(const struct qd_linear_draft *d, struct qd_builder *builder)
{
    if (d->granularity > QD_AXIS_DEFAULT)
        qd_build_attr_int(builder, "axis",
                          d->granularity == QD_AXIS_NEGATIVE ? d->axis - d->rank : d->axis);
    if (d->block > 0)
        qd_build_attr_int(builder, "block_size", d->block);
}

unsigned qd_linear_precision(enum qd_dtype dtype)
{
    return qd_float_format(dtype)->fraction_bits + 1;
}

double qd_linear_scale(enum qd_dtype dtype, bool simple, int exponent, struct qd_random *random)
{
    unsigned bits = qd_linear_precision(dtype);
    int64_t top = (int64_t)1 << (bits - 1);
    int64_t mantissa =
        simple ? qd_random_range(random, 0, 1) * 2 + 1 : qd_random_range(random, top, 2 * top - 1);
    if (bits == 1)
        mantissa = 1;
    /* Exact: ldexp of few bits, then a rounding that has nothing to round unless the result is
     * subnormal. */
    int shift = simple || bits == 1 ? exponent : exponent - (int)bits + 1;
    double scale = qd_float_round(dtype, QD_NEAREST_EVEN, ldexp((double)mantissa, shift));
    return scale > 0 ? scale : ldexp(1.0, exponent);
}
