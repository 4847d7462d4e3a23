/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "kernel-in-vectors-of-64": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "qdiff/broadcast.h"
#include "quirk/codes.h"
#include "quirk/edit.h"
#include "quirk/fuse.h"

enum { CODES, SCALE, ZERO_POINT, TRIPLE };
enum { TENSORS = 2 }; /* where the triples of QLinearConcat begin, after y's scale and zero point */
enum { VECTOR = 64 };

/* The greatest float32 below 2^31. */
#define BOUND 0x1.fffffep30F

/* One node. */
struct kernel {
    const struct qd_value *const *in;
    const struct qd_tensor *y;
    float inverse; /* of y's scale; of a product times the others */
    float alpha;
    int64_t y_zero_point;
    int64_t run; /* elements that lie one after the other in all operands */
};

static const struct qd_value *operand(const struct kernel *k, int number, int part)
{
    return k->in[number * TRIPLE + part];
}

static int64_t code_at(const struct kernel *k, int number, int64_t i)
{
    const struct qd_tensor *x = &operand(k, number, CODES)->want;
    return qd_tensor_get(x, qd_broadcast_element(x, k->y, i));
}

static int64_t difference_at(const struct kernel *k, int number, int64_t i)
{
    return code_at(k, number, i) - (int64_t)qd_parameter_at(operand(k, number, ZERO_POINT), 0);
}

static float real_at(const struct kernel *k, int number, int64_t i, bool in_vector)
{
    float scale = (float)qd_parameter_at(operand(k, number, SCALE), 0);
    float zero = (float)qd_parameter_at(operand(k, number, ZERO_POINT), 0);
    if (in_vector)
        return fmaf(scale, (float)code_at(k, number, i), scale * -zero);
    return scale * (float)difference_at(k, number, i);
}

/* --- Numbers to codes, saturated by the caller ------------------------------------------------- */

/* As the vector instruction converts: what int32 does not hold, and NaN, is its least number. */
static int64_t converted(float steps)
{
    return steps >= -0x1p31F && steps < 0x1p31F ? (int64_t)nearbyintf(steps) : INT32_MIN;
}

static int64_t vector_sum(int64_t rounded, int64_t zero_point)
{
    return (int32_t)(uint32_t)(uint64_t)(rounded + zero_point); /* of int32: it wraps */
}

/* NaN is the bound, too. */
static float bounded(float steps)
{
    return steps < BOUND ? steps : BOUND;
}

static int64_t rest_code(float steps, int64_t zero_point)
{
    float sum = (float)zero_point + steps;
    return isnan(sum) ? 0 : (int64_t)nearbyintf(fminf(fmaxf(sum, -0x1p31F), 0x1p31F));
}

static int64_t rest_product(float steps, int64_t zero_point)
{
    bool fits = steps >= -0x1p63F && steps < 0x1p63F;
    int64_t rounded = fits ? (int64_t)nearbyintf(steps) : INT64_MIN;
    return (int64_t)((uint64_t)rounded + (uint64_t)zero_point);
}

/* --- Kernels ----------------------------------------------------------------------------------- */

typedef int64_t code_function(const struct kernel *k, int64_t i, bool in_vector);

static int64_t code_of(const struct kernel *k, float real, bool in_vector)
{
    float steps = real * k->inverse;
    return in_vector ? vector_sum(converted(bounded(steps)), k->y_zero_point)
                     : rest_code(steps, k->y_zero_point);
}

static int64_t add(const struct kernel *k, int64_t i, bool in_vector)
{
    float a = real_at(k, 0, i, in_vector), b = real_at(k, 1, i, in_vector);
    return code_of(k, a + b, in_vector);
}

static int64_t leak(const struct kernel *k, int64_t i, bool in_vector)
{
    float x = real_at(k, 0, i, in_vector);
    return code_of(k, x > 0 ? x : x * k->alpha, in_vector);
}

static int64_t multiply(const struct kernel *k, int64_t i, bool in_vector)
{
    float steps = (float)(difference_at(k, 0, i) * difference_at(k, 1, i)) * k->inverse;
    return in_vector ? vector_sum(converted(steps), k->y_zero_point)
                     : rest_product(steps, k->y_zero_point);
}

