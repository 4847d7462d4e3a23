/* SPDX-License-Identifier: Apache-2.0 */
/* The switches at which implementations of the same operator differ (dialects), and the settings at
 * which they are wrong (quirks). The default of every switch is what the specification of the
 * operator says.
 *
 * Source: the table in reference/README.md, section "Switches". */
#ifndef QDIFF_SEMANTICS_H
#define QDIFF_SEMANTICS_H

#include <stdbool.h>

#include "qdiff/status.h"

/* QD_SWITCH(field, word, VALUES) and, per switch, QD_VALUE(NAME, word, kind): kind is DEFAULT (the
 * text), DIALECT (a target's profile may declare it) or QUIRK (known wrong; no profile may declare
 * it). */
#define QD_ROUNDING_LIST(V)                        \
    V(ROUND_HALF_EVEN, "half-even", DEFAULT)       \
    V(ROUND_HALF_AWAY, "half-away", DIALECT)       \
    V(ROUND_HALF_UP, "half-up", DIALECT)           \
    V(ROUND_HALF_TO_ZERO, "half-to-zero", DIALECT) \
    V(ROUND_TRUNCATE, "truncate", QUIRK)           \
    V(ROUND_FLOOR, "floor", QUIRK)                 \
    V(ROUND_CEIL, "ceil", QUIRK)
#define QD_ZERO_POINT_ORDER_LIST(V)                   \
    V(ZERO_POINT_AFTER, "after", DEFAULT)             \
    V(ZERO_POINT_BEFORE_F32, "before-f32", QUIRK)     \
    V(ZERO_POINT_BEFORE_EXACT, "before-exact", QUIRK) \
    V(ZERO_POINT_BEFORE_FUSED, "before-fused", QUIRK) \
    V(ZERO_POINT_THEN_HALF, "then-half", QUIRK)       \
    V(ZERO_POINT_WITH_HALF, "with-half", QUIRK)
#define QD_DIVISION_LIST(V)                       \
    V(DIVISION_DIVIDE, "divide", DEFAULT)         \
    V(DIVISION_RECIPROCAL, "reciprocal", DIALECT) \
    V(DIVISION_WIDE, "wide", DIALECT)             \
    V(DIVISION_F16, "f16", QUIRK)
#define QD_REQUANTIZE_LIST(V)                          \
    V(REQUANTIZE_REAL, "real", DEFAULT)                \
    V(ANY_ORDER, "any-order", DIALECT)                 \
    V(FIXED31_SINGLE, "fixed31-single", DIALECT)       \
    V(FIXED31_DOUBLE, "fixed31-double", DIALECT)       \
    V(FIXED31_DOUBLE_UP, "fixed31-double-up", DIALECT) \
    V(CHANNEL0_SCALE, "channel0-scale", QUIRK)         \
    V(ONE_SCALE, "one-scale", QUIRK)                   \
    V(REQUANTIZE_F16, "f16", QUIRK)                    \
    V(SHIFT_MASKED, "shift-masked", QUIRK)             \
    V(SHIFT_IN_LANES, "shift-in-lanes", QUIRK)         \
    V(FIXED15, "fixed15", QUIRK)
#define QD_RANGE_LIST(V)                                   \
    V(RANGE_SATURATE, "saturate", DEFAULT)                 \
    V(RANGE_WRAP, "wrap", QUIRK)                           \
    V(RANGE_SYMMETRIC, "symmetric", QUIRK)                 \
    V(RANGE_BEFORE_ZERO_POINT, "before-zero-point", QUIRK) \
    V(RANGE_SATURATE_TWICE, "saturate-twice", QUIRK)       \
    V(RANGE_INT32_INDEFINITE, "int32-indefinite", QUIRK)   \
    V(RANGE_INT32_FULL, "int32-full", QUIRK)               \
    V(RANGE_MAGNITUDE, "magnitude", QUIRK)                 \
    V(RANGE_WRAP_BEFORE_ZERO_POINT, "wrap-before-zero-point", QUIRK)
#define QD_ACCUMULATOR_LIST(V)                                  \
    V(ACC_EXACT, "exact", DEFAULT)                              \
    V(ACC_WRAP32, "wrap32", DIALECT)                            \
    V(ACC_F32, "f32", QUIRK)                                    \
    V(ACC_F32_LAST, "f32-channels-last", QUIRK)                 \
    V(ACC_SAT32, "sat32", QUIRK)                                \
    V(ACC_PAIR_SAT16, "pair-sat16", QUIRK)                      \
    V(ACC_PAIR_SAT16_LAST, "pair-sat16-channels-last", QUIRK)   \
    V(ACC_PAIR_SAT16_SHIFTED, "pair-sat16-shifted", QUIRK)      \
    V(ACC_PAIR_WRAP16, "pair-wrap16", QUIRK)                    \
    V(ACC_PAIR_WRAP16_LAST, "pair-wrap16-channels-last", QUIRK) \
    V(ACC_WRAP16, "wrap16", QUIRK)                              \
    V(ACC_F16, "f16", QUIRK)                                    \
    V(ACC_SAT8, "sat8", QUIRK)
