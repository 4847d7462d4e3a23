/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "softmax-by-table": targets/include/qdiff/quirks.def says what it is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "quirk/edit.h"
#include "quirk/fuse.h"

enum { X, X_SCALE, Y_SCALE = 3, Y_ZERO_POINT };

/* Of one node. */
struct table {
    const struct qd_tensor *x;
    int64_t length, stride; /* of a row */
    double x_scale, lift;   /* what is added to each exponent, so that the sum is far from 0 */
    float steps;            /* the integer below 1/y_scale */
    int64_t y_zero_point;
    bool wraps;
};

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct table *t)
{
    const struct qd_tensor *x = &in[X]->want;
    int64_t opset = 13, axis = -1;
    *t = (struct table){.x = x,
                        .length = 1,
                        .stride = 1,
                        .x_scale = qd_parameter_at(in[X_SCALE], 0),
                        .steps = floorf(1.0F / (float)qd_parameter_at(in[Y_SCALE], 0)),
                        .wraps = evaluation->semantics->range == QD_RANGE_WRAP};
    if (node->input_count > Y_ZERO_POINT && in[Y_ZERO_POINT])
        t->y_zero_point = qd_tensor_get(&in[Y_ZERO_POINT]->want, 0);
    enum qd_status status = qd_node_int(node, "opset", 13, &opset, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "axis", -1, &axis, evaluation->error);
    if (status == QD_OK)
        status = qd_axis_read(evaluation, node, "axis-range", axis, x->rank, 1, &axis);
    for (int64_t i = axis; status == QD_OK && i < x->rank; i++) {
        t->length *= i == axis || opset < 13 ? x->dims[i] : 1;
        t->stride *= i > axis && opset >= 13 ? x->dims[i] : 1;
    }
    double room = log(FLT_MAX / (float)t->length);
    t->lift = fmax(0, room - 5) / t->x_scale;
    return status;
}

/* The table's entry for a code that lies so far below the greatest of its row. */
static float entry(const struct table *t, int64_t below)
{
    return (float)exp(((double)-below + t->lift) * t->x_scale);
}

/* As the processor's conversions have it: what int64 or int32 does not hold becomes its least number. */
static int64_t converted(float x, bool is_signed)
{
    if (is_signed)
        return x >= -0x1p31F && x < 0x1p31F ? (int32_t)x : INT32_MIN;
    return (uint32_t)(x >= -0x1p63F && x < 0x1p63F ? (int64_t)x : INT64_MIN);
}

static int64_t code_of(const struct table *t, float steps)
{
    bool is_signed = t->x->dtype == QD_S8;
    int64_t sum = converted(nearbyintf(steps), is_signed) + t->y_zero_point;
    if (!is_signed)
        return (uint32_t)sum > 255 ? 255 : (uint32_t)sum;
    sum = (int32_t)(uint32_t)sum; /* the least number and a negative zero point wrap */
    if (t->wraps)
        return sum > 255 ? -1 : (int8_t)(uint8_t)sum;
    return sum > 127 ? 127 : sum < -128 ? -128 : sum;
}

static enum qd_status fill_row(const struct table *t, int64_t first,
                               struct qd_evaluation *evaluation, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    int64_t greatest = INT64_MIN;
    float sum = 0;
    for (int64_t k = 0; k < t->length; k++) {
        int64_t q = qd_tensor_get(t->x, first + k * t->stride);
        greatest = q > greatest ? q : greatest;
    }
    for (int64_t k = 0; k < t->length; k++)
        sum += entry(t, greatest - qd_tensor_get(t->x, first + k * t->stride));
    for (int64_t k = 0; status == QD_OK && k < t->length; k++) {
        int64_t i = first + k * t->stride;
        float product = entry(t, greatest - qd_tensor_get(t->x, i)) * t->steps;
        int64_t code = code_of(t, product / sum);
        struct qd_code point = {.want = code, .lo = code, .hi = code};
        status = qd_value_set_code(y, i, point, evaluation->arena, evaluation->error);
    }
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct table t;
    struct qd_value y;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || strcmp(node->op_type, "QLinearSoftmax") != 0)
        return status;
    status = read_node(evaluation, node, in, &t);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, t.x->dtype, t.x->rank, t.x->dims,
                               evaluation->error);
    int64_t rows = status == QD_OK && t.x->count > 0 ? t.x->count / t.length : 0;
    for (int64_t r = 0; status == QD_OK && r < rows; r++)
        status = fill_row(&t, r / t.stride * t.stride * t.length + r % t.stride, evaluation, &y);
    if (status == QD_OK)
        *out = y;
    return status;
}

const struct qd_override qd_quirk_softmax_by_table = {.graph = qd_fuse_softmax, .node = evaluate};
