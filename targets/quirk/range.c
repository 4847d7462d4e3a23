/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear as the range of the codes: range.h says how. */
#include "quirk/range.h"

#include <math.h>
#include <string.h>

#include "qdiff/granularity.h"
#include "quirk/dequantize.h"
#include "quirk/edit.h"

enum { X, Y_SCALE, Y_ZERO_POINT };

static bool has_range(enum qd_dtype codes)
{
    return qd_dtype_is_integer(codes) && qd_dtype_info(codes)->bits <= 16;
}

struct qd_range_of_codes qd_range_of(enum qd_dtype codes, float scale, float zero)
{
    const struct qd_dtype_info *info = qd_dtype_info(codes);
    return (struct qd_range_of_codes){.scale = scale,
                                      .zero = zero,
                                      .low = scale * ((float)info->min - zero),
                                      .high = scale * ((float)info->max - zero),
                                      .codes = codes,
                                      .least = info->min,
                                      .greatest = info->max};
}

float qd_narrow(float x)
{
    return (float)qd_float_round(QD_F16, QD_NEAREST_EVEN, (double)x);
}

float qd_quotient_of_float16(const struct qd_range_of_codes *range, float x)
{
    float scale = qd_narrow(range->scale);
    return range->division == QD_DIVISION_RECIPROCAL ? x * qd_narrow(1 / scale) : x / scale;
}

int64_t qd_low_bits(const struct qd_range_of_codes *range, float x)
{
    return isfinite(x) ? qd_dtype_wrap((int64_t)x, range->codes) : 0;
}

bool qd_quantizes_to_uint8(const struct qd_node *node, const struct qd_value *const *in)
{
    int64_t type = 0;
    struct qd_error ignored;
    if (in[Y_ZERO_POINT])
        return in[Y_ZERO_POINT]->want.dtype == QD_U8;
    bool known = qd_node_int(node, "output_dtype", 0, &type, &ignored) == QD_OK;
    return known && (type == 0 || type == qd_dtype_info(QD_U8)->onnx);
}

static struct qd_range_of_codes range_of(const struct qd_tensor *s, const struct qd_tensor *z,
                                         int64_t p, enum qd_dtype type,
                                         const struct qd_semantics *semantics)
{
    float scale = (float)qd_tensor_value(s, p), zero = z ? (float)qd_tensor_value(z, p) : 0;
    struct qd_range_of_codes range = qd_range_of(type, scale, zero);
    range.is_one = s->count == 1;
    range.rounding = semantics->rounding;
    range.division = semantics->division;
    return range;
}

float qd_share_of_range(const struct qd_range_of_codes *range, float q)
{
    float share = (q - (float)range->least) / (float)(range->greatest - range->least);
    float product = share * (range->high - range->low);
    return product + range->low;
}

/* x is cut to the range; of ends that are one of many, what is subnormal counts as 0. */
static float cut(const struct qd_range_of_codes *range, float x)
{
    float low = range->is_one ? range->low : qd_flushed(range->low);
    float high = range->is_one ? range->high : qd_flushed(range->high);
    return fminf(fmaxf(x, low), high);
}

float qd_steps_above_low(const struct qd_range_of_codes *range, float x)
{
    float levels = (float)(range->greatest - range->least);
    float steps = levels / (range->high - range->low), shift = range->low * steps;
    float product = cut(range, x) * steps;
    return isnan(x) ? x : product - shift;
}

/* Beyond an end that is no number, every x has one code: what x is, and whether it is known, does not matter. */
static bool is_settled(const struct qd_range_of_codes *range)
{
    return !isfinite(range->low) || !isfinite(range->high);
}

static void forget_doubt(struct qd_value *y, int64_t i)
{
    if (y->flags)
        y->flags[i] &= (uint8_t)~QD_UNSPECIFIED;
}

/* What the scales, the zero points and a rule make of each element of x. */
struct coding {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    const struct qd_tensor *s, *z;
    struct qd_granularity parameters;
    qd_range_code *code;
};

static struct qd_range_of_codes range_at(const struct coding *coding, int64_t i, enum qd_dtype type)
{
    int64_t p = qd_granularity_index(&coding->parameters, i);
    return range_of(coding->s, coding->z, p, type, coding->evaluation->semantics);
}

/* The code of what x is, and those of the ends between which its roundings before leave it. */
static enum qd_status open_code(const struct coding *coding, struct qd_value *y, int64_t i)
{
    struct qd_range_of_codes range = range_at(coding, i, y->want.dtype);
    int64_t a = coding->code(&range, (float)qd_value_lo(coding->x, i));
    int64_t b = coding->code(&range, (float)qd_value_hi(coding->x, i));
    int64_t want = qd_tensor_get(&y->want, i);
    struct qd_code made = {.want = want, .lo = want, .hi = want, .flags = qd_value_flags(y, i)};
    qd_code_include(&made, a);
    qd_code_include(&made, b);
    return qd_value_set_code(y, i, made, coding->evaluation->arena, coding->evaluation->error);
}

static enum qd_status open_codes(const struct coding *coding, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        if (!qd_value_is_point(coding->x, i) && !(qd_value_flags(y, i) & QD_UNSPECIFIED))
            status = open_code(coding, y, i);
    return status;
}

static void set_codes(const struct coding *coding, struct qd_value *y)
{
    for (int64_t i = 0; i < y->want.count; i++) {
        struct qd_range_of_codes range = range_at(coding, i, y->want.dtype);
        if (is_settled(&range))
            forget_doubt(y, i);
        if (!(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i,
                          coding->code(&range, (float)qd_tensor_value(&coding->x->want, i)));
    }
    qd_close_value(y);
}

enum qd_status qd_quantize_by_range(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out,
                                    qd_range_code *code)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    struct qd_node like = qd_linear_as_onnx(node);
    if (status != QD_OK || !has_range(y->want.dtype))
        return status;
    struct coding coding = {.evaluation = evaluation,
                            .x = in[X],
                            .s = &in[Y_SCALE]->want,
                            .z = in[Y_ZERO_POINT] ? &in[Y_ZERO_POINT]->want : NULL,
                            .code = code};
    status = qd_granularity_read(evaluation, &like, &coding.x->want, coding.s, coding.z, "y_scale",
                                 "y_zero_point", &coding.parameters);
    if (status == QD_OK)
        set_codes(&coding, y);
    return status == QD_OK ? open_codes(&coding, y) : status;
}

/* --- After QuantizeLinear ------------------------------------------------------------------------- */

void qd_mark_coded(struct qd_rewrite *made, const struct qd_node *node, const char *mark)
{
    if (strcmp(node->op_type, "DequantizeLinear") == 0 &&
        qd_rewrite_producer(made, qd_node_input(node, X), "QuantizeLinear"))
        made->nodes[node - made->nodes].name = mark;
}

static bool becomes_float32(const struct qd_value *const *in, const struct qd_value *y)
{
    return y->want.dtype == QD_F32 && has_range(in[X]->want.dtype);
}

enum qd_status qd_dequantize_coded(const char *mark, qd_range_number *number,
                                   const struct qd_override *self, struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct qd_value *out)
{
    const struct qd_dequantize_as as = {.is_concerned = becomes_float32, .of_codes = number};
    return qd_is_marked(node, mark) ? qd_dequantize_as(&as, self, evaluation, node, in, out)
                                    : qd_override_node(evaluation, self->next, node, in, out);
}
