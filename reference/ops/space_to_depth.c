/* SPDX-License-Identifier: Apache-2.0 */
/* SpaceToDepth
 *
 * Source      ONNX SpaceToDepth-1, -13.
 * Inputs      input of any type but those below 8 bits and float8 (movement.h) [N, C, H, W].
 * Outputs     output [N, C·b², H/b, W/b] with b = blocksize.
 * Attributes  blocksize (required).
 * Domain      rules input-type, input-rank, blocksize-missing, blocksize-positive, space-divisible.
 * Arithmetic  moves elements: channel c at (h·b + i, w·b + j) goes to channel (i·b + j)·C + c at
 *             (h, w), the order of DepthToSpace's DCR (the specification shows no formula; the
 *             operators are each other's reverse, and the official fixtures agree).
 * Latitude    none. */
#include "kernel/space_depth.h"
#include "qdiff/movement.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t b;
    enum qd_status status = qd_movement_type(evaluation, node, "input", x, 1, 0);
    if (status == QD_OK)
        status = qd_blocksize_read(evaluation, node, x, &b);
    if (status != QD_OK)
        return status;
    int64_t c = x->dims[1], h = x->dims[2], w = x->dims[3], plane = h * w;
    if (h % b != 0 || w % b != 0)
        return qd_node_rule(evaluation, node, "space-divisible",
                            "%lld×%lld does not divide into blocks of %lld×%lld", (long long)h,
                            (long long)w, (long long)b, (long long)b);
    /* [N, i, j, c, h, w] */
    const int64_t six[] = {x->dims[0], b, b, c, h / b, w / b};
    const int64_t stride[] = {c * plane, w, 1, plane, b * w, b};
    const int64_t four[] = {x->dims[0], c * b * b, h / b, w / b};
    return qd_move_blocks(evaluation, in[0], six, stride, four, &out[0]);
}

const struct qd_op qd_op_space_to_depth = {
    .domain = "",
    .name = "SpaceToDepth",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input",
    .clause = "13: outputs a copy of the input tensor where values from the height and width "
              "dimensions are moved to the depth dimension.",
    .attributes = "blocksize",
    .rules = "input-type,input-rank,blocksize-missing,blocksize-positive,space-divisible",
    .evaluate = evaluate,
};
