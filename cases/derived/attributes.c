/* SPDX-License-Identifier: Apache-2.0 */
/* What attributes are given in cases made of a row: their levels by name. */
#include <string.h>

#include "derived/derived.h"

enum form {
    ABSENT,
    INT,      /* n */
    FROM_END, /* rank + n */
    BELOW,    /* −rank */
    REAL,
    TEXT,
    EACH,     /* n for each axis of the window */
    RAMP,     /* n, n + 1, … */
    FALL,     /* n, n − 1, n, … */
    ENDS,     /* n for both ends of each axis of the window */
    END_RAMP, /* n, n + 1, … */
    KERNEL,   /* the window's extents, written out */
    PERM,     /* n: 0 reversed, 1 rotated, 2 the last two swapped, 3 as they are */
    AXES,     /* n: 0 the last, 1 the first, 2 −1, 3 the first and −1, 4 none */
    LONG,     /* n, and QD_DERIVED_LONG before the last axis of the window, or on it */
    AROUND,   /* n before and after the last axis of the window */
    OF_EXTENT /* the size of extent n */
};

struct level {
    const char *word;
    enum form form;
    int64_t n;
    double real;
    const char *text;
};

#define MAX_LEVELS 14
#define NONE                   \
    {                          \
        "", ABSENT, 0, 0, NULL \
    }
#define LIST(word, form, n)    \
    {                          \
        word, form, n, 0, NULL \
    }
#define WHOLE(word, n) LIST(word, INT, n)
#define NUMBER(word, x)        \
    {                          \
        word, REAL, 0, x, NULL \
    }
#define WORD(word, text)       \
    {                          \
        word, TEXT, 0, 0, text \
    }

