/* SPDX-License-Identifier: Apache-2.0 */
/* Which levels of an operator's factors go together, learned from the reference. Internal to the cases layer. */
#ifndef QDIFF_DERIVED_LEARN_H
#define QDIFF_DERIVED_LEARN_H

#include "derived/derived.h"

#define QD_LEARN_MAX_EXCLUSIONS 1024
#define QD_LEARN_MAX_HOLES 2048
#define QD_LEARN_MAX_ROWS 2048
#define QD_LEARN_LEAST_ROWS 200

struct qd_learner {
    struct qd_derived outline;
    struct qd_factor_table table; /* all factors but the last; with the exclusions so far */
    uint8_t base[QD_COVERING_MAX_FACTORS], held[QD_COVERING_MAX_FACTORS];
    struct qd_exclusion *exclusions;
    unsigned exclusion_count;
    struct qd_derived_hole *holes;
    size_t hole_count;
    bool sees;     /* a row whose outputs are all at an end of their type is refused */
    uint8_t *rows; /* QD_COVERING_MAX_FACTORS levels each */
    struct qd_derived_output *row_outputs; /* QD_DERIVED_MAX_OUTPUTS of each row */
    size_t row_count, probes;
    size_t needed,
        drawn; /* rows that some level or pair needs; and with those that are drawn after them */
    struct qd_derived_output outputs[QD_DERIVED_MAX_OUTPUTS]; /* of the probe before */
    struct qd_arena *arena, scratch, array; /* what stays; of one case; of one array */
    struct qd_error *error;
};

/* Reads the operator's factors; the base is level 0 of each. To be cleared, also after a failure. */
enum qd_status qd_learner_init(struct qd_learner *learner, const struct qd_op *op,
                               struct qd_arena *arena, struct qd_error *error);
void qd_learner_clear(struct qd_learner *learner);

/* Finds a base that the reference takes, near level 0 of each factor. The last refusal if there is none. */
enum qd_status qd_learn_base(struct qd_learner *learner);

/* Why a row is refused: notes the smallest set of levels (and the exclusion that says so, if it
 * is of one or two). *size: how many they are. */
enum qd_status qd_learn_refusal(struct qd_learner *learner, const uint8_t *refused, size_t *size);

/* Appends rows that the reference takes: every level of every factor (strength 1, first) or
 * every pair of levels (2), but for holes. */
enum qd_status qd_learn_rows(struct qd_learner *learner, unsigned strength);

/* Appends rows for what is left: levels that no row has, and pairs of which no exclusion speaks (open.c). */
enum qd_status qd_learn_open(struct qd_learner *learner);

/* Appends a row for each level of the last factor, whose levels meet no others (QD_DERIVED_ALONE). */
enum qd_status qd_learn_alone(struct qd_learner *learner);

/* Appends rows of levels drawn by chance until there are QD_LEARN_LEAST_ROWS: of few factors come few pairs. */
enum qd_status qd_learn_more(struct qd_learner *learner);

/* Appends rows of 8-bit codes, float32 scales and the base's opset: every pair of the other factors' levels again, and
 * the levels that no other row has (qd_derived_held). A backend that has no other types sees few of the rows before.
 * Only of operators that have parameters or sum. */
enum qd_status qd_learn_plain(struct qd_learner *learner);

/* --- Steps of the above --------------------------------------------------------------------------- */

/* Whether the reference refused a case, as the statuses of its functions say. */
bool qd_learn_is_refusal(enum qd_status status);

/* Whether the reference takes a row, as a case of small extents; else the refusal. */
enum qd_status qd_learn_probe(struct qd_learner *learner, const uint8_t *row);

/* Keeps a row if it is taken, small and as large as it is; else the refusal. */
enum qd_status qd_learn_offer(struct qd_learner *learner, const uint8_t *row);

/* Offers the row, then with up to `more` levels of other factors than f and g changed, until one is taken (open.c). A
 * change that leaves the reason of the refusal as it was is not followed further. After a refusal, which is the row's
 * own, the row is as it was. */
enum qd_status qd_learn_search(struct qd_learner *learner, uint8_t *row, unsigned f, unsigned g,
                               int more);

/* Notes that the levels of factors f and g in the row do not go together (f == g: that level with no other), for the
 * reason of the last refusal. */
enum qd_status qd_learn_hole(struct qd_learner *learner, unsigned f, unsigned g,
                             const uint8_t *row);

/* Whether some row has level v of factor f and level w of factor g. */
bool qd_learn_has(const struct qd_learner *learner, unsigned f, unsigned v, unsigned g, unsigned w);

/* Whether an exclusion says that they do not go together. */
bool qd_learn_excludes(const struct qd_learner *learner, unsigned f, unsigned v, unsigned g,
                       unsigned w);

#endif
