/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of the quantizer suite, what excludes each other, and the rows that are always asked. */
#include "quantizer/choices.h"

#include <math.h>
#include <stdio.h>

/* Each word is a level; the table's last column names it in ids. */
enum { QDQ, QOPERATOR, DYNAMIC };
enum { ACTIVATION_U8, ACTIVATION_S8, ACTIVATION_U16, ACTIVATION_S16 };
enum { WEIGHT_S8, WEIGHT_U8, WEIGHT_S16 };
enum { OFF, ON };
enum {
    SKEW_POSITIVE,
    SKEW_NEGATIVE,
    SYMMETRIC,
    POSITIVE,
    NEGATIVE,
    ALL_ZERO,
    DEGENERATE,
    TINY,
    LARGE,
    SUBNORMAL,
    SMALL,
    NOT_A_NUMBER,
    INFINITE,
    UPSIDE_DOWN,
    WITHOUT_ONE,
    FAMILIES
};

static const struct qd_quantizer_family families[] = {
    [SKEW_POSITIVE] = {.word = "skew-positive", .data = {-0.1, 6}},
    [SKEW_NEGATIVE] = {.word = "skew-negative", .data = {-6, 0.1}},
    [SYMMETRIC] = {.word = "symmetric", .data = {-1, 1}},
    [POSITIVE] = {.word = "positive", .data = {0.5, 3}},
    [NEGATIVE] = {.word = "negative", .data = {-3, -0.5}},
    [ALL_ZERO] = {.word = "zero", .data = {0, 0}},
    [DEGENERATE] = {.word = "degenerate", .data = {1.5, 1.5}},
    [TINY] = {.word = "tiny", .data = {-1e-20, 2e-20}},
    [LARGE] = {.word = "huge", .data = {-1e15, 2e15}},
    [SUBNORMAL] = {.word = "subnormal", .data = {-1e-41, 2e-41}},
    /* in float16 the scales of such numbers are subnormal, and the numbers are not */
    [SMALL] = {.word = "small", .data = {-1e-3, 5e-4}},
    [NOT_A_NUMBER] = {.word = "nan", .data = {-1, 1}, .spoilt = true, .min = -1, .max = NAN},
    [INFINITE] = {.word = "infinite", .data = {-1, 1}, .spoilt = true, .min = -1, .max = INFINITY},
    [UPSIDE_DOWN] = {.word = "upside-down", .data = {-1, 1}, .spoilt = true, .min = 1, .max = -1},
    [WITHOUT_ONE] = {.word = "without-one", .data = {-1, 2}, .lacks_one = true},
};

static const struct qd_factor factors[] = {
    [QD_CHOICE_FAMILY] = {.name = "family", .levels = FAMILIES},
    [QD_CHOICE_FORM] = {"form", QD_LEVELS("qdq", "qoperator", "dynamic")},
    [QD_CHOICE_ACTIVATION] = {"activation", QD_LEVELS("u8", "s8", "u16", "s16")},
    [QD_CHOICE_WEIGHT] = {"weight", QD_LEVELS("s8", "u8", "s16")},
    [QD_CHOICE_PER_CHANNEL] = {"per_channel", QD_LEVELS(NULL, "per_channel")},
    [QD_CHOICE_RESTRICTED] = {"restricted", QD_LEVELS(NULL, "restricted")},
    [QD_CHOICE_SYMMETRIC_ACTIVATIONS] = {"symmetric_activations",
                                         QD_LEVELS(NULL, "symmetric_activations")},
    [QD_CHOICE_SYMMETRIC_WEIGHTS] = {"symmetric_weights", QD_LEVELS(NULL, "symmetric_weights")},
    [QD_CHOICE_REDUCED] = {"reduced", QD_LEVELS(NULL, "reduced")},
    [QD_CHOICE_EXCLUDE] = {"exclude", QD_LEVELS(NULL, "without_first")},
    [QD_CHOICE_FLOAT] = {"float", QD_LEVELS(NULL, "f16")},
};

