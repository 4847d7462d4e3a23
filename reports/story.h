/* The story of one element: how the reference comes to it, step by step, from the graph's inputs on.
 *
 * The graph is evaluated once with every node's operands kept (override.h); the story is told from these, with arithmetic of
 * its own, so that a reader can follow it by hand. */
#ifndef QDIFF_REPORTS_STORY_H
#define QDIFF_REPORTS_STORY_H

#include <stdio.h>

#include "qdiff/case.h"
#include "qdiff/exact.h"
#include "qdiff/override.h"

/* A node that was evaluated. */
struct qd_step {
    const struct qd_node *node;
    const struct qd_value *in[QD_MAX_OPERANDS];
    struct qd_value out[QD_MAX_OPERANDS];
};

struct qd_story {
    FILE *out;
    struct qd_arena *arena;
    const struct qd_case *kase;
    size_t step_count;
    struct qd_step *steps; /* in the order of evaluation */
    struct qd_value *outputs;
};

/* Evaluates the case and keeps its steps. Errors as qd_graph_evaluate. */
enum qd_status qd_story_begin(struct qd_story *story, FILE *out, const struct qd_case *kase,
                              struct qd_arena *arena, struct qd_error *error);

/* Tells how element i of the graph's output `output` comes to be. */
void qd_story_tell(const struct qd_story *story, size_t output, int64_t i);

/* What every quirk that is about an operator of the graph would give there, where that differs; `have` (NULL: none) is what
 * the target gave. */
void qd_story_tell_quirks(const struct qd_story *story, size_t output, int64_t i,
                          const double *have);

/* --- Pieces, one file each --------------------------------------------------------------------- */

/* A step whose operator is a sum of products; false if it is none (story_products.c). */
bool qd_story_tell_products(const struct qd_story *story, const struct qd_step *step, int64_t i);

/* QuantizeLinear and DequantizeLinear; false for others (story_quantize.c). */
bool qd_story_tell_quantize(const struct qd_story *story, const struct qd_step *step, int64_t i);

/* acc·s_1·s_2/s_y as a fraction and a decimal, and what each permitted order of evaluation makes of it (story_numbers.c). */
struct qd_story_product {
    int64_t acc;
    double s1, s2, sy;
    const char *s1_name, *s2_name;
    int64_t zero_point;
    enum qd_dtype dtype;
};
void qd_story_tell_requantize(const struct qd_story *story, const struct qd_story_product *product);

/* "-55/8 = -6.875": an exact number as text. */
const char *qd_story_ratio(const struct qd_story *story, struct qd_ratio ratio);

/* The parameter of element i as a number; `otherwise` when the operand is absent. */
double qd_story_operand(const struct qd_value *operand, int64_t i, double otherwise);

#endif