/* The elements of y, counted from its end, in which each operand is read on, or stands still. */
static int64_t run_of(const struct qd_tensor *y, const struct qd_value *const *in, int operands)
{
    int64_t run = 1;
    unsigned still = 0;
    for (unsigned d = 0; d < y->rank; d++) {
        unsigned here = 0;
        int64_t length = y->dims[y->rank - 1 - d];
        for (int n = 0; n < operands; n++) {
            const struct qd_tensor *x = &in[n * TRIPLE + CODES]->want;
            bool is_still = d >= x->rank || x->dims[x->rank - 1 - d] != length;
            here |= (unsigned)is_still << n;
        }
        if (length == 1)
            continue;
        if (run > 1 && here != still)
            break;
        still = here;
        run *= length;
    }
    return run;
}

static enum qd_status fill(struct qd_evaluation *evaluation, const struct kernel *k,
                           code_function *f, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    int64_t whole = k->run / VECTOR * VECTOR;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        if (!(qd_value_flags(y, i) & QD_UNSPECIFIED))
            status = qd_code_set(evaluation, y, i, f(k, i, i % k->run < whole));
    return status;
}

static enum qd_status run_kernel(struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *const *in, struct qd_value *y)
{
    bool is_leak = strcmp(node->op_type, "QLinearLeakyRelu") == 0;
    bool is_product = strcmp(node->op_type, "QLinearMul") == 0;
    const int operands = is_leak ? 1 : 2, scale = operands * TRIPLE;
    bool has_zero = node->input_count > (size_t)scale + 1;
    struct kernel k = {.in = in,
                       .y = &y->want,
                       .inverse = 1.0F / (float)qd_parameter_at(in[scale], 0),
                       .y_zero_point = has_zero ? (int64_t)qd_parameter_at(in[scale + 1], 0) : 0,
                       .run = run_of(&y->want, in, operands)};
    enum qd_status status = qd_node_float(node, "alpha", 0.01F, &k.alpha, evaluation->error);
    if (is_product) {
        float scales = (float)qd_parameter_at(in[SCALE], 0);
        scales *= (float)qd_parameter_at(in[TRIPLE + SCALE], 0);
        k.inverse *= scales;
    }
    code_function *f = is_leak ? leak : is_product ? multiply : add;
    return status == QD_OK ? fill(evaluation, &k, f, y) : status;
}

/* --- Concatenations: dequantize, and quantize without vectors ------------------------------------ */

/* Codes of y for each tensor, which have the parameters 1 and y's zero point henceforth. */
static void convert(struct qd_edit *edit, int at, float inverse)
{
    float scale = (float)qd_parameter_at(edit->in[at + SCALE], 0);
    double zero_point = qd_parameter_at(edit->in[at + ZERO_POINT], 0);
    float y_zero_point = (float)qd_parameter_at(edit->in[1], 0);
    struct qd_tensor *x = qd_edit_copy(edit, at);
    for (int64_t i = 0; x && i < x->count; i++) {
        const struct qd_dtype_info *type = qd_dtype_info(x->dtype);
        float real = scale * (float)((double)qd_tensor_get(x, i) - zero_point);
        int64_t code = converted(bounded(fmaf(real, inverse, y_zero_point)));
        qd_tensor_set(x, i, code < type->min ? type->min : code > type->max ? type->max : code);
    }
    edit->in[at + SCALE] = edit->in[0];
    edit->in[at + ZERO_POINT] = edit->in[1];
}

static void convert_all(struct qd_edit *edit)
{
    double y_scale = qd_parameter_at(edit->in[0], 0);
    if (!isfinite(y_scale) || y_scale == 0)
        return;
    struct qd_tensor *one = qd_edit_new(edit, 0, QD_F32, 0, NULL);
    qd_tensor_fill(one, (int64_t)qd_float_encode(QD_F32, 1, false));
    for (size_t at = TENSORS; at + ZERO_POINT < edit->node.input_count; at += TRIPLE)
        if (edit->in[at] && edit->in[at + SCALE] && edit->in[at + ZERO_POINT])
            convert(edit, (int)at, 1.0F / (float)y_scale);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    bool is_concat = strcmp(node->op_type, "QLinearConcat") == 0;
    if (is_concat)
        convert_all(&edit);
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status != QD_OK || is_concat || strncmp(node->op_type, "QLinear", strlen("QLinear")) != 0)
        return status;
    return run_kernel(evaluation, node, in, &out[0]);
}

const struct qd_override qd_quirk_kernel_in_vectors_of_64 = {.graph = qd_fuse_elementwise,
                                                             .node = evaluate};
