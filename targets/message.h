/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of built-in targets. Internal to the targets layer. */
#ifndef QDIFF_MESSAGE_H
#define QDIFF_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "qdiff/target.h"

/* Fills *message, with both ends of a text that is too long; returns `status`, so
 * that a caller can write `return qd_answer(...)`. */
enum qd_target_status qd_answer(struct qd_target_message *message, enum qd_target_status status,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Takes the next "key=value" off *config ("opt=all,threads=1") into key and value (each of `size` bytes). False at
 * the end; *ok false when a part has no '=' or does not fit. */
bool qd_config_next(const char **config, char *key, char *value, unsigned size, bool *ok);

/* Bytes from a target, made fit to print: control characters but newline and tab, and what is no UTF-8, become
 * '?'. In place; `size` is the buffer's, which gets its NUL. */
void qd_text_clean(char *text, unsigned size);

/* Copies `length` bytes into a buffer of `size`, at least 16, with a NUL; of what is too long both ends, as the cause
 * may be at either (a panic's first line, the last of nested exceptions), with "[...]" on a line of its own between. */
void qd_text_shorten(char *to, size_t size, const char *from, size_t length);

/* The same as qd_text_clean, and line ends and tabs become blanks. */
void qd_text_line(char *text, unsigned size);

#endif
