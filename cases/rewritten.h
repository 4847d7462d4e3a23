/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of generated cases whose graphs are written in another way. */
#ifndef QDIFF_CASES_REWRITTEN_H
#define QDIFF_CASES_REWRITTEN_H

#include "qdiff/case.h"

/* Makes, of one case in eight (which ones is up to their ids), the twin of another graph: an operand is moved about
 * and back, or quantized once more with its own parameters, before it is read; an output is moved, or read by another
 * node too; a value in between is an output as well; a node stands there twice, or once more with other parameters.
 * Which of these is up to the id, too; the id's slug ends with its word, such as "-transposed_twice", the note names
 * the case. What the twin's outputs are the reference computes from the new graph. *made says whether there is one:
 * not of large cases, and not where nothing of the case fits or the reference does not take the graph. NO_MEMORY,
 * LIMIT. */
enum qd_status qd_rewritten_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                 struct qd_case *twin, struct qd_error *error);

/* The words that ids of such twins end with, NULL past the last. */
const char *qd_rewritten_word(size_t i);

#endif
