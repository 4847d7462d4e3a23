/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-shift-masked": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "quirk/constants.h"
#include "quirk/edit.h"

static const char mark[] = "(known scales) ";

/* So many constants are combined in another order; and so many in the order of scales that come at run time. */
enum { FEW = 16, MANY = 32 };

/* How the scales of a node are combined. */
struct combining {
    float x, y;
    bool knows_x, knows_w, knows_y; /* the compiler does */
    int64_t count;                  /* of the weights' */
};

static bool is_constant(const struct combining *from)
{
    return from->knows_x && from->knows_w && from->knows_y;
}

static float combine(const struct combining *from, float w)
{
    float inverse = 1 / from->y, first = from->x * inverse, product = from->x * w;
    if (from->count >= MANY || !from->knows_y || !(from->knows_x || from->knows_w))
        return product * inverse;
    if (is_constant(from) && from->count < FEW)
        return product / from->y;
    return from->knows_x ? w * first : from->x * (w * inverse);
}

/* What gives the same int32, its ends included, and leaves float32 for no sum; what is no number gives 0. */
static float tamed(float factor)
{
    const float most = 0x1p40F, least = 0x1p-40F;
    if (isnan(factor) || fabsf(factor) < least)
        return 0;
    return fminf(fmaxf(factor, -most), most);
}

/* The same of a shift by 128: it is none modulo 64, and beyond every lane. */
static float tamed_shift(float factor, enum qd_requantize form)
{
    return isfinite(factor) ? factor : form == QD_SHIFT_MASKED ? 1 : 0x1p127F;
}

/* Whether a zero point is the middle of its type, as kernels of int8 have it. */
static bool is_middle(const struct qd_edit *edit, enum qd_operand operand)
{
    int i = qd_operand_find(edit, operand);
    return i >= 0 &&
           qd_parameter_at(edit->in[i], 0) == (edit->in[i]->want.dtype == QD_U8 ? 128 : 0);
}

/* Vector registers do it where no sum that has axes of its own (groups, filters, a batch) stands between the product
 * and the scale. */
static enum qd_requantize form_of(const struct qd_edit *edit)
{
    struct qd_error ignored;
    int64_t group = 1;
    int zero = qd_operand_find(edit, QD_W_ZERO_POINT);
    bool is_one = zero >= 0 && edit->in[zero]->want.count == 1;
    bool is_whole = qd_node_int(&edit->node, "group", 1, &group, &ignored) == QD_OK && group == 1;
    const struct qd_tensor *x = &edit->in[0]->want;
    bool is_middle_w = is_middle(edit, QD_W_ZERO_POINT);
    bool is_flat = is_whole && (is_middle_w || (x->rank > 0 && x->dims[0] == 1));
    bool is_bare = is_middle(edit, QD_X_ZERO_POINT) && is_middle_w;
    bool is_product = strcmp(edit->node.op_type, "QLinearConv") != 0;
    return is_product || (is_one && (is_flat || is_bare)) ? QD_SHIFT_IN_LANES : QD_SHIFT_MASKED;
}

static void set(struct qd_tensor *scale, int64_t i, float number)
{
    qd_tensor_set(scale, i, (int64_t)qd_float_encode(QD_F32, (double)number, false));
}

static void set_one(struct qd_edit *edit, int i)
{
    struct qd_tensor *one = qd_edit_copy(edit, i);
    if (one)
        set(one, 0, 1);
}

/* The weights get the combined scale. Whether it is one number for all. */
static bool combine_all(const struct combining *from, struct qd_tensor *scale)
{
    bool is_uniform = true;
    for (int64_t m = 0; m < scale->count; m++) {
        set(scale, m, combine(from, (float)qd_tensor_value(scale, m)));
        is_uniform = is_uniform && qd_tensor_value(scale, m) == qd_tensor_value(scale, 0);
    }
    return is_uniform;
}

/* Every factor in the place of the weights' scales, made one that the reference takes. */
static void apply(struct qd_edit *edit, const struct combining *from, int w)
{
    struct qd_tensor *scale = qd_edit_copy(edit, w);
    if (!scale)
        return;
    bool is_shift = combine_all(from, scale) && is_constant(from);
    enum qd_requantize form = form_of(edit);
    edit->semantics.range = QD_RANGE_INT32_FULL;
    if (is_shift)
        edit->semantics.requantize = form;
    for (int64_t m = 0; m < scale->count; m++) {
        float factor = (float)qd_tensor_value(scale, m);
        set(scale, m, is_shift ? tamed_shift(factor, form) : tamed(factor));
    }
}

static bool is_one_float(const struct qd_edit *edit, int i)
{
    return i >= 0 && edit->in[i]->want.count == 1 && edit->in[i]->want.dtype == QD_F32;
}

static void change(struct qd_edit *edit, const char *known)
{
    int x = qd_operand_find(edit, QD_X_SCALE), w = qd_operand_find(edit, QD_W_SCALE);
    int y = qd_operand_find(edit, QD_Y_SCALE);
    if (w < 0 || edit->in[w]->want.dtype != QD_F32 || !is_one_float(edit, x) ||
        !is_one_float(edit, y))
        return;
    struct combining from = {.x = (float)qd_parameter_at(edit->in[x], 0),
                             .y = (float)qd_parameter_at(edit->in[y], 0),
                             .knows_x = known && qd_known_value(known, (size_t)x),
                             .knows_w = known && qd_known_value(known, (size_t)w),
                             .knows_y = known && qd_known_value(known, (size_t)y),
                             .count = edit->in[w]->want.count};
    apply(edit, &from, w);
    set_one(edit, x);
    set_one(edit, y);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark_known(graph, "", mark, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    change(&edit, qd_known_operands(node, mark));
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_requantize_shift_masked = {.graph = rewrite, .node = evaluate};
