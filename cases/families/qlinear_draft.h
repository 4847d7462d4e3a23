/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated cases of com.microsoft's QLinear operators have in common: operands with one scale and zero point
 * each, scales that put outputs on rounding edges, and codes near the zero point so that these are in range. */
#ifndef QDIFF_FAMILIES_QLINEAR_DRAFT_H
#define QDIFF_FAMILIES_QLINEAR_DRAFT_H

#include "families/linear_draft.h"
#include "families/scale.h"

/* Factors of every family; an operator's own ones follow. */
enum qd_qlinear_factor {
    QD_QLINEAR_TYPE, /* u8, s8 */
    QD_QLINEAR_SHAPE,
    QD_QLINEAR_X_ZERO,
    QD_QLINEAR_Y_ZERO,
    QD_QLINEAR_BINDING, /* bit 0: parameters at run time; bit 1: the second operand is a constant */
    QD_QLINEAR_FACTORS
};

/* Zero points: 0 (or absent), both ends, an odd and an even one inside. */
enum qd_qlinear_zero {
    QD_ZERO_CODE_0,
    QD_ZERO_MIN,
    QD_ZERO_MAX,
    QD_ZERO_ODD,
    QD_ZERO_EVEN,
    QD_ZERO_ABSENT
};
#define QD_QLINEAR_ZERO(word) word "_0", word "_min", word "_max", word "_odd", word "_even"

#define QD_QLINEAR_TYPE_FACTOR [QD_QLINEAR_TYPE] = {.name = "type", QD_LEVELS("u8", "s8")}
#define QD_QLINEAR_BINDING_FACTOR \
    [QD_QLINEAR_BINDING] = {.name = "run-time inputs", QD_LEVELS(NULL, "run_params")}

/* tie: powers of two, outputs half-way between two codes; tie-rough: the same real numbers by scales of one odd
 * mantissa; near-tie: the output scale one or two steps off that. */
enum qd_qlinear_values {
    QD_QLINEAR_RANDOM,
    QD_QLINEAR_TIE,
    QD_QLINEAR_TIE_ROUGH,
    QD_QLINEAR_NEAR_TIE,
    QD_QLINEAR_SATURATION,
    QD_QLINEAR_EXTREME,
    QD_QLINEAR_VALUES
};
const char *qd_qlinear_values_word(size_t values);

/* One case being made up. Errors are kept; the first one is qd_qlinear_finish's. */
struct qd_qlinear_draft {
    const uint8_t *row;
    enum qd_qlinear_values values;
    enum qd_dtype type;
    struct qd_random random;
    struct qd_arena *arena;
    struct qd_builder *builder;
    struct qd_error *error;
    enum qd_status status;
};

struct qd_qlinear_draft qd_qlinear_begin(const struct qd_factor_table *table, const char *op,
                                         const uint8_t *row, size_t values, uint64_t draw,
                                         struct qd_arena *arena, struct qd_error *error,
                                         char slug[256]);

/* The zero point of a level. */
int64_t qd_qlinear_zero(struct qd_qlinear_draft *draft, enum qd_qlinear_zero level);

/* Scales of an operand and of the output. Σ of 2^log codes, times the operand's scale, over 2^log and the output's
 * scale comes out in halves for the tie families: y_scale = x_scale·2^(1 − log), times
 * 3/2 and so on where rough; elsewhere somewhere near. */
struct qd_qlinear_scales {
    struct qd_scale x, y;
};
struct qd_qlinear_scales qd_qlinear_draw_scales(struct qd_qlinear_draft *draft, int log);

/* Adds a tensor of codes at most `reach` from `zero` (255: all codes, each
 * once in 256 elements), at run time or constant. */
void qd_qlinear_codes(struct qd_qlinear_draft *draft, const char *name, unsigned rank,
                      const int64_t *dims, int64_t zero, int64_t reach, bool run);

/* Adds <name>_scale and, unless absent, <name>_zero_point. */
void qd_qlinear_parameters(struct qd_qlinear_draft *draft, const char *name, struct qd_scale scale,
                           int64_t zero, bool absent);

/* How far codes may be from the zero point so that ties are in range, times `terms` in a sum. */
int64_t qd_qlinear_reach(const struct qd_qlinear_draft *draft, int64_t terms);

/* The operands of an operator of one tensor, whose zero points may be absent. */
const char *qd_qlinear_inputs(bool x_absent, bool y_absent);

enum qd_status qd_qlinear_finish(struct qd_qlinear_draft *draft, const char *op, const char *slug,
                                 struct qd_case *kase);

/* Each row goes with a third of the value families, which rotate: two of the six. */
bool qd_qlinear_rotates(const struct qd_factor_table *table, const uint8_t *row, size_t values);

#endif
