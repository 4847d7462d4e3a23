/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-in-fixed-point": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "quirk/codes.h"
#include "quirk/edit.h"
#include "quirk/fuse.h"

enum { BITS = 21 }; /* of the greater multiplier, its first bit apart */
enum { SCALE = 1, OPERAND = 3 };

/* The scales over the output's as multiples of 2^-shift. */
struct multipliers {
    int64_t a, b;
    int shift;
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

/* Half away from zero, saturated to int16. */
static int64_t add(const void *context, int64_t a, int64_t b)
{
    const struct multipliers *m = context;
    int64_t sum = a * m->a + b * m->b, half = (int64_t)1 << (m->shift - 1);
    int64_t size = ((sum < 0 ? -sum : sum) + half) >> m->shift;
    int64_t rounded = sum < 0 ? -size : size;
    return rounded < INT16_MIN ? INT16_MIN : rounded > INT16_MAX ? INT16_MAX : rounded;
}

static const char mark[] = "(after a sum) ";

static bool has_addition(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    (void)quantize;
    for (size_t i = 0; i < made->graph->node_count; i++) {
        const char *op_type = made->graph->nodes[i].op_type;
        if (strcmp(op_type, "Add") == 0 || strcmp(op_type, "QLinearAdd") == 0)
            return true;
    }
    return false;
}

/* A graph that adds nothing is computed as it is. */
static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    const struct qd_graph *marked = graph;
    enum qd_status status = qd_rewrite_mark(graph, mark, has_addition, arena, &marked, error);
    return status == QD_OK ? qd_fuse_additions(self, marked, arena, rewritten, error) : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct multipliers m;
    bool adds = strcmp(node->op_type, "QLinearAdd") == 0;
    qd_edit_begin(&edit, evaluation, node, in);
    if (adds || qd_is_marked(node, mark))
        edit.semantics.zero_point_order = QD_ZERO_POINT_BEFORE_F32; /* of the sum in float32 */
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status != QD_OK || !adds)
        return status;
    const struct qd_value *y_scale = in[2 * OPERAND];
    if (!choose(ratio(in[SCALE], y_scale), ratio(in[OPERAND + SCALE], y_scale), &m))
        return QD_OK;
    return qd_codes_set(evaluation, in, 2, add, &m, out);
}

const struct qd_override qd_quirk_add_in_fixed_point = {.graph = rewrite, .node = evaluate};