#define LEVEL(l) (UINT32_C(1) << (l))
#define SPOILT (LEVEL(NOT_A_NUMBER) | LEVEL(INFINITE) | LEVEL(UPSIDE_DOWN))
#define WIDE_ACTIVATION (LEVEL(ACTIVATION_U16) | LEVEL(ACTIVATION_S16))
static const struct qd_exclusion exclusions[] = {
    /* numbers that float16 does not have; numbers that are nothing special in float32 */
    {{QD_CHOICE_FAMILY, QD_CHOICE_FLOAT},
     {LEVEL(TINY) | LEVEL(LARGE) | LEVEL(SUBNORMAL), LEVEL(ON)}},
    {{QD_CHOICE_FAMILY, QD_CHOICE_FLOAT}, {LEVEL(SMALL), LEVEL(OFF)}},
    /* nobody looks at the range: it is dynamic, or of what only the first node reads */
    {{QD_CHOICE_FAMILY, QD_CHOICE_FORM}, {SPOILT | LEVEL(WITHOUT_ONE), LEVEL(DYNAMIC)}},
    {{QD_CHOICE_FAMILY, QD_CHOICE_EXCLUDE}, {SPOILT, LEVEL(ON)}},
    /* dynamic activations are uint8, as DynamicQuantizeLinear gives them */
    {{QD_CHOICE_FORM, QD_CHOICE_ACTIVATION},
     {LEVEL(DYNAMIC), LEVEL(ACTIVATION_S8) | WIDE_ACTIVATION}},
    {{QD_CHOICE_FORM, QD_CHOICE_RESTRICTED}, {LEVEL(DYNAMIC), LEVEL(ON)}},
    {{QD_CHOICE_FORM, QD_CHOICE_SYMMETRIC_ACTIVATIONS}, {LEVEL(DYNAMIC), LEVEL(ON)}},
    /* operators on codes take 8 bits */
    {{QD_CHOICE_FORM, QD_CHOICE_ACTIVATION}, {LEVEL(QOPERATOR), WIDE_ACTIVATION}},
    {{QD_CHOICE_FORM, QD_CHOICE_WEIGHT}, {LEVEL(QOPERATOR) | LEVEL(DYNAMIC), LEVEL(WEIGHT_S16)}},
    /* int8 activations with uint8 weights: no kernel has them, and tools refuse */
    {{QD_CHOICE_ACTIVATION, QD_CHOICE_WEIGHT}, {LEVEL(ACTIVATION_S8), LEVEL(WEIGHT_U8)}},
    /* two zero points for one tensor; 7 bits of 16 */
    {{QD_CHOICE_RESTRICTED, QD_CHOICE_SYMMETRIC_ACTIVATIONS}, {LEVEL(ON), LEVEL(ON)}},
    {{QD_CHOICE_WEIGHT, QD_CHOICE_REDUCED}, {LEVEL(WEIGHT_S16), LEVEL(ON)}},
    /* float32 alone; with float16 this last one is left out */
    {{QD_CHOICE_FLOAT, QD_CHOICE_FLOAT}, {LEVEL(ON), LEVEL(ON)}},
};
enum { EXCLUSIONS = sizeof exclusions / sizeof *exclusions };

static const struct qd_factor_table with_half = {factors, QD_CHOICE_FACTORS, exclusions,
                                                 EXCLUSIONS - 1};
static const struct qd_factor_table without_half = {factors, QD_CHOICE_FACTORS, exclusions,
                                                    EXCLUSIONS};

const struct qd_factor_table *qd_quantizer_choices(bool half)
{
    return half ? &with_half : &without_half;
}

const struct qd_quantizer_family *qd_quantizer_family_of(const uint8_t *row)
{
    return &families[row[QD_CHOICE_FAMILY]];
}

enum qd_dtype qd_quantizer_float_of(const uint8_t *row)
{
    return row[QD_CHOICE_FLOAT] ? QD_F16 : QD_F32;
}

struct qd_quantizer_options qd_quantizer_options_of(const uint8_t *row)
{
    /* onnx.TensorProto.DataType */
    static const int32_t activations[] = {
        [ACTIVATION_U8] = 2, [ACTIVATION_S8] = 3, [ACTIVATION_U16] = 4, [ACTIVATION_S16] = 5};
    static const int32_t weights[] = {[WEIGHT_S8] = 3, [WEIGHT_U8] = 2, [WEIGHT_S16] = 5};
    static const char *const first[] = {"n0", NULL};
    uint8_t form = row[QD_CHOICE_FORM];
    return (struct qd_quantizer_options){
        .scheme = form == DYNAMIC ? QD_QUANTIZER_DYNAMIC : QD_QUANTIZER_STATIC,
        .format = form == QOPERATOR ? QD_QUANTIZER_QOPERATOR : QD_QUANTIZER_QDQ,
        .activation_type = activations[row[QD_CHOICE_ACTIVATION]],
        .weight_type = weights[row[QD_CHOICE_WEIGHT]],
        .per_channel = row[QD_CHOICE_PER_CHANNEL],
        .reduce_range = row[QD_CHOICE_REDUCED],
        .symmetric_activations = row[QD_CHOICE_SYMMETRIC_ACTIVATIONS],
        .symmetric_weights = row[QD_CHOICE_SYMMETRIC_WEIGHTS],
        .restricted_asymmetric = row[QD_CHOICE_RESTRICTED],
        .exclude = row[QD_CHOICE_EXCLUDE] ? first : NULL,
    };
}

