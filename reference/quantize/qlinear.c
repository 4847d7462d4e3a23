/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/qlinear.h"

#include "number/float_bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "kernel/few_terms.h"
#include "qdiff/broadcast.h"

static const struct qd_arithmetic f32 = {.type = QD_F32};

/* --- Operands --------------------------------------------------------------------------------- */

static enum qd_status check_shape(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name,
                                  const struct qd_tensor *t, enum qd_single single)
{
    char slug[40], text[96];
    if (single == QD_SCALAR_OR_ONE || t->rank == 0)
        return qd_parameter_shape(evaluation, node, name, t, QD_ONE_FOR_ALL);
    snprintf(slug, sizeof slug, "%s-shape", name);
    return qd_node_rule(evaluation, node, slug, "%s is %s, want a scalar", name,
                        qd_tensor_describe(t, text, sizeof text));
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *name, const struct qd_value *const *in, enum qd_dtype type,
                            enum qd_single single)
{
    char scale_name[32], zero_name[32];
    uint32_t codes = type == QD_DTYPE_NONE ? QD_8BIT_TYPES : QD_TYPE_BIT(type);
    enum qd_status status = QD_OK;
    snprintf(scale_name, sizeof scale_name, "%.16s_scale", name);
    snprintf(zero_name, sizeof zero_name, "%.16s_zero_point", name);
    if (in[0])
        status = qd_operand_type(evaluation, node, name, &in[0]->want, codes);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, scale_name, &in[1]->want, QD_TYPE_BIT(QD_F32));
    if (status == QD_OK && in[2] && in[0])
        status = qd_same_type(evaluation, node, zero_name, &in[2]->want, &in[0]->want);
    else if (status == QD_OK && in[2])
        status = qd_operand_type(evaluation, node, zero_name, &in[2]->want, codes);
    if (status == QD_OK)
        status = check_shape(evaluation, node, scale_name, &in[1]->want, single);
    if (status == QD_OK && in[2])
        status = check_shape(evaluation, node, zero_name, &in[2]->want, single);
    return status == QD_OK ? qd_operands_are_points(evaluation, node, in, 3) : status;
}

enum qd_status qd_qlinear_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                               const char *name, const struct qd_value *codes,
                               const struct qd_value *scale, const struct qd_value *zero_point,
                               enum qd_dtype type, enum qd_single single, struct qd_qlinear *out)
{
    const struct qd_value *in[] = {codes, scale, zero_point};
    struct qd_qlinear read = {0};
    int16_t *centred = NULL;
    enum qd_status status = check(evaluation, node, name, in, type, single);
    if (status == QD_OK && codes)
        status =
            qd_subtract_zero_point(evaluation, &codes->want, zero_point ? &zero_point->want : NULL,
                                   codes->want.count, &centred);
    if (status != QD_OK)
        return status;
    read.codes = codes ? &codes->want : NULL;
    read.centred = centred;
    read.scale = qd_parameter(&scale->want, 0);
    read.zero_point = zero_point ? qd_tensor_get(&zero_point->want, 0) : 0;
    *out = read;
    return QD_OK;
}

struct qd_output_quantizer qd_qlinear_quantizer(const struct qd_evaluation *evaluation,
                                                enum qd_dtype type, const struct qd_qlinear *y)
{
    return qd_output_quantizer_make(evaluation->semantics, type, y->zero_point);
}

/* --- Numbers and codes ------------------------------------------------------------------------ */

struct qd_code qd_code_of_interval(const struct qd_output_quantizer *quantizer,
                                   struct qd_interval exact, double relative, double y_scale,
                                   struct qd_ratio *real)
{
    struct qd_ratio y = qd_ratio_of_double(y_scale), lo = qd_ratio_of_double(exact.lo),
                    hi = qd_ratio_of_double(exact.hi);
    bool point = exact.lo == exact.hi;
    struct qd_interval computed = {exact.lo - fabs(exact.lo) * relative,
                                   exact.hi + fabs(exact.hi) * relative};
    struct qd_enclosure result = qd_enclosure_divide(f32, QD_LAST, qd_enclosure_of(f32, computed),
                                                     qd_enclosure_point(y_scale));
    *real = qd_ratio_divide(lo, y);
    struct qd_code code = qd_code_of_results(quantizer, *real, &result, 1);
    int64_t other =
        point ? code.want : qd_output_quantizer_exact(quantizer, qd_ratio_divide(hi, y));
    code.lo = other < code.lo ? other : code.lo;
    code.hi = other > code.hi ? other : code.hi;
    code.flags |= other == code.want ? 0 : QD_NO_CANONICAL;
    return code;
}

