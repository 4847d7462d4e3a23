/* SPDX-License-Identifier: Apache-2.0 */
/* Levels that meet no others: what one case of an operator is enough for. Which ones it has, what they ask for. */
#include <stdio.h>
#include <string.h>

#include "derived/derived.h"

bool qd_derived_meets_none(const struct qd_case *kase)
{
    for (size_t i = 0; i < kase->tag_count; i++)
        if (strcmp(kase->tags[i], QD_DERIVED_TAG_ALONE) == 0)
            return true;
    return false;
}

static bool has(const struct qd_derived *outline, const char *attribute)
{
    return qd_derived_has_attribute(outline->op, attribute);
}

static bool has_scales(const struct qd_derived *outline)
{
    return qd_op_operand(outline->op, QD_ROLE_SCALE) >= 0;
}

static bool fits_all(const struct qd_derived *outline)
{
    (void)outline;
    return true;
}

static bool has_matrices(const struct qd_derived *outline)
{
    return outline->layout >= QD_LAYOUT_MATMUL;
}

static bool may_be_empty(const struct qd_derived *outline)
{
    return outline->layout <= QD_LAYOUT_JOIN || outline->layout == QD_LAYOUT_MATMUL ||
           outline->layout == QD_LAYOUT_GEMM;
}

static bool has_any_batch(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_MATMUL || outline->layout == QD_LAYOUT_NBITS;
}

static bool has_rank_6(const struct qd_derived *outline)
{
    return has_any_batch(outline) ||
           (outline->layout >= QD_LAYOUT_CHANNELS && outline->layout <= QD_LAYOUT_CONV_BACK);
}

static bool is_of_opset_11(const struct qd_derived *outline)
{
    return has(outline, "blocksize") || has(outline, "axes");
}

static bool is_of_opset_14(const struct qd_derived *outline)
{
    return has(outline, "momentum");
}

static bool is_slice(const struct qd_derived *outline)
{
    return strcmp(outline->op->name, "Slice") == 0;
}

static bool has_parameters_to_share(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_ANY && has_scales(outline);
}

static bool has_channels_to_share(const struct qd_derived *outline)
{
    return has(outline, "epsilon");
}

static bool has_windows(const struct qd_derived *outline)
{
    return has(outline, "pads");
}

static bool has_no_scales(const struct qd_derived *outline)
{
    return !has_scales(outline);
}

static const struct alone {
    const char *word;
    bool (*fits)(const struct qd_derived *);
} levels[] = {
    {"", fits_all},
    {"large", fits_all},       /* operands and output of more than 65536 elements */
    {"large_x", has_matrices}, /* of three matrices each is large once */
    {"large_w", has_matrices},
    {"empty", may_be_empty}, /* an axis of 0 elements, and an output that has some */
    {"empty_last", may_be_empty},
    {"rank_5", has_any_batch},
    {"rank_6", has_rank_6},
    {"opset_9", is_slice}, /* attributes where newer opsets have operands */
    {"opset_11", is_of_opset_11},
    {"opset_14", is_of_opset_14},
    {"shared_0d",
     has_parameters_to_share}, /* what has one type and shape is one value: codes, zero points */
    {"shared", has_channels_to_share},
    {"fine", fits_all}, /* float32 numbers that no shorter type has, and that differ little */
    {"long_window", has_windows}, /* 300 elements of padding, and kernels that reach them */
    {"initializer", has_no_scales},
};

unsigned qd_derived_alone_levels(const struct qd_derived *outline, const char **words)
{
    unsigned count = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i].fits(outline))
            words[count++] = levels[i].word;
    return count;
}

bool qd_derived_is_alone(const struct qd_derived_draft *d, const char *word)
{
    return strcmp(qd_derived_word(d, QD_DERIVED_ALONE, 0), word) == 0;
}

bool qd_derived_is_large(const struct qd_derived_draft *d)
{
    return strncmp(qd_derived_word(d, QD_DERIVED_ALONE, 0), "large", 5) == 0;
}

