/* SPDX-License-Identifier: Apache-2.0 */
/* DepthToSpace
 *
 * Source      ONNX DepthToSpace-1, -11, -13.
 * Inputs      input of any type but those below 8 bits and float8 (movement.h) [N, C, H, W].
 * Outputs     output [N, C/b², H·b, W·b] with b = blocksize.
 * Attributes  blocksize (required); mode (11) DCR (the only one before) or CRD.
 * Domain      rules input-type, input-rank, blocksize-missing, blocksize-positive,
 *             channels-divisible, mode-value, attribute-unknown.
 * Arithmetic  moves elements: channel (i·b + j)·C/b² + c (DCR) or (c·b + i)·b + j (CRD) at (h, w)
 *             goes to channel c at (h·b + i, w·b + j).
 * Latitude    none. */
#include <string.h>

#include "kernel/space_depth.h"
#include "qdiff/movement.h"

static enum qd_status read_mode(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                bool *crd)
{
    const char *word;
    enum qd_status status = qd_node_string(node, "mode", "DCR", &word, evaluation->error);
    if (status != QD_OK)
        return status;
    *crd = strcmp(word, "CRD") == 0;
    if (!*crd && strcmp(word, "DCR") != 0)
        return qd_node_rule(evaluation, node, "mode-value", "mode is '%.40s'", word);
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t b;
    bool crd = false;
    enum qd_status status = qd_movement_type(evaluation, node, "input", x, 1, 0);
    if (status == QD_OK)
        status = qd_blocksize_read(evaluation, node, x, &b);
    if (status == QD_OK)
        status = read_mode(evaluation, node, &crd);
    if (status != QD_OK)
        return status;
    if (x->dims[1] % (b * b) != 0)
        return qd_node_rule(evaluation, node, "channels-divisible",
                            "%lld channels do not divide into blocks of %lld×%lld",
                            (long long)x->dims[1], (long long)b, (long long)b);
    int64_t depth = x->dims[1] / (b * b), h = x->dims[2], w = x->dims[3], plane = h * w;
    int64_t step = crd ? plane : depth * plane; /* of j; b times that: of i */
    /* [N, c, h, i, w, j] */
    const int64_t six[] = {x->dims[0], depth, h, b, w, b};
    const int64_t stride[] = {
        x->dims[1] * plane, crd ? b * b * plane : plane, w, step * b, 1, step};
    const int64_t four[] = {x->dims[0], depth, h * b, w * b};
    return qd_move_blocks(evaluation, in[0], six, stride, four, &out[0]);
}

const struct qd_op qd_op_depth_to_space = {
    .domain = "",
    .name = "DepthToSpace",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input",
    .clause =
        "13: values from the depth dimension are moved in spatial blocks to the height and "
        "width dimensions. ... In the DCR mode, elements ... are rearranged in the following "
        "order: depth, column, and then row."
        "\n1<11: rearranges (permutes) data from depth into blocks of spatial data. ... values "
        "from the depth dimension are moved in spatial blocks to the height and width dimensions.",
    .attributes = "blocksize,mode:11-",
    .rules =
        "input-type,input-rank,blocksize-missing,blocksize-positive,channels-divisible,mode-value",
    .evaluate = evaluate,
};
