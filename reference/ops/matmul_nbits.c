/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft MatMulNBits
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.MatMulNBits version 1.
 * Inputs      A f32|f16|bf16 […, K]; B u8 [N, k_blocks, blob]; scales like A [N, k_blocks];
 *             zero_points, optional: u8 [N, ⌈k_blocks·bits/8⌉], packed as B is, or like A [N,
 *               k_blocks]; g_idx; bias like A [N], optional.
 *             k_blocks = ⌈K/block_size⌉, blob = block_size·bits/8. In B, bits of a byte go from low
 *             to high along K.
 * Outputs     Y like A […, N].
 * Attributes  K, N, block_size (required; a power of two from 16 on), bits (4), accuracy_level (0),
 *             weight_prepacked (0).
 * Domain      rules attribute-missing, k-positive, n-positive, block_size-value, bits-value,
 *             accuracy_level-value, a-rank, k-mismatch, <input>-type, <input>-shape. UNSUPPORTED:
 *             g_idx (deprecated, without a meaning in the specification), 3, 5, 6 and 7 bits (the
 *             specification names them in one place and not in the other), accuracy levels 2 to 4
 *             (they permit to round A), prepacked weights, scales and zero points of rank 1, an
 *             interval as B or a parameter.
 * Arithmetic  (1) w[n, k] = (q[n, k] − z[n, k / block_size])·s[n, k / block_size], z = 2^(bits − 1)
 *             when absent
 *             (2) Y[…, n] = Σ_k A[…, k]·w[n, k] + bias[n]
 * Edge cases  What fills the last block beyond K is not read. NaN or infinity among the terms:
 *             unspecified.
 * Latitude    (1) the difference, where z is a float, and the product are rounded or not; (2) every
 *             order of summation, the scale applied to each w or to the sum of a block:
 *               float_sum.h, one rounding more. With integer zero points and a type of 16 bits
 *             all weights are rounded to it or none: the hulls of the two, and nothing between.
 * Quirks      zero_points. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "kernel/float_sum.h"
#include "number/float_bits.h"

#include <math.h>
#include <string.h>

enum { A, B, SCALES, ZERO_POINTS, G_IDX, BIAS, INPUTS };

extern const struct qd_op qd_op_dequantize_linear;

struct nbits {
    const struct qd_evaluation *evaluation;
    const struct qd_tensor *t[INPUTS];
    int64_t k, n, block, blocks, bits;
};

/* --- Reading ---------------------------------------------------------------------------------- */

static enum qd_status read_required(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const char *name, int64_t *value)
{
    if (!qd_node_attr(node, name))
        return qd_node_rule(evaluation, node, "attribute-missing", "attribute %s is required",
                            name);
    return qd_node_int(node, name, 0, value, evaluation->error);
}

static enum qd_status read_sizes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 struct nbits *p)
{
    enum qd_status status = read_required(evaluation, node, "K", &p->k);
    if (status == QD_OK)
        status = read_required(evaluation, node, "N", &p->n);
    if (status == QD_OK)
        status = read_required(evaluation, node, "block_size", &p->block);
    if (status != QD_OK)
        return status;
    if (p->k < 1 || p->k > QD_MAX_ELEMENTS)
        return qd_node_rule(evaluation, node, "k-positive", "K is %lld", (long long)p->k);
    if (p->n < 1 || p->n > QD_MAX_ELEMENTS)
        return qd_node_rule(evaluation, node, "n-positive", "N is %lld", (long long)p->n);
    if (p->block < 16 || p->block > QD_MAX_ELEMENTS || (p->block & (p->block - 1)) != 0)
        return qd_node_rule(evaluation, node, "block_size-value",
                            "block_size is %lld, want a power of two from 16 on",
                            (long long)p->block);
    p->blocks = (p->k + p->block - 1) / p->block;
    return QD_OK;
}

