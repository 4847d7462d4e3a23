/* MaxPool
 *
 * Source      ONNX MaxPool-1, -8, -10, -11, -12, -22.
 * Inputs      X f32|f16|f64 (12: u8 s8; 22: bf16) [N, C, D1…Dn].
 * Outputs     Y like X [N, C, O1…On]; Indices (8), optional, s64 of Y's shape.
 * Attributes  kernel_shape (required), strides, pads, auto_pad, dilations (10), ceil_mode (10): convolve.h; storage_order (8)
 *             0 row major, 1 column major, for Indices only.
 * Domain      rules x-type, attribute-unknown, output-count (Indices before 8), storage_order-value and those of convolve.h.
 *             UNSUPPORTED: Indices of an interval, and of column major order unless N·C = 1 (whether N and C are reversed
 *             too is not said).
 * Arithmetic  Y = the greatest element of the window; padding takes no part. Indices = its position in X.
 * Edge cases  NaN in a window, or a window of padding alone: unspecified; so is the index of one of several greatest.
 * Latitude    none of its own: the hull is the greatest lower end to the greatest upper end. */
#include <math.h>

#include "qdiff/convolve.h"
#include "qdiff/parameters.h"

struct pool {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    int64_t terms;
    struct qd_value *y, *indices; /* indices: NULL if nobody asks */
    bool column_major;
    enum qd_status status; /* the first failure */
};

/* The elements of one window so far. */
struct window {
    int64_t best; /* index of the greatest canonical value, −1 if there is none */
    double want, lo, hi, abs_sum;
    double loose;       /* the greatest upper end of the elements without canonical value */
    bool unspecified;   /* of some element */
    bool extreme_scale; /* of some element */
    bool empty;
    bool tied; /* several elements are the greatest */
};

static void include(struct window *w, const struct qd_value *x, int64_t i)
{
    uint8_t flags = qd_value_flags(x, i);
    double want = qd_tensor_value(&x->want, i), hi = qd_value_hi(x, i);
    w->empty = false;
    w->unspecified |= isnan(want) || flags & (QD_UNSPECIFIED | QD_NOT_NUMBER);
    w->extreme_scale |= (flags & QD_EXTREME_SCALE) != 0;
    w->lo = fmax(w->lo, qd_value_lo(x, i));
    w->hi = fmax(w->hi, hi);
    w->abs_sum = fmax(w->abs_sum, qd_value_abs_sum(x, i));
    if (flags & QD_NO_CANONICAL) {
        w->loose = fmax(w->loose, hi);
    } else if (w->best < 0 || want > w->want) {
        w->best = i;
        w->want = want;
        w->tied = false;
    } else {
        w->tied |= want == w->want;
    }
}

static uint8_t flags_of(const struct window *w)
{
    if (w->empty || w->unspecified)
        return QD_UNSPECIFIED;
    uint8_t flags = w->extreme_scale ? QD_EXTREME_SCALE : 0;
    if (w->best < 0 || w->loose > w->want)
        return flags | QD_NO_CANONICAL;
    return flags;
}

static enum qd_status store(const struct pool *p, const struct window *w, int64_t output)
{
    struct qd_value *y = p->y;
    uint8_t flags = flags_of(w);
    enum qd_status status = QD_OK;
    if (flags)
        status = qd_value_need_flags(y, p->evaluation->arena, p->evaluation->error);
    if (status != QD_OK)
        return status;
    if (y->flags)
        y->flags[output] = flags;
    if (flags & QD_UNSPECIFIED)
        return QD_OK;
    if (w->best >= 0)
        qd_tensor_set(&y->want, output, qd_tensor_get(&p->x->want, w->best));
    if (y->lo) {
        y->lo[output] = w->lo;
        y->hi[output] = w->hi;
    }
    if (y->abs_sum)
        y->abs_sum[output] = w->abs_sum;
    return QD_OK;
}

static int64_t position(const struct pool *p, int64_t i)
{
    const struct qd_tensor *x = &p->x->want;
    int64_t coordinates[QD_MAX_RANK], index = 0;
    if (!p->column_major)
        return i;
    qd_tensor_coordinates(x, i, coordinates);
    for (unsigned axis = x->rank; axis-- > 2;) /* the first spatial axis runs fastest */
        index = index * x->dims[axis] + coordinates[axis];
    return index;
}

