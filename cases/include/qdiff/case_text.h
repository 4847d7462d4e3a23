/* SPDX-License-Identifier: Apache-2.0 */
/* A case as text that people read and edit: protobuf's text format of qdiff.Case, as in cases/regressions/.
 *
 * Source: Protocol Buffers documentation, "Text Format Language Specification". */
#ifndef QDIFF_CASE_TEXT_H
#define QDIFF_CASE_TEXT_H

#include <stdio.h>

#include "qdiff/case.h"

/* Writes the case; `protoc --encode=qdiff.Case` makes the same case of it again. Elements are written as numbers, in
 * the fields that onnx.proto has for them; types smaller than a byte and NaNs, which numbers do not tell, as raw_data.
 * A `comment` (NULL: none) stands before it, each of its lines after "# ". NO_MEMORY, LIMIT. */
enum qd_status qd_case_write_text(const struct qd_case *kase, const char *comment,
                                  struct qd_arena *arena, FILE *out, struct qd_error *error);

#endif