static enum qd_status read_modes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 struct nbits *p)
{
    int64_t level = 0, prepacked = 0;
    enum qd_status status = qd_node_int(node, "bits", 4, &p->bits, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "accuracy_level", 0, &level, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "weight_prepacked", 0, &prepacked, evaluation->error);
    if (status != QD_OK)
        return status;
    if (p->bits < 2 || p->bits > 8)
        return qd_node_rule(evaluation, node, "bits-value", "bits is %lld", (long long)p->bits);
    if (level < 0 || level > 4)
        return qd_node_rule(evaluation, node, "accuracy_level-value", "accuracy_level is %lld",
                            (long long)level);
    if (p->bits != 2 && p->bits != 4 && p->bits != 8)
        return qd_fail(
            evaluation->error, QD_UNSUPPORTED,
            "%s: %lld bits, which the specification supports in one place and not in another",
            node->op_type, (long long)p->bits);
    if (level > 1)
        return qd_fail(
            evaluation->error, QD_UNSUPPORTED,
            "%s: accuracy_level %lld permits to round A in a way the specification does not say",
            node->op_type, (long long)level);
    if (prepacked != 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: weights packed for one device",
                       node->op_type);
    return QD_OK;
}

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    const uint32_t u8 = QD_TYPE_BIT(QD_U8);
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], QD_FLOAT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], u8);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "scales", t[SCALES], t[A]);
    if (status == QD_OK && t[ZERO_POINTS])
        status = qd_operand_type(evaluation, node, "zero_points", t[ZERO_POINTS],
                                 u8 | QD_TYPE_BIT(t[A]->dtype));
    if (status == QD_OK && t[BIAS])
        status = qd_same_type(evaluation, node, "bias", t[BIAS], t[A]);
    if (status == QD_OK && t[G_IDX])
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: g_idx is deprecated and the specification does not say what it means",
                       node->op_type);
    return status;
}

/* Rule `slug` unless the tensor has the shape; UNSUPPORTED when it is that shape flattened, as
 * older versions had it. */
static enum qd_status check_shape(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *slug,
                                  const struct qd_tensor *t, unsigned rank, const int64_t *dims)
{
    char text[96];
    int64_t count = 1;
    for (unsigned i = 0; i < rank; i++)
        count *= dims[i];
    if (t->rank == rank && memcmp(t->dims, dims, rank * sizeof *dims) == 0)
        return QD_OK;
    if (rank == 2 && t->rank == 1 && t->count == count)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: %s: flattened to one dimension",
                       node->op_type, slug);
    return qd_node_rule(evaluation, node, slug, "%s does not fit K %lld and N %lld",
                        qd_tensor_describe(t, text, sizeof text), (long long)dims[rank - 1],
                        (long long)dims[0]);
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct nbits *p)
{
    const struct qd_tensor *const *t = p->t;
    const int64_t codes[3] = {p->n, p->blocks, p->block * p->bits / 8};
    const int64_t per_block[2] = {p->n, p->blocks},
                  packed[2] = {p->n, (p->blocks * p->bits + 7) / 8};
    if (t[A]->rank == 0)
        return qd_node_rule(evaluation, node, "a-rank", "A is a scalar");
    if (t[A]->dims[t[A]->rank - 1] != p->k)
        return qd_node_rule(evaluation, node, "k-mismatch", "A has %lld columns, K is %lld",
                            (long long)t[A]->dims[t[A]->rank - 1], (long long)p->k);
    enum qd_status status = check_shape(evaluation, node, "b-shape", t[B], 3, codes);
    if (status == QD_OK)
        status = check_shape(evaluation, node, "scales-shape", t[SCALES], 2, per_block);
    if (status == QD_OK && t[ZERO_POINTS])
        status = check_shape(evaluation, node, "zero_points-shape", t[ZERO_POINTS], 2,
                             t[ZERO_POINTS]->dtype == QD_U8 ? packed : per_block);
    if (status == QD_OK && t[BIAS])
        status = check_shape(evaluation, node, "bias-shape", t[BIAS], 1, per_block);
    return status;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct nbits *p)
{
    p->evaluation = evaluation;
    for (int i = 0; i < INPUTS; i++)
        p->t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = read_sizes(evaluation, node, p);
    if (status == QD_OK)
        status = read_modes(evaluation, node, p);
    if (status == QD_OK)
        status = check_types(evaluation, node, p->t);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, p);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in + 1, INPUTS - 1);
    return status;
}

