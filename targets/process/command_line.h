/* SPDX-License-Identifier: Apache-2.0 */
/* A command line as words, without a shell. Internal to the targets layer. */
#ifndef QDIFF_COMMAND_LINE_H
#define QDIFF_COMMAND_LINE_H

#include <stddef.h>

#include "qdiff/status.h"

/* Splits `text` as a shell would that expands nothing: blanks part words; '…' is literal; in "…" a backslash stands
 * before " and \; outside of quotes it takes the meaning from any character. The words go to `words` (of `size` bytes),
 * each with its NUL, one after the other. USAGE: a quote that does not end,
 * a backslash at the end, no word, or no room. */
enum qd_status qd_command_split(const char *text, char *words, size_t size, size_t *count,
                                struct qd_error *error);

#endif