char *qd_quantizer_words_of(const uint8_t *row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned f = QD_CHOICE_FORM; f < QD_CHOICE_FLOAT && used < size; f++) {
        const char *word = factors[f].words[row[f]];
        bool joined = f == QD_CHOICE_FORM || f == QD_CHOICE_WEIGHT; /* "u8s8" is one word */
        int n = word ? snprintf(text + used, size - used, "%s%s", joined ? "" : "-", word) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* --- Rows that are always there ------------------------------------------------------------------ */

static const uint8_t base[][QD_CHOICE_FACTORS] = {
    /* the smoke level */
    {[QD_CHOICE_PER_CHANNEL] = ON},
    {[QD_CHOICE_RESTRICTED] = ON},
    {[QD_CHOICE_FORM] = DYNAMIC, [QD_CHOICE_PER_CHANNEL] = ON},
    {[QD_CHOICE_FORM] = QOPERATOR, [QD_CHOICE_PER_CHANNEL] = ON},
    /* what users ask first, and what reports name */
    {SKEW_POSITIVE},
    {[QD_CHOICE_FORM] = QOPERATOR},
    {[QD_CHOICE_FAMILY] = SKEW_NEGATIVE, [QD_CHOICE_RESTRICTED] = ON},
    {[QD_CHOICE_ACTIVATION] = ACTIVATION_S8, [QD_CHOICE_RESTRICTED] = ON},
/* All that a tool for int8 alone can be asked, for each family. */
#define INT8(f)                                                           \
    {[QD_CHOICE_FAMILY] = (f), [QD_CHOICE_ACTIVATION] = ACTIVATION_S8},   \
    {                                                                     \
        [QD_CHOICE_FAMILY] = (f), [QD_CHOICE_ACTIVATION] = ACTIVATION_S8, \
        [QD_CHOICE_PER_CHANNEL] = ON                                      \
    }
    INT8(SKEW_POSITIVE),
    INT8(SKEW_NEGATIVE),
    INT8(SYMMETRIC),
    INT8(POSITIVE),
    INT8(NEGATIVE),
    INT8(ALL_ZERO),
    INT8(DEGENERATE),
    INT8(TINY),
    INT8(LARGE),
    INT8(SUBNORMAL),
    INT8(NOT_A_NUMBER),
    INT8(INFINITE),
    INT8(UPSIDE_DOWN),
    INT8(WITHOUT_ONE),
#undef INT8
};

static const uint8_t each_family[][QD_CHOICE_FACTORS] = {
#define ROW(f)                                                 \
    {                                                          \
        [QD_CHOICE_FAMILY] = (f), [QD_CHOICE_PER_CHANNEL] = ON \
    }
    ROW(SKEW_NEGATIVE),
    ROW(SYMMETRIC),
    ROW(POSITIVE),
    ROW(NEGATIVE),
    ROW(ALL_ZERO),
    ROW(DEGENERATE),
    ROW(TINY),
    ROW(LARGE),
    ROW(SUBNORMAL),
    ROW(NOT_A_NUMBER),
    ROW(INFINITE),
    ROW(UPSIDE_DOWN),
    ROW(WITHOUT_ONE),
    {[QD_CHOICE_FAMILY] = SMALL, [QD_CHOICE_PER_CHANNEL] = ON, [QD_CHOICE_FLOAT] = ON},
#undef ROW
};

const uint8_t *qd_quantizer_base_at(size_t i)
{
    return i < sizeof base / sizeof *base ? base[i] : NULL;
}

const uint8_t *qd_quantizer_family_row_at(size_t i)
{
    return i < sizeof each_family / sizeof *each_family ? each_family[i] : NULL;
}
