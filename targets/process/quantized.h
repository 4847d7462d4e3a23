/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the message Quantized of worker.proto, whose every byte is hostile. Internal to the targets layer. */
#ifndef QDIFF_QUANTIZED_H
#define QDIFF_QUANTIZED_H

#include "qdiff/quantizer.h"
#include "qdiff/wire.h"

/* Copies everything into the arena: MODEL or EDGES in *answer. *problem says what is wrong with the message, NULL if
 * nothing. NO_MEMORY. */
enum qd_status qd_quantized_read(struct qd_wire body, struct qd_arena *arena,
                                 struct qd_quantizer_answer *answer, const char **problem,
                                 struct qd_error *error);

/* A field's text, in one line, in the arena; what is wrong with it, NULL if nothing. */
const char *qd_quantized_text(const struct qd_wire_field *field, struct qd_arena *arena,
                              const char **text);

#endif
