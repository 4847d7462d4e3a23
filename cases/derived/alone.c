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

/* Whether a version of the operator ends with the opset, by an attribute that it alone has. */
static bool ends_with_opset(const struct qd_derived *outline, int last)
{
    char range[8];
    snprintf(range, sizeof range, "-%d", last);
    const char *at = outline->op->attributes;
    while ((at = strstr(at ? at : "", range)) != NULL && at[strlen(range)] >= '0' &&
           at[strlen(range)] <= '9')
        at++;
    return at;
}

static bool is_of_opset_1(const struct qd_derived *outline)
{
    const char *since_7 = strstr(outline->op->attributes, ":7-");
    return outline->op->since == 1 && !*outline->op->domain &&
           (since_7 || ends_with_opset(outline, 5) || ends_with_opset(outline, 6));
}

static bool is_of_opset_6(const struct qd_derived *outline)
{
    return outline->op->since == 1 && ends_with_opset(outline, 6);
}

static bool is_of_opset_14(const struct qd_derived *outline)
{
    return has(outline, "momentum");
}

/* Attributes where newer opsets have operands. */
static bool is_of_opset_9(const struct qd_derived *outline)
{
    return has(outline, "starts") || has(outline, "min");
}

/* Codes and zero points, or numbers and their bounds. */
static bool has_parameters_to_share(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_ANY && (has_scales(outline) || has(outline, "min"));
}

static bool is_float_gemm(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_GEMM && !has_scales(outline);
}

static bool has_channels_to_share(const struct qd_derived *outline)
{
    return has(outline, "epsilon") || is_float_gemm(outline);
}

static bool has_windows(const struct qd_derived *outline)
{
    return has(outline, "pads");
}

static bool has_two_windows(const struct qd_derived *outline)
{
    return has(outline, "strides");
}

static bool is_convolution(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_CONV || outline->layout == QD_LAYOUT_CONV_BACK;
}

static bool is_convolution_back(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_CONV_BACK;
}

static bool has_channels(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_CHANNELS || is_convolution(outline);
}

static bool joins(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_JOIN;
}

static bool is_gemm(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_GEMM;
}

static bool is_matmul(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_MATMUL;
}

static bool is_linear(const struct qd_derived *outline)
{
    return outline->op->form == QD_FORM_QUANTIZES || outline->op->form == QD_FORM_DEQUANTIZES;
}

static bool may_be_square(const struct qd_derived *outline)
{
    return is_gemm(outline) || (is_linear(outline) && has(outline, "axis"));
}

static bool has_second_number(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_ANY && !has_scales(outline) &&
           qd_derived_factor(outline, QD_DERIVED_SHAPES, 0) >= 0;
}

static bool names(const struct qd_derived *outline, const char *operand)
{
    size_t length = strlen(operand), found;
    for (unsigned i = 0; i < outline->op->max_inputs; i++) {
        const char *name = qd_op_operand_name(outline->op, i, &found);
        if (found == length && strncmp(name, operand, length) == 0)
            return true;
    }
    return false;
}

/* Lists and bounds of any size, and integers of more than 16 bits. */
static bool has_far_numbers(const struct qd_derived *outline)
{
    static const char *const operands[] = {"pads", "starts", "repeats", "min", "limit"};
    bool found = has(outline, "start") ||
                 (outline->op->form == QD_FORM_DEQUANTIZES && outline->layout == QD_LAYOUT_ANY);
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        found = found || names(outline, operands[i]);
    return found;
}

static bool has_perm(const struct qd_derived *outline)
{
    return has(outline, "perm");
}

static bool has_bound(const struct qd_derived *outline)
{
    return names(outline, "min");
}

static bool broadcasts(const struct qd_derived *outline)
{
    return outline->layout == QD_LAYOUT_ANY &&
           qd_derived_factor(outline, QD_DERIVED_SHAPES, 0) >= 0;
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
    {"opset_1", is_of_opset_1},
    {"opset_6", is_of_opset_6},
    {"opset_9", is_of_opset_9},
    {"opset_11", is_of_opset_11},
    {"opset_14", is_of_opset_14},
    {"shared_0d",
     has_parameters_to_share}, /* what has one type and shape is one value: codes, zero points */
    {"shared", has_channels_to_share},
    {"fine", fits_all}, /* float32 numbers that no shorter type has, and that differ little */
    {"long_window", has_windows}, /* 300 elements of padding, and kernels that reach them */
    {"initializer", has_no_scales},
    {"ones", has_channels},          /* one element in each operand */
    {"square", may_be_square},       /* axes of one size, along the last of which parameters are */
    {"uneven", has_two_windows},     /* what is given for each axis of the window differs */
    {"near", has_second_number},     /* pairs of numbers that are equal in any shorter type */
    {"far", has_far_numbers},        /* numbers that a byte, or 16 bits, do not hold */
    {"empty_2", joins},              /* the second of the tensors has no elements */
    {"empty_turned", is_gemm},       /* as "empty", of transposed matrices */
    {"long_kernel", is_convolution}, /* 301 elements */
    {"long_steps", is_convolution_back}, /* strides and dilations of 300 */
    {"channels_square", broadcasts}, /* [C, 1, 1] against as many channels as elements of a row */
    {"c_column", is_gemm},           /* C of Gemm, of square matrices, in the other shapes */
    {"c_row", is_gemm},
    {"c_0d", is_gemm},
    {"both_batches", is_matmul}, /* each operand broadcasts along another axis */
    {"narrow",
     has_two_windows}, /* one element along the last axis, which each column of a kernel meets */
    {"narrow_channels", is_convolution}, /* the same where each channel is a group */
    {"blocked", is_convolution},         /* channels in whole blocks of 16 on both sides */
    {"crossed", has_bound},              /* the least is above the greatest */
    {"per_axis", has_perm},    /* codes along axis 0 before and after it, by the same parameters */
    {"no_elements", fits_all}, /* neither in the first operand nor in the output */
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
    return *d->alone == *word && strcmp(d->alone, word) == 0; /* asked of every element */
}

