/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "crd-blocks-before-channels": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

struct sizes {
    int64_t block, channels, height,
        width; /* channels of the output, height and width of the input */
};

/* Takes the last digit of a number written in mixed bases. */
static int64_t take(int64_t *index, int64_t base)
{
    int64_t digit = *index % base;
    *index /= base;
    return digit;
}

/* Where the element comes from that the operator will put where element i of its operand goes: i is read as [n, c, p,
 * q, h, w], goes to place [n, c, h, p, w, q], and that place is filled from [n,
 * p, q, c, h, w] in the order [n, p, h, q, w, c]. */
static struct qd_source source(const void *context, int64_t i)
{
    const struct sizes *s = context;
    int64_t b = s->block, c = s->channels, h = s->height, w = s->width;
    int64_t column = take(&i, w), row = take(&i, h), right = take(&i, b), down = take(&i, b);
    int64_t place = ((i * h + row) * b + down) * w * b + column * b + right;
    int64_t channel = take(&place, c);
    column = take(&place, w);
    right = take(&place, b);
    row = take(&place, h);
    down = take(&place, b);
    return (struct qd_source){0, (((place * b + down) * b + right) * c + channel) * h * w +
                                     row * w + column};
}

static bool read_sizes(const struct qd_node *node, const struct qd_value *x, struct sizes *s)
{
    const struct qd_attr *mode = qd_node_attr(node, "mode");
    const struct qd_attr *block = qd_node_attr(node, "blocksize");
    if (!mode || mode->kind != QD_ATTR_STRING || strcmp(mode->s, "CRD") != 0 || !block ||
        block->kind != QD_ATTR_INT || !x || x->want.rank != 4 || block->i < 1 || block->i > 64)
        return false;
    const int64_t *dims = x->want.dims;
    int64_t square = block->i * block->i;
    *s = (struct sizes){block->i, dims[1] / square, dims[2], dims[3]};
    return dims[1] % square == 0 && x->want.count > 0;
}

QD_QUIRK_EDIT(crd_blocks_before_channels, edit)
{
    const struct qd_value *x = edit->in[0];
    struct sizes sizes;
    if (edit->node.input_count > 0 && read_sizes(&edit->node, x, &sizes))
        qd_edit_move(edit, 0, NULL, x->want.rank, x->want.dims, source, &sizes);
}
