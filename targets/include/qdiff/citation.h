/* SPDX-License-Identifier: Apache-2.0 */
/* What a divergence stands on: the clause that it breaks, and with it how much it weighs. */
#ifndef QDIFF_CITATION_H
#define QDIFF_CITATION_H

#include "qdiff/compare.h"
#include "qdiff/evaluated.h"
#include "qdiff/session.h"

struct qd_citation {
    enum qd_severity severity;
    const char *clause; /* "Softmax-13: ..."; in the arena or static, never NULL */
};

/* Cites for a divergence of that class. `comparison` is that of the run: of a wrong value it says how far off it is.
 * Without the run (NULL) nothing is known of how the sums were kept.
 * `session` is the target's: whether an operator's domain is its own (NULL: it is).
 * `words` are the divergence's (qdiff/trial.h): of accepts-invalid the rule.
 *
 * The severity is that of the verdict, but ADVISORY where no sentence obliges the target:
 * - a wrong value where the only difference is that subnormal numbers are
 * given as 0: IEEE 754 asks for them, ONNX does not;
 * - a wrong value near the right one (qd_comparison.close) in a graph with an
 * operator whose page gives no bound (qd_op.approximate);
 * - a wrong value that sums of float16 or bfloat16 give which are kept in these types, in some order and without
 *   overflow: no page says how wide an accumulator is;
 * - a wrong value of MatMulIntegerToFloat or DynamicQuantizeMatMul that the product of the dequantized operands
 *   gives, in some order of float32: their pages have no formula, only "Matrix multiply results from A * B";
 * - anything that is `wrong` of a case with the feature one-element-vector: no
 * page says that such a model is taken, or what it is;
 * - the same of a Resize whose attribute axes lists none: whether such a list is "provided" no page says;
 * - a wrong shape where a strided window exceeds the padded axis and the output is empty: the page's floor gives 0
 *   positions, ONNX's own shape inference 1;
 * - a refusal of a pool with ceil_mode one of whose windows is ignored since it starts in the right padding, which
 *   ONNX's shape inference counts;
 * - a wrong shape or a refusal of ConvTranspose where no pads of 0 or more give the size that auto_pad asks for;
 * - a wrong shape of a Slice before opset 13 that goes backward from a start before the first element: the page
 *   compares it with numpy, which takes nothing;
 * - a refusal of a model with another vendor's operator: ONNX's IR.md lets every implementation reject it;
 * - a refusal of a matrix of parameters next to a matrix (MatMulInteger, QLinearMatMul), for which the page has a
 *   vector, and of one block that is longer than the axis, where the page's range of block_size has no end;
 * - a refusal of integers that the case itself divides by 0: no page has a quotient;
 * - accepts-invalid, always: no sentence says that a model which breaks a rule has to be refused.
 *
 * NO_MEMORY. */
enum qd_status qd_cite(const struct qd_evaluated *evaluated, const struct qd_session *session,
                       const struct qd_run *run, const struct qd_comparison *comparison,
                       enum qd_verdict class, const char *words, struct qd_arena *arena,
                       struct qd_citation *citation, struct qd_error *error);

/* What fixes the values of a node's outputs, as a citation quotes it: "Softmax-13: \"...\""; "" if the reference does
 * not have the operator. NULL: no memory. */
const char *qd_node_clause(const struct qd_case *kase, const struct qd_node *node,
                           struct qd_arena *arena);

#endif