#define QD_FLOAT_ACCUMULATOR_LIST(V)     \
    V(FLOAT_ACC_F32, "float32", DEFAULT) \
    V(FLOAT_ACC_OWN, "own-type", DIALECT)
#define QD_PADDING_LIST(V)                     \
    V(PAD_ZERO_POINT, "x_zero_point", DEFAULT) \
    V(PAD_RAW_ZERO, "raw-zero", QUIRK)         \
    V(PAD_SHIFTED_ZERO, "shifted-zero", QUIRK)
#define QD_ZERO_POINTS_LIST(V)                          \
    V(ZP_AS_GIVEN, "as-given", DEFAULT)                 \
    V(ZP_IGNORED, "ignored", QUIRK)                     \
    V(ZP_CHANNEL0, "channel0", QUIRK)                   \
    V(ZP_SIGN_EXTENDED, "sign-extended", QUIRK)         \
    V(ZP_SUBTRACT_8BIT, "subtract-8bit", QUIRK)         \
    V(ZP_SUBTRACT_UNSIGNED, "subtract-unsigned", QUIRK) \
    V(ZP_ADDED, "added", QUIRK)                         \
    V(ZP_NOT_SHIFTED, "not-shifted", QUIRK)
#define QD_NAN_TO_INTEGER_LIST(V)              \
    V(NAN_UNSPECIFIED, "unspecified", DEFAULT) \
    V(NAN_MINIMUM, "minimum", DIALECT)         \
    V(NAN_MAXIMUM, "maximum", DIALECT)         \
    V(NAN_ZERO, "zero", DIALECT)               \
    V(NAN_ZERO_POINT, "zero-point", DIALECT)
#define QD_ALL_ZERO_LIST(V)                 \
    V(ALL_ZERO_ANY, "any", DEFAULT)         \
    V(ALL_ZERO_SCALE_0, "scale-0", DIALECT) \
    V(ALL_ZERO_SCALE_1, "scale-1", DIALECT) \
    V(ALL_ZERO_SCALE_1_255, "scale-1/255", DIALECT)

/* QD_SWITCH(field, word, value list) */
#define QD_SWITCH_LIST(S)                                                \
    S(rounding, "rounding", QD_ROUNDING_LIST)                            \
    S(zero_point_order, "zero-point-order", QD_ZERO_POINT_ORDER_LIST)    \
    S(division, "division", QD_DIVISION_LIST)                            \
    S(requantize, "requantize", QD_REQUANTIZE_LIST)                      \
    S(range, "range", QD_RANGE_LIST)                                     \
    S(accumulator, "accumulator", QD_ACCUMULATOR_LIST)                   \
    S(float_accumulator, "float-accumulator", QD_FLOAT_ACCUMULATOR_LIST) \
    S(padding, "padding", QD_PADDING_LIST)                               \
    S(zero_points, "zero-points", QD_ZERO_POINTS_LIST)                   \
    S(nan_to_integer, "nan-to-integer", QD_NAN_TO_INTEGER_LIST)          \
    S(all_zero, "all-zero", QD_ALL_ZERO_LIST)

#define QD_VALUE_ENUM(name, word, kind) QD_##name,
#define QD_SWITCH_ENUM(field, word, values) enum qd_##field{values(QD_VALUE_ENUM)};
QD_SWITCH_LIST(QD_SWITCH_ENUM)
#undef QD_SWITCH_ENUM
#undef QD_VALUE_ENUM

struct qd_override; /* override.h */

/* All switches at 0 and no override = the default semantics: `struct qd_semantics semantics =
 * {0};`. */
struct qd_semantics {
#define QD_SWITCH_FIELD(field, word, values) enum qd_##field field;
    QD_SWITCH_LIST(QD_SWITCH_FIELD)
#undef QD_SWITCH_FIELD
    const struct qd_override *override; /* NULL: none. Borrowed */
};

/* Parses "rounding=half-away,range=wrap" into *semantics, starting from the defaults; '+' separates
 * as ',' does. Unknown switches or values fail with USAGE, naming those that exist. With
 * allow_quirks false a QUIRK value fails too. */
enum qd_status qd_semantics_parse(const char *text, bool allow_quirks,
                                  struct qd_semantics *semantics, struct qd_error *error);

/* Calls visit(context, switch word, value word, kind word "default"|"dialect"|"quirk") for every
 * value. */
void qd_semantics_visit(void (*visit)(void *context, const char *key, const char *value,
                                      const char *kind),
                        void *context);

#endif
