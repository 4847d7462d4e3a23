/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of generated cases whose graphs are written in another way. */
#ifndef QDIFF_CASES_REWRITTEN_H
#define QDIFF_CASES_REWRITTEN_H

#include "qdiff/case.h"

/* Which ways of rewriting have met which features of which operator, among the cases of a family so far. */
struct qd_rewritings;
/* None. NULL: out of memory. */
struct qd_rewritings *qd_rewritings_begin(struct qd_arena *arena);

/* Makes, of a case with a feature, output type or rank that some way has not met with the case's operator, the twin
 * that is rewritten in the way that meets most of them: an operand is moved about and back, handed on, or quantized
 * once more with its own parameters, or another zero point, before it is read; float numbers are quantized around the
 * graph; parameters come out of nodes; a constant is read with other parameters too; an output is moved, or read by
 * another node too; a value in between is an output as well; a node stands there twice, or once more with other
 * parameters or the other way round, or in vain; the opset is newer. The id's slug ends with the way's word, such as
 * "-transposed_twice", the note names the case. What the twin's outputs are the reference computes from the new
 * graph. *made says whether there is one: not of large cases, nor of types that backends do not move about, and not
 * where nothing new fits or the reference does not take the graph. Draws of other numbers for a case before are
 * passed over, so that a level's twins are those of the next one too. NO_MEMORY, LIMIT. */
enum qd_status qd_rewritten_twin(const struct qd_case *kase, struct qd_rewritings *met,
                                 struct qd_arena *arena, bool *made, struct qd_case *twin,
                                 struct qd_error *error);

/* The words that ids of such twins end with, NULL past the last. */
const char *qd_rewritten_word(size_t i);

#endif