static const struct attribute {
    const char *name;
    struct level levels[MAX_LEVELS];
} attributes[] = {
    {"axis",
     {NONE, WHOLE("axis_0", 0), WHOLE("axis_1", 1), LIST("axis_last", FROM_END, -1),
      WHOLE("axis_-1", -1), LIST("axis_-rank", BELOW, 0)}},
    {"block_size",
     {NONE, WHOLE("block_0", 0), WHOLE("block_2", 2), WHOLE("block_3", 3), WHOLE("block_16", 16),
      WHOLE("block_32", 32), WHOLE("block_128", 128)}},
    {"group",
     {NONE, WHOLE("group_1", 1), WHOLE("group_2", 2), WHOLE("group_3", 3), WHOLE("group_8", 8),
      WHOLE("group_17", 17)}},
    {"kernel_shape", {NONE, LIST("kernel", KERNEL, 0)}},
    {"strides",
     {NONE, LIST("strides_1", EACH, 1), LIST("strides_2", EACH, 2), LIST("strides_1_2", RAMP, 1),
      LIST("strides_3", EACH, 3), LIST("strides_2_1", FALL, 2)}},
    {"pads",
     {NONE, LIST("pads_0", ENDS, 0), LIST("pads_1", ENDS, 1), LIST("pads_0_1_2", END_RAMP, 0)}},
    {"dilations",
     {NONE, LIST("dilations_1", EACH, 1), LIST("dilations_2", EACH, 2),
      LIST("dilations_1_2", RAMP, 1)}},
    {"auto_pad",
     {NONE, WORD("notset", "NOTSET"), WORD("same_upper", "SAME_UPPER"),
      WORD("same_lower", "SAME_LOWER"), WORD("valid", "VALID")}},
    {"output_padding",
     {NONE, LIST("output_padding_0", EACH, 0), LIST("output_padding_1", EACH, 1)}},
    {"ceil_mode", {NONE, WHOLE("floor", 0), WHOLE("ceil", 1)}},
    {"count_include_pad", {NONE, WHOLE("exclude_pad", 0), WHOLE("include_pad", 1)}},
    {"storage_order", {NONE, WHOLE("storage_0", 0), WHOLE("storage_1", 1)}},
    {"channels_last", {NONE, WHOLE("nchw", 0), WHOLE("nhwc", 1)}},
    {"transA", {NONE, WHOLE("transA_0", 0), WHOLE("transA_1", 1)}},
    {"transB", {NONE, WHOLE("transB_0", 0), WHOLE("transB_1", 1)}},
    {"alpha",
     {NONE, NUMBER("alpha_1", 1), NUMBER("alpha_0.5", 0.5), NUMBER("alpha_-2", -2),
      NUMBER("alpha_0", 0), NUMBER("alpha_0.3", 0.3)}},
    {"beta",
     {NONE, NUMBER("beta_1", 1), NUMBER("beta_0.5", 0.5), NUMBER("beta_-2", -2),
      NUMBER("beta_0", 0)}},
    {"epsilon", {NONE, NUMBER("epsilon_default", 1e-5), NUMBER("epsilon_0.01", 0.01)}},
    {"momentum", {NONE, NUMBER("momentum", 0.9)}},
    {"training_mode", {NONE, WHOLE("inference", 0)}},
    {"blocksize", {WHOLE("", 2), WHOLE("blocksize_1", 1), WHOLE("blocksize_3", 3)}},
    {"mode",
     {NONE, WORD("dcr", "DCR"), WORD("crd", "CRD"), WORD("constant", "constant"),
      WORD("reflect", "reflect"), WORD("edge", "edge"), WORD("wrap", "wrap"),
      WORD("nearest", "nearest"), WORD("linear", "linear")}},
    {"to",
     {WHOLE("", 1), WHOLE("to_f16", 10), WHOLE("to_bf16", 16), WHOLE("to_u8", 2), WHOLE("to_s8", 3),
      WHOLE("to_u16", 4), WHOLE("to_s16", 5), WHOLE("to_s32", 6), WHOLE("to_s64", 7),
      WHOLE("to_bool", 9), WHOLE("to_u4", 21), WHOLE("to_f8e4m3fn", 17)}},
    {"round_mode", {NONE, WORD("up", "up"), WORD("down", "down"), WORD("to_nearest", "nearest")}},
    {"saturate", {NONE, WHOLE("saturate_1", 1), WHOLE("saturate_0", 0)}},
    {"output_dtype",
     {NONE, WHOLE("out_undefined", 0), WHOLE("out_f32", 1), WHOLE("out_f16", 10),
      WHOLE("out_bf16", 16), WHOLE("out_u8", 2), WHOLE("out_s8", 3), WHOLE("out_u16", 4),
      WHOLE("out_s4", 22)}},
    {"precision",
     {NONE, WHOLE("precision_0", 0), WHOLE("precision_f32", 1), WHOLE("precision_f16", 10)}},
    {"perm",
     {NONE, LIST("reversed", PERM, 0), LIST("rotated", PERM, 1), LIST("swapped", PERM, 2),
      LIST("in_order", PERM, 3)}},
    {"axes",
     {NONE, LIST("axes_last", AXES, 0), LIST("axes_first", AXES, 1), LIST("axes_-1", AXES, 2),
      LIST("axes_first_-1", AXES, 3), LIST("axes_none", AXES, 4)}},
    {"keepdims", {NONE, WHOLE("keepdims_1", 1), WHOLE("keepdims_0", 0)}},
    {"noop_with_empty_axes", {NONE, WHOLE("noop_0", 0), WHOLE("noop_1", 1)}},
    {"allowzero", {NONE, WHOLE("allowzero_0", 0), WHOLE("allowzero_1", 1)}},
    {"start", {NONE, WHOLE("start_0", 0), WHOLE("start_1", 1), WHOLE("start_-1", -1)}},
    {"end", {NONE, WHOLE("end_0", 0), WHOLE("end_1", 1), WHOLE("end_-1", -1)}},
    {"num_outputs", {NONE, WHOLE("num_outputs", 2)}},
    {"opset", {WHOLE("", 13), WHOLE("of_opset_11", 11)}},
    {"K", {LIST("", OF_EXTENT, 1)}},
    {"N", {LIST("", OF_EXTENT, 2)}},
    {"bits", {NONE, WHOLE("bits_4", 4), WHOLE("bits_2", 2), WHOLE("bits_8", 8)}},
    {"accuracy_level", {NONE, WHOLE("accuracy_0", 0), WHOLE("accuracy_1", 1)}},
    {"weight_prepacked", {NONE, WHOLE("prepacked_0", 0)}},
    {"coordinate_transformation_mode",
     {NONE, WORD("half_pixel", "half_pixel"), WORD("asymmetric", "asymmetric"),
      WORD("align_corners", "align_corners"), WORD("pytorch_half_pixel", "pytorch_half_pixel"),
      WORD("half_pixel_symmetric", "half_pixel_symmetric")}},
    {"nearest_mode",
     {NONE, WORD("prefer_floor", "round_prefer_floor"), WORD("prefer_ceil", "round_prefer_ceil"),
      WORD("to_floor", "floor"), WORD("to_ceil", "ceil")}},
};