/* --- Weights ---------------------------------------------------------------------------------- */

/* Code i of packed bytes. */
static int64_t unpack(const struct qd_tensor *bytes, int64_t first_byte, int64_t i, int64_t bits)
{
    int64_t per_byte = 8 / bits, mask = ((int64_t)1 << bits) - 1;
    return qd_tensor_get(bytes, first_byte + i / per_byte) >> i % per_byte * bits & mask;
}

/* Codes [n, count] out of rows of `stride` bytes; every row's codes are packed anew. */
static enum qd_status unpack_rows(const struct nbits *p, const struct qd_tensor *bytes,
                                  int64_t stride, int64_t count, struct qd_tensor *out)
{
    const int64_t dims[2] = {p->n, count};
    struct qd_tensor made;
    enum qd_status status =
        qd_tensor_init(&made, p->evaluation->arena, QD_U8, 2, dims, p->evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < made.count; i++)
        qd_tensor_set(&made, i, unpack(bytes, i / count * stride, i % count, p->bits));
    if (status == QD_OK)
        *out = made;
    return status;
}

static enum qd_status default_zero_points(const struct nbits *p, struct qd_tensor *out)
{
    const int64_t dims[2] = {p->n, p->blocks};
    enum qd_status status =
        qd_tensor_init(out, p->evaluation->arena, QD_U8, 2, dims, p->evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < out->count; i++)
        qd_tensor_set(out, i, (int64_t)1 << (p->bits - 1));
    return status;
}

/* Equation (1) with integer zero points: a blocked DequantizeLinear along K. */
static enum qd_status dequantize(const struct nbits *p, const struct qd_tensor *codes,
                                 struct qd_value *w)
{
    const struct qd_attr attrs[] = {{.name = "axis", .kind = QD_ATTR_INT, .i = 1},
                                    {.name = "block_size", .kind = QD_ATTR_INT, .i = p->block}};
    const struct qd_node node = {.name = "",
                                 .domain = "",
                                 .op_type = "DequantizeLinear",
                                 .opset = 21,
                                 .attr_count = 2,
                                 .attrs = attrs};
    struct qd_evaluation evaluation = *p->evaluation;
    const struct qd_tensor *packed = p->t[ZERO_POINTS];
    struct qd_tensor zero_points;
    enum qd_status status = packed
                                ? unpack_rows(p, packed, packed->dims[1], p->blocks, &zero_points)
                                : default_zero_points(p, &zero_points);
    if (status != QD_OK)
        return status;
    const struct qd_value values[] = {qd_value_of_tensor(codes), qd_value_of_tensor(p->t[SCALES]),
                                      qd_value_of_tensor(&zero_points)};
    const struct qd_value *in[] = {&values[0], &values[1], &values[2]};
    return qd_op_dequantize_linear.evaluate(&evaluation, &node, in, w);
}

/* Zero point c, a float, through the zero_points switch. */
static double float_zero_point(const struct nbits *p, int64_t c)
{
    enum qd_zero_points mode = p->evaluation->semantics->zero_points;
    if (mode == QD_ZP_IGNORED)
        return 0;
    return qd_tensor_value(p->t[ZERO_POINTS], mode == QD_ZP_CHANNEL0 ? 0 : c);
}