/* The level says so, or its opset has no DequantizeLinear. */
bool qd_derived_is_bare(const struct qd_derived_draft *d)
{
    const char *word = qd_derived_word(d, QD_DERIVED_ALONE, 0);
    return strcmp(word, "fine") == 0 || strcmp(word, "initializer") == 0 ||
           (strncmp(word, "opset_", 6) == 0 && d->opset < 10);
}

static bool is_reduction(const struct qd_derived_draft *d)
{
    return strstr(d->outline->op->name, "Reduce") != NULL;
}

static bool is_squeeze(const struct qd_derived_draft *d)
{
    return strcmp(d->outline->op->name, "Squeeze") == 0;
}

void qd_derived_choose_counts(struct qd_derived_draft *d)
{
    const char *word = qd_derived_word(d, QD_DERIVED_ALONE, 0);
    bool any = d->outline->layout <= QD_LAYOUT_JOIN;
    sscanf(word, "opset_%lld", (long long *)&d->opset);
    if (sscanf(word, "rank_%u", &d->rank) == 0 && any && qd_derived_is_large(d))
        d->rank = is_reduction(d) || is_squeeze(d) ? 3 : 2;
    if (strcmp(word, "shared_0d") == 0)
        d->rank = 0;
    if (strcmp(word, "empty_last") == 0 && d->outline->layout == QD_LAYOUT_MATMUL)
        d->rank = 1;
}

/* --- Sizes ---------------------------------------------------------------------------------------- */

static int64_t large_extent(const struct qd_derived_draft *d, int i)
{
    static const int64_t matrices[][3] = {{257, 3, 257}, {257, 257, 1}, {1, 257, 257}};
    const struct qd_op *op = d->outline->op;
    switch (d->outline->layout) {
    case QD_LAYOUT_ANY:
    case QD_LAYOUT_JOIN: return 257;
    case QD_LAYOUT_CHANNELS:
        if (qd_derived_has_attribute(op, "blocksize"))
            return i == 2 ? 131 : 1;
        if (qd_derived_has_attribute(op, "kernel_shape"))
            return i == 4 ? -1 : i == 2 ? 257 : 1;
        return i == 2 ? 1 : 257;
    case QD_LAYOUT_CONV:
    case QD_LAYOUT_CONV_BACK: return i == 4 ? -1 : i == 3 ? 257 : 1;
    default:
        return matrices[qd_derived_is_alone(d, "large_x")   ? 1
                        : qd_derived_is_alone(d, "large_w") ? 2
                                                            : 0][i];
    }
}

int64_t qd_derived_alone_extent(const struct qd_derived_draft *d, int i)
{
    bool last = qd_derived_is_alone(d, "empty_last");
    if (qd_derived_is_large(d))
        return large_extent(d, i);
    if (last || qd_derived_is_alone(d, "empty"))
        return d->outline->layout >= QD_LAYOUT_MATMUL ? (i == 1 ? 0 : -1) : i == last ? 0 : -1;
    return -1;
}

/* The second of two long axes: a window of 3 leaves more than 65536 elements. */
int64_t qd_derived_alone_side(const struct qd_derived_draft *d)
{
    const struct qd_op *op = d->outline->op;
    if (!qd_derived_is_large(d))
        return -1;
    return qd_derived_has_attribute(op, "blocksize")      ? 52
           : qd_derived_has_attribute(op, "kernel_shape") ? 263
                                                          : 1;
}

bool qd_derived_alone_shape(const struct qd_derived_draft *d, struct qd_derived_shape *shape)
{
    if (!qd_derived_is_large(d) || d->rank != 3)
        return false;
    *shape = is_squeeze(d) ? (struct qd_derived_shape){3, {257, 257, 3}}
                           : (struct qd_derived_shape){3, {3, 257, 86}};
    return true;
}