static enum qd_status store_index(const struct pool *p, const struct window *w, int64_t output)
{
    struct qd_code code = {0, 0, 0, QD_UNSPECIFIED};
    if (!w->empty && !w->unspecified && !w->tied)
        code = (struct qd_code){position(p, w->best), 0, 0, 0};
    code.lo = code.hi = code.want;
    return qd_value_set_code(p->indices, output, code, p->evaluation->arena, p->evaluation->error);
}

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    struct pool *p = context;
    struct window w = {.best = -1,
                       .want = -INFINITY,
                       .lo = -INFINITY,
                       .hi = -INFINITY,
                       .loose = -INFINITY,

                       .empty = true};
    (void)first_filter;
    (void)filters; /* one, the channel itself */
    (void)step;
    if (p->status != QD_OK)
        return;
    for (int64_t t = 0; t < p->terms; t++)
        if (x_index[t] >= 0)
            include(&w, p->x, x_index[t]);
    p->status = store(p, &w, output);
    if (p->status == QD_OK && p->indices)
        p->status = store_index(p, &w, output);
}

static bool asks_for_indices(const struct qd_node *node)
{
    return node->output_count > 1 && node->outputs[1] != QD_NO_VALUE;
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= node->opset >= 12 ? QD_8BIT_TYPES : 0;
    types |= node->opset >= 22 ? QD_TYPE_BIT(QD_BF16) : 0;
    if (asks_for_indices(node) && node->opset < 8)
        return qd_node_rule(evaluation, node, "output-count", "Indices exist since opset 8");
    return qd_operand_type(evaluation, node, "x", x, types);
}

/* Prepares Indices; nothing if nobody asks. */
static enum qd_status begin_indices(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_value *const *in,
                                    struct qd_value *indices, struct pool *p)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t order;
    enum qd_status status = qd_node_int(node, "storage_order", 0, &order, evaluation->error);
    if (status == QD_OK && order != 0 && order != 1)
        return qd_node_rule(evaluation, node, "storage_order-value", "storage_order is %lld",
                            (long long)order);
    if (status != QD_OK || !asks_for_indices(node))
        return status;
    if (order == 1 && x->dims[0] * x->dims[1] != 1)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "MaxPool: column major Indices of more than one channel");
    status = qd_operands_are_points(evaluation, node, in, 1);
    if (status == QD_OK)
        status = qd_value_init(indices, evaluation->arena, QD_S64, p->y->want.rank, p->y->want.dims,
                               evaluation->error);
    p->column_major = order == 1;
    p->indices = indices;
    return status;
}

/* An empty value for Y that keeps what is known of X as a whole. */
static enum qd_status begin(const struct qd_evaluation *evaluation, const struct qd_value *x,
                            const struct qd_conv_shape *shape, struct qd_value *y)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = qd_conv_output_dims(shape, dims);
    struct qd_error *error = evaluation->error;
    struct qd_value made = *x;
    made.lo = made.hi = made.abs_sum = made.real = NULL;
    made.flags = NULL;
    enum qd_status status =
        qd_tensor_init(&made.want, evaluation->arena, x->want.dtype, rank, dims, error);
    if (status == QD_OK && x->lo)
        status = qd_value_need_hull(&made, evaluation->arena, error);
    if (status == QD_OK && x->abs_sum)
        status = qd_value_need_abs_sum(&made, evaluation->arena, error);
    if (status == QD_OK)
        *y = made;
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_conv_shape shape;
    struct qd_value y, indices;
    struct pool p = {.evaluation = evaluation, .x = in[0], .y = &y};
    int64_t ceil_mode = 0;
    enum qd_status status = check(evaluation, node, &in[0]->want);
    if (status == QD_OK)
        status = qd_node_int(node, "ceil_mode", 0, &ceil_mode, evaluation->error);
    if (status == QD_OK)
        status = qd_pool_shape_read(evaluation, node, &in[0]->want, ceil_mode != 0, &shape);
    if (status == QD_OK)
        status = begin(evaluation, in[0], &shape, &y);
    if (status == QD_OK)
        status = begin_indices(evaluation, node, in, &indices, &p);
    if (status == QD_OK && y.want.count > 0) {
        p.terms = qd_conv_terms(&shape);
        status = qd_conv_visit(evaluation, &shape, QD_WORK_POOL, visit, &p);
    }
    status = status == QD_OK ? p.status : status;
    if (status != QD_OK)
        return status;
    out[0] = y;
    if (p.indices)
        out[1] = indices;
    return QD_OK;
}

const struct qd_op qd_op_max_pool = {
    .domain = "",
    .name = "MaxPool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 2,
    .attributes = "auto_pad,kernel_shape,pads,strides,storage_order:8-,dilations:10-,ceil_mode:10-",
    .rules = "x-type,storage_order-value," QD_POOL_RULES,
    .evaluate = evaluate,
};
