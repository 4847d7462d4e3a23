/* SPDX-License-Identifier: Apache-2.0 */
/* A target's words without what changes from case to case. */
#ifndef QDIFF_REPORTS_MESSAGE_SHAPE_H
#define QDIFF_REPORTS_MESSAGE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the message with '#' for each quoted name (but 'torch.aten.mm'), bracket that holds one, word that holds
 * a digit, directory of a path, list of template arguments, and for the operator ("com.microsoft:QGemm", named
 * with or without its domain); line ends and repeated blanks are one blank. The name of a type ("F16", "uint8") that
 * is not the first one of the message is "#~". Two messages of one shape differ in nothing else. At most size − 1
 * bytes, cut at a whole character; returns shape. */
const char *qd_message_shape(const char *message, const char *op, char *shape, size_t size);

/* Whether a shape says enough to tell one bug from another wherever it comes from: six words or more. "signal #
 * (Aborted)" does not. */
bool qd_message_shape_is_telling(const char *shape);

/* A pattern for fnmatch() that matches every message of the shape: its last piece and its longest ones, at most
 * `most` of them, between asterisks. "" where no piece has four bytes. `size` at least 64; pieces that do not fit
 * are left out. Returns pattern. */
const char *qd_message_shape_pattern(const char *shape, size_t most, char *pattern, size_t size);

#endif