bool qd_derived_is_large(const struct qd_derived_draft *d)
{
    return strncmp(d->alone, "large", 5) == 0;
}

bool qd_derived_is_early(const struct qd_derived_draft *d)
{
    return strncmp(d->alone, "opset_", 6) == 0 && d->opset < 10;
}

/* The level says so, or its opset has no DequantizeLinear. */
bool qd_derived_is_bare(const struct qd_derived_draft *d)
{
    static const char *const bare[] = {"fine", "initializer", "near", "far", "shared_0d"};
    const char *word = d->alone;
    bool found = qd_derived_is_early(d);
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        found = found || strcmp(word, bare[i]) == 0;
    return found || (d->outline->layout == QD_LAYOUT_GEMM &&
                     (qd_derived_is_square(d) || strcmp(word, "empty_turned") == 0));
}

/* Axes of one size; of Gemm they are so where one tensor serves for all three. */
bool qd_derived_is_square(const struct qd_derived_draft *d)
{
    return qd_derived_is_alone(d, "square") || qd_derived_is_alone(d, "per_axis") ||
           strncmp(d->alone, "c_", 2) == 0 ||
           (qd_derived_is_alone(d, "shared") && d->outline->layout == QD_LAYOUT_GEMM);
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
    const char *word = d->alone;
    bool any = d->outline->layout <= QD_LAYOUT_JOIN;
    sscanf(word, "opset_%lld", (long long *)&d->opset);
    if (sscanf(word, "rank_%u", &d->rank) == 0 && any && qd_derived_is_large(d))
        d->rank = is_reduction(d) || is_squeeze(d) ? 3 : 2;
    if (strcmp(word, "shared_0d") == 0)
        d->rank = 0;
    if (strcmp(word, "channels_square") == 0 || strcmp(word, "both_batches") == 0)
        d->rank = 4;
    if (strcmp(word, "empty_2") == 0)
        d->rank = 1;
    if (strcmp(word, "empty_last") == 0 && d->outline->layout == QD_LAYOUT_MATMUL)
        d->rank = 1;
}

/* --- Sizes ---------------------------------------------------------------------------------------- */

enum { SQUARE = 4 };

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

/* Of one element along the last axis; a group has one channel, or as many as else. */
static int64_t narrow_extent(const struct qd_derived_draft *d, int i)
{
    bool image = d->outline->layout == QD_LAYOUT_CHANNELS;
    if (i == (image ? 2 : 3))
        return 1;
    return i == 1 && qd_derived_is_alone(d, "narrow_channels") ? 1 : -1;
}

int64_t qd_derived_alone_extent(const struct qd_derived_draft *d, int i)
{
    bool last = qd_derived_is_alone(d, "empty_last");
    if (qd_derived_is_large(d))
        return large_extent(d, i);
    if (qd_derived_is_square(d))
        return SQUARE;
    if (qd_derived_is_alone(d, "ones"))
        return 1;
    if (strncmp(d->alone, "narrow", 6) == 0)
        return narrow_extent(d, i);
    if (qd_derived_is_alone(d, "blocked"))
        return i == 1 ? 32 : i == 2 ? 48 : -1;
    if (qd_derived_is_alone(d, "long_window") && d->outline->layout == QD_LAYOUT_CHANNELS)
        return i == 2 ? QD_DERIVED_LONG + 10 : -1;
    if (qd_derived_is_alone(d, "long_steps"))
        return i == 3 ? 2 : -1;
    if ((qd_derived_is_alone(d, "far") || qd_derived_is_alone(d, "opset_9")) &&
        has(d->outline, "starts"))
        return i == 1 ? 40 : -1;
    if (last || qd_derived_is_alone(d, "empty") || qd_derived_is_alone(d, "empty_turned"))
        return d->outline->layout >= QD_LAYOUT_MATMUL ? (i == 1 ? 0 : -1) : i == last ? 0 : -1;
    if (qd_derived_is_alone(d, "no_elements"))
        return i == 0 ? 0 : -1;
    return -1;
}

/* The second of two long axes: a window of 3 leaves more than 65536 elements. */
int64_t qd_derived_alone_side(const struct qd_derived_draft *d)
{
    const struct qd_op *op = d->outline->op;
    if (qd_derived_is_alone(d, "ones"))
        return 1;
    if (!qd_derived_is_large(d))
        return -1;
    return qd_derived_has_attribute(op, "blocksize")      ? 52
           : qd_derived_has_attribute(op, "kernel_shape") ? 263
                                                          : 1;
}

bool qd_derived_alone_shape(const struct qd_derived_draft *d, struct qd_derived_shape *shape)
{
    if (qd_derived_is_alone(d, "channels_square")) {
        *shape = (struct qd_derived_shape){4, {2, SQUARE, 3, SQUARE}};
        return true;
    }
    if (!qd_derived_is_large(d) || d->rank != 3)
        return false;
    *shape = is_squeeze(d) ? (struct qd_derived_shape){3, {257, 257, 3}}
                           : (struct qd_derived_shape){3, {3, 257, 86}};
    return true;
}