bool qd_scales_defined(const double *scales, size_t count, double divisor)
{
    bool defined = isfinite(divisor) && divisor != 0;
    for (size_t i = 0; i < count; i++)
        defined = defined && isfinite(scales[i]);
    return defined;
}

enum qd_status qd_qlinear_store(const struct qd_evaluation *evaluation, struct qd_value *y,
                                int64_t i, struct qd_code code, struct qd_ratio real)
{
    enum qd_status status = qd_value_set_code(y, i, code, evaluation->arena, evaluation->error);
    if (status != QD_OK || !evaluation->keep_reals || code.flags & QD_UNSPECIFIED)
        return status;
    return qd_value_set_real(y, i, qd_ratio_to_float(real, QD_F64, QD_NEAREST_EVEN),
                             qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie, evaluation->arena,
                             evaluation->error);
}

/* --- One operand ------------------------------------------------------------------------------ */

struct qd_code qd_qlinear_rescale(const struct qd_output_quantizer *quantizer, int16_t q,
                                  double scale, double y_scale, struct qd_ratio *real)
{
    struct qd_code settled;
    *real = qd_ratio_multiply(qd_ratio_of_integer(q), qd_ratio_of_double(scale));
    *real = qd_ratio_divide(*real, qd_ratio_of_double(y_scale));
    if (qd_scale_is_moderate(scale) && qd_scale_is_moderate(y_scale) &&
        qd_output_quantizer_settles(quantizer, *real, &settled))
        return settled;
    const struct qd_operands operands = {.a = qd_enclosure_point(q),
                                         .s = qd_enclosure_point(scale),
                                         .y = qd_enclosure_point(y_scale)};
    return qd_code_of_orders(quantizer, *real, &(struct qd_orders_of){&qd_orders_rescale, q},
                             &operands);
}

enum qd_status qd_qlinear_map(const struct qd_evaluation *evaluation, const struct qd_qlinear *x,
                              enum qd_dtype type, const struct qd_qlinear *y,
                              qd_qlinear_function *function, const void *context,
                              struct qd_value *out)
{
    struct qd_value made;
    struct qd_output_quantizer quantizer = qd_qlinear_quantizer(evaluation, type, y);
    enum qd_status status = qd_value_init(&made, evaluation->arena, type, x->codes->rank,
                                          x->codes->dims, evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, QD_WORK_POOL * (double)made.want.count);
    int64_t count = qd_sample_elements(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        struct qd_ratio real = {.den = 1};
        struct qd_code code = {.flags = QD_UNSPECIFIED};
        if (qd_scales_defined(&x->scale, 1, y->scale))
            code = function(context, &quantizer, x->centred[i], x->scale, y->scale, &real);
        status = qd_qlinear_store(evaluation, &made, i, code, real);
    }
    if (status == QD_OK)
        *out = made;
    return status;
}

static struct qd_code rescale(const void *context, const struct qd_output_quantizer *quantizer,
                              int16_t q, double scale, double y_scale, struct qd_ratio *real)
{
    (void)context;
    return qd_qlinear_rescale(quantizer, q, scale, y_scale, real);
}

enum qd_status qd_qlinear_requantize(const struct qd_evaluation *evaluation,
                                     const struct qd_qlinear *x, enum qd_dtype type,
                                     const struct qd_qlinear *y, struct qd_value *out)
{
    return qd_qlinear_map(evaluation, x, type, y, rescale, NULL, out);
}

enum qd_status qd_qlinear_unary(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, qd_qlinear_function *function,
                                const void *context, struct qd_value *out)
{
    struct qd_qlinear x, y;
    enum qd_dtype type = in[0]->want.dtype;
    enum qd_status status = qd_qlinear_read(evaluation, node, "x", in[0], in[1], in[2],
                                            QD_DTYPE_NONE, QD_SCALAR_OR_ONE, &x);
    if (status == QD_OK)
        status =
            qd_qlinear_read(evaluation, node, "y", NULL, in[3], in[4], type, QD_SCALAR_OR_ONE, &y);
    return status == QD_OK ? qd_qlinear_map(evaluation, &x, type, &y, function, context, out)
                           : status;
}

/* --- Means ------------------------------------------------------------------------------------ */

void qd_mean_include(struct qd_mean *mean, int16_t q)
{
    mean->sum += q;
    mean->magnitude += abs(q);
    mean->bits |= (uint16_t)abs(q);
    mean->terms++;
    if (q == 0)
        return;
    if (mean->rounded < QD_FEW_CODES)
        mean->first[mean->rounded] = q;
    mean->rounded++;
}

/* Whether all dequantized terms are multiples of 2^e and Σ|terms| ≤ 2^(e+24), e the exponent of the
 * lowest bit that the scale times the codes' common power of two has. */