/* Equation (1) with zero points of A's type. */
static enum qd_status dequantize_by_floats(const struct nbits *p, const struct qd_tensor *codes,
                                           struct qd_value *w)
{
    struct qd_arena *arena = p->evaluation->arena;
    enum qd_dtype type = p->t[A]->dtype;
    enum qd_status status = qd_value_init(w, arena, type, 2, codes->dims, p->evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < codes->count; i++) {
        int64_t c = i / p->k * p->blocks + i % p->k / p->block;
        struct qd_interval q = qd_interval_point((double)qd_tensor_get(codes, i));
        struct qd_interval scale = qd_interval_point(qd_tensor_value(p->t[SCALES], c));
        struct qd_interval difference =
            qd_interval_add(q, qd_interval_point(-float_zero_point(p, c)));
        struct qd_interval exact = qd_interval_multiply(difference, scale);
        difference = qd_interval_round(type, difference);
        struct qd_interval product = qd_interval_multiply(difference, scale);
        bool finite = qd_interval_magnitude(product) <= qd_float_format(type)->largest;
        status = finite ? qd_interval_store(w, i, qd_interval_round(type, product), exact, arena,
                                            p->evaluation->error)
                        : qd_interval_store_flag(w, i, QD_UNSPECIFIED, arena, p->evaluation->error);
    }
    return status;
}

static enum qd_status weights(const struct nbits *p, struct qd_value *w)
{
    struct qd_tensor codes;
    struct qd_value made = {.lo = NULL};
    const struct qd_tensor *zero_points = p->t[ZERO_POINTS];
    enum qd_status status = unpack_rows(p, p->t[B], p->blocks * p->t[B]->dims[2], p->k, &codes);
    if (status == QD_OK)
        status = zero_points && zero_points->dtype != QD_U8 ? dequantize_by_floats(p, &codes, &made)
                                                            : dequantize(p, &codes, &made);
    made.fusion = (struct qd_fusion){0}; /* the dequantization is this operator's own */
    if (status == QD_OK)
        *w = made;
    return status;
}

/* --- Product ---------------------------------------------------------------------------------- */

/* Equation (2). */
static enum qd_status multiply(const struct nbits *p, const struct qd_value *const *in,
                               const struct qd_value *w, struct qd_value *y)
{
    struct qd_float_operand a, b, bias;
    enum qd_status status = qd_float_operand_make(p->evaluation, in[A], &a);
    if (status == QD_OK)
        status = qd_float_operand_make(p->evaluation, w, &b);
    if (status == QD_OK && in[BIAS])
        status = qd_float_operand_make(p->evaluation, in[BIAS], &bias);
    const struct qd_float_operand *operands[] = {&a, &b, in[BIAS] ? &bias : NULL};
    if (status == QD_OK)
        status = qd_float_sum_begin(p->evaluation, operands, 3, y);
    if (status == QD_OK)
        status = qd_spend(p->evaluation, (double)y->want.count * (double)p->k * QD_WORK_FLOAT);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        struct qd_float_sum sum = QD_FLOAT_SUM_EMPTY;
        int64_t row = i / p->n, n = i % p->n;
        for (int64_t k = 0; k < p->k; k++)
            qd_float_sum_product(&sum, &a, row * p->k + k, &b, n * p->k + k);
        if (in[BIAS])
            qd_float_sum_term(&sum, &bias, n);
        status = qd_float_sum_store(p->evaluation, &sum, 1, y, i);
    }
    return status;
}

/* --- All weights rounded, or none --------------------------------------------------------------- */

/* The weights without their rounding, or with it, as points; false where float32 has not all of them. */
static bool weights_alike(const struct nbits *p, const struct qd_value *w, bool rounded,
                          struct qd_value *made, enum qd_status *status)
{
    *status =
        qd_value_init(made, p->evaluation->arena, QD_F32, 2, w->want.dims, p->evaluation->error);
    for (int64_t i = 0; *status == QD_OK && i < w->want.count; i++) {
        struct qd_interval exact = qd_value_exact(w, i);
        double x = rounded ? qd_tensor_value(&w->want, i) : exact.lo;
        bool held = !qd_value_flags(w, i) && exact.lo == exact.hi &&
                    qd_float_round(QD_F32, QD_NEAREST_EVEN, x) == x;
        if (!held)
            return false;
        qd_tensor_set(&made->want, i, (int64_t)qd_float_encode(QD_F32, x, false));
    }
    return *status == QD_OK;
}

