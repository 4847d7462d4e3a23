/* SPDX-License-Identifier: Apache-2.0 */
/* Pad
 *
 * Source      ONNX Pad-1, -2, -11, -13, -18, -19, -21, -23, -24, -25.
 * Inputs      data f32 f16 f64 (11: integers; 13: bf16, bool; 21 on: float8 and the types below 8
 *             bits, movement.h); since 11 pads s64 [2·axes], constant_value, optional, a scalar of
 *             data's type; since 18 axes, optional, s32|s64.
 * Outputs     output: axis axes[i] is pads[i] elements longer at its beginning and pads[i + axes]
 *             at its end.
 * Attributes  mode constant|reflect|edge (19: wrap); up to 10 pads (1: called paddings) and value
 *             (0).
 * Domain      rules data-type, pads-missing, pads-length, pads-type, pads-rank, pads-value (more is
 *             cropped than there is), constant_value-type, constant_value-shape, axes-range,
 *             mode-value, attribute-unknown, input-count. LIMIT: pads beyond 2^28. UNSUPPORTED:
 *             an axis named twice ("undefined"), modes other than constant that pad one end and
 *             crop the other, that pad an axis of size 0, or that reflect more than the axis has.
 * Arithmetic  moves elements; with p = o − pads[i] the output position o of an axis of size d shows
 *             constant: data[p] if 0 ≤ p < d, else constant_value; reflect: mirrored without
 *               repeating the ends; edge: the
 *             nearest end; wrap: p modulo d.
 * Edge cases  Pad has no quantization parameters: on codes constant_value is a code.
 * Latitude    none. */
#include <string.h>

#include "graph/operand_checks.h"
#include "qdiff/interval.h"
#include "qdiff/movement.h"

enum { DATA, PADS, CONSTANT_VALUE, AXES, INPUTS };
enum mode { CONSTANT, REFLECT, EDGE, WRAP, MODES };

struct pad {
    enum mode mode;
    unsigned rank;
    int64_t in[QD_MAX_RANK], out[QD_MAX_RANK], stride[QD_MAX_RANK];
    int64_t begin[QD_MAX_RANK], end[QD_MAX_RANK];
};

static enum qd_status read_mode(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                enum mode *mode)
{
    static const char *const words[MODES] = {"constant", "reflect", "edge", "wrap"};
    const char *word;
    enum qd_status status = qd_node_string(node, "mode", "constant", &word, evaluation->error);
    if (status != QD_OK)
        return status;
    unsigned known = node->opset >= 19 ? MODES : WRAP;
    for (unsigned i = 0; i < known; i++)
        if (strcmp(word, words[i]) == 0) {
            *mode = (enum mode)i;
            return QD_OK;
        }
    return qd_node_rule(evaluation, node, "mode-value", "mode is '%.40s'", word);
}

static enum qd_status check_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x)
{
    if (x->dtype == QD_BOOL && node->opset < 13)
        return qd_node_rule(evaluation, node, "data-type", "bool exists since opset 13");
    return qd_movement_type(evaluation, node, "data", x, 11, 21);
}

/* The axes that pads are for: all without a list. */
static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *value, const struct pad *p, size_t *count,
                                int64_t *axes)
{
    const uint32_t types = QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    struct qd_list list = {.present = false};
    bool used[QD_MAX_RANK] = {false};
    enum qd_status status = QD_OK;
    if (value && node->opset < 18)
        return qd_node_rule(evaluation, node, "input-count", "axes exist since opset 18");
    if (node->opset >= 18)
        status = qd_list_read(evaluation, node, "axes", value, 18, types, &list);
    *count = list.present ? list.count : p->rank;
    for (size_t i = 0; !list.present && i < p->rank; i++)
        axes[i] = (int64_t)i;
    for (size_t i = 0; status == QD_OK && list.present && i < list.count; i++) {
        int64_t axis;
        status = qd_axis_read(evaluation, node, "axes-range", list.values[i], p->rank, 18, &axis);
        if (status == QD_OK && used[axis])
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "Pad: axis %lld is named twice",
                           (long long)axis);
        if (status == QD_OK) {
            used[axis] = true;
            axes[i] = axis;
        }
    }
    return status;
}

/* What the modes other than constant make of one axis. */
static enum qd_status check_axis(const struct qd_evaluation *evaluation, const struct pad *p,
                                 int64_t axis)
{
    int64_t begin = p->begin[axis], end = p->end[axis], most = begin > end ? begin : end;
    if (p->mode == CONSTANT || most <= 0)
        return QD_OK;
    if (begin < 0 || end < 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Pad: one end padded, the other cropped");
    if (p->in[axis] == 0 || (p->mode == REFLECT && most >= p->in[axis]))
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "Pad: %lld elements out of an axis of %lld", (long long)most,
                       (long long)p->in[axis]);
    return QD_OK;
}

