/* SPDX-License-Identifier: Apache-2.0 */
/* What a must-reject row does to its twin: edits of an unpacked case, each a few words.
 *
 *   attr group 0            sets an attribute: 0 an int, 0.0 a float, "word" a string, [1, 0] ints, [1.0, 0.0] floats
 *   no-attr axis            takes it away
 *   type x s16              a tensor's type: elements keep their values, rounded (ties to even) and saturated;
 *                           or the declared type of a graph output
 *   dims w [4, 1, 2]        a tensor's shape, [] a scalar: elements are repeated in order, or cut off
 *   data axes [0, -1]       a tensor's elements, repeated in order
 *   omit w                  leaves an operand's place empty
 *   cut w                   ends the operands before this one
 *   input extra             appends an operand: a tensor of the case, or a new initializer, the float32 scalar 1
 *   output extra            appends an output of the node, which is none of the graph
 *   opset 9                 the imported version of ONNX's own operators
 *   ir 9                    the model's ir_version
 *
 * Tensors that the node no longer reads leave the model. */
#ifndef QDIFF_CASES_REJECT_EDIT_H
#define QDIFF_CASES_REJECT_EDIT_H

#include "case.pb-c.h"

#include "qdiff/arena.h"
#include "qdiff/status.h"

/* Does one edit; `text` is written into. The message and what the edit adds live in the arena. INVALID: no such edit,
 * operand or attribute, or a value that does not fit, named in the error; LIMIT,
 * NO_MEMORY. A failed edit may have changed the message. */
enum qd_status qd_reject_edit(Qdiff__Case *kase, char *text, struct qd_arena *arena,
                              struct qd_error *error);

/* The part of *rest before `separator`, without the blanks around it; *rest goes on after the separator, and is NULL
 * after the last part. The text is written into. NULL when *rest is NULL. */
char *qd_reject_part(char **rest, char separator);

#endif
