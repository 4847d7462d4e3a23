/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of an operator, read off its row. */
#include <string.h>

#include "derived/derived.h"

#define WORDS(...)                        \
    ((const char *const[]){__VA_ARGS__}), \
        (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

struct reader {
    struct qd_derived *outline;
    bool full; /* more factors than there is room for */
};

static bool has_scales(const struct qd_op *op)
{
    return qd_op_operand(op, QD_ROLE_SCALE) >= 0;
}

static bool has_zero(const struct qd_op *op, int owner)
{
    return qd_op_parameter(op, owner, QD_ROLE_ZERO_POINT) >= 0;
}

/* Levels that plain rows alone have: all rows before them stay what they are. They are the last of their lists. */
static bool is_held(const char *word)
{
    return strcmp(word, "7") == 0 || strcmp(word, "group_17") == 0 ||
           strcmp(word, "strides_3") == 0 || strcmp(word, "strides_2_1") == 0;
}

unsigned qd_derived_held(const struct qd_derived *outline, unsigned f)
{
    const struct qd_factor *factor = &outline->factors[f];
    unsigned held = 0;
    while (held < factor->levels && is_held(factor->words[factor->levels - 1 - held]))
        held++;
    return held;
}

bool qd_derived_has_plain(const struct qd_derived *outline)
{
    bool sums = outline->layout >= QD_LAYOUT_CONV && outline->layout != QD_LAYOUT_NBITS;
    return sums || has_scales(outline->op) || has_zero(outline->op, 0);
}

static void add(struct reader *r, enum qd_derived_kind kind, int which, const char *name,
                const char *const *words, size_t levels)
{
    struct qd_derived *c = r->outline;
    while (levels > 0 && is_held(words[levels - 1]) && !qd_derived_has_plain(c))
        levels--;
    r->full = r->full || c->count == QD_COVERING_MAX_FACTORS || levels > QD_COVERING_MAX_LEVELS;
    if (r->full || levels < 2)
        return;
    c->factors[c->count] = (struct qd_factor){.name = name, .levels = (unsigned)levels};
    memcpy(c->factors[c->count].words, words, levels * sizeof *words);
    c->about[c->count].kind = kind;
    c->about[c->count++].which = which;
}

int qd_derived_factor(const struct qd_derived *outline, enum qd_derived_kind kind, int which)
{
    for (unsigned f = 0; f < outline->count; f++)
        if (outline->about[f].kind == kind && outline->about[f].which == which)
            return (int)f;
    return -1;
}

/* Whether a comma-separated list has the word, which ends at a comma, a colon or the list's end. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && strchr(",:", at[length]))
            return true;
    return false;
}

bool qd_derived_has_attribute(const struct qd_op *op, const char *name)
{
    return lists(op->attributes, name);
}

static enum qd_derived_layout layout_of(const struct qd_op *op)
{
    bool ranked = lists(op->rules, "x-rank") || lists(op->rules, "input-rank");
    switch (op->form) {
    case QD_FORM_CONVOLVES: return QD_LAYOUT_CONV;
    case QD_FORM_CONVOLVES_BACK: return QD_LAYOUT_CONV_BACK;
    case QD_FORM_MATRICES:
        if (qd_derived_has_attribute(op, "transB"))
            return QD_LAYOUT_GEMM;
        return qd_derived_has_attribute(op, "bits") ? QD_LAYOUT_NBITS : QD_LAYOUT_MATMUL;
    case QD_FORM_MOVES:
        if (op->variadic && op->max_inputs > 1 && qd_derived_has_attribute(op, "axis") &&
            op->outputs == 1)
            return QD_LAYOUT_JOIN;
        break;
    default: break;
    }
    return ranked ? QD_LAYOUT_CHANNELS : QD_LAYOUT_ANY;
}

/* --- Types ---------------------------------------------------------------------------------------- */

/* The first operand that is no control. */
static int first_data(const struct qd_op *op)
{
    int i = 0;
    while (i + 1 < (int)op->max_inputs && qd_op_role(op, (size_t)i) != QD_ROLE_DATA)
        i++;
    return i;
}

/* Operands that have parameters of their own are codes, others lie between DequantizeLinear and
 * QuantizeLinear as well. */
static void read_types(struct reader *r)
{
    static const char *const numbers[] = {"qdq_u8", "qdq_s8", "qdq_u16", "f32"};
    static const char *const all[] = {
        "u8",  "s8",  "f32",  "f16", "bf16", "u16",      "s16",    "u4",         "s4",        "s32",
        "s64", "f64", "bool", "u2",  "s2",   "f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};
    const struct qd_op *op = r->outline->op;
    const char *words[QD_COVERING_MAX_LEVELS];
    size_t n = 0;
    bool codes = qd_op_parameter(op, first_data(op), QD_ROLE_ZERO_POINT) >= 0;
    for (size_t i = has_scales(op) ? 3 : 0; i < sizeof numbers / sizeof *numbers && !codes; i++)
        words[n++] = numbers[i];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (codes || strcmp(all[i], "f32") != 0)
            words[n++] = all[i];
    add(r, QD_DERIVED_TYPE, 0, "type", words, n);
    if (qd_op_operand(op, QD_ROLE_WEIGHT) >= 0)
        add(r, QD_DERIVED_WEIGHT_TYPE, 0, "type of the weight", WORDS("", "w_u8", "w_s8", "w_s16"));
    if (qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_ZERO_POINT) >= 0)
        add(r, QD_DERIVED_OUTPUT_TYPE, 0, "type of the output",
            WORDS("", "y_u8", "y_s8", "y_u16", "y_s16", "y_u4", "y_s4", "y_u2", "y_f8e4m3fn",
                  "y_f8e5m2", "y_f4e2m1"));
    if (has_scales(op))
        add(r, QD_DERIVED_SCALE_TYPE, 0, "type of the scales",
            WORDS("", "scale_f16", "scale_bf16"));
}

/* --- Shapes --------------------------------------------------------------------------------------- */

#define KERNELS "", "1", "2", "5", "7"
#define SIZES "", "1", "2", "5", "below_tile", "tile", "above_tile", "100", "257"

static void read_extents(struct reader *r)
{
    static const char *const names[][5] = {
        [QD_LAYOUT_ANY] = {"first", "last"},
        [QD_LAYOUT_JOIN] = {"first", "last"},
        [QD_LAYOUT_CHANNELS] = {"N", "C", "D"},
        [QD_LAYOUT_CONV] = {"N", "C", "M", "D", "k"},
        [QD_LAYOUT_CONV_BACK] = {"N", "C", "M", "D", "k"},
        [QD_LAYOUT_MATMUL] = {"M", "K", "N"},
        [QD_LAYOUT_GEMM] = {"M", "K", "N"},
        [QD_LAYOUT_NBITS] = {"M", "K", "N"},
    };
    const char *const *names_of = names[r->outline->layout];
    for (int i = 0; i < 5 && names_of[i]; i++)
        if (i == 4)
            add(r, QD_DERIVED_EXTENT, i, names_of[i], WORDS(KERNELS));
        else
            add(r, QD_DERIVED_EXTENT, i, names_of[i], WORDS(SIZES));
    if (r->outline->layout == QD_LAYOUT_CHANNELS &&
        qd_derived_has_attribute(r->outline->op, "kernel_shape"))
        add(r, QD_DERIVED_EXTENT, 4, "k", WORDS(KERNELS));
    add(r, QD_DERIVED_EQUAL, 0, "equal extents", WORDS("", "all_equal"));
}

static void read_rank(struct reader *r)
{
    switch (r->outline->layout) {
    case QD_LAYOUT_ANY:
    case QD_LAYOUT_JOIN:
        add(r, QD_DERIVED_RANK, 0, "rank", WORDS("3d", "0d", "1d", "2d", "4d", "5d", "6d"));
        break;
    case QD_LAYOUT_CHANNELS:
    case QD_LAYOUT_CONV:
    case QD_LAYOUT_CONV_BACK:
        add(r, QD_DERIVED_RANK, 0, "rank", WORDS("4d", "3d", "5d", "2d", "1d"));
        break;
    case QD_LAYOUT_MATMUL:
        add(r, QD_DERIVED_RANK, 0, "rank", WORDS("2d", "1d", "3d", "4d"));
        add(r, QD_DERIVED_SHAPES, 0, "shape of the weight",
            WORDS("", "w_matrix", "w_vector", "w_batch_1", "w_more_axes"));
        break;
    case QD_LAYOUT_NBITS: add(r, QD_DERIVED_RANK, 0, "rank", WORDS("2d", "1d", "3d", "4d")); break;
    case QD_LAYOUT_GEMM: break;
    }
}

/* Operands beyond the first that are numbers to compute with. */
static int second_data(const struct qd_op *op)
{
    bool first = false;
    for (unsigned i = 0; i < op->max_inputs; i++) {
        enum qd_role role = qd_op_role(op, i);
        if ((role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT) && first)
            return (int)i;
        first = first || role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT;
    }
    return -1;
}

static void read_operands(struct reader *r)
{
    const struct qd_op *op = r->outline->op;
    enum qd_derived_layout layout = r->outline->layout;
    bool repeats = strchr(op->operands, '*') != NULL;
    if (repeats)
        add(r, QD_DERIVED_COUNT, 0, "operands", WORDS("2x", "1x", "3x", "8x", "10x", "32x"));
    if (layout == QD_LAYOUT_ANY && second_data(op) >= 0)
        add(r, QD_DERIVED_SHAPES, 0, "shape of the second operand",
            WORDS("", "w_0d", "w_last", "w_first", "w_more_axes", "w_ones", "both_broadcast"));
    if (second_data(op) >= 0)
        add(r, QD_DERIVED_ALIAS, 0, "one tensor twice", WORDS("", "one_grid", "x_twice"));
    else
        add(r, QD_DERIVED_ALIAS, 0, "one tensor twice", WORDS("", "one_grid"));
    add(r, QD_DERIVED_COMPUTED, 0, "where operands come from", WORDS("", "computed"));
    if (op->outputs == 1)
        add(r, QD_DERIVED_READERS, 0, "readers of the output", WORDS("", "read_twice"));
}

/* Operands that may be absent, and those that say how. */
static void read_others(struct reader *r)
{
    const struct qd_op *op = r->outline->op;
    const char *words[QD_COVERING_MAX_LEVELS];
    for (unsigned i = 0; i < op->max_inputs && !strchr(op->operands, '*'); i++) {
        enum qd_role role = qd_op_role(op, i);
        size_t length;
        const char *name = qd_op_operand_name(op, i, &length);
        if (role == QD_ROLE_BIAS && i >= op->min_inputs)
            add(r, QD_DERIVED_OPERAND, (int)i, "bias", WORDS("", "no_bias", "run_bias"));
        if (role == QD_ROLE_DATA && i >= op->min_inputs && i > 0)
            add(r, QD_DERIVED_OPERAND, (int)i, "optional operand", WORDS("", "absent"));
        if (role == QD_ROLE_CONTROL)
            add(r, QD_DERIVED_CONTROL, (int)i, "control", words,
                qd_derived_control_levels(name, length, words));
    }
}

static void read_attributes(struct reader *r)
{
    const struct qd_op *op = r->outline->op;
    const char *words[QD_COVERING_MAX_LEVELS], *name;
    unsigned levels;
    for (int i = 0; (name = qd_derived_attribute(i, &levels, words)) != NULL; i++)
        if (qd_derived_has_attribute(op, name))
            add(r, QD_DERIVED_ATTRIBUTE, i, name, words, levels);
}

/* --- Parameters and bindings ---------------------------------------------------------------------- */

static void read_parameters(struct reader *r)
{
    const struct qd_op *op = r->outline->op;
    enum qd_derived_layout layout = r->outline->layout;
    bool own = has_scales(op) || has_zero(op, 0),
         linear = op->form == QD_FORM_QUANTIZES || op->form == QD_FORM_DEQUANTIZES;
    bool sums = layout >= QD_LAYOUT_CONV, second = second_data(op) >= 0;
    if (!own || has_zero(op, 0))
        add(r, QD_DERIVED_ZERO, QD_DERIVED_X, "zero point of x",
            WORDS("", "xz_least", "xz_greatest", "xz_0", "xz_absent"));
    if (second && layout != QD_LAYOUT_CHANNELS)
        add(r, QD_DERIVED_ZERO, QD_DERIVED_W, "zero point of w",
            WORDS("", "wz_least", "wz_greatest", "wz_0", "wz_absent"));
    if (!own || has_zero(op, QD_OPERAND_OUTPUT))
        add(r, QD_DERIVED_ZERO, QD_DERIVED_Y, "zero point of y",
            WORDS("", "yz_least", "yz_greatest", "yz_0", "yz_absent"));
    if (linear)
        add(r, QD_DERIVED_GRANULARITY, op->form == QD_FORM_QUANTIZES ? QD_DERIVED_Y : QD_DERIVED_X,
            "granularity", WORDS("", "per_axis", "scale_per_axis", "zero_per_axis"));
    if (layout == QD_LAYOUT_MATMUL && own)
        add(r, QD_DERIVED_GRANULARITY, QD_DERIVED_X, "granularity of x", WORDS("", "x_per_row"));
    if (sums && layout != QD_LAYOUT_NBITS)
        add(r, QD_DERIVED_GRANULARITY, QD_DERIVED_W, "granularity of w",
            WORDS("", "per_channel", "scale_per_channel", "zero_per_channel"));
}

static void read_bindings(struct reader *r)
{
    const struct qd_op *op = r->outline->op;
    add(r, QD_DERIVED_BINDING, QD_DERIVED_X, "x", WORDS("", "constant_x"));
    if (second_data(op) >= 0)
        add(r, QD_DERIVED_BINDING, QD_DERIVED_W, "second operand", WORDS("", "run_w"));
    if (has_scales(op) || has_zero(op, 0))
        add(r, QD_DERIVED_BINDING, QD_DERIVED_PARAMETERS, "parameters", WORDS("", "run_params"));
    if (qd_op_operand(op, QD_ROLE_CONTROL) >= 0)
        add(r, QD_DERIVED_BINDING, QD_DERIVED_CONTROLS, "controls", WORDS("", "run_controls"));
}

static void read_alone(struct reader *r)
{
    const char *words[QD_COVERING_MAX_LEVELS];
    unsigned levels = qd_derived_alone_levels(r->outline, words);
    add(r, QD_DERIVED_ALONE, 0, "what meets no others", words, levels);
}

enum qd_status qd_derived_read(const struct qd_op *op, struct qd_derived *outline,
                               struct qd_error *error)
{
    struct reader r = {.outline = outline};
    *outline = (struct qd_derived){.op = op, .layout = layout_of(op)};
    read_types(&r);
    read_extents(&r);
    read_rank(&r);
    read_operands(&r);
    read_others(&r);
    read_attributes(&r);
    read_parameters(&r);
    read_bindings(&r);
    add(&r, QD_DERIVED_OPSET, 0, "opset",
        WORDS("", "opset_13", "opset_10", "opset_7", "opset_19", "opset_23", "opset_25"));
    read_alone(&r);
    return r.full ? qd_fail(error, QD_LIMIT, "%s: more than %d factors", op->name,
                            QD_COVERING_MAX_FACTORS)
                  : QD_OK;
}