static bool sum_is_exact(const struct qd_mean *mean, double scale)
{
    struct qd_ratio s = qd_ratio_of_double(scale);
    unsigned common = mean->bits ? (unsigned)__builtin_ctz(mean->bits) : 0;
    return s.num * (qd_u128)mean->magnitude <= (qd_u128)1 << (24 + common);
}

/* All sums of at most QD_FEW_CODES products, in any order, each operation rounded to float32 or not. */
static struct qd_interval sum_of_few(const struct qd_mean *mean, struct qd_interval scale)
{
    struct qd_interval terms[QD_FEW_CODES];
    for (unsigned i = 0; i < mean->rounded; i++) {
        struct qd_interval q = {(double)mean->first[i], (double)mean->first[i]};
        terms[i] = qd_interval_round(QD_F32, qd_interval_multiply(q, scale));
    }
    return qd_sum_of_few(terms, (unsigned)mean->rounded);
}

/* The float32 sum of dequantized terms in any order. Exact; of a few terms what the orders give; else γ_n with
 * n = rounded: one rounding of each product and one less of sums. */
static struct qd_enclosure float_sum(const struct qd_mean *mean, double scale)
{
    struct qd_interval q = {(double)mean->sum, (double)mean->sum}, x = {scale, scale};
    struct qd_interval sum = qd_interval_multiply(q, x);
    bool exact = sum_is_exact(mean, scale);
    if (!exact && mean->rounded >= 1 << 23)
        return qd_enclosure_lost();
    double n = (double)mean->rounded * 0x1p-24;
    double error = n / (1 - n) * fabs(scale) * (double)mean->magnitude * (1 + 0x1p-20);
    struct qd_enclosure result = qd_enclosure_of(f32, qd_interval_widen(sum, exact ? 0 : error));
    if (!exact && mean->rounded <= QD_FEW_CODES) {
        struct qd_interval few = sum_of_few(mean, x);
        result = (struct qd_enclosure){few.lo, few.hi, false};
    }
    /* Any partial sum may be as large as the sum of magnitudes, any product as small as the
     * scale. */
    result.lost = fabs(scale) < qd_float_format(QD_F32)->least_normal ||
                  fabs(scale) * (double)mean->magnitude > qd_float_format(QD_F32)->largest;
    return result;
}

static struct qd_operands mean_operands(const struct qd_mean *mean, int64_t divisor, double x_scale,
                                        double y_scale)
{
    return (struct qd_operands){
        .a = qd_enclosure_integer(f32, mean->sum),
        .s = qd_enclosure_point(x_scale),
        .y = qd_enclosure_point(y_scale),
        .n = qd_enclosure_point(qd_float_round(QD_F32, QD_NEAREST_EVEN, (double)divisor)),
        .f = float_sum(mean, x_scale),
    };
}

/* Whether the orders cannot leave the canonical code: none has more than 6 roundings besides those
 * of the float sum, whose error is at most 2^−21 of it here. */
static bool mean_settles(const struct qd_mean *mean, int64_t divisor, const struct qd_qlinear *x,
                         const struct qd_output_quantizer *quantizer, double y_scale,
                         struct qd_ratio real, struct qd_code *code)
{
    bool moderate = qd_scale_is_moderate(x->scale) && qd_scale_is_moderate(y_scale);
    if (!moderate || mean->terms > 1 << 15 || divisor > 1 << 15)
        return false;
    if (mean->terms * mean->magnitude > 7 * llabs(mean->sum) && !sum_is_exact(mean, x->scale))
        return false;
    return qd_output_quantizer_settles(quantizer, real, code);
}

enum qd_status qd_mean_store(const struct qd_evaluation *evaluation, const struct qd_mean *mean,
                             int64_t divisor, const struct qd_qlinear *x,
                             const struct qd_output_quantizer *quantizer, double y_scale,
                             struct qd_value *y, int64_t i)
{
    struct qd_code code = {.flags = QD_UNSPECIFIED};
    struct qd_ratio real = {.den = 1};
    if (divisor == 0 || !qd_scales_defined(&x->scale, 1, y_scale))
        return qd_qlinear_store(evaluation, y, i, code, real);
    real = qd_ratio_multiply(qd_ratio_of_integer(mean->sum), qd_ratio_of_double(x->scale));
    real = qd_ratio_divide(real, qd_ratio_of_double(y_scale));
    real = qd_ratio_divide(real, qd_ratio_of_integer(divisor));
    if (mean_settles(mean, divisor, x, quantizer, y_scale, real, &code))
        return qd_qlinear_store(evaluation, y, i, code, real);
    const struct qd_operands operands = mean_operands(mean, divisor, x->scale, y_scale);
    const struct qd_orders_of orders = {&qd_orders_mean, (double)mean->sum};
    code = qd_code_of_orders(quantizer, real, &orders, &operands);
    return qd_qlinear_store(evaluation, y, i, code, real);
}