const char *qd_derived_attribute(int i, unsigned *levels, const char **words)
{
    if (i >= (int)(sizeof attributes / sizeof *attributes))
        return NULL;
    for (*levels = 0; *levels < MAX_LEVELS && attributes[i].levels[*levels].word; ++*levels)
        words[*levels] = attributes[i].levels[*levels].word;
    return attributes[i].name;
}

/* The axes of the window. */
static int64_t windows(const struct qd_derived_draft *d)
{
    return d->rank > 2 ? d->rank - 2 : 0;
}

static void put_perm(int64_t *list, size_t rank, int64_t kind)
{
    for (size_t i = 0; i < rank; i++)
        list[i] = (int64_t)(kind == 0 ? rank - 1 - i : kind == 1 ? (i + 1) % rank : i);
    if (kind == 2 && rank > 1) {
        list[rank - 1] = (int64_t)rank - 2;
        list[rank - 2] = (int64_t)rank - 1;
    }
}

static size_t put_axes(int64_t *list, unsigned rank, int64_t kind)
{
    list[0] = kind == 0 ? (int64_t)rank - 1 : kind == 2 ? -1 : 0;
    list[1] = -1;
    return kind == 3 ? 2 : kind == 4 ? 0 : 1;
}

/* The numbers of a list. */
static size_t put_list(const struct qd_derived_draft *d, const struct level *level, int64_t *list)
{
    size_t n = (size_t)windows(d),
           ends = level->form == ENDS || level->form == END_RAMP ? 2 * n : n;
    switch (level->form) {
    case PERM: put_perm(list, d->rank, level->n); return d->rank;
    case AXES: return put_axes(list, d->rank, level->n);
    case KERNEL:
        for (size_t i = 0; i < n; i++)
            list[i] = qd_derived_kernel(d, i, n);
        return n;
    case LONG:
        for (size_t i = 0; i < 2 * n; i++)
            list[i] = i + 1 == n ? QD_DERIVED_LONG : level->n;
        return level->n == 0 ? 2 * n : n;
    case FALL:
        for (size_t i = 0; i < n; i++)
            list[i] = level->n - (int64_t)(i % 2);
        return n;
    case AROUND:
        for (size_t i = 0; i < 2 * n; i++)
            list[i] = i % n + 1 == n ? level->n : 0;
        return 2 * n;
    default:
        for (size_t i = 0; i < ends; i++)
            list[i] =
                level->n + (level->form == RAMP || level->form == END_RAMP ? (int64_t)(i % 3) : 0);
        return ends;
    }
}

