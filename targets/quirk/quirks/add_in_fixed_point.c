/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-in-fixed-point": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "qdiff/broadcast.h"
#include "quirk/edit.h"
#include "quirk/fuse.h"

enum { BITS = 21 }; /* of the greater multiplier, its first bit apart */
enum { CODES, SCALE, ZERO_POINT, OPERAND };

/* The scales over the output's as multiples of 2^-shift. */
struct multipliers {
    int64_t a, b;
    int shift;
};

/* One operand of the sum. */
struct side {
    const struct qd_tensor *codes;
    int64_t zero_point;
};

static double ratio(const struct qd_value *scale, const struct qd_value *of)
{
    double quotient = qd_parameter_at(scale, 0) / qd_parameter_at(of, 0);
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, quotient);
}

static bool fits(double ratio)
{
    return ratio >= 0x1p-14 && ratio < 0x1p8;
}

/* False: the kernel adds in float32 instead. */
static bool choose(double a, double b, struct multipliers *m)
{
    int exponent;
    if (!fits(a) || !fits(b))
        return false;
    frexp(a > b ? a : b, &exponent); /* 2^(exponent - 1) <= ratio */
    m->shift = BITS - (exponent - 1);
    m->a = llrint(ldexp(a, m->shift));
    m->b = llrint(ldexp(b, m->shift));
    const int64_t end = (int64_t)2 << BITS;
    return m->shift >= 13 && m->shift <= 31 && m->a < end && m->b < end;
}

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Half away from zero, then twice saturated to int16. */
static int64_t add(const struct multipliers *m, int64_t a, int64_t b, int64_t zero_point)
{
    int64_t sum = a * m->a + b * m->b, half = (int64_t)1 << (m->shift - 1);
    int64_t size = ((sum < 0 ? -sum : sum) + half) >> m->shift;
    int64_t rounded = clamp(sum < 0 ? -size : size, INT16_MIN, INT16_MAX);
    return clamp(rounded + zero_point, INT16_MIN, INT16_MAX);
}

static int64_t code_of(const struct side *side, const struct qd_tensor *y, int64_t i)
{
    const struct qd_tensor *codes = side->codes;
    int64_t at = qd_broadcast_index(codes->rank, codes->dims, y->rank, y->dims, i);
    return qd_tensor_get(codes, at) - side->zero_point;
}

static struct side side_of(const struct qd_value *const *in)
{
    return (struct side){&in[CODES]->want, (int64_t)qd_parameter_at(in[ZERO_POINT], 0)};
}

/* Puts fixed-point sums in the place of y's codes. */
static enum qd_status add_all(struct qd_evaluation *evaluation, const struct multipliers *m,
                              const struct qd_value *const *in, struct qd_value *y)
{
    const struct qd_dtype_info *type = qd_dtype_info(y->want.dtype);
    const struct side a = side_of(in), b = side_of(in + OPERAND);
    int64_t zero_point = (int64_t)qd_parameter_at(in[2 * OPERAND + 1], 0);
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        int64_t sum = add(m, code_of(&a, &y->want, i), code_of(&b, &y->want, i), zero_point);
        int64_t code = clamp(sum, type->min, type->max);
        status = qd_value_set_code(y, i, (struct qd_code){.want = code, .lo = code, .hi = code},
                                   evaluation->arena, evaluation->error);
    }
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct multipliers m;
    qd_edit_begin(&edit, evaluation, node, in);
    edit.semantics.zero_point_order = QD_ZERO_POINT_BEFORE_F32; /* of the sum in float32 */
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status != QD_OK || strcmp(node->op_type, "QLinearAdd") != 0)
        return status;
    const struct qd_value *y_scale = in[2 * OPERAND];
    if (!choose(ratio(in[SCALE], y_scale), ratio(in[OPERAND + SCALE], y_scale), &m))
        return QD_OK;
    return add_all(evaluation, &m, in, out);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_fuse_additions(graph, arena, rewritten, error);
}

const struct qd_override qd_quirk_add_in_fixed_point = {.graph = rewrite, .node = evaluate};