/* Adds the numbers of the type that a hull shows; false if there are more than `room`. */
static bool add_numbers(enum qd_dtype type, struct qd_interval hull, double *numbers, size_t *count,
                        size_t room)
{
    double x = qd_float_round(type, QD_NEAREST_EVEN, hull.lo),
           last = qd_float_round(type, QD_NEAREST_EVEN, hull.hi);
    for (; *count < room && x <= last && isfinite(x);
         x = qd_float_round(type, QD_TO_PLUS_INFINITY, qd_next_up(x)))
        numbers[(*count)++] = x;
    return x > last;
}

/* Of element i the hulls of both ways of computing alone. */
static enum qd_status unite(const struct nbits *p, const struct qd_value *ways, struct qd_value *y,
                            int64_t i)
{
    struct qd_interval a = qd_interval_of(&ways[0], i), b = qd_interval_of(&ways[1], i);
    double numbers[QD_MAX_POINTS];
    size_t count = 0;
    if (qd_value_flags(y, i) || qd_value_flags(&ways[0], i) || qd_value_flags(&ways[1], i) ||
        !y->lo)
        return QD_OK;
    y->lo[i] = fmax(y->lo[i], fmin(a.lo, b.lo));
    y->hi[i] = fmin(y->hi[i], fmax(a.hi, b.hi));
    bool apart = a.hi < b.lo || b.hi < a.lo;
    if (!apart || !add_numbers(y->want.dtype, a, numbers, &count, QD_MAX_POINTS) ||
        !add_numbers(y->want.dtype, b, numbers, &count, QD_MAX_POINTS))
        return QD_OK;
    return qd_value_limit(y, i, numbers, count, p->evaluation->arena, p->evaluation->error);
}

/* A kernel rounds all weights to a type of 16 bits or none: between these two sums lies nothing. */
static enum qd_status multiply_alike(const struct nbits *p, const struct qd_value *const *in,
                                     const struct qd_value *w, struct qd_value *y)
{
    struct qd_value alike[2], ways[2];
    enum qd_status status = QD_OK;
    if (y->want.dtype == QD_F32)
        return QD_OK;
    for (int k = 0; status == QD_OK && k < 2; k++) {
        if (!weights_alike(p, w, k == 1, &alike[k], &status))
            return status;
        status = qd_value_init(&ways[k], p->evaluation->arena, y->want.dtype, y->want.rank,
                               y->want.dims, p->evaluation->error);
        if (status == QD_OK)
            status = multiply(p, in, &alike[k], &ways[k]);
    }
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        status = unite(p, ways, y, i);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct nbits p = {0};
    struct qd_value w, y;
    int64_t dims[QD_MAX_RANK] = {0};
    enum qd_status status = read_node(evaluation, node, in, &p);
    if (status != QD_OK)
        return status;
    unsigned rank = p.t[A]->rank;
    memcpy(dims, p.t[A]->dims, rank * sizeof *dims);
    dims[rank - 1] = p.n;
    status = weights(&p, &w);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, p.t[A]->dtype, rank, dims, evaluation->error);
    if (status == QD_OK)
        status = multiply(&p, in, &w, &y);
    if (status == QD_OK)
        status = multiply_alike(&p, in, &w, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_matmul_nbits = {
    .domain = "com.microsoft",
    .name = "MatMulNBits",
    .since = 1,
    .min_inputs = 3,
    .max_inputs = 6,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight,scales:scale,zero_points:zero_point,g_idx:control,bias:bias",
    .clause = "1: dequantized_weight = (quantized_weight - zero_point) * scale ... Matrix "
              "multiplication between the input matrix A and the dequantized weight matrix.",
    .attributes = "K,N,block_size,bits,accuracy_level,weight_prepacked",
    .rules = "attribute-missing,k-positive,n-positive,block_size-value,bits-value,"
             "accuracy_level-value,a-rank,k-mismatch,a-type,b-type,scales-type,"
             "zero_points-type,bias-type,b-shape,scales-shape,zero_points-shape,bias-shape",
    .evaluate = evaluate,
};