static void choose(struct qd_derived_draft *d, const char *name, const struct level *level)
{
    struct qd_attr attr = {.name = name,
                           .kind = QD_ATTR_INT,
                           .i = level->n,
                           .f = (float)level->real,
                           .s = level->text};
    int64_t *list = qd_arena_array(d->maker.arena, 2 * (QD_MAX_RANK + 1), sizeof *list);
    if (level->form == REAL && qd_derived_is_alone(d, "fine"))
        attr.f += 0.0001F; /* no float16 */
    switch (level->form) {
    case ABSENT: return;
    case INT: break;
    case FROM_END: attr.i += d->rank; break;
    case BELOW: attr.i = -(int64_t)d->rank; break;
    case OF_EXTENT: attr.i = qd_derived_extent(d, (int)level->n); break;
    case REAL: attr.kind = QD_ATTR_FLOAT; break;
    case TEXT: attr.kind = QD_ATTR_STRING; break;
    default:
        attr.kind = QD_ATTR_INTS;
        attr.ints = list;
        attr.count = list ? put_list(d, level, list) : 0;
    }
    if (!list)
        d->maker.status = qd_fail(d->maker.error, QD_NO_MEMORY, "no room for attributes");
    if (d->attribute_count < QD_DERIVED_ATTRIBUTES)
        d->attributes[d->attribute_count++] = attr;
}

/* What a level that meets no others gives where the row's own level is absent. */
static const struct level *given_alone(const struct qd_derived_draft *d,
                                       const struct attribute *attribute, const struct level *level)
{
    static const struct {
        const char *word, *attribute;
        struct level level;
    } given[] = {
        {"opset_11", "axes", LIST("", AXES, 2)},
        {"long_window", "pads", LIST("", LONG, 0)},
        {"long_kernel", "pads", LIST("", LONG, 0)},
        {"long_steps", "strides", LIST("", LONG, 1)},
        {"long_steps", "dilations", LIST("", LONG, 1)},
        {"uneven", "strides", LIST("", RAMP, 2)},
        {"uneven", "output_padding", LIST("", RAMP, 0)},
        {"square", "axis", WHOLE("", -1)},
        {"narrow", "pads", LIST("", AROUND, 2)},
        {"narrow_channels", "pads", LIST("", AROUND, 2)},
        {"narrow_channels", "group", WHOLE("", 5)},
        {"far", "start", WHOLE("", -17)},
        {"far", "end", WHOLE("", 17)},
        {"empty_turned", "transA", WHOLE("", 1)},
        {"empty_turned", "transB", WHOLE("", 1)},
        {"no_elements", "allowzero", WHOLE("", 1)},
    };
    if (level->form != ABSENT)
        return level;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (qd_derived_is_alone(d, given[i].word) &&
            strcmp(attribute->name, given[i].attribute) == 0)
            return &given[i].level;
    return qd_derived_is_alone(d, "fine") && level[1].form == REAL ? &level[1] : level;
}

/* Slice-1, Clip-1 and Clip-6 have as attributes what newer ones have as operands. */
static void choose_early(struct qd_derived_draft *d)
{
    static const struct {
        const char *name;
        int64_t n; /* 0: a real number */
        float real;
    } early[] = {{"axes", 2, 0},
                 {"starts", -23, 0},
                 {"ends", -3, 0},
                 {"min", 0, -1.2501F},
                 {"max", 0, 2.5001F}};
    for (size_t i = 0; qd_derived_is_early(d) && i < sizeof early / sizeof *early; i++) {
        struct qd_attr attr = {.name = early[i].name, .kind = QD_ATTR_FLOAT, .f = early[i].real};
        if (!qd_derived_has_attribute(d->outline->op, early[i].name))
            continue;
        if (early[i].n != 0) {
            attr.kind = QD_ATTR_INTS;
            attr.count = 1;
            attr.ints = &early[i].n;
        }
        d->attributes[d->attribute_count++] = attr;
    }
}

void qd_derived_choose_attributes(struct qd_derived_draft *d)
{
    choose_early(d);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const struct level *level =
            &attributes[i].levels[qd_derived_level(d, QD_DERIVED_ATTRIBUTE, (int)i)];
        if (qd_derived_has_attribute(d->outline->op, attributes[i].name))
            choose(d, attributes[i].name, given_alone(d, &attributes[i], level));
    }
}

int64_t qd_derived_int(const struct qd_derived_draft *d, const char *name, int64_t otherwise)
{
    for (size_t i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, name) == 0)
            return d->attributes[i].i;
    return otherwise;
}