/* The element of the output that element i of x goes into. `dims` are the output's, reduced ones
 * kept as 1. */
static int64_t target(const struct qd_tensor *x, const int64_t *dims, int64_t i)
{
    return qd_broadcast_index(x->rank, dims, x->rank, x->dims, i);
}

enum qd_status qd_qlinear_reduce_mean(const struct qd_evaluation *evaluation,
                                      const struct qd_qlinear *x, const struct qd_qlinear *y,
                                      const bool *reduced, bool keep, struct qd_value *out)
{
    const struct qd_tensor *t = x->codes;
    struct qd_value made;
    int64_t dims[QD_MAX_RANK], kept[QD_MAX_RANK], divisor = 1;
    unsigned rank = 0;
    for (unsigned i = 0; i < t->rank; i++) {
        dims[i] = reduced[i] ? 1 : t->dims[i];
        divisor *= reduced[i] ? t->dims[i] : 1;
        if (keep || !reduced[i])
            kept[rank++] = dims[i];
    }
    enum qd_status status =
        qd_value_init(&made, evaluation->arena, t->dtype, rank, kept, evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, QD_WORK_POOL * (double)made.want.count);
    if (status != QD_OK)
        return status;
    struct qd_mean *means =
        qd_arena_array(evaluation->arena, (size_t)made.want.count, sizeof *means);
    if (!means)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld means",
                       (long long)made.want.count);
    int64_t row = t->rank > 0 ? t->dims[t->rank - 1] : 1;
    int64_t step = t->rank > 0 && !reduced[t->rank - 1] ? 1 : 0;
    for (int64_t start = 0; start < t->count; start += row) {
        struct qd_mean *mean = &means[target(t, dims, start)];
        for (int64_t i = 0; i < row; i++)
            qd_mean_include(&mean[step * i], x->centred[start + i]);
    }
    struct qd_output_quantizer quantizer = qd_qlinear_quantizer(evaluation, t->dtype, y);
    int64_t count = qd_sample_elements(evaluation, &made, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        status = qd_mean_store(evaluation, &means[i], divisor, x, &quantizer, y->scale, &made, i);
    if (status == QD_OK)
        *out = made;
    return status;
}

/* --- Two operands ----------------------------------------------------------------------------- */

static enum qd_status read_binary(const struct qd_node *node, const struct qd_value *const *in,
                                  struct qd_qlinear_binary *b)
{
    const struct qd_evaluation *evaluation = b->evaluation;
    enum qd_dtype type = in[0]->want.dtype;
    enum qd_status status = qd_qlinear_read(evaluation, node, "a", in[0], in[1], in[2],
                                            QD_DTYPE_NONE, QD_SCALAR_ONLY, &b->a);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "b", in[3], in[4], in[5], type, QD_SCALAR_ONLY,
                                 &b->b);
    if (status == QD_OK)
        status =
            qd_qlinear_read(evaluation, node, "c", NULL, in[6], in[7], type, QD_SCALAR_ONLY, &b->c);
    b->quantizer = qd_qlinear_quantizer(evaluation, type, &b->c);
    const double scales[] = {b->a.scale, b->b.scale};
    b->defined = status == QD_OK && qd_scales_defined(scales, 2, b->c.scale);
    return status;
}

enum qd_status qd_qlinear_binary(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *const *in, qd_qlinear_pair *pair,
                                 struct qd_value *out)
{
    struct qd_qlinear_binary b = {.evaluation = evaluation};
    struct qd_value y;
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    enum qd_status status = read_binary(node, in, &b);
    const struct qd_tensor *l = b.a.codes, *r = b.b.codes;
    if (status != QD_OK || !l || !r)
        return status;
    if (!qd_broadcast_shape(l->rank, l->dims, r->rank, r->dims, &rank, dims))
        return qd_node_rule(evaluation, node, "broadcast", "a and b do not broadcast");
    status = qd_value_init(&y, evaluation->arena, l->dtype, rank, dims, evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, QD_WORK_POOL * (double)y.want.count);
    int64_t count = qd_sample_elements(evaluation, &y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        struct qd_ratio real = {.den = 1};
        struct qd_code code = {.flags = QD_UNSPECIFIED};
        int16_t qa = b.a.centred[qd_broadcast_index(l->rank, l->dims, rank, dims, i)];
        int16_t qb = b.b.centred[qd_broadcast_index(r->rank, r->dims, rank, dims, i)];
        if (b.defined)
            code = pair(&b, qa, qb, &real);
        status = qd_qlinear_store(evaluation, &y, i, code, real);
    }
    if (status == QD_OK)
        out[0] = y;
    return status;
}