static enum qd_status read_pads(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct pad *p)
{
    const char *name = node->opset < 2 ? "paddings" : "pads";
    struct qd_list pads;
    size_t count = 0;
    int64_t axes[QD_MAX_RANK] = {0};
    enum qd_status status =
        qd_list_read(evaluation, node, name, in[PADS], 11, QD_TYPE_BIT(QD_S64), &pads);
    if (status == QD_OK && !pads.present)
        return qd_node_rule(evaluation, node, "pads-missing", "pads are required");
    if (status == QD_OK)
        status = read_axes(evaluation, node, in[AXES], p, &count, axes);
    if (status != QD_OK)
        return status;
    if (pads.count != 2 * count)
        return qd_node_rule(evaluation, node, "pads-length", "%zu pads for %zu axes", pads.count,
                            count);
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        int64_t begin = pads.values[i], end = pads.values[count + i], axis = axes[i];
        const int64_t most = QD_MAX_ELEMENTS;
        bool sane = begin >= -most && begin <= most && end >= -most && end <= most;
        if ((double)p->in[axis] + (double)begin + (double)end < 0)
            return qd_node_rule(evaluation, node, "pads-value",
                                "pads of %lld and %lld for an axis of %lld", (long long)begin,
                                (long long)end, (long long)p->in[axis]);
        if (!sane)
            return qd_fail(evaluation->error, QD_LIMIT, "Pad: pads of %lld and %lld",
                           (long long)begin, (long long)end);
        p->begin[axis] = begin;
        p->end[axis] = end;
        p->out[axis] = p->in[axis] + begin + end;
        status = check_axis(evaluation, p, axis);
    }
    return status;
}

/* The constant as a scalar value of data's type. */
static enum qd_status read_constant(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_value *const *in,
                                    struct qd_value *constant)
{
    enum qd_dtype dtype = in[DATA]->want.dtype;
    const struct qd_value *input = in[CONSTANT_VALUE];
    float value;
    if (input && node->opset < 11)
        return qd_node_rule(evaluation, node, "input-count", "inputs exist since opset 11");
    enum qd_status status =
        qd_value_init(constant, evaluation->arena, dtype, 0, NULL, evaluation->error);
    if (status == QD_OK)
        status = qd_node_float(node, "value", 0, &value, evaluation->error);
    if (status == QD_OK && node->opset < 11)
        qd_tensor_set(&constant->want, 0,
                      (int64_t)qd_float_encode(
                          dtype, qd_float_round(dtype, QD_NEAREST_EVEN, (double)value), false));
    if (status != QD_OK || !input)
        return status;
    status = qd_same_type(evaluation, node, "constant_value", &input->want, &in[DATA]->want);
    if (status == QD_OK)
        status =
            qd_parameter_shape(evaluation, node, "constant_value", &input->want, QD_ONE_FOR_ALL);
    if (status == QD_OK)
        *constant = *input;
    return status;
}

/* Position in an axis of size d that position o shows, −1: the constant. */
static int64_t position(const struct pad *p, unsigned axis, int64_t o)
{
    int64_t at = o - p->begin[axis], d = p->in[axis];
    if (at >= 0 && at < d)
        return at;
    switch (p->mode) {
    case REFLECT: return at < 0 ? -at : 2 * (d - 1) - at;
    case EDGE: return at < 0 ? 0 : d - 1;
    case WRAP: return (at % d + d) % d;
    default: return -1;
    }
}

static struct qd_source source(const void *context, int64_t i)
{
    const struct pad *p = context;
    int64_t index = 0;
    for (unsigned axis = p->rank; axis-- > 0;) {
        int64_t at = position(p, axis, i % p->out[axis]);
        i /= p->out[axis];
        if (at < 0)
            return (struct qd_source){1, 0};
        index += at * p->stride[axis];
    }
    return (struct qd_source){0, index};
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[DATA]->want;
    struct pad p = {.rank = x->rank};
    struct qd_value constant;
    memcpy(p.in, x->dims, sizeof p.in);
    memcpy(p.out, x->dims, sizeof p.out);
    qd_strides_of(x, p.stride);
    enum qd_status status = check_type(evaluation, node, x);
    if (status == QD_OK)
        status = read_mode(evaluation, node, &p.mode);
    if (status == QD_OK)
        status = read_pads(evaluation, node, in, &p);
    if (status == QD_OK)
        status = read_constant(evaluation, node, in, &constant);
    const struct qd_value *operands[] = {in[DATA], &constant};
    return status == QD_OK ? qd_move(evaluation, operands, p.mode == CONSTANT ? 2 : 1, p.rank,
                                     p.out, source, &p, &out[0])
                           : status;
}

const struct qd_op qd_op_pad = {
    .domain = "",
    .name = "Pad",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = INPUTS,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,pads:control,constant_value,axes:control",
    .clause = "25: pads with a given constant value as specified by constant_value ... pads with "
              "the reflection of the vector mirrored on the first and last values ... pads with "
              "the edge values of array"
              "\n2<11: Given data tensor, pads, mode, and value. ... Three modes: "
              "constant(default), reflect, edge",
    .attributes = "mode,value:-10,pads:2-10,paddings:-1",
    .rules = "data-type,pads-missing,pads-length,pads-type,pads-rank,pads-value,constant_value-"
             "type,constant_value-shape,axes-type,axes-rank,axes-range,mode-value",
    .evaluate = evaluate,
};
