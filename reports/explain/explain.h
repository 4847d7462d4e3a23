/* SPDX-License-Identifier: Apache-2.0 */
/* The explanation of one element: how the reference comes to it, step by step, from the graph's inputs on.
 *
 * The graph is evaluated once with every node's operands kept (override.h); the explanation is written from these, with
 * arithmetic of its own, so that a reader can follow it by hand. What an operator's operands are and how an element
 * comes about is in the operator's row (evaluate.h: qd_op_role, enum
 * qd_form); no operator is known by its name here. */
#ifndef QDIFF_REPORTS_EXPLAIN_H
#define QDIFF_REPORTS_EXPLAIN_H

#include <stdio.h>

#include "qdiff/case.h"
#include "qdiff/exact.h"
#include "qdiff/output_quantizer.h"
#include "qdiff/override.h"

/* A node that was evaluated. */
struct qd_step {
    const struct qd_node *node;
    const struct qd_value *in[QD_MAX_OPERANDS];
    struct qd_value out[QD_MAX_OPERANDS];
};

struct qd_explanation {
    FILE *out;
    struct qd_arena *arena;
    const struct qd_case *kase;
    size_t step_count;
    struct qd_step *steps; /* in the order of evaluation */
    struct qd_value *outputs;
};

/* Evaluates the case and keeps its steps. Errors as qd_graph_evaluate. */
enum qd_status qd_explanation_begin(struct qd_explanation *explanation, FILE *out,
                                    const struct qd_case *kase, struct qd_arena *arena,
                                    struct qd_error *error);

/* Tells how element i of the graph's output `output` comes to be. */
void qd_explain_element(const struct qd_explanation *explanation, size_t output, int64_t i);

/* What every quirk that is about an operator of the graph would give there, where that differs; `have` (NULL: none) is
 * what the target gave. */
void qd_explain_quirks(const struct qd_explanation *explanation, size_t output, int64_t i,
                       const double *have);

/* --- Kinds of steps, one file each ----------------------------------------------------------------
 *
 * Each tells element i of one output of a step whose operator has that
 * form; false if it cannot, and nothing was told. */

typedef bool qd_explain_form(const struct qd_explanation *explanation, const struct qd_step *step,
                             size_t output, int64_t i);
qd_explain_form
    qd_explain_products;           /* convolutions and products of matrices (explain/products.c) */
qd_explain_form qd_explain_window; /* means and maxima (explain/window.c) */
qd_explain_form qd_explain_quantize; /* QuantizeLinear and DequantizeLinear (explain/quantize.c) */
qd_explain_form qd_explain_elementwise; /* sums, products, scaled codes (explain/elementwise.c) */
qd_explain_form qd_explain_move;        /* elements that move (explain/move.c) */

/* --- Operands (explain/operands.c) ------------------------------------------------------------------ */

/* An operand's number by its role, its value (NULL: absent), its name in the operator's row. */
int qd_step_find(const struct qd_step *step, enum qd_role role);
const struct qd_value *qd_step_operand(const struct qd_step *step, int operand);
const char *qd_step_name(const struct qd_explanation *explanation, const struct qd_step *step,
                         int operand);

/* The scale or zero point of an operand or of the output (QD_OPERAND_OUTPUT): its number, its value. */
int qd_step_parameter_number(const struct qd_step *step, int owner, enum qd_role role);
const struct qd_value *qd_step_parameter(const struct qd_step *step, int owner, enum qd_role role);

/* Element i of a parameter, or its only one; `otherwise` when it is absent. */
double qd_explain_number(const struct qd_value *parameter, int64_t i, double otherwise);

/* Where the operand is read for element i of an output, by broadcasting; −1 if the shapes do not fit. */
int64_t qd_step_place(const struct qd_step *step, int operand, const struct qd_tensor *out,
                      int64_t i);

/* "x[0, 1]" */
const char *qd_explain_place(const struct qd_explanation *explanation, const struct qd_step *step,
                             int operand, int64_t i);

/* Element i of a tensor as text that reads back. */
const char *qd_explain_text(const struct qd_explanation *explanation,
                            const struct qd_tensor *tensor, int64_t i);

/* An element of an operand as the operator reads it: its code without the zero point, and its scale. */
struct qd_explain_code {
    double code, zero_point, scale;
    bool scaled; /* there is a scale; else it is 1 */
};
struct qd_explain_code qd_explain_code_of(const struct qd_step *step, int operand, int64_t i);

/* --- Numbers (explain/numbers.c) -------------------------------------------------------------------- */

/* The output's parameters: what a real number becomes a code with. */
struct qd_explain_coder {
    double scale;
    const char *scale_name, *zero_point_name;
    struct qd_output_quantizer coder;
};
/* False when the output has no scale. */
bool qd_explain_coder_of(const struct qd_explanation *explanation, const struct qd_step *step,
                         size_t output, struct qd_explain_coder *made);

/* The exact number, its rounding, the zero point, the saturation. */
void qd_explain_code(const struct qd_explanation *explanation, const struct qd_explain_coder *coder,
                     struct qd_ratio real);

/* acc·s_1·s_2·s_3/s_y as a fraction and a decimal, and what each permitted order of evaluation makes of it. */
struct qd_explain_product {
    int64_t acc;
    double s1, s2, s3; /* s3: 1 but for a factor of the operator's */
    const char *s1_name, *s2_name;
};
void qd_explain_requantize(const struct qd_explanation *explanation,
                           const struct qd_explain_product *product,
                           const struct qd_explain_coder *coder);

/* "-55/8 = -6.875": an exact number as text. */
const char *qd_explain_ratio(const struct qd_explanation *explanation, struct qd_ratio ratio);

/* Whether a scale is one that the exact arithmetic takes: finite and positive. */
bool qd_explain_is_scale(double scale);

/* --- Terms (explain/terms.c) ------------------------------------------------------------------------ */

/* What one element is summed over: indices into x (−1: in the padding) and, of a product, into the weight. */
struct qd_terms {
    int64_t count;
    const int64_t *x, *w; /* w: NULL without a weight */
    int64_t row, column;  /* which parameter of x, and of the weight, is theirs */
    int64_t bias;         /* which element of the bias */
};

/* By the operator's form; false if its geometry cannot be read. */
bool qd_explain_terms(const struct qd_explanation *explanation, const struct qd_step *step,
                      int64_t i, struct qd_terms *terms);

#endif
